-- totp_pending: a secret that was shown and not confirmed yet. totp_step: the
-- last step of time whose code was used, so that it counts once. Wrong codes
-- are counted since mfa_wrong_since.
ALTER TABLE users ADD COLUMN totp_pending    TEXT COLLATE "C"    NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN totp_step       BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN mfa_wrong       BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN mfa_wrong_since BIGINT;

-- What a right password is worth until the second factor follows: a token for
-- the app, or, with a redirect_uri, a code for it; without an app a session.
CREATE TABLE mfa_tokens (
  token_hash     TEXT COLLATE "C" PRIMARY KEY,
  account_id     TEXT COLLATE "C"    NOT NULL,
  app_id         BIGINT,
  scopes         TEXT COLLATE "C"    NOT NULL DEFAULT '',
  redirect_uri   TEXT COLLATE "C"    NOT NULL DEFAULT '',
  code_challenge TEXT COLLATE "C"    NOT NULL DEFAULT '',
  attempts       BIGINT NOT NULL DEFAULT 0,
  expires_at     BIGINT NOT NULL,
  created_at     BIGINT NOT NULL
);
CREATE INDEX mfa_tokens_account ON mfa_tokens (account_id);
CREATE INDEX mfa_tokens_expires ON mfa_tokens (expires_at);

-- What an account leaves behind is found from both of its ends.
CREATE INDEX notifications_sender ON notifications (from_id, id);
CREATE INDEX mutes_target       ON mutes (target_id, account_id);
CREATE INDEX chats_recipient    ON chats (recipient_id, id);
CREATE INDEX media_attachments_account ON media_attachments (account_id, id);
