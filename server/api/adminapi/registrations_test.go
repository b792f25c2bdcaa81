package adminapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
	"svc/server/rules/auth"
	"svc/server/rules/social"
	"svc/server/rules/social/socialtest"
	"svc/server/servertest"
)

// login signs in with a password, and returns the refusal.
func (w *world) login(nickname, password string) error {
	w.t.Helper()
	ctx := w.t.Context()
	c := w.Anonymous()
	app, err := c.Apps.Create(ctx, api.NewApp{ClientName: "login", RedirectURIs: auth.OutOfBand, Scopes: "read write"})
	if err != nil {
		return err
	}
	_, err = c.OAuth.Password(ctx, app, nickname, password, "read")
	return err
}

// until waits for the effect of a job.
func (w *world) until(what string, is func() bool) {
	w.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); !is(); {
		if time.Now().After(deadline) {
			w.t.Fatalf("in vain: %s", what)
		}
		<-tick.C
	}
}

// row is an account as it is stored now, nil for none.
func (w *world) row(nickname string) *db.Account {
	w.t.Helper()
	a, err := w.DB.AccountByNickname(w.t.Context(), nickname)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	w.must(err)
	return a
}

func (w *world) user(nickname string) *db.User {
	w.t.Helper()
	u, err := w.DB.User(w.t.Context(), w.row(nickname).ID)
	w.must(err)
	return u
}

// data returns the data of the newest log entry.
func (w *world) data() string {
	w.t.Helper()
	rows, err := w.DB.Log(w.t.Context(), db.LogFilter{}, db.NumberedPage{Number: 1, Size: 1})
	w.must(err)
	if len(rows) == 0 {
		return ""
	}
	return string(rows[0].Data)
}

// named is an account in the log's data.
func named(a *db.Account) string {
	return fmt.Sprintf(`{"id":%d,"account_id":%q,"nickname":%q,"type":"user"}`, a.Serial, a.ID, a.Nickname)
}

