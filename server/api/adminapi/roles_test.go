package adminapi_test

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

const (
	noGroup   = `{"error":"No such permission_group"}`
	ownStatus = `{"error":"You can't revoke your own admin status."}`
	ownGroups = `{"error":"You can't revoke your own admin/moderator status."}`
)

func TestRolesAreGivenTakenAndLogged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		users := w.Admin("root").Admin.Users
		roles := func(nickname string) string {
			t.Helper()
			m, err := users.Roles(ctx, nickname)
			w.must(err)
			one, err := users.Role(ctx, nickname, api.RoleModerator)
			if err != nil || *one != *m {
				t.Errorf("%+v of one group, %+v of all, %v", one, m, err)
			}
			out := ""
			if m.IsAdmin {
				out += "a"
			}
			if m.IsModerator {
				out += "m"
			}
			return out
		}
		names := func(list []api.AdminUser, err error) string {
			t.Helper()
			w.must(err)
			var out []string
			for _, u := range list {
				role := u.Nickname
				if u.Roles.Admin {
					role += "+a"
				}
				if u.Roles.Moderator {
					role += "+m"
				}
				out = append(out, role)
			}
			return strings.Join(out, " ")
		}
		for _, step := range []struct{ got, want string }{
			{roles("root"), "a"},
			{roles("ann"), ""},
			{names(users.AddRole(ctx, api.RoleAdmin, "ann")), "ann+a"},
			{names(users.AddRole(ctx, api.RoleModerator, "BOB", "ann", "eve@one.example", "bob")), "bob+m ann+a+m eve@one.example+m bob+m"},
			{names(users.AddRole(ctx, api.RoleAdmin, "ann")), "ann+a+m"},
			{roles("ann@" + strings.TrimPrefix(w.Base(), "http://")), "am"},
			{names(users.RemoveRole(ctx, api.RoleAdmin, "ann")), "ann+m"},
			{names(users.RemoveRole(ctx, api.RoleAdmin, "ann", "bob")), "ann+m bob+m"},
			{names(users.RemoveRole(ctx, api.RoleModerator, "ann", "eve@one.example")), "ann eve@one.example"},
			{roles("bob"), "m"},
		} {
			if step.got != step.want {
				t.Errorf("got %q, want %q", step.got, step.want)
			}
		}
		one, err := users.AddRoleTo(ctx, "ann", api.RoleAdmin)
		if err != nil || !one.IsAdmin || one.IsModerator || one.Nickname != "ann" || !one.Roles.Admin || one.ID != w.ann.Serial {
			t.Errorf("in the older form: %+v, %v", one, err)
		}
		one, err = users.RemoveRoleFrom(ctx, "ann", api.RoleAdmin)
		if err != nil || one.IsAdmin || one.Roles.Admin {
			t.Errorf("in the older form: %+v, %v", one, err)
		}
		w.wantLog("@root revoked admin role from @ann", "@root made @ann admin",
			"@root revoked moderator role from @ann, @eve@one.example", "@root revoked admin role from @ann, @bob", "@root revoked admin role from @ann",
			"@root made @ann admin", "@root made @bob, @ann, @eve@one.example moderator", "@root made @ann admin")
		entries, err := w.Admin("root").Admin.Log.List(api.LogQuery{PageSize: 1}).Page(ctx)
		if err != nil || entries.Items[0].Data.Permission != "admin" || entries.Items[0].Data.Action != "revoke" || !strings.Contains(string(entries.Items[0].Data.Subject), `[{"id":`) {
			t.Errorf("log %+v, %v", entries.Items, err)
		}
	})
}

// TestRoleChangesAnswerAsOneOrMany: the answer is one user with their groups at
// top level, or the changed group and all users.
func TestRoleChangesAnswerAsOneOrMany(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := []string{"account_id", "actor_type", "approval_pending", "avatar", "confirmation_pending", "created_at", "deactivated", "display_name",
			"email", "id", "is_admin", "is_moderator", "local", "nickname", "registration_reason", "reports_about", "roles", "statuses_count", "tags", "url"}
		for _, c := range []struct {
			method, path, body string
			want               []string
		}{
			{"POST", "/users/ann/permission_group/moderator", "", user},
			{"DELETE", "/users/ann/permission_group/moderator", "", user},
			{"POST", "/users/permission_group/admin", `{"nicknames":["ann"]}`, user},
			{"DELETE", "/users/permission_group/admin?nicknames[]=ann", "", user},
			{"POST", "/users/permission_group/admin", `nicknames[]=ann&nicknames[]=bob`, []string{"is_admin", "users"}},
			{"DELETE", "/users/permission_group/moderator", `{"nicknames":["ann","bob"]}`, []string{"is_moderator", "users"}},
		} {
			status, text := w.admin(c.method, c.path, c.body)
			var got map[string]any
			w.decode(text, &got)
			if diff := cmp.Diff(c.want, slices.Sorted(maps.Keys(got))); diff != "" || status != http.StatusOK {
				t.Errorf("%s %s: %d (-want +got):\n%s", c.method, c.path, status, diff)
			}
			for key, value := range got {
				if strings.HasPrefix(key, "is_") && (value == true) != (c.method == "POST" && strings.Contains(c.path, strings.TrimPrefix(key, "is_"))) {
					t.Errorf("%s %s: %s is %v", c.method, c.path, key, value)
				}
			}
		}
	})
}

