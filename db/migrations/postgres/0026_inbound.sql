-- Whether other servers were told that a poll is over: they are told once.
ALTER TABLE polls ADD COLUMN told_closed BOOLEAN NOT NULL DEFAULT FALSE;
