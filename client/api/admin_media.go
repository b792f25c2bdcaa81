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

// Document is where people find one of the instance's documents.
type Document struct {
	URL string `json:"url"`
}
