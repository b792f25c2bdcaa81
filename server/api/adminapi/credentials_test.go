package adminapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func ptr[T any](v T) *T { return &v }

func TestCredentialsAreShown(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		form := api.UpdateCredentials{
			Note: ptr("I & <b>me</b>"), FieldsAttributes: []api.SourceField{{Name: "Home", Value: "https://ann.example"}, {Name: "<i>x", Value: "a < b"}},
			Discoverable: ptr(api.Bool(true)), SettingsStore: []byte(`{"fe":{"theme":"dark"}}`),
		}
		w.must(err1(w.Client("ann").Accounts.UpdateCredentials(ctx, form)))
		w.must(w.DB.UpdateAccount(ctx, &db.Account{ID: w.eve.ID, Fields: []db.Field{{Name: "a", Value: "b"}}, FieldsHTML: []db.Field{{Name: "a", Value: "<p>b</p>"}}}, "fields", "fields_html"))
		users := w.Admin("root").Admin.Users
		got, err := users.Credentials(ctx, "ann")
		w.must(err)
		want := &api.Credentials{
			ActorType: "Person", AllowFollowingMove: true, Avatar: w.Base() + "/images/avi.png", Banner: w.Base() + "/images/banner.png",
			Bio: "I &amp; &lt;b&gt;me&lt;/b&gt;", DefaultScope: "public", Discoverable: true, Email: ptr("ann@example.org"),
			Fields: api.List[api.CredentialsField]{
				{Name: "Home", Value: `<a href="https://ann.example" rel="ugc">https://ann.example</a>`}, {Name: "<i>x", Value: "a &lt; b"},
			},
			RawFields:     api.List[api.RawField]{{ID: 1, Name: "Home", Value: "https://ann.example"}, {ID: 2, Name: "<i>x", Value: "a < b"}},
			HideFavorites: true, ID: w.ann.ID, Name: "ann", SettingsStore: []byte(`{"fe":{"theme":"dark"}}`), ShowRole: true, SkipThreadContainment: true, Background: ptr(""),
		}
		if diff := cmp.Diff(want, got, decoded); diff != "" {
			t.Errorf("ann (-want +got):\n%s", diff)
		}
		for _, name := range []string{w.ann.ID, fmt.Sprint(w.ann.Serial), "ANN"} {
			again, err := users.Credentials(ctx, name)
			if err != nil || cmp.Diff(got, again) != "" {
				t.Errorf("as %s: %+v, %v", name, again, err)
			}
		}
		status, text := w.admin("GET", "/users/eve@one.example/credentials", "")
		remote := `{"actor_type":"Person","allow_following_move":true,"avatar":"` + w.Base() + `/images/avi.png","background":"","banner":"` + w.Base() + `/images/banner.png",` +
			`"bio":"","default_scope":"public","discoverable":false,"email":"","fields":[{"name":"a","value":"\u003cp\u003eb\u003c/p\u003e"}],"hide_favorites":true,"hide_followers":false,` +
			`"hide_followers_count":false,"hide_follows":false,"hide_follows_count":false,"id":"` + w.eve.ID + `","locked":false,"name":"\u003cb\u003eEve\u003c/b\u003e \u0026 \u003ci\u003eco\u003c/i\u003e",` +
			`"no_rich_text":false,"svc_settings_store":{},"raw_fields":[{"id":1,"name":"a","value":"b"}],"show_role":true,"skip_thread_containment":true}`
		if status != http.StatusOK || text != remote {
			t.Errorf("eve: %d %s\nwant %s", status, text, remote)
		}
		w.want("GET", "/users/nobody/credentials", "", 404, notFound)
		w.wantLog()
	})
}