func TestUsersAreMadeAllOrNone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		one := func(nickname, email, password string) string {
			return fmt.Sprintf(`{"nickname":%q,"email":%q,"password":%q}`, nickname, email, password)
		}
		refused := func(nickname, email, reason string) string {
			return fmt.Sprintf(`{"type":"error","code":409,"error":%q,"data":{"nickname":%q,"email":%q}}`, reason, nickname, email)
		}
		for _, c := range []struct{ nickname, email, password, reason string }{
			{"BOB", "x@example.org", "long enough", "nickname has already been taken"},
			{"", "x@example.org", "long enough", "nickname can't be blank"},
			{"123", "x@example.org", "long enough", "nickname has invalid format"},
			{"a b", "x@example.org", "long enough", "nickname has invalid format"},
			{"a@b", "x@example.org", "long enough", "nickname has invalid format"},
			{"ünder", "x@example.org", "long enough", "nickname has invalid format"},
			{"Main", "x@example.org", "long enough", "nickname is reserved"},
			{"new", "BOB@example.org", "long enough", "email has already been taken"},
			{"new", "nowhere", "long enough", "email has invalid format"},
			{"new", "", "long enough", "email can't be blank"},
			{"new", "x@Sub.bad.example", "long enough", "email Invalid email"},
			{"new", "x@example.org", "", "password can't be blank"},
			{"new", "x@example.org", " ", "password can't be blank"},
			{"new", "x@example.org", "seven 7", "password should be at least 8 character(s)"},
			{"bob", "nowhere", "", "nickname has already been taken"},
			{"fine", "x@example.org", "long enough", "nickname has already been taken"}, // the user before it has this name
			{"other", "FINE@example.org", "long enough", "email has already been taken"},
		} {
			w.want("POST", "/users", `{"users":[`+one("fine", "fine@example.org", "long enough")+`,`+one(c.nickname, c.email, c.password)+`,`+one("last", "last@example.org", "long enough")+`]}`,
				http.StatusConflict, `[`+refused("fine", "fine@example.org", "")+`,`+refused(c.nickname, c.email, c.reason)+`,`+refused("last", "last@example.org", "")+`]`)
		}
		for _, body := range []string{
			``, `{}`, `{"users":null}`, `{"users":{}}`, `{"users":"x"}`, `{"users":["x"]}`, `{"users":[{"nickname":"a","email":"a@example.org"}]}`,
			`{"users":[{"nickname":"a","password":"long enough"}]}`, `{"users":[{"email":"a@example.org","password":"long enough"}]}`,
			`{"users":[{"nickname":["a"],"email":"a@example.org","password":"long enough"}]}`, `{"users":[{"nickname":true,"email":"a@example.org","password":"long enough"}]}`,
			`{"users":[{"nickname":"a\u0000","email":"a@example.org","password":"long enough"}]}`,
		} {
			w.want("POST", "/users", body, http.StatusBadRequest, badly)
		}
		w.want("POST", "/users", `{"users":[]}`, http.StatusOK, `[]`)
		w.wantLog()
		for _, nickname := range []string{"fine", "new", "last", "other", "a"} {
			if w.row(nickname) != nil {
				t.Errorf("%s is there", nickname)
			}
		}

		w.want("POST", "/users", `{"users":[`+one("Zoe_1-x", "zoe@example.org", "correct horse")+`,`+one("yan", "Yan@example.org", "long enough")+`]}`, http.StatusOK,
			`[{"type":"success","code":200,"data":{"nickname":"Zoe_1-x","email":"zoe@example.org"}},{"type":"success","code":200,"data":{"nickname":"yan","email":"Yan@example.org"}}]`)
		zoe, yan := w.row("zoe_1-x"), w.row("yan")
		if zoe.DisplayName != "Zoe_1-x" || zoe.Note != "." || zoe.ConfirmationPending || zoe.ApprovalPending || zoe.URI != w.Base()+"/users/Zoe_1-x" {
			t.Errorf("zoe is %+v", zoe)
		}
		w.must(w.login("zoe_1-x", "correct horse"))
		w.wantLog("@root created users: @Zoe_1-x, @yan")
		if want := `{"actor":` + named(w.root) + `,"action":"create","message":"@root created users: @Zoe_1-x, @yan","subjects":[` + named(zoe) + `,` + named(yan) + `]}`; w.data() != want {
			t.Errorf("data %s\nwant %s", w.data(), want)
		}

		results, err := w.Admin("root").Admin.Users.Create(t.Context(), []api.NewUser{{Nickname: "xi", Email: "xi@example.org", Password: "long enough"}, {Nickname: "yan", Email: "y@example.org", Password: "long enough"}})
		none, taken := "", "nickname has already been taken"
		want := []api.UserResult{
			{Type: api.UserRefused, Code: 409, Error: &none, Data: api.NamedUser{Nickname: "xi", Email: "xi@example.org"}},
			{Type: api.UserRefused, Code: 409, Error: &taken, Data: api.NamedUser{Nickname: "yan", Email: "y@example.org"}},
		}
		if diff := cmp.Diff(want, results); !errors.Is(err, client.ErrConflict) || diff != "" {
			t.Errorf("our client: %v, (-want +got):\n%s", err, diff)
		}
	}, func(s *config.Settings) {
		s.Instance.RegistrationsOpen = false
		s.User.EmailBlacklist = []string{"bad.example"}
	})
}

// TestNicknamesKeepTheSetting: the rules for nicknames are the same for
// registration and admins.
func TestNicknamesKeepTheSetting(t *testing.T) {
	s := servertest.Start(t, func(s *config.Settings) { s.Instance.ExtendedNicknameFormat = false })
	results, err := s.Admin("root").Admin.Users.Create(t.Context(), []api.NewUser{{Nickname: "a_b", Email: "a@example.org", Password: "long enough"}})
	if !errors.Is(err, client.ErrConflict) || len(results) != 1 || *results[0].Error != "nickname has invalid format" {
		t.Errorf("%+v %v", results, err)
	}
}

