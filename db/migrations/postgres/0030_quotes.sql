-- Posts of other servers that may quote one of this server.
CREATE TABLE quotes (
  id         TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- a UUID, the end of the authorization's address
  status_id  TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL, -- who quotes
  object_uri TEXT COLLATE "C" NOT NULL, -- the post that quotes
  created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX quotes_once ON quotes (status_id, account_id, object_uri);
CREATE INDEX quotes_account ON quotes (account_id);
