-- When a token's code was used, and the hash of the verifier that it was used with: a
-- browser that shows both again at once is no thief. NULL for tokens without a code and
-- older ones.
ALTER TABLE tokens ADD COLUMN code_used_at BIGINT;
ALTER TABLE tokens ADD COLUMN verifier_hash TEXT COLLATE "C";
