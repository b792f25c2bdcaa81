-- The reported account as it was, a CopiedAccount as JSON. closed_at is set while the
-- copy outlives its report.
CREATE TABLE report_accounts (
  report_id TEXT PRIMARY KEY,
  copy      TEXT NOT NULL,
  closed_at INTEGER
) WITHOUT ROWID;
CREATE INDEX report_accounts_closed ON report_accounts (closed_at) WHERE closed_at IS NOT NULL;

-- The address of a file of another server that was fetched for a report; empty for a
-- file of this one.
ALTER TABLE report_files ADD COLUMN source TEXT NOT NULL DEFAULT '';
