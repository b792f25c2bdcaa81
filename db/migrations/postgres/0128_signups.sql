-- When the link mailed to a user's address was opened, or an admin took the address as
-- confirmed; NULL if nobody did, and for users of before.
ALTER TABLE users ADD COLUMN email_confirmed_at BIGINT;
-- The invite that the user registered with, NULL for none.
ALTER TABLE users ADD COLUMN invite_id BIGINT;
-- The users of an invite. No row has one yet.
CREATE INDEX users_invite ON users (invite_id, account_id) WHERE invite_id IS NOT NULL;
