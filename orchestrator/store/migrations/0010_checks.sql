-- How checks ended: each on a tree, the newest time only. digest is the SHA-256
-- of what was run; under is the tree that the changes were laid over; changes
-- is how many they were.
CREATE TABLE check_runs (
    id        INTEGER PRIMARY KEY,
    repo_id   TEXT    NOT NULL REFERENCES repos (id),
    tree      TEXT    NOT NULL CHECK (tree <> ''),
    digest    TEXT    NOT NULL CHECK (length(digest) = 64),
    under     TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    exit_code INTEGER NOT NULL,
    timed_out INTEGER NOT NULL CHECK (timed_out IN (0, 1)),
    took_ms   INTEGER NOT NULL,
    ended_ms  INTEGER NOT NULL,
    changes   INTEGER NOT NULL,
    command   TEXT    NOT NULL,
    tail      TEXT    NOT NULL,
    UNIQUE (repo_id, tree, digest)
) STRICT;

-- Which changes a check was about.
CREATE TABLE check_changes (
    change_id TEXT    NOT NULL REFERENCES changes (id) ON DELETE CASCADE,
    run_id    INTEGER NOT NULL REFERENCES check_runs (id) ON DELETE CASCADE,
    PRIMARY KEY (change_id, run_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX check_changes_of_run ON check_changes (run_id);
