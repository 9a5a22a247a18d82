-- An apply knows from which checkout it was asked for, and what it did beside
-- the files: index entries and a ref. A reject is one too, of the chat's own
-- worktree. cleared says that nothing is left of it to look after, so that what
-- is cut off is found at a cost that does not grow with what is done.

ALTER TABLE applies ADD COLUMN kind TEXT NOT NULL DEFAULT 'apply' CHECK (kind IN ('apply', 'reject'));
ALTER TABLE applies ADD COLUMN origin BLOB NOT NULL DEFAULT x'';
ALTER TABLE applies ADD COLUMN landing TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(landing));
ALTER TABLE applies ADD COLUMN cleared INTEGER NOT NULL DEFAULT 0 CHECK (cleared IN (0, 1));

UPDATE applies SET origin = checkout;

CREATE INDEX applies_uncleared ON applies (ordinal) WHERE cleared = 0;
CREATE INDEX applies_of_origin ON applies (origin, state, ordinal);

ALTER TABLE changes ADD COLUMN reason TEXT NOT NULL DEFAULT '';

-- What an agent is to be told at its next turn in a chat; gone once it was.
CREATE TABLE notes (
    id       INTEGER PRIMARY KEY,
    chat_id  TEXT NOT NULL REFERENCES chats (id),
    agent    TEXT NOT NULL CHECK (agent <> ''),
    apply_id TEXT NOT NULL REFERENCES applies (id),
    text     TEXT NOT NULL
) STRICT;

CREATE INDEX notes_of_agent ON notes (chat_id, agent, id);
