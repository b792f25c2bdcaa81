-- Who is told of what an author posts.
CREATE TABLE subscriptions (
  account_id TEXT    NOT NULL,
  target_id  TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, target_id)
) WITHOUT ROWID;
CREATE INDEX subscriptions_target ON subscriptions (target_id, account_id);

-- A local account's exchange with one other. unread counts its unread entries;
-- last_message_id is its newest entry, '' for none.
CREATE TABLE chats (
  id              TEXT PRIMARY KEY,
  account_id      TEXT    NOT NULL,
  recipient_id    TEXT    NOT NULL,
  unread          INTEGER NOT NULL DEFAULT 0,
  last_message_id TEXT    NOT NULL DEFAULT '',
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  UNIQUE (account_id, recipient_id)
) WITHOUT ROWID;
CREATE INDEX chats_recent ON chats (account_id, updated_at, id);

-- A message, whose file is kept as that of the status with its id would be.
CREATE TABLE chat_messages (
  id              TEXT PRIMARY KEY,
  uri             TEXT    NOT NULL UNIQUE,
  account_id      TEXT    NOT NULL,
  recipient_id    TEXT    NOT NULL,
  text            TEXT    NOT NULL DEFAULT '',
  content         TEXT    NOT NULL DEFAULT '',
  emojis          TEXT    NOT NULL DEFAULT '[]',
  has_media       BOOLEAN NOT NULL DEFAULT FALSE,
  idempotency_key TEXT    NOT NULL DEFAULT '',
  created_at      INTEGER NOT NULL
) WITHOUT ROWID;

-- A message as it stands in one chat: that of its author, and that of its
-- recipient.
CREATE TABLE chat_entries (
  chat_id    TEXT    NOT NULL,
  message_id TEXT    NOT NULL,
  unread     BOOLEAN NOT NULL DEFAULT FALSE,
  PRIMARY KEY (chat_id, message_id)
) WITHOUT ROWID;
CREATE INDEX chat_entries_message ON chat_entries (message_id, chat_id);
CREATE INDEX chat_entries_unread  ON chat_entries (chat_id, message_id) WHERE unread;

-- message_id: of the chat message told of. target_id: where the sender moved.
ALTER TABLE notifications ADD COLUMN message_id TEXT NOT NULL DEFAULT '';
ALTER TABLE notifications ADD COLUMN target_id TEXT NOT NULL DEFAULT '';
DROP INDEX notifications_once;
CREATE UNIQUE INDEX notifications_once ON notifications (account_id, type, from_id, status_id, report_id, emoji, message_id, target_id);
CREATE INDEX notifications_message ON notifications (message_id) WHERE message_id <> '';
-- What is listed unless another kind is asked for; one kind; those of one sender.
CREATE INDEX notifications_listed ON notifications (account_id, id)
  WHERE NOT hidden AND type <> 'svc:chat_mention' AND type <> 'svc:report';
CREATE INDEX notifications_type ON notifications (account_id, type, id);
CREATE INDEX notifications_from ON notifications (account_id, from_id, id);
DROP INDEX notifications_unseen;
CREATE INDEX notifications_unseen ON notifications (account_id, id) WHERE NOT seen;

-- How far somebody has read a timeline; version counts the changes.
CREATE TABLE markers (
  account_id   TEXT    NOT NULL,
  timeline     TEXT    NOT NULL,
  last_read_id TEXT    NOT NULL,
  version      INTEGER NOT NULL DEFAULT 1,
  updated_at   INTEGER NOT NULL,
  PRIMARY KEY (account_id, timeline)
) WITHOUT ROWID;

-- What somebody has listened to.
CREATE TABLE scrobbles (
  id         TEXT PRIMARY KEY,
  account_id TEXT    NOT NULL,
  title      TEXT    NOT NULL,
  artist     TEXT    NOT NULL DEFAULT '',
  album      TEXT    NOT NULL DEFAULT '',
  length     INTEGER,
  visibility TEXT    NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX scrobbles_account ON scrobbles (account_id, id);
CREATE INDEX scrobbles_public  ON scrobbles (account_id, id) WHERE visibility = 'public' OR visibility = 'unlisted';

-- What happened here in each week, from Monday on, since 1970: as far as it was
-- counted.
CREATE TABLE activity_weeks (
  week          INTEGER PRIMARY KEY,
  statuses      INTEGER NOT NULL DEFAULT 0,
  logins        INTEGER NOT NULL DEFAULT 0,
  registrations INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX instances_unreachable ON instances (unreachable_since) WHERE unreachable_since IS NOT NULL;
