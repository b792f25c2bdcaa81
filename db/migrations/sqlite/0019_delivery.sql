-- The rows of a host are one process's at a time, not each row somebody's.
ALTER TABLE deliveries DROP COLUMN claimed_by;

-- next_at is 0 until a delivery was tried in vain: what was not comes by its
-- priority, the rest by its time.
DROP INDEX deliveries_host;
CREATE INDEX deliveries_host ON deliveries (host, next_at, priority, id);

-- The hosts that something waits for, so that no one looks through deliveries
-- to find them.
CREATE TABLE delivery_hosts (
  host     TEXT    PRIMARY KEY,
  priority INTEGER NOT NULL, -- of the most urgent that waits
  due_at   INTEGER NOT NULL, -- nothing is to be done before
  waiting  INTEGER NOT NULL, -- deliveries
  holder   TEXT    NOT NULL DEFAULT '' -- the process that sends to it now
) WITHOUT ROWID;
CREATE INDEX delivery_hosts_due ON delivery_hosts (priority, due_at) WHERE holder = '';

-- Inboxes that answered that they are gone for good.
CREATE TABLE gone_inboxes (
  inbox TEXT    PRIMARY KEY,
  host  TEXT    NOT NULL,
  at    INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX gone_inboxes_host ON gone_inboxes (host);

-- Every inbox there is: those of servers, and those of accounts without one.
CREATE INDEX accounts_shared_inbox ON accounts (shared_inbox) WHERE NOT local AND shared_inbox <> '';
CREATE INDEX accounts_inbox        ON accounts (inbox) WHERE NOT local AND shared_inbox = '';

CREATE INDEX instances_failing ON instances (host) WHERE failures > 0;
CREATE INDEX activities_waiting ON activities (object_uri, id) WHERE distributed_at IS NULL AND object_uri <> '';
