-- Pictures of earlier releases are measured in the background, from the first one on.
INSERT INTO meta (key, value) VALUES ('measure_media', '') ON CONFLICT (key) DO NOTHING;
