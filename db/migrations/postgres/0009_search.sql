-- Full text of public and unlisted posts. The words come from the program, so
-- that both databases find the same.
CREATE TABLE status_search (
  status_id TEXT COLLATE "C" PRIMARY KEY,
  words     tsvector NOT NULL
);
CREATE INDEX status_search_words ON status_search USING gin (words);
CREATE FUNCTION unsearch_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM status_search WHERE status_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER statuses_unsearched AFTER DELETE ON statuses FOR EACH ROW EXECUTE FUNCTION unsearch_status();

-- The words of names.
CREATE TABLE account_words (
  word       TEXT COLLATE "C" NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (word, account_id)
);
CREATE INDEX account_words_account ON account_words (account_id);

-- Hashes of those words, whole and with one letter left out: two words that
-- differ by one letter have one of them in common.
CREATE TABLE account_misspellings (
  hash       BIGINT NOT NULL,
  account_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (hash, account_id)
);
CREATE INDEX account_misspellings_account ON account_misspellings (account_id);

CREATE FUNCTION unsearch_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM account_words WHERE account_id = OLD.id;
  DELETE FROM account_misspellings WHERE account_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_unsearched AFTER DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION unsearch_account();

-- By the addresses that people paste.
CREATE INDEX statuses_url ON statuses (url) WHERE url <> '' AND NOT local;
CREATE INDEX accounts_url ON accounts (url) WHERE url <> '' AND NOT local;

-- Where to begin to index what is there already.
INSERT INTO meta (key, value) SELECT 'reindex_accounts', '' WHERE EXISTS (SELECT 1 FROM accounts);
INSERT INTO meta (key, value) SELECT 'reindex_statuses', '' WHERE EXISTS (SELECT 1 FROM statuses);
