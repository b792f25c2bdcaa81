-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS users_mail_domain ON users (split_part(email_key, '@', 2), account_id);
