-- The key by which a sender knows its prompt again ('' if it gave none), and the
-- turn whose prompt a turn repeats.
ALTER TABLE turns ADD COLUMN send_key TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN retry_of TEXT NOT NULL DEFAULT '';

CREATE UNIQUE INDEX turns_by_key ON turns (send_key, chat_id) WHERE send_key <> '';

-- What an agent is to be told may come from something else than a reject.
CREATE TABLE notes_of_all (
    id       INTEGER PRIMARY KEY,
    chat_id  TEXT NOT NULL REFERENCES chats (id),
    agent    TEXT NOT NULL CHECK (agent <> ''),
    apply_id TEXT REFERENCES applies (id),
    text     TEXT NOT NULL
) STRICT;

INSERT INTO notes_of_all SELECT id, chat_id, agent, apply_id, text FROM notes;
DROP TABLE notes;
ALTER TABLE notes_of_all RENAME TO notes;

CREATE INDEX notes_of_agent ON notes (chat_id, agent, id);

-- How far an agent has come: one row before each step, one at each turn's end.
-- seq is the newest event that was stored with it; calls is a JSON array of the
-- tool calls that had begun and not ended, more the number of those that are not
-- in it. digest is the SHA-256 of all that stands before it. A row that does not
-- agree with its digest is quarantined: kept, and not used.
CREATE TABLE checkpoints (
    chat_id        TEXT    NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    agent          TEXT    NOT NULL CHECK (agent <> ''),
    generation     INTEGER NOT NULL CHECK (generation >= 0),
    step           INTEGER NOT NULL CHECK (step > 0),
    turn_id        TEXT    NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
    seq            INTEGER NOT NULL,
    native_id      TEXT    NOT NULL,
    tree           TEXT    NOT NULL,
    status         TEXT    NOT NULL CHECK (status IN ('in_progress', 'completed', 'failed', 'halted')),
    reason         TEXT    NOT NULL,
    at_ms          INTEGER NOT NULL,
    calls          TEXT    NOT NULL,
    more           INTEGER NOT NULL,
    digest         TEXT    NOT NULL,
    quarantined_ms INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (chat_id, agent, generation, step)
) STRICT, WITHOUT ROWID;

CREATE INDEX checkpoints_of_turn ON checkpoints (turn_id, step);
