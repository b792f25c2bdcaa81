-- What the admin's lists search by, so that neither finding nor counting reads
-- more the more there is.
--
-- A facet is something an account has: a part of its nickname of up to three
-- letters, written n…, such a part of its display name, d…, a tag, t…, or its
-- type, a…. They follow from the account's row. posted: kept in account_facets;
-- of parts, those of three letters, and shorter ones with which the name ends.
CREATE FUNCTION facets_of(nickname TEXT, name TEXT, tags TEXT, actor_type TEXT) RETURNS TABLE (facet TEXT, posted BOOLEAN)
  LANGUAGE sql IMMUTABLE ROWS 60 AS $$
  SELECT 'n' || substr(nickname, p, g), g = 3 OR p + g - 1 = length(nickname)
    FROM generate_series(1, 3) g, generate_series(1, least(length(nickname), 2000) - g + 1) p
    WHERE strpos(nickname, substr(nickname, p, g)) = p
  UNION ALL
  SELECT 'd' || substr(name, p, g), g = 3 OR p + g - 1 = length(name)
    FROM generate_series(1, 3) g, generate_series(1, least(length(name), 2000) - g + 1) p
    WHERE strpos(name, substr(name, p, g)) = p
  UNION ALL
  SELECT 't' || t, TRUE FROM jsonb_array_elements_text(CAST(tags AS jsonb)) t
  UNION ALL
  SELECT 'a' || actor_type, TRUE
$$;
CREATE VIEW account_facet_list AS
  SELECT a.serial, a.mask, a.nickname_key, f.facet, f.posted
    FROM accounts a CROSS JOIN LATERAL facets_of(a.nickname_key, a.display_name_key, a.tags, a.actor_type) f
    WHERE a.mask & 64 = 0;

-- Who has a facet, in the order of the list.
CREATE TABLE account_facets (
  facet        TEXT COLLATE "C" NOT NULL,
  nickname_key TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (facet, nickname_key)
);

-- How many accounts with which mask have a facet. What all have changes with
-- every account, so pages have room for it.
CREATE TABLE account_facet_tallies (
  facet TEXT COLLATE "C" NOT NULL,
  mask  BIGINT NOT NULL,
  n     BIGINT NOT NULL,
  PRIMARY KEY (facet, mask)
) WITH (fillfactor = 70);

-- Accounts that are older than this, until a job has come to them.
CREATE TABLE account_facets_due (serial BIGINT PRIMARY KEY);
INSERT INTO account_facets_due SELECT serial FROM accounts;

CREATE FUNCTION facet_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (NEW.mask, NEW.nickname_key, NEW.display_name_key, NEW.tags, NEW.actor_type)
      = (OLD.mask, OLD.nickname_key, OLD.display_name_key, OLD.tags, OLD.actor_type) THEN
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' AND EXISTS (SELECT 1 FROM account_facets_due WHERE serial = OLD.serial) THEN
    IF TG_OP = 'DELETE' THEN
      DELETE FROM account_facets_due WHERE serial = OLD.serial;
    END IF;
    RETURN NULL;
  END IF;
  -- Two who change the same tallies wait here, instead of each for the other.
  IF TG_OP = 'UPDATE' THEN
    PERFORM 1 FROM account_tallies WHERE mask IN (OLD.mask, NEW.mask) ORDER BY mask FOR UPDATE;
  END IF;
  IF TG_OP <> 'INSERT' AND OLD.mask & 64 = 0 THEN
    UPDATE account_facet_tallies t SET n = t.n - 1
      FROM facets_of(OLD.nickname_key, OLD.display_name_key, OLD.tags, OLD.actor_type) f
      WHERE t.facet = f.facet AND t.mask = OLD.mask;
    DELETE FROM account_facets x USING facets_of(OLD.nickname_key, OLD.display_name_key, OLD.tags, OLD.actor_type) f
      WHERE f.posted AND x.facet = f.facet AND x.nickname_key = OLD.nickname_key;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.mask & 64 = 0 THEN
    INSERT INTO account_facets SELECT f.facet, NEW.nickname_key
      FROM facets_of(NEW.nickname_key, NEW.display_name_key, NEW.tags, NEW.actor_type) f WHERE f.posted;
    INSERT INTO account_facet_tallies SELECT f.facet, NEW.mask, 1
      FROM facets_of(NEW.nickname_key, NEW.display_name_key, NEW.tags, NEW.actor_type) f ORDER BY 1
      ON CONFLICT (facet, mask) DO UPDATE SET n = account_facet_tallies.n + 1;
  END IF;
  RETURN NULL;
END $$;
-- By its name it comes after accounts_tally, which has others of the mask wait.
CREATE TRIGGER accounts_tally_facets AFTER INSERT OR DELETE OR UPDATE OF
  nickname_key, display_name_key, tags, actor_type,
  local, deactivated, approval_pending, confirmation_pending, is_admin, is_moderator, invisible
  ON accounts FOR EACH ROW EXECUTE FUNCTION facet_account();

-- Accounts of one mask by nickname, for filters that few pass of many.
CREATE INDEX accounts_mask ON accounts (mask, nickname_key);

-- The moderation log in blocks of 64 entries, and which parts of three letters
-- the messages of each have, or shorter ones at their ends; and the actors, as
-- @ and their id.
CREATE TABLE log_grams (
  gram  TEXT COLLATE "C" NOT NULL,
  block BIGINT NOT NULL,
  PRIMARY KEY (gram, block)
);
CREATE VIEW log_gram_list AS
  SELECT l.id, l.id / 64 AS block, substr(l.search_key, p, 3) AS gram
    FROM moderation_log l, generate_series(1, least(length(l.search_key), 2000)) p
  UNION ALL
  SELECT l.id, l.id / 64, '@' || l.actor_id FROM moderation_log l;
INSERT INTO log_grams SELECT DISTINCT gram, block FROM log_gram_list;
-- Entries share parts: who writes one waits for who has, and not for each other.
CREATE FUNCTION gram_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7327172);
  INSERT INTO log_grams SELECT DISTINCT gram, block FROM log_gram_list WHERE id = NEW.id ORDER BY 1
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER moderation_log_grams AFTER INSERT ON moderation_log FOR EACH ROW EXECUTE FUNCTION gram_log();
