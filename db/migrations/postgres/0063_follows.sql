-- Whether the follower does not count the follow, since its target is
-- deactivated. Followers are counted in chunks, so each follow says where it is.
ALTER TABLE follows ADD COLUMN uncounted BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE follows SET uncounted = TRUE WHERE NOT pending AND target_id IN (SELECT id FROM accounts WHERE deactivated);
