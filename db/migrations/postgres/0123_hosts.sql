-- The host of the account elsewhere that a follow or a report is about, '' for none: what
-- is known of a host is counted without its accounts. Triggers fill it, for an older
-- version too.
ALTER TABLE follows ADD COLUMN host TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE reports ADD COLUMN host TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE FUNCTION host_of_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.host := COALESCE((SELECT domain FROM accounts
    WHERE NOT local AND id = CASE WHEN NEW.local THEN NEW.target_id ELSE NEW.follower_id END), '');
  RETURN NEW;
END $$;
CREATE TRIGGER follows_host_insert BEFORE INSERT ON follows FOR EACH ROW EXECUTE FUNCTION host_of_follow();
CREATE FUNCTION host_of_report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.host := COALESCE((SELECT domain FROM accounts WHERE NOT local AND id = NEW.account_id), '');
  RETURN NEW;
END $$;
CREATE TRIGGER reports_host_insert BEFORE INSERT ON reports FOR EACH ROW EXECUTE FUNCTION host_of_report();

UPDATE follows SET host = a.domain FROM accounts a
  WHERE NOT a.local AND a.id = CASE WHEN follows.local THEN follows.target_id ELSE follows.follower_id END;
UPDATE reports SET host = a.domain FROM accounts a WHERE NOT a.local AND a.id = reports.account_id;
CREATE INDEX follows_host ON follows (host, local, follower_id) WHERE host <> '' AND NOT pending;
