-- Who changed the state last.
ALTER TABLE reports ADD COLUMN decided_by TEXT NOT NULL DEFAULT '';
ALTER TABLE reports ADD COLUMN decided_at INTEGER;
UPDATE reports SET decided_by = l.actor_id, decided_at = l.created_at
  FROM (SELECT json_extract(data, '$.subject.id') AS report_id, actor_id, created_at, MAX(id) FROM moderation_log
    WHERE action = 'report_update' AND json_valid(data) GROUP BY 1) l
  WHERE l.report_id = reports.id;
CREATE INDEX reports_account_state  ON reports (account_id, state, id);
CREATE INDEX reports_reporter_state ON reports (reporter_id, state, id);
CREATE INDEX reports_host_id        ON reports (host, id);
CREATE INDEX reports_host_state     ON reports (host, state, id);
CREATE INDEX reports_pair           ON reports (reporter_id, account_id, id);

-- How many reports there are by state: about an account ('about ID'), by one ('by ID')
-- and about those of a host ('at HOST').
CREATE TABLE report_counts (
  subject TEXT    NOT NULL,
  state   TEXT    NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (subject, state)
) WITHOUT ROWID;
INSERT INTO report_counts SELECT 'about ' || account_id, state, COUNT(*) FROM reports GROUP BY 1, 2;
INSERT INTO report_counts SELECT 'by ' || reporter_id, state, COUNT(*) FROM reports GROUP BY 1, 2;
INSERT INTO report_counts SELECT 'at ' || host, state, COUNT(*) FROM reports GROUP BY 1, 2;
CREATE TRIGGER reports_count_insert AFTER INSERT ON reports
BEGIN
  INSERT INTO report_counts (subject, state, n) VALUES ('about ' || NEW.account_id, NEW.state, 1), ('by ' || NEW.reporter_id, NEW.state, 1),
    -- Another trigger may not have filled the host yet.
    ('at ' || COALESCE((SELECT domain FROM accounts WHERE NOT local AND id = NEW.account_id), ''), NEW.state, 1)
    ON CONFLICT (subject, state) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER reports_count_delete AFTER DELETE ON reports
BEGIN
  UPDATE report_counts SET n = n - 1 WHERE state = OLD.state AND subject IN ('about ' || OLD.account_id, 'by ' || OLD.reporter_id, 'at ' || OLD.host);
END;
CREATE TRIGGER reports_count_update AFTER UPDATE OF state ON reports WHEN NEW.state <> OLD.state
BEGIN
  UPDATE report_counts SET n = n - 1 WHERE state = OLD.state AND subject IN ('about ' || OLD.account_id, 'by ' || OLD.reporter_id, 'at ' || OLD.host);
  INSERT INTO report_counts (subject, state, n) VALUES ('about ' || NEW.account_id, NEW.state, 1), ('by ' || NEW.reporter_id, NEW.state, 1), ('at ' || NEW.host, NEW.state, 1)
    ON CONFLICT (subject, state) DO UPDATE SET n = n + 1;
END;

-- The accounts that entries of the moderation log are about.
CREATE TABLE log_accounts (
  account_id TEXT    NOT NULL,
  entry_id   INTEGER NOT NULL,
  PRIMARY KEY (account_id, entry_id)
) WITHOUT ROWID;
INSERT OR IGNORE INTO log_accounts
  SELECT j.value, l.id FROM moderation_log l, json_tree(CASE WHEN json_valid(l.data) THEN l.data ELSE '{}' END) j
    WHERE j.key = 'account_id' AND j.path <> '$.actor' AND j.type = 'text';
INSERT OR IGNORE INTO log_accounts
  SELECT a.id, l.id FROM moderation_log l, json_each(CASE WHEN json_valid(l.data) THEN l.data ELSE '{}' END, '$.nicknames') j JOIN accounts a ON a.nickname_key = lower(j.value)
    WHERE l.action IN ('tag', 'untag');
INSERT OR IGNORE INTO log_accounts
  SELECT COALESCE(s.account_id, r.account_id), l.id
    FROM (SELECT id, COALESCE(json_extract(data, '$.subject_id'), json_extract(data, '$.subject.id')) AS status_id FROM moderation_log
      WHERE action IN ('status_update', 'status_delete') AND json_valid(data)) l
    LEFT JOIN statuses s ON s.id = l.status_id
    LEFT JOIN report_statuses rs ON rs.status_id = l.status_id LEFT JOIN reports r ON r.id = rs.report_id
    WHERE COALESCE(s.account_id, r.account_id) IS NOT NULL;

-- The names that accounts had before, until a moment: the newest ones of each.
CREATE TABLE account_names (
  account_id   TEXT    NOT NULL,
  until        INTEGER NOT NULL,
  nickname     TEXT    NOT NULL,
  display_name TEXT    NOT NULL,
  PRIMARY KEY (account_id, until)
) WITHOUT ROWID;
