package config

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
)

func TestMediaIsAFolderOrABucket(t *testing.T) {
	for value, want := range map[string]MediaStore{
		"file:/srv/media":                    {Path: "/srv/media", Key: "AK", Secret: "SK"},
		"s3://media?endpoint=s3.example.org": {Bucket: "media", Endpoint: "https://s3.example.org", Key: "AK", Secret: "SK"},
		"s3://media?endpoint=http://127.0.0.1:9000/&region=eu-west-1&prefix=svc%2F": {Bucket: "media", Endpoint: "http://127.0.0.1:9000/", Region: "eu-west-1", Prefix: "svc/", Key: "AK", Secret: "SK"},
	} {
		got, err := load(t, nil, map[string]string{"SVC_MEDIA": value, "AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY_FILE": write(t, "key", "SK\n")})
		if err != nil {
			t.Errorf("%s: %v", value, err)
		}
		if diff := cmp.Diff(want, got.Media); diff != "" {
			t.Errorf("%s: %s", value, diff)
		}
	}
	for _, value := range []string{
		"/srv/media", "file:", "s3://media", "s3://?endpoint=s3.example", "s3://media/path?endpoint=s3.example", "s3://u:p@media?endpoint=s3.example",
		"s3://media?endpoint=ftp://s3.example", "s3://media?endpoint=s3.example&acl=x", "s3://media?endpoint=https://s3.example/path", "ftp://x",
	} {
		var problems Problems
		if _, err := load(t, nil, map[string]string{"SVC_MEDIA": value}); !errors.As(err, &problems) || len(problems) != 1 || problems[0].Setting != "SVC_MEDIA" {
			t.Errorf("%s was taken: %v", value, err)
		}
	}
}

