-- Invites that somebody revoked, which are no longer told as used up. Of those from
-- before it is not known.
ALTER TABLE invites ADD COLUMN revoked BOOLEAN NOT NULL DEFAULT FALSE;
