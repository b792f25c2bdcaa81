package config

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	want.Upload = Upload{BaseURL: "https://cdn.example", LinkName: true, DefaultDescription: ":filename"}
	want.Instance.CleanupAttachments = true
	want.MediaProxy = MediaProxy{
		Enabled: true, Whitelist: []string{"https://cdn.example", "other.example"}, MaxBodyLength: 1000, MaxReadDuration: 500, RedirectOnFailure: true,
	}
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
