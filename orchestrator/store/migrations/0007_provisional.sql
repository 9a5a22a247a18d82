-- A turn that ended with what a watcher saw is provisional until its files were
-- compared; after_commit is empty so long. corrected says that the watcher was
-- wrong.

ALTER TABLE turns ADD COLUMN provisional INTEGER NOT NULL DEFAULT 0 CHECK (provisional IN (0, 1));
ALTER TABLE turns ADD COLUMN corrected INTEGER NOT NULL DEFAULT 0 CHECK (corrected IN (0, 1));

CREATE INDEX turns_provisional ON turns (chat_id) WHERE provisional = 1;
