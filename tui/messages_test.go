package tui

import (
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest"
)

var templates = map[string]string{
	"colour":  "{{.colour}}",
	"warning": "Hello {{.nick}}, this broke the rules of {{.server}}: {{.reason}}",
	"seen":    "seen by {{.moderator}}",
}

// TestAMessageIsFilledShownAndSentForGood writes to bob by templates and by hand.
func TestAMessageIsFilledShownAndSentForGood(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	s.User("kim")
	if _, err := s.Client("ann").Reports.Create(t.Context(), api.NewReport{AccountID: s.User("bob").ID, Comment: "spam {{.nick}}"}); err != nil {
		t.Fatal(err)
	}
	heard := func(nick string) string {
		t.Helper()
		page, err := s.Client(nick).Timelines.Direct(api.DirectTimelineQuery{}).Page(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, one := range page.Items {
			texts = append(texts, one.Svc.Content.Plain)
		}
		return strings.Join(texts, "\n")
	}
	d := beginOn(t, s.Admin("root"), 100, 24, Options{Templates: templates})
	d.press("m")
	d.shows("message to @bob, which cannot be taken back", "1 colour  2 seen  3 warning  t type it")
	d.press("3")
	d.shows("message: Hello bob, this broke the rules of 127.0.0.1", ": spam {{.nick}}_", "ctrl-s sends it")
	d.press("<ctrl+s>")
	d.shows("OUTBOX 1  message @bob (for good) 4s")
	d.pass(5 * time.Second)
	if got := heard("bob"); !strings.Contains(got, "Hello bob, this broke") || !strings.Contains(got, "spam {{.nick}}") {
		t.Errorf("bob heard %q\n%s", got, d.frame())
	}
	d.press("u")
	d.shows("cannot be undone (a message that was sent stays sent): message @bob")

	// An error stays at the field, with the text, which is also the draft.
	d.press("m1")
	d.shows("there is no field {{.colour}}", "message: {{.colour}}_")
	d.press("<ctrl+s>")
	d.shows("there is no field {{.colour}}", "message: {{.colour}}_")
	d.press("<ctrl+u>Dear {{.nick}}<esc>m")
	d.shows("message: Dear {{.nick}}_")
	d.press("<ctrl+s>")
	d.pass(5 * time.Second)
	if got := heard("bob"); !strings.Contains(got, "Dear bob") {
		t.Errorf("bob heard %q", got)
	}

	// Several at once, each by their own name.
	d.findUser("kim")
	d.press(" <esc><esc>")
	d.press("/<ctrl+u><enter>")
	d.pass(time.Second)
	d.press("<ctrl+a>mt")
	d.shows("message to @ann, @bob, @kim +1, which cannot be taken back")
	d.press("To {{.nick}}<ctrl+s>")
	d.pass(5 * time.Second)
	if got := heard("kim"); !strings.Contains(got, "To kim") || strings.Contains(got, "bob") {
		t.Errorf("kim heard %q\n%s", got, d.frame())
	}
}

func TestNotesHaveTemplates(t *testing.T) {
	d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), Options{Templates: templates})
	d.press("n")
	d.shows("note on 9xA1q", "2 seen", "t type it")
	d.press("2")
	d.shows("note: seen by mika_", "ctrl-s adds it")
	d.press(", again<ctrl+s>")
	d.pass(5 * time.Second)
	writes := d.world.writes()
	if len(writes) != 1 || !strings.Contains(writes[0], `"seen by mika, again"`) {
		t.Errorf("sent %q", writes)
	}
	d.press("ntby hand {{x<esc>n")
	d.shows("note: by hand {{x_")
	d.press("<ctrl+s>")
	d.shows("template note: ", "note: by hand {{x_")
}

func TestMessagesInPlainMode(t *testing.T) {
	d := beginTalk(t, newWorld(t), Options{Templates: templates})
	d.says("message").hears("message to @spam1@bad.example, which cannot be taken back", "3: warning", "t: type it")
	d.says("type it").hears("message: (an empty line cancels)")
	d.says("stop it").hears("Message @spam1@bad.example (for good): sent in 4 seconds")
	d.says("n seen").hears("So far: seen by mika (keep takes that)")
	d.says("keep").hears("Note 9xA1q: sent in")
}
