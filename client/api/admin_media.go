package api

// MediaBanQuery selects a page of the files that are not given out, those first
// that were banned first. Query is part of an address, in any case; Page counts
// from 1; PageSize 0 is 50.
type MediaBanQuery struct {
	Page     int    `json:"page,omitempty" form:"page"`
	PageSize int    `json:"page_size,omitempty" form:"page_size"`
	Query    string `json:"query,omitempty" form:"query"`
}

// MediaBans is the answer to a MediaBanQuery. URLs are as people are given
// them: those of the media proxy for files that go through it. Count is of all
// that match.
type MediaBans struct {
	URLs     List[string] `json:"urls"`
	Count    int          `json:"count"`
	PageSize int          `json:"page_size"`
}

// MediaURLs names files, by their own addresses or as they are listed.
type MediaURLs struct {
	URLs List[string] `json:"urls"`
}

// MediaPurge is the form of POST /api/svc/admin/media_proxy_caches/purge. With
// Ban nil the files are banned, too.
type MediaPurge struct {
	URLs List[string] `json:"urls"`
	Ban  *bool        `json:"ban,omitempty"`
}

// CachedMediaQuery selects files of other servers in the cache of the media proxy:
// those from Host, which may be *.host for it and all below it, that were fetched
// before Before, 2006-01-02T15:04:05 with an optional zone, by default UTC. Both may be
// empty to look; to purge, at least one is needed.
type CachedMediaQuery struct {
	Host   string `json:"host,omitempty" form:"host"`
	Before string `json:"before,omitempty" form:"before"`
}

// CachedMedia counts cached files, with their previews. Hosts are the first
// MaxCachedHosts of those that they come from, the largest first.
type CachedMedia struct {
	Files int                   `json:"files"`
	Bytes int64                 `json:"bytes"`
	Hosts List[CachedMediaHost] `json:"hosts"`
}

// MaxCachedHosts bounds the hosts of one answer.
const MaxCachedHosts = 1000

// CachedMediaHost counts the cached files from one host.
type CachedMediaHost struct {
	Host     string `json:"host"`
	Files    int    `json:"files"`
	Bytes    int64  `json:"bytes"`
	OldestAt Time   `json:"oldest_at"`
}

// Document is where people find one of the instance's documents.
type Document struct {
	URL string `json:"url"`
}
