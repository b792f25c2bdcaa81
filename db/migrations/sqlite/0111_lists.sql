-- What a file contains, SHA-256 as hexadecimal text; '' for one whose contents no
-- check has seen yet.
ALTER TABLE stored_files ADD COLUMN hash TEXT NOT NULL DEFAULT '';
