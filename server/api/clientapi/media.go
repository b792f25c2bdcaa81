package clientapi

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/platform/media"
)

// wanted is a file that a form may have: its longest length, and the refusal of
// a longer one.
type wanted struct {
	limit    int
	tooLarge error
}

// drafts are the files of a form, by its names for them.
type drafts map[string]*media.Draft

func (d drafts) close() {
	for _, draft := range d {
		draft.Close()
	}
}

// receive reads the files that a form may have, and ignores others. The caller
// closes the result, even with an error.
func (a *uploads) receive(c *gin.Context, files map[string]wanted) (drafts, error) {
	got := drafts{}
	return got, web.Files(c, func(name, file string, content io.Reader) error {
		want, ok := files[name]
		if !ok {
			return nil
		}
		draft, err := a.Media.Receive(content, web.SafeName(file), int64(want.limit))
		if errors.Is(err, media.ErrTooLarge) {
			return want.tooLarge
		}
		if err != nil {
			return err
		}
		if earlier := got[name]; earlier != nil {
			earlier.Close()
		}
		got[name] = draft
		return nil
	})
}

// UploadBody is the longest body of an upload, in bytes.
func (a *Media) UploadBody() int64 {
	return int64(a.Settings.Load().Instance.UploadLimit) + web.FormOverhead
}

// Create is POST /api/v1/media.
func (a *Media) Create(c *gin.Context) error { return a.upload(c, http.StatusOK) }

// CreateV2 is POST /api/v2/media. The file is ready when it answers, so it
// has its URL already.
func (a *Media) CreateV2(c *gin.Context) error { return a.upload(c, http.StatusAccepted) }

func (a *Media) upload(c *gin.Context, status int) error {
	got, err := a.receive(c, map[string]wanted{
		"file": {a.Settings.Load().Instance.UploadLimit, fault.Malformed("file_too_large")},
	})
	defer got.close()
	if err != nil {
		return err
	}
	var in api.MediaForm
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	if got["file"] == nil {
		return web.Missing("file")
	}
	row, err := a.Media.Upload(c.Request.Context(), web.Caller(c).Account, got["file"], in.Description, in.Focus, web.IdempotencyKey(c))
	if err != nil {
		return err
	}
	return web.JSON(c, status, a.View.Attachment(row))
}

// Get is GET /api/v1/media/:id.
func (a *Media) Get(c *gin.Context) error {
	row, err := a.Media.Attachment(c.Request.Context(), web.Caller(c).Account, c.Param("id"))
	if err != nil {
		return err
	}
	return web.OK(c, a.View.Attachment(row))
}

// Update is PUT /api/v1/media/:id.
func (a *Media) Update(c *gin.Context) error {
	var in api.MediaForm
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	row, err := a.Media.Describe(c.Request.Context(), web.Caller(c).Account, c.Param("id"), in.Description, in.Focus)
	if err != nil {
		return err
	}
	return web.OK(c, a.View.Attachment(row))
}

// Delete is DELETE /api/v1/media/:id.
func (a *Media) Delete(c *gin.Context) error {
	if err := a.Media.Delete(c.Request.Context(), web.Caller(c).Account, c.Param("id")); err != nil {
		return err
	}
	return web.OK(c, gin.H{})
}

var notAnImage = &web.Answer{Status: http.StatusUnsupportedMediaType, Body: gin.H{"error": "mascots can only be images"}}

// Mascot is GET /api/v1/svc/mascot: the caller's own, or everybody's.
func (a *Media) Mascot(c *gin.Context) error {
	row, err := a.DB.Mascot(c.Request.Context(), web.Caller(c).Account.ID)
	if errors.Is(err, db.ErrNotFound) {
		return web.OK(c, a.View.DefaultMascot())
	}
	if err != nil {
		return err
	}
	return web.OK(c, a.View.Attachment(row))
}

// SetMascot is PUT /api/v1/svc/mascot.
func (a *Media) SetMascot(c *gin.Context) error {
	got, err := a.receive(c, map[string]wanted{
		"file": {a.Settings.Load().Instance.UploadLimit, fault.Malformed("file_too_large")},
	})
	defer got.close()
	if err != nil {
		return err
	}
	if err := web.Bind(c, &struct{}{}); err != nil {
		return err
	}
	if got["file"] == nil {
		return web.Missing("file")
	}
	row, err := a.Media.SetMascot(c.Request.Context(), web.Caller(c).Account, got["file"])
	if errors.Is(err, media.ErrNoPicture) {
		return notAnImage
	}
	if err != nil {
		return err
	}
	return web.OK(c, a.View.Attachment(row))
}

// File is GET /media/:name. The name is the hash of the content, so the answer
// can be cached for ever.
func (a *Media) File(c *gin.Context) error {
	name := c.Param("name")
	archive, err := a.Archive.Is(c.Request.Context(), name)
	if err != nil {
		return err
	}
	if archive {
		return a.private(c, name)
	}
	if signature := web.Query(c, "report"); signature != "" && a.Proxy.IsReported(signature, name) {
		return a.private(c, name)
	}
	elsewhere, err := a.Media.BucketURL(c.Request.Context(), name)
	if err == nil && elsewhere != "" {
		c.Header("Cache-Control", "no-cache")
		c.Redirect(http.StatusFound, elsewhere)
		return nil
	}
	if errors.Is(err, media.ErrBanned) {
		return sayBanned(c)
	}
	if err != nil {
		return err
	}
	return send(c, name, a.Media.Show, web.Sent{Name: web.SafeName(web.Query(c, "name")), CacheControl: "public, max-age=31536000, immutable"})
}

