-- Times of processes are the database's clock. since is when one began to say
-- that it lives, without a gap.
ALTER TABLE processes ADD COLUMN since BIGINT NOT NULL DEFAULT 0;

-- The hosts that a holder has.
CREATE INDEX delivery_hosts_held ON delivery_hosts (holder) WHERE holder <> '';

-- How much waits of each server, in bytes, without reading it.
ALTER TABLE inbox_items ADD COLUMN size BIGINT NOT NULL DEFAULT 0;
UPDATE inbox_items SET size = octet_length(body);
DROP INDEX inbox_items_host;
CREATE INDEX inbox_items_host ON inbox_items (host, size);
