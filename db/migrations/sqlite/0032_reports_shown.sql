-- Reports filed by accounts that were deactivated since are shown to admins like
-- all others.
UPDATE reports SET hidden = FALSE WHERE hidden;
DROP TRIGGER reports_tally_insert;
DROP TRIGGER reports_tally_delete;
DROP TRIGGER reports_tally_update;
DROP INDEX reports_state;
DROP INDEX reports_shown;
ALTER TABLE reports DROP COLUMN hidden;
CREATE INDEX reports_state ON reports (state, id);
CREATE TRIGGER reports_tally_insert AFTER INSERT ON reports
BEGIN
  INSERT INTO report_tallies (state, n) VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER reports_tally_delete AFTER DELETE ON reports
BEGIN
  UPDATE report_tallies SET n = n - 1 WHERE state = OLD.state;
END;
CREATE TRIGGER reports_tally_update AFTER UPDATE OF state ON reports WHEN NEW.state <> OLD.state
BEGIN
  UPDATE report_tallies SET n = n - 1 WHERE state = OLD.state;
  INSERT INTO report_tallies (state, n) VALUES (NEW.state, 1) ON CONFLICT (state) DO UPDATE SET n = n + 1;
END;
