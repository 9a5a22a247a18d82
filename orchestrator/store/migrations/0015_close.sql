-- Chats that are closed or removed, and sessions that begin anew.

ALTER TABLE chats ADD COLUMN closed_ms INTEGER NOT NULL DEFAULT 0; -- when it was closed or removed; 0 while it is open
ALTER TABLE chats ADD COLUMN log_after INTEGER NOT NULL DEFAULT 0; -- its log begins after this event; the earlier ones are kept

-- The condition is, word for word, that of the query for them.
CREATE INDEX chats_closing ON chats (id) WHERE state = 'closing';

ALTER TABLE sessions ADD COLUMN generation INTEGER NOT NULL DEFAULT 0; -- raised by each reset: what has an older one writes nothing
ALTER TABLE sessions ADD COLUMN reset_turn INTEGER NOT NULL DEFAULT 0; -- number of the newest turn at the last reset

-- Sessions that their agents are still to be asked to delete.
CREATE TABLE forgotten (
    agent     TEXT    NOT NULL CHECK (agent <> ''),
    native_id TEXT    NOT NULL CHECK (native_id <> ''),
    chat_id   TEXT    NOT NULL REFERENCES chats (id),
    since_ms  INTEGER NOT NULL,
    PRIMARY KEY (agent, native_id)
) STRICT, WITHOUT ROWID;
