-- Notes about accounts, which nobody but their writers sees.
CREATE TABLE account_notes (
  account_id TEXT    NOT NULL,
  target_id  TEXT    NOT NULL,
  comment    TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, target_id)
) WITHOUT ROWID;
CREATE INDEX account_notes_target ON account_notes (target_id, account_id);
