-- A key that was replaced still signs what tells others of its successor.
ALTER TABLE keys ADD COLUMN previous_key TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN rotated_at INTEGER;

-- Keys whose owners are gone: their servers need not be asked again for weeks.
CREATE TABLE gone_keys (
  key_id TEXT PRIMARY KEY,
  at     INTEGER NOT NULL
);
CREATE INDEX gone_keys_at ON gone_keys (at);

-- When a server was last asked what it is.
ALTER TABLE instances ADD COLUMN asked_at INTEGER;
CREATE INDEX instances_favicon ON instances (host) WHERE favicon <> '';
