-- A filter has a title, keywords and statuses. The ids of the filters of before are now
-- those of their keywords. A filter without a title was created by the version before,
-- which reads and writes phrase and whole_word. version counts the changes of all filters
-- of an account.
ALTER TABLE filters ADD COLUMN title TEXT;
ALTER TABLE filters ADD COLUMN blur BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE filter_numbers ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

CREATE TABLE filter_keywords (
  account_id TEXT NOT NULL,
  number     INTEGER NOT NULL,
  filter     INTEGER NOT NULL,
  keyword    TEXT NOT NULL,
  whole_word BOOLEAN NOT NULL,
  PRIMARY KEY (account_id, number)
);
CREATE INDEX filter_keywords_filter ON filter_keywords (account_id, filter, number);

CREATE TABLE filter_statuses (
  account_id TEXT NOT NULL,
  number     INTEGER NOT NULL,
  filter     INTEGER NOT NULL,
  status_id  TEXT NOT NULL,
  PRIMARY KEY (account_id, number)
);
CREATE UNIQUE INDEX filter_statuses_filter ON filter_statuses (account_id, filter, status_id);
CREATE INDEX filter_statuses_status ON filter_statuses (status_id, account_id, number);

INSERT INTO filter_keywords SELECT account_id, number, number, phrase, whole_word FROM filters;
UPDATE filters SET title = SUBSTR(phrase, 1, 256);
CREATE INDEX filters_untitled ON filters (account_id, number) WHERE title IS NULL;
