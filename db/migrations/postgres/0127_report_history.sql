-- Who changed the state last.
ALTER TABLE reports ADD COLUMN decided_by TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE reports ADD COLUMN decided_at BIGINT;
UPDATE reports SET decided_by = l.actor_id, decided_at = l.created_at
  FROM (SELECT DISTINCT ON (1) data::json -> 'subject' ->> 'id' AS report_id, actor_id, created_at FROM moderation_log
    WHERE action = 'report_update' ORDER BY 1, id DESC) l
  WHERE l.report_id = reports.id;
CREATE INDEX reports_account_state  ON reports (account_id, state, id);
CREATE INDEX reports_reporter_state ON reports (reporter_id, state, id);
CREATE INDEX reports_host_id        ON reports (host, id);
CREATE INDEX reports_host_state     ON reports (host, state, id);
CREATE INDEX reports_pair           ON reports (reporter_id, account_id, id);

-- How many reports there are by state: about an account ('about ID'), by one ('by ID')
-- and about those of a host ('at HOST').
CREATE TABLE report_counts (
  subject TEXT COLLATE "C" NOT NULL,
  state   TEXT COLLATE "C" NOT NULL,
  n       BIGINT NOT NULL,
  PRIMARY KEY (subject, state)
);
INSERT INTO report_counts SELECT 'about ' || account_id, state, COUNT(*) FROM reports GROUP BY 1, 2;
INSERT INTO report_counts SELECT 'by ' || reporter_id, state, COUNT(*) FROM reports GROUP BY 1, 2;
INSERT INTO report_counts SELECT 'at ' || host, state, COUNT(*) FROM reports GROUP BY 1, 2;
-- report_tallies is changed first: whoever changes reports waits there, and rows of
-- report_counts are locked in any order afterwards.
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
  IF TG_OP <> 'INSERT' THEN
    UPDATE report_counts SET n = n - 1 WHERE state = OLD.state AND subject IN ('about ' || OLD.account_id, 'by ' || OLD.reporter_id, 'at ' || OLD.host);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO report_counts (subject, state, n)
      VALUES ('about ' || NEW.account_id, NEW.state, 1), ('by ' || NEW.reporter_id, NEW.state, 1), ('at ' || NEW.host, NEW.state, 1)
      ON CONFLICT (subject, state) DO UPDATE SET n = report_counts.n + 1;
  END IF;
  RETURN NULL;
END $$;

-- The accounts that entries of the moderation log are about.
CREATE TABLE log_accounts (
  account_id TEXT COLLATE "C" NOT NULL,
  entry_id   BIGINT NOT NULL,
  PRIMARY KEY (account_id, entry_id)
);
INSERT INTO log_accounts
  SELECT DISTINCT j.found #>> '{}', l.id FROM moderation_log l CROSS JOIN LATERAL jsonb_path_query(l.data::jsonb - 'actor', 'strict $.**.account_id') AS j(found)
    WHERE jsonb_typeof(j.found) = 'string'
  ON CONFLICT DO NOTHING;
INSERT INTO log_accounts
  SELECT DISTINCT a.id, l.id FROM moderation_log l
    CROSS JOIN LATERAL jsonb_array_elements_text(COALESCE(l.data::jsonb -> 'nicknames', '[]')) AS j(nickname) JOIN accounts a ON a.nickname_key = lower(j.nickname)
    WHERE l.action IN ('tag', 'untag')
  ON CONFLICT DO NOTHING;
INSERT INTO log_accounts
  SELECT DISTINCT COALESCE(s.account_id, r.account_id), l.id
    FROM (SELECT id, COALESCE(data::jsonb ->> 'subject_id', data::jsonb -> 'subject' ->> 'id') AS status_id FROM moderation_log
      WHERE action IN ('status_update', 'status_delete')) l
    LEFT JOIN statuses s ON s.id = l.status_id
    LEFT JOIN report_statuses rs ON rs.status_id = l.status_id LEFT JOIN reports r ON r.id = rs.report_id
    WHERE COALESCE(s.account_id, r.account_id) IS NOT NULL
  ON CONFLICT DO NOTHING;

-- The names that accounts had before, until a moment: the newest ones of each.
CREATE TABLE account_names (
  account_id   TEXT COLLATE "C" NOT NULL,
  until        BIGINT NOT NULL,
  nickname     TEXT NOT NULL,
  display_name TEXT NOT NULL,
  PRIMARY KEY (account_id, until)
);
