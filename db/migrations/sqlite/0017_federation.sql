-- What is to be sent to other servers, written in the transaction of what it
-- tells of. audience says for whom it is, until every inbox has a delivery.
CREATE TABLE activities (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  uri            TEXT    NOT NULL UNIQUE,
  account_id     TEXT    NOT NULL, -- who signs
  type           TEXT    NOT NULL,
  object_uri     TEXT    NOT NULL DEFAULT '',
  body           TEXT    NOT NULL,
  priority       INTEGER NOT NULL,
  audience       TEXT    NOT NULL,
  cursor         TEXT    NOT NULL DEFAULT '', -- how far the followers have got theirs
  distributed_at INTEGER,
  created_at     INTEGER NOT NULL
);
CREATE INDEX activities_undistributed ON activities (priority, id) WHERE distributed_at IS NULL;
CREATE INDEX activities_account       ON activities (account_id, id);
CREATE INDEX activities_object        ON activities (object_uri, id) WHERE object_uri <> '';

-- One for each inbox that an activity still has to reach; gone once it did, or
-- never will.
CREATE TABLE deliveries (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  activity_id INTEGER NOT NULL,
  inbox       TEXT    NOT NULL,
  host        TEXT    NOT NULL,
  body        TEXT    NOT NULL DEFAULT '', -- where this inbox gets one of its own
  object_uri  TEXT    NOT NULL DEFAULT '',
  priority    INTEGER NOT NULL,
  attempt     INTEGER NOT NULL DEFAULT 0,
  next_at     INTEGER NOT NULL,
  claimed_by  TEXT    NOT NULL DEFAULT '',
  error       TEXT    NOT NULL DEFAULT '',
  created_at  INTEGER NOT NULL,
  UNIQUE (activity_id, inbox)
);
CREATE INDEX deliveries_host  ON deliveries (host, priority, id);
CREATE INDEX deliveries_inbox ON deliveries (inbox, object_uri, id);

ALTER TABLE instances ADD COLUMN failures INTEGER NOT NULL DEFAULT 0; -- in a row
ALTER TABLE instances ADD COLUMN retry_at INTEGER;                    -- no delivery before
ALTER TABLE instances ADD COLUMN last_error TEXT NOT NULL DEFAULT '';
ALTER TABLE instances ADD COLUMN last_error_at INTEGER;
ALTER TABLE instances ADD COLUMN delivered_at INTEGER;                -- the last success
ALTER TABLE instances ADD COLUMN heard_at INTEGER;                    -- the last valid signature
ALTER TABLE instances ADD COLUMN knock TEXT NOT NULL DEFAULT '';      -- the signatures it takes: cavage, rfc9421

-- The inboxes that posts of an account ever reached: who is told of a deletion.
CREATE TABLE reached (
  account_id TEXT    NOT NULL,
  inbox      TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  PRIMARY KEY (account_id, inbox)
) WITHOUT ROWID;

-- The servers that asked for a post by themselves.
CREATE TABLE fetchers (
  status_id TEXT NOT NULL,
  inbox     TEXT NOT NULL,
  PRIMARY KEY (status_id, inbox)
) WITHOUT ROWID;

-- What other servers sent, until it is worked off.
CREATE TABLE inbox_items (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  signer_id   TEXT    NOT NULL, -- account
  actor       TEXT    NOT NULL, -- as it says
  host        TEXT    NOT NULL, -- the signer's
  owner_id    TEXT    NOT NULL DEFAULT '', -- whose inbox; '' is the shared one
  body        BLOB    NOT NULL,
  attempt     INTEGER NOT NULL DEFAULT 0,
  next_at     INTEGER NOT NULL,
  claimed_by  TEXT    NOT NULL DEFAULT '',
  error       TEXT    NOT NULL DEFAULT '',
  received_at INTEGER NOT NULL
);
CREATE INDEX inbox_items_next ON inbox_items (next_at, id) WHERE claimed_by = '';

-- The activities that were worked off: none counts twice.
CREATE TABLE seen_activities (
  uri     TEXT PRIMARY KEY,
  seen_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX seen_activities_at ON seen_activities (seen_at);

-- What was undone or deleted before it came: kept for hours, so that it is
-- dropped when it comes. actor is who undid it.
CREATE TABLE undone (
  uri     TEXT    NOT NULL,
  actor   TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (uri, actor)
) WITHOUT ROWID;
CREATE INDEX undone_at ON undone (at);

CREATE INDEX accounts_key           ON accounts (key_id) WHERE key_id <> '';
CREATE INDEX follows_remote         ON follows (target_id, follower_id) WHERE NOT local;
CREATE INDEX follows_uri            ON follows (uri) WHERE uri <> '';
CREATE INDEX favourites_uri         ON favourites (uri) WHERE uri <> '';
CREATE INDEX statuses_in_reply_uri  ON statuses (in_reply_to_uri) WHERE in_reply_to_uri <> '' AND in_reply_to_id IS NULL;
