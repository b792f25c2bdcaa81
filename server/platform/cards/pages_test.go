package cards

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
)

func at(t testing.TB, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestAPageIsReadByWhatItSaysOfItself(t *testing.T) {
	base := db.Card{URL: "https://page.example/a/b?c", ProviderName: "page.example", ProviderURL: "https://page.example", OpenGraph: map[string]string{}}
	for name, c := range map[string]struct {
		page string
		want func(c *db.Card)
	}{
		"OpenGraph first": {
			`<html><head><title>T</title><meta name="description" content="D"><meta name="twitter:title" content="TT">
			<meta property="og:title" content="O &amp; G"/><meta property="og:description" content=" more
			words "><meta property="og:image" content="/i.png"><meta content="article" property="og:type"><META PROPERTY="OG:TITLE" CONTENT="second"></head>`,
			func(c *db.Card) {
				c.Title, c.Description, c.Image = "O & G", "more words", "https://page.example/i.png"
				c.OpenGraph = map[string]string{"title": "O & G", "description": "more words", "image": "https://page.example/i.png", "type": "article"}
			},
		},
		"then Twitter": {
			`<title>T</title><meta name="twitter:title" content="TT"><meta name="twitter:description" content="TD"><meta name="twitter:image" content="//cdn.example/t.png">`,
			func(c *db.Card) { c.Title, c.Description, c.Image = "TT", "TD", "https://cdn.example/t.png" },
		},
		"then HTML": {
			"<title>\n A  page\n&amp; more </title><meta name=description content='what it is'>",
			func(c *db.Card) { c.Title, c.Description = "A page & more", "what it is" },
		},
		"not what stands in the body": {
			`<head><title>T</title></head><body><title>B</title><meta property="og:title" content="B">`,
			func(c *db.Card) { c.Title = "T" },
		},
		"no markup and no script": {
			`<title>&lt;script&gt;alert(1)&lt;/script&gt;T<b>x</b></title><meta property="og:description" content="<img src=x onerror=alert(1)>D">
			<meta property="og:image" content="javascript:alert(1)"><meta property="og:video:url" content="data:text/html,x"><meta property="og:x&quot;y" content="z">`,
			func(c *db.Card) {
				c.Title, c.Description = "Tx", "D"
				c.OpenGraph = map[string]string{"description": "D"}
			},
		},
		"its own better address": {
			`<title>T</title><meta property="og:url" content="https://page.example/nice">`,
			func(c *db.Card) {
				c.Title, c.URL, c.OpenGraph = "T", "https://page.example/nice", map[string]string{"url": "https://page.example/nice"}
			},
		},
		"not another's address": {
			`<title>T</title><meta property="og:url" content="https://bank.example/">`,
			func(c *db.Card) { c.Title, c.OpenGraph = "T", map[string]string{"url": "https://bank.example/"} },
		},
		"nothing": {"\xff\xfe<<<", func(*db.Card) {}},
	} {
		want := base
		c.want(&want)
		if diff := cmp.Diff(&want, read([]byte(c.page), "text/html; charset=utf-8", at(t, "https://page.example/a/b?c"))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestAPageIsDecodedAsItSays(t *testing.T) {
	for contentType, page := range map[string]string{
		"text/html; charset=iso-8859-1": "<title>caf\xe9</title>",
		"text/html":                     `<meta charset="windows-1252"><title>caf` + "\xe9</title>",
		"text/html; charset=utf-8":      "<title>café</title>",
	} {
		if got := read([]byte(page), contentType, at(t, "https://page.example/")).Title; got != "café" {
			t.Errorf("%s: %q", contentType, got)
		}
	}
}

func TestCardsAreBounded(t *testing.T) {
	var page strings.Builder
	page.WriteString(`<title>` + strings.Repeat("é", 1000) + `</title>`)
	for i := range 100 {
		page.WriteString(`<meta property="og:p` + strings.Repeat("x", i) + `" content="` + strings.Repeat("y", 5000) + `">`)
	}
	page.WriteString(`<meta property="og:image" content="https://cdn.example/` + strings.Repeat("z", 5000) + `">`)
	got := read([]byte(page.String()), "text/html; charset=utf-8", at(t, "https://page.example/"))
	if n := len([]rune(got.Title)); n != maxTitle || got.Image != "" || len(got.OpenGraph) != maxProperties {
		t.Errorf("title of %d, image %q, %d properties", n, got.Image, len(got.OpenGraph))
	}
	for name, value := range got.OpenGraph {
		if len(name) > maxName || len([]rune(value)) > maxValue {
			t.Errorf("%d and %d characters", len(name), len(value))
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`<title>x</title><meta property="og:title" content="y">`), "text/html")
	f.Add([]byte("<meta property=og:image content=//x><title"), "text/html; charset=utf-16")
	base := at(f, "https://page.example/")
	f.Fuzz(func(t *testing.T, page []byte, contentType string) {
		got := read(page, contentType, base)
		for _, s := range []string{got.Title, got.Description} {
			if strings.Contains(s, "<script") || len([]rune(s)) > maxDescription {
				t.Errorf("%q", s)
			}
		}
		for _, address := range []string{got.Image, got.URL} {
			if address != "" && !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://") {
				t.Errorf("%q", address)
			}
		}
	})
}
