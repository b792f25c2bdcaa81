-- Who distributes an activity: nobody claims one here, where one process serves.
ALTER TABLE activities ADD COLUMN claimed_by TEXT NOT NULL DEFAULT '';
CREATE INDEX activities_claimed ON activities (id) WHERE claimed_by <> '';
