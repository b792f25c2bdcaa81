package server_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc/server/platform/config"
	"svc/server/servertest"
)

// twoAdmins are root in one process and boss in another, on one database.
type twoAdmins struct {
	*tables
	root, boss func(method, path, body string) *answer
	round      int
}

// atOnce sends two requests at the same moment, one by each admin, and returns
// their answers. No answer may be a fault of the service.
func (w *twoAdmins) atOnce(root, boss [3]string) (*answer, *answer) {
	w.t.Helper()
	var (
		out   [2]*answer
		done  sync.WaitGroup
		start = make(chan struct{})
	)
	for i, ask := range []func(method, path, body string) *answer{w.root, w.boss} {
		c := [][3]string{root, boss}[i]
		done.Go(func() {
			<-start
			out[i] = ask(c[0], c[1], c[2])
		})
	}
	close(start)
	done.Wait()
	for _, a := range out {
		if a.status >= 500 {
			w.t.Errorf("%s: %d %.300s", a.what, a.status, a.text)
		}
	}
	return out[0], out[1]
}

// both is atOnce for requests that must both succeed.
func (w *twoAdmins) both(status int, root, boss [3]string) {
	w.t.Helper()
	a, b := w.atOnce(root, boss)
	a.code(status)
	b.code(status)
}

// entries returns the log's messages about an object, newest first.
func (w *twoAdmins) entries(about string) []string {
	w.t.Helper()
	return w.root("GET", "/moderation_log?page_size=500&search="+url.QueryEscape(about), "").ok().each("", "message")
}

// name returns a nickname of this round.
func (w *twoAdmins) name(of string) string { return fmt.Sprintf("%s%dr%d", of, w.n, w.round) }

// TestTwoAdminsAtOnceLoseNothing: two admins, in two processes, change the same
// object at the same moment, many times. No change is lost or half done, and
// the newest entry of the log agrees with the state.
func TestTwoAdminsAtOnceLoseNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		second := s.Second(t)
		s.AdminUser("root")
		s.AdminUser("boss")
		root, boss := s.Token("root", servertest.AdminScopes), s.Token("boss", servertest.AdminScopes)
		for i, c := range adminRaces {
			t.Run(c.name, func(t *testing.T) {
				one, two := &tables{Server: s, t: t, n: 1000 + i}, &tables{Server: second, t: t, n: 1000 + i}
				for round := range max(c.rounds, 2) {
					c.run(&twoAdmins{tables: one, round: round,
						root: func(method, path, body string) *answer { return one.as(root, method, path, body) },
						boss: func(method, path, body string) *answer { return two.as(boss, method, path, body) },
					})
				}
			})
		}
	}, func(c *config.Settings) { c.Instance.RegistrationsOpen, c.Instance.InvitesEnabled = false, true })
}

