-- The size of a picture of this server as it is shown, 0 if it is unknown, and the point
-- that its cuts keep, from -1 to 1, NULL if nobody set one.
ALTER TABLE media_attachments ADD COLUMN width INTEGER NOT NULL DEFAULT 0;
ALTER TABLE media_attachments ADD COLUMN height INTEGER NOT NULL DEFAULT 0;
ALTER TABLE media_attachments ADD COLUMN focus_x REAL;
ALTER TABLE media_attachments ADD COLUMN focus_y REAL;