// TestWhoIsMadeApprovedOrConfirmedTakesTheNextStep follows accounts through the
// decisions of admins, with the mails that these cause.
func TestWhoIsMadeApprovedOrConfirmedTakesTheNextStep(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin := w.Admin("root").Admin.Users
		subjects := func(address string, n int) string {
			w.t.Helper()
			w.Mailbox.Wait(address, n)
			var out []string
			for _, m := range w.Mailbox.To(address) {
				out = append(out, m.Subject)
			}
			slices.Sort(out)
			return strings.Join(out, "; ")
		}
		_, err := admin.Create(ctx, []api.NewUser{{Nickname: "made", Email: "made@example.org", Password: "long enough"}})
		w.must(err)
		if got := subjects("made@example.org", 1); got != "Your account is awaiting approval" {
			t.Errorf("made: %s", got)
		}
		if got := subjects("root@example.org", 1); got != "New account up for review on svc (@made)" {
			t.Errorf("review: %s", got)
		}
		if err := w.login("made", "long enough"); err == nil || !strings.Contains(err.Error(), "awaiting approval") {
			t.Errorf("signing in: %v", err)
		}
		c, yes := w.With(w.AppToken()), api.Bool(true)
		_, err = c.Accounts.Register(ctx, api.NewAccount{Username: "came", Email: "came@example.org", Password: "long enough", Agreement: &yes, Reason: "to see"})
		w.must(err)
		if got := subjects("came@example.org", 1); got != "svc account confirmation" {
			t.Errorf("registered: %s", got)
		}

		if _, err := admin.Approve(ctx, "made", "nobody"); !errors.Is(err, client.ErrNotFound) || !w.row("made").ApprovalPending {
			t.Errorf("with an unknown one: %v", err)
		}
		users, err := admin.Approve(ctx, "ann", "MADE", "made@"+strings.TrimPrefix(w.Base(), "http://"), "eve@one.example")
		w.must(err)
		var got []string
		for _, u := range users {
			got = append(got, fmt.Sprint(u.Nickname, u.ApprovalPending))
		}
		if diff := cmp.Diff([]string{"annfalse", "madefalse", "madefalse", "eve@one.examplefalse"}, got); diff != "" {
			t.Errorf("approved (-want +got):\n%s", diff)
		}
		if got := subjects("made@example.org", 2); got != "Hello made; Your account is awaiting approval" {
			t.Errorf("approved: %s", got)
		}
		w.must(w.login("made", "long enough"))
		w.wantLog("@root approved users: @made", "@root created users: @made")
		_, err = admin.Approve(ctx, "made", "ann")
		w.must(err)

		// Confirming comes before approval, and the log names all accounts.
		names, err := admin.ConfirmEmail(ctx, "Came", "ann", "came")
		if diff := cmp.Diff([]string{"Came", "ann", "came"}, names); err != nil || diff != "" {
			t.Errorf("confirmed: %v, (-want +got):\n%s", err, diff)
		}
		if got := subjects("came@example.org", 2); got != "Your account is awaiting approval; svc account confirmation" || w.row("came").ConfirmationPending {
			t.Errorf("confirmed: %s", got)
		}
		if got := subjects("root@example.org", 2); !strings.Contains(got, "(@came)") {
			t.Errorf("review: %s", got)
		}
		names, err = admin.ResendConfirmation(ctx, "came", "ann", "eve@one.example")
		if diff := cmp.Diff([]string{"came", "ann", "eve@one.example"}, names); err != nil || diff != "" {
			t.Errorf("sent again: %v, (-want +got):\n%s", err, diff)
		}
		if got := subjects("ann@example.org", 1); got != "svc account confirmation" {
			t.Errorf("sent again: %s", got)
		}
		for _, call := range []func(context.Context, ...string) ([]string, error){admin.ConfirmEmail, admin.ResendConfirmation} {
			if _, err := call(ctx, "came", "nobody"); !errors.Is(err, client.ErrNotFound) {
				t.Errorf("an unknown one: %v", err)
			}
		}
		w.wantLog("@root re-sent confirmation email for users: @came, @ann, @eve@one.example", "@root confirmed email for users: @came, @ann",
			"@root approved users: @made", "@root created users: @made")
		w.Mailbox.Wait("came@example.org", 3)
	}, servertest.WithMail, func(s *config.Settings) {
		s.Instance.AccountActivationRequired, s.Instance.AccountApprovalRequired = true, true
		s.Welcome.Email.Enabled, s.Welcome.Email.Subject = true, "Hello <%= user.nickname %>"
	})
}

