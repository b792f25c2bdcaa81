package adminapi

import (
	"cmp"
	"io"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
	"svc/server/platform/emoji"
	"svc/server/platform/fault"
)

// The bounds of what is said about a pack.
const (
	maxPackFields = 30
	maxPackText   = 2000 // bytes of one value
)

// packName reads the name of a pack.
func packName(c *gin.Context) (string, error) {
	var in struct {
		Name any `json:"name"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return "", err
	}
	p := &params{}
	name := p.text(in.Name)
	if p.bad || name == "" {
		return "", fault.Malformed("pack name cannot be empty")
	}
	return name, nil
}

// CreatePack is POST /api/svc/emoji/pack.
func (a CustomEmojis) CreatePack(c *gin.Context) error {
	name, err := packName(c)
	if err == nil {
		err = a.Emojis.CreatePack(c.Request.Context(), web.Caller(c).Account, name)
	}
	if err != nil {
		return err
	}
	return web.OK(c, "ok")
}

// DeletePack is DELETE /api/svc/emoji/pack.
func (a CustomEmojis) DeletePack(c *gin.Context) error {
	name, err := packName(c)
	if err == nil {
		err = a.Emojis.DeletePack(c.Request.Context(), web.Caller(c).Account, name)
	}
	if err != nil {
		return err
	}
	return web.OK(c, "ok")
}

// DescribePack is PATCH /api/svc/emoji/pack. It answers with what is said about the
// pack now.
func (a CustomEmojis) DescribePack(c *gin.Context) error {
	var in struct {
		Name     any `json:"name"`
		Metadata any `json:"metadata"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	name := p.text(in.Name)
	said, ok := in.Metadata.(map[string]any)
	if name == "" || p.bad {
		return fault.Malformed("pack name cannot be empty")
	}
	if !ok || len(said) > maxPackFields {
		return bad()
	}
	for key, value := range said {
		switch key {
		case "share-files":
			said[key] = p.isTrue(value)
		case "can-download", "download-sha256": // these follow from the files
			delete(said, key)
		default:
			text, isText := value.(string)
			if value != nil && (!isText || !web.IsText(text) || len(text) > maxPackText) || len(key) > 100 || !web.IsText(key) {
				return bad()
			}
			if text == "" {
				said[key] = nil
			}
		}
	}
	pack, err := a.Emojis.DescribePack(c.Request.Context(), web.Caller(c).Account, name, said)
	if err != nil {
		return err
	}
	return web.OK(c, packInfo(pack))
}

func packInfo(p *emoji.Pack) api.EmojiPackInfo {
	said := func(key string) string {
		text, _ := p.Info[key].(string)
		return text
	}
	return api.EmojiPackInfo{
		Description: said("description"), Homepage: said("homepage"), License: said("license"),
		ShareFiles: p.Info["share-files"] == true, CanDownload: p.Archive != "", SHA256: p.Archive,
	}
}

// Scan is GET /api/svc/emoji/packs/import: the folder of emoji is read again. It answers with
// the packs that are new.
func (a CustomEmojis) Scan(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	found, err := a.Emojis.Scan(c.Request.Context(), web.Caller(c).Account)
	if err != nil {
		return err
	}
	return web.OK(c, found)
}

// RemotePacks is GET /api/svc/emoji/packs/remote: the packs of another server.
func (a CustomEmojis) RemotePacks(c *gin.Context) error {
	var in struct {
		URL      string `json:"url"`
		Page     *int64 `json:"page"`
		PageSize *int64 `json:"page_size"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	if in.URL == "" {
		return web.Missing("url")
	}
	page := numbered(in.Page, in.PageSize, emojiPage)
	page.Size = min(page.Size, api.MaxEmojiPage)
	packs, count, err := a.Emojis.RemotePacks(c.Request.Context(), web.Caller(c).Account, a.Outgoing, in.URL, page)
	if err != nil {
		return err
	}
	out := api.EmojiPacks{Packs: make(map[string]api.EmojiPack, len(packs)), Count: count}
	for name, p := range packs {
		out.Packs[name] = api.EmojiPack{Files: p.Files, FilesCount: p.FilesCount, Pack: api.EmojiPackInfo{
			Description: p.Pack.Description, Homepage: p.Pack.Homepage, License: p.Pack.License,
			ShareFiles: p.Pack.Share, CanDownload: p.Pack.CanDownload, SHA256: p.Pack.SHA256,
		}}
	}
	return web.OK(c, out)
}

// Download is POST /api/svc/emoji/packs/download: it imports a pack of another server.
func (a CustomEmojis) Download(c *gin.Context) error {
	var in struct {
		URL  string `json:"url" binding:"required"`
		Name string `json:"name" binding:"required"`
		As   string `json:"as"`
	}
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	done, err := a.Emojis.Download(c.Request.Context(), web.Caller(c).Account, a.Outgoing, in.URL, in.Name, cmp.Or(in.As, in.Name))
	if err != nil {
		return err
	}
	return web.OK(c, imported(done))
}

// Import is POST /api/svc/emoji/packs/download_zip: it imports a zip archive, sent as
// file, or fetched from url.
func (a CustomEmojis) Import(c *gin.Context) error {
	var (
		in struct {
			Name string `json:"name" binding:"required"`
			URL  string `json:"url"`
		}
		file *emoji.Spooled
		size int64
	)
	defer func() {
		if file != nil {
			file.Close()
		}
	}()
	err := web.Files(c, func(name, _ string, r io.Reader) error {
		if name != "file" || file != nil {
			return nil
		}
		spooled, n, err := emoji.Spool(r)
		if err == nil {
			file, size = &spooled, n
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	var done *emoji.Imported
	ctx, by := c.Request.Context(), web.Caller(c).Account
	switch {
	case file != nil:
		done, err = a.Emojis.Import(ctx, by, in.Name, file, size)
	case in.URL != "":
		done, err = a.Emojis.DownloadArchive(ctx, by, a.Outgoing, in.URL, in.Name)
	default:
		err = web.Missing("file")
	}
	if err != nil {
		return err
	}
	return web.OK(c, imported(done))
}

// ArchiveLimit is the longest body of the form of an archive, in bytes.
func (a CustomEmojis) ArchiveLimit() int64 { return emoji.MaxArchive + web.FormOverhead }

// imported is a pack that was imported, with its first files, and with the first of
// those that were left out.
func imported(done *emoji.Imported) api.ImportedPack {
	p := done.Pack
	out := api.ImportedPack{Name: p.Name, Files: map[string]string{}, FilesCount: len(p.Files), Pack: packInfo(p), Skipped: map[string]string{}, SkippedCount: len(done.Skipped)}
	for _, code := range p.Shortcodes() {
		if len(out.Files) < api.MaxEmojiPage {
			out.Files[code] = p.Files[code]
		}
	}
	for file, why := range done.Skipped {
		if len(out.Skipped) < api.MaxEmojiPage {
			out.Skipped[file] = why
		}
	}
	return out
}
