-- identity says which directory a worktree is: '' where nobody has looked. No
-- worktree was ever at_risk: what is held has a table of its own.
CREATE TABLE worktrees_new (
    chat_id     TEXT    NOT NULL PRIMARY KEY REFERENCES chats (id),
    repo_id     TEXT    NOT NULL REFERENCES repos (id),
    common_dir  BLOB    NOT NULL,
    dir         BLOB    NOT NULL,
    base        TEXT    NOT NULL,
    baseline    TEXT    NOT NULL,
    state       TEXT    NOT NULL CHECK (state IN ('creating', 'active', 'closing', 'lost', 'archived', 'purged')),
    reason      TEXT    NOT NULL,
    created_ms  INTEGER NOT NULL,
    source      BLOB    NOT NULL DEFAULT x'',
    port        INTEGER NOT NULL DEFAULT 0,
    setup       TEXT    NOT NULL DEFAULT '',
    sparse      TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(sparse)),
    archived_ms INTEGER NOT NULL DEFAULT 0,
    identity    TEXT    NOT NULL DEFAULT ''
) STRICT;

INSERT INTO worktrees_new
SELECT chat_id, repo_id, common_dir, dir, base, baseline, CASE state WHEN 'at_risk' THEN 'active' ELSE state END, reason, created_ms,
       source, port, setup, sparse, archived_ms, ''
FROM worktrees;

DROP TABLE worktrees;
ALTER TABLE worktrees_new RENAME TO worktrees;

CREATE UNIQUE INDEX worktrees_dir ON worktrees (dir) WHERE state NOT IN ('archived', 'purged');
CREATE UNIQUE INDEX worktrees_port ON worktrees (port) WHERE port > 0 AND state <> 'purged';
CREATE INDEX worktrees_by_state ON worktrees (state, chat_id);
