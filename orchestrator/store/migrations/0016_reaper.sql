-- When a worktree left the disk; archives go after a time.
ALTER TABLE worktrees ADD COLUMN archived_ms INTEGER NOT NULL DEFAULT 0;

UPDATE worktrees SET archived_ms = (SELECT last_used_ms FROM chats WHERE id = chat_id) WHERE state = 'archived';

CREATE INDEX worktrees_by_state ON worktrees (state, chat_id);

-- What the reaper knows of the clock, in one row: the machine's boot, how long
-- that was ago and what the clock said when it last looked, and since when the
-- clock has gone steadily. next_ms is when it will look next.
CREATE TABLE reaper (
    id        INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    boot_id   TEXT    NOT NULL,
    up_ms     INTEGER NOT NULL,
    wall_ms   INTEGER NOT NULL,
    steady_ms INTEGER NOT NULL,
    next_ms   INTEGER NOT NULL
) STRICT;

-- ended_ms is 0 while a sweep runs, and of one that was cut off. counts is a
-- JSON object: how many steps of each kind there were.
CREATE TABLE sweeps (
    id         INTEGER PRIMARY KEY,
    started_ms INTEGER NOT NULL,
    ended_ms   INTEGER NOT NULL,
    freed      INTEGER NOT NULL,
    counts     TEXT    NOT NULL CHECK (json_valid(counts)),
    error      TEXT    NOT NULL
) STRICT;

-- What was decided and done. The oldest go when there are too many. No foreign
-- keys: it outlives what it tells of.
CREATE TABLE sweep_steps (
    id       INTEGER PRIMARY KEY,
    sweep_id INTEGER NOT NULL,
    at_ms    INTEGER NOT NULL,
    action   TEXT    NOT NULL CHECK (action <> ''),
    chat_id  TEXT    NOT NULL,
    path     BLOB    NOT NULL,
    freed    INTEGER NOT NULL,
    reason   TEXT    NOT NULL
) STRICT;

CREATE INDEX sweep_steps_of_chat ON sweep_steps (chat_id, id);

-- What is kept though its time has come, and why: a JSON array of risks. name
-- is that of the chat, or of what has none.
CREATE TABLE holds (
    name       TEXT    NOT NULL PRIMARY KEY CHECK (name <> ''),
    path       BLOB    NOT NULL,
    since_ms   INTEGER NOT NULL,
    checked_ms INTEGER NOT NULL,
    next_ms    INTEGER NOT NULL,
    checks     INTEGER NOT NULL,
    risks      TEXT    NOT NULL CHECK (json_valid(risks))
) STRICT, WITHOUT ROWID;
