-- What others are told of at intervals: profiles and the votes of polls. id is
-- the account's or the status's; due_at is when they are to be told, or were.
CREATE TABLE paced_updates (
  id      TEXT COLLATE "C" PRIMARY KEY,
  due_at  BIGINT NOT NULL,
  pending BOOLEAN NOT NULL
);
