-- Pushes that were handed to a push service, or were about to be when the process ended:
-- a job that is done again sends none of them twice.
CREATE TABLE pushes_sent (
  subscription_id INTEGER NOT NULL REFERENCES push_subscriptions (id) ON DELETE CASCADE,
  notification_id INTEGER NOT NULL,
  created_at      INTEGER NOT NULL,
  PRIMARY KEY (subscription_id, notification_id)
) WITHOUT ROWID;
CREATE INDEX pushes_sent_created ON pushes_sent (created_at);