func TestCredentialsAreChanged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		users := w.Admin("root").Admin.Users
		yes, no := ptr(true), ptr(false)
		w.must(users.UpdateCredentials(ctx, "ANN", api.CredentialsUpdate{
			Email: ptr("Ann@new.example"), Name: ptr("  Ann <b>B.</b> "), Bio: ptr("about https://x.example"), Locked: yes, NoRichText: yes,
			DefaultScope: ptr("unlisted"), HideFollows: yes, HideFollowers: yes, HideFollowersCount: yes, HideFollowsCount: yes,
			HideFavorites: no, AllowFollowingMove: no, ShowRole: no, SkipThreadContainment: no, Discoverable: yes, ActorType: ptr("Service"),
			Fields: []api.SourceField{{Name: "", Value: "dropped"}, {Name: "n", Value: "https://v.example"}},
		}))
		got, err := users.Credentials(ctx, "ann")
		w.must(err)
		want := &api.Credentials{
			ActorType: "Service", Avatar: w.Base() + "/images/avi.png", Banner: w.Base() + "/images/banner.png",
			Bio: `about <a href="https://x.example" rel="ugc">https://x.example</a>`, DefaultScope: "unlisted", Discoverable: true, Email: ptr("Ann@new.example"),
			Fields:        api.List[api.CredentialsField]{{Name: "n", Value: `<a href="https://v.example" rel="ugc">https://v.example</a>`}},
			RawFields:     api.List[api.RawField]{{ID: 1, Name: "n", Value: "https://v.example"}},
			HideFollowers: true, HideFollowersCount: true, HideFollows: true, HideFollowsCount: true,
			ID: w.ann.ID, Locked: true, Name: "Ann <b>B.</b>", NoRichText: true, SettingsStore: []byte(`{}`), Background: ptr(""),
		}
		if diff := cmp.Diff(want, got, decoded); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		// The same as forms, with the older names, from the query, and with
		// words for booleans.
		for _, c := range []struct{ path, body string }{
			{"/users/ann/credentials", "is_locked=false&is_discoverable=0&fields[1][name]=b&fields[1][value]=2&fields[0][name]=a&fields[0][value]=1"},
			{"/users/ann/credentials?hide_follows=false&unknown=1&nickname=bob", `{"hide_followers":"false","bio":null,"id":"x"}`},
			{"/users/ann/credentials", `{}`},
		} {
			w.want("PATCH", c.path, c.body, http.StatusOK, `{"status":"success"}`)
		}
		want.Locked, want.Discoverable, want.HideFollows, want.HideFollowers = false, false, false, false
		want.RawFields = api.List[api.RawField]{{ID: 1, Name: "a", Value: "1"}, {ID: 2, Name: "b", Value: "2"}}
		want.Fields = api.List[api.CredentialsField]{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}
		if got, err = users.Credentials(ctx, "ann"); err != nil || cmp.Diff(want, got, decoded) != "" {
			t.Errorf("%v (-want +got):\n%s", err, cmp.Diff(want, got, decoded))
		}
		w.must(users.UpdateCredentials(ctx, "ann", api.CredentialsUpdate{Email: ptr(""), Bio: ptr(""), Fields: []api.SourceField{}}))
		want.Email, want.Bio, want.Fields, want.RawFields = ptr(""), "", api.List[api.CredentialsField]{}, api.List[api.RawField]{}
		if got, err = users.Credentials(ctx, "ann"); err != nil || cmp.Diff(want, got, decoded) != "" {
			t.Errorf("emptied: %v (-want +got):\n%s", err, cmp.Diff(want, got, decoded))
		}
		entry := "@root updated users: @ann"
		w.wantLog(entry, entry, entry, entry, entry)
	})
}

