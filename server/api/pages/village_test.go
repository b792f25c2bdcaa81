package pages_test

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/demo"
	"svc/server/platform/captcha"
	"svc/server/rules/auth"
	"svc/server/servertest"
)

// drawn is a picture of the demo, or the square in its middle.
func drawn(t *testing.T, kind int, square bool) *client.File {
	t.Helper()
	img := demo.Draw(kind)
	if square {
		side := img.Bounds().Dy()
		left := (img.Bounds().Dx() - side) / 2
		cut := image.NewRGBA(image.Rect(0, 0, side, side))
		draw.Draw(cut, cut.Bounds(), img, image.Pt(left, 0), draw.Src)
		img = cut
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return &client.File{Name: "picture.png", Content: &out}
}

// village posts statuses and replies of several people, and returns the status
// that the others answer.
func village(t *testing.T, s *servertest.Server) *api.Status {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, who := range []struct{ nick, name, bio string }{
		{"dora", "Dora Marsh", "Keeps bees and a bakery by the #river. Bread at seven, honey when the bees agree.\n\nWrites in English und manchmal Deutsch."},
		{"tarasl", "Taras Lysenko", "Repairs bicycles and radios."}, {"yuki", "Yuki Aoyama", "Paints rivers."}, {"oda", "Oda Berg", "Reads the water gauge."},
	} {
		s.User(who.nick)
		form := api.UpdateCredentials{DisplayName: &who.name, Note: &who.bio, Discoverable: ptr(api.Bool(true))}
		if i == 0 {
			form.FieldsAttributes = []api.SourceField{
				{Name: "Bakery", Value: "https://dora.example/"}, {Name: "Open", Value: "Tuesday to Saturday, 7 to 13"}, {Name: "Pronouns", Value: "she/her"},
			}
		}
		c := s.Client(who.nick)
		_, err := c.Accounts.UpdateCredentials(ctx, form)
		must(err)
		looks := client.Pictures{Avatar: drawn(t, (i+3)%demo.PictureKinds, true)}
		if i == 0 {
			looks.Header = drawn(t, 1, false)
		}
		_, err = c.Accounts.SetPictures(ctx, looks)
		must(err)
	}
	dora := s.Client("dora")
	for _, nick := range []string{"tarasl", "yuki", "oda", "alice"} {
		_, err := s.Client(nick).Accounts.Follow(ctx, s.User("dora").ID, api.Follow{})
		must(err)
	}
	pinned := write(t, s, "dora", api.NewStatus{Status: "Hello! I bake, I keep bees, and I answer questions about both.\n\nOrders until Thursday evening, please. #introduction"})
	_, err := dora.Statuses.Pin(ctx, pinned.ID)
	must(err)
	write(t, s, "oda", api.NewStatus{Status: "Gauge at the bridge this morning: 214 cm, rising slowly. #river"})
	write(t, s, "yuki", api.NewStatus{Status: "Fog until ten, then all of this.", SpoilerText: "Long walk, many words about light"})
	poll := write(t, s, "dora", api.NewStatus{Status: "What shall it be on Saturday? #bread", Poll: &api.NewPoll{Options: []string{"Rye with walnuts", "Spelt with honey", "The usual"}, ExpiresIn: ptr(api.Int(86400 * 3))}})
	for i, nick := range []string{"tarasl", "yuki", "oda"} {
		_, err := s.Client(nick).Polls.Vote(ctx, poll.Poll.ID, i%2)
		must(err)
	}
	var ids []string
	for kind, said := range map[int]string{0: "The river at sunset, seen from the bridge", 1: "Three ranges of hills in the morning haze"} {
		file := drawn(t, kind, false)
		made, err := s.Client("yuki").Media.Upload(ctx, *file, api.MediaForm{Description: &said})
		must(err)
		ids = append(ids, made.ID)
	}
	walk := write(t, s, "yuki", api.NewStatus{Status: "Two hours apart, from the same stone. The #river does not care which one I paint.", MediaIDs: ids})
	ask := write(t, s, "tarasl", api.NewStatus{Status: "Which one will it be, the evening?", InReplyToID: walk.ID})
	answer := write(t, s, "yuki", api.NewStatus{Status: "The morning. Everybody paints the evening.", InReplyToID: ask.ID})
	write(t, s, "dora", api.NewStatus{Status: "I would hang the evening over the oven.", InReplyToID: answer.ID})
	write(t, s, "oda", api.NewStatus{Status: "For the record: 208 cm in the left one. #river", InReplyToID: walk.ID})
	write(t, s, "oda", api.NewStatus{Status: "only for my followers", InReplyToID: walk.ID, Visibility: db.Private})
	for _, nick := range []string{"dora", "oda", "tarasl"} {
		_, err := s.Client(nick).Statuses.Favourite(ctx, walk.ID)
		must(err)
		_, err = s.Client(nick).Statuses.React(ctx, walk.ID, "🎨")
		must(err)
	}
	_, err = dora.Statuses.Reblog(ctx, walk.ID, api.NewReblog{})
	must(err)
	write(t, s, "dora", api.NewStatus{Status: "The bees moved into the old letter box again. I have asked them what the rent should be; they voted for **honey**.", ContentType: "text/markdown"})
	return walk
}

// publicPages opens the public pages, on a phone and on a desk.
func publicPages(t *testing.T, b *browser, s *servertest.Server) {
	walk := village(t, s)
	p := b.tab(t)
	for _, at := range []struct{ path, name string }{
		{"/", "front"}, {"/about", "about"}, {"/users/dora", "profile"}, {"/notice/" + walk.ID, "notice"}, {"/tag/river", "tag"}, {"/main/public", "local"}, {"/nowhere", "missing"},
	} {
		p.open(s.Base() + at.path)
		for _, open := range eval[[]string](p, "[...document.querySelectorAll('details')].map((e, i) => (e.id = 'd' + i))") {
			p.click("#" + open + " > summary") // without a script
		}
		if at.name == "notice" {
			if broken := eval[[]string](p, "[...document.querySelectorAll('img')].filter(i => !i.complete || i.naturalWidth == 0).map(i => i.src)"); len(broken) > 0 {
				p.until("[...document.querySelectorAll('img')].every(i => i.loading == 'lazy' || i.complete && i.naturalWidth > 0)")
			}
		}
		checkPage(t, p, at.name)
		want := []int{1, 1, 1}
		if at.name == "missing" {
			want = []int{1, 0, 0}
		}
		got := []int{eval[int](p, "document.querySelectorAll('header').length"), eval[int](p, "document.querySelectorAll('header nav').length"), eval[int](p, "document.querySelectorAll('footer').length")}
		if got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
			t.Errorf("%s: header, nav and footer: %v", at.name, got)
		}
	}
	p.open(s.Base() + "/users/dora")
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		p.do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9})
	}
	if !eval[bool](p, "document.activeElement.matches('.skip') && document.activeElement.getBoundingClientRect().left >= 0") {
		t.Error("the first Tab does not lead to the link that skips the header")
	}
	for _, said := range p.complaints() {
		if !strings.Contains(said, "404") { // of the missing page itself
			t.Errorf("the browser complained: %s", said)
		}
	}
}

