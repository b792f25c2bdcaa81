package pages_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/servertest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	volatileTimes = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	volatileIDs   = regexp.MustCompile(`/objects/[0-9a-f-]{36}|/notice/\w{18}|/media/[0-9a-f]+`)
)

// golden compares text with a file, after replacing the parts that differ from
// run to run.
func golden(t *testing.T, name, got string, s *servertest.Server) {
	t.Helper()
	got = strings.ReplaceAll(got, s.Base(), "BASE")
	got = strings.ReplaceAll(got, strings.TrimPrefix(s.Base(), "http://"), "HOST")
	got = volatileTimes.ReplaceAllString(got, "TIME")
	got = volatileIDs.ReplaceAllStringFunc(got, func(m string) string { return m[:strings.LastIndexByte(m, '/')] + "/ID" })
	got = regexp.MustCompile(`data-user=(&#34;|")\w+`).ReplaceAllString(got, "data-user=${1}ID")
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// feed has the required elements of RFC 4287, read by our own parser.
type feed struct {
	XMLName xml.Name
	ID      string     `xml:"id"`
	Title   string     `xml:"title"`
	Updated string     `xml:"updated"`
	Author  []string   `xml:"author>name"`
	Links   []feedLink `xml:"link"`
	Entries []struct {
		ID        string     `xml:"id"`
		Title     string     `xml:"title"`
		Updated   string     `xml:"updated"`
		Published string     `xml:"published"`
		Author    []string   `xml:"author>name"`
		Links     []feedLink `xml:"link"`
		Content   struct {
			Type string `xml:"type,attr"`
			Text string `xml:",chardata"`
		} `xml:"content"`
	} `xml:"entry"`
}

type feedLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
	Type string `xml:"type,attr"`
}

// parseFeed reads a feed and holds it to the RFC.
func parseFeed(t *testing.T, text string) feed {
	t.Helper()
	var f feed
	if err := xml.Unmarshal([]byte(text), &f); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	absolute := func(what, s string) {
		t.Helper()
		if u, err := url.Parse(s); err != nil || !u.IsAbs() {
			t.Errorf("%s is %q", what, s)
		}
	}
	moment := func(what, s string) {
		t.Helper()
		if _, err := time.Parse(time.RFC3339, s); err != nil {
			t.Errorf("%s is %q", what, s)
		}
	}
	if f.XMLName.Space != "http://www.w3.org/2005/Atom" || f.XMLName.Local != "feed" || f.Title == "" || len(f.Author) != 1 {
		t.Errorf("feed %+v", f)
	}
	absolute("the feed's id", f.ID)
	moment("the feed's update", f.Updated)
	self := 0
	for _, l := range f.Links {
		absolute("a link", l.Href)
		if l.Rel == "self" {
			self++
		}
	}
	if self != 1 {
		t.Errorf("%d links to itself", self)
	}
	seen := map[string]bool{}
	for _, e := range f.Entries {
		absolute("an entry's id", e.ID)
		moment("an entry's update", e.Updated)
		moment("an entry's beginning", e.Published)
		if e.Title == "" || seen[e.ID] || len(e.Author) != 1 || e.Content.Type != "html" {
			t.Errorf("entry %+v", e)
		}
		seen[e.ID] = true
	}
	return f
}

func TestFeedOfAnAccount(t *testing.T) {
	s := servertest.Start(t)
	name := "Alice & <Ash>" // markup has no place in a name
	s.User("alice")
	alice := s.Client("alice")
	if _, err := alice.Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{DisplayName: &name}); err != nil {
		t.Fatal(err)
	}
	file, err := alice.Media.Upload(t.Context(), client.File{Name: "dot.gif", Content: bytes.NewReader(dot)}, api.MediaForm{Description: ptr(`A "dot"`)})
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, "alice", api.NewStatus{Status: "A **bold** start ]]> & so on #Tea @bob", ContentType: "text/markdown", Language: "en", MediaIDs: []string{file.ID}})
	write(t, s, "alice", api.NewStatus{Status: "what happens", SpoilerText: "The end", Visibility: db.Unlisted})
	write(t, s, "alice", api.NewStatus{Status: "not for everybody", Visibility: db.Private})
	write(t, s, "alice", api.NewStatus{Status: strings.Repeat("long words ", 20)})
	bobs := write(t, s, "bob", api.NewStatus{Status: "by Bob #tea"})
	if _, err := alice.Statuses.Reblog(t.Context(), bobs.ID, api.NewReblog{}); err != nil {
		t.Fatal(err)
	}
	v := newVisitor(t, s)
	got := v.open("/users/alice/feed.atom")
	if got.status != 200 || got.header.Get("Content-Type") != "application/atom+xml; charset=utf-8" {
		t.Fatalf("%d %s\n%s", got.status, got.header.Get("Content-Type"), got.text)
	}
	if f := parseFeed(t, got.text); len(f.Entries) != 3 {
		t.Errorf("%d entries", len(f.Entries))
	}
	golden(t, "alice.atom", strings.ReplaceAll(got.text, "><", ">\n<"), s)
	for _, path := range []string{"/users/alice/feed", "/users/alice.atom"} {
		if same := v.open(path); same.text != got.text {
			t.Errorf("%s differs", path)
		}
	}
	if again := v.open("/users/alice/feed.atom", "If-None-Match", got.header.Get("ETag")); again.status != 304 {
		t.Errorf("unchanged: %d", again.status)
	}
	settings(t, s, func(c *config.Settings) {
		c.Look.Feed = config.Feed{TitleLength: 12, Omission: "…", Logo: "/logo.png"}
	})
	f := parseFeed(t, v.open("/users/alice/feed.atom").text)
	if diff := cmp.Diff([]string{"long words…", "The end", "A bold star…"}, []string{f.Entries[0].Title, f.Entries[1].Title, f.Entries[2].Title}); diff != "" {
		t.Errorf("titles (-want +got):\n%s", diff)
	}
	tagged := parseFeed(t, v.open("/tags/TEA.atom").text)
	if len(tagged.Entries) != 2 || tagged.Entries[0].Author[0] != "bob" || tagged.Entries[1].Author[0] != "Alice & <Ash>" {
		t.Errorf("feed of a hashtag: %+v", tagged)
	}
	if got := v.open("/tags/tea"); got.status != 302 || got.header.Get("Location") != "/tag/tea" {
		t.Errorf("/tags/tea: %d", got.status)
	}
	if empty := parseFeed(t, v.open("/tags/nothing.atom").text); len(empty.Entries) != 0 {
		t.Errorf("an empty feed: %+v", empty)
	}
}

func TestFeedsLeadToOlderPosts(t *testing.T) {
	s := servertest.Start(t)
	for range 25 {
		write(t, s, "alice", api.NewStatus{Status: "#tea again"})
	}
	for _, path := range []string{"/users/alice/feed.atom", "/tags/tea.atom"} {
		v, n, next := newVisitor(t, s), 0, path
		for next != "" {
			f := parseFeed(t, v.open(next).text)
			n += len(f.Entries)
			next = ""
			for _, l := range f.Links {
				if l.Rel == "next" {
					next = strings.TrimPrefix(l.Href, s.Base())
				}
			}
		}
		if n != 25 {
			t.Errorf("%s: %d entries on all pages", path, n)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// dot is a picture of one pixel.
var dot = []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
