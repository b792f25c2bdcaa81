-- How many mails of a kind a mailbox was sent, since the first of them, because
-- somebody asked for them.
CREATE TABLE mail_counts (
  mailbox TEXT    NOT NULL, -- the address in lower case
  kind    TEXT    NOT NULL,
  since   INTEGER NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (mailbox, kind)
) WITHOUT ROWID;
CREATE INDEX mail_counts_since ON mail_counts (since);

-- Links to confirm an address work for seven days.
UPDATE mail_tokens SET expires_at = created_at + 604800000000 WHERE purpose = 'confirmation' AND expires_at IS NULL;

-- used: somebody signed in with the app, or it was still in use a day after it
-- was registered, or an admin made it. Others are removed in time; what was there
-- before counts as used. sealed: client_secret is sealed, as all become.
ALTER TABLE apps ADD COLUMN used   BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE apps ADD COLUMN sealed BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX apps_unused ON apps (created_at) WHERE NOT used;
CREATE INDEX apps_clear  ON apps (id) WHERE NOT sealed;

-- The tokens that apps have of their own, of which each keeps the newest.
CREATE INDEX tokens_own ON tokens (app_id, id) WHERE account_id IS NULL;
