-- Times are integers: microseconds since 1970 UTC. JSON is text. Ids are flake
-- strings compared bytewise, which is SQLite's default.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE accounts (
  serial                  INTEGER PRIMARY KEY AUTOINCREMENT,
  id                      TEXT    NOT NULL UNIQUE,
  version                 INTEGER NOT NULL DEFAULT 1,
  uri                     TEXT    NOT NULL UNIQUE,
  url                     TEXT    NOT NULL DEFAULT '',
  nickname                TEXT    NOT NULL,
  nickname_key            TEXT    NOT NULL UNIQUE,
  domain                  TEXT    NOT NULL DEFAULT '',
  local                   BOOLEAN NOT NULL,
  actor_type              TEXT    NOT NULL DEFAULT 'Person',
  display_name            TEXT    NOT NULL DEFAULT '',
  display_name_key        TEXT    NOT NULL DEFAULT '',
  note                    TEXT    NOT NULL DEFAULT '',
  note_html               TEXT    NOT NULL DEFAULT '',
  fields                  TEXT    NOT NULL DEFAULT '[]',
  fields_html             TEXT    NOT NULL DEFAULT '[]',
  emojis                  TEXT    NOT NULL DEFAULT '[]',
  tags                    TEXT    NOT NULL DEFAULT '[]',
  avatar                  TEXT    NOT NULL DEFAULT '',
  header                  TEXT    NOT NULL DEFAULT '',
  background              TEXT    NOT NULL DEFAULT '',
  inbox                   TEXT    NOT NULL DEFAULT '',
  shared_inbox            TEXT    NOT NULL DEFAULT '',
  outbox                  TEXT    NOT NULL DEFAULT '',
  followers_uri           TEXT    NOT NULL DEFAULT '',
  following_uri           TEXT    NOT NULL DEFAULT '',
  featured_uri            TEXT    NOT NULL DEFAULT '',
  key_id                  TEXT    NOT NULL DEFAULT '',
  public_key              TEXT    NOT NULL DEFAULT '',
  also_known_as           TEXT    NOT NULL DEFAULT '[]',
  moved_to                TEXT    NOT NULL DEFAULT '',
  locked                  BOOLEAN NOT NULL DEFAULT FALSE,
  discoverable            BOOLEAN NOT NULL DEFAULT FALSE,
  deactivated             BOOLEAN NOT NULL DEFAULT FALSE,
  invisible               BOOLEAN NOT NULL DEFAULT FALSE,
  is_admin                BOOLEAN NOT NULL DEFAULT FALSE,
  is_moderator            BOOLEAN NOT NULL DEFAULT FALSE,
  show_role               BOOLEAN NOT NULL DEFAULT TRUE,
  confirmation_pending    BOOLEAN NOT NULL DEFAULT FALSE,
  approval_pending        BOOLEAN NOT NULL DEFAULT FALSE,
  hide_favourites         BOOLEAN NOT NULL DEFAULT TRUE,
  hide_followers          BOOLEAN NOT NULL DEFAULT FALSE,
  hide_follows            BOOLEAN NOT NULL DEFAULT FALSE,
  hide_followers_count    BOOLEAN NOT NULL DEFAULT FALSE,
  hide_follows_count      BOOLEAN NOT NULL DEFAULT FALSE,
  allow_following_move    BOOLEAN NOT NULL DEFAULT TRUE,
  accepts_chat_messages   BOOLEAN,
  no_rich_text            BOOLEAN NOT NULL DEFAULT FALSE,
  skip_thread_containment BOOLEAN NOT NULL DEFAULT TRUE,
  default_scope           TEXT    NOT NULL DEFAULT 'public',
  default_sensitive       BOOLEAN NOT NULL DEFAULT FALSE,
  default_language        TEXT    NOT NULL DEFAULT '',
  followers_count         INTEGER NOT NULL DEFAULT 0,
  following_count         INTEGER NOT NULL DEFAULT 0,
  statuses_count          INTEGER NOT NULL DEFAULT 0,
  last_status_at          INTEGER,
  created_at              INTEGER NOT NULL,
  updated_at              INTEGER NOT NULL,
  fetched_at              INTEGER,
  -- Which of the admin lists' filters the account falls under, one bit each:
  -- 1 local, 2 deactivated, 4 approval pending, 8 confirmation pending,
  -- 16 admin, 32 moderator, 64 never listed.
  mask                    INTEGER GENERATED ALWAYS AS (
    (CASE WHEN local THEN 1 ELSE 0 END) | (CASE WHEN deactivated THEN 2 ELSE 0 END) |
    (CASE WHEN approval_pending THEN 4 ELSE 0 END) | (CASE WHEN confirmation_pending THEN 8 ELSE 0 END) |
    (CASE WHEN is_admin THEN 16 ELSE 0 END) | (CASE WHEN is_moderator THEN 32 ELSE 0 END) |
    (CASE WHEN invisible OR nickname_key = '' OR nickname_key LIKE 'internal.%' THEN 64 ELSE 0 END)) VIRTUAL
);
CREATE INDEX accounts_domain      ON accounts (domain) WHERE NOT local;
-- The admin list goes by nickname_key. The first three hold all that it asks
-- about an account, so that rows are read of the page alone; the others are of
-- kinds that are few.
CREATE INDEX accounts_listed      ON accounts (nickname_key, local, deactivated, approval_pending, invisible, actor_type,
  display_name_key, serial);
CREATE INDEX accounts_local       ON accounts (nickname_key, local, deactivated, approval_pending, invisible, serial) WHERE local;
CREATE INDEX accounts_external    ON accounts (nickname_key, local, deactivated, approval_pending, invisible, serial) WHERE NOT local;
CREATE INDEX accounts_deactivated ON accounts (nickname_key) WHERE deactivated;
CREATE INDEX accounts_approval    ON accounts (nickname_key) WHERE approval_pending;
CREATE INDEX accounts_unconfirmed ON accounts (nickname_key) WHERE confirmation_pending;
CREATE INDEX accounts_admin       ON accounts (nickname_key) WHERE is_admin;
CREATE INDEX accounts_moderator   ON accounts (nickname_key) WHERE is_moderator;

-- A row's version changes with every update, so that what was rendered from an
-- older one is never served, in this process or another.
CREATE TRIGGER accounts_version AFTER UPDATE ON accounts WHEN NEW.version = OLD.version
BEGIN
  UPDATE accounts SET version = OLD.version + 1 WHERE serial = OLD.serial;
END;

-- How many accounts have which mask: the admin list's count without counting.
CREATE TABLE account_tallies (
  mask INTEGER PRIMARY KEY,
  n    INTEGER NOT NULL
);
CREATE TRIGGER accounts_tally_insert AFTER INSERT ON accounts
BEGIN
  INSERT INTO account_tallies (mask, n) VALUES (NEW.mask, 1) ON CONFLICT (mask) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER accounts_tally_delete AFTER DELETE ON accounts
BEGIN
  UPDATE account_tallies SET n = n - 1 WHERE mask = OLD.mask;
END;
CREATE TRIGGER accounts_tally_update AFTER UPDATE ON accounts WHEN NEW.mask <> OLD.mask
BEGIN
  UPDATE account_tallies SET n = n - 1 WHERE mask = OLD.mask;
  INSERT INTO account_tallies (mask, n) VALUES (NEW.mask, 1) ON CONFLICT (mask) DO UPDATE SET n = n + 1;
