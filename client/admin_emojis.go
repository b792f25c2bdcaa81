package client

import (
	"context"
	"net/http"
	"net/url"

	"svc/client/api"
)

const (
	adminEmojiPath = adminPath + "/emoji"
	packFilesPath  = "/api/svc/emoji/packs/files"
)

// AdminEmojis is the custom emoji, as admins change them.
type AdminEmojis struct{ c *Client }

// Reload has every process read the pictures from disk anew. POST
// /api/svc/admin/reload_emoji.
func (s *AdminEmojis) Reload(ctx context.Context) error {
	in := Request{Method: http.MethodPost, Repeatable: true}
	return perform(ctx, s.c, in, []string{adminPath + "/reload_emoji"})
}

// List returns the emoji, disabled ones too, by shortcode. GET /api/svc/admin/emoji.
func (s *AdminEmojis) List(query api.AdminEmojiQuery) Listing[api.AdminEmoji] {
	read := func(a api.AdminEmojis) ([]api.AdminEmoji, int) { return a.Emojis, a.Count }
	id := func(e api.AdminEmoji) string { return e.Shortcode }
	return numbered(s.c, query, read, id, adminEmojiPath)
}

// SetEnabled enables or disables emoji. PATCH /api/svc/admin/emoji.
func (s *AdminEmojis) SetEnabled(ctx context.Context, enabled bool, shortcodes ...string) ([]api.AdminEmoji, error) {
	in := Request{Method: http.MethodPatch, Body: api.EmojiChange{Shortcodes: shortcodes, Enabled: enabled}, Repeatable: true}
	out, err := send[api.AdminEmojis](ctx, s.c, in, []string{adminEmojiPath})
	if err != nil {
		return nil, err
	}
	return out.Emojis, nil
}

// Add adds a picture to a pack, and returns the files of the pack by shortcode. POST
// /api/svc/emoji/packs/files.
func (s *AdminEmojis) Add(ctx context.Context, form api.NewEmoji, picture File) (map[string]string, error) {
	fields := url.Values{}
	for name, value := range map[string]string{"name": form.Name, "shortcode": form.Shortcode} {
		if value != "" {
			fields.Set(name, value)
		}
	}
	out, err := upload[map[string]string](ctx, s.c, http.MethodPost, packFilesPath, fields, map[string]*File{"file": &picture})
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// AddFrom is Add of the picture that the server fetches from form.File. POST
// /api/svc/emoji/packs/files.
func (s *AdminEmojis) AddFrom(ctx context.Context, form api.NewEmoji) (map[string]string, error) {
	out, err := send[map[string]string](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{packFilesPath})
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Rename gives an emoji of a pack another shortcode, and returns the files of the pack by
// shortcode. PATCH /api/svc/emoji/packs/files.
func (s *AdminEmojis) Rename(ctx context.Context, form api.EmojiRenaming) (map[string]string, error) {
	out, err := send[map[string]string](ctx, s.c, Request{Method: http.MethodPatch, Body: form}, []string{packFilesPath})
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Remove removes an emoji from its pack, with its picture. DELETE
// /api/svc/emoji/packs/files.
func (s *AdminEmojis) Remove(ctx context.Context, pack, shortcode string) error {
	in := Request{Method: http.MethodDelete, Body: api.PackEmoji{Name: pack, Shortcode: shortcode}}
	return perform(ctx, s.c, in, []string{packFilesPath})
}
