package api

// CustomEmoji is an emoji that everybody on the instance can use. Category is
// the tags but for Custom, joined by commas.
type CustomEmoji struct {
	Shortcode       string       `json:"shortcode" schema:"filled"`
	URL             string       `json:"url" schema:"url"`
	StaticURL       string       `json:"static_url" schema:"url"`
	VisibleInPicker bool         `json:"visible_in_picker"`
	Tags            List[string] `json:"tags"`
	Category        string       `json:"category"`
}

// EmojiPicture is where an emoji's picture is, as a path below the server's
// address. GET /api/svc/emoji maps shortcodes to it.
type EmojiPicture struct {
	ImageURL string       `json:"image_url" schema:"filled"`
	Tags     List[string] `json:"tags"`
}

// EmojiPacks is a page of packs by their names; Count is of all.
type EmojiPacks struct {
	Packs map[string]EmojiPack `json:"packs"`
	Count int                  `json:"count"`
}

// EmojiPack is a page of a pack: file names by shortcode. FilesCount is of all.
type EmojiPack struct {
	Files      map[string]string `json:"files"`
	FilesCount int               `json:"files_count"`
	Pack       EmojiPackInfo     `json:"pack"`
}

// EmojiPackInfo is a pack's description. SHA256, in hex, is that of
// its archive.
type EmojiPackInfo struct {
	Description string `json:"description,omitempty"`
	Homepage    string `json:"homepage,omitempty"`
	License     string `json:"license,omitempty"`
	ShareFiles  bool   `json:"share-files"`
	CanDownload bool   `json:"can-download"`
	SHA256      string `json:"download-sha256,omitempty"`
}

// EmojiPageQuery selects a page of packs, or with Name of a pack. The first
// page is 1; a PageSize of 0 is 50.
type EmojiPageQuery struct {
	Name     string `json:"name,omitempty" form:"name"`
	Page     int    `json:"page,omitempty" form:"page"`
	PageSize int    `json:"page_size,omitempty" form:"page_size"`
}
