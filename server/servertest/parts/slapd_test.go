package parts_test

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-ldap/ldap/v3"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/rules/auth"
	"svc/server/servertest"
	"svc/server/servertest/parts"
)

// people are in the directory. The password of ann here is another one.
var people = []parts.Person{
	{UID: "ann", Password: "ann's pass wörd", Mail: "ann@example.org", Name: "Ann"},
	{UID: "bob", Password: "bob's", Mail: "bob@example.org", Name: "Bob Übel"},
	{UID: "leaver", Password: "leaver's", Mail: "leaver@example.org", Name: "Lea Ver"},
}

// asQuoted returns an edit of the settings to the directory in docs/accounts.md.
func asQuoted(t *testing.T, s *parts.Slapd, more ...string) func(*config.Settings) {
	t.Helper()
	text := parts.Swap(t, parts.Quote(t, "accounts.md", "LDAPAuthenticator"), append([]string{"ldap.example.org", "localhost", "389", s.Port}, more...)...)
	directory := parts.Configured(t, text).Settings.Directory
	if !directory.On() {
		t.Fatalf("the directory is not used: %+v", directory)
	}
	return func(to *config.Settings) { to.Directory = directory }
}

// granted tries a password by the grant for programs.
func granted(t *testing.T, s *servertest.Server, name, password string) (*api.App, error) {
	t.Helper()
	app, err := s.Anonymous().Apps.Create(t.Context(), api.NewApp{ClientName: "x", RedirectURIs: auth.OutOfBand, Scopes: "read"})
	must(t, err)
	_, err = s.Anonymous().OAuth.Password(t.Context(), app, name, password, "read")
	if status := client.Status(err); err != nil && status != 400 && status != 403 {
		t.Fatalf("%s: %v", name, err)
	}
	return app, err
}

// signsIn tries a password by the grant for programs and by the form for browsers.
func signsIn(t *testing.T, s *servertest.Server, name, password string) (in bool, err error) {
	t.Helper()
	app, err := granted(t, s, name, password)
	resp, failed := http.PostForm(s.URL+"/oauth/authorize", url.Values{
		"authorization[name]": {name}, "authorization[password]": {password}, "authorization[scope][]": {"read"}, "authorization[response_type]": {"code"},
		"authorization[client_id]": {app.ClientID}, "authorization[redirect_uri]": {auth.OutOfBand},
	})
	must(t, failed)
	must(t, resp.Body.Close())
	if byForm := resp.StatusCode == http.StatusOK; byForm != (err == nil) {
		t.Errorf("%s: the grant says %v, the form %s", name, err, resp.Status)
	}
	return err == nil, err
}

// TestPeopleOfSlapdSignIn by the settings that docs/accounts.md quotes, encrypted both
// ways, with entries that everybody or only their owner may read.
func TestPeopleOfSlapdSignIn(t *testing.T) {
	slapd := parts.StartSlapd(t, authority, false, people...)
	hidden := parts.StartSlapd(t, authority, true, people...)
	for name, edit := range map[string]func(*config.Settings){
		"STARTTLS":       asQuoted(t, slapd),
		"TLS":            asQuoted(t, slapd, slapd.Port, slapd.SSLPort, "tls:", "ssl:"),
		"hidden entries": asQuoted(t, hidden),
	} {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				must(t, auth.ProbeDirectory(t.Context(), &s.Settings.Load().Directory))
				s.User("ann")
				for _, p := range people {
					if in, err := signsIn(t, s, p.UID, p.Password); !in {
						t.Errorf("%s: %v", p.UID, err)
					}
				}
				c := s.Client("bob")
				me, err := c.Accounts.Verify(t.Context())
				must(t, err)
				if me.DisplayName != "Bob Übel" || me.Acct != "bob" {
					t.Errorf("bob is %s, %q", me.Acct, me.DisplayName)
				}
				if u, err := s.DB.UserByEmail(t.Context(), "bob@example.org"); err != nil || u.PasswordHash != "" {
					t.Errorf("bob's mail: %+v, %v", u, err)
				}
				refused := [][2]string{
					{"ann", servertest.Password}, {"ann", "ann's pass word"}, {"ann", ""}, {"nobody", "bob's"}, {"bob\x00", "bob's"},
					{parts.Manager, parts.ManagerPassword}, {"ann,ou=people", "x"}, {"uid=bob", "bob's"},
				}
				for _, hostile := range []string{"*", "b*", "*)(uid=*", "bob)(|(uid=*", "bob,ou=people", "bob+sn=Bob", `bob\2c`, "bob#", `"bob"`, "<bob>", "*)(userPassword=*))(|(uid=*"} {
					refused = append(refused, [2]string{hostile, "bob's"})
				}
				for _, r := range refused {
					if in, _ := signsIn(t, s, r[0], r[1]); in {
						t.Errorf("%q is let in with %q", r[0], r[1])
					}
				}
				// The directory compares names without case, and so does the service.
				if in, err := signsIn(t, s, "BOB", "bob's"); !in {
					t.Errorf("BOB: %v", err)
				}
			}, edit)
		})
	}
}

