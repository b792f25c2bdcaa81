-- totp_pending: a secret that was shown and not confirmed yet. totp_step: the
-- last step of time whose code was used, so that it counts once. Wrong codes
-- are counted since mfa_wrong_since.
ALTER TABLE users ADD COLUMN totp_pending    TEXT    NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp_step       INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN mfa_wrong       INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN mfa_wrong_since INTEGER;

-- What a right password is worth until the second factor follows: a token for
-- the app, or, with a redirect_uri, a code for it; without an app a session.
CREATE TABLE mfa_tokens (
  token_hash     TEXT PRIMARY KEY,
  account_id     TEXT    NOT NULL,
  app_id         INTEGER,
  scopes         TEXT    NOT NULL DEFAULT '',
  redirect_uri   TEXT    NOT NULL DEFAULT '',
  code_challenge TEXT    NOT NULL DEFAULT '',
  attempts       INTEGER NOT NULL DEFAULT 0,
  expires_at     INTEGER NOT NULL,
  created_at     INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX mfa_tokens_account ON mfa_tokens (account_id);
CREATE INDEX mfa_tokens_expires ON mfa_tokens (expires_at);

-- What an account leaves behind is found from both of its ends.
CREATE INDEX notifications_sender ON notifications (from_id, id);
CREATE INDEX mutes_target       ON mutes (target_id, account_id);
CREATE INDEX chats_recipient    ON chats (recipient_id, id);
CREATE INDEX media_attachments_account ON media_attachments (account_id, id);

-- Archives that people asked for of what they made. file is its name in the
-- media store, "" until it is made.
CREATE TABLE backups (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  file       TEXT NOT NULL DEFAULT '',
  size       INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);
CREATE INDEX backups_account ON backups (account_id, id);
CREATE INDEX backups_created ON backups (created_at);
CREATE INDEX backups_file    ON backups (file) WHERE file <> '';
CREATE TRIGGER backups_loose AFTER DELETE ON backups WHEN OLD.file <> ''
BEGIN
  INSERT INTO loose_files (name, since) VALUES (OLD.file, 0) ON CONFLICT (name) DO NOTHING;
END;
