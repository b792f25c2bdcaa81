-- How many posts there are, by the host of their authors ('' is this server)
-- and by whom they are addressed to, without counting. Boosts do not count. A
-- post for this server alone is addressed to the author's followers and not to
-- the public, so it counts as private; one to a list names its members, as a
-- direct one does. Chat messages and votes are posts to one account: direct.
--
-- Those who post at once must not wait for each other over one row, so each
-- writes down what it changes, and that is added up now and then: the view has
-- both. What is written down has no key, since it is only ever read whole.
CREATE TABLE status_tallies (
  host       TEXT COLLATE "C" NOT NULL,
  visibility TEXT COLLATE "C" NOT NULL,
  n          BIGINT NOT NULL,
  PRIMARY KEY (host, visibility)
);
CREATE TABLE status_tally_changes (
  host       TEXT COLLATE "C" NOT NULL,
  visibility TEXT COLLATE "C" NOT NULL,
  n          BIGINT NOT NULL
);
CREATE VIEW status_tallies_now AS
  SELECT host, visibility, n FROM status_tallies
  UNION ALL
  SELECT host, visibility, n FROM status_tally_changes;

CREATE FUNCTION tally_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO status_tally_changes (host, visibility, n)
      VALUES (OLD.host, CASE OLD.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE OLD.visibility END, -1);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO status_tally_changes (host, visibility, n)
      VALUES (NEW.host, CASE NEW.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE NEW.visibility END, 1);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER statuses_tally_insert AFTER INSERT ON statuses FOR EACH ROW
  WHEN (NEW.reblog_of_id IS NULL) EXECUTE FUNCTION tally_status();
CREATE TRIGGER statuses_tally_delete AFTER DELETE ON statuses FOR EACH ROW
  WHEN (OLD.reblog_of_id IS NULL) EXECUTE FUNCTION tally_status();
CREATE TRIGGER statuses_tally_update AFTER UPDATE OF visibility ON statuses FOR EACH ROW
  WHEN (OLD.reblog_of_id IS NULL AND NEW.visibility <> OLD.visibility) EXECUTE FUNCTION tally_status();

-- Whose posts chat messages and votes are.
CREATE VIEW account_hosts AS SELECT id, CASE WHEN local THEN '' ELSE split_part(uri, '/', 3) END AS host FROM accounts;

CREATE FUNCTION tally_direct() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO status_tally_changes (host, visibility, n)
      VALUES (COALESCE((SELECT host FROM account_hosts WHERE id = NEW.account_id), ''), 'direct', 1);
  ELSE
    INSERT INTO status_tally_changes (host, visibility, n)
      VALUES (COALESCE((SELECT host FROM account_hosts WHERE id = OLD.account_id), ''), 'direct', -1);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER chat_messages_tally AFTER INSERT OR DELETE ON chat_messages FOR EACH ROW EXECUTE FUNCTION tally_direct();
CREATE TRIGGER poll_votes_tally AFTER INSERT OR DELETE ON poll_votes FOR EACH ROW EXECUTE FUNCTION tally_direct();

INSERT INTO status_tallies (host, visibility, n)
  SELECT host, visibility, COUNT(*) FROM (
    SELECT host, CASE visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE visibility END AS visibility
      FROM statuses WHERE reblog_of_id IS NULL
    UNION ALL
    SELECT COALESCE(a.host, ''), 'direct' FROM chat_messages m LEFT JOIN account_hosts a ON a.id = m.account_id
    UNION ALL
    SELECT COALESCE(a.host, ''), 'direct' FROM poll_votes v LEFT JOIN account_hosts a ON a.id = v.account_id
  ) x GROUP BY host, visibility;

-- Apps by what admins ask for, and how many of them are trusted or not.
CREATE INDEX apps_name    ON apps (name, id);
CREATE INDEX apps_trusted ON apps (trusted, id);
CREATE TABLE app_tallies (
  trusted BOOLEAN PRIMARY KEY,
  n       BIGINT NOT NULL
);
CREATE FUNCTION tally_app() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE app_tallies SET n = n - 1 WHERE trusted = OLD.trusted;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO app_tallies (trusted, n) VALUES (NEW.trusted, 1)
      ON CONFLICT (trusted) DO UPDATE SET n = app_tallies.n + 1;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER apps_tally AFTER INSERT OR DELETE ON apps FOR EACH ROW EXECUTE FUNCTION tally_app();
CREATE TRIGGER apps_tally_update AFTER UPDATE OF trusted ON apps FOR EACH ROW
  WHEN (NEW.trusted <> OLD.trusted) EXECUTE FUNCTION tally_app();
INSERT INTO app_tallies (trusted, n) SELECT trusted, COUNT(*) FROM apps GROUP BY trusted;

-- What goes with an app.
CREATE INDEX authorisations_app ON authorisations (app_id);
CREATE INDEX mfa_tokens_app     ON mfa_tokens (app_id) WHERE app_id IS NOT NULL;