END;

CREATE TABLE account_tags (
  tag        TEXT NOT NULL,
  account_id TEXT NOT NULL,
  PRIMARY KEY (tag, account_id)
) WITHOUT ROWID;

-- Credentials stand apart from accounts, so that loading an account cannot
-- load them.
CREATE TABLE users (
  account_id                 TEXT PRIMARY KEY,
  email                      TEXT    NOT NULL DEFAULT '',
  email_key                  TEXT    UNIQUE,
  password_hash              TEXT    NOT NULL,
  registration_reason        TEXT    NOT NULL DEFAULT '',
  password_reset_pending     BOOLEAN NOT NULL DEFAULT FALSE,
  totp_secret                TEXT    NOT NULL DEFAULT '',
  totp_enabled               BOOLEAN NOT NULL DEFAULT FALSE,
  backup_codes               TEXT    NOT NULL DEFAULT '[]',
  settings_store             TEXT    NOT NULL DEFAULT '{}',
  block_from_strangers       BOOLEAN NOT NULL DEFAULT FALSE,
  hide_notification_contents BOOLEAN NOT NULL DEFAULT FALSE,
  created_at                 INTEGER NOT NULL,
  totp_pending               TEXT NOT NULL DEFAULT '',
  totp_step                  INTEGER NOT NULL DEFAULT 0,
  mfa_wrong                  INTEGER NOT NULL DEFAULT 0,
  mfa_wrong_since            INTEGER,
  credential_version         INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE keys (
  account_id  TEXT PRIMARY KEY,
  private_key TEXT NOT NULL,
  previous_key TEXT NOT NULL DEFAULT '',
  rotated_at  INTEGER
) WITHOUT ROWID;

CREATE TABLE instances (
  host              TEXT PRIMARY KEY,
  created_at        INTEGER NOT NULL,
  unreachable_since INTEGER,
  software          TEXT NOT NULL DEFAULT '',
  favicon           TEXT NOT NULL DEFAULT '',
  failures          INTEGER NOT NULL DEFAULT 0, -- in a row
  retry_at          INTEGER, -- no delivery before
  last_error        TEXT NOT NULL DEFAULT '',
  last_error_at     INTEGER,
  delivered_at      INTEGER, -- the last success
  heard_at          INTEGER, -- the last valid signature
  knock             TEXT NOT NULL DEFAULT '', -- the signatures it takes: cavage, rfc9421
  asked_at          INTEGER
) WITHOUT ROWID;

-- One per thread: the ActivityPub context.
CREATE TABLE conversations (
  id  INTEGER PRIMARY KEY AUTOINCREMENT,
  uri TEXT NOT NULL UNIQUE
);

CREATE TABLE statuses (
  id                     TEXT PRIMARY KEY,
  version                INTEGER NOT NULL DEFAULT 1,
  account_id             TEXT    NOT NULL,
  uri                    TEXT,
  url                    TEXT    NOT NULL DEFAULT '',
  local                  BOOLEAN NOT NULL,
  visibility             TEXT    NOT NULL,
  list_id                INTEGER,
  conversation_id        INTEGER,
  in_reply_to_id         TEXT,
  in_reply_to_account_id TEXT,
  in_reply_to_uri        TEXT    NOT NULL DEFAULT '',
  reblog_of_id           TEXT,
  reblog_of_account_id   TEXT,
  text                   TEXT    NOT NULL DEFAULT '',
  content_type           TEXT    NOT NULL DEFAULT 'text/plain',
  content                TEXT    NOT NULL DEFAULT '',
  spoiler_text           TEXT    NOT NULL DEFAULT '',
  language               TEXT    NOT NULL DEFAULT '',
  sensitive              BOOLEAN NOT NULL DEFAULT FALSE,
  has_media              BOOLEAN NOT NULL DEFAULT FALSE,
  mentions               TEXT    NOT NULL DEFAULT '[]',
  tags                   TEXT    NOT NULL DEFAULT '[]',
  emojis                 TEXT    NOT NULL DEFAULT '[]',
  to_uris                TEXT    NOT NULL DEFAULT '[]',
  cc_uris                TEXT    NOT NULL DEFAULT '[]',
  application_name       TEXT    NOT NULL DEFAULT '',
  application_website    TEXT    NOT NULL DEFAULT '',
  replies_count          INTEGER NOT NULL DEFAULT 0,
  reblogs_count          INTEGER NOT NULL DEFAULT 0,
  favourites_count       INTEGER NOT NULL DEFAULT 0,
  created_at             INTEGER NOT NULL,
  edited_at              INTEGER,
  expires_at             INTEGER,
  pinned_at              INTEGER,
  -- Where a remote status comes from: the host of its URI, with its port.
  host                   TEXT GENERATED ALWAYS AS (CASE WHEN local OR uri IS NULL THEN '' ELSE
    substr(substr(uri, instr(uri, '://') + 3), 1, instr(substr(uri, instr(uri, '://') + 3) || '/', '/') - 1) END) VIRTUAL,
  reactions              TEXT NOT NULL DEFAULT '[]',
  poll_id                INTEGER,
  card_id                INTEGER
) WITHOUT ROWID;
CREATE UNIQUE INDEX statuses_uri    ON statuses (uri) WHERE uri IS NOT NULL;
CREATE INDEX statuses_account       ON statuses (account_id, id);
CREATE INDEX statuses_public        ON statuses (id) WHERE visibility = 'public' AND reblog_of_id IS NULL;
CREATE INDEX statuses_public_local  ON statuses (id) WHERE visibility = 'public' AND reblog_of_id IS NULL AND local;
-- The first two hold what the admin's lists ask, the condition of the index
-- included: SQLite would look it up in the row.
CREATE INDEX statuses_posts         ON statuses (id, visibility, account_id, reblog_of_id) WHERE reblog_of_id IS NULL;
CREATE INDEX statuses_local         ON statuses (id, visibility, account_id, reblog_of_id, reblog_of_account_id, local) WHERE local;
CREATE INDEX statuses_host          ON statuses (host, id) WHERE NOT local;
CREATE INDEX statuses_conversation  ON statuses (conversation_id, id) WHERE conversation_id IS NOT NULL;
CREATE INDEX statuses_in_reply_to   ON statuses (in_reply_to_id, id) WHERE in_reply_to_id IS NOT NULL;
CREATE UNIQUE INDEX statuses_reblog ON statuses (reblog_of_id, account_id) WHERE reblog_of_id IS NOT NULL;
CREATE INDEX statuses_reblogs       ON statuses (reblog_of_id, id) WHERE reblog_of_id IS NOT NULL;
CREATE INDEX statuses_pinned        ON statuses (account_id, id) WHERE pinned_at IS NOT NULL;
CREATE INDEX statuses_expires       ON statuses (expires_at) WHERE expires_at IS NOT NULL;

CREATE TRIGGER statuses_version AFTER UPDATE ON statuses WHEN NEW.version = OLD.version
BEGIN
  UPDATE statuses SET version = OLD.version + 1 WHERE id = OLD.id;
END;

-- Whom a status is addressed to by name. mentioned: shown among its mentions.
CREATE TABLE status_recipients (
  status_id  TEXT    NOT NULL,
  account_id TEXT    NOT NULL,
  mentioned  BOOLEAN NOT NULL,
  PRIMARY KEY (status_id, account_id)
) WITHOUT ROWID;
CREATE INDEX status_recipients_account ON status_recipients (account_id, status_id);

CREATE TABLE status_tags (
  tag       TEXT NOT NULL,
  status_id TEXT NOT NULL,
  PRIMARY KEY (tag, status_id)
) WITHOUT ROWID;

CREATE TABLE media_attachments (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id  TEXT    NOT NULL,
  status_id   TEXT,
  position    INTEGER NOT NULL DEFAULT 0,
  type        TEXT    NOT NULL,
  url         TEXT    NOT NULL,
  remote_url  TEXT    NOT NULL DEFAULT '',
  preview_url TEXT    NOT NULL DEFAULT '',
  description TEXT    NOT NULL DEFAULT '',
  mime_type   TEXT    NOT NULL DEFAULT '',
  blurhash    TEXT    NOT NULL DEFAULT '',
  created_at  INTEGER NOT NULL,
  file        TEXT NOT NULL DEFAULT '',
  size        INTEGER NOT NULL DEFAULT 0,
  mascot      BOOLEAN NOT NULL DEFAULT FALSE,
  scheduled_status_id INTEGER
);
CREATE INDEX media_attachments_status ON media_attachments (status_id, position) WHERE status_id IS NOT NULL;

-- What was deleted keeps its URI, so that it is not stored again.
CREATE TABLE tombstones (
  uri         TEXT PRIMARY KEY,
  former_type TEXT    NOT NULL,
  account_id  TEXT    NOT NULL,
  deleted_at  INTEGER NOT NULL
) WITHOUT ROWID;

-- A local account's home timeline. why: 1 follows the author, 2 addressed, 3 own.
CREATE TABLE home_entries (
  account_id TEXT    NOT NULL,
  status_id  TEXT    NOT NULL,
  author_id  TEXT    NOT NULL,
  why        INTEGER NOT NULL,
  PRIMARY KEY (account_id, status_id)
) WITHOUT ROWID;

CREATE TABLE favourites (
  account_id TEXT    NOT NULL,
  status_id  TEXT    NOT NULL,
  id         TEXT    NOT NULL UNIQUE,
  uri        TEXT    NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, status_id)
) WITHOUT ROWID;
CREATE INDEX favourites_status ON favourites (status_id, id);

