-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS activities_claimed ON activities (id) WHERE claimed_by <> '';