// TestACommandAsksSlapdLikeTheService: the one that docs/accounts.md quotes.
func TestACommandAsksSlapdLikeTheService(t *testing.T) {
	parts.Program(t, "ldapwhoami")
	slapd := parts.StartSlapd(t, authority, false, people...)
	path := filepath.Join(t.TempDir(), "password")
	must(t, os.WriteFile(path, []byte(people[0].Password), 0o600))
	line := parts.Swap(t, parts.Quote(t, "accounts.md", "ldapwhoami"), "ldap.example.org", "127.0.0.1:"+slapd.Port, " -W", " -y "+path)
	cmd := exec.Command("sh", "-ec", line)
	cmd.Env = append(os.Environ(), "LDAPTLS_CACERT="+authority.Path)
	if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "dn:uid=ann,"+parts.Base {
		t.Errorf("%s: %v %s", line, err, out)
	}
}

// TestAFirstNameIsSpelledAsInSlapd: whoever writes it in capitals is given no other name.
func TestAFirstNameIsSpelledAsInSlapd(t *testing.T) {
	slapd := parts.StartSlapd(t, authority, false, people...)
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		if in, err := signsIn(t, s, "BoB", "bob's"); !in {
			t.Fatal(err)
		}
		a, err := s.DB.AccountByNickname(t.Context(), "bob")
		must(t, err)
		if a.Nickname != "bob" {
			t.Errorf("bob is called %q", a.Nickname)
		}
	}, asQuoted(t, slapd))
}

// TestSlapdEndsHangsAndForgets: local passwords count while it does not answer, and nobody
// who is removed from it signs in.
func TestSlapdEndsHangsAndForgets(t *testing.T) {
	t.Parallel() // it waits
	slapd := parts.StartSlapd(t, authority, false, people...)
	s := servertest.Start(t, asQuoted(t, slapd))
	s.User("ann")
	byDirectory := func(when string, want bool) {
		t.Helper()
		if _, err := granted(t, s, "ann", people[0].Password); (err == nil) != want {
			t.Errorf("%s: the directory's password: %v", when, err)
		}
		if _, err := granted(t, s, "ann", servertest.Password); (err == nil) == want {
			t.Errorf("%s: the local password: %v", when, err)
		}
	}
	byDirectory("at first", true)
	if in, err := signsIn(t, s, "leaver", "leaver's"); !in {
		t.Fatal(err)
	}

	conn, err := ldap.DialURL("ldaps://localhost:" + slapd.SSLPort)
	must(t, err)
	must(t, conn.Bind(parts.Manager, parts.ManagerPassword))
	must(t, conn.Del(ldap.NewDelRequest("uid=leaver,"+parts.Base, nil)))
	must(t, conn.Close())
	if in, _ := signsIn(t, s, "leaver", "leaver's"); in {
		t.Error("a removed person signs in")
	}

	slapd.Hang()
	byDirectory("while it hangs", false)
	slapd.Wake()
	byDirectory("after it hung", true)
	slapd.End()
	byDirectory("after its end", false)
	slapd.Again()
	byDirectory("after its return", true)
	if in, _ := signsIn(t, s, "leaver", "leaver's"); in {
		t.Error("a removed person signs in after its return")
	}
	if s.Auth.DirectoryFailures() < 4 || len(s.Log.Lines("level=WARN", "signing in by the directory fails", "the directory cannot be reached")) == 0 {
		t.Errorf("%d failures; the log says %q", s.Auth.DirectoryFailures(), s.Log.Lines("directory"))
	}
}

// TestSlapdThatRefusesPlainBindsIsMisset: also one with a certificate for another name.
func TestSlapdThatRefusesPlainBindsIsMisset(t *testing.T) {
	slapd := parts.StartSlapd(t, authority, false, people...)
	for name, c := range map[string]struct {
		edit   func(*config.Settings)
		reason string
	}{
		"plain":        {asQuoted(t, slapd, "tls: true", "tls: false"), "Confidentiality Required"},
		"another name": {asQuoted(t, slapd, "localhost", "127.0.0.2"), "certificate"},
		"base":         {asQuoted(t, slapd, "ou=people", "ou=persons"), "ou=persons"},
		"attribute":    {asQuoted(t, slapd, "uid: uid", "uid: employeeNumber"), "employeeNumber"},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.Start(t, c.edit)
			err := auth.ProbeDirectory(t.Context(), &s.Settings.Load().Directory)
			if err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("svcd check would say %v", err)
			}
			if in, _ := signsIn(t, s, "bob", "bob's"); in {
				t.Error("bob is let in")
			}
			if len(s.Log.Lines("level=WARN", c.reason)) == 0 {
				t.Errorf("the log says %q", s.Log.Lines("directory"))
			}
		})
	}
}
