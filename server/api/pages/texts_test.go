package pages

import (
	"strings"
	"testing"

	"svc/client/api"
)

func TestEmojisArePicturesInTextsOnly(t *testing.T) {
	emojis := []api.Emoji{{Shortcode: "cat", URL: "https://x.example/cat.png"}, {Shortcode: "bad", URL: "javascript:alert(1)"}, {Shortcode: `q"<`, URL: "https://x.example/?\"><script>"}}
	const cat = `<img class="emoji" src="https://x.example/cat.png" alt=":cat:" title=":cat:" loading="lazy">`
	for in, want := range map[string]string{
		"a :cat: b": "a " + cat + " b", ":cat::cat:": cat + cat, ":bad: :dog:": ":bad: :dog:",
		`<a href="https://x.example/:cat:">:cat:</a>`: `<a href="https://x.example/:cat:">` + cat + `</a>`,
		"&lt;:cat:&gt;": "&lt;" + cat + "&gt;", "": "",
	} {
		if got := withEmojis(in, emojis); got != want {
			t.Errorf("%s:\n%s, want\n%s", in, got, want)
		}
	}
	if got := richText(`<b>:q"<:`, emojis); strings.Contains(string(got), "<script") || strings.Contains(string(got), "<b>") {
		t.Errorf("an emoji with a hostile name: %s", got)
	}
}

func TestAddressesOfPagesAreOfTheWeb(t *testing.T) {
	for in, want := range map[string]string{
		"https://x.example/a?b": "https://x.example/a?b", "http://127.0.0.1:8/x": "http://127.0.0.1:8/x", "javascript:alert(1)": "",
		"data:text/html,x": "", "//x.example/": "", "/path": "", "": "", "https:": "", "\x00https://x": "", "HTTPS://X.example/": "https://X.example/",
	} {
		if got := webAddress(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestTextsAreShortenedByCharacters(t *testing.T) {
	for _, tt := range []struct {
		in       string
		limit    int
		omission string
		want     string
	}{
		{"short", 10, "...", "short"}, {"  a\n\tb  ", 10, "...", "a b"}, {"ééééé", 5, "...", "ééééé"}, {"éééééé", 5, "...", "éé..."},
		{"abcdef", 2, "...", "ab"}, {"abc def ghi", 7, "…", "abc de…"}, {"abc defghi", 5, "…", "abc…"}, {"", 5, "…", ""},
	} {
		if got := shorten(tt.in, tt.limit, tt.omission); got != tt.want {
			t.Errorf("%q to %d: %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000"} {
		if got := number(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestPollsAndFilesAreRead(t *testing.T) {
	none := ""
	said := "A cat"
	for _, tt := range []struct {
		in   api.Attachment
		want file
	}{
		{api.Attachment{Type: "image", URL: "https://x.example/a", Description: &said}, file{Kind: "image", URL: "https://x.example/a", Preview: "https://x.example/a", Alt: "A cat"}},
		{api.Attachment{Type: "image", URL: "https://x.example/a", PreviewURL: "https://x.example/p", Description: &none}, file{Kind: "image", URL: "https://x.example/a", Preview: "https://x.example/p", Alt: "Picture without a description"}},
		{api.Attachment{Type: "audio", URL: "https://x.example/a"}, file{Kind: "audio", URL: "https://x.example/a", Preview: "https://x.example/a", Alt: "Audio without a description"}},
		{api.Attachment{Type: "video", URL: "https://x.example/a", Description: &said}, file{Kind: "video", URL: "https://x.example/a", Preview: "https://x.example/a", Alt: "A cat", Said: "A cat"}},
		{api.Attachment{Type: "unknown", URL: "https://x.example/a"}, file{Kind: "unknown", URL: "https://x.example/a", Preview: "https://x.example/a", Alt: "Attached file"}},
	} {
		if got := fileOf(tt.in); got != tt.want {
			t.Errorf("%+v, want %+v", got, tt.want)
		}
	}
	q := pollOf(&api.Status{Poll: &api.Poll{Expired: true, VotesCount: 3, VotersCount: 3, Options: api.List[api.PollOption]{{Title: "<a>", VotesCount: 2}, {Title: "b", VotesCount: 1}}}})
	if q.State != "3 people voted." || q.Options[0].Title != "&lt;a&gt;" || q.Options[0].Share != 67 || q.Options[1].Votes != "1 vote" {
		t.Errorf("%+v", q)
	}
	if q := pollOf(&api.Status{Poll: &api.Poll{VotersCount: 1, Options: api.List[api.PollOption]{{Title: "a"}}}}); q.State != "1 person voted so far." || q.Options[0].Share != 0 {
		t.Errorf("%+v", q)
	}
}
