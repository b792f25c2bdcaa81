-- What the admin's lists search by, so that neither finding nor counting reads
-- more the more there is.
--
-- A facet is something an account has: a part of its nickname of up to three
-- letters, written n…, such a part of its display name, d…, a tag, t…, or its
-- type, a…. They follow from the account's row. Longer parts, N… and D…, are
-- facets once somebody has asked for them and they were many.
CREATE TABLE asked_parts (
  id    INTEGER PRIMARY KEY AUTOINCREMENT,
  facet TEXT NOT NULL UNIQUE
);

CREATE TABLE gram_places (i INTEGER PRIMARY KEY);
INSERT INTO gram_places SELECT i FROM (WITH RECURSIVE p(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM p WHERE i < 2000) SELECT i FROM p);

-- Each facet of each listed account, once. posted: kept in account_facets; of
-- parts, those of three letters, and shorter ones with which the name ends.
CREATE VIEW account_facet_list AS
  SELECT a.serial, a.mask, a.nickname_key, 'n' || substr(a.nickname_key, p.i, g.i) AS facet,
      (g.i = 3 OR p.i + g.i - 1 = length(a.nickname_key)) AS posted
    FROM accounts a CROSS JOIN gram_places g CROSS JOIN gram_places p
    WHERE g.i <= 3 AND p.i <= length(a.nickname_key) - g.i + 1 AND a.mask & 64 = 0
      AND instr(a.nickname_key, substr(a.nickname_key, p.i, g.i)) = p.i
  UNION ALL
  SELECT a.serial, a.mask, a.nickname_key, 'd' || substr(a.display_name_key, p.i, g.i),
      (g.i = 3 OR p.i + g.i - 1 = length(a.display_name_key))
    FROM accounts a CROSS JOIN gram_places g CROSS JOIN gram_places p
    WHERE g.i <= 3 AND p.i <= length(a.display_name_key) - g.i + 1 AND a.mask & 64 = 0
      AND instr(a.display_name_key, substr(a.display_name_key, p.i, g.i)) = p.i
  UNION ALL
  SELECT a.serial, a.mask, a.nickname_key, 't' || t.value, 1
    FROM accounts a CROSS JOIN json_each(a.tags) t WHERE a.mask & 64 = 0
  UNION ALL
  SELECT a.serial, a.mask, a.nickname_key, 'a' || a.actor_type, 1 FROM accounts a WHERE a.mask & 64 = 0
  UNION ALL
  SELECT a.serial, a.mask, a.nickname_key, o.facet, 0 FROM accounts a CROSS JOIN asked_parts o
    WHERE a.mask & 64 = 0
      AND instr(CASE substr(o.facet, 1, 1) WHEN 'N' THEN a.nickname_key ELSE a.display_name_key END, substr(o.facet, 2)) > 0;

-- Who has a facet, in the order of the list.
CREATE TABLE account_facets (
  facet        TEXT NOT NULL,
  nickname_key TEXT NOT NULL,
  PRIMARY KEY (facet, nickname_key)
) WITHOUT ROWID;

-- How many accounts with which mask have a facet.
CREATE TABLE account_facet_tallies (
  facet TEXT    NOT NULL,
  mask  INTEGER NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (facet, mask)
) WITHOUT ROWID;

-- Accounts that are older than this, until a job has come to them.
CREATE TABLE account_facets_due (serial INTEGER PRIMARY KEY);
INSERT INTO account_facets_due SELECT serial FROM accounts;

CREATE TRIGGER accounts_facets_insert AFTER INSERT ON accounts
BEGIN
  INSERT INTO account_facets SELECT facet, nickname_key FROM account_facet_list WHERE serial = NEW.serial AND posted;
  INSERT INTO account_facet_tallies SELECT facet, mask, 1 FROM account_facet_list WHERE serial = NEW.serial
    ON CONFLICT (facet, mask) DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER accounts_facets_delete BEFORE DELETE ON accounts
  WHEN NOT EXISTS (SELECT 1 FROM account_facets_due WHERE serial = OLD.serial)
BEGIN
  UPDATE account_facet_tallies SET n = n - 1
    WHERE mask = OLD.mask AND facet IN (SELECT facet FROM account_facet_list WHERE serial = OLD.serial);
  DELETE FROM account_facets
    WHERE nickname_key = OLD.nickname_key AND facet IN (SELECT facet FROM account_facet_list WHERE serial = OLD.serial AND posted);
