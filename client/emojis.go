package client

import (
	"context"
	"net/http"
	"net/url"

	"svc/client/api"
)

// Emojis is the server's custom emoji.
type Emojis struct{ c *Client }

// List returns all custom emoji by shortcode. GET /api/v1/custom_emojis.
func (s *Emojis) List(ctx context.Context) ([]api.CustomEmoji, error) {
	return whole[api.CustomEmoji](ctx, s.c, struct{}{}, "/api/v1/custom_emojis")
}

// Pictures returns where each emoji's picture is, by shortcode. GET
// /api/svc/emoji.
func (s *Emojis) Pictures(ctx context.Context) (map[string]api.EmojiPicture, error) {
	out, err := get[map[string]api.EmojiPicture](ctx, s.c, nil, "/api/svc/emoji")
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// Packs is the packs. GET /api/svc/emoji/packs.
func (s *Emojis) Packs(ctx context.Context, query api.EmojiPageQuery) (*api.EmojiPacks, error) {
	return get[api.EmojiPacks](ctx, s.c, values(query), "/api/svc/emoji/packs")
}

// Pack is the pack that query names. GET /api/svc/emoji/pack.
func (s *Emojis) Pack(ctx context.Context, query api.EmojiPageQuery) (*api.EmojiPack, error) {
	return get[api.EmojiPack](ctx, s.c, values(query), "/api/svc/emoji/pack")
}

// Archive returns a shared pack as a zip archive. GET
// /api/svc/emoji/packs/archive.
func (s *Emojis) Archive(ctx context.Context, name string) ([]byte, error) {
	resp, err := s.c.Do(ctx, Request{Method: http.MethodGet, Path: "/api/svc/emoji/packs/archive", Query: url.Values{"name": {name}}}, nil)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}
