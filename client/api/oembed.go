package api

// OEmbed is a status in a form that other sites show within theirs. Shape:
// oEmbed 1.0, rich. HTML runs nothing; Height hangs on the text, so it is null.
type OEmbed struct {
	Type         string `json:"type" schema:"enum=rich"` // rich
	Version      string `json:"version" schema:"filled"` // 1.0
	Title        string `json:"title"`
	AuthorName   string `json:"author_name"`
	AuthorURL    string `json:"author_url" schema:"url"`
	ProviderName string `json:"provider_name"`
	ProviderURL  string `json:"provider_url" schema:"url"`
	CacheAge     int    `json:"cache_age"` // seconds
	HTML         string `json:"html" schema:"filled"`
	Width        int    `json:"width"`
	Height       *int   `json:"height"`
}

// OEmbedQuery selects a status by its address. A MaxWidth of 0 is 400.
type OEmbedQuery struct {
	URL      string `json:"url" form:"url"`
	MaxWidth int    `json:"maxwidth,omitempty" form:"maxwidth"`
}
