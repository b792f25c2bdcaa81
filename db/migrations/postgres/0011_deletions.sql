-- Accounts that were deleted for good: nobody can show them again, and deleting
-- them again does nothing. The row of one of which nothing is left goes too.
CREATE TABLE deletions (
  account_id TEXT COLLATE "C" PRIMARY KEY,
  created_at BIGINT NOT NULL
);
INSERT INTO deletions (account_id, created_at)
  SELECT id, updated_at FROM accounts WHERE local AND deactivated AND NOT invisible
    AND NOT EXISTS (SELECT 1 FROM users WHERE users.account_id = accounts.id);