func TestRoleChangesThatAreRefusedChangeNobody(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.must(err1(w.Admin("root").Admin.Users.AddRole(t.Context(), api.RoleAdmin, "ann")))
		own := strings.TrimPrefix(w.Base(), "http://")
		for _, c := range []struct {
			method, path, body string
			status             int
			answer             string
		}{
			{"GET", "/users/nobody/permission_group", "", 404, notFound},
			{"GET", "/users/" + w.ann.ID + "/permission_group", "", 404, notFound},
			{"GET", "/users/ann/permission_group/owner", "", 404, noGroup},
			{"GET", "/users/nobody/permission_group/admin", "", 404, notFound},
			{"POST", "/users/ann/permission_group/Admin", "", 404, noGroup},
			{"POST", "/users/nobody/permission_group/admin", "", 404, notFound},
			{"DELETE", "/users/nobody/permission_group/admin", "", 404, notFound},
			{"POST", "/users/permission_group/owner", `{"nicknames":["ann"]}`, 404, noGroup},
			{"DELETE", "/users/permission_group/owner", `{"nicknames":["ann"]}`, 404, noGroup},
			{"POST", "/users/permission_group/admin", `{"nicknames":["bob","nobody"]}`, 404, notFound},
			{"DELETE", "/users/permission_group/admin", `{"nicknames":["ann","nobody"]}`, 404, notFound},
			{"POST", "/users/permission_group/admin", ``, 400, `{"error":"Invalid parameters"}`},
			{"POST", "/users/permission_group/admin", `{"nicknames":"bob"}`, 400, `{"error":"Invalid parameters"}`},
			{"DELETE", "/users/permission_group/admin", `{"nicknames":[5]}`, 400, `{"error":"Invalid parameters"}`},
			{"DELETE", "/users/permission_group/admin", `{"nicknames":["ann","ROOT"]}`, 403, ownGroups},
			{"DELETE", "/users/permission_group/admin", `{"nicknames":["root"]}`, 403, ownGroups},
			{"DELETE", "/users/permission_group/moderator", `{"nicknames":["ann","root@` + own + `"]}`, 403, ownGroups},
			{"DELETE", "/users/Root/permission_group/admin", "", 403, ownStatus},
		} {
			w.want(c.method, c.path, c.body, c.status, c.answer)
		}
		for nickname, want := range map[string]bool{"root": true, "ann": true, "bob": false} {
			if got, err := w.Admin("root").Admin.Users.Roles(t.Context(), nickname); err != nil || got.IsAdmin != want {
				t.Errorf("%s: %+v, %v", nickname, got, err)
			}
		}
		w.want("POST", "/users/permission_group/admin", `{"nicknames":[]}`, 200, `{"is_admin":true,"users":[]}`)
		w.wantLog("@root made @ann admin")
		if status, text := w.admin("DELETE", "/users/root/permission_group/moderator", ""); status != http.StatusOK {
			t.Errorf("no moderator any more: %d %s", status, text)
		}
	})
}

func err1[T any](_ T, err error) error { return err }

// TestARoleCountsFromTheNextRequestOn: it does so in every process.
func TestARoleCountsFromTheNextRequestOn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		token := w.issueAs(w.ann)
		asks := func() int {
			t.Helper()
			_, err := w.With(token).Admin.Users.List(api.UserQuery{}).Page(ctx)
			return client.Status(err)
		}
		root := w.Admin("root").Admin.Users
		for i := range 2 {
			if got := asks(); got != 403 {
				t.Errorf("before, round %d: %d", i, got)
			}
			w.must(err1(root.AddRole(ctx, api.RoleAdmin, "ann")))
			if got := asks(); got != 0 {
				t.Errorf("as an admin, round %d: %d", i, got)
			}
			w.must(err1(root.RemoveRole(ctx, api.RoleAdmin, "ann")))
		}
	})
}

// issueAs returns a token with the admin scopes for any account.
func (w *world) issueAs(a *db.Account) string { return w.Token(a.Nickname, servertest.AdminScopes) }

