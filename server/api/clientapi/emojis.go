package clientapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
	"svc/server/platform/emoji"
	"svc/server/platform/fault"
)

// Page sizes of emoji packs.
const (
	emojiPage    = 50
	emojiPageMax = 500
)

// listedEmojis is a set of emoji, rendered.
type listedEmojis struct {
	set  *emoji.Set
	json json.RawMessage
}

// List is GET /api/v1/custom_emojis.
func (a *Emojis) List(c *gin.Context) error {
	set := a.Emojis.Load()
	if l := a.listed.Load(); l != nil && l.set == set {
		return web.OK(c, l.json)
	}
	out := make(api.List[api.CustomEmoji], 0, len(set.All()))
	for _, e := range set.All() {
		category := slices.DeleteFunc(slices.Clone(e.Tags), func(tag string) bool { return tag == "Custom" })
		out = append(out, api.CustomEmoji{
			Shortcode: e.Shortcode, URL: set.URL(e), StaticURL: set.URL(e), VisibleInPicker: true,
			Tags: api.List[string](e.Tags), Category: strings.Join(category, ","),
		})
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return err
	}
	a.listed.Store(&listedEmojis{set, raw})
	return web.OK(c, json.RawMessage(raw))
}

// Pictures is GET /api/svc/emoji.
func (a *Emojis) Pictures(c *gin.Context) error {
	out := map[string]api.EmojiPicture{}
	for _, e := range a.Emojis.Load().All() {
		out[e.Shortcode] = api.EmojiPicture{ImageURL: e.Path, Tags: api.List[string](e.Tags)}
	}
	return web.OK(c, out)
}

// Packs is GET /api/svc/emoji/packs.
func (a *Emojis) Packs(c *gin.Context) error {
	packs := a.Emojis.Load().Packs()
	out := api.EmojiPacks{Packs: map[string]api.EmojiPack{}, Count: len(packs)}
	from, to := part(c, len(packs))
	for i := from; i < to; i++ {
		codes := packs[i].Shortcodes()
		out.Packs[packs[i].Name] = emojiPack(&packs[i], codes[:min(len(codes), emojiPageMax)])
	}
	return web.OK(c, out)
}

// Pack is GET /api/svc/emoji/pack?name=.
func (a *Emojis) Pack(c *gin.Context) error {
	p, err := a.emojiPack(c)
	if err != nil {
		return err
	}
	codes := p.Shortcodes()
	from, to := part(c, len(codes))
	return web.OK(c, emojiPack(p, codes[from:to]))
}

// Archive is GET /api/svc/emoji/packs/archive?name=: a zip archive.
func (a *Emojis) Archive(c *gin.Context) error {
	p, err := a.emojiPack(c)
	if err != nil {
		return err
	}
	if p.Archive == "" {
		return fault.Forbiddenf("Pack %s cannot be downloaded from this instance", p.Name)
	}
	if c.Request.Method == http.MethodHead {
		c.Header("Content-Type", "application/zip")
		c.Status(http.StatusOK)
		return nil
	}
	c.Header("Content-Type", "application/zip")
	c.Header("Content-Disposition", "attachment; filename=\"emoji.zip\"")
	c.Header("Cache-Control", "public, max-age=60")
	c.Status(http.StatusOK)
	return a.Emojis.Archive(c.Writer, p)
}

func (a *Emojis) emojiPack(c *gin.Context) (*emoji.Pack, error) {
	var q api.EmojiPageQuery
	if err := web.BindQuery(c, &q); err != nil {
		return nil, err
	}
	if q.Name == "" {
		return nil, fault.Malformed("pack name cannot be empty")
	}
	p, ok := a.Emojis.Load().Pack(q.Name)
	if !ok {
		return nil, fault.NotFoundf("Pack %s does not exist", q.Name)
	}
	return p, nil
}

func emojiPack(p *emoji.Pack, codes []string) api.EmojiPack {
	said := func(key string) string {
		text, _ := p.Info[key].(string)
		return text
	}
	out := api.EmojiPack{Files: make(map[string]string, len(codes)), FilesCount: len(p.Files), Pack: api.EmojiPackInfo{
		Description: said("description"), Homepage: said("homepage"), License: said("license"),
		ShareFiles: p.Info["share-files"] == true, CanDownload: p.Archive != "", SHA256: p.Archive,
	}}
	for _, code := range codes {
		out.Files[code] = p.Files[code]
	}
	return out
}

// part is the page that the query asks for of n items.
func part(c *gin.Context, n int) (from, to int) {
	p := web.NumberedPage(c, emojiPage, emojiPageMax)
	if p.Number-1 > n/p.Size {
		return n, n
	}
	from = min(p.Offset(), n)
	return from, min(from+p.Size, n)
}