END;
CREATE TRIGGER accounts_facets_forget AFTER DELETE ON accounts
BEGIN
  DELETE FROM account_facets_due WHERE serial = OLD.serial;
END;
CREATE TRIGGER accounts_facets_before BEFORE UPDATE OF
  nickname_key, display_name_key, tags, actor_type,
  local, deactivated, approval_pending, confirmation_pending, is_admin, is_moderator, invisible ON accounts
  WHEN (NEW.nickname_key <> OLD.nickname_key OR NEW.display_name_key <> OLD.display_name_key OR NEW.tags <> OLD.tags
      OR NEW.actor_type <> OLD.actor_type OR NEW.local <> OLD.local OR NEW.deactivated <> OLD.deactivated
      OR NEW.approval_pending <> OLD.approval_pending OR NEW.confirmation_pending <> OLD.confirmation_pending
      OR NEW.is_admin <> OLD.is_admin OR NEW.is_moderator <> OLD.is_moderator OR NEW.invisible <> OLD.invisible)
    AND NOT EXISTS (SELECT 1 FROM account_facets_due WHERE serial = OLD.serial)
BEGIN
  UPDATE account_facet_tallies SET n = n - 1
    WHERE mask = OLD.mask AND facet IN (SELECT facet FROM account_facet_list WHERE serial = OLD.serial);
  DELETE FROM account_facets
    WHERE nickname_key = OLD.nickname_key AND facet IN (SELECT facet FROM account_facet_list WHERE serial = OLD.serial AND posted);
END;
CREATE TRIGGER accounts_facets_after AFTER UPDATE OF
  nickname_key, display_name_key, tags, actor_type,
  local, deactivated, approval_pending, confirmation_pending, is_admin, is_moderator, invisible ON accounts
  WHEN (NEW.nickname_key <> OLD.nickname_key OR NEW.display_name_key <> OLD.display_name_key OR NEW.tags <> OLD.tags
      OR NEW.actor_type <> OLD.actor_type OR NEW.local <> OLD.local OR NEW.deactivated <> OLD.deactivated
      OR NEW.approval_pending <> OLD.approval_pending OR NEW.confirmation_pending <> OLD.confirmation_pending
      OR NEW.is_admin <> OLD.is_admin OR NEW.is_moderator <> OLD.is_moderator OR NEW.invisible <> OLD.invisible)
    AND NOT EXISTS (SELECT 1 FROM account_facets_due WHERE serial = OLD.serial)
BEGIN
  INSERT INTO account_facets SELECT facet, nickname_key FROM account_facet_list WHERE serial = NEW.serial AND posted;
  INSERT INTO account_facet_tallies SELECT facet, mask, 1 FROM account_facet_list WHERE serial = NEW.serial
    ON CONFLICT (facet, mask) DO UPDATE SET n = n + 1;
END;

-- Accounts of one mask by nickname, for filters that few pass of many.
CREATE INDEX accounts_mask ON accounts (mask, nickname_key);

-- The moderation log in blocks of 64 entries, and which parts of three letters
-- the messages of each have, or shorter ones at their ends; and the actors, as
-- @ and their id.
CREATE TABLE log_grams (
  gram  TEXT    NOT NULL,
  block INTEGER NOT NULL,
  PRIMARY KEY (gram, block)
) WITHOUT ROWID;
CREATE VIEW log_gram_list AS
  SELECT l.id, l.id / 64 AS block, substr(l.search_key, p.i, 3) AS gram
    FROM moderation_log l CROSS JOIN gram_places p WHERE p.i <= length(l.search_key)
  UNION ALL
  SELECT l.id, l.id / 64, '@' || l.actor_id FROM moderation_log l;
CREATE TRIGGER moderation_log_grams AFTER INSERT ON moderation_log
BEGIN
  INSERT OR IGNORE INTO log_grams SELECT gram, block FROM log_gram_list WHERE id = NEW.id;
END;

-- Which entries are older than this: a job goes through them from the newest.
INSERT INTO meta (key, value) SELECT 'reindex_log', CAST(MAX(id) AS TEXT) FROM moderation_log HAVING MAX(id) IS NOT NULL;
