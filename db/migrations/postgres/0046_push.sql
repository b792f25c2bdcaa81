-- Where the notifications of an account are pushed to: a device for each token,
-- which ends with it.
CREATE TABLE push_subscriptions (
  id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  token_id     BIGINT NOT NULL UNIQUE REFERENCES tokens (id) ON DELETE CASCADE,
  account_id   TEXT COLLATE "C" NOT NULL,
  endpoint     TEXT COLLATE "C" NOT NULL,
  p256dh       TEXT COLLATE "C" NOT NULL, -- the device's public key
  auth         TEXT COLLATE "C" NOT NULL, -- the device's secret
  access_token TEXT COLLATE "C" NOT NULL, -- sealed: messages name it
  alerts       TEXT COLLATE "C" NOT NULL, -- types of notifications, separated by spaces
  policy       TEXT COLLATE "C" NOT NULL,
  created_at   BIGINT NOT NULL
);
CREATE INDEX push_subscriptions_account ON push_subscriptions (account_id, id);
