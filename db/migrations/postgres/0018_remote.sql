-- A key that was replaced still signs what tells others of its successor.
ALTER TABLE keys ADD COLUMN previous_key TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN rotated_at BIGINT;

-- Keys whose owners are gone: their servers need not be asked again for weeks.
CREATE TABLE gone_keys (
  key_id TEXT COLLATE "C" PRIMARY KEY,
  at     BIGINT NOT NULL
);
CREATE INDEX gone_keys_at ON gone_keys (at);

-- When a server was last asked what it is.
ALTER TABLE instances ADD COLUMN asked_at BIGINT;
CREATE INDEX instances_favicon ON instances (host) WHERE favicon <> '';
