-- What happened, for those who look on. Rows are inserted without a number; one
-- process at a time numbers what is committed, so that a transaction that commits
-- late gets a higher number than those that readers have passed.
CREATE TABLE events (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seq        BIGINT,
  kind       TEXT COLLATE "C" NOT NULL,
  subject    TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL, -- whom it is for, '' where others may see it
  data       TEXT COLLATE "C" NOT NULL, -- of what is gone, or happened only now
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX events_seq ON events (seq);
CREATE INDEX events_unnumbered ON events (id) WHERE seq IS NULL;

-- The last number given.
CREATE TABLE event_head (
  one BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
  seq BIGINT NOT NULL
);
INSERT INTO event_head (seq) VALUES (0);

-- Numbers of another epoch say nothing about the events of this database.
INSERT INTO meta (key, value) VALUES ('event_epoch', substr(md5(random()::text || clock_timestamp()::text), 1, 8));
