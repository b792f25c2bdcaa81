-- A JSON list, NULL for any other text: a check reads rows that others have damaged.
CREATE FUNCTION json_list(value TEXT) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF value IN ('', '[]') THEN
    RETURN '[]';
  END IF;
  IF jsonb_typeof(CAST(value AS jsonb)) = 'array' THEN
    RETURN value;
  END IF;
  RETURN NULL;
EXCEPTION WHEN others THEN
  RETURN NULL;
END $$;

-- What a file contains, SHA-256 as hexadecimal text; '' for one whose contents no
-- check has seen yet.
ALTER TABLE stored_files ADD COLUMN hash TEXT COLLATE "C" NOT NULL DEFAULT '';
