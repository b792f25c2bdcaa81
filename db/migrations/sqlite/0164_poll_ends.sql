-- The end of a poll that a job waits for, to notify its author and voters; NULL if there
-- is none, or they are notified.
ALTER TABLE polls ADD COLUMN notify_at INTEGER;
