-- The replies that the timeline of a list has (followed, list or none), and whether its
-- members are left out of the home timeline.
ALTER TABLE lists ADD COLUMN replies_policy TEXT NOT NULL DEFAULT 'list';
ALTER TABLE lists ADD COLUMN exclusive BOOLEAN NOT NULL DEFAULT FALSE;
