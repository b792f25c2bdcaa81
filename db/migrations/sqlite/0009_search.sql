-- Full text of public and unlisted posts. The words come from the program, one
-- blank between them, so that both databases find the same.
CREATE TABLE status_docs (
  doc       INTEGER PRIMARY KEY,
  status_id TEXT NOT NULL UNIQUE
);
CREATE VIRTUAL TABLE status_search USING fts5 (
  words, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co'"
);
CREATE TRIGGER statuses_unsearched AFTER DELETE ON statuses
BEGIN
  DELETE FROM status_search WHERE rowid = (SELECT doc FROM status_docs WHERE status_id = OLD.id);
  DELETE FROM status_docs WHERE status_id = OLD.id;
END;

-- The words of names.
CREATE TABLE account_words (
  word       TEXT NOT NULL,
  account_id TEXT NOT NULL,
  PRIMARY KEY (word, account_id)
) WITHOUT ROWID;
CREATE INDEX account_words_account ON account_words (account_id);

-- Hashes of those words, whole and with one letter left out: two words that
-- differ by one letter have one of them in common.
CREATE TABLE account_misspellings (
  hash       INTEGER NOT NULL,
  account_id TEXT    NOT NULL,
  PRIMARY KEY (hash, account_id)
) WITHOUT ROWID;
CREATE INDEX account_misspellings_account ON account_misspellings (account_id);

CREATE TRIGGER accounts_unsearched AFTER DELETE ON accounts
BEGIN
  DELETE FROM account_words WHERE account_id = OLD.id;
  DELETE FROM account_misspellings WHERE account_id = OLD.id;
END;

-- By the addresses that people paste.
CREATE INDEX statuses_url ON statuses (url) WHERE url <> '' AND NOT local;
CREATE INDEX accounts_url ON accounts (url) WHERE url <> '' AND NOT local;

-- Where to begin to index what is there already.
INSERT INTO meta (key, value) SELECT 'reindex_accounts', '' WHERE EXISTS (SELECT 1 FROM accounts);
INSERT INTO meta (key, value) SELECT 'reindex_statuses', '' WHERE EXISTS (SELECT 1 FROM statuses);
