-- Worktrees that are made before their chats are. chat_id is that of the chat
-- that will take it: its row goes in the transaction that stores the chat.
CREATE TABLE spares (
    chat_id    TEXT    NOT NULL PRIMARY KEY,
    repo_id    TEXT    NOT NULL REFERENCES repos (id),
    base       TEXT    NOT NULL,
    sparse     TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(sparse)),
    state      TEXT    NOT NULL CHECK (state IN ('making', 'ready')),
    created_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
