package pages_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/client"
	"svc/server/servertest"
)

// totp is the code of an authenticator app for a key, some steps of 30 s from
// now: RFC 6238.
func totp(t *testing.T, key string, steps int64) string {
	t.Helper()
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha1.New, raw)
	_ = binary.Write(mac, binary.BigEndian, time.Now().Unix()/30+steps)
	sum := mac.Sum(nil)
	offset := sum[19] & 15
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[offset:])&0x7fffffff%1_000_000)
}

// secondFactor turns it on for nickname, and returns the key. The code of the
// present step is used up by that.
func secondFactor(t *testing.T, s *servertest.Server, nickname string) string {
	t.Helper()
	s.User(nickname)
	security := s.Client(nickname).Security
	setup, err := security.SetUpTOTP(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = security.ConfirmTOTP(t.Context(), servertest.Password, totp(t, setup.Key, -1))
	if err != nil { // a step began meanwhile, and the code is of the one before the last
		err = security.ConfirmTOTP(t.Context(), servertest.Password, totp(t, setup.Key, -1))
	}
	if err != nil {
		t.Fatal(err)
	}
	return setup.Key
}

func TestSecondFactorIsAskedFor(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		key := secondFactor(t, s, "alice")
		const callback = "https://app.example/cb"
		app := newApp(t, s, callback+" "+client.OutOfBand, "read write")
		v := newVisitor(t, s)
		signIn := func(redirect string) answer {
			t.Helper()
			form := v.open(authorize(app, redirect, "state", "s&1")).fields()
			form.Set("authorization[name]", "alice")
			form.Set("authorization[password]", servertest.Password)
			form.Set("authorization[scope][]", "read")
			got := v.send("POST", "/oauth/authorize", form)
			if got.status != 200 || got.fields().Get("mfa[mfa_token]") == "" || len(got.header.Values("Set-Cookie")) > 0 {
				t.Fatalf("with the password: %d %q\n%s", got.status, got.header.Values("Set-Cookie"), got.text)
			}
			return got
		}
		page := signIn(callback)
		if policy := page.header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https:") {
			t.Errorf("policy %s", policy)
		}
		answer := func(page answer, code string) answer {
			form := page.fields()
			form.Set("mfa[code]", code)
			return v.send("POST", "/oauth/mfa/verify", form)
		}
		page = answer(page, "000000x")
		if page.status != 401 || page.flash() != "Two-factor authentication failed." {
			t.Fatalf("a wrong code: %d %q", page.status, page.flash())
		}
		if forged := v.send("POST", "/oauth/mfa/verify", func() url.Values { f := page.fields(); f.Del("_csrf_token"); return f }()); forged.status != 403 {
			t.Errorf("without the form's token: %d", forged.status)
		}
		if ask := v.open(authorize(app, callback)); strings.Contains(ask.text, "Signed in as") {
			t.Error("signed in by the password alone")
		}
		done := answer(page, totp(t, key, 0))
		to, err := url.Parse(done.header.Get("Location"))
		if done.status != 302 || err != nil || to.Host != "app.example" || to.Query().Get("state") != "s&1" {
			t.Fatalf("the right code: %d %s", done.status, done.header.Get("Location"))
		}
		token, err := s.Anonymous().OAuth.Code(t.Context(), app, to.Query().Get("code"), callback, "")
		if err != nil || token.Scope != "read" {
			t.Fatalf("%+v, %v", token, err)
		}
		if ask := v.open(authorize(app, callback)); !strings.Contains(ask.text, "Signed in as") {
			t.Error("both factors, and not signed in")
		}
		page = v.open("/oauth/mfa?" + url.Values{"mfa_token": {page.fields().Get("mfa[mfa_token]")}}.Encode())
		if again := answer(page, totp(t, key, 1)); again.status != 401 {
			t.Errorf("for the same password again: %d", again.status)
		}

		codes, err := s.Client("alice").Security.BackupCodes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		v = newVisitor(t, s)
		page = signIn(client.OutOfBand)
		_, other, _ := strings.Cut(page.text, `<p class="other"><a href="`)
		other, _, _ = strings.Cut(other, `"`)
		page = v.open(strings.ReplaceAll(other, "&amp;", "&"))
		if page.status != 200 || page.fields().Get("mfa[challenge_type]") != "recovery" || !strings.Contains(page.text, "Recovery code") {
			t.Fatalf("%s: %d\n%s", other, page.status, page.text)
		}
		if done := answer(page, codes[0]); done.status != 200 || !strings.Contains(done.text, "Token code is") {
			t.Errorf("a recovery code: %d %q", done.status, done.flash())
		}
		v = newVisitor(t, s)
		form := signIn(client.OutOfBand).fields()
		form.Set("mfa[challenge_type]", "recovery")
		form.Set("mfa[code]", codes[0])
		if got := v.send("POST", "/oauth/mfa/verify", form); got.status != 401 {
			t.Errorf("it a second time: %d", got.status)
		}
	})
}

