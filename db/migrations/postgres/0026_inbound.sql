-- Whether other servers were told that a poll is over: they are told once.
ALTER TABLE polls ADD COLUMN told_closed BOOLEAN NOT NULL DEFAULT FALSE;

-- An activity is known by its id and the hash of its body: many servers give
-- several activities one id. What was seen before is forgotten: a request that
-- was signed then is too old to be sent again within hours.
DROP TABLE seen_activities;
CREATE TABLE seen_activities (
  uri     TEXT COLLATE "C" NOT NULL,
  hash    TEXT COLLATE "C" NOT NULL, -- SHA-256 in base64
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (uri, hash)
);
CREATE INDEX seen_activities_at ON seen_activities (seen_at);
