-- Somebody's part in a thread of direct posts. recipients is whom he writes to
-- when he replies to it: account ids, sorted, with a space between them.
-- last_status_id is the newest direct post of the thread that he wrote or that
-- is addressed to him, '' when none is left.
CREATE TABLE participations (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id      TEXT NOT NULL,
  conversation_id INTEGER NOT NULL,
  unread          BOOLEAN NOT NULL DEFAULT FALSE,
  recipients      TEXT NOT NULL DEFAULT '',
  last_status_id  TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX participations_once  ON participations (account_id, conversation_id);
CREATE INDEX participations_conversation ON participations (conversation_id, account_id);
CREATE INDEX participations_recent       ON participations (account_id, last_status_id);
CREATE INDEX participations_recipients   ON participations (account_id, recipients, last_status_id);
CREATE INDEX participations_last         ON participations (last_status_id);
CREATE INDEX participations_unread       ON participations (account_id) WHERE unread;

-- Who wrote or was addressed in the direct posts that a participant can see,
-- himself included.
CREATE TABLE participation_accounts (
  participation_id INTEGER NOT NULL,
  account_id       TEXT NOT NULL,
  PRIMARY KEY (participation_id, account_id)
) WITHOUT ROWID;

-- Direct posts of before: all of them count as read.
INSERT INTO participations (account_id, conversation_id, last_status_id)
  SELECT x.account_id, x.conversation_id, MAX(x.status_id) FROM (
    SELECT s.account_id, s.conversation_id, s.id AS status_id
      FROM statuses s WHERE s.visibility = 'direct' AND s.conversation_id IS NOT NULL
    UNION ALL
    SELECT r.account_id, s.conversation_id, s.id
      FROM statuses s JOIN status_recipients r ON r.status_id = s.id
      WHERE s.visibility = 'direct' AND s.conversation_id IS NOT NULL
  ) x JOIN accounts a ON a.id = x.account_id WHERE a.local
  GROUP BY x.account_id, x.conversation_id;
INSERT INTO participation_accounts (participation_id, account_id)
  SELECT p.id, s.account_id FROM participations p
    JOIN statuses s ON s.conversation_id = p.conversation_id AND s.visibility = 'direct'
    WHERE s.account_id = p.account_id
      OR EXISTS (SELECT 1 FROM status_recipients m WHERE m.status_id = s.id AND m.account_id = p.account_id)
  UNION
  SELECT p.id, r.account_id FROM participations p
    JOIN statuses s ON s.conversation_id = p.conversation_id AND s.visibility = 'direct'
    JOIN status_recipients r ON r.status_id = s.id
    WHERE s.account_id = p.account_id
      OR EXISTS (SELECT 1 FROM status_recipients m WHERE m.status_id = s.id AND m.account_id = p.account_id);
UPDATE participations SET recipients = COALESCE((
  SELECT group_concat(x.account_id, ' ') FROM (
    SELECT account_id FROM participation_accounts WHERE participation_id = participations.id ORDER BY account_id LIMIT 101
  ) x), '');

-- Statuses that are to be posted later. day is that of scheduled_at, counted
-- from 1970 UTC; params is the status as it was asked for. refused says why it
-- was not posted when its time came.
CREATE TABLE scheduled_statuses (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id   TEXT NOT NULL,
  scheduled_at INTEGER NOT NULL,
  day          INTEGER NOT NULL,
  params       TEXT NOT NULL,
  refused      TEXT NOT NULL DEFAULT '',
  created_at   INTEGER NOT NULL
);
CREATE INDEX scheduled_statuses_account ON scheduled_statuses (account_id, id);
CREATE INDEX scheduled_statuses_day     ON scheduled_statuses (account_id, day);
CREATE INDEX scheduled_statuses_due     ON scheduled_statuses (scheduled_at) WHERE refused = '';

-- Files wait for the status they will be shown with.
ALTER TABLE media_attachments ADD COLUMN scheduled_status_id INTEGER;
CREATE INDEX media_attachments_scheduled ON media_attachments (scheduled_status_id, position) WHERE scheduled_status_id IS NOT NULL;