CREATE TABLE follows (
  follower_id TEXT    NOT NULL,
  target_id   TEXT    NOT NULL,
  id          TEXT    NOT NULL UNIQUE,
  uri         TEXT    NOT NULL DEFAULT '',
  pending     BOOLEAN NOT NULL DEFAULT FALSE,
  reblogs     BOOLEAN NOT NULL DEFAULT TRUE,
  notify      BOOLEAN NOT NULL DEFAULT FALSE,
  local       BOOLEAN NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (follower_id, target_id)
) WITHOUT ROWID;
CREATE INDEX follows_target ON follows (target_id, follower_id);
CREATE INDEX follows_pending ON follows (target_id, follower_id) WHERE pending;

CREATE TABLE blocks (
  account_id TEXT    NOT NULL,
  target_id  TEXT    NOT NULL,
  uri        TEXT    NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, target_id)
) WITHOUT ROWID;
CREATE INDEX blocks_target ON blocks (target_id, account_id);

CREATE TABLE mutes (
  account_id    TEXT    NOT NULL,
  target_id     TEXT    NOT NULL,
  notifications BOOLEAN NOT NULL DEFAULT TRUE,
  expires_at    INTEGER,
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (account_id, target_id)
) WITHOUT ROWID;
CREATE INDEX mutes_expires ON mutes (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE domain_blocks (
  account_id TEXT    NOT NULL,
  domain     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, domain)
) WITHOUT ROWID;

CREATE TABLE thread_mutes (
  account_id      TEXT    NOT NULL,
  conversation_id INTEGER NOT NULL,
  expires_at      INTEGER,
  created_at      INTEGER NOT NULL,
  PRIMARY KEY (account_id, conversation_id)
) WITHOUT ROWID;
CREATE INDEX thread_mutes_expires ON thread_mutes (expires_at) WHERE expires_at IS NOT NULL;

-- hidden: stored for receivers who mute or block the sender, never listed.
CREATE TABLE notifications (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT    NOT NULL,
  type       TEXT    NOT NULL,
  from_id    TEXT    NOT NULL,
  status_id  TEXT    NOT NULL DEFAULT '',
  report_id  TEXT    NOT NULL DEFAULT '',
  emoji      TEXT    NOT NULL DEFAULT '',
  seen       BOOLEAN NOT NULL DEFAULT FALSE,
  hidden     BOOLEAN NOT NULL DEFAULT FALSE,
  created_at INTEGER NOT NULL,
  message_id TEXT NOT NULL DEFAULT '',
  target_id  TEXT NOT NULL DEFAULT ''
);
CREATE INDEX notifications_account     ON notifications (account_id, id);
CREATE INDEX notifications_status      ON notifications (status_id) WHERE status_id <> '';

