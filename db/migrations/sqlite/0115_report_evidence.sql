-- What a report keeps of a status. version is the status's version in the copy:
-- another one may have other content. deletion: author, moderator (deleted_by),
-- account or server. closed_at is set while a copy outlives its report.
ALTER TABLE report_statuses ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE report_statuses ADD COLUMN deleted_at INTEGER;
ALTER TABLE report_statuses ADD COLUMN deletion TEXT NOT NULL DEFAULT '';
ALTER TABLE report_statuses ADD COLUMN deleted_by TEXT NOT NULL DEFAULT '';
ALTER TABLE report_statuses ADD COLUMN closed_at INTEGER;
CREATE INDEX report_statuses_closed ON report_statuses (closed_at) WHERE closed_at IS NOT NULL;

-- The stored files of reported statuses: each stays as long as the copy.
CREATE TABLE report_files (
  report_id TEXT NOT NULL,
  status_id TEXT NOT NULL,
  file      TEXT NOT NULL,
  PRIMARY KEY (report_id, status_id, file)
) WITHOUT ROWID;
CREATE INDEX report_files_file ON report_files (file);
-- A file whose status is gone does not become public again: it goes with the copy.
CREATE TRIGGER report_files_loose AFTER DELETE ON report_files
  WHEN NOT EXISTS (SELECT 1 FROM media_attachments WHERE file <> '' AND file = OLD.file)
BEGIN
  INSERT INTO loose_files (name, since) VALUES (OLD.file, 0)
    ON CONFLICT (name) DO UPDATE SET with_status = FALSE;
END;
