-- A chat may have a name among those of its repository, and an agent and a model
-- that take its prompts when these name none. A run is a chat for one prompt.

ALTER TABLE chats ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE chats ADD COLUMN kind TEXT NOT NULL DEFAULT 'chat' CHECK (kind IN ('chat', 'run'));
ALTER TABLE chats ADD COLUMN agent TEXT NOT NULL DEFAULT '';
ALTER TABLE chats ADD COLUMN model TEXT NOT NULL DEFAULT '';

CREATE UNIQUE INDEX chats_name ON chats (name, repo_id) WHERE name <> '';