// fromFrontToApp is the whole way of somebody new: signing up, the mail, both
// factors, consent, and back to the app with a code.
func fromFrontToApp(t *testing.T, b *browser, s *servertest.Server) {
	const nick = "marit"
	p := b.tab(t)
	p.open(s.Base() + "/")
	p.click("a.button[href='/registration']")
	p.until("document.querySelector('#nickname') != null")
	checkPage(t, p, "signup")
	p.fill("#nickname", "alice")
	p.fill("#email", nick+"@example.org")
	p.fill("#password", servertest.Password)
	p.fill("#captcha", digits(t, s, p))
	p.click("#agreement")
	p.click(submit)
	p.until("document.querySelector('#nickname-wrong') != null")
	checkPage(t, p, "signup-refused")
	p.fill("#nickname", nick)
	p.fill("#password", servertest.Password)
	p.fill("#captcha", digits(t, s, p))
	p.click(submit)
	p.until("document.querySelector('h1').innerText == 'Welcome'")
	checkPage(t, p, "welcome")

	p.open(s.Mailbox.Wait(nick+"@example.org", 1).Link())
	p.until("document.querySelector('.flash.good') != null && location.pathname == '/'")
	checkPage(t, p, "confirmed")

	key := secondFactor(t, s, nick)
	s.Mailbox.Wait(nick+"@example.org", 2) // tells of the second factor: letters that are under way at once arrive in any order
	callback, queries := listener(t)
	app := newApp(t, s, callback+"\n"+client.OutOfBand, "read write follow push")
	pkce := client.NewPKCE()
	ask := client.Authorization{ClientID: app.ClientID, RedirectURI: callback, Scope: "read write", State: "s", Challenge: pkce.Challenge}
	p.open(s.Anonymous().OAuth.AuthorizeURL(ask))
	p.fill("#name", nick)
	p.fill("#password", servertest.Password)
	p.click(submit)
	p.until("document.querySelector('#code') != null")
	p.until("document.activeElement.id == 'code'")
	checkPage(t, p, "mfa")
	p.fill("#code", "12345x")
	p.click(submit)
	p.until("document.querySelector('.flash') != null")
	p.fill("#code", totp(t, key, 0))
	p.click(submit)
	p.until("document.body.innerText.includes('Welcome to the app')")
	q := <-queries
	if _, err := s.Anonymous().OAuth.Code(t.Context(), app, q.Get("code"), callback, pkce.Verifier); err != nil || q.Get("state") != "s" {
		t.Errorf("%v: %v", q, err)
	}
	p.open(s.Anonymous().OAuth.AuthorizeURL(ask))
	p.until("document.querySelector('.who') != null")
	checkPage(t, p, "consent")

	p.open(s.Base() + "/auth/password")
	checkPage(t, p, "forgotten")
	p.fill("#email", nick)
	p.click(submit)
	p.until("document.querySelector('.flash.good') != null")
	p.open(s.Mailbox.Wait(nick+"@example.org", 3).Link())
	p.until("document.querySelector('#confirmation') != null")
	checkPage(t, p, "reset")
	p.fill("#password", "another one")
	p.fill("#confirmation", "another one")
	p.click(submit)
	p.until("document.querySelector('h1').innerText == 'Your password is changed'")
	for _, said := range p.complaints() {
		if !strings.Contains(said, " 401 ") && !strings.Contains(said, " 422 ") { // the two refusals above
			t.Errorf("the browser complained: %s", said)
		}
	}
}

// digits reads the captcha on the page with the server's own secret.
func digits(t *testing.T, s *servertest.Server, p *tab) string {
	t.Helper()
	secret, err := s.DB.Secret(t.Context(), "captcha", auth.Secret)
	if err != nil {
		t.Fatal(err)
	}
	field := func(name string) string {
		return eval[string](p, "document.querySelector('input[name=\"user[captcha]["+name+"]\"]').value")
	}
	answer, err := captcha.Open(secret, field("token"), field("answer_data"))
	if err != nil {
		t.Fatal(err)
	}
	return answer.Digits
}
