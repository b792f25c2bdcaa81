package config

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"svc/client/settings/term"
)

// The uploaders, as Upload.Uploader names them.
const (
	LocalUploader = "Svc.Uploaders.Local"
	S3Uploader    = "Svc.Uploaders.S3"
)

// The filters, as Upload.Filters names them. Cleaning is always done.
const (
	FilterDedupe    = "Svc.Upload.Filter.Dedupe"
	FilterClean     = "Svc.Upload.Filter.Exiftool"
	FilterMogrify   = "Svc.Upload.Filter.Mogrify"
	FilterAnonymize = "Svc.Upload.Filter.AnonymizeFilename"
)

// Upload is Svc.Upload with its uploaders and filters: names, changes and
// storage of files.
type Upload struct {
	// BaseURL is the address of files in place of /media on this server: a bucket
	// or a cache in front. "" is this server.
	BaseURL string
	// LinkName adds a file's original name to its URL.
	LinkName bool
	// DefaultDescription is the description of a file without one; ":filename" is
	// its name.
	DefaultDescription string
	// FilenameDisplayMaxLength is the longest name of a file in a text, in
	// characters; 0 is any.
	FilenameDisplayMaxLength int

	Uploader string
	Filters  []string
	// Folder is the folder of files, in the data folder; Bucket is the bucket of
	// the other uploaders.
	Folder string
	Bucket S3
	// ProxyRemote serves the files of a bucket through this server, in place of
	// redirecting.
	ProxyRemote bool
	// MogrifyArgs are the changes of pictures; Changes reads them.
	MogrifyArgs term.Term
	// AnonymousName is the name of all files, with {extension} for the ending; ""
	// is a random one for each.
	AnonymousName string
}

// Filtered reports whether a filter is on.
func (u *Upload) Filtered(filter string) bool { return slices.Contains(u.Filters, filter) }

// S3 is Svc.Uploaders.S3, and {:ex_aws, :s3}.
type S3 struct {
	Name string
	// PublicEndpoint is the public URL of the bucket; "" is the bucket's own.
	PublicEndpoint string
	// Namespace precedes the bucket's name in such URLs; Truncated replaces it.
	Namespace, Truncated string
	Streaming            bool // long files are sent in parts

	Key, Secret          string
	Host, Region, Scheme string // "" is Amazon's own, by HTTPS
}

// Endpoint returns the URL of the bucket's server.
func (b *S3) Endpoint() string {
	scheme, host := strings.TrimSuffix(b.Scheme, "://"), b.Host
	if scheme == "" {
		scheme = "https"
	}
	if host == "" {
		host = "s3.amazonaws.com"
	}
	return scheme + "://" + strings.Trim(host, "/")
}

// Public returns the public URL of a file in the bucket.
func (b *S3) Public(name string) string {
	base := strings.TrimSuffix(b.PublicEndpoint, "/")
	if base == "" {
		base = b.Endpoint()
	}
	switch {
	case b.Truncated != "":
		return base + "/" + strings.Trim(b.Truncated, "/") + "/" + name
	case b.Namespace != "":
		return base + "/" + b.Namespace + ":" + b.Name + "/" + name
	}
	return base + "/" + b.Name + "/" + name
}

// In returns the path of a folder or file in the data folder.
func In(data, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(data, filepath.FromSlash(name))
}

// A Change is a change of a picture by Svc.Upload.Filter.Mogrify: strip,
// auto-orient, or resize with its geometry.
type Change struct{ Name, Geometry string }

// geometry matches the target of a resize: 50%, or width x height with one
// optional, and a flag: only larger pictures, only smaller ones, or without
// keeping the ratio.
var geometry = regexp.MustCompile(`^(?:[1-9]\d{0,2}%|(?:[1-9]\d{0,4}(?:x(?:[1-9]\d{0,4})?)?|x[1-9]\d{0,4})[<>!]?)$`)

// Changes returns the changes of pictures, in order; false for an unknown name
// or geometry.
func (u *Upload) Changes() ([]Change, bool) { return changes(u.MogrifyArgs) }

func changes(args term.Term) ([]Change, bool) {
	if args.IsNil() {
		return nil, true
	}
	list, ok := args.Items()
	if !ok {
		list = []term.Term{args}
	}
	out := make([]Change, 0, len(list))
	for _, item := range list {
		c, ok := change(item)
		if !ok {
			return nil, false
		}
		out = append(out, c)
	}
	return out, true
}

