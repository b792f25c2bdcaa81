-- Where the notifications of an account are pushed to: a device for each token,
-- which ends with it.
CREATE TABLE push_subscriptions (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  token_id     INTEGER NOT NULL UNIQUE REFERENCES tokens (id) ON DELETE CASCADE,
  account_id   TEXT    NOT NULL,
  endpoint     TEXT    NOT NULL,
  p256dh       TEXT    NOT NULL, -- the device's public key
  auth         TEXT    NOT NULL, -- the device's secret
  access_token TEXT    NOT NULL, -- sealed: messages name it
  alerts       TEXT    NOT NULL, -- types of notifications, separated by spaces
  policy       TEXT    NOT NULL,
  created_at   INTEGER NOT NULL
);
CREATE INDEX push_subscriptions_account ON push_subscriptions (account_id, id);