func TestDeletedUsersAreGoneOrEmptied(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin := w.Admin("root").Admin.Users
		w.User("off")
		_, err := admin.Deactivate(ctx, "off")
		w.must(err)
		waiting := w.User("waiting")
		waiting.ApprovalPending = true
		w.must(w.DB.UpdateAccount(ctx, waiting, "approval_pending"))
		post := w.post(w.ann, social.NewStatus{Text: "hello"})
		far := socialtest.Post(t, w.Social, w.eve, db.Public, activitypub.Post{ID: "https://one.example/1", Content: "far"})
		_, err = w.Client("ann").Accounts.Follow(ctx, w.bob.ID, api.Follow{})
		w.must(err)
		_, err = w.Client("bob").Statuses.Favourite(ctx, far.ID)
		w.must(err)

		for _, body := range []string{``, `{"nicknames":"ann"}`, `{"nicknames":["ann",1]}`, `{"nickname":["ann"]}`, `{"nickname":""}`} {
			w.want("DELETE", "/users", body, http.StatusBadRequest, badly)
		}
		w.want("DELETE", "/users", `{"nicknames":["ann","nobody"]}`, http.StatusNotFound, notFound)
		w.want("DELETE", "/users?nickname=nobody", "", http.StatusNotFound, notFound)
		w.want("DELETE", "/users", `{"nicknames":[]}`, http.StatusOK, `[]`)
		if w.row("ann").Deactivated || len(w.log()) != 1 {
			t.Errorf("a refused deletion did something: %v", w.log())
		}

		w.want("DELETE", "/users?nicknames[]=Ann&nicknames[]=off&nicknames[]=eve@One.example&nicknames[]=ann", "", http.StatusOK, `["Ann","off","eve@One.example","ann"]`)
		if want := `{"actor":` + named(w.root) + `,"action":"delete","message":"@root deleted users: @ann, @off, @eve@one.example","subject":[` +
			named(w.ann) + `,` + named(w.row("off")) + `,` + named(w.eve) + `]}`; w.data() != want {
			t.Errorf("data %s\nwant %s", w.data(), want)
		}
		w.want("DELETE", "/users", "nickname=waiting", http.StatusOK, `"waiting"`)
		w.until("eve and waiting are gone", func() bool { return w.row("eve@one.example") == nil && w.row("waiting") == nil })
		w.until("ann and off are empty", func() bool { return w.row("ann").DisplayName == "" && w.row("off").DisplayName == "" })
		user, err := admin.Get(ctx, "ann")
		w.must(err)
		if !user.Deactivated || user.Email != nil || user.DisplayName != "ann" || user.ID != w.ann.Serial {
			t.Errorf("ann is %s", user.Raw)
		}
		for _, s := range []*db.Status{post, far} {
			if _, err := w.DB.StatusByID(ctx, s.ID); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("a post is left: %v", err)
			}
		}
		if got := w.row("bob").FollowersCount; got != 0 {
			t.Errorf("bob has %d followers", got)
		}
		if _, err := w.Client("ann").Accounts.Verify(ctx); client.Status(err) != http.StatusUnauthorized {
			t.Errorf("her token: %v", err)
		}
		if _, err := admin.Activate(ctx, "ann"); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("shown again: %v", err)
		}
		results, err := admin.Create(ctx, []api.NewUser{{Nickname: "ann", Email: "ann@example.org", Password: "long enough"}})
		if !errors.Is(err, client.ErrConflict) || *results[0].Error != "nickname has already been taken" {
			t.Errorf("her name: %+v %v", results, err)
		}
		_, err = admin.Create(ctx, []api.NewUser{{Nickname: "waiting", Email: "ann@example.org", Password: "long enough"}})
		w.must(err)
		// A deleted account is not deleted again.
		w.want("DELETE", "/users", `{"nicknames":["ann"]}`, http.StatusOK, `["ann"]`)
		w.wantLog("@root created users: @waiting", "@root deleted users: @waiting", "@root deleted users: @ann, @off, @eve@one.example", "@root deactivated users: @off")
	})
}

