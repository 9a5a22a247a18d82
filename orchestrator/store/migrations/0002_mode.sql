-- The mode that the person asked the agent to take a turn in; '' for the
-- agent's own default.
ALTER TABLE turns ADD COLUMN mode TEXT NOT NULL DEFAULT '';
