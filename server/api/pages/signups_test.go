package pages_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/captcha"
	"svc/server/platform/config"
	"svc/server/rules/auth"
	"svc/server/rules/signup"
	"svc/server/servertest"
)

// solve reads the captcha on a page, which only the server's secret can.
func solve(t *testing.T, s *servertest.Server, form url.Values) {
	t.Helper()
	secret, err := s.DB.Secret(t.Context(), "captcha", auth.Secret)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := captcha.Open(secret, form.Get("user[captcha][token]"), form.Get("user[captcha][answer_data]"))
	if err != nil {
		t.Fatal(err)
	}
	form.Set("user[captcha][solution]", answer.Digits)
}

// wishes fills in a form for a new account.
func wishes(form url.Values, nickname string) url.Values {
	form.Set("user[nickname]", nickname)
	form.Set("user[email]", nickname+"@example.org")
	form.Set("user[password]", servertest.Password)
	form.Set("user[agreement]", "true")
	return form
}

var wrongField = regexp.MustCompile(`class="wrong" id="([a-z]+)-wrong">([^<]*)<`)

func (a answer) wrong() map[string]string {
	out := map[string]string{}
	for _, m := range wrongField.FindAllStringSubmatch(a.text, -1) {
		out[m[1]] = m[2]
	}
	return out
}

func TestSigningUp(t *testing.T) {
	s := servertest.Start(t, servertest.WithMail, func(c *config.Settings) {
		c.Captcha.Enabled = true
		c.Instance.AccountActivationRequired, c.Instance.AccountApprovalRequired = true, true
	})
	s.User("taken")
	v := newVisitor(t, s)
	page := v.open("/registration")
	if page.status != 200 || !strings.Contains(page.header.Get("Content-Security-Policy"), "img-src 'self' data:;") {
		t.Fatalf("%d %s", page.status, page.header.Get("Content-Security-Policy"))
	}
	for _, tt := range []struct {
		name   string
		edit   func(url.Values)
		status int
		wrong  map[string]string
	}{
		{"all wrong", func(f url.Values) {
			f.Set("user[nickname]", "taken")
			f.Set("user[email]", "taken@example.org")
			f.Set("user[password]", " ")
			f.Set("user[reason]", strings.Repeat("x", 501))
		}, 422, map[string]string{
			"nickname": "The nickname has already been taken.", "email": "The address has already been taken.",
			"password": "The password can&#39;t be blank.", "reason": "This text should be at most 500 character(s).",
		}},
		{"no address", func(f url.Values) { f.Del("user[email]") }, 422, map[string]string{"email": "Please give your e-mail address."}},
		{"wrong digits", func(f url.Values) { f.Set("user[captcha][solution]", "x") }, 422, map[string]string{"captcha": "That was not what the picture shows. Here is another one."}},
		{"no agreement", func(f url.Values) { f.Del("user[agreement]") }, 422, map[string]string{"agreement": "This box has to be ticked."}},
		{"no token", func(f url.Values) { f.Del("_csrf_token") }, 403, map[string]string{}},
	} {
		form := wishes(page.fields(), "alice")
		solve(t, s, form)
		tt.edit(form)
		page = v.send("POST", "/registration", form)
		if diff := cmp.Diff(tt.wrong, page.wrong()); page.status != tt.status || page.flash() == "" || diff != "" {
			t.Errorf("%s: %d %q (-want +got):\n%s", tt.name, page.status, page.flash(), diff)
		}
		if strings.Contains(page.text, servertest.Password) {
			t.Errorf("%s: the password is on the page", tt.name)
		}
	}
	form := wishes(page.fields(), "alice")
	form.Set("user[reason]", "I like trees")
	solve(t, s, form)
	got := v.send("POST", "/registration", form, "Accept-Language", "pt-BR,pt;q=0.9")
	host := strings.TrimPrefix(s.Base(), "http://")
	if got.status != 200 || !strings.Contains(got.text, "@alice@"+host) || !strings.Contains(got.text, "alice@example.org") {
		t.Fatalf("%d\n%s", got.status, got.text)
	}
	account, err := s.DB.AccountByNickname(t.Context(), "alice")
	if err != nil || !account.ConfirmationPending || !account.ApprovalPending || !strings.HasPrefix(account.DefaultLanguage, "pt") {
		t.Fatalf("%+v, %v", account, err)
	}

	link := strings.TrimPrefix(s.Mailbox.Wait("alice@example.org", 1).Link(), s.Base())
	if broken := v.open(link + "x"); broken.status != 404 || !strings.Contains(broken.text, "This link does not work") {
		t.Errorf("a broken link: %d", broken.status)
	}
	if got := v.open(link); got.status != 302 || got.header.Get("Location") != "/" {
		t.Fatalf("the link: %d %s", got.status, got.header.Get("Location"))
	}
	const note = "Your address is confirmed. You can sign in as soon as your account has been approved."
	if front := v.open("/"); !strings.Contains(front.text, note) {
		t.Error("the front page does not say that the address is confirmed")
	}
	if front := v.open("/"); strings.Contains(front.text, note) {
		t.Error("the front page says it again")
	}
	if again := v.open(link); again.status != 404 {
		t.Errorf("the link again: %d", again.status)
	}
}

