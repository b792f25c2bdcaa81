package social

import (
	"html"
	"net/url"
	"path"
	"strings"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/text"
)

// linkFiles adds links to a local status's files to its text, if the settings
// say so, for readers without attachments.
func (s *Service) linkFiles(settings *config.Settings, d *draft) {
	if !settings.Instance.AttachmentLinks {
		return
	}
	for i := range d.uploads {
		if d.row.Content != "" {
			d.row.Content += "<br>"
		}
		f := &d.uploads[i]
		address := f.URL
		if strings.HasPrefix(address, "/") {
			address = s.base + address
		}
		d.row.Content += `<a href="` + html.EscapeString(address) + `">` + html.EscapeString(fileTitle(f, settings.Upload.FilenameDisplayMaxLength)) + `</a>`
	}
}

// fileTitle names a file in a text: its description, else the end of its
// address, cut to most characters; 0 is any number.
func fileTitle(f *db.MediaAttachment, most int) string {
	name := strings.Join(strings.Fields(f.Description), " ")
	if name == "" {
		u, err := url.Parse(f.URL)
		if err != nil {
			return f.File
		}
		if name = u.Query().Get("name"); name == "" {
			name = path.Base(u.Path)
		}
	}
	if most > 0 && text.Length(name) > most {
		name = string([]rune(name)[:most]) + "…"
	}
	return name
}
