package client

import (
	"context"
	"net/http"
	"net/url"

	"svc/client/api"
)

const emojiPackPath = "/api/svc/emoji/pack"

// CreatePack makes an empty pack. POST /api/svc/emoji/pack.
func (s *AdminEmojis) CreatePack(ctx context.Context, name string) error {
	in := Request{Method: http.MethodPost, Body: api.EmojiPackName{Name: name}}
	return perform(ctx, s.c, in, []string{emojiPackPath})
}

// DescribePack changes what a pack says of itself, and returns all of it. PATCH
// /api/svc/emoji/pack.
func (s *AdminEmojis) DescribePack(ctx context.Context, form api.EmojiPackForm) (*api.EmojiPackInfo, error) {
	in := Request{Method: http.MethodPatch, Body: form, Repeatable: true}
	return send[api.EmojiPackInfo](ctx, s.c, in, []string{emojiPackPath})
}

// DeletePack removes a pack with its pictures. DELETE /api/svc/emoji/pack.
func (s *AdminEmojis) DeletePack(ctx context.Context, name string) error {
	in := Request{Method: http.MethodDelete, Body: api.EmojiPackName{Name: name}}
	return perform(ctx, s.c, in, []string{emojiPackPath})
}

// Scan has every process read the folder of emoji again, and returns the names of the packs
// that are new. GET /api/svc/emoji/packs/import.
func (s *AdminEmojis) Scan(ctx context.Context) ([]string, error) {
	out, err := get[[]string](ctx, s.c, nil, emojiPackPath+"s/import")
	if err != nil {
		return nil, err
	}
	return *out, nil
}

// RemotePacks returns a page of the packs of another server. GET
// /api/svc/emoji/packs/remote.
func (s *AdminEmojis) RemotePacks(ctx context.Context, query api.RemotePackQuery) (*api.EmojiPacks, error) {
	return get[api.EmojiPacks](ctx, s.c, values(query), emojiPackPath+"s/remote")
}

// DownloadPack imports a pack that another server shares. POST
// /api/svc/emoji/packs/download.
func (s *AdminEmojis) DownloadPack(ctx context.Context, form api.PackDownload) (*api.ImportedPack, error) {
	in := Request{Method: http.MethodPost, Body: form}
	return send[api.ImportedPack](ctx, s.c, in, []string{emojiPackPath + "s/download"})
}

// ImportPack imports a zip archive as a pack. POST /api/svc/emoji/packs/download_zip.
func (s *AdminEmojis) ImportPack(ctx context.Context, name string, archive File) (*api.ImportedPack, error) {
	return upload[api.ImportedPack](ctx, s.c, http.MethodPost, emojiPackPath+"s/download_zip", url.Values{"name": {name}}, map[string]*File{"file": &archive})
}

// ImportPackFrom imports the zip archive at an address. POST
// /api/svc/emoji/packs/download_zip.
func (s *AdminEmojis) ImportPackFrom(ctx context.Context, form api.PackArchive) (*api.ImportedPack, error) {
	in := Request{Method: http.MethodPost, Body: form}
	return send[api.ImportedPack](ctx, s.c, in, []string{emojiPackPath + "s/download_zip"})
}
