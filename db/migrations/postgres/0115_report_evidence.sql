-- What a report keeps of a status. version is the status's version in the copy:
-- another one may have other content. deletion: author, moderator (deleted_by),
-- account or server. closed_at is set while a copy outlives its report.
ALTER TABLE report_statuses ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE report_statuses ADD COLUMN deleted_at BIGINT;
ALTER TABLE report_statuses ADD COLUMN deletion TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE report_statuses ADD COLUMN deleted_by TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE report_statuses ADD COLUMN closed_at BIGINT;
CREATE INDEX report_statuses_closed ON report_statuses (closed_at) WHERE closed_at IS NOT NULL;

-- The stored files of reported statuses: each stays as long as the copy.
CREATE TABLE report_files (
  report_id TEXT COLLATE "C" NOT NULL,
  status_id TEXT COLLATE "C" NOT NULL,
  file      TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (report_id, status_id, file)
);
CREATE INDEX report_files_file ON report_files (file);
-- A file whose status is gone does not become public again: it goes with the copy.
CREATE FUNCTION report_files_loose() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM media_attachments WHERE file <> '' AND file = OLD.file) THEN
    INSERT INTO loose_files (name, since) VALUES (OLD.file, 0)
      ON CONFLICT (name) DO UPDATE SET with_status = FALSE;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER report_files_loose AFTER DELETE ON report_files
  FOR EACH ROW EXECUTE FUNCTION report_files_loose();
