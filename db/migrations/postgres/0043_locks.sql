-- A change of mask changes two tallies, in their order, so that changes in
-- opposite directions do not wait for each other.
CREATE OR REPLACE FUNCTION tally_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO account_tallies (mask, n) VALUES (NEW.mask, 1)
      ON CONFLICT (mask) DO UPDATE SET n = account_tallies.n + 1;
  ELSIF TG_OP = 'DELETE' THEN
    UPDATE account_tallies SET n = n - 1 WHERE mask = OLD.mask;
  ELSIF NEW.mask <> OLD.mask THEN
    INSERT INTO account_tallies (mask, n)
      SELECT mask, n FROM (VALUES (OLD.mask, -1), (NEW.mask, 1)) v (mask, n) ORDER BY mask
      ON CONFLICT (mask) DO UPDATE SET n = account_tallies.n + excluded.n;
  END IF;
  RETURN NULL;
END $$;

-- Parts of names whose counts a search asked for: a job counts them.
CREATE TABLE wanted_counts (facet TEXT COLLATE "C" PRIMARY KEY);
