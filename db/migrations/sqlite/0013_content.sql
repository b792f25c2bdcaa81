-- How many posts there are, by the host of their authors ('' is this server)
-- and by whom they are addressed to, without counting. Boosts do not count. A
-- post for this server alone is addressed to the author's followers and not to
-- the public, so it counts as private; one to a list names its members, as a
-- direct one does. Chat messages and votes are posts to one account: direct.
CREATE TABLE status_tallies (
  host       TEXT    NOT NULL,
  visibility TEXT    NOT NULL,
  n          INTEGER NOT NULL,
  PRIMARY KEY (host, visibility)
) WITHOUT ROWID;
CREATE VIEW status_tallies_now AS SELECT host, visibility, n FROM status_tallies;

CREATE TRIGGER statuses_tally_insert AFTER INSERT ON statuses WHEN NEW.reblog_of_id IS NULL
BEGIN
  INSERT INTO status_tallies (host, visibility, n)
    VALUES (NEW.host, CASE NEW.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE NEW.visibility END, 1)
    ON CONFLICT (host, visibility) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER statuses_tally_delete AFTER DELETE ON statuses WHEN OLD.reblog_of_id IS NULL
BEGIN
  UPDATE status_tallies SET n = n - 1 WHERE host = OLD.host
    AND visibility = CASE OLD.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE OLD.visibility END;
END;
CREATE TRIGGER statuses_tally_update AFTER UPDATE OF visibility ON statuses
  WHEN OLD.reblog_of_id IS NULL AND NEW.visibility <> OLD.visibility
BEGIN
  UPDATE status_tallies SET n = n - 1 WHERE host = OLD.host
    AND visibility = CASE OLD.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE OLD.visibility END;
  INSERT INTO status_tallies (host, visibility, n)
    VALUES (NEW.host, CASE NEW.visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE NEW.visibility END, 1)
    ON CONFLICT (host, visibility) DO UPDATE SET n = n + 1;
END;

-- Whose posts chat messages and votes are.
CREATE VIEW account_hosts AS SELECT id, CASE WHEN local THEN '' ELSE
  substr(substr(uri, instr(uri, '://') + 3), 1, instr(substr(uri, instr(uri, '://') + 3) || '/', '/') - 1) END AS host FROM accounts;

CREATE TRIGGER chat_messages_tally_insert AFTER INSERT ON chat_messages
BEGIN
  INSERT INTO status_tallies (host, visibility, n)
    VALUES (COALESCE((SELECT host FROM account_hosts WHERE id = NEW.account_id), ''), 'direct', 1)
    ON CONFLICT (host, visibility) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER chat_messages_tally_delete AFTER DELETE ON chat_messages
BEGIN
  UPDATE status_tallies SET n = n - 1 WHERE visibility = 'direct'
    AND host = COALESCE((SELECT host FROM account_hosts WHERE id = OLD.account_id), '');
END;
CREATE TRIGGER poll_votes_tally_insert AFTER INSERT ON poll_votes
BEGIN
  INSERT INTO status_tallies (host, visibility, n)
    VALUES (COALESCE((SELECT host FROM account_hosts WHERE id = NEW.account_id), ''), 'direct', 1)
    ON CONFLICT (host, visibility) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER poll_votes_tally_delete AFTER DELETE ON poll_votes
BEGIN
  UPDATE status_tallies SET n = n - 1 WHERE visibility = 'direct'
    AND host = COALESCE((SELECT host FROM account_hosts WHERE id = OLD.account_id), '');
END;

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
  n       INTEGER NOT NULL
);
CREATE TRIGGER apps_tally_insert AFTER INSERT ON apps
BEGIN
  INSERT INTO app_tallies (trusted, n) VALUES (NEW.trusted, 1) ON CONFLICT (trusted) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER apps_tally_delete AFTER DELETE ON apps
BEGIN
  UPDATE app_tallies SET n = n - 1 WHERE trusted = OLD.trusted;
END;
CREATE TRIGGER apps_tally_update AFTER UPDATE OF trusted ON apps WHEN NEW.trusted <> OLD.trusted
BEGIN
  UPDATE app_tallies SET n = n - 1 WHERE trusted = OLD.trusted;
  INSERT INTO app_tallies (trusted, n) VALUES (NEW.trusted, 1) ON CONFLICT (trusted) DO UPDATE SET n = n + 1;
END;
INSERT INTO app_tallies (trusted, n) SELECT trusted, COUNT(*) FROM apps GROUP BY trusted;

-- What goes with an app.
CREATE INDEX authorisations_app ON authorisations (app_id);
CREATE INDEX mfa_tokens_app     ON mfa_tokens (app_id) WHERE app_id IS NOT NULL;
