-- Whether other servers were told that a poll is over: they are told once.
ALTER TABLE polls ADD COLUMN told_closed BOOLEAN NOT NULL DEFAULT FALSE;

-- An activity is known by its id and the hash of its body: many servers give
-- several activities one id. What was seen before is forgotten: a request that
-- was signed then is too old to be sent again within hours.
DROP TABLE seen_activities;
CREATE TABLE seen_activities (
  uri     TEXT NOT NULL,
  hash    TEXT NOT NULL, -- SHA-256 in base64
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (uri, hash)
) WITHOUT ROWID;
CREATE INDEX seen_activities_at ON seen_activities (seen_at);