CREATE TABLE reports (
  id          TEXT PRIMARY KEY,
  uri         TEXT    NOT NULL DEFAULT '',
  account_id  TEXT    NOT NULL,
  reporter_id TEXT    NOT NULL,
  state       TEXT    NOT NULL DEFAULT 'open',
  content     TEXT    NOT NULL DEFAULT '',
  forwarded   BOOLEAN NOT NULL DEFAULT FALSE,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX reports_account  ON reports (account_id, id);
CREATE INDEX reports_reporter ON reports (reporter_id, id);

CREATE TABLE report_tallies (
  state TEXT PRIMARY KEY,
  n     INTEGER NOT NULL
) WITHOUT ROWID;

-- A report keeps a copy of each status it names while it is open; the ids stay.
CREATE TABLE report_statuses (
  report_id  TEXT    NOT NULL,
  status_id  TEXT    NOT NULL,
  status_uri TEXT    NOT NULL DEFAULT '',
  position   INTEGER NOT NULL,
  copy       TEXT    NOT NULL DEFAULT '',
  PRIMARY KEY (report_id, status_id)
) WITHOUT ROWID;
CREATE INDEX report_statuses_status ON report_statuses (status_id, report_id);

CREATE TABLE report_notes (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  report_id  TEXT    NOT NULL,
  account_id TEXT    NOT NULL,
  content    TEXT    NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX report_notes_report ON report_notes (report_id, id);

CREATE TABLE moderation_log (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  actor_id   TEXT    NOT NULL,
  action     TEXT    NOT NULL,
  data       TEXT    NOT NULL,
  message    TEXT    NOT NULL,
  search_key TEXT    NOT NULL, -- the message in lower case
  created_at INTEGER NOT NULL
);
CREATE INDEX moderation_log_created ON moderation_log (created_at, id);
CREATE INDEX moderation_log_actor   ON moderation_log (actor_id, created_at, id);

CREATE TABLE apps (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  name          TEXT    NOT NULL,
  website       TEXT    NOT NULL DEFAULT '',
  redirect_uris TEXT    NOT NULL,
  scopes        TEXT    NOT NULL,
  client_id     TEXT    NOT NULL UNIQUE,
  client_secret TEXT    NOT NULL,
  trusted       BOOLEAN NOT NULL DEFAULT FALSE,
  created_at    INTEGER NOT NULL,
  used          BOOLEAN NOT NULL DEFAULT TRUE,
  sealed        BOOLEAN NOT NULL DEFAULT FALSE
);

-- Codes and tokens are kept as SHA-256 hashes.
CREATE TABLE authorisations (
  code_hash             TEXT PRIMARY KEY,
  app_id                INTEGER NOT NULL,
  account_id            TEXT    NOT NULL,
  scopes                TEXT    NOT NULL,
  redirect_uri          TEXT    NOT NULL,
  code_challenge        TEXT    NOT NULL DEFAULT '',
  code_challenge_method TEXT    NOT NULL DEFAULT '',
  expires_at            INTEGER NOT NULL,
  created_at            INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX authorisations_account ON authorisations (account_id);
CREATE INDEX authorisations_expires ON authorisations (expires_at);

CREATE TABLE tokens (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  token_hash   TEXT    NOT NULL UNIQUE,
  refresh_hash TEXT    UNIQUE,
  app_id       INTEGER NOT NULL,
  account_id   TEXT,
  scopes       TEXT    NOT NULL,
  expires_at   INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  code_hash    TEXT
);
CREATE INDEX tokens_account ON tokens (account_id, id);
CREATE INDEX tokens_app     ON tokens (app_id);
CREATE INDEX tokens_expires ON tokens (expires_at);

-- A browser's signed-in session on the server's own pages.
CREATE TABLE sessions (
  id_hash    TEXT PRIMARY KEY,
  account_id TEXT    NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expires ON sessions (expires_at);

CREATE TABLE settings (
  grp        TEXT NOT NULL,
  key        TEXT NOT NULL,
  value      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (grp, key)
) WITHOUT ROWID;

-- The first answer to a request that carried an Idempotency-Key. A row without
-- a status is a request under way.
CREATE TABLE idempotency_keys (
  key          TEXT PRIMARY KEY,
  status       INTEGER NOT NULL DEFAULT 0,
  content_type TEXT    NOT NULL DEFAULT '',
  body         BLOB,
  request_id   TEXT    NOT NULL DEFAULT '',
  created_at   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
CREATE INDEX media_attachments_unused ON media_attachments (created_at) WHERE status_id IS NULL AND NOT mascot;
CREATE INDEX media_attachments_mascot ON media_attachments (account_id) WHERE mascot;
CREATE INDEX media_attachments_file   ON media_attachments (file) WHERE file <> '';

-- Pictures of local accounts are files kept here too.
CREATE INDEX accounts_avatar     ON accounts (avatar) WHERE local AND avatar <> '';
CREATE INDEX accounts_header     ON accounts (header) WHERE local AND header <> '';
CREATE INDEX accounts_background ON accounts (background) WHERE local AND background <> '';

-- Files that perhaps no row names: those just stored, and those that a row
-- named which is gone. with_status: it went with its status. doomed_at: somebody
-- is removing the file.
CREATE TABLE loose_files (
  name        TEXT PRIMARY KEY,
  since       INTEGER NOT NULL,
  with_status BOOLEAN NOT NULL DEFAULT FALSE,
  doomed_at   INTEGER
) WITHOUT ROWID;
CREATE INDEX loose_files_since ON loose_files (with_status, since);

CREATE TRIGGER media_attachments_loose AFTER DELETE ON media_attachments WHEN OLD.file <> ''
BEGIN
  INSERT INTO loose_files (name, since, with_status) VALUES (OLD.file, 0, OLD.status_id IS NOT NULL)
    ON CONFLICT (name) DO UPDATE SET with_status = loose_files.with_status OR excluded.with_status;
END;
CREATE TRIGGER accounts_loose AFTER UPDATE OF avatar, header, background ON accounts
  WHEN OLD.local AND (OLD.avatar <> NEW.avatar OR OLD.header <> NEW.header OR OLD.background <> NEW.background)
BEGIN
  INSERT INTO loose_files (name, since)
    SELECT substr(url, 8), 0 FROM (SELECT OLD.avatar AS url UNION SELECT OLD.header UNION SELECT OLD.background) AS pictures
    WHERE url LIKE '/media/%' AND url NOT IN (NEW.avatar, NEW.header, NEW.background)
    ON CONFLICT (name) DO NOTHING;
END;
CREATE TRIGGER accounts_loose_delete AFTER DELETE ON accounts WHEN OLD.local
BEGIN
  INSERT INTO loose_files (name, since)
    SELECT substr(url, 8), 0 FROM (SELECT OLD.avatar AS url UNION SELECT OLD.header UNION SELECT OLD.background) AS pictures
    WHERE url LIKE '/media/%'
    ON CONFLICT (name) DO NOTHING;
END;

-- Lists of accounts that somebody reads apart. owner_id of a member is its
-- list's, so that all lists of one author are found in the order of their
-- owners.
CREATE TABLE lists (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT    NOT NULL,
  title      TEXT    NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX lists_account ON lists (account_id, id);

CREATE TABLE list_accounts (
  list_id    INTEGER NOT NULL,
  account_id TEXT    NOT NULL,
  owner_id   TEXT    NOT NULL,
  PRIMARY KEY (list_id, account_id)
) WITHOUT ROWID;
CREATE INDEX list_accounts_account ON list_accounts (account_id, owner_id, list_id);

-- What an account does not want to read. number counts an account's filters
-- and is never used again; contexts are bits: 1 home, 2 notifications,
-- 4 public, 8 thread.
CREATE TABLE filters (
  account_id   TEXT    NOT NULL,
  number       INTEGER NOT NULL,
  phrase       TEXT    NOT NULL,
  contexts     INTEGER NOT NULL,
  irreversible BOOLEAN NOT NULL DEFAULT FALSE,
  whole_word   BOOLEAN NOT NULL DEFAULT TRUE,
  expires_at   INTEGER,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (account_id, number)
) WITHOUT ROWID;

CREATE TABLE filter_numbers (
  account_id TEXT PRIMARY KEY,
  last       INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX statuses_public_media ON statuses (id) WHERE visibility = 'public' AND reblog_of_id IS NULL AND has_media;

CREATE TABLE bookmarks (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT    NOT NULL,
  status_id  TEXT    NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX bookmarks_once ON bookmarks (account_id, status_id);
CREATE INDEX bookmarks_account     ON bookmarks (account_id, id);
CREATE INDEX bookmarks_status      ON bookmarks (status_id);

CREATE INDEX favourites_account ON favourites (account_id, id);

-- Of each emoji somebody reacts once to a status. The status counts them in
-- reactions, oldest emoji first.
CREATE TABLE emoji_reactions (
  id         TEXT PRIMARY KEY,
  account_id TEXT    NOT NULL,
  status_id  TEXT    NOT NULL,
  emoji      TEXT    NOT NULL,
  uri        TEXT    NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX emoji_reactions_once ON emoji_reactions (status_id, account_id, emoji);
CREATE INDEX emoji_reactions_status      ON emoji_reactions (status_id, emoji, id);
CREATE INDEX emoji_reactions_account     ON emoji_reactions (account_id, id);

-- options: titles and votes. voters_count counts people, who may have several
-- votes in a poll with multiple.
CREATE TABLE polls (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  status_id    TEXT    NOT NULL UNIQUE,
  multiple     BOOLEAN NOT NULL DEFAULT FALSE,
  options      TEXT    NOT NULL,
  voters_count INTEGER NOT NULL DEFAULT 0,
  expires_at   INTEGER,
  created_at   INTEGER NOT NULL,
  told_closed  BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE TABLE poll_votes (
  poll_id    INTEGER NOT NULL,
  account_id TEXT    NOT NULL,
  choice     INTEGER NOT NULL, -- an option's place, from 0
  uri        TEXT    NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  PRIMARY KEY (poll_id, account_id, choice)
) WITHOUT ROWID;
CREATE INDEX poll_votes_account ON poll_votes (account_id);

-- What a linked page says about itself. A row stays as it is; a page that says
-- something else later gets another.
CREATE TABLE cards (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  link          TEXT    NOT NULL, -- as statuses have it
  url           TEXT    NOT NULL,
  title         TEXT    NOT NULL,
  description   TEXT    NOT NULL DEFAULT '',
  image         TEXT    NOT NULL DEFAULT '',
  provider_name TEXT    NOT NULL DEFAULT '',
  provider_url  TEXT    NOT NULL DEFAULT '',
  opengraph     TEXT    NOT NULL DEFAULT '{}',
  fetched_at    INTEGER NOT NULL
);
CREATE INDEX cards_link ON cards (link, id);
CREATE TABLE card_failures (
  link      TEXT PRIMARY KEY,
  failed_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX card_failures_failed ON card_failures (failed_at);
CREATE INDEX statuses_card ON statuses (card_id) WHERE card_id IS NOT NULL;

-- Somebody's part in a thread of direct posts. recipients is whom he writes to
-- when he replies to it: account ids, sorted, with a space between them.
-- last_status_id is the newest direct post of the thread that he wrote or that
-- is addressed to him, '' when none is left.
CREATE TABLE participations (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id      TEXT NOT NULL,
  conversation_id INTEGER NOT NULL,
  unread          BOOLEAN NOT NULL DEFAULT FALSE,
  recipients      TEXT NOT NULL DEFAULT '',
  last_status_id  TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX participations_once  ON participations (account_id, conversation_id);
CREATE INDEX participations_conversation ON participations (conversation_id, account_id);
CREATE INDEX participations_recent       ON participations (account_id, last_status_id);
CREATE INDEX participations_recipients   ON participations (account_id, recipients, last_status_id);
CREATE INDEX participations_last         ON participations (last_status_id);
CREATE INDEX participations_unread       ON participations (account_id) WHERE unread;

-- Who wrote or was addressed in the direct posts that a participant can see,
-- himself included.
CREATE TABLE participation_accounts (
  participation_id INTEGER NOT NULL,
  account_id       TEXT NOT NULL,
  PRIMARY KEY (participation_id, account_id)
) WITHOUT ROWID;

-- Statuses that are to be posted later. day is that of scheduled_at, counted
-- from 1970 UTC; params is the status as it was asked for. refused says why it
-- was not posted when its time came.
CREATE TABLE scheduled_statuses (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id   TEXT NOT NULL,
  scheduled_at INTEGER NOT NULL,
  day          INTEGER NOT NULL,
  params       TEXT NOT NULL,
  refused      TEXT NOT NULL DEFAULT '',
  created_at   INTEGER NOT NULL
);
CREATE INDEX scheduled_statuses_account ON scheduled_statuses (account_id, id);
CREATE INDEX scheduled_statuses_day     ON scheduled_statuses (account_id, day);
CREATE INDEX scheduled_statuses_due     ON scheduled_statuses (scheduled_at) WHERE refused = '';
CREATE INDEX media_attachments_scheduled ON media_attachments (scheduled_status_id, position) WHERE scheduled_status_id IS NOT NULL;

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
CREATE UNIQUE INDEX notifications_once ON notifications (account_id, type, from_id, status_id, report_id, emoji, message_id, target_id);
CREATE INDEX notifications_message ON notifications (message_id) WHERE message_id <> '';
-- What is listed unless another kind is asked for; one kind; those of one sender.
CREATE INDEX notifications_listed ON notifications (account_id, id)
  WHERE NOT hidden AND type <> 'svc:chat_mention' AND type <> 'svc:report';
CREATE INDEX notifications_type ON notifications (account_id, type, id);
CREATE INDEX notifications_from ON notifications (account_id, from_id, id);
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

-- A link that was mailed to a user, as its hash. Without expires_at it works
-- until it is used.
CREATE TABLE mail_tokens (
  token_hash TEXT PRIMARY KEY,
  account_id TEXT    NOT NULL,
  purpose    TEXT    NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX mail_tokens_account ON mail_tokens (account_id, purpose, created_at);
CREATE INDEX mail_tokens_expires ON mail_tokens (expires_at) WHERE expires_at IS NOT NULL;

-- Who may register while registration is closed. expires_on is a day, in UTC,
-- as YYYY-MM-DD; used ends an invite whatever the rest says.
CREATE TABLE invites (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  token      TEXT    NOT NULL UNIQUE,
  used       BOOLEAN NOT NULL DEFAULT FALSE,
  uses       INTEGER NOT NULL DEFAULT 0,
  max_use    INTEGER,
  expires_on TEXT,
  created_at INTEGER NOT NULL
);

-- Captchas that somebody tried to answer, until they would have expired.
CREATE TABLE captchas (
  token      TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX captchas_expires ON captchas (expires_at);

-- What a right password is worth until the second factor follows: a token for
-- the app, or, with a redirect_uri, a code for it; without an app a session.
CREATE TABLE mfa_tokens (
  token_hash     TEXT PRIMARY KEY,
  account_id     TEXT    NOT NULL,
  app_id         INTEGER,
  scopes         TEXT    NOT NULL DEFAULT '',
  redirect_uri   TEXT    NOT NULL DEFAULT '',
  code_challenge TEXT    NOT NULL DEFAULT '',
  attempts       INTEGER NOT NULL DEFAULT 0,
  expires_at     INTEGER NOT NULL,
  created_at     INTEGER NOT NULL,
  browser        TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX mfa_tokens_account ON mfa_tokens (account_id);
CREATE INDEX mfa_tokens_expires ON mfa_tokens (expires_at);

-- What an account leaves behind is found from both of its ends.
CREATE INDEX notifications_sender ON notifications (from_id, id);
CREATE INDEX mutes_target       ON mutes (target_id, account_id);
CREATE INDEX chats_recipient    ON chats (recipient_id, id);
CREATE INDEX media_attachments_account ON media_attachments (account_id, id);

-- Archives that people asked for of what they made. file is its name in the
-- media store, "" until it is made.
CREATE TABLE backups (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  file       TEXT NOT NULL DEFAULT '',
  size       INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);
CREATE INDEX backups_account ON backups (account_id, id);
CREATE INDEX backups_created ON backups (created_at);
CREATE INDEX backups_file    ON backups (file) WHERE file <> '';
CREATE TRIGGER backups_loose AFTER DELETE ON backups WHEN OLD.file <> ''
BEGIN
  INSERT INTO loose_files (name, since) VALUES (OLD.file, 0) ON CONFLICT (name) DO NOTHING;
END;

-- Full text of public and unlisted posts. The words come from the program, one
-- blank between them, so that both databases find the same.
CREATE TABLE status_docs (
  doc       INTEGER PRIMARY KEY,
  status_id TEXT NOT NULL UNIQUE
);
CREATE VIRTUAL TABLE status_search USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
CREATE TRIGGER statuses_unsearched AFTER DELETE ON statuses
BEGIN
  DELETE FROM status_search WHERE rowid = (SELECT doc FROM status_docs WHERE status_id = OLD.id);
  DELETE FROM status_docs WHERE status_id = OLD.id;
END;

-- The words of names.
CREATE TABLE account_words (
  word       TEXT NOT NULL,
  account_id TEXT NOT NULL,
  PRIMARY KEY (word, account_id)
) WITHOUT ROWID;
CREATE INDEX account_words_account ON account_words (account_id);

-- Hashes of those words, whole and with one letter left out: two words that
-- differ by one letter have one of them in common.
CREATE TABLE account_misspellings (
  hash       INTEGER NOT NULL,
  account_id TEXT    NOT NULL,
  PRIMARY KEY (hash, account_id)
) WITHOUT ROWID;
CREATE INDEX account_misspellings_account ON account_misspellings (account_id);

CREATE TRIGGER accounts_unsearched AFTER DELETE ON accounts
BEGIN
  DELETE FROM account_words WHERE account_id = OLD.id;
  DELETE FROM account_misspellings WHERE account_id = OLD.id;
END;

-- By the addresses that people paste.
CREATE INDEX statuses_url ON statuses (url) WHERE url <> '' AND NOT local;
CREATE INDEX accounts_url ON accounts (url) WHERE url <> '' AND NOT local;

-- Accounts that were deleted for good: nobody can show them again, and deleting
-- them again does nothing. The row of one of which nothing is left goes too.
CREATE TABLE deletions (
  account_id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- How many posts there are, by the host of their authors ('' is this server)
-- and by whom they are addressed to, without counting. Boosts do not count. A
-- post for this server alone is addressed to the author's followers and not to
-- the public, so it counts as private; one to a list names its members, as a
-- direct one does. Chat messages and votes are posts to one account: direct.
CREATE TABLE status_tallies (
  host       TEXT    NOT NULL,
  visibility TEXT    NOT NULL,
  n          INTEGER NOT NULL,
  PRIMARY KEY (host, visibility)
) WITHOUT ROWID;
CREATE VIEW status_tallies_now AS SELECT host, visibility, n FROM status_tallies;

CREATE TRIGGER statuses_tally_insert AFTER INSERT ON statuses WHEN NEW.reblog_of_id IS NULL
BEGIN
  INSERT INTO status_tallies (host, visibility, n)
    VALUES (NEW.host, CASE NEW.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE NEW.visibility END, 1)
    ON CONFLICT (host, visibility) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER statuses_tally_delete AFTER DELETE ON statuses WHEN OLD.reblog_of_id IS NULL
BEGIN
  UPDATE status_tallies SET n = n - 1 WHERE host = OLD.host
    AND visibility = CASE OLD.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE OLD.visibility END;
END;
CREATE TRIGGER statuses_tally_update AFTER UPDATE OF visibility ON statuses
  WHEN OLD.reblog_of_id IS NULL AND NEW.visibility <> OLD.visibility
BEGIN
  UPDATE status_tallies SET n = n - 1 WHERE host = OLD.host
    AND visibility = CASE OLD.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE OLD.visibility END;
  INSERT INTO status_tallies (host, visibility, n)
    VALUES (NEW.host, CASE NEW.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE NEW.visibility END, 1)
    ON CONFLICT (host, visibility) DO UPDATE SET n = n + 1;
END;

-- Whose posts chat messages and votes are.
CREATE VIEW account_hosts AS SELECT id, CASE WHEN local THEN '' ELSE
  substr(substr(uri, instr(uri, '://') + 3), 1, instr(substr(uri, instr(uri, '://') + 3) || '/', '/') - 1) END AS host FROM accounts;

CREATE TRIGGER chat_messages_tally_insert AFTER INSERT ON chat_messages
BEGIN
  INSERT INTO status_tallies (host, visibility, n)
    VALUES (COALESCE((SELECT host FROM account_hosts WHERE id = NEW.account_id), ''), 'direct', 1)
    ON CONFLICT (host, visibility) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER chat_messages_tally_delete AFTER DELETE ON chat_messages
BEGIN
  UPDATE status_tallies SET n = n - 1 WHERE visibility = 'direct'
    AND host = COALESCE((SELECT host FROM account_hosts WHERE id = OLD.account_id), '');
END;
CREATE TRIGGER poll_votes_tally_insert AFTER INSERT ON poll_votes
BEGIN
  INSERT INTO status_tallies (host, visibility, n)
    VALUES (COALESCE((SELECT host FROM account_hosts WHERE id = NEW.account_id), ''), 'direct', 1)
    ON CONFLICT (host, visibility) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER poll_votes_tally_delete AFTER DELETE ON poll_votes
BEGIN
  UPDATE status_tallies SET n = n - 1 WHERE visibility = 'direct'
    AND host = COALESCE((SELECT host FROM account_hosts WHERE id = OLD.account_id), '');
END;

-- Apps by what admins ask for, and how many of them are trusted or not.
CREATE INDEX apps_name    ON apps (name, id);
CREATE INDEX apps_trusted ON apps (trusted, id);
CREATE TABLE app_tallies (
  trusted BOOLEAN PRIMARY KEY,
  n       INTEGER NOT NULL
);
CREATE TRIGGER apps_tally_insert AFTER INSERT ON apps
BEGIN
  INSERT INTO app_tallies (trusted, n) VALUES (NEW.trusted, 1) ON CONFLICT (trusted) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER apps_tally_delete AFTER DELETE ON apps
BEGIN
  UPDATE app_tallies SET n = n - 1 WHERE trusted = OLD.trusted;
END;
CREATE TRIGGER apps_tally_update AFTER UPDATE OF trusted ON apps WHEN NEW.trusted <> OLD.trusted
BEGIN
  UPDATE app_tallies SET n = n - 1 WHERE trusted = OLD.trusted;
  INSERT INTO app_tallies (trusted, n) VALUES (NEW.trusted, 1) ON CONFLICT (trusted) DO UPDATE SET n = n + 1;
END;

-- What goes with an app.
CREATE INDEX authorisations_app ON authorisations (app_id);
CREATE INDEX mfa_tokens_app     ON mfa_tokens (app_id) WHERE app_id IS NOT NULL;
CREATE TABLE media_bans (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  url         TEXT NOT NULL,
  url_key     TEXT NOT NULL,
  address_key TEXT NOT NULL,
  search_key  TEXT NOT NULL,
  created_at  INTEGER NOT NULL
);
CREATE UNIQUE INDEX media_bans_url     ON media_bans (url_key);
CREATE INDEX        media_bans_address ON media_bans (address_key);

-- What the admin's lists search by, so that neither finding nor counting reads
-- more the more there is.
--
-- A facet is something an account has: a part of its nickname of up to three
-- letters, written n…, such a part of its display name, d…, a tag, t…, or its
-- type, a…. They follow from the account's row. Longer parts, N… and D…, are
-- facets once somebody has asked for them and they were many.
CREATE TABLE asked_parts (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  facet TEXT NOT NULL UNIQUE
);

CREATE TABLE gram_places (i INTEGER PRIMARY KEY);
INSERT INTO gram_places SELECT i FROM (WITH RECURSIVE p(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM p WHERE i < 2000) SELECT i FROM p);

-- Each facet of each listed account, once. posted: kept in account_facets; of
-- parts, those of three letters, and shorter ones with which the name ends.
CREATE VIEW account_facet_list AS
  SELECT a.serial, a.mask, a.nickname_key, 'n' || substr(a.nickname_key, p.i, g.i) AS facet,
      (g.i = 3 OR p.i + g.i - 1 = length(a.nickname_key)) AS posted
    FROM accounts a CROSS JOIN gram_places g CROSS JOIN gram_places p
    WHERE g.i <= 3 AND p.i <= length(a.nickname_key) - g.i + 1 AND a.mask & 64 = 0
      AND instr(a.nickname_key, substr(a.nickname_key, p.i, g.i)) = p.i
  UNION ALL
  SELECT a.serial, a.mask, a.nickname_key, 'd' || substr(a.display_name_key, p.i, g.i),
      (g.i = 3 OR p.i + g.i - 1 = length(a.display_name_key))
    FROM accounts a CROSS JOIN gram_places g CROSS JOIN gram_places p
    WHERE g.i <= 3 AND p.i <= length(a.display_name_key) - g.i + 1 AND a.mask & 64 = 0
      AND instr(a.display_name_key, substr(a.display_name_key, p.i, g.i)) = p.i
  UNION ALL
  SELECT a.serial, a.mask, a.nickname_key, 't' || t.value, 1
    FROM accounts a CROSS JOIN json_each(a.tags) t WHERE a.mask & 64 = 0
  UNION ALL
  SELECT a.serial, a.mask, a.nickname_key, 'a' || a.actor_type, 1 FROM accounts a WHERE a.mask & 64 = 0
  UNION ALL
  SELECT a.serial, a.mask, a.nickname_key, o.facet, 0 FROM accounts a CROSS JOIN asked_parts o
    WHERE a.mask & 64 = 0
      AND instr(CASE substr(o.facet, 1, 1) WHEN 'N' THEN a.nickname_key ELSE a.display_name_key END, substr(o.facet, 2)) > 0;

-- Who has a facet, in the order of the list.
CREATE TABLE account_facets (
  facet        TEXT NOT NULL,
  nickname_key TEXT NOT NULL,
  PRIMARY KEY (facet, nickname_key)
) WITHOUT ROWID;

-- How many accounts with which mask have a facet.
CREATE TABLE account_facet_tallies (
  facet TEXT    NOT NULL,
  mask  INTEGER NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (facet, mask)
) WITHOUT ROWID;

-- Accounts that are older than this, until a job has come to them.
CREATE TABLE account_facets_due (serial INTEGER PRIMARY KEY);

CREATE TRIGGER accounts_facets_insert AFTER INSERT ON accounts
BEGIN
  INSERT INTO account_facets SELECT facet, nickname_key FROM account_facet_list WHERE serial = NEW.serial AND posted;
  INSERT INTO account_facet_tallies SELECT facet, mask, 1 FROM account_facet_list WHERE serial = NEW.serial
    ON CONFLICT (facet, mask) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER accounts_facets_delete BEFORE DELETE ON accounts
  WHEN NOT EXISTS (SELECT 1 FROM account_facets_due WHERE serial = OLD.serial)
BEGIN
  UPDATE account_facet_tallies SET n = n - 1
    WHERE mask = OLD.mask AND facet IN (SELECT facet FROM account_facet_list WHERE serial = OLD.serial);
  DELETE FROM account_facets
    WHERE nickname_key = OLD.nickname_key AND facet IN (SELECT facet FROM account_facet_list WHERE serial = OLD.serial AND posted);
END;
CREATE TRIGGER accounts_facets_forget AFTER DELETE ON accounts
BEGIN
  DELETE FROM account_facets_due WHERE serial = OLD.serial;
END;
CREATE TRIGGER accounts_facets_before BEFORE UPDATE OF
  nickname_key, display_name_key, tags, actor_type,
  local, deactivated, approval_pending, confirmation_pending, is_admin, is_moderator, invisible ON accounts
  WHEN (NEW.nickname_key <> OLD.nickname_key OR NEW.display_name_key <> OLD.display_name_key OR NEW.tags <> OLD.tags
      OR NEW.actor_type <> OLD.actor_type OR NEW.local <> OLD.local OR NEW.deactivated <> OLD.deactivated
      OR NEW.approval_pending <> OLD.approval_pending OR NEW.confirmation_pending <> OLD.confirmation_pending
      OR NEW.is_admin <> OLD.is_admin OR NEW.is_moderator <> OLD.is_moderator OR NEW.invisible <> OLD.invisible)
    AND NOT EXISTS (SELECT 1 FROM account_facets_due WHERE serial = OLD.serial)
BEGIN
  UPDATE account_facet_tallies SET n = n - 1
    WHERE mask = OLD.mask AND facet IN (SELECT facet FROM account_facet_list WHERE serial = OLD.serial);
  DELETE FROM account_facets
    WHERE nickname_key = OLD.nickname_key AND facet IN (SELECT facet FROM account_facet_list WHERE serial = OLD.serial AND posted);
END;
CREATE TRIGGER accounts_facets_after AFTER UPDATE OF
  nickname_key, display_name_key, tags, actor_type,
  local, deactivated, approval_pending, confirmation_pending, is_admin, is_moderator, invisible ON accounts
  WHEN (NEW.nickname_key <> OLD.nickname_key OR NEW.display_name_key <> OLD.display_name_key OR NEW.tags <> OLD.tags
      OR NEW.actor_type <> OLD.actor_type OR NEW.local <> OLD.local OR NEW.deactivated <> OLD.deactivated
      OR NEW.approval_pending <> OLD.approval_pending OR NEW.confirmation_pending <> OLD.confirmation_pending
      OR NEW.is_admin <> OLD.is_admin OR NEW.is_moderator <> OLD.is_moderator OR NEW.invisible <> OLD.invisible)
    AND NOT EXISTS (SELECT 1 FROM account_facets_due WHERE serial = OLD.serial)
BEGIN
  INSERT INTO account_facets SELECT facet, nickname_key FROM account_facet_list WHERE serial = NEW.serial AND posted;
  INSERT INTO account_facet_tallies SELECT facet, mask, 1 FROM account_facet_list WHERE serial = NEW.serial
    ON CONFLICT (facet, mask) DO UPDATE SET n = n + 1;
END;

-- Accounts of one mask by nickname, for filters that few pass of many.
CREATE INDEX accounts_mask ON accounts (mask, nickname_key);

-- The moderation log in blocks of 64 entries, and which parts of three letters
-- the messages of each have, or shorter ones at their ends; and the actors, as
-- @ and their id.
CREATE TABLE log_grams (
  gram  TEXT    NOT NULL,
  block INTEGER NOT NULL,
  PRIMARY KEY (gram, block)
) WITHOUT ROWID;
CREATE VIEW log_gram_list AS
  SELECT l.id, l.id / 64 AS block, substr(l.search_key, p.i, 3) AS gram
    FROM moderation_log l CROSS JOIN gram_places p WHERE p.i <= length(l.search_key)
  UNION ALL
  SELECT l.id, l.id / 64, '@' || l.actor_id FROM moderation_log l;
CREATE TRIGGER moderation_log_grams AFTER INSERT ON moderation_log
BEGIN
  INSERT OR IGNORE INTO log_grams SELECT gram, block FROM log_gram_list WHERE id = NEW.id;
END;

-- The processes that run jobs, each by a name of its own; one that was not seen
-- for a while has died, and what it ran is to be run again.
CREATE TABLE processes (
  id      TEXT PRIMARY KEY,
  seen_at INTEGER NOT NULL,
  since   INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

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
  error       TEXT    NOT NULL DEFAULT '',
  created_at  INTEGER NOT NULL,
  UNIQUE (activity_id, inbox)
);
CREATE INDEX deliveries_inbox ON deliveries (inbox, object_uri, id);

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
  received_at INTEGER NOT NULL,
  size        INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX inbox_items_next ON inbox_items (next_at, id) WHERE claimed_by = '';

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

-- Keys whose owners are gone: their servers need not be asked again for weeks.
CREATE TABLE gone_keys (
  key_id TEXT PRIMARY KEY,
  at     INTEGER NOT NULL
);
CREATE INDEX gone_keys_at ON gone_keys (at);
CREATE INDEX instances_favicon ON instances (host) WHERE favicon <> '';
CREATE INDEX deliveries_host ON deliveries (host, next_at, priority, id);

-- The hosts that something waits for, so that no one looks through deliveries
-- to find them.
CREATE TABLE delivery_hosts (
  host     TEXT    PRIMARY KEY,
  priority INTEGER NOT NULL, -- of the most urgent that waits
  due_at   INTEGER NOT NULL, -- nothing is to be done before
  waiting  INTEGER NOT NULL, -- deliveries
  holder   TEXT    NOT NULL DEFAULT '' -- the process that sends to it now
) WITHOUT ROWID;
CREATE INDEX delivery_hosts_due ON delivery_hosts (priority, due_at) WHERE holder = '';

-- Inboxes that answered that they are gone for good.
CREATE TABLE gone_inboxes (
  inbox TEXT    PRIMARY KEY,
  host  TEXT    NOT NULL,
  at    INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX gone_inboxes_host ON gone_inboxes (host);

-- Every inbox there is: those of servers, and those of accounts without one.
CREATE INDEX accounts_shared_inbox ON accounts (shared_inbox) WHERE NOT local AND shared_inbox <> '';
CREATE INDEX accounts_inbox        ON accounts (inbox) WHERE NOT local AND shared_inbox = '';

CREATE INDEX instances_failing ON instances (host) WHERE failures > 0;
CREATE INDEX activities_waiting ON activities (object_uri, id) WHERE distributed_at IS NULL AND object_uri <> '';

-- What a process works off of the queue, and what waits of one server.
CREATE INDEX inbox_items_claimed ON inbox_items (claimed_by) WHERE claimed_by <> '';

-- When an account last moved away: it may not again for a while.
CREATE TABLE moves (
  account_id TEXT PRIMARY KEY,
  target_id  TEXT    NOT NULL,
  at         INTEGER NOT NULL
) WITHOUT ROWID;

-- What posts said before their authors changed them: a row for each version that
-- is no more. files and options are what was shown with it.
CREATE TABLE status_edits (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  status_id    TEXT    NOT NULL,
  content      TEXT    NOT NULL,
  text         TEXT    NOT NULL,
  spoiler_text TEXT    NOT NULL,
  sensitive    BOOLEAN NOT NULL,
  language     TEXT    NOT NULL,
  emojis       TEXT    NOT NULL DEFAULT '[]',
  files        TEXT    NOT NULL DEFAULT '[]',
  options      TEXT    NOT NULL DEFAULT '[]',
  created_at   INTEGER NOT NULL -- when that was written
);
CREATE INDEX status_edits_status ON status_edits (status_id, id);

-- When a post of another server was last asked for there, if it ever was.
CREATE TABLE status_fetches (
  status_id TEXT PRIMARY KEY,
  at        INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER statuses_edits_delete AFTER DELETE ON statuses WHEN OLD.edited_at IS NOT NULL
BEGIN
  DELETE FROM status_edits WHERE status_id = OLD.id;
END;
CREATE TRIGGER statuses_fetches_delete AFTER DELETE ON statuses WHEN NOT OLD.local
BEGIN
  DELETE FROM status_fetches WHERE status_id = OLD.id;
END;

CREATE INDEX emoji_reactions_uri ON emoji_reactions (uri) WHERE uri <> '';

-- A thread that goes on in another takes its mutes along.
CREATE INDEX thread_mutes_conversation ON thread_mutes (conversation_id);

-- The relays that this server asked for posts: they feed it, and it them. url is
-- how admins name one: its actor, or its inbox (plain), in which case the actor
-- is known once it answers.
CREATE TABLE relays (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  url        TEXT    NOT NULL UNIQUE,
  plain      BOOLEAN NOT NULL, -- posts are sent to its inbox as they are
  account_id TEXT    NOT NULL DEFAULT '',
  inbox      TEXT    NOT NULL DEFAULT '', -- of a plain one
  follow_uri TEXT    NOT NULL UNIQUE,
  pending    BOOLEAN NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX relays_account ON relays (account_id) WHERE account_id <> '';

-- What others are told of at intervals: profiles and the votes of polls. id is
-- the account's or the status's; due_at is when they are to be told, or were.
CREATE TABLE paced_updates (
  id      TEXT    PRIMARY KEY,
  due_at  INTEGER NOT NULL,
  pending BOOLEAN NOT NULL
);

-- What people answered to their own posts, by post.
CREATE INDEX statuses_own_replies ON statuses (in_reply_to_id, id) WHERE in_reply_to_account_id = account_id;

-- The lengths of the files in the media store. A file of another length was cut
-- off, and is not given out.
CREATE TABLE stored_files (
  name TEXT    PRIMARY KEY,
  size INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE seen_activities (
  uri     TEXT NOT NULL,
  hash    TEXT NOT NULL, -- SHA-256 in base64
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (uri, hash)
) WITHOUT ROWID;
CREATE INDEX seen_activities_at ON seen_activities (seen_at);

-- The hosts that a holder has.
CREATE INDEX delivery_hosts_held ON delivery_hosts (holder) WHERE holder <> '';
CREATE INDEX inbox_items_host ON inbox_items (host, size);
CREATE INDEX tokens_code ON tokens (code_hash) WHERE code_hash IS NOT NULL;

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

-- How many mails of a kind a mailbox was sent, since the first of them, because
-- somebody asked for them.
CREATE TABLE mail_counts (
  mailbox TEXT    NOT NULL, -- the address in lower case
  kind    TEXT    NOT NULL,
  since   INTEGER NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (mailbox, kind)
) WITHOUT ROWID;
CREATE INDEX mail_counts_since ON mail_counts (since);
CREATE INDEX apps_unused ON apps (created_at) WHERE NOT used;
CREATE INDEX apps_clear  ON apps (id) WHERE NOT sealed;

-- The tokens that apps have of their own, of which each keeps the newest.
CREATE INDEX tokens_own ON tokens (app_id, id) WHERE account_id IS NULL;
CREATE INDEX reports_state ON reports (state, id);
CREATE TRIGGER reports_tally_insert AFTER INSERT ON reports
BEGIN
  INSERT INTO report_tallies (state, n) VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER reports_tally_delete AFTER DELETE ON reports
BEGIN
  UPDATE report_tallies SET n = n - 1 WHERE state = OLD.state;
END;
CREATE TRIGGER reports_tally_update AFTER UPDATE OF state ON reports WHEN NEW.state <> OLD.state
BEGIN
  UPDATE report_tallies SET n = n - 1 WHERE state = OLD.state;
  INSERT INTO report_tallies (state, n) VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET n = n + 1;
END;
