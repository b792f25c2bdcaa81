-- Names of hashtags are in one case and one Unicode form. A job renames the older
-- ones, from here on.
INSERT INTO meta (key, value) VALUES ('rename_tags', '') ON CONFLICT (key) DO NOTHING;