func TestCredentialsThatAreWrongAreNamedAllAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		refused := func(fields ...string) string {
			for i, f := range fields {
				name, message, _ := strings.Cut(f, ":")
				fields[i] = fmt.Sprintf("%q:%q", name, message)
			}
			return `{"errors":{` + strings.Join(fields, ",") + `}}`
		}
		eleven := strings.Repeat(`{"name":"n","value":"v"},`, 10) + `{"name":"n","value":"v"}`
		for _, c := range []struct{ body, answer string }{
			{`{"email":"nonsense"}`, refused("email:has invalid format")},
			{`{"email":"BOB@example.org"}`, refused("email:has already been taken")},
			{`{"email":5}`, refused("email:is invalid")},
			{`{"actor_type":"Group"}`, refused("actor_type:is invalid")},
			{`{"actor_type":["Person"]}`, refused("actor_type:is invalid")},
			{`{"name":""}`, refused("name:should be at least 1 character(s)")},
			{`{"name":" \u2066\n "}`, refused("name:should be at least 1 character(s)")},
			{`{"name":"` + strings.Repeat("ä", 101) + `"}`, refused("name:should be at most 100 character(s)")},
			{`{"name":true}`, refused("name:is invalid")},
			{`{"bio":"` + strings.Repeat("ä", 5001) + `"}`, refused("bio:should be at most 5000 character(s)")},
			{`{"bio":{}}`, refused("bio:is invalid")},
			{`{"fields":[` + eleven + `]}`, refused("fields:should have at most 10 item(s)")},
			{`{"fields":[{"name":"` + strings.Repeat("x", 513) + `","value":""}]}`, refused("fields:invalid")},
			{`{"fields":[{"name":"x","value":"` + strings.Repeat("x", 2049) + `"}]}`, refused("fields:invalid")},
			{`{"fields":[{"name":5,"value":"x"}]}`, refused("fields:invalid")},
			{`{"fields":["x"]}`, refused("fields:is invalid")},
			{`{"fields":"x"}`, refused("fields:is invalid")},
			{`{"fields":{"a":{"name":"x","value":"y"}}}`, refused("fields:is invalid")},
			{`{"password":""}`, refused("password:can't be blank", "password_confirmation:can't be blank")},
			{`{"password":"  "}`, refused("password:can't be blank", "password_confirmation:can't be blank")},
			{`{"password":12345}`, refused("password:is invalid")},
			{`{"locked":"maybe"}`, refused("locked:is invalid")},
			{`{"is_locked":2}`, refused("is_locked:is invalid")},
			{`{"default_scope":"everybody"}`, refused("default_scope:is invalid")},
			{`{"avatar":"data:image/png;base64,AAAA"}`, refused("avatar:is invalid")},
			{`{"banner":"x","background":5}`, refused("background:is invalid", "banner:is invalid")},
			{`{"email":"x","name":"","bio":7,"actor_type":"x","password":"new","locked":true}`,
				refused("actor_type:is invalid", "bio:is invalid", "email:has invalid format", "name:should be at least 1 character(s)", "password:should be at least 8 character(s)")},
			{`{"password":"seven77"}`, refused("password:should be at least 8 character(s)")},
		} {
			w.want("PATCH", "/users/ann/credentials", c.body, http.StatusBadRequest, c.answer)
		}
		for _, nickname := range []string{"nobody", "eve@one.example", w.ann.ID} {
			w.want("PATCH", "/users/"+nickname+"/credentials", `{"name":"x"}`, http.StatusNotFound, notFound)
		}
		if a, err := w.DB.Account(t.Context(), w.ann.ID); err != nil || a.Version != w.ann.Version && a.DisplayName != "ann" || a.Locked {
			t.Errorf("changed: %+v, %v", a, err)
		}
		w.wantLog()
	})
}

