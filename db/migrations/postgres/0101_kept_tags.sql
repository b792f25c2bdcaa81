-- The moderators' tags of remote accounts that were deleted, by ActivityPub id.
-- An account that comes back gets them, and the number that it had.
CREATE TABLE kept_tags (
  uri        TEXT COLLATE "C" PRIMARY KEY,
  account_id TEXT COLLATE "C" NOT NULL,
  tags       TEXT COLLATE "C" NOT NULL
);
