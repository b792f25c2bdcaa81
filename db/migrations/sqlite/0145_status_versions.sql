-- The poll of a former version of a status. Its options are there already; versions from
-- before have no number and count as polls with one choice and without an end.
ALTER TABLE status_edits ADD COLUMN poll_id INTEGER;
ALTER TABLE status_edits ADD COLUMN multiple BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE status_edits ADD COLUMN poll_expires_at INTEGER;
-- A file that an edit took out of its status: its history still shows it.
ALTER TABLE media_attachments ADD COLUMN former BOOLEAN NOT NULL DEFAULT FALSE;
