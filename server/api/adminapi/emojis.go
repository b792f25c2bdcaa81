package adminapi

import (
	"io"
	"path"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/emoji"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
	"svc/server/platform/outgoing"
)

const (
	emojiPage = 50
	// maxChangedEmojis bounds one request that enables or disables.
	maxChangedEmojis = 1000
)

// CustomEmojis answers requests about custom emoji and their packs.
type CustomEmojis struct {
	DB       *db.DB
	Emojis   *emoji.Live
	Outgoing *outgoing.Client
}

// CustomEmojis are the handlers of custom emoji and their packs.
func (p *Parts) CustomEmojis() CustomEmojis { return CustomEmojis{p.DB, p.Emojis, p.Outgoing} }

// Reload is POST /reload_emoji: every process reads the emoji folder again.
func (a CustomEmojis) Reload(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	if err := a.Emojis.ReloadAll(c.Request.Context(), web.Caller(c).Account); err != nil {
		return err
	}
	return web.OK(c, "ok")
}

// List is GET /emoji.
func (a CustomEmojis) List(c *gin.Context) error {
	var in struct {
		Query    string `json:"query"`
		Pack     string `json:"pack"`
		State    string `json:"state" binding:"oneof=enabled disabled remote"`
		Host     string `json:"host"`
		Page     *int64 `json:"page"`
		PageSize *int64 `json:"page_size"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	all, err := a.known(c, in.Host)
	if err != nil {
		return err
	}
	query := strings.ToLower(in.Query)
	found := slices.DeleteFunc(all, func(e api.AdminEmoji) bool {
		return query != "" && !strings.Contains(strings.ToLower(e.Shortcode), query) ||
			in.Pack != "" && e.Pack != in.Pack || in.State != "" && e.State != in.State
	})
	page := numbered(in.Page, in.PageSize, emojiPage)
	page.Size = min(page.Size, api.MaxEmojiPage)
	from := len(found)
	if page.Number-1 <= len(found)/page.Size {
		from = min(page.Offset(), len(found))
	}
	return web.OK(c, api.AdminEmojis{
		Emojis: found[from:min(from+page.Size, len(found))], Count: len(found), PageSize: page.Size,
	})
}

// known returns the emoji of this server, or of another.
func (a CustomEmojis) known(c *gin.Context, host string) ([]api.AdminEmoji, error) {
	if host == "" {
		return a.own(a.Emojis.Load().Every()), nil
	}
	host = hosts.Clean(host)
	rows, err := a.DB.RemoteEmojis(c.Request.Context(), host)
	if err != nil {
		return nil, err
	}
	out := make([]api.AdminEmoji, len(rows))
	for i, e := range rows {
		out[i] = api.AdminEmoji{Shortcode: e.Shortcode, URL: hosts.URI(e.URL), State: api.EmojiRemote, Host: host}
	}
	return out, nil
}

func (a CustomEmojis) own(list []emoji.Emoji) []api.AdminEmoji {
	set, out := a.Emojis.Load(), make([]api.AdminEmoji, len(list))
	for i, e := range list {
		state := api.EmojiEnabled
		if e.Disabled {
			state = api.EmojiDisabled
		}
		out[i] = api.AdminEmoji{
			Shortcode: e.Shortcode, URL: set.URL(e), State: state, Pack: e.Pack, File: e.File, Tags: api.List[string](e.Tags),
		}
	}
	return out
}

// Change is PATCH /emoji: it enables or disables emoji.
func (a CustomEmojis) Change(c *gin.Context) error {
	var in struct {
		Shortcodes []string `json:"shortcodes" binding:"required"`
		Enabled    *bool    `json:"enabled" binding:"exact"`
	}
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	if in.Enabled == nil {
		return web.Missing("enabled")
	}
	if len(in.Shortcodes) > maxChangedEmojis {
		return fault.Invalidf("Up to %d emoji are changed at once", maxChangedEmojis)
	}
	changed, err := a.Emojis.SetEnabled(c.Request.Context(), web.Caller(c).Account, in.Shortcodes, *in.Enabled)
	if err != nil {
		return err
	}
	return web.OK(c, api.AdminEmojis{Emojis: a.own(changed), Count: len(changed), PageSize: len(changed)})
}

// Add is POST /api/svc/emoji/packs/files. It answers with the files of the pack.
func (a CustomEmojis) Add(c *gin.Context) error {
	var in struct {
		Name      any `json:"name"`
		Shortcode any `json:"shortcode"`
		File      any `json:"file"`
	}
	add, sent := emoji.NewEmoji{}, ""
	err := web.Files(c, func(name, file string, r io.Reader) (err error) {
		if name != "file" {
			return nil
		}
		sent = file
		add.Picture, err = io.ReadAll(io.LimitReader(r, emoji.MaxPicture+1))
		return err
	})
	if err != nil {
		return err
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	add.Pack, add.Shortcode, add.URL = p.text(in.Name), p.text(in.Shortcode), p.text(in.File)
	if add.Picture != nil {
		add.URL = ""
	} else {
		sent = add.URL
	}
	if p.bad || sent == "" {
		return bad()
	}
	if add.Shortcode == "" {
		file := path.Base(strings.ReplaceAll(sent, `\`, "/"))
		add.Shortcode = strings.TrimSuffix(file, path.Ext(file))
	}
	pack, err := a.Emojis.Add(c.Request.Context(), web.Caller(c).Account, a.Outgoing, add)
	if err != nil {
		return err
	}
	return web.OK(c, files(pack))
}

// BodyLimit is the longest body of the form of an emoji, in bytes.
func (a CustomEmojis) BodyLimit() int64 { return emoji.MaxPicture + web.FormOverhead }

// Remove is DELETE /api/svc/emoji/packs/files, likewise.
func (a CustomEmojis) Remove(c *gin.Context) error {
	var in struct {
		Name      any `json:"name"`
		Shortcode any `json:"shortcode"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	name, code := p.named(in.Name), p.named(in.Shortcode)
	if p.bad {
		return bad()
	}
	pack, err := a.Emojis.Remove(c.Request.Context(), web.Caller(c).Account, name, code)
	if err != nil {
		return err
	}
	return web.OK(c, files(pack))
}

// Rename is PATCH /api/svc/emoji/packs/files, likewise.
func (a CustomEmojis) Rename(c *gin.Context) error {
	var in struct {
		Name        any `json:"name"`
		Shortcode   any `json:"shortcode"`
		NewCode     any `json:"new_shortcode"`
		NewFilename any `json:"new_filename"`
		Force       any `json:"force"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	change := emoji.Renaming{
		Pack: p.named(in.Name), Shortcode: p.named(in.Shortcode), To: p.named(in.NewCode), File: p.text(in.NewFilename), Force: p.isTrue(in.Force),
	}
	if p.bad {
		return bad()
	}
	pack, err := a.Emojis.Rename(c.Request.Context(), web.Caller(c).Account, change)
	if err != nil {
		return err
	}
	return web.OK(c, files(pack))
}

func files(p *emoji.Pack) map[string]string {
	if p.Files == nil {
		return map[string]string{}
	}
	return p.Files
}
