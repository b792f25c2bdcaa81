package config

import (
	"cmp"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/client/settings/term"
)

// MediaProxy is the group :media_proxy: remote files are fetched for people, so
// that other servers do not see the readers.
type MediaProxy struct {
	Enabled   bool
	BaseURL   string   // of the proxy's URLs; "" is this server
	Whitelist []string // hosts, or https://host, that are not proxied
	// MaxBodyLength is the largest proxied file, in bytes, and MaxReadDuration the
	// time to fetch it, in milliseconds.
	MaxBodyLength     int
	MaxReadDuration   int
	RedirectOnFailure bool // redirects to the file itself
	Invalidation      Invalidation
}

// The ways of invalidating caches, as Invalidation.Provider names them.
const (
	InvalidateByScript = "Svc.Web.MediaProxy.Invalidation.Script"
	InvalidateByHTTP   = "Svc.Web.MediaProxy.Invalidation.Http"
)

// Invalidation configures the caches in front of the server.
type Invalidation struct {
	Enabled  bool
	Provider string
	// Script is a program that gets the URLs, separated by spaces.
	Script string
	// Method is the method of a request for each URL, as an atom or text; Headers
	// and Options are lists of pairs. Request reads them.
	Method  string
	Headers term.Term
	Options term.Term
}

// CacheRequest is the request that makes a cache drop a file.
type CacheRequest struct {
	Method  string
	Headers [][2]string
	Query   [][2]string   // added to the URL
	Timeout time.Duration // 0 is the usual one
}

var token = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// Request reads Method, Headers and Options; false if they make no request.
func (i *Invalidation) Request() (CacheRequest, bool) {
	r := CacheRequest{Method: strings.ToUpper(strings.TrimPrefix(i.Method, ":"))}
	var ok bool
	if r.Headers, ok = texted(i.Headers); !ok {
		return r, false
	}
	for _, h := range r.Headers {
		if !token.MatchString(h[0]) || strings.ContainsAny(h[1], "\r\n\x00") {
			return r, false
		}
	}
	if params, there := i.Options.Get(":params"); there {
		if r.Query, ok = texted(params); !ok {
			return r, false
		}
	}
	for _, name := range []string{":recv_timeout", ":timeout"} {
		ms, there := i.Options.Get(name)
		if n, isInt := ms.Int(); there && isInt && n > 0 && n <= 600_000 {
			r.Timeout = time.Duration(n) * time.Millisecond
			break
		} else if there {
			return r, false
		}
	}
	return r, token.MatchString(r.Method)
}

// texted reads pairs of texts: in tuples, or by name. Numbers will do.
func texted(t term.Term) ([][2]string, bool) {
	var out [][2]string
	add := func(name string, value term.Term) bool {
		s, ok := word(value)
		if n, isInt := value.Int(); isInt {
			s, ok = strconv.FormatInt(n, 10), true
		}
		out = append(out, [2]string{strings.TrimPrefix(name, ":"), s})
		return ok
	}
	if t.IsNil() {
		return nil, true
	}
	if pairs, ok := t.Pairs(); ok {
		for _, p := range pairs {
			if !add(p.Key.PlainName(), p.Value) {
				return nil, false
			}
		}
		return out, true
	}
	list, ok := t.Items()
	if !ok {
		return nil, false
	}
	for _, item := range list {
		pair, ok := items(item, 2)
		if !ok {
			return nil, false
		}
		name, ok := pair[0].Text()
		if !ok || !add(name, pair[1]) {
			return nil, false
		}
	}
	return out, true
}