// private sends an archive, or a file that a report keeps. It never redirects to the
// file's store, whose addresses do not end, and nobody caches it.
func (a *Media) private(c *gin.Context, name string) error {
	return send(c, name, a.Media.Whole, web.Sent{CacheControl: "private, no-store"})
}

// send answers with a stored file.
func send(c *gin.Context, name string, open func(context.Context, string) (media.File, media.Type, error), as web.Sent) error {
	f, kind, err := open(c.Request.Context(), name)
	if errors.Is(err, media.ErrBanned) {
		return sayBanned(c)
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	as.Type, as.Attachment = kind.Shown(), kind.Kind == media.Unknown
	as.ETag, _, _ = strings.Cut(name, ".")
	return web.SendFile(c, f, as)
}

// sayBanned answers for a banned file as for an unknown one, and without
// caching, since the ban may end.
func sayBanned(c *gin.Context) error {
	c.Header("Cache-Control", "no-store")
	c.String(http.StatusNotFound, "Not Found")
	return nil
}

// notProxied answers for a file that the proxy does not give out.
func notProxied(c *gin.Context, err error) error {
	switch {
	case errors.Is(err, media.ErrBanned):
		return sayBanned(c)
	case errors.Is(err, media.ErrUpstream):
		c.Header("Cache-Control", "no-store")
		return fault.NotFound("The file cannot be fetched")
	}
	return err
}

// ProxiedFile is GET /proxy/:signature/:url/:filename: another server's file.
func (a *Media) ProxiedFile(c *gin.Context) error {
	f, kind, address, err := a.Proxy.Open(c.Request.Context(), c.Param("signature"), c.Param("url"))
	switch {
	case errors.Is(err, media.ErrProxyOff), errors.Is(err, media.ErrUpstream) && a.Settings.Load().MediaProxy.RedirectOnFailure:
		c.Header("Cache-Control", "no-store")
		c.Redirect(http.StatusFound, address)
		return nil
	case err != nil:
		return notProxied(c, err)
	}
	defer func() { _ = f.Close() }()
	return web.SendFile(c, f, web.Sent{
		Type: kind.Shown(), Attachment: kind.Kind == media.Unknown, ETag: c.Param("signature"), CacheControl: "public, max-age=1209600",
	})
}

// PreviewedFile is GET /proxy/preview/:signature/:url/:filename: a small copy of
// a picture, ours or another server's.
func (a *Media) PreviewedFile(c *gin.Context) error {
	f, kind, address, err := a.Proxy.Preview(c.Request.Context(), c.Param("signature"), c.Param("url"))
	switch {
	case errors.Is(err, media.ErrNoPreview), errors.Is(err, media.ErrProxyOff):
		c.Header("Cache-Control", "no-cache")
		c.Redirect(http.StatusFound, address)
		return nil
	case err != nil:
		return notProxied(c, err)
	}
	defer func() { _ = f.Close() }()
	return web.SendFile(c, f, web.Sent{Type: kind.Shown(), ETag: fmt.Sprintf("%s-%d", c.Param("signature"), f.Size()), CacheControl: "public, max-age=1209600"})
}

// The pictures of an account: the form's name for each, and how it is called.
const (
	avatarField     = "avatar"
	headerField     = "header"
	backgroundField = "svc_background_image"
)

func (a *uploads) pictureLimits() map[string]wanted {
	i := &a.Settings.Load().Instance
	want := func(what string, limit int) wanted {
		return wanted{limit, fault.Invalidf("%s is too large (maximum is %d bytes)", what, limit)}
	}
	return map[string]wanted{
		avatarField:     want("Avatar", i.AvatarUploadLimit),
		headerField:     want("Header", i.BannerUploadLimit),
		backgroundField: want("Background image", i.BackgroundUploadLimit),
	}
}

// picture is the new value of a picture in an account's row: nil keeps it, ""
// is the default, else the address of the new one. The form has a file, a data:
// URI, or an empty text to reset it.
func (a *uploads) picture(c *gin.Context, got drafts, field string, text *string) (*string, error) {
	draft := got[field]
	if draft == nil && text != nil && *text != "" {
		var err error
		if draft, err = a.dataURI(field, *text); err != nil {
			return nil, err
		}
		defer draft.Close()
	}
	if draft == nil {
		return text, nil
	}
	url, err := a.Media.Picture(c.Request.Context(), draft)
	if errors.Is(err, media.ErrNoPicture) {
		return nil, fault.Invalidf("%s can only be an image", name(field))
	}
	return &url, err
}

func name(field string) string {
	switch field {
	case avatarField:
		return "Avatar"
	case headerField:
		return "Header"
	}
	return "Background image"
}

// dataURI reads a data: URI in Base64. Shape: RFC 2397.
func (a *uploads) dataURI(field, uri string) (*media.Draft, error) {
	rest, ok := strings.CutPrefix(uri, "data:")
	kind, content, comma := strings.Cut(rest, ",")
	if !ok || !comma || !strings.HasSuffix(kind, ";base64") {
		return nil, fault.Invalidf("%s is neither a file nor a data: URI in Base64", name(field))
	}
	content = strings.TrimRight(content, "=")
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(content, "-_") {
		encoding = base64.RawURLEncoding
	}
	want := a.pictureLimits()[field]
	draft, err := a.Media.Receive(base64.NewDecoder(encoding, strings.NewReader(content)), field, int64(want.limit))
	var corrupt base64.CorruptInputError
	switch {
	case errors.Is(err, media.ErrTooLarge):
		return nil, want.tooLarge
	case errors.As(err, &corrupt):
		return nil, fault.Invalidf("%s is not valid Base64", name(field))
	}
	return draft, err
}
