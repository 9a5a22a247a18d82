-- A chat that was removed keeps its name, for as long as no other chat takes it.

DROP INDEX chats_name;

CREATE UNIQUE INDEX chats_name ON chats (name, repo_id) WHERE name <> '' AND state <> 'archived';
CREATE INDEX chats_called ON chats (name) WHERE name <> '';
