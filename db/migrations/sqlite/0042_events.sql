-- What happened, for those who look on. The number is given inside the writing
-- transaction: there is one writer.
CREATE TABLE events (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  kind       TEXT    NOT NULL,
  subject    TEXT    NOT NULL,
  account_id TEXT    NOT NULL, -- whom it is for, '' where others may see it
  data       TEXT    NOT NULL, -- of what is gone, or happened only now
  created_at INTEGER NOT NULL
);

-- Numbers of another epoch say nothing about the events of this database.
INSERT INTO meta (key, value) VALUES ('event_epoch', lower(hex(randomblob(4))));