func change(t term.Term) (Change, bool) {
	if name, ok := t.Text(); ok {
		return Change{Name: name}, name == "strip" || name == "auto-orient"
	}
	pair, ok := items(t, 2)
	if !ok {
		return Change{}, false
	}
	name, ok1 := pair[0].Text()
	size, ok2 := pair[1].Text()
	if n, isNumber := pair[1].Int(); isNumber {
		size, ok2 = strconv.FormatInt(n, 10), true
	}
	return Change{name, size}, ok1 && ok2 && name == "resize" && geometry.MatchString(size)
}

func uploadSettings() []Setting {
	const upload, s3, aws = "Svc.Upload", "Svc.Uploaders.S3", ":s3"
	args := row("Svc.Upload.Filter.Mogrify", ":args", Any, term.Nil(), func(s *Settings) any { return &s.Upload.MogrifyArgs }, "Changes to pictures: strip, auto-orient, or resize with a geometry").unset()
	args.check = func(value any) bool { _, ok := changes(value.(term.Term)); return ok }
	args.takes = `strip, auto-orient, {"resize", "WIDTHxHEIGHT>"}, or a list of those`
	return []Setting{
		row(":instance", ":cleanup_attachments", Boolean, false, func(s *Settings) any { return &s.Instance.CleanupAttachments },
			"Whether files are removed with their statuses"),
		row(upload, ":uploader", Word, LocalUploader, func(s *Settings) any { return &s.Upload.Uploader }, "Module that keeps files: in a folder, or in a bucket").oneOf(LocalUploader, S3Uploader),
		row(upload, ":filters", Words, []string{FilterDedupe}, func(s *Settings) any { return &s.Upload.Filters }, "Filters that change files on upload, in order").
			oneOf(FilterAnonymize, FilterDedupe, FilterClean, FilterMogrify),
		row(upload, ":base_url", String, "", func(s *Settings) any { return &s.Upload.BaseURL }, "Base of the URLs of files, where people fetch them from another host").unset(),
		row(upload, ":link_name", Boolean, false, func(s *Settings) any { return &s.Upload.LinkName }, "Whether a file's own name is added to its URL"),
		row(upload, ":proxy_remote", Boolean, false, func(s *Settings) any { return &s.Upload.ProxyRemote }, "Whether files of a bucket go through this server"),
		row(upload, ":default_description", Word, "", func(s *Settings) any { return &s.Upload.DefaultDescription },
			"Description of a file whose sender gives none; :filename is its name").null(""),
		row("Svc.Uploaders.Local", ":uploads", String, "uploads", func(s *Settings) any { return &s.Upload.Folder }, "Folder that files are kept in").filled().locked(),
		row(s3, ":bucket", String, "", func(s *Settings) any { return &s.Upload.Bucket.Name }, "Bucket that files are kept in").null(""),
		row(s3, ":public_endpoint", String, "", func(s *Settings) any { return &s.Upload.Bucket.PublicEndpoint }, "URL that files are fetched from").unset(),
		row(s3, ":bucket_namespace", String, "", func(s *Settings) any { return &s.Upload.Bucket.Namespace }, "Prefix of the bucket's name in URLs").unset(),
		row(s3, ":truncated_namespace", String, "", func(s *Settings) any { return &s.Upload.Bucket.Truncated }, "Path that replaces the bucket's name in URLs").unset(),
		row(s3, ":streaming_enabled", Boolean, true, func(s *Settings) any { return &s.Upload.Bucket.Streaming }, "Whether long files are sent in parts"),
		row(aws, ":access_key_id", String, "", func(s *Settings) any { return &s.Upload.Bucket.Key }, "Name of the key of the bucket").in(":ex_aws").secret().unset(),
		row(aws, ":secret_access_key", String, "", func(s *Settings) any { return &s.Upload.Bucket.Secret }, "Key of the bucket").in(":ex_aws").secret().unset(),
		row(aws, ":host", String, "", func(s *Settings) any { return &s.Upload.Bucket.Host }, "Host of the bucket").in(":ex_aws").unset(),
		row(aws, ":region", String, "", func(s *Settings) any { return &s.Upload.Bucket.Region }, "Region of the bucket").in(":ex_aws").unset(),
		row(aws, ":scheme", String, "", func(s *Settings) any { return &s.Upload.Bucket.Scheme }, "Scheme of the bucket's URLs").in(":ex_aws").unset().
			oneOf("", "https", "https://", "http", "http://"),
		args,
		row("Svc.Upload.Filter.AnonymizeFilename", ":text", String, "", func(s *Settings) any { return &s.Upload.AnonymousName },
			"Name that files are given; {extension} is its ending").unset(),
	}
}
