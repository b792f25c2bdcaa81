-- Reports filed by accounts that were deactivated since are shown to admins like
-- all others.
UPDATE reports SET hidden = FALSE WHERE hidden;
DROP TRIGGER reports_tally ON reports;
DROP INDEX reports_state;
DROP INDEX reports_shown;
ALTER TABLE reports DROP COLUMN hidden;
CREATE INDEX reports_state ON reports (state, id);
CREATE OR REPLACE FUNCTION tally_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.state = OLD.state THEN
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE report_tallies SET n = n - 1 WHERE state = OLD.state;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO report_tallies (state, n) VALUES (NEW.state, 1)
      ON CONFLICT (state) DO UPDATE SET n = report_tallies.n + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER reports_tally AFTER INSERT OR DELETE OR UPDATE OF state
  ON reports FOR EACH ROW EXECUTE FUNCTION tally_report();
