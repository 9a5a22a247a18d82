-- Open requests for permission. One that is answered is gone from here; its
-- event tells what was decided. request is JSON.
CREATE TABLE permissions (
    id       TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    chat_id  TEXT    NOT NULL REFERENCES chats (id),
    turn_id  TEXT    NOT NULL REFERENCES turns (id),
    agent    TEXT    NOT NULL CHECK (agent <> ''),
    asked_ms INTEGER NOT NULL,
    request  TEXT    NOT NULL CHECK (json_valid(request))
) STRICT;

CREATE INDEX permissions_of_chat ON permissions (chat_id, asked_ms);
CREATE INDEX permissions_of_turn ON permissions (turn_id);

-- What a person has answered for good, in one chat, to one agent.
CREATE TABLE standing_rules (
    chat_id    TEXT    NOT NULL REFERENCES chats (id),
    agent      TEXT    NOT NULL CHECK (agent <> ''),
    kind       TEXT    NOT NULL CHECK (kind <> ''),
    allow      INTEGER NOT NULL CHECK (allow IN (0, 1)),
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (chat_id, agent, kind)
) STRICT, WITHOUT ROWID;

-- The command that mends what ended a turn stood in its reason.
ALTER TABLE turns ADD COLUMN hint TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;

UPDATE turns SET hint = substr(reason, instr(reason, '; try: ') + 7), reason = substr(reason, 1, instr(reason, '; try: ') - 1)
WHERE instr(reason, '; try: ') > 0;
