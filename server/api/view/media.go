package view

import (
	"strconv"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/hosts"
	"svc/server/platform/media"
)

// Attachment renders a file.
func (v *View) Attachment(m *db.MediaAttachment) api.Attachment {
	url := v.url(m.URL)
	out := api.Attachment{
		ID: itoa(m.ID), Type: m.Type, URL: url, PreviewURL: url, TextURL: url, RemoteURL: optional(hosts.URI(m.RemoteURL)),
		Description: optional(m.Description), Svc: api.AttachmentSvc{MimeType: m.MimeType},
	}
	if m.RemoteURL == "" { // files of other servers are not processed, whatever their documents say
		out.Blurhash, out.Meta = optional(m.Blurhash), v.meta(m)
	}
	switch {
	case m.PreviewURL != "" && m.PreviewURL != m.URL:
		out.PreviewURL = v.url(m.PreviewURL)
	case m.Type == "image" && m.MimeType != "image/gif":
		out.PreviewURL = v.preview(m.URL)
	}
	return out
}

// meta is what is known of a file kept here, nil for a picture of an earlier release,
// which nobody measured.
func (v *View) meta(m *db.MediaAttachment) *api.MediaMeta {
	out := &api.MediaMeta{}
	if m.Width == 0 && m.FocusX == nil && media.Measured(m.MimeType) {
		return nil
	}
	if m.Width > 0 && m.Height > 0 {
		out.Original, out.Small = size(m.Width, m.Height), size(v.small(m))
	}
	if m.FocusX != nil && m.FocusY != nil {
		out.Focus = &api.MediaFocus{X: *m.FocusX, Y: *m.FocusY}
	}
	return out
}

func size(width, height int) *api.MediaSize {
	return &api.MediaSize{Width: width, Height: height, Size: strconv.Itoa(width) + "x" + strconv.Itoa(height), Aspect: float64(width) / float64(height)}
}

// DefaultMascot is the mascot of accounts without a chosen one, as a file.
func (v *View) DefaultMascot() api.Attachment {
	url, mime := v.settings.Load().Assets.Mascot()
	url = v.orDefault(url, "/images/mascot.png")
	return api.Attachment{ID: "default", Type: "image", URL: url, PreviewURL: url, TextURL: url, Svc: api.AttachmentSvc{MimeType: mime}}
}
