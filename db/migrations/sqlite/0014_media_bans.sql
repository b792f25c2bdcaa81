-- Files that are not given out. url is the form in which people are given the
-- file, address what the file is known by here: its own URL, or /media/ and its
-- name in the store. The keys are their SHA-256 in hex: addresses may be longer
-- than an index takes. search_key is both in lower case.
DROP TABLE media_bans; -- nothing was ever written into it
CREATE TABLE media_bans (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  url         TEXT NOT NULL,
  url_key     TEXT NOT NULL,
  address_key TEXT NOT NULL,
  search_key  TEXT NOT NULL,
  created_at  INTEGER NOT NULL
);
CREATE UNIQUE INDEX media_bans_url     ON media_bans (url_key);
CREATE INDEX        media_bans_address ON media_bans (address_key);
