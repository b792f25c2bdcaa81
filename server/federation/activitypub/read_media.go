package activitypub

import (
	"cmp"
	"path"
	"strings"
)

// readAttachments finds the files of a post: the attachments, and the file that
// a post of type Video, Audio or Image is itself.
func (p *Post) readAttachments(o Object) {
	for _, a := range o.Objects("attachment") {
		p.attach(a)
	}
	if len(p.Attachments) > 0 {
		return
	}
	switch p.Type {
	case "Video", "Audio", "Image":
		if file, ok := fileOf(o, strings.ToLower(p.Type)); ok {
			p.Attachments = append(p.Attachments, file)
		}
	case "Page", "Article", "Event":
		// A picture for the page, as in Lemmy, or its address, as in Ghost.
		if picture := o.Object("image"); picture != nil {
			p.attach(picture)
		} else {
			p.attach(Object{"type": "Image", "url": o.Text("image")})
		}
	}
}

func (p *Post) attach(a Object) {
	if a.Is("Link") {
		if href := cmp.Or(a.Text("href"), a.URL("url")); isPage(href) && !isMedia(a.Text("mediaType")) {
			p.Links = append(p.Links, href)
			return
		}
	}
	address, kind := address(a)
	if !isPage(address) {
		return
	}
	// Some servers have the file's name in name, and then the description in
	// summary.
	description, _ := localised(a, "summary")
	if description == "" {
		description, _ = localised(a, "name")
	}
	file := Attachment{
		Kind: kindOf(kind, a, address), URL: address, MediaType: kind, Description: truncate(description, maxDescription),
		Blurhash: blurhash(a), Width: max(a.Int("width"), 0), Height: max(a.Int("height"), 0),
	}
	p.Attachments = append(p.Attachments, file)
}

// address returns the address of a file and its media type: on the file itself,
// or on its link.
func address(a Object) (address, mediaType string) {
	address, mediaType = cmp.Or(a.URL("url"), a.URL("href")), a.Text("mediaType")
	for _, link := range a.Objects("url") {
		if mediaType == "" && cmp.Or(link.Text("href"), link.Text("url")) == address {
			mediaType = link.Text("mediaType")
		}
	}
	return address, cleanMediaType(mediaType)
}

// cleanMediaType returns a media type without parameters, "" for an invalid
// one.
func cleanMediaType(s string) string {
	s, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(s)), ";")
	kind, sub, ok := strings.Cut(strings.TrimSpace(s), "/")
	if !ok || kind == "" || sub == "" || len(s) > 100 || strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("/+-._", r)
	}) >= 0 {
		return ""
	}
	return strings.TrimSpace(s)
}

func isMedia(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, "/")
	return kind == "image" || kind == "video" || kind == "audio"
}

// kindOf returns the kind of a file: by its media type, its own type, or its
// name.
func kindOf(mediaType string, a Object, address string) string {
	if kind, _, _ := strings.Cut(mediaType, "/"); isMedia(mediaType) {
		return kind
	}
	for _, kind := range []string{"Image", "Video", "Audio"} {
		if a.Is(kind) {
			return strings.ToLower(kind)
		}
	}
	if mediaType != "" {
		return "unknown"
	}
	address, _, _ = strings.Cut(address, "?")
	switch strings.ToLower(path.Ext(address)) {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".heic", ".jxl", ".apng":
		return "image"
	case ".mp4", ".webm", ".mov", ".mkv", ".m4v":
		return "video"
	case ".mp3", ".ogg", ".oga", ".opus", ".flac", ".m4a", ".wav":
		return "audio"
	}
	return "unknown"
}

// blurhash returns the placeholder of a picture, "" for an invalid one. Source:
// the alphabet of Blurhash, base 83.
func blurhash(a Object) string {
	s := a.Text("blurhash")
	if len(s) < 6 || len(s) > 200 || strings.IndexFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("#$%*+,-.:;=?@[]^_{|}~", r)
	}) >= 0 {
		return ""
	}
	return s
}

// fileOf returns the file of an object: the first of its addresses of that
// kind, or one in its list of streams.
func fileOf(o Object, kind string) (Attachment, bool) {
	links := o.Objects("url")
	for _, link := range links {
		links = append(links, link.Objects("tag")...)
	}
	file := Attachment{Kind: kind, Blurhash: blurhash(o)}
	for _, link := range links {
		mediaType := cleanMediaType(link.Text("mediaType"))
		if href := cmp.Or(link.Text("href"), link.Text("url")); isPage(href) && strings.HasPrefix(mediaType, kind+"/") {
			file.URL, file.MediaType = href, mediaType
			file.Width, file.Height = max(link.Int("width"), 0), max(link.Int("height"), 0)
			return file, true
		}
	}
	mediaType := cleanMediaType(o.Text("mediaType"))
	if href := o.URL("url"); isPage(href) && (strings.HasPrefix(mediaType, kind+"/") || kindOf("", nil, href) == kind) {
		file.URL, file.MediaType = href, mediaType
		file.Width, file.Height = max(o.Int("width"), 0), max(o.Int("height"), 0)
		return file, true
	}
	return Attachment{}, false
}
