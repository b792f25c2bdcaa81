package activitypub

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// read decodes the members of a note by a@far.example and reads it.
func read(t testing.TB, members string) (*Post, error) {
	t.Helper()
	o, err := Decode([]byte(`{"id":"https://far.example/n","attributedTo":"https://far.example/a"` + members + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return ReadPost(o, IDs{}, "")
}

// TestPostsAreReadInEveryShape has each variant of JSON that peers write give the
// same post.
func TestPostsAreReadInEveryShape(t *testing.T) {
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	base := func(change func(*Post)) *Post {
		p := &Post{ID: "https://far.example/n", Type: "Note", Author: "https://far.example/a", URL: "https://far.example/n"}
		change(p)
		return p
	}
	nothing := func(*Post) {}
	for _, tt := range []struct {
		members string
		want    func(*Post)
	}{
		{`,"type":"Note"`, nothing},
		{`,"type":["Note","x"],"to":null,"cc":[],"tag":null,"attachment":null,"url":null,"summary":null,"inReplyTo":null`, nothing},
		{`,"type":"Note","to":"as:Public","cc":["Public",{"id":"https://far.example/a/followers"},7]`, func(p *Post) {
			p.To, p.CC = []string{Public}, []string{Public, "https://far.example/a/followers"}
		}},
		{`,"type":"Note","url":[{"type":"Link","mediaType":"video/mp4","href":"https://far.example/x.mp4"},{"type":"Link","mediaType":"text/html","href":"https://far.example/page"}]`, func(p *Post) { p.URL = "https://far.example/page" }},
		{`,"type":"Note","url":"https://elsewhere.example/page"`, nothing},
		{`,"type":"Note","url":"javascript:alert(1)"`, nothing},
		{`,"type":"Note","content":"a","contentMap":{"de":"b","en":"a"}`, func(p *Post) { p.Content, p.Language = "a", "en" }},
		{`,"type":"Note","contentMap":{"de":"b","und":"c"}`, func(p *Post) { p.Content, p.Language = "b", "de" }},
		{`,"type":"Note","content":"a","contentMap":{"und":"a"}`, func(p *Post) { p.Content = "a" }},
		{`,"type":"Note","content":"a","mediaType":"text/markdown","source":"*a*","sensitive":true`, func(p *Post) {
			p.Content, p.ContentType, p.Source, p.SourceType, p.Sensitive = "a", "text/markdown", "*a*", "text/plain", true
		}},
		{`,"type":"Note","published":"2026-03-01T10:00:00","updated":"2026-03-01T12:00:00+02:00","inReplyTo":{"id":"https://far.example/m"},"conversation":"tag:x","quoteUrl":"https://q.example/1"`, func(p *Post) {
			p.Published, p.Updated, p.InReplyTo, p.Context, p.Quote = at, at, "https://far.example/m", "tag:x", "https://q.example/1"
		}},
		{`,"type":"Note","tag":{"type":"Mention","href":"https://b.example/b","name":"@b@b.example"}`, func(p *Post) {
			p.Mentions = []Mention{{"https://b.example/b", "@b@b.example"}}
		}},
		{`,"type":"Note","tag":[{"type":"Hashtag","name":"#Über"},{"type":"Hashtag","name":"über"},{"type":"Hashtag","name":"#a b"},{"type":"Hashtag","name":"<b>"},{"type":"Mention","href":"ftp://b/c"},"x"]`, func(p *Post) {
			p.Hashtags = []string{"über"}
		}},
		{`,"type":"Note","tag":[{"type":"Emoji","name":":x:","updated":"2026-03-01T10:00:00Z","icon":{"url":"https://e.example/new.png"}},{"type":"Emoji","name":"x","icon":{"url":"https://e.example/old.png"}},{"type":"Emoji","name":":a b:","icon":{"url":"https://e.example/b.png"}},{"type":"Emoji","name":":y:","icon":{"url":"data:x"}}]`, func(p *Post) {
			p.Emojis = []CustomEmoji{{Shortcode: "x", URL: "https://e.example/new.png", Updated: at}}
		}},
		{`,"type":"Note","attachment":{"type":"Document","url":"https://f.example/a.PNG?x=1","name":"n","width":3,"height":-4,"blurhash":"UBL_:rOpGG-oBUNG"}`, func(p *Post) {
			p.Attachments = []Attachment{{Kind: "image", URL: "https://f.example/a.PNG?x=1", Description: "n", Blurhash: "UBL_:rOpGG-oBUNG", Width: 3}}
		}},
		{`,"type":"Note","attachment":[{"type":"Audio","href":"https://f.example/a","summary":"s"},{"type":"Document","mediaType":"Application/PDF; x=y","url":[{"type":"Link","href":"https://f.example/b"}]},{"type":"Link","href":"https://l.example/"},{"type":"Document","url":"file:///etc/passwd"},{"type":"Document","mediaType":"image/png\"><x","url":"https://f.example/c"}]`, func(p *Post) {
			p.Attachments = []Attachment{{Kind: "audio", URL: "https://f.example/a", Description: "s"}, {Kind: "unknown", URL: "https://f.example/b", MediaType: "application/pdf"}, {Kind: "unknown", URL: "https://f.example/c"}}
			p.Links = []string{"https://l.example/"}
		}},
		{`,"type":"Question","anyOf":{"name":" a ","replies":{"totalItems":2}},"closed":"2026-03-01T10:00:00Z","votersCount":2`, func(p *Post) {
			p.Type, p.Poll = "Question", &Poll{Multiple: true, Options: []Option{{" a ", 2}}, Ends: at, Voters: 2}
		}},
		{`,"type":"Question","oneOf":[{"name":"a"},{"name":"a"},{"name":""},{"name":"b","replies":{"totalItems":-3}}],"endTime":"2026-03-02T10:00:00Z","closed":"2026-03-01T10:00:00Z"`, func(p *Post) {
			p.Type, p.Poll = "Question", &Poll{Options: []Option{{"a", 0}, {"b", 0}}, Ends: at}
		}},
		{`,"type":"Question","oneOf":[{"name":" Vec<u8>\u00a0"},{"name":"Vec<u8>"},{"name":"` + strings.Repeat("ä", 600) + `"}]`, func(p *Post) {
			p.Type, p.Poll = "Question", &Poll{Options: []Option{{" Vec<u8>\u00a0", 0}, {"Vec<u8>", 0}, {strings.Repeat("ä", 600), 0}}}
		}},
		{`,"type":"Question","oneOf":[{"name":"a"},{"name":"b"}],"endTime":"2026-03-02T10:00:00Z","closed":true`, func(p *Post) {
			p.Type, p.Poll = "Question", &Poll{Options: []Option{{"a", 0}, {"b", 0}}, Ends: at.AddDate(0, 0, 1), Closed: true}
		}},
		{`,"type":"Question","oneOf":[{"name":"a"},{"name":"b"}],"closed":true`, func(p *Post) {
			p.Type, p.Poll = "Question", &Poll{Options: []Option{{"a", 0}, {"b", 0}}, Closed: true}
		}},
		{`,"type":"Question","oneOf":[{"name":"a"},{"name":"b"}],"endTime":"2026-03-01T10:00:00Z","closed":false`, func(p *Post) {
			p.Type, p.Poll = "Question", &Poll{Options: []Option{{"a", 0}, {"b", 0}}, Ends: at}
		}},
		// Descriptions: some servers have the file's name in name.
		{`,"type":"Note","attachment":[{"type":"Document","url":"https://f.example/1.png","name":"1.png","summary":"one"},{"type":"Image","url":"https://f.example/2.png","name":"two","summary":null},{"type":"Document","url":"https://f.example/3.png","name":"3.png","summaryMap":{"en":"three"}},{"type":"Document","url":"https://f.example/4.png","name":null,"summary":""}]`, func(p *Post) {
			p.Attachments = []Attachment{
				{Kind: "image", URL: "https://f.example/1.png", Description: "one"}, {Kind: "image", URL: "https://f.example/2.png", Description: "two"},
				{Kind: "image", URL: "https://f.example/3.png", Description: "three"}, {Kind: "image", URL: "https://f.example/4.png"},
			}
		}},
		{`,"type":"Article","image":"https://f.example/iron"`, func(p *Post) {
			p.Type, p.Attachments = "Article", []Attachment{{Kind: "image", URL: "https://f.example/iron"}}
		}},
		// Excerpts are no warnings.
		{`,"type":"Article","name":"T","summary":"the beginning","content":"all of it"`, func(p *Post) { p.Type, p.Name, p.Content = "Article", "T", "all of it" }},
		{`,"type":"Article","name":"T","summary":"a warning","sensitive":true`, func(p *Post) { p.Type, p.Name, p.Summary, p.Sensitive = "Article", "T", "a warning", true }},
		{`,"type":"Video","name":"T","summary":"what it is","content":null`, func(p *Post) { p.Type, p.Name, p.Content = "Video", "T", "what it is" }},
		{`,"type":"Event","summary":"come","content":""`, func(p *Post) { p.Type, p.Content = "Event", "come" }},
		{`,"type":"Note","summary":"a warning","sensitive":false`, func(p *Post) { p.Type, p.Summary = "Note", "a warning" }},
		// Quotes by a tag alone.
		{`,"type":"Note","tag":{"type":"Link","mediaType":"application/ld+json; profile=\"https://www.w3.org/ns/activitystreams\"","href":"https://q.example/1","name":"RE: https://q.example/1","rel":"https://misskey-hub.net/ns#_misskey_quote"}`, func(p *Post) { p.Quote = "https://q.example/1" }},
		{`,"type":"Note","tag":[{"type":"Link","mediaType":"application/activity+json","href":"https://q.example/2"}]`, func(p *Post) { p.Quote = "https://q.example/2" }},
		{`,"type":"Note","tag":[{"type":"Link","mediaType":"application/activity+json","href":"https://q.example/2","rel":["alternate"]},{"type":"Link","mediaType":"text/html","href":"https://q.example/3"},{"type":"Link","mediaType":"application/activity+json","href":"javascript:x"}]`, func(*Post) {}},
		{`,"type":"Note","quoteUrl":"https://q.example/4","tag":[{"type":"Link","mediaType":"application/activity+json","href":"https://q.example/5"}]`, func(p *Post) { p.Quote = "https://q.example/4" }},
		{`,"type":"Note","replies":{"type":"Collection","id":"https://far.example/n/r","first":{"type":"CollectionPage","items":["https://far.example/1",{"id":"https://far.example/2"}]}}`, func(p *Post) {
			p.Replies, p.FirstReplies = "https://far.example/n/r", []string{"https://far.example/1", "https://far.example/2"}
		}},
	} {
		got, err := read(t, tt.members)
		if err != nil {
			t.Errorf("%s: %v", tt.members, err)
			continue
		}
		if diff := cmp.Diff(base(tt.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.members, diff)
		}
	}
}

// TestPostsAreRefusedOrCut reads posts that are not to be believed, and posts that are too large.
func TestPostsAreRefusedOrCut(t *testing.T) {
	for _, doc := range []string{
		`{"type":"Note","attributedTo":"https://far.example/a"}`,
		`{"type":"Note","id":"https://far.example/n"}`,
		`{"type":"Note","id":"https://far.example/n","attributedTo":"https://other.example/a"}`,
		`{"type":"Note","id":"https://far.example/n","attributedTo":"https://far.example:8443/a"}`,
		`{"type":"Note","id":"http://far.example/n","attributedTo":"http://far.example/a"}`,
		`{"type":"Note","id":"https://192.0.2.1/n","attributedTo":"https://192.0.2.1/a"}`,
		`{"type":"Question","id":"https://far.example/n","attributedTo":"https://far.example/a","oneOf":[` + strings.Repeat(`{"name":"x"},`, 32) + `{"name":"y"}]}`,
	} {
		o, err := Decode([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if p, err := ReadPost(o, IDs{}, ""); !errors.Is(err, ErrMalformed) {
			t.Errorf("%.200s is %+v, %v", doc, p, err)
		}
	}
	o, err := Decode([]byte(`{"type":"Note","id":"https://far.example/n","attributedTo":["https://far.example/a","https://far.example/b"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := ReadPost(o, IDs{}, "https://far.example/b"); err != nil || p.Author != "https://far.example/b" {
		t.Errorf("of two authors it is by %+v, %v", p, err)
	}
	if _, err := ReadPost(o, IDs{}, "https://far.example/c"); !errors.Is(err, ErrMalformed) {
		t.Errorf("it is by a third: %v", err)
	}
	var tags, files []string
	for i := range 150 {
		tags = append(tags, fmt.Sprintf(`{"type":"Hashtag","name":"#t%d"}`, i))
		files = append(files, fmt.Sprintf(`{"type":"Image","url":"https://far.example/%d"}`, i))
	}
	p, err := read(t, `,"type":"Note","tag":[`+strings.Join(tags, ",")+`],"attachment":[`+strings.Join(files, ",")+`]`)
	if err != nil || len(p.Hashtags) != MaxTags || len(p.Attachments) != len(files) {
		t.Errorf("%d tags, %d files, %v", len(p.Hashtags), len(p.Attachments), err)
	}
}

// FuzzReadPost holds reading to: no panic, and nothing that could not be kept.
func FuzzReadPost(f *testing.F) {
	f.Add([]byte(`{"id":"https://far.example/n","type":"Question","attributedTo":"https://far.example/a","content":"x","contentMap":{"en":"x"},"tag":[{"type":"Emoji","name":":x:","icon":{"url":"https://e.example/x"}}],"attachment":[{"type":"Image","url":[{"href":"https://f.example/x","mediaType":"image/png"}]}],"oneOf":[{"name":"a","replies":{"totalItems":1}}],"closed":"2026-03-01T10:00:00Z","replies":{"first":{"items":["https://far.example/1"]}}}`))
	f.Add([]byte(`{"id":"https://far.example/v","type":"Video","attributedTo":[{"id":"https://far.example/a"}],"url":[{"tag":[{"mediaType":"video/mp4","href":"https://far.example/x"}]}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := Decode(body)
		if err != nil {
			return
		}
		p, err := ReadPost(o, IDs{}, "")
		if err != nil {
			return
		}
		if !(IDs{}).SameOrigin(p.ID, p.Author) || !isPage(p.URL) || len(p.Hashtags) > MaxTags || len(p.To) > maxAddresses {
			t.Errorf("%+v", p)
		}
		for _, a := range p.Attachments {
			if !isPage(a.URL) || strings.ContainsAny(a.MediaType+a.Blurhash, "<>\"'&") {
				t.Errorf("%+v", a)
			}
		}
		for _, e := range p.Emojis {
			if !isPage(e.URL) || !isShortcode(e.Shortcode) {
				t.Errorf("%+v", e)
			}
		}
	})
}
