-- What a process works off of the queue, and what waits of one server.
CREATE INDEX inbox_items_claimed ON inbox_items (claimed_by) WHERE claimed_by <> '';
CREATE INDEX inbox_items_host    ON inbox_items (host);

-- When an account last moved away: it may not again for a while.
CREATE TABLE moves (
  account_id TEXT PRIMARY KEY,
  target_id  TEXT    NOT NULL,
  at         INTEGER NOT NULL
) WITHOUT ROWID;