// TestProgramsAnswerTheSecondFactor: a program needs no cookies for it, and
// gets no session.
func TestProgramsAnswerTheSecondFactor(t *testing.T) {
	s := servertest.Start(t)
	key := secondFactor(t, s, "alice")
	app := newApp(t, s, client.OutOfBand, "read write")
	v := newVisitor(t, s)
	v.http.Jar = nil
	form := v.send("POST", "/oauth/authorize", login(app, client.OutOfBand)).fields()
	form.Del("_csrf_token")
	form.Set("mfa[code]", totp(t, key, 0))
	got := v.send("POST", "/oauth/mfa/verify", form)
	if got.status != 200 || !strings.Contains(got.text, "Token code is") || len(got.header.Values("Set-Cookie")) > 0 {
		t.Errorf("%d %q\n%s", got.status, got.header.Values("Set-Cookie"), got.text)
	}
}

// TestTheSecondStepBelongsToTheBrowserThatBegan: a thief of the password cannot
// make its owner type the code for them.
func TestTheSecondStepBelongsToTheBrowserThatBegan(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		key := secondFactor(t, s, "alice")
		const callback = "https://app.example/cb"
		app := newApp(t, s, callback, "read write")
		thief, owner := newVisitor(t, s), newVisitor(t, s)
		form := thief.open(authorize(app, callback)).fields()
		form.Set("authorization[name]", "alice")
		form.Set("authorization[password]", servertest.Password)
		form.Set("authorization[scope][]", "write")
		page := thief.send("POST", "/oauth/authorize", form)
		form = page.fields()
		token := form.Get("mfa[mfa_token]")
		if token == "" || !strings.Contains(page.text, "<bdi>"+app.Name+"</bdi>") || !strings.Contains(page.text, "<code>write</code>") ||
			strings.Contains(page.text, "<code>read</code>") || !strings.Contains(page.text, "app.example") {
			t.Errorf("the page does not say what the code is for:\n%s", page.text)
		}
		bait := "/oauth/mfa?" + url.Values{"mfa_token": {token}, "challenge_type": {"totp"}, "redirect_uri": {callback}}.Encode()
		shown := owner.open(bait)
		if shown.status != 401 || shown.fields().Get("mfa[mfa_token]") != "" || shown.flash() != "Two-factor authentication failed." {
			t.Errorf("in another browser: %d %q\n%s", shown.status, shown.flash(), shown.text)
		}
		code := totp(t, key, 0)
		for name, program := range map[string]bool{"another browser": false, "a program": true} {
			sent := url.Values{"mfa[mfa_token]": {token}, "mfa[challenge_type]": {"totp"}, "mfa[redirect_uri]": {callback}, "mfa[code]": {code}}
			v := owner
			if program {
				v = newVisitor(t, s)
			} else {
				sent.Set("_csrf_token", owner.open(authorize(app, callback)).fields().Get("_csrf_token"))
			}
			if got := v.send("POST", "/oauth/mfa/verify", sent); got.status != 401 {
				t.Errorf("from %s: %d %s", name, got.status, got.header.Get("Location"))
			}
		}
		if again := thief.open(bait); again.status != 200 || !strings.Contains(again.text, "<bdi>"+app.Name+"</bdi>") {
			t.Errorf("in the browser that began: %d", again.status)
		}
		form.Set("mfa[code]", code)
		if got := thief.send("POST", "/oauth/mfa/verify", form); got.status != 302 {
			t.Errorf("with the code, which was not used up: %d %q", got.status, got.flash())
		}
	})
}
