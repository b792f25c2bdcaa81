-- Posts of other servers that may quote one of this server.
CREATE TABLE quotes (
  id         TEXT    NOT NULL PRIMARY KEY, -- a UUID, the end of the authorization's address
  status_id  TEXT    NOT NULL,
  account_id TEXT    NOT NULL, -- who quotes
  object_uri TEXT    NOT NULL, -- the post that quotes
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX quotes_once ON quotes (status_id, account_id, object_uri);
CREATE INDEX quotes_account ON quotes (account_id);
