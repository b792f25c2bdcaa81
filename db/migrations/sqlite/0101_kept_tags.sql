-- The moderators' tags of remote accounts that were deleted, by ActivityPub id.
-- An account that comes back gets them, and the number that it had.
CREATE TABLE kept_tags (
  uri        TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  tags       TEXT NOT NULL
) WITHOUT ROWID;