func TestInvitationsOpenTheForm(t *testing.T) {
	s := servertest.Start(t, func(c *config.Settings) { c.Instance.RegistrationsOpen, c.Instance.InvitesEnabled = false, true })
	invite, err := s.Signup.CreateInvite(t.Context(), &db.Account{IsAdmin: true}, signup.NewInvite{})
	if err != nil {
		t.Fatal(err)
	}
	v := newVisitor(t, s)
	if got := v.open("/registration"); got.status != 403 || !strings.Contains(got.text, "by invitation only") {
		t.Errorf("without one: %d", got.status)
	}
	if got := v.open("/registration/nonsense"); got.status != 404 || !strings.Contains(got.text, "This invitation does not work") {
		t.Errorf("a wrong one: %d", got.status)
	}
	path := "/registration/" + url.PathEscape(invite.Token)
	page := v.open(path)
	if page.status != 200 {
		t.Fatalf("the invitation: %d", page.status)
	}
	if got := v.send("POST", "/registration", wishes(page.fields(), "alice")); got.status != 200 {
		t.Fatalf("%d\n%s", got.status, got.text)
	}
	if got := v.open(path); got.status != 404 {
		t.Errorf("a used one: %d", got.status)
	}
	if got := v.send("POST", "/registration", wishes(page.fields(), "bob")); got.status != 422 || !strings.Contains(got.flash(), "invitation does not work") {
		t.Errorf("with a used one: %d %q", got.status, got.flash())
	}
}

func TestForgottenPasswordIsChosenAgain(t *testing.T) {
	s := servertest.Start(t, servertest.WithMail)
	s.User("alice")
	app := newApp(t, s, client.OutOfBand, "read")
	v := newVisitor(t, s)
	browser := []string{"Accept", "text/html"}
	for _, name := range []string{"alice", "nobody"} {
		form := v.open("/auth/password").fields()
		form.Set("email", name)
		if got := v.send("POST", "/auth/password", form, browser...); got.status != 200 || !strings.Contains(got.text, "If that account exists, a mail is on its way.") {
			t.Fatalf("%s: %d %s", name, got.status, got.text)
		}
	}
	if got := v.send("POST", "/auth/password", url.Values{"email": {"alice"}}, browser...); got.status != 403 {
		t.Errorf("without the form's token: %d", got.status)
	}
	if got := newVisitor(t, s).send("POST", "/auth/password", url.Values{"nickname": {"nobody"}}); got.status != 204 {
		t.Errorf("a program: %d", got.status)
	}
	mail := s.Mailbox.Wait("alice@example.org", 1)
	link := strings.TrimPrefix(mail.Link(), s.Base())
	page := v.open(link)
	if page.status != 200 || !strings.HasPrefix(link, "/api/svc/password_reset/") || page.header.Get("Referrer-Policy") != "same-origin" {
		t.Fatalf("%s: %d\n%s", link, page.status, page.text)
	}
	choose := func(password, again string) answer {
		form := page.fields()
		form.Set("data[password]", password)
		form.Set("data[password_confirmation]", again)
		return v.send("POST", "/api/svc/password_reset", form)
	}
	for _, tt := range []struct{ password, again, flash string }{
		{"a new one", "another", "The two passwords are not the same."}, {" ", " ", "The password can&#39;t be blank."},
	} {
		if got := choose(tt.password, tt.again); got.status != 200 || got.flash() != tt.flash || got.fields().Get("data[token]") == "" {
			t.Errorf("%q: %d %q", tt.password, got.status, got.flash())
		}
	}
	if got := choose("a new one", "a new one"); got.status != 200 || !strings.Contains(got.text, "Your password is changed") {
		t.Fatalf("%d\n%s", got.status, got.text)
	}
	for _, got := range []answer{choose("a third", "a third"), choose("a", "b"), v.open(link), v.open("/api/svc/password_reset/x")} {
		if got.status != 200 || !strings.Contains(got.text, "This link does not work") {
			t.Errorf("a used link: %d\n%s", got.status, got.text)
		}
	}
	form := login(app, client.OutOfBand)
	if got := v.send("POST", "/oauth/authorize", form); got.status == 200 {
		t.Error("the old password works")
	}
	form.Set("authorization[password]", "a new one")
	if got := newVisitor(t, s).send("POST", "/oauth/authorize", form); got.status != 200 {
		t.Errorf("the new one: %d", got.status)
	}
}

func TestLostConfirmationIsMailedAgain(t *testing.T) {
	s := servertest.Start(t, servertest.WithMail, func(c *config.Settings) { c.Instance.AccountActivationRequired = true })
	app := newApp(t, s, client.OutOfBand, "read")
	if _, err := s.With(s.AppToken()).Accounts.Register(t.Context(), api.NewAccount{
		Username: "alice", Email: "alice@example.org", Password: servertest.Password, Agreement: ptr(api.Bool(true)),
	}); err != nil {
		t.Fatal(err)
	}
	first := s.Mailbox.Wait("alice@example.org", 1).Link()
	v := newVisitor(t, s)
	refused := v.send("POST", "/oauth/authorize", login(app, client.OutOfBand))
	if refused.status != 403 || !strings.Contains(refused.text, `href="/auth/confirmation"`) {
		t.Fatalf("%d %s", refused.status, refused.text)
	}
	form := v.open("/auth/confirmation").fields()
	form.Set("email", "alice")
	if got := v.send("POST", "/auth/confirmation", form); got.status != 200 || !strings.Contains(got.text, "a mail is on its way") {
		t.Fatalf("%d\n%s", got.status, got.text)
	}
	second := s.Mailbox.Wait("alice@example.org", 2).Link()
	if second == first {
		t.Fatal("no second link was mailed")
	}
	if got := v.open(strings.TrimPrefix(second, s.Base())); got.status != http.StatusFound {
		t.Errorf("the second link: %d", got.status)
	}
}
