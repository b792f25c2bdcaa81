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
  confirmation_token         TEXT    NOT NULL DEFAULT '',
  totp_secret                TEXT    NOT NULL DEFAULT '',
  totp_enabled               BOOLEAN NOT NULL DEFAULT FALSE,
  backup_codes               TEXT    NOT NULL DEFAULT '[]',
  settings_store             TEXT    NOT NULL DEFAULT '{}',
  block_from_strangers       BOOLEAN NOT NULL DEFAULT FALSE,
  hide_notification_contents BOOLEAN NOT NULL DEFAULT FALSE,
  created_at                 INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE keys (
  account_id  TEXT PRIMARY KEY,
  private_key TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE instances (
  host              TEXT PRIMARY KEY,
  created_at        INTEGER NOT NULL,
  unreachable_since INTEGER,
  software          TEXT NOT NULL DEFAULT '',
  favicon           TEXT NOT NULL DEFAULT ''
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
    substr(substr(uri, instr(uri, '://') + 3), 1, instr(substr(uri, instr(uri, '://') + 3) || '/', '/') - 1) END) VIRTUAL
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
  created_at  INTEGER NOT NULL
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
  created_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX notifications_once ON notifications (account_id, type, from_id, status_id, report_id, emoji);
CREATE INDEX notifications_account     ON notifications (account_id, id);
CREATE INDEX notifications_status      ON notifications (status_id) WHERE status_id <> '';
CREATE INDEX notifications_unseen      ON notifications (account_id, seen) WHERE NOT seen;

-- hidden: the reporter is deactivated, so the report is not shown.
CREATE TABLE reports (
  id          TEXT PRIMARY KEY,
  uri         TEXT    NOT NULL DEFAULT '',
  account_id  TEXT    NOT NULL,
  reporter_id TEXT    NOT NULL,
  state       TEXT    NOT NULL DEFAULT 'open',
  content     TEXT    NOT NULL DEFAULT '',
  forwarded   BOOLEAN NOT NULL DEFAULT FALSE,
  hidden      BOOLEAN NOT NULL DEFAULT FALSE,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX reports_state    ON reports (state, id) WHERE NOT hidden;
CREATE INDEX reports_shown    ON reports (id) WHERE NOT hidden;
CREATE INDEX reports_account  ON reports (account_id, id);
CREATE INDEX reports_reporter ON reports (reporter_id, id);

CREATE TABLE report_tallies (
  state TEXT PRIMARY KEY,
  n     INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER reports_tally_insert AFTER INSERT ON reports WHEN NOT NEW.hidden
BEGIN
  INSERT INTO report_tallies (state, n) VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER reports_tally_delete AFTER DELETE ON reports WHEN NOT OLD.hidden
BEGIN
  UPDATE report_tallies SET n = n - 1 WHERE state = OLD.state;
END;
CREATE TRIGGER reports_tally_update AFTER UPDATE OF state, hidden ON reports
  WHEN NEW.state <> OLD.state OR NEW.hidden <> OLD.hidden
BEGIN
  UPDATE report_tallies SET n = n - 1 WHERE state = OLD.state AND NOT OLD.hidden;
  INSERT INTO report_tallies (state, n) VALUES (NEW.state, CASE WHEN NEW.hidden THEN 0 ELSE 1 END)
    ON CONFLICT (state) DO UPDATE SET n = n + excluded.n;
END;

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
  created_at    INTEGER NOT NULL
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
  created_at   INTEGER NOT NULL
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