// TestAResetLinkWorksWithTheForm follows a link that an admin created, to the
// new password.
func TestAResetLinkWorksWithTheForm(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin := w.Admin("root").Admin.Users
		w.must(admin.ForcePasswordReset(ctx, "ann", "BOB"))
		w.wantLog("@root forced password reset for users: @ann, @bob")
		err := w.login("ann", servertest.Password)
		var refusal *client.Error
		if !errors.As(err, &refusal) || refusal.Status != 403 || refusal.Message != "Password reset is required" || refusal.Identifier != "password_reset_required" {
			t.Errorf("signing in: %v", err)
		}
		if _, err := w.Client("bob").Accounts.Verify(ctx); !errors.Is(err, client.ErrForbidden) {
			t.Errorf("his token: %v", err)
		}
		if _, err := w.Anonymous().Accounts.Get(ctx, "ann"); err != nil {
			t.Errorf("her profile: %v", err)
		}

		first, err := admin.PasswordReset(ctx, "ann")
		w.must(err)
		second, err := admin.PasswordReset(ctx, "Ann@"+strings.TrimPrefix(w.Base(), "http://"))
		w.must(err)
		if first.Link != w.Base()+"/api/svc/password_reset/"+strings.ReplaceAll(first.Token, "=", "%3D") || len(first.Token) != 44 || first.Token == second.Token {
			t.Errorf("links %+v, %+v", first, second)
		}
		for _, nickname := range []string{"nobody", "eve@one.example", w.ann.ID, fmt.Sprint(w.ann.Serial)} {
			w.want("GET", "/users/"+nickname+"/password_reset", "", http.StatusNotFound, notFound)
		}
		choose := func(token, password string) string {
			form := url.Values{"data[token]": {token}, "data[password]": {password}, "data[password_confirmation]": {password}}
			_, _, page := w.call("", "POST", "/api/svc/password_reset", form.Encode())
			return page
		}
		_, _, page := w.call("", "GET", strings.TrimPrefix(first.Link, w.Base()), "")
		if !strings.Contains(page, `name="data[password]"`) {
			t.Errorf("the form: %s", page)
		}
		if page := choose(first.Token, "battery staple"); strings.Contains(page, `name="data[password]"`) {
			t.Errorf("choosing: %s", page)
		}
		w.must(w.login("ann", "battery staple"))
		choose(first.Token, "once more")
		w.must(w.login("ann", "battery staple"))
		w.wantLog("@root forced password reset for users: @ann, @bob")
		if u := w.user("ann"); u.PasswordResetPending {
			t.Error("the reset is still forced")
		}
		for _, body := range []string{`{"nicknames":["root","nobody"]}`, `{"nicknames":["root","eve@one.example"]}`} {
			w.want("PATCH", "/users/force_password_reset", body, http.StatusNotFound, notFound)
		}
		w.want("PATCH", "/users/force_password_reset", `{"nicknames":"root"}`, http.StatusBadRequest, badly)
		w.want("PATCH", "/users/force_password_reset", `{"nicknames":["bob"]}`, http.StatusNoContent, "")
	})
}

func TestAnAdminEndsASecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		codes := db.Slice[string]{"one", "two"}
		w.must(w.DB.UpdateUser(ctx, &db.User{AccountID: w.ann.ID, TOTPSecret: "x", TOTPPending: "y", TOTPEnabled: true, TOTPStep: 3, MFAWrong: 4, BackupCodes: codes},
			"totp_secret", "totp_pending", "totp_enabled", "totp_step", "mfa_wrong", "backup_codes"))
		if err := w.login("ann", servertest.Password); err == nil || !strings.Contains(err.Error(), "mfa_required") {
			t.Errorf("before: %v", err)
		}
		w.want("PUT", "/users/disable_mfa", `{"nickname":"Ann"}`, http.StatusOK, `"Ann"`)
		w.must(w.login("ann", servertest.Password))
		u := w.user("ann")
		if u.TOTPSecret != "" || u.TOTPPending != "" || u.TOTPEnabled || u.TOTPStep != 0 || u.MFAWrong != 0 || cmp.Diff(codes, u.BackupCodes) != "" {
			t.Errorf("left: %+v", u)
		}
		w.must(w.Admin("root").Admin.Users.DisableMFA(ctx, "bob"))
		for _, nickname := range []string{"nobody", "eve@one.example"} {
			w.want("PUT", "/users/disable_mfa?nickname="+nickname, "", http.StatusNotFound, notFound)
		}
		w.want("PUT", "/users/disable_mfa", "", http.StatusBadRequest, badly)
		w.want("PUT", "/users/disable_mfa", `{"nickname":["ann"]}`, http.StatusBadRequest, badly)
		w.wantLog()
	})
}
