-- Public keys with which people sign in over SSH, by their hashes.
CREATE TABLE ssh_keys (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT    NOT NULL,
  hash       TEXT    NOT NULL UNIQUE, -- SHA-256 of the key, base64
  type       TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  scopes     TEXT    NOT NULL, -- of sessions with it, separated by spaces
  used_at    INTEGER,
  created_at INTEGER NOT NULL
);
CREATE INDEX ssh_keys_account ON ssh_keys (account_id, id);

-- The key of the SSH session that a token was issued for.
ALTER TABLE tokens ADD COLUMN ssh_key_id INTEGER;
