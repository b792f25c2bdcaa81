CREATE TABLE bookmarks (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT    NOT NULL,
  status_id  TEXT    NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX bookmarks_once ON bookmarks (account_id, status_id);
CREATE INDEX bookmarks_account     ON bookmarks (account_id, id);
CREATE INDEX bookmarks_status      ON bookmarks (status_id);

CREATE INDEX favourites_account ON favourites (account_id, id);

-- Of each emoji somebody reacts once to a status. The status counts them in
-- reactions, oldest emoji first.
CREATE TABLE emoji_reactions (
  id         TEXT PRIMARY KEY,
  account_id TEXT    NOT NULL,
  status_id  TEXT    NOT NULL,
  emoji      TEXT    NOT NULL,
  uri        TEXT    NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX emoji_reactions_once ON emoji_reactions (status_id, account_id, emoji);
CREATE INDEX emoji_reactions_status      ON emoji_reactions (status_id, emoji, id);
CREATE INDEX emoji_reactions_account     ON emoji_reactions (account_id, id);
ALTER TABLE statuses ADD COLUMN reactions TEXT NOT NULL DEFAULT '[]';

-- options: titles and votes. voters_count counts people, who may have several
-- votes in a poll with multiple.
CREATE TABLE polls (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  status_id    TEXT    NOT NULL UNIQUE,
  multiple     BOOLEAN NOT NULL DEFAULT FALSE,
  options      TEXT    NOT NULL,
  voters_count INTEGER NOT NULL DEFAULT 0,
  expires_at   INTEGER,
  created_at   INTEGER NOT NULL
);
CREATE TABLE poll_votes (
  poll_id    INTEGER NOT NULL,
  account_id TEXT    NOT NULL,
  choice     INTEGER NOT NULL, -- an option's place, from 0
  uri        TEXT    NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  PRIMARY KEY (poll_id, account_id, choice)
) WITHOUT ROWID;
CREATE INDEX poll_votes_account ON poll_votes (account_id);
ALTER TABLE statuses ADD COLUMN poll_id INTEGER;

-- What a linked page says about itself. A row stays as it is; a page that says
-- something else later gets another.
CREATE TABLE cards (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  link          TEXT    NOT NULL, -- as statuses have it
  url           TEXT    NOT NULL,
  title         TEXT    NOT NULL,
  description   TEXT    NOT NULL DEFAULT '',
  image         TEXT    NOT NULL DEFAULT '',
  provider_name TEXT    NOT NULL DEFAULT '',
  provider_url  TEXT    NOT NULL DEFAULT '',
  opengraph     TEXT    NOT NULL DEFAULT '{}',
  fetched_at    INTEGER NOT NULL
);
CREATE INDEX cards_link ON cards (link, id);
CREATE TABLE card_failures (
  link      TEXT PRIMARY KEY,
  failed_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX card_failures_failed ON card_failures (failed_at);
ALTER TABLE statuses ADD COLUMN card_id INTEGER;
CREATE INDEX statuses_card ON statuses (card_id) WHERE card_id IS NOT NULL;
