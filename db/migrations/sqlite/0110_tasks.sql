-- Bulk work that a command asks the serving process for, and what came of it.
CREATE TABLE tasks (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  kind       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  begun_at   INTEGER,
  ended_at   INTEGER,
  result     TEXT    NOT NULL DEFAULT '', -- JSON
  error      TEXT    NOT NULL DEFAULT ''
);
CREATE INDEX tasks_created ON tasks (created_at);
