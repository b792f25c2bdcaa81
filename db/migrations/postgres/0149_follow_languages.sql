-- The languages of an account's statuses that its follower wants, [] for all; and whether
-- a subscription was made by a follow, so that it is notified as another type, and acts
-- while the follow is accepted.
ALTER TABLE follows ADD COLUMN languages TEXT NOT NULL DEFAULT '[]';
ALTER TABLE subscriptions ADD COLUMN by_follow BOOLEAN NOT NULL DEFAULT FALSE;
