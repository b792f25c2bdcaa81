-- Lists of accounts that somebody reads apart. owner_id of a member is its
-- list's, so that all lists of one author are found in the order of their
-- owners.
CREATE TABLE lists (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT    NOT NULL,
  title      TEXT    NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX lists_account ON lists (account_id, id);

CREATE TABLE list_accounts (
  list_id    INTEGER NOT NULL,
  account_id TEXT    NOT NULL,
  owner_id   TEXT    NOT NULL,
  PRIMARY KEY (list_id, account_id)
) WITHOUT ROWID;
CREATE INDEX list_accounts_account ON list_accounts (account_id, owner_id, list_id);

-- A home entry's account_id names a timeline: besides an account's home it may
-- be its direct posts, 'direct:ACCOUNT', or one of its lists, 'list:ID'.
INSERT INTO home_entries (account_id, status_id, author_id, why)
  SELECT 'direct:' || s.account_id, s.id, s.account_id, 3
  FROM statuses s JOIN accounts a ON a.id = s.account_id WHERE s.visibility = 'direct' AND a.local;
INSERT INTO home_entries (account_id, status_id, author_id, why)
  SELECT 'direct:' || r.account_id, s.id, s.account_id, 2
  FROM statuses s JOIN status_recipients r ON r.status_id = s.id JOIN accounts a ON a.id = r.account_id
  WHERE s.visibility = 'direct' AND a.local AND r.account_id <> s.account_id;

-- What an account does not want to read. number counts an account's filters
-- and is never used again; contexts are bits: 1 home, 2 notifications,
-- 4 public, 8 thread.
CREATE TABLE filters (
  account_id   TEXT    NOT NULL,
  number       INTEGER NOT NULL,
  phrase       TEXT    NOT NULL,
  contexts     INTEGER NOT NULL,
  irreversible BOOLEAN NOT NULL DEFAULT FALSE,
  whole_word   BOOLEAN NOT NULL DEFAULT TRUE,
  expires_at   INTEGER,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (account_id, number)
) WITHOUT ROWID;

CREATE TABLE filter_numbers (
  account_id TEXT PRIMARY KEY,
  last       INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX statuses_public_media ON statuses (id) WHERE visibility = 'public' AND reblog_of_id IS NULL AND has_media;
