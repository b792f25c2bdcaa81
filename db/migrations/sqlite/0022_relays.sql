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
