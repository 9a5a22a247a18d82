-- What a list of chats shows of each, kept with the chat: a list then costs what
-- it shows, however many turns and changes there are. Triggers keep it, so that
-- no statement can forget to.

ALTER TABLE chats ADD COLUMN turns INTEGER NOT NULL DEFAULT 0;     -- number of the newest one
ALTER TABLE chats ADD COLUMN last_state TEXT NOT NULL DEFAULT '';  -- of the newest turn
ALTER TABLE chats ADD COLUMN pending INTEGER NOT NULL DEFAULT 0;   -- changes

UPDATE chats SET
    turns = coalesce((SELECT max(number) FROM turns WHERE chat_id = chats.id), 0),
    last_state = coalesce((SELECT state FROM turns WHERE chat_id = chats.id ORDER BY number DESC LIMIT 1), ''),
    pending = (SELECT count(*) FROM changes WHERE chat_id = chats.id AND state = 'pending');

CREATE TRIGGER chats_turn_begins AFTER INSERT ON turns WHEN new.number >= (SELECT turns FROM chats WHERE id = new.chat_id) BEGIN
    UPDATE chats SET turns = new.number, last_state = new.state WHERE id = new.chat_id;
END;

CREATE TRIGGER chats_turn_moves AFTER UPDATE OF state ON turns BEGIN
    UPDATE chats SET last_state = new.state WHERE id = new.chat_id AND turns = new.number;
END;

CREATE TRIGGER chats_change_comes AFTER INSERT ON changes WHEN new.state = 'pending' BEGIN
    UPDATE chats SET pending = pending + 1 WHERE id = new.chat_id;
END;

CREATE TRIGGER chats_change_moves AFTER UPDATE OF state ON changes WHEN (old.state = 'pending') <> (new.state = 'pending') BEGIN
    UPDATE chats SET pending = pending + iif(new.state = 'pending', 1, -1) WHERE id = new.chat_id;
END;

CREATE TRIGGER chats_change_goes AFTER DELETE ON changes WHEN old.state = 'pending' BEGIN
    UPDATE chats SET pending = pending - 1 WHERE id = old.chat_id;
END;