func TestFileOverlaysMedia(t *testing.T) {
	got, err := load(t, []string{"--config", write(t, "svc.yaml", `
settings:
  Svc.Upload: {base_url: "https://cdn.example", link_name: true, default_description: ":filename"}
  instance: {cleanup_attachments: true}
  media_proxy: {enabled: true, whitelist: ["https://cdn.example", other.example], proxy_opts: {max_body_length: 1000, max_read_duration: 500, redirect_on_failure: true}}
  assets: {default_mascot: ":cat", default_user_avatar: /images/me.png, mascots: {":cat": {url: /images/cat.png, mime_type: image/png}}}
`)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultSettings()
	want.Upload.BaseURL, want.Upload.LinkName, want.Upload.DefaultDescription = "https://cdn.example", true, ":filename"
	want.Instance.CleanupAttachments = true
	p := &want.MediaProxy
	p.Enabled, p.Whitelist, p.MaxBodyLength, p.MaxReadDuration, p.RedirectOnFailure = true, []string{"https://cdn.example", "other.example"}, 1000, 500, true
	want.Assets = Assets{
		Mascots:       map[string]any{"cat": map[string]any{"url": "/images/cat.png", "mime_type": "image/png"}},
		DefaultMascot: ":cat", DefaultUserAvatar: "/images/me.png",
	}
	if diff := cmp.Diff(want, got.Settings); diff != "" {
		t.Error(diff)
	}
	if url, mime := got.Settings.Assets.Mascot(); url != "/images/cat.png" || mime != "image/png" {
		t.Errorf("mascot %q of %q", url, mime)
	}
}

func TestTheOperatorsMediaLieUnderWhatIsSaved(t *testing.T) {
	got, err := load(t, nil, map[string]string{"SVC_MEDIA": "s3://media?endpoint=http://127.0.0.1:9000/&region=eu", "AWS_ACCESS_KEY_ID": "AK", "AWS_SECRET_ACCESS_KEY": "SK"})
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultSettings().Upload
	want.Uploader, want.ProxyRemote = S3Uploader, true
	want.Bucket.Name, want.Bucket.Scheme, want.Bucket.Host, want.Bucket.Region = "media", "http", "127.0.0.1:9000", "eu"
	want.Bucket.Key, want.Bucket.Secret = "AK", "SK"
	if diff := cmp.Diff(want, got.Settings.Upload); diff != "" || got.Settings.Upload.Bucket.Endpoint() != "http://127.0.0.1:9000" {
		t.Error(diff)
	}
	if got, err = load(t, nil, map[string]string{"SVC_MEDIA": "file:/srv/media"}); err != nil || got.Settings.Upload.Folder != "/srv/media" || got.Settings.Upload.Uploader != LocalUploader {
		t.Errorf("%+v, %v", got.Settings.Upload, err)
	}
}

func TestFilesOfABucketHavePublicURLs(t *testing.T) {
	for want, b := range map[string]S3{
		"https://s3.amazonaws.com/media/f":   {Name: "media"},
		"http://one.example:9000/media/f":    {Name: "media", Scheme: "http://", Host: "one.example:9000"},
		"https://cdn.example/media/f":        {Name: "media", PublicEndpoint: "https://cdn.example/"},
		"https://cdn.example/tenant:media/f": {Name: "media", PublicEndpoint: "https://cdn.example", Namespace: "tenant"},
		"https://cdn.example/short/f":        {Name: "media", PublicEndpoint: "https://cdn.example", Namespace: "tenant", Truncated: "short"},
	} {
		if got := b.Public("f"); got != want {
			t.Errorf("%+v: %s", b, got)
		}
	}
}

func TestValuesOfMediaThatNothingCouldFollowAreRefused(t *testing.T) {
	type pair = [2]string
	for _, c := range []struct {
		key, value string
		sound      bool
	}{
		{"Svc.Upload.Filter.Mogrify", `[":args",["strip","auto-orient",{"tuple":["resize","3840x1080>"]}]]`, true},
		{"Svc.Upload.Filter.Mogrify", `[":args",["strip","{\"resize\", \"3840x1080>\"}"]]`, true},
		{"Svc.Upload.Filter.Mogrify", `[":args","strip"]`, true},
		{"Svc.Upload.Filter.Mogrify", `[":args",{"tuple":["resize","50%"]}]`, true},
		{"Svc.Upload.Filter.Mogrify", `[":args",["implode"]]`, false},
		{"Svc.Upload.Filter.Mogrify", `[":args",{"tuple":["resize","0x0"]}]`, false},
		{"Svc.Upload.Filter.Mogrify", `[":args",{"tuple":["resize","5x5; rm"]}]`, false},
		{"Svc.Upload.Filter.Mogrify", `[":args",{"tuple":["write","/etc/passwd"]}]`, false},
		{InvalidateByHTTP, `[":method",":purge"]`, true},
		{InvalidateByHTTP, `[":method","BAN"]`, true},
		{InvalidateByHTTP, `[":method","GET / HTTP/1.1"]`, false},
		{InvalidateByHTTP, `[":headers",[{"tuple":["x-refresh",1]}]]`, true},
		{InvalidateByHTTP, `[":headers",[{"tuple":["x y","1"]}]]`, false},
		{InvalidateByHTTP, `[":headers",[{"tuple":["x","a\r\nb: c"]}]]`, false},
		{InvalidateByHTTP, `[":headers","x"]`, false},
		{InvalidateByHTTP, `[":options",[{"tuple":[":params",{"a":"b"}]},{"tuple":[":recv_timeout",500]}]]`, true},
		{InvalidateByHTTP, `[":options",[{"tuple":[":recv_timeout","soon"]}]]`, false},
		{":media_proxy", `[":invalidation",[{"tuple":[":provider","Svc.Web.MediaProxy.Invalidation.Telepathy"]}]]`, false},
		{":media_preview_proxy", `[":image_quality",101]`, false},
		{"Svc.Upload", `[":filters",["Svc.Upload.Filter.Dedupe","Svc.Upload.Filter.Exiftool"]]`, true},
		{"Svc.Upload", `[":filters",["Svc.Upload.Filter.Magic"]]`, false},
		{"Svc.Upload", `[":uploader","Svc.Uploaders.S3"]`, true},
		{"Svc.Upload", `[":uploader","Svc.Uploaders.MDII"]`, false},
		{"Svc.Uploaders.Local", `[":uploads",""]`, false},
	} {
		value, err := term.FromJSON([]byte(`[{"tuple":` + c.value + `}]`))
		if err != nil {
			t.Fatalf("%s: %v", c.value, err)
		}
		if wrong := Check(":svc", c.key, value); (len(wrong) == 0) != c.sound {
			t.Errorf("%s %s: %v", c.key, c.value, wrong)
		}
	}
	in := Invalidation{Method: ":purge", Headers: term.ListOf(term.TupleOf(term.String("x-refresh"), term.Integer(1))),
		Options: term.Keyword(term.Entry(":params", term.MapOf(term.Entry("a", term.String("b")))), term.Entry(":recv_timeout", term.Integer(500)))}
	want := CacheRequest{Method: "PURGE", Headers: []pair{{"x-refresh", "1"}}, Query: []pair{{"a", "b"}}, Timeout: 500 * time.Millisecond}
	if got, ok := in.Request(); !ok || cmp.Diff(want, got) != "" {
		t.Errorf("%+v", got)
	}
}