func TestTagsAreGivenAndTakenInLowerCaseOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		users := w.Admin("root").Admin.Users
		tagged := func(tags ...string) string {
			t.Helper()
			list, err := users.List(api.UserQuery{Tags: tags}).Page(ctx)
			w.must(err)
			var out []string
			for _, u := range list.Items {
				out = append(out, u.Nickname+"="+strings.Join(u.Tags, ","))
			}
			return strings.Join(out, " ")
		}
		w.must(users.Tag(ctx, []string{"Ann", "bob"}, []string{"Foo", "bar", "foo"}))
		w.must(users.Tag(ctx, []string{"ann", "eve@one.example", "ann"}, []string{"bar", "mrf_tag:Sandbox"}))
		for tag, want := range map[string]string{
			"foo": "ann=foo,bar,mrf_tag:sandbox bob=foo,bar",
			"BAR": "ann=foo,bar,mrf_tag:sandbox bob=foo,bar eve@one.example=bar,mrf_tag:sandbox",
			"baz": "",
		} {
			if got := tagged(tag); got != want {
				t.Errorf("tagged %s: %s, want %s", tag, got, want)
			}
		}
		w.must(users.Untag(ctx, []string{"ann", "eve@one.example", "bob"}, []string{"BAR", "absent"}))
		if got, want := tagged("foo", "bar", "mrf_tag:sandbox"), "ann=foo,mrf_tag:sandbox bob=foo eve@one.example=mrf_tag:sandbox"; got != want {
			t.Errorf("in the end %s, want %s", got, want)
		}
		shown, err := w.Client("bob").Accounts.Get(ctx, w.ann.ID)
		if err != nil || cmp.Diff([]string{"foo", "mrf_tag:sandbox"}, []string(shown.Svc.Tags)) != "" {
			t.Errorf("shown %v, %v", shown.Svc.Tags, err)
		}
		for _, c := range []struct {
			method, body string
			status       int
			answer       string
		}{
			{"PUT", `{"nicknames":["ann"],"tags":["x"]}`, 204, ""},
			{"DELETE", `nicknames[]=ann&tags[]=x`, 204, ""},
			{"PUT", `{"nicknames":["ann","nobody"],"tags":["y"]}`, 404, notFound},
			{"DELETE", `{"nicknames":["nobody","ann"],"tags":["foo"]}`, 404, notFound},
			{"PUT", `{"nicknames":["ann"]}`, 400, badly},
			{"PUT", `{"tags":["y"]}`, 400, badly},
			{"PUT", `{"nicknames":["ann"],"tags":"y"}`, 400, badly},
			{"PUT", `{"nicknames":["ann"],"tags":["y",5]}`, 400, badly},
			{"DELETE", `{"nicknames":"ann","tags":["foo"]}`, 400, badly},
		} {
			w.want(c.method, "/users/tag", c.body, c.status, c.answer)
		}
		if got := tagged("y"); got != "" {
			t.Errorf("what was refused is kept: %s", got)
		}
		w.wantLog("@root removed tags: x from users: @ann", "@root added tags: x to users: @ann",
			"@root removed tags: BAR, absent from users: @ann, @eve@one.example, @bob",
			"@root added tags: bar, mrf_tag:Sandbox to users: @ann, @eve@one.example, @ann",
			"@root added tags: Foo, bar, foo to users: @Ann, @bob")
		entries, err := w.Admin("root").Admin.Log.List(api.LogQuery{}).Page(ctx)
		last := entries.Items[len(entries.Items)-1].Data
		if err != nil || last.Action != "tag" || cmp.Diff([]string{"Foo", "bar", "foo"}, last.Tags) != "" || cmp.Diff([]string{"Ann", "bob"}, last.Nicknames) != "" {
			t.Errorf("log %+v, %v", last, err)
		}
	})
}

// TestTwoAdminsChangeRolesAndTagsAtOnce: in any order of accounts, no request
// fails, and no change is lost.
func TestTwoAdminsChangeRolesAndTagsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.AdminUser("boss")
		done := make(chan error)
		const rounds = 4
		for i, who := range []string{"root", "boss"} {
			users := w.Admin(who).Admin.Users
			names := []string{"ann", "bob"}
			if i == 1 {
				names = []string{"bob", "ann"}
			}
			go func() {
				var errs []error
				for n := range rounds {
					errs = append(errs, users.Tag(ctx, names, []string{who + string(rune('0'+n))}),
						err1(users.AddRole(ctx, api.RoleModerator, names...)), err1(users.RemoveRole(ctx, api.RoleModerator, names...)))
				}
				done <- errors.Join(errs...)
			}()
		}
		w.must(errors.Join(<-done, <-done))
		for _, name := range []string{"ann", "bob"} {
			u, err := w.Admin("root").Admin.Users.Get(ctx, name)
			if err != nil || len(u.Tags) != 2*rounds || u.Roles.Moderator {
				t.Errorf("%s: %+v, %v", name, u, err)
			}
		}
		if n := len(w.log()); n != 6*rounds {
			t.Errorf("%d entries in the log", n)
		}
	})
}
