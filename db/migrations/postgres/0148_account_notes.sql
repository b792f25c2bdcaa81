-- Notes about accounts, which nobody but their writers sees.
CREATE TABLE account_notes (
  account_id TEXT COLLATE "C" NOT NULL,
  target_id  TEXT COLLATE "C" NOT NULL,
  comment    TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  PRIMARY KEY (account_id, target_id)
);
CREATE INDEX account_notes_target ON account_notes (target_id, account_id);