var adminRaces = []struct {
	name   string
	rounds int // 2 by default
	run    func(*twoAdmins)
}{
	{"a report is closed and resolved", 6, func(w *twoAdmins) {
		var ids []string
		for range 3 {
			ids = append(ids, w.report("ann", "bob"))
		}
		items := func(state string, ids []string) [3]string {
			var out []string
			for _, id := range ids {
				out = append(out, fmt.Sprintf(`{"id":%q,"state":%q}`, id, state))
			}
			return [3]string{"PATCH", "/reports", `{"reports":[` + strings.Join(out, ",") + `]}`}
		}
		backwards := slices.Clone(ids)
		slices.Reverse(backwards)
		w.both(204, items("closed", ids), items("resolved", backwards))
		for _, id := range ids {
			log := w.entries("report #" + id)
			state, _ := w.root("GET", "/reports/"+id, "").ok().at("state").(string)
			if len(log) != 2 || !strings.HasSuffix(log[0], "with '"+state+"' state") || strings.HasSuffix(log[1], "with '"+state+"' state") {
				w.t.Errorf("%s, says the report, and the log %q", state, log)
			}
		}
	}},
	{"a note is deleted twice", 4, func(w *twoAdmins) {
		id := w.report("ann", "bob")
		w.root("POST", "/reports/"+id+"/notes", "content=x").code(204)
		call := [3]string{"DELETE", "/reports/" + id + "/notes/" + w.root("GET", "/reports/"+id, "").each("notes", "id")[0], ""}
		a, b := w.atOnce(call, call)
		if a.status+b.status != 204+404 || len(w.entries("report #"+id)) != 2 {
			w.t.Errorf("%d, %d, %q", a.status, b.status, w.entries("report #"+id))
		}
	}},
	{"users are deactivated and activated", 6, func(w *twoAdmins) {
		one, two := w.name("one"), w.name("two")
		w.User(one)
		w.User(two)
		w.both(200, [3]string{"PATCH", "/users/deactivate", "nicknames[]=" + one + "&nicknames[]=" + two},
			[3]string{"PATCH", "/users/activate", "nicknames[]=" + two + "&nicknames[]=" + one})
		log := w.entries("@" + one)
		if a, b := w.row(one).Deactivated, w.row(two).Deactivated; a != b || len(log) == 0 || strings.Contains(log[0], " deactivated ") != a {
			w.t.Errorf("deactivated are %v, %v, says the log %q", a, b, log)
		}
		counted := func() any { return w.root("GET", "/users?filters=deactivated&query="+one, "").at("count") }
		if want := map[bool]float64{true: 1}[w.row(one).Deactivated]; counted() != want {
			w.t.Errorf("counted %v, want %v", counted(), want)
		}
	}},
	{"a user is toggled twice", 6, func(w *twoAdmins) {
		name := w.name("one")
		w.User(name)
		call := [3]string{"PATCH", "/users/" + name + "/toggle_activation", ""}
		a, b := w.atOnce(call, call)
		if a.ok().at("deactivated") == b.ok().at("deactivated") && w.row(name).Deactivated {
			w.t.Errorf("two steps ended where one does: %s %s", a.text, b.text)
		}
		log := w.entries("@" + name)
		if w.row(name).Deactivated || len(log) != 2 || !strings.Contains(log[0], " activated ") {
			w.t.Errorf("deactivated is %v, log %q", w.row(name).Deactivated, log)
		}
	}},
	{"a user is tagged with two tags", 6, func(w *twoAdmins) {
		one, two := w.name("one"), w.name("two")
		w.User(one)
		w.User(two)
		w.both(204, [3]string{"PUT", "/users/tag", "nicknames[]=" + one + "&nicknames[]=" + two + "&tags[]=a&tags[]=b"},
			[3]string{"PUT", "/users/tag", "nicknames[]=" + two + "&nicknames[]=" + one + "&tags[]=b&tags[]=c"})
		for _, name := range []string{one, two} {
			tags := slices.Sorted(slices.Values(w.row(name).Tags))
			if !slices.Equal(tags, []string{"a", "b", "c"}) {
				w.t.Errorf("%s has %v", name, tags)
			}
		}
		w.both(204, [3]string{"PUT", "/users/tag", "nicknames[]=" + one + "&tags[]=d"}, [3]string{"DELETE", "/users/tag", "nicknames[]=" + one + "&tags[]=d"})
		if has, log := slices.Contains(w.row(one).Tags, "d"), w.entries("@"+one); has != strings.Contains(log[0], "added") {
			w.t.Errorf("has it: %v, log %q", has, log[:2])
		}
	}},
	{"a user gets two roles", 4, func(w *twoAdmins) {
		name := w.name("one")
		w.User(name)
		path := "/users/" + name + "/permission_group/"
		w.both(200, [3]string{"POST", path + "moderator", ""}, [3]string{"POST", path + "admin", ""})
		if a := w.row(name); !a.IsAdmin || !a.IsModerator {
			w.t.Errorf("admin %v, moderator %v", a.IsAdmin, a.IsModerator)
		}
		w.both(200, [3]string{"POST", path + "moderator", ""}, [3]string{"DELETE", path + "moderator", ""})
		if is, log := w.row(name).IsModerator, w.entries("@"+name); is != strings.Contains(log[0], " made ") || len(log) != 4 {
			w.t.Errorf("moderator: %v, log %q", is, log)
		}
		w.root("DELETE", path+"admin", "").ok()
	}},
	{"credentials are changed", 4, func(w *twoAdmins) {
		one, two := w.name("one"), w.name("two")
		w.User(one)
		w.User(two)
		w.both(200, [3]string{"PATCH", "/users/" + one + "/credentials", `{"name":"Somebody Else","locked":true}`},
			[3]string{"PATCH", "/users/" + one + "/credentials", `{"bio":"new","discoverable":true,"email":"` + one + `@example.net"}`})
		w.root("GET", "/users/"+one+"/credentials", "").ok().has("name", "Somebody Else", "locked", true, "discoverable", true, "email", one+"@example.net")
		a, b := w.atOnce([3]string{"PATCH", "/users/" + one + "/credentials", "email=" + one + "@same.example"},
			[3]string{"PATCH", "/users/" + two + "/credentials", "email=" + one + "@SAME.example"})
		if a.status+b.status != 200+400 {
			w.t.Errorf("one address twice: %d %s, %d %s", a.status, a.text, b.status, b.text)
		}
		w.both(200, [3]string{"PATCH", "/users/" + two + "/credentials", "name=Another"}, [3]string{"PATCH", "/users/deactivate", "nicknames[]=" + two})
		if a := w.row(two); !a.Deactivated || a.DisplayName != "Another" {
			w.t.Errorf("deactivated %v, %s", a.Deactivated, a.DisplayName)
		}
	}},
	{"a user is made twice", 0, func(w *twoAdmins) {
		name := w.name("new")
		call := func(password string) [3]string {
			return [3]string{"POST", "/users", fmt.Sprintf(`{"users":[{"nickname":%q,"email":"%s@example.org","password":%q}]}`, name, name, password)}
		}
		a, b := w.atOnce(call("one long password"), call("another long password"))
		if log := w.entries("@" + name); a.status+b.status != 200+409 || len(log) != 1 {
			w.t.Errorf("%d %s, %d %s, log %q", a.status, a.text, b.status, b.text, log)
		}
	}},
	{"a user is deleted and tagged", 4, func(w *twoAdmins) {
		name := w.name("one")
		w.User(name)
		w.atOnce([3]string{"DELETE", "/users?nickname=" + name, ""}, [3]string{"PUT", "/users/tag", "nicknames[]=" + name + "&tags[]=late"})
		eventually(w.t, "an empty account", func() bool { a := w.row(name); return a == nil || a.Deactivated })
	}},
	{"a status is deleted twice", 4, func(w *twoAdmins) {
		id := w.post("ann", "status=x")
		call := [3]string{"DELETE", "/statuses/" + id, ""}
		a, b := w.atOnce(call, call)
		if log := w.entries("status #" + id); a.status+b.status != 200+404 || len(log) != 1 {
			w.t.Errorf("%d %s, %d %s, log %q", a.status, a.text, b.status, b.text, log)
		}
	}},
	{"an invite is revoked and used", 4, func(w *twoAdmins) {
		name := w.name("guest")
		token, _ := w.root("POST", "/users/invite_token", "").ok().at("token").(string)
		app := w.AppToken()
		boss := w.boss
		w.boss = func(method, path, body string) *answer { return w.as(app, method, path, body) }
		a, b := w.atOnce([3]string{"POST", "/users/revoke_invite", "token=" + token},
			[3]string{"POST", "/api/v1/accounts", fmt.Sprintf("username=%s&email=%s@example.org&password=a+long+one&agreement=true&token=%s", name, name, token)})
		w.boss = boss
		a.ok().has("used", true)
		if made := w.row(name) != nil; made != (b.status == 200) || b.status != 200 && b.text != `{"error":"Expired token"}` {
			w.t.Errorf("made: %v, %d %s", made, b.status, b.text)
		}
	}},
	{"a setting is changed", 0, func(w *twoAdmins) {
		change := func(subkey string, value int) [3]string {
			return [3]string{"POST", "/config", fmt.Sprintf(`{"configs":[{"group":":svc","key":":instance","value":[{"tuple":[%q,%d]}]}]}`, subkey, value)}
		}
		limit, chat := 1000+w.round, 500+w.round
		w.both(200, change(":limit", limit), change(":chat_limit", chat))
		for _, ask := range []func(method, path, body string) *answer{w.root, w.boss} {
			eventually(w.t, "both changes in both processes", func() bool {
				a := ask("GET", "/api/v1/instance", "")
				return a.at("max_toot_chars") == float64(limit) && a.at("chat_limit") == float64(chat)
			})
		}
		w.both(200, change(":limit", 2000+w.round), change(":limit", 3000+w.round))
		one := w.root("GET", "/config?only_db=true", "").ok().text
		if other := w.boss("GET", "/config?only_db=true", "").ok().text; other != one {
			w.t.Errorf("one process has %s, the other %s", one, other)
		}
	}},
}
