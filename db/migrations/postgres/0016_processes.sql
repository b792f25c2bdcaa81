-- The processes that run jobs, each by a name of its own; one that was not seen
-- for a while has died, and what it ran is to be run again.
CREATE TABLE processes (
  id      TEXT COLLATE "C" PRIMARY KEY,
  seen_at BIGINT NOT NULL
);
