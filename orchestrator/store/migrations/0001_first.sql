-- The first schema. Times are milliseconds since 1970, 0 where there is none.
-- Paths are BLOBs: git and the file system know no encoding. Columns that may
-- be large stand last in their row, so that reading the others stays cheap.

PRAGMA application_id = 0x626f6f31; -- "boo1"

CREATE TABLE repos (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    common_dir BLOB    NOT NULL UNIQUE,
    root       BLOB    NOT NULL,
    created_ms INTEGER NOT NULL
) STRICT;

-- used_order counts all uses of all chats: the clock may step back, the order
-- in which chats were used does not. agents is a JSON array of names, in the
-- order of their first turn.
CREATE TABLE chats (
    id           TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    repo_id      TEXT    NOT NULL REFERENCES repos (id),
    title        TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('open', 'closing', 'closed', 'archived')),
    created_ms   INTEGER NOT NULL,
    last_used_ms INTEGER NOT NULL,
    used_order   INTEGER NOT NULL UNIQUE,
    agents       TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(agents))
) STRICT;

CREATE INDEX chats_of_repo ON chats (repo_id, used_order);

CREATE TABLE worktrees (
    chat_id    TEXT    NOT NULL PRIMARY KEY REFERENCES chats (id),
    repo_id    TEXT    NOT NULL REFERENCES repos (id),
    common_dir BLOB    NOT NULL,
    dir        BLOB    NOT NULL,
    base       TEXT    NOT NULL,
    baseline   TEXT    NOT NULL,
    state      TEXT    NOT NULL CHECK (state IN ('creating', 'active', 'closing', 'at_risk', 'lost', 'archived', 'purged')),
    reason     TEXT    NOT NULL,
    created_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX worktrees_dir ON worktrees (dir) WHERE state NOT IN ('archived', 'purged');

CREATE TABLE turns (
    id            TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    chat_id       TEXT    NOT NULL REFERENCES chats (id),
    number        INTEGER NOT NULL CHECK (number > 0),
    agent         TEXT    NOT NULL CHECK (agent <> ''),
    model         TEXT    NOT NULL,
    state         TEXT    NOT NULL CHECK (state IN ('queued', 'accepted', 'running', 'cancelling',
                                                    'completed', 'failed', 'cancelled', 'interrupted', 'halted')),
    before_commit TEXT    NOT NULL,
    after_commit  TEXT    NOT NULL,
    rung          TEXT    NOT NULL CHECK (rung IN ('', 'warm', 'resumed', 'history', 'new')),
    input         INTEGER NOT NULL,
    output        INTEGER NOT NULL,
    cache_read    INTEGER NOT NULL,
    cache_write   INTEGER NOT NULL,
    cost          REAL    NOT NULL,
    currency      TEXT    NOT NULL,
    context_used  INTEGER NOT NULL,
    context_size  INTEGER NOT NULL,
    owner_boot    TEXT    NOT NULL,
    owner_pid     INTEGER NOT NULL,
    owner_start   INTEGER NOT NULL,
    sent_ms       INTEGER NOT NULL,
    started_ms    INTEGER NOT NULL,
    ended_ms      INTEGER NOT NULL,
    stop          TEXT    NOT NULL,
    reason        TEXT    NOT NULL,
    prompt        TEXT    NOT NULL,
    UNIQUE (chat_id, number)
) STRICT;

CREATE UNIQUE INDEX turns_live ON turns (chat_id) WHERE state IN ('accepted', 'running', 'cancelling');
CREATE INDEX turns_open ON turns (chat_id, number) WHERE state IN ('queued', 'accepted', 'running', 'cancelling');

CREATE TABLE events (
    chat_id TEXT    NOT NULL REFERENCES chats (id),
    seq     INTEGER NOT NULL CHECK (seq > 0),
    turn_id TEXT    REFERENCES turns (id),
    at_ms   INTEGER NOT NULL,
    kind    TEXT    NOT NULL CHECK (kind <> ''),
    payload TEXT    NOT NULL CHECK (json_valid(payload)),
    PRIMARY KEY (chat_id, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_of_turn ON events (turn_id, seq);

CREATE TABLE sessions (
    chat_id      TEXT    NOT NULL REFERENCES chats (id),
    agent        TEXT    NOT NULL CHECK (agent <> ''),
    backend      TEXT    NOT NULL,
    native_id    TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('none', 'starting', 'idle', 'busy', 'cancelling', 'evicted', 'crashed', 'closed')),
    rung         TEXT    NOT NULL CHECK (rung IN ('', 'warm', 'resumed', 'history', 'new')),
    version      TEXT    NOT NULL,
    seen_turn    INTEGER NOT NULL,
    input        INTEGER NOT NULL DEFAULT 0,
    output       INTEGER NOT NULL DEFAULT 0,
    cache_read   INTEGER NOT NULL DEFAULT 0,
    cache_write  INTEGER NOT NULL DEFAULT 0,
    cost         REAL    NOT NULL DEFAULT 0,
    currency     TEXT    NOT NULL DEFAULT '',
    context_used INTEGER NOT NULL DEFAULT 0,
    context_size INTEGER NOT NULL DEFAULT 0,
    used_ms      INTEGER NOT NULL,
    last_err     TEXT    NOT NULL,
    caps         BLOB    NOT NULL,
    PRIMARY KEY (chat_id, agent)
) STRICT;

-- No foreign keys: that a process runs has to be recorded whatever else holds.
CREATE TABLE processes (
    boot_id    TEXT    NOT NULL,
    pid        INTEGER NOT NULL,
    start_time INTEGER NOT NULL,
    chat_id    TEXT    NOT NULL,
    turn_id    TEXT    NOT NULL,
    agent      TEXT    NOT NULL,
    tag        TEXT    NOT NULL,
    PRIMARY KEY (boot_id, pid, start_time)
) STRICT, WITHOUT ROWID;

-- ordinal tells which of two applies is the newer one. steps is a JSON array.
CREATE TABLE applies (
    ordinal      INTEGER PRIMARY KEY,
    id           TEXT    NOT NULL UNIQUE CHECK (id <> ''),
    chat_id      TEXT    NOT NULL REFERENCES chats (id),
    checkout     BLOB    NOT NULL,
    git_dir      BLOB    NOT NULL,
    common_dir   BLOB    NOT NULL,
    stage_dir    BLOB    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('prepared', 'applied', 'rolled_back', 'undone')),
    undoing      INTEGER NOT NULL CHECK (undoing IN (0, 1)),
    old_baseline TEXT    NOT NULL,
    new_baseline TEXT    NOT NULL,
    created_ms   INTEGER NOT NULL,
    steps        TEXT    NOT NULL CHECK (json_valid(steps))
) STRICT;

CREATE INDEX applies_by_state ON applies (state, ordinal);

-- contributors is a JSON array of {agent, turn}. A row may name the one that
-- supersedes it before that one is there, within a transaction.
CREATE TABLE changes (
    id            TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    chat_id       TEXT    NOT NULL REFERENCES chats (id),
    path          BLOB    NOT NULL CHECK (length(path) > 0),
    old_mode      INTEGER NOT NULL,
    old_id        TEXT    NOT NULL,
    new_mode      INTEGER NOT NULL,
    new_id        TEXT    NOT NULL,
    added         INTEGER NOT NULL,
    deleted       INTEGER NOT NULL,
    is_binary     INTEGER NOT NULL CHECK (is_binary IN (0, 1)),
    state         TEXT    NOT NULL CHECK (state IN ('pending', 'superseded', 'applied', 'rejected', 'conflict', 'reverted')),
    superseded_by TEXT    REFERENCES changes (id) DEFERRABLE INITIALLY DEFERRED,
    applied_by    TEXT    REFERENCES applies (id),
    turn_id       TEXT    REFERENCES turns (id),
    created_ms    INTEGER NOT NULL,
    decided_ms    INTEGER NOT NULL,
    contributors  TEXT    NOT NULL CHECK (json_valid(contributors)),
    CHECK (superseded_by IS NULL OR state = 'superseded')
) STRICT;

CREATE UNIQUE INDEX changes_pending ON changes (chat_id, path) WHERE state = 'pending';
CREATE INDEX changes_of_chat ON changes (chat_id, state, path);
