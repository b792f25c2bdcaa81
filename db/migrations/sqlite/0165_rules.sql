-- The rules of the house, by priority and id. Reports keep the text of those that they name.
CREATE TABLE rules (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  text       TEXT NOT NULL,
  hint       TEXT NOT NULL,
  priority   INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
);
ALTER TABLE reports ADD COLUMN category TEXT NOT NULL DEFAULT 'other';
ALTER TABLE reports ADD COLUMN rules TEXT NOT NULL DEFAULT '[]';
