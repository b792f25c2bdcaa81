package view

import (
	"svc/client/api"
	"svc/db"
	"svc/server/platform/hosts"
)

// Attachment renders a file.
func (v *View) Attachment(m *db.MediaAttachment) api.Attachment {
	url := v.url(m.URL)
	out := api.Attachment{
		ID: itoa(m.ID), Type: m.Type, URL: url, PreviewURL: url, TextURL: url, RemoteURL: optional(hosts.URI(m.RemoteURL)),
		Description: optional(m.Description), Svc: api.AttachmentSvc{MimeType: m.MimeType},
	}
	if m.RemoteURL == "" { // files of other servers are not processed, whatever their documents say
		out.Blurhash = optional(m.Blurhash)
	}
	switch {
	case m.PreviewURL != "" && m.PreviewURL != m.URL:
		out.PreviewURL = v.url(m.PreviewURL)
	case m.Type == "image" && m.MimeType != "image/gif":
		out.PreviewURL = v.preview(m.URL)
	}
	return out
}

// DefaultMascot is the mascot of accounts without a chosen one, as a file.
func (v *View) DefaultMascot() api.Attachment {
	url, mime := v.settings.Load().Assets.Mascot()
	url = v.orDefault(url, "/images/mascot.png")
	return api.Attachment{ID: "default", Type: "image", URL: url, PreviewURL: url, TextURL: url, Svc: api.AttachmentSvc{MimeType: mime}}
}
