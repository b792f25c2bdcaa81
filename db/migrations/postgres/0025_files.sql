-- The lengths of the files in the media store. A file of another length was cut
-- off, and is not given out.
CREATE TABLE stored_files (
  name TEXT COLLATE "C" PRIMARY KEY,
  size BIGINT NOT NULL
);

INSERT INTO stored_files (name, size) SELECT file, MAX(size) FROM media_attachments WHERE file <> '' AND size > 0 GROUP BY file;
