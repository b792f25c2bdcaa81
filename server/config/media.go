package config

import (
	"net/url"
	"strings"
	"time"
)

// Upload is Svc.Upload: how people's files are named and kept.
type Upload struct {
	// BaseURL is where files are fetched from in place of /media on this
	// server: a bucket or a cache in front. "" is here.
	BaseURL string
	// LinkName adds a file's own name to its URL.
	LinkName bool
	// DefaultDescription is that of a file whose sender gives none; ":filename"
	// is its name.
	DefaultDescription string
}

// MediaProxy is the group :media_proxy: remote files fetched for people, so
// that other servers do not learn who looks at them.
type MediaProxy struct {
	Enabled   bool
	BaseURL   string   // of the proxy's URLs; "" is this server
	Whitelist []string // hosts, or https://host, that are shown directly
	// MaxBodyLength is the largest file that is fetched, in bytes, and
	// MaxReadDuration how long that may take, in milliseconds.
	MaxBodyLength     int
	MaxReadDuration   int
	RedirectOnFailure bool // sends people to the file itself
}

// ReadDuration is MaxReadDuration as Go has it.
func (m MediaProxy) ReadDuration() time.Duration {
	return time.Duration(m.MaxReadDuration) * time.Millisecond
}

// Assets is the group :assets.
type Assets struct {
	// Mascots are pictures beside the web client, by name: objects with url
	// and mime_type.
	Mascots       map[string]any
	DefaultMascot string
	// DefaultUserAvatar is the picture of who has none: a path or URL; "" is
	// the built-in one.
	DefaultUserAvatar string
}

// Mascot is the URL and media type of the default mascot, empty where there is
// none.
func (a Assets) Mascot() (url, mime string) {
	m, _ := a.Mascots[strings.TrimPrefix(a.DefaultMascot, ":")].(map[string]any)
	url, _ = m["url"].(string)
	mime, _ = m["mime_type"].(string)
	return url, mime
}

func mediaSettings() []Setting {
	return []Setting{
		row(":instance", ":cleanup_attachments", Boolean, false, func(s *Settings) any { return &s.Instance.CleanupAttachments },
			"Whether files are removed with their statuses"),
		row("Svc.Upload", ":base_url", String, "", func(s *Settings) any { return &s.Upload.BaseURL }, "Where files are fetched from, if not from this server").unset(),
		row("Svc.Upload", ":link_name", Boolean, false, func(s *Settings) any { return &s.Upload.LinkName }, "Whether a file's own name is added to its URL"),
		row("Svc.Upload", ":default_description", Word, "", func(s *Settings) any { return &s.Upload.DefaultDescription },
			"Description of a file whose sender gives none; :filename is its name").null(""),
		row(":media_proxy", ":enabled", Boolean, false, func(s *Settings) any { return &s.MediaProxy.Enabled }, "Whether remote files are fetched for people"),
		row(":media_proxy", ":base_url", String, "", func(s *Settings) any { return &s.MediaProxy.BaseURL }, "Base of the proxy's URLs, if not this server").unset(),
		row(":media_proxy", ":whitelist", Strings, []string{}, func(s *Settings) any { return &s.MediaProxy.Whitelist }, "Hosts whose files are shown directly"),
		row(":media_proxy", ":proxy_opts :max_body_length", Integer, 26214400, func(s *Settings) any { return &s.MediaProxy.MaxBodyLength },
			"Largest file that is fetched, in bytes"),
		row(":media_proxy", ":proxy_opts :max_read_duration", Integer, 30000, func(s *Settings) any { return &s.MediaProxy.MaxReadDuration },
			"How long fetching a file may take, in milliseconds"),
		row(":media_proxy", ":proxy_opts :redirect_on_failure", Boolean, false, func(s *Settings) any { return &s.MediaProxy.RedirectOnFailure },
			"Whether people are sent to the file itself when it cannot be fetched"),
		row(":assets", ":mascots", Maps, map[string]any{"default": map[string]any{"url": "/images/mascot.png", "mime_type": "image/png"}},
			func(s *Settings) any { return &s.Assets.Mascots }, "Pictures beside the web client, by name"),
		row(":assets", ":default_mascot", Word, ":default", func(s *Settings) any { return &s.Assets.DefaultMascot }, "Mascot of who chose none"),
		row(":assets", ":default_user_avatar", String, "", func(s *Settings) any { return &s.Assets.DefaultUserAvatar }, "Picture of who has none").unset(),
	}
}

// MediaStore says where files are kept: in the folder Path, or in a Bucket of
// a server that speaks Amazon's S3.
type MediaStore struct {
	Path string

	Bucket   string
	Endpoint string // a URL
	Region   string // "" where the server does not care
	Prefix   string // what names in the bucket begin with
	Key      string // these two sign requests
	Secret   string
}

func setMedia(c *Config, value string) bool {
	keys := MediaStore{Key: c.Media.Key, Secret: c.Media.Secret}
	if path, ok := strings.CutPrefix(value, "file:"); ok {
		c.Media = keys
		c.Media.Path = path
		return path != "" && !strings.ContainsRune(path, 0)
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil || u.Path != "" && u.Path != "/" || u.Fragment != "" {
		return false
	}
	c.Media = keys
	c.Media.Bucket = u.Host
	for name, values := range u.Query() {
		switch name {
		case "endpoint":
			c.Media.Endpoint = values[0]
		case "region":
			c.Media.Region = values[0]
		case "prefix":
			c.Media.Prefix = values[0]
		default:
			return false
		}
	}
	if !strings.Contains(c.Media.Endpoint, "://") {
		c.Media.Endpoint = "https://" + c.Media.Endpoint
	}
	end, err := url.Parse(c.Media.Endpoint)
	return err == nil && (end.Scheme == "https" || end.Scheme == "http") && isHost(end.Hostname()) && strings.Trim(end.Path, "/") == "" && end.User == nil
}
