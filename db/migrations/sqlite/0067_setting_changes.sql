-- The latest changes of saved settings, with their values before and after; NULL
-- is no saved value. Secrets are masked in both.
CREATE TABLE setting_changes (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  grp        TEXT    NOT NULL,
  key        TEXT    NOT NULL,
  before     TEXT,
  after      TEXT,
  secret     BOOLEAN NOT NULL, -- a secret changed too
  actor_id   TEXT    NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX setting_changes_key ON setting_changes (grp, key, id);
