-- Where a worktree was asked for, the first of the ten ports that are its own
-- (0 if there was none left), the digest of the setup that it has had, and the
-- directories that it has files of (a JSON array, empty for all).
ALTER TABLE worktrees ADD COLUMN source BLOB NOT NULL DEFAULT x'';
ALTER TABLE worktrees ADD COLUMN port INTEGER NOT NULL DEFAULT 0;
ALTER TABLE worktrees ADD COLUMN setup TEXT NOT NULL DEFAULT '';
ALTER TABLE worktrees ADD COLUMN sparse TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(sparse));

CREATE UNIQUE INDEX worktrees_port ON worktrees (port) WHERE port > 0 AND state <> 'purged';

-- What a repository may run: the SHA-256 of exactly those commands.
CREATE TABLE approvals (
    repo_id    TEXT    NOT NULL REFERENCES repos (id),
    kind       TEXT    NOT NULL CHECK (kind IN ('worktree', 'checks')),
    digest     TEXT    NOT NULL CHECK (length(digest) = 64),
    created_ms INTEGER NOT NULL,
    PRIMARY KEY (repo_id, kind, digest)
) STRICT, WITHOUT ROWID;
