-- How many sessions are in which state is asked often, and must not cost a
-- look at all of them with their capabilities.
CREATE INDEX sessions_by_state ON sessions (state);
