-- What a status of another server quotes, '' for nothing, and whether the quoted author's
-- server says that it may.
ALTER TABLE statuses ADD COLUMN quote_uri TEXT NOT NULL DEFAULT '';
ALTER TABLE statuses ADD COLUMN quote_stamped BOOLEAN NOT NULL DEFAULT FALSE;
