-- What worktrees take, as far as that was measured. It may be thrown away.
CREATE TABLE worktree_sizes (
    chat_id     TEXT    NOT NULL PRIMARY KEY REFERENCES chats (id) ON DELETE CASCADE,
    bytes       INTEGER NOT NULL,
    snapshots   INTEGER NOT NULL,
    directories INTEGER NOT NULL,
    measured_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
