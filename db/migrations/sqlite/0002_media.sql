-- file is the name in the store of a file kept here, size its bytes. mascot: it
-- stands beside its owner's screen and belongs to no status.
ALTER TABLE media_attachments ADD COLUMN file TEXT NOT NULL DEFAULT '';
ALTER TABLE media_attachments ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE media_attachments ADD COLUMN mascot BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX media_attachments_unused ON media_attachments (created_at) WHERE status_id IS NULL AND NOT mascot;
CREATE INDEX media_attachments_mascot ON media_attachments (account_id) WHERE mascot;
CREATE INDEX media_attachments_file   ON media_attachments (file) WHERE file <> '';

-- Pictures of local accounts are files kept here too.
CREATE INDEX accounts_avatar     ON accounts (avatar) WHERE local AND avatar <> '';
CREATE INDEX accounts_header     ON accounts (header) WHERE local AND header <> '';
CREATE INDEX accounts_background ON accounts (background) WHERE local AND background <> '';

-- Files that perhaps no row names: those just stored, and those that a row
-- named which is gone. with_status: it went with its status. doomed_at: somebody
-- is removing the file.
CREATE TABLE loose_files (
  name        TEXT PRIMARY KEY,
  since       INTEGER NOT NULL,
  with_status BOOLEAN NOT NULL DEFAULT FALSE,
  doomed_at   INTEGER
) WITHOUT ROWID;
CREATE INDEX loose_files_since ON loose_files (with_status, since);

CREATE TRIGGER media_attachments_loose AFTER DELETE ON media_attachments WHEN OLD.file <> ''
BEGIN
  INSERT INTO loose_files (name, since, with_status) VALUES (OLD.file, 0, OLD.status_id IS NOT NULL)
    ON CONFLICT (name) DO UPDATE SET with_status = loose_files.with_status OR excluded.with_status;
END;
CREATE TRIGGER accounts_loose AFTER UPDATE OF avatar, header, background ON accounts
  WHEN OLD.local AND (OLD.avatar <> NEW.avatar OR OLD.header <> NEW.header OR OLD.background <> NEW.background)
BEGIN
  INSERT INTO loose_files (name, since)
    SELECT substr(url, 8), 0 FROM (SELECT OLD.avatar AS url UNION SELECT OLD.header UNION SELECT OLD.background) AS pictures
    WHERE url LIKE '/media/%' AND url NOT IN (NEW.avatar, NEW.header, NEW.background)
    ON CONFLICT (name) DO NOTHING;
END;
CREATE TRIGGER accounts_loose_delete AFTER DELETE ON accounts WHEN OLD.local
BEGIN
  INSERT INTO loose_files (name, since)
    SELECT substr(url, 8), 0 FROM (SELECT OLD.avatar AS url UNION SELECT OLD.header UNION SELECT OLD.background) AS pictures
    WHERE url LIKE '/media/%'
    ON CONFLICT (name) DO NOTHING;
END;

-- Remote files that the media proxy does not fetch.
CREATE TABLE media_bans (
  url        TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
