-- Who distributes an activity, as PROCESS/NUMBER, '' for nobody.
ALTER TABLE activities ADD COLUMN claimed_by TEXT COLLATE "C" NOT NULL DEFAULT '';
