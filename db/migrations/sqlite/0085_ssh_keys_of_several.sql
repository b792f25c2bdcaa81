-- A key may be named by several accounts: who names it first proves nothing. The
-- unique hash is that of a key for its account from now on. Rows of the version
-- before have the hash of the key in it, and no other.
ALTER TABLE ssh_keys ADD COLUMN key_hash TEXT;
UPDATE ssh_keys SET key_hash = hash;
CREATE UNIQUE INDEX ssh_keys_key ON ssh_keys (key_hash, account_id);
