package clientapi_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// hostileTexts returns the corpus of package text: texts that try to run code
// in readers' browsers.
func hostileTexts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../platform/text/testdata/hostile/*.txt")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v %v", files, err)
	}
	var out []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(string(raw), "\x00", ""), "")), "\n")
		// Several at once, within the limits of a status.
		for len(lines) > 0 {
			n := min(12, len(lines))
			if some := strings.Join(lines[:n], "\n"); strings.TrimSpace(some) != "" && len(some) < 4500 {
				out = append(out, some)
			}
			lines = lines[n:]
		}
	}
	return out
}

// harmless parses fragment as a browser would. It reports scripts, requests
// other than for pictures, and misleading links.
func harmless(t *testing.T, what, fragment string) {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(fragment), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		t.Fatal(err)
	}
	const tags = " a abbr b blockquote br code del em i li ol p pre strong sub sup ruby rb rp rt rtc u ul span img "
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		if n.Type == html.CommentNode || n.Type == html.ElementNode && !strings.Contains(tags, " "+n.Data+" ") {
			t.Errorf("%s: %q in %q", what, n.Data, fragment)
		}
		for _, a := range n.Attr {
			scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(a.Val)), ":")
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc", a.Key == "id",
				(a.Key == "href" || a.Key == "src") && strings.Contains(" javascript data vbscript file blob ", " "+scheme+" "):
				t.Errorf("%s: %s=%q in %q", what, a.Key, a.Val, fragment)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c)
		}
	}
	for _, n := range nodes {
		visit(n)
	}
}

// signs are what would be markup in a text.
func signs(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>&", r) {
			return r
		}
		return -1
	}, text)
}

// asTyped reports plain text, which readers escape, that lost a part to being read
// as HTML.
func asTyped(t *testing.T, what, typed, got string) {
	t.Helper()
	if signs(got) != signs(typed) {
		t.Errorf("%s: %q became %q", what, typed, got)
	}
}

func harmlessStatus(t *testing.T, what string, s *api.Status) {
	t.Helper()
	harmless(t, what+": content", s.Content)
	harmlessAccount(t, what, s.Account)
}

func harmlessAccount(t *testing.T, what string, a *api.Account) {
	t.Helper()
	harmless(t, what+": note", a.Note)
	for _, f := range a.Fields {
		harmless(t, what+": a field's value", f.Value)
	}
}

func smallPicture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileTextsComeOutHarmless writes the corpus into every text that people
// can write, and reads it back by every answer that shows it.
func TestHostileTextsComeOutHarmless(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	ann, bob := s.Client("ann"), s.Client("bob")
	annID, ends := s.User("ann").ID, api.Int(600)
	some := hostileTexts(t)
	if len(some) < 12 {
		t.Fatalf("only %d texts", len(some))
	}
	for i, text := range some {
		line := strings.Join(strings.Fields(text), " ")
		name, note := line[:min(len(line), 90)], text
		name = strings.ToValidUTF8(name, "")
		me, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{
			DisplayName: &name, Note: &note, FieldsAttributes: []api.SourceField{{Name: name, Value: strings.ToValidUTF8(line[:min(len(line), 2000)], "")}},
		})
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		asTyped(t, "a name", name, me.DisplayName)
		for _, f := range me.Fields {
			asTyped(t, "a field's name", name, f.Name)
		}
		for _, kind := range []string{"text/plain", "text/html", "text/markdown", "text/bbcode"} {
			form := api.NewStatus{Status: text, ContentType: kind, SpoilerText: name, Preview: true}
			preview, err := ann.Statuses.Post(ctx, form)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			harmlessStatus(t, "a preview", preview)
			asTyped(t, "a warning", name, preview.SpoilerText)
		}
		kind := []string{"text/html", "text/markdown", "text/bbcode"}[i%3]
		form := api.NewStatus{Status: text + fmt.Sprint(" @bob ", i), ContentType: kind, SpoilerText: text[:len(text)/8], Visibility: "public"}
		if i%4 == 0 {
			form.Visibility = "direct"
		}
		title := strings.ToValidUTF8(line[:min(len(line), 100)], "")
		form.Poll = &api.NewPoll{Options: []string{"one " + title, "two " + title}, ExpiresIn: &ends}
		if strings.TrimSpace(title) == "" {
			form.Poll = nil
		}
		posted, err := ann.Statuses.Post(ctx, form)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		harmlessStatus(t, "a post", posted)
		asTyped(t, "a warning", form.SpoilerText, posted.SpoilerText)
		if posted.Poll != nil {
			for n, option := range posted.Poll.Options {
				asTyped(t, "an option", form.Poll.Options[n], option.Title)
			}
		}
	}
	lists := map[string]client.Listing[api.Status]{
		"home": bob.Timelines.Home(api.TimelineQuery{}), "public": bob.Timelines.Public(api.TimelineQuery{}),
		"profile": bob.Accounts.Statuses(annID, api.AccountStatusQuery{}),
	}
	for name, list := range lists {
		page, err := list.Page(ctx)
		if err != nil || len(page.Items) == 0 {
			t.Fatalf("%s: %v %v", name, page.Items, err)
		}
		for i := range page.Items {
			harmlessStatus(t, name, &page.Items[i])
		}
	}
	news, err := bob.Notifications.List(api.NotificationQuery{}).Page(ctx)
	if err != nil || len(news.Items) == 0 {
		t.Fatalf("%v %v", news.Items, err)
	}
	for _, n := range news.Items {
		harmlessStatus(t, "news", n.Status)
		harmlessAccount(t, "news", n.Account)
	}
	talks, err := bob.Conversations.List(api.ConversationQuery{}).Page(ctx)
	if err != nil || len(talks.Items) == 0 {
		t.Fatalf("%v %v", talks.Items, err)
	}
	for _, c := range talks.Items {
		harmlessStatus(t, "a conversation", c.LastStatus)
		for i := range c.Accounts {
			harmlessAccount(t, "a conversation", &c.Accounts[i])
		}
	}
}

// A file's name and description are a stranger's text too.
func TestHostileFileNamesComeOutHarmless(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	ann := s.Client("ann")
	for _, name := range []string{
		`"><script>alert(1)</script>.png`, "x.html", "x.png.svg", "../../etc/passwd", "..\\..\\x.png", "a\r\nX-Evil: 1.png", "<img src=x onerror=alert(1)>", "javascript:alert(1)//.png", "",
	} {
		description := name + " & <b>"
		file, err := ann.Media.Upload(ctx, client.File{Name: name, Content: bytes.NewReader(smallPicture(t))}, api.MediaForm{Description: &description})
		if err != nil {
			if status(err) != 400 && status(err) != 422 {
				t.Errorf("%q: %v", name, err)
			}
			continue
		}
		posted := publish(t, ann, api.NewStatus{MediaIDs: []string{file.ID}})
		for _, a := range []api.Attachment{*file, posted.MediaAttachments[0]} {
			for _, url := range []string{a.URL, a.PreviewURL, a.TextURL} {
				if strings.ContainsAny(url, "<>\"'\\ \r\n") || strings.Contains(url, "..") || strings.Contains(url, "script") || !strings.HasPrefix(url, s.Base()+"/media/") || !strings.HasSuffix(url, ".png") {
					t.Errorf("%q is at %q", name, url)
				}
			}
			if a.Type != "image" || a.Svc.MimeType != "image/png" {
				t.Errorf("%q: %+v", name, a)
			}
		}
	}
}

// TestHostileEditsComeOutHarmless edits a status into each text of the corpus, and reads
// its history.
func TestHostileEditsComeOutHarmless(t *testing.T) {
	s := servertest.Start(t)
	ctx, ann := t.Context(), s.Client("ann")
	up, err := ann.Media.Upload(ctx, file("a.png", smallPicture(t)), api.MediaForm{})
	if err != nil {
		t.Fatal(err)
	}
	post, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "x", MediaIDs: []string{up.ID}})
	if err != nil {
		t.Fatal(err)
	}
	var warnings []string
	for i, words := range hostileTexts(t) {
		line := strings.Join(strings.Fields(words), " ")
		name := strings.ToValidUTF8(line[:min(len(line), 90)], "")
		form := api.StatusForm{
			Status: words + fmt.Sprint(" ", i), SpoilerText: name, ContentType: []string{"text/plain", "text/html", "text/markdown", "text/bbcode"}[i%4],
			MediaIDs: []string{up.ID}, MediaAttributes: []api.MediaAttributes{{ID: up.ID, Description: &name}},
		}
		edited, err := ann.Statuses.Edit(ctx, post.ID, form)
		if err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		harmlessStatus(t, "an edit", edited)
		asTyped(t, "a warning", name, edited.SpoilerText)
		warnings = append(warnings, name)
	}
	all, err := s.Anonymous().Statuses.History(ctx, post.ID)
	if err != nil || len(all) != len(warnings)+1 {
		t.Fatalf("%d versions, %v", len(all), err)
	}
	for i := range warnings {
		harmless(t, "a version", all[i+1].Content)
		asTyped(t, "its warning", warnings[i], all[i+1].SpoilerText)
		asTyped(t, "its description", warnings[i], *all[i+1].MediaAttachments[0].Description)
	}
}
