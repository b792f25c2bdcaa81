-- Accounts whose statuses a search does not show to others.
ALTER TABLE accounts ADD COLUMN unindexed BOOLEAN NOT NULL DEFAULT FALSE;
