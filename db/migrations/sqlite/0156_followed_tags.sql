-- Hashtags whose public statuses an account has on its home timeline.
CREATE TABLE followed_tags (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  tag        TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX followed_tags_once ON followed_tags (account_id, tag);
CREATE INDEX followed_tags_account     ON followed_tags (account_id, id);
CREATE INDEX followed_tags_tag         ON followed_tags (tag, account_id);
