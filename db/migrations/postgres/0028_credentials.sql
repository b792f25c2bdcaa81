-- credential_version counts the changes to what a user signs in with: what was
-- proven against an older one is worth nothing.
ALTER TABLE users ADD COLUMN credential_version BIGINT NOT NULL DEFAULT 0;

-- code_hash: the code that a token came of, kept when it is refreshed. A code
-- that comes again ends what it gave (RFC 6749, 4.1.2).
ALTER TABLE tokens ADD COLUMN code_hash TEXT COLLATE "C";
CREATE INDEX tokens_code ON tokens (code_hash) WHERE code_hash IS NOT NULL;

-- browser: the hash of a cookie of the browser in which the password was given,
-- '' for an app. The second factor is taken from there alone.
ALTER TABLE mfa_tokens ADD COLUMN browser TEXT COLLATE "C" NOT NULL DEFAULT '';