// TestAPasswordThatAnAdminChoosesIsOfNoUseBeforeAReset: it ends all logins, and
// the user must choose another one.
func TestAPasswordThatAnAdminChoosesIsOfNoUseBeforeAReset(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.must(w.Auth.SetPassword(ctx, w.ann.ID, "old password"))
		app, err := w.Anonymous().Apps.Create(ctx, api.NewApp{ClientName: "x", RedirectURIs: "urn:ietf:wg:oauth:2.0:oob", Scopes: "read write"})
		w.must(err)
		login := func(password string) error { return err1(w.Anonymous().OAuth.Password(ctx, app, "ann", password, "")) }
		w.must(login("old password"))
		ann := w.With(w.issueAs(w.ann))
		w.must(err1(ann.Accounts.Verify(ctx)))

		w.must(w.Admin("root").Admin.Users.UpdateCredentials(ctx, "ann", api.CredentialsUpdate{Password: ptr("new password")}))
		if err := err1(ann.Accounts.Verify(ctx)); client.Status(err) != 401 {
			t.Errorf("a token from before: %v", err)
		}
		var left int
		w.must(w.DB.Writer().QueryRowContext(ctx, "SELECT (SELECT COUNT(*) FROM tokens t JOIN accounts a ON a.id = t.account_id WHERE a.nickname = 'ann') + (SELECT COUNT(*) FROM authorisations)").Scan(&left))
		if left != 0 {
			t.Errorf("%d tokens and authorisations left", left)
		}
		if err := login("old password"); client.Status(err) != 400 {
			t.Errorf("the old one: %v", err)
		}
		if err := login("new password"); client.Status(err) != 403 || !strings.Contains(err.Error(), "Password reset is required") {
			t.Errorf("the new one: %v", err)
		}
		link, err := w.Signup.ResetLink(ctx, w.ann.ID)
		w.must(err)
		w.must(w.Signup.ResetPassword(ctx, link.Token, "own password"))
		w.must(login("own password"))
		w.wantLog("@root forced password reset for users: @ann", "@root updated users: @ann")
	})
}

func TestPicturesComeAsFilesAndGoAsEmptyTexts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		users := w.Admin("root").Admin.Users
		picture := func(size int) *client.File {
			var b bytes.Buffer
			w.must(png.Encode(&b, image.NewRGBA(image.Rect(0, 0, size, size))))
			return &client.File{Name: "x.png", Content: &b}
		}
		w.must(users.SetPictures(ctx, "ann", client.Pictures{Avatar: picture(4), Header: picture(5), Background: picture(6)}))
		got, err := users.Credentials(ctx, "ann")
		w.must(err)
		for i, url := range []string{got.Avatar, got.Banner, *got.Background} {
			resp, err := http.Get(strings.Replace(url, w.Base(), w.URL, 1))
			w.must(err)
			m, err := png.Decode(resp.Body)
			w.must(resp.Body.Close())
			if err != nil || m.Bounds().Dx() != 4+i {
				t.Errorf("%s: %v, %v", url, m, err)
			}
		}
		for _, c := range []struct {
			in   client.Pictures
			want string
		}{
			{client.Pictures{Avatar: &client.File{Name: "x.png", Content: strings.NewReader("<html>")}}, "avatar: is invalid"},
			{client.Pictures{Header: &client.File{Name: "x.png", Content: strings.NewReader("\x89PNG\r\n\x1a\nbroken")}}, "banner: is invalid"},
			{client.Pictures{Background: &client.File{Name: "x.png", Content: io.MultiReader(picture(4).Content, strings.NewReader(strings.Repeat("x", 2000)))}}, "background: file is too large"},
		} {
			if err := users.SetPictures(ctx, "ann", c.in); client.Status(err) != 400 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		}
		if err := users.SetPictures(ctx, "nobody", client.Pictures{Avatar: picture(4)}); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("of nobody: %v", err)
		}
		w.must(users.UpdateCredentials(ctx, "ann", api.CredentialsUpdate{Avatar: ptr(""), Background: ptr("")}))
		after, err := users.Credentials(ctx, "ann")
		if err != nil || after.Avatar != w.Base()+"/images/avi.png" || after.Banner != got.Banner || after.Background == nil || *after.Background != "" {
			t.Errorf("after that %+v, %v", after, err)
		}
		w.wantLog("@root updated users: @ann", "@root updated users: @ann")
	}, func(s *config.Settings) { s.Instance.BackgroundUploadLimit = 1000 })
}

// TestCredentialsAskForTheScopeFirst: the scope is checked before the body.
func TestCredentialsAskForTheScopeFirst(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		token := w.Token("root", servertest.AllScopes)
		for _, body := range []string{`{"name":""}`, `{"name":"x"}`, `{`} {
			status, _, text := w.call(token, "PATCH", "/users/nobody/credentials", body)
			if status != 403 || text != `{"error":"Insufficient permissions: admin:write:accounts."}` {
				t.Errorf("%s: %d %s", body, status, text)
			}
		}
	})
}
