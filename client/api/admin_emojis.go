package api

import "encoding/json"

// AdminEmojiQuery selects a page of the custom emoji, by shortcode: those with Query in
// the shortcode, in any case, of a Pack, in a State. With Host they are those of
// another server, from the latest of its posts that this one knows. Page counts from
// 1; PageSize 0 is 50, and it is at most MaxEmojiPage.
type AdminEmojiQuery struct {
	Query    string `json:"query,omitempty" form:"query"`
	Pack     string `json:"pack,omitempty" form:"pack"`
	State    string `json:"state,omitempty" form:"state"`
	Host     string `json:"host,omitempty" form:"host"`
	Page     int    `json:"page,omitempty" form:"page"`
	PageSize int    `json:"page_size,omitempty" form:"page_size"`
}

// MaxEmojiPage is the longest page of emoji.
const MaxEmojiPage = 500

// The states of custom emoji. A disabled one is neither offered nor found in new
// texts. A remote one is of another server.
const (
	EmojiEnabled  = "enabled"
	EmojiDisabled = "disabled"
	EmojiRemote   = "remote"
)

// AdminEmojis is the answer to an AdminEmojiQuery. Count is of all that match.
type AdminEmojis struct {
	Emojis   List[AdminEmoji] `json:"emojis"`
	Count    int              `json:"count"`
	PageSize int              `json:"page_size"`
}

// AdminEmoji is a custom emoji as admins see it. A remote one has a Host, and no Pack,
// File and Tags.
type AdminEmoji struct {
	Shortcode string       `json:"shortcode"`
	URL       string       `json:"url"`
	State     string       `json:"state"`
	Pack      string       `json:"pack"`
	File      string       `json:"file"`
	Tags      List[string] `json:"tags"`
	Host      string       `json:"host"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes an emoji and keeps its bytes in Raw.
func (e *AdminEmoji) UnmarshalJSON(data []byte) error {
	type plain AdminEmoji
	if err := json.Unmarshal(data, (*plain)(e)); err != nil {
		return err
	}
	e.Raw = keep(data)
	return nil
}

// EmojiChange is the form of PATCH /api/svc/admin/emoji.
type EmojiChange struct {
	Shortcodes List[string] `json:"shortcodes"`
	Enabled    bool         `json:"enabled"`
}

// NewEmoji is the form of POST /api/svc/emoji/packs/files. Name is of a pack; ""
// is custom, which is made when it is needed. File is the address of a picture, where
// no picture is sent under this name. Shortcode "" is the file's name.
type NewEmoji struct {
	Name      string `json:"name,omitempty" form:"name"`
	Shortcode string `json:"shortcode,omitempty" form:"shortcode"`
	File      string `json:"file,omitempty" form:"file"`
}

// PackEmoji names an emoji of a pack.
type PackEmoji struct {
	Name      string `json:"name" form:"name"`
	Shortcode string `json:"shortcode" form:"shortcode"`
}

// EmojiRenaming is the form of PATCH /api/svc/emoji/packs/files: the emoji Shortcode of the
// pack Name gets NewShortcode, and its picture NewFilename; "" keeps the name of the picture
// where it can. Force takes a shortcode that another emoji has.
type EmojiRenaming struct {
	Name         string `json:"name" form:"name"`
	Shortcode    string `json:"shortcode" form:"shortcode"`
	NewShortcode string `json:"new_shortcode" form:"new_shortcode"`
	NewFilename  string `json:"new_filename,omitempty" form:"new_filename"`
	Force        bool   `json:"force,omitempty" form:"force"`
}

// EmojiPackForm is the form of PATCH /api/svc/emoji/pack. Metadata are texts by name,
// such as license, and the boolean share-files; null or "" removes a text.
type EmojiPackForm struct {
	Name     string         `json:"name"`
	Metadata map[string]any `json:"metadata"`
}

// EmojiPackName names a pack.
type EmojiPackName struct {
	Name string `json:"name" form:"name"`
}

// RemotePackQuery asks for a page of the packs of the server at URL.
type RemotePackQuery struct {
	URL      string `json:"url" form:"url"`
	Page     int    `json:"page,omitempty" form:"page"`
	PageSize int    `json:"page_size,omitempty" form:"page_size"`
}

// PackDownload is the form of POST /api/svc/emoji/packs/download: the pack Name of the
// server at URL becomes the pack As, by default of the same name.
type PackDownload struct {
	URL  string `json:"url"`
	Name string `json:"name"`
	As   string `json:"as,omitempty"`
}

// PackArchive is the form of POST /api/svc/emoji/packs/download_zip: the zip archive
// at URL, or the file that is sent, becomes the pack Name.
type PackArchive struct {
	Name string `json:"name"`
	URL  string `json:"url,omitempty"`
}

// ImportedPack is a pack that was imported, with up to MaxEmojiPage of its files by
// shortcode. Skipped are files of the archive that are not in it, with the reason.
type ImportedPack struct {
	Name         string            `json:"name"`
	Files        map[string]string `json:"files"`
	FilesCount   int               `json:"files_count"`
	Pack         EmojiPackInfo     `json:"pack"`
	Skipped      map[string]string `json:"skipped"`
	SkippedCount int               `json:"skipped_count"`
}
