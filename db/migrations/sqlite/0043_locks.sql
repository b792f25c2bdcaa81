-- Parts of names whose counts a search asked for: a job counts them.
CREATE TABLE wanted_counts (facet TEXT PRIMARY KEY) WITHOUT ROWID;
