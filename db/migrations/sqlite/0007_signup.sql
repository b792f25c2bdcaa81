-- Links are kept as hashes, in a table of their own: several may work at once.
ALTER TABLE users DROP COLUMN confirmation_token;

-- A link that was mailed to a user, as its hash. Without expires_at it works
-- until it is used.
CREATE TABLE mail_tokens (
  token_hash TEXT PRIMARY KEY,
  account_id TEXT    NOT NULL,
  purpose    TEXT    NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX mail_tokens_account ON mail_tokens (account_id, purpose, created_at);
CREATE INDEX mail_tokens_expires ON mail_tokens (expires_at) WHERE expires_at IS NOT NULL;

-- Who may register while registration is closed. expires_on is a day, in UTC,
-- as YYYY-MM-DD; used ends an invite whatever the rest says.
CREATE TABLE invites (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  token      TEXT    NOT NULL UNIQUE,
  used       BOOLEAN NOT NULL DEFAULT FALSE,
  uses       INTEGER NOT NULL DEFAULT 0,
  max_use    INTEGER,
  expires_on TEXT,
  created_at INTEGER NOT NULL
);

-- Captchas that somebody tried to answer, until they would have expired.
CREATE TABLE captchas (
  token      TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX captchas_expires ON captchas (expires_at);
