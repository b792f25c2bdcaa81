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