// MediaPreview is the group :media_preview_proxy: small copies of pictures,
// while the media proxy is on.
type MediaPreview struct {
	Enabled             bool
	MaxWidth, MaxHeight int // in pixels
	Quality             int // of JPEGs, in percent
	MinContentLength    int // of a file that gets one, in bytes
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

// Avatar is the picture of an account that has this one, or none: a path or URL.
func (a Assets) Avatar(own string) string {
	return cmp.Or(own, a.DefaultUserAvatar, "/images/avi.png")
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
	const proxy, preview, script, byHTTP = ":media_proxy", ":media_preview_proxy", InvalidateByScript, InvalidateByHTTP
	none := term.ListOf()
	requests := func(s Setting, takes string, set func(*Invalidation, term.Term)) Setting {
		s.takes = takes
		s.check = func(value any) bool {
			in := Invalidation{Method: "purge", Headers: none, Options: none}
			set(&in, value.(term.Term))
			_, ok := in.Request()
			return ok
		}
		return s
	}
	method := row(byHTTP, ":method", Word, ":purge", func(s *Settings) any { return &s.MediaProxy.Invalidation.Method }, "HTTP method of the request that tells a cache to forget a file")
	method.check = func(value any) bool { return token.MatchString(strings.TrimPrefix(value.(string), ":")) }
	method.takes = "the name of an HTTP method"
	return append([]Setting{
		row(proxy, ":enabled", Boolean, false, func(s *Settings) any { return &s.MediaProxy.Enabled }, "Whether remote files are fetched for people"),
		row(proxy, ":base_url", String, "", func(s *Settings) any { return &s.MediaProxy.BaseURL }, "Base of the proxy's URLs, if not this server").unset(),
		row(proxy, ":whitelist", Strings, []string{}, func(s *Settings) any { return &s.MediaProxy.Whitelist }, "Hosts whose files are shown directly"),
		row(proxy, ":proxy_opts :max_body_length", Integer, 26214400, func(s *Settings) any { return &s.MediaProxy.MaxBodyLength },
			"Largest file that is fetched, in bytes"),
		row(proxy, ":proxy_opts :max_read_duration", Integer, 30000, func(s *Settings) any { return &s.MediaProxy.MaxReadDuration },
			"How long fetching a file may take, in milliseconds"),
		row(proxy, ":proxy_opts :redirect_on_failure", Boolean, false, func(s *Settings) any { return &s.MediaProxy.RedirectOnFailure },
			"Whether people are sent to the file itself when it cannot be fetched"),
		row(proxy, ":invalidation :enabled", Boolean, false, func(s *Settings) any { return &s.MediaProxy.Invalidation.Enabled }, "Whether caches are told to forget files"),
		row(proxy, ":invalidation :provider", Word, script, func(s *Settings) any { return &s.MediaProxy.Invalidation.Provider }, "Module by which caches are told: a program, or HTTP requests").oneOf(script, byHTTP),
		row(script, ":script_path", String, "", func(s *Settings) any { return &s.MediaProxy.Invalidation.Script }, "Path of the program that tells caches; it gets the URLs as one argument").null("").locked(),
		method,
		requests(row(byHTTP, ":headers", Any, none, func(s *Settings) any { return &s.MediaProxy.Invalidation.Headers }, "Headers of the request that tells a cache to forget a file"),
			"a list of pairs of texts", func(i *Invalidation, t term.Term) { i.Headers = t }),
		requests(row(byHTTP, ":options", Any, none, func(s *Settings) any { return &s.MediaProxy.Invalidation.Options },
			"Options of the request that tells a cache to forget a file: :params for its query, :recv_timeout in milliseconds"),
			":params with texts by name, and :recv_timeout in milliseconds", func(i *Invalidation, t term.Term) { i.Options = t }),
		row(preview, ":enabled", Boolean, false, func(s *Settings) any { return &s.MediaPreview.Enabled }, "Whether small copies are made of pictures; needs the media proxy"),
		row(preview, ":thumbnail_max_width", Integer, 600, func(s *Settings) any { return &s.MediaPreview.MaxWidth }, "Widest preview, in pixels").between(1, 8192),
		row(preview, ":thumbnail_max_height", Integer, 600, func(s *Settings) any { return &s.MediaPreview.MaxHeight }, "Highest preview, in pixels").between(1, 8192),
		row(preview, ":image_quality", Integer, 85, func(s *Settings) any { return &s.MediaPreview.Quality }, "Quality of previews, in percent").between(1, 100),
		row(preview, ":min_content_length", Integer, 102400, func(s *Settings) any { return &s.MediaPreview.MinContentLength }, "Smallest file that gets a preview, in bytes"),
		row(":assets", ":mascots", Maps, map[string]any{"default": map[string]any{"url": "/images/mascot.png", "mime_type": "image/png"}},
			func(s *Settings) any { return &s.Assets.Mascots }, "Pictures beside the web client, by name"),
		row(":assets", ":default_mascot", Word, ":default", func(s *Settings) any { return &s.Assets.DefaultMascot }, "Name of the mascot that people get who chose none"),
		row(":assets", ":default_user_avatar", String, "", func(s *Settings) any { return &s.Assets.DefaultUserAvatar }, "Avatar of accounts without one: a path or URL").unset(),
	}, slices.Concat(uploadSettings(), staticSettings())...)
}

// MediaStore says where files are kept: in the folder Path, or in a Bucket of
// a server that speaks Amazon's S3.
type MediaStore struct {
	Path string

	Bucket   string
	Endpoint string // a URL
	Region   string // "" where the server does not care
	Prefix   string // the beginning of every name in the bucket
	Key      string // these two sign requests
	Secret   string
}

// underlay places the operator's media store below the saved settings, if one
// is configured. Files are served through this server unless set otherwise, as
// the bucket may not be public.
func (m MediaStore) underlay(u *Upload, given bool) {
	if m.Key != "" {
		u.Bucket.Key, u.Bucket.Secret = m.Key, m.Secret
	}
	switch {
	case !given:
	case m.Bucket != "":
		u.Uploader, u.ProxyRemote = S3Uploader, true
		u.Bucket.Name, u.Bucket.Region = m.Bucket, m.Region
		u.Bucket.Scheme, u.Bucket.Host, _ = strings.Cut(strings.TrimSuffix(m.Endpoint, "/"), "://")
	default:
		u.Folder = m.Path
		if folder, err := filepath.Abs(m.Path); err == nil { // else it is where a server cannot be
			u.Folder = folder
		}
	}
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
