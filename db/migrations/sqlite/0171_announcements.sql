-- Announcements of admins to everybody here, who read them and react to them. Their number
-- is bounded; reactions has the counts of announcement_reactions, and shown is what streams
-- were told.
CREATE TABLE announcements (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  text         TEXT NOT NULL,
  content      TEXT NOT NULL,
  starts_at    INTEGER,
  ends_at      INTEGER,
  all_day      BOOLEAN NOT NULL DEFAULT FALSE,
  published    BOOLEAN NOT NULL DEFAULT FALSE,
  shown        BOOLEAN NOT NULL DEFAULT FALSE,
  mentions     TEXT NOT NULL DEFAULT '[]',
  statuses     TEXT NOT NULL DEFAULT '[]',
  tags         TEXT NOT NULL DEFAULT '[]',
  emojis       TEXT NOT NULL DEFAULT '[]',
  reactions    TEXT NOT NULL DEFAULT '[]',
  published_at INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
);
CREATE TABLE announcement_reads (
  announcement_id INTEGER NOT NULL,
  account_id      TEXT NOT NULL,
  PRIMARY KEY (announcement_id, account_id)
);
CREATE INDEX announcement_reads_account ON announcement_reads (account_id, announcement_id);
CREATE TABLE announcement_reactions (
  announcement_id INTEGER NOT NULL,
  account_id      TEXT NOT NULL,
  name            TEXT NOT NULL,
  PRIMARY KEY (announcement_id, account_id, name)
);
CREATE INDEX announcement_reactions_account ON announcement_reactions (account_id, announcement_id, name);
