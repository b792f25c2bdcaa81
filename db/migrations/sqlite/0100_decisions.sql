-- A decision of a moderator stands in sensitive or visibility; then these have
-- what the author says. NULL and '' are no decision.
ALTER TABLE statuses ADD COLUMN author_sensitive BOOLEAN;
ALTER TABLE statuses ADD COLUMN author_visibility TEXT NOT NULL DEFAULT '';
