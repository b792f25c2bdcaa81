-- The size of a picture of this server as it is shown, 0 if it is unknown, and the point
-- that its cuts keep, from -1 to 1, NULL if nobody set one.
ALTER TABLE media_attachments ADD COLUMN width BIGINT NOT NULL DEFAULT 0;
ALTER TABLE media_attachments ADD COLUMN height BIGINT NOT NULL DEFAULT 0;
ALTER TABLE media_attachments ADD COLUMN focus_x DOUBLE PRECISION;
ALTER TABLE media_attachments ADD COLUMN focus_y DOUBLE PRECISION;
