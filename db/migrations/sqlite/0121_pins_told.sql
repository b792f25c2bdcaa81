-- When a remote account last told by an activity what it pins or unpins: a collection that
-- was asked for before does not undo that.
ALTER TABLE accounts ADD COLUMN pins_told_at INTEGER;
