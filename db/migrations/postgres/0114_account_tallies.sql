-- Those who make or change accounts at once must not wait for each other over the
-- numbers of accounts by mask, and by facet and mask. Each writes down what it changes,
-- and that is added up now and then: the views have both.
CREATE TABLE account_tally_changes (
  mask BIGINT NOT NULL,
  n    BIGINT NOT NULL
);
CREATE VIEW account_tallies_now AS
  SELECT mask, n FROM account_tallies
  UNION ALL
  SELECT mask, n FROM account_tally_changes;

CREATE TABLE account_facet_changes (
  facet TEXT COLLATE "C" NOT NULL,
  mask  BIGINT NOT NULL,
  n     BIGINT NOT NULL
);
CREATE INDEX account_facet_changes_facet ON account_facet_changes (facet);
CREATE VIEW account_facet_tallies_now AS
  SELECT facet, mask, n FROM account_facet_tallies
  UNION ALL
  SELECT facet, mask, n FROM account_facet_changes;

CREATE OR REPLACE FUNCTION tally_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO account_tally_changes (mask, n) VALUES (NEW.mask, 1);
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO account_tally_changes (mask, n) VALUES (OLD.mask, -1);
  ELSIF NEW.mask <> OLD.mask THEN
    INSERT INTO account_tally_changes (mask, n) VALUES (OLD.mask, -1), (NEW.mask, 1);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION facet_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (NEW.mask, NEW.nickname_key, NEW.display_name_key, NEW.tags, NEW.actor_type)
      = (OLD.mask, OLD.nickname_key, OLD.display_name_key, OLD.tags, OLD.actor_type) THEN
    RETURN NULL;
  END IF;
  -- Who asks for the count of a part of names locks this table alone, so that the
  -- parts that are asked for stay until this transaction ends.
  LOCK TABLE account_tally_changes IN ROW EXCLUSIVE MODE;
  IF TG_OP <> 'INSERT' AND EXISTS (SELECT 1 FROM account_facets_due WHERE serial = OLD.serial) THEN
    IF TG_OP = 'DELETE' THEN
      DELETE FROM account_facets_due WHERE serial = OLD.serial;
    END IF;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' AND OLD.mask & 64 = 0 THEN
    INSERT INTO account_facet_changes SELECT f.facet, OLD.mask, -1
      FROM facets_of(OLD.nickname_key, OLD.display_name_key, OLD.tags, OLD.actor_type) f;
    DELETE FROM account_facets x USING facets_of(OLD.nickname_key, OLD.display_name_key, OLD.tags, OLD.actor_type) f
      WHERE f.posted AND x.facet = f.facet AND x.nickname_key = OLD.nickname_key;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.mask & 64 = 0 THEN
    INSERT INTO account_facets SELECT f.facet, NEW.nickname_key
      FROM facets_of(NEW.nickname_key, NEW.display_name_key, NEW.tags, NEW.actor_type) f WHERE f.posted;
    INSERT INTO account_facet_changes SELECT f.facet, NEW.mask, 1
      FROM facets_of(NEW.nickname_key, NEW.display_name_key, NEW.tags, NEW.actor_type) f;
  END IF;
  RETURN NULL;
END $$;
