package adminapi_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	ber "github.com/go-asn1-ber/asn1-ber"

	"svc/client"
	"svc/server/servertest"
)

// directory is an LDAP server for people under dc=example,dc=org, by their DN. It
// answers every bind with bind, and every search with search, unless they are 0.
type directory struct {
	people       map[string]struct{ password, mail, name string }
	bind, search int64
}

func (d *directory) start(t *testing.T) (port int, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go d.serve(c)
		}
	}()
	return l.Addr().(*net.TCPAddr).Port, func() { _ = l.Close() }
}

func message(id any, op *ber.Packet) []byte {
	m := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
	m.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, id, ""))
	m.AppendChild(op)
	return m.Bytes()
}

func text(s string) *ber.Packet {
	return ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, s, "")
}

// result is the end of an answer: an application's tag and a code.
func result(tag ber.Tag, code int64) *ber.Packet {
	p := ber.Encode(ber.ClassApplication, ber.TypeConstructed, tag, nil, "")
	p.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, code, ""))
	p.AppendChild(text(""))
	p.AppendChild(text(""))
	return p
}

// serve answers binds, and searches of bound callers.
func (d *directory) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	bound := ""
	for {
		p, err := ber.ReadPacket(c)
		if err != nil || len(p.Children) < 2 {
			return
		}
		id, op := p.Children[0].Value, p.Children[1]
		switch op.Tag {
		case 0: // bind
			dn, password := op.Children[1].Data.String(), op.Children[2].Data.String()
			bound = ""
			if d.bind != 0 {
				_, _ = c.Write(message(id, result(1, d.bind)))
			} else if who, ok := d.people[dn]; ok && who.password == password {
				bound = dn
				_, _ = c.Write(message(id, result(1, 0)))
			} else {
				_, _ = c.Write(message(id, result(1, 49)))
			}
		case 3: // search
			if d.search != 0 {
				_, _ = c.Write(message(id, result(5, d.search)))
				continue
			}
			if who, ok := d.people[bound]; ok {
				entry := ber.Encode(ber.ClassApplication, ber.TypeConstructed, 4, nil, "")
				entry.AppendChild(text(bound))
				all := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
				for _, pair := range [][2]string{{"mail", who.mail}, {"displayName", who.name}} {
					one := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
					one.AppendChild(text(pair[0]))
					values := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSet, nil, "")
					values.AppendChild(text(pair[1]))
					one.AppendChild(values)
					all.AppendChild(one)
				}
				entry.AppendChild(all)
				_, _ = c.Write(message(id, entry))
			}
			_, _ = c.Write(message(id, result(5, 0)))
		default:
			return
		}
	}
}

// TestADirectoryIsAskedWhereTheSettingsSay: while it can be reached, it alone
// decides about passwords, and unknown people get accounts.
func TestADirectoryIsAskedWhereTheSettingsSay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		d := &directory{people: map[string]struct{ password, mail, name string }{
			"uid=ann,dc=example,dc=org":      {"by ldap", "other@example.net", "Other"},
			"uid=new,dc=example,dc=org":      {"secret", "new@example.net", "Somebody New"},
			`uid=no\,name,dc=example,dc=org`: {"secret", "x@example.net", "x"},
		}}
		port, stop := d.start(t)
		refused := func(name, password string) bool {
			err := w.login(name, password)
			if err != nil && (client.Status(err) != 400 || !strings.Contains(err.Error(), "The name or the password is wrong")) {
				t.Errorf("%s: %v", name, err)
			}
			return err != nil
		}
		w.set(":ldap", ":enabled", true, ":host", "127.0.0.1", ":port", port, ":base", "dc=example,dc=org", ":uid", "uid")
		w.must(w.login("ann", servertest.Password)) // the directory is not used yet
		_, err := w.Admin("root").Admin.Config.Set(t.Context(), ":svc", "Svc.Web.Auth.Authenticator", "Svc.Web.Auth.LDAPAuthenticator")
		w.must(err)
		w.must(w.login("ann", "by ldap"))
		for i, c := range [][2]string{{"ann", servertest.Password}, {"bob", servertest.Password}, {"ann", ""}, {"ann,dc=example", "by ldap"}, {"no,name", "guess"}, {"eve@one.example", "x"}} {
			if !refused(c[0], c[1]) {
				t.Errorf("%d: %s is let in", i, c[0])
			}
		}
		w.must(w.login("new", "secret"))
		a := w.row("new")
		if u := w.user("new"); a == nil || a.DisplayName != "Somebody New" || u.Email != "new@example.net" || u.PasswordHash != "" {
			t.Errorf("new is %+v", a)
		}
		w.must(w.login("new", "secret"))
		_, err = w.Admin("root").Admin.Users.Deactivate(t.Context(), "new")
		w.must(err)
		if err := w.login("new", "secret"); err == nil || !strings.Contains(err.Error(), "currently disabled") {
			t.Errorf("deactivated: %v", err)
		}
		stop()
		w.must(w.login("ann", servertest.Password)) // local passwords count while it is away
		if !refused("ann", "by ldap") {
			t.Error("a password of a directory that is away")
		}
		w.set(":ldap", ":enabled", false)
		w.must(w.login("bob", servertest.Password))
	})
}

// byDirectory sets the directory at this port for sign-ins.
func (w *world) byDirectory(port int, more ...any) {
	w.t.Helper()
	w.set(":ldap", append([]any{":enabled", true, ":host", "127.0.0.1", ":port", port, ":base", "dc=example,dc=org", ":uid", "uid"}, more...)...)
	_, err := w.Admin("root").Admin.Config.Set(w.t.Context(), ":svc", "Svc.Web.Auth.Authenticator", "Svc.Web.Auth.LDAPAuthenticator")
	w.must(err)
}

// TestADirectoryThatFailsSaysSo: the log has the reason once a minute, and
// local passwords still work.
func TestADirectoryThatFailsSaysSo(t *testing.T) {
	const people = 0
	fake := func(bind, search int64) func(t *testing.T) int {
		return func(t *testing.T) int {
			port, _ := (&directory{bind: bind, search: search}).start(t)
			return port
		}
	}
	encrypted := func(t *testing.T) int {
		srv := httptest.NewTLSServer(http.NotFoundHandler()) // its certificate is of an unknown authority
		t.Cleanup(srv.Close)
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		return srv.Listener.Addr().(*net.TCPAddr).Port
	}
	nobody := func(t *testing.T) int {
		port, stop := (&directory{}).start(t)
		stop()
		return port
	}
	silent := func(t *testing.T) int {
		l, err := net.Listen("tcp", "127.0.0.1:0") // the system takes connections by itself
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l.Addr().(*net.TCPAddr).Port
	}
	for name, c := range map[string]struct {
		port   func(t *testing.T) int
		more   []any
		reason string
	}{
		"nobody there":                        {nobody, nil, "the directory cannot be reached"},
		"a silent one":                        {silent, nil, "the directory cannot be reached"},
		"an unknown authority":                {encrypted, []any{":ssl", true}, "certificate"},
		"no STARTTLS":                         {fake(people, 0), []any{":tls", true}, "the directory cannot be reached: encrypt"},
		"busy":                                {fake(51, 0), nil, "the directory cannot be reached"},
		"a wrong base":                        {fake(people, 32), nil, "which is the base"},
		"a wrong attribute":                   {fake(34, 0), nil, "the directory cannot be used"},
		"an attribute that nobody has":        {fake(people, 0), nil, "shows an attribute"},
		"a connection that must be encrypted": {fake(13, 0), nil, "the directory cannot be used"},
	} {
		t.Run(name, func(t *testing.T) {
			s := servertest.Start(t)
			w := &world{Server: s, t: t}
			s.AdminUser("root")
			s.User("ann")
			w.byDirectory(c.port(t), c.more...)
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if err := w.login("ann", "by ldap"); client.Status(err) != 400 {
						t.Errorf("with the directory's password: %v", err)
					}
				})
			}
			all.Wait()
			if lines := s.Log.Lines("level=WARN", "signing in by the directory fails", c.reason); len(lines) != 1 || len(s.Log.Lines("the directory fails")) != 1 {
				t.Errorf("the log says %q", s.Log.Lines("directory"))
			}
			if s.Auth.DirectoryFailures() == 0 {
				t.Error("no failure is counted")
			}
		})
	}
}

// TestARightPasswordWithoutAnAccountSaysSo: repeating it does not count as a
// guess. A mail address or name that does not fit is adapted.
func TestARightPasswordWithoutAnAccountSaysSo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		long := strings.Repeat("é", 150)
		d := &directory{people: map[string]struct{ password, mail, name string }{
			"uid=ann.smith,dc=example,dc=org": {"secret", "smith@example.net", "Ann Smith"},
			"uid=main,dc=example,dc=org":      {"secret", "main@example.net", "Main"},
			"uid=gone,dc=example,dc=org":      {"secret", "gone@example.net", "Gone"},
			"uid=twin,dc=example,dc=org":      {"secret", "ANN@example.org", "Twin"},
			"uid=umlaut,dc=example,dc=org":    {"secret", "\u00fc@example.org", long},
			"uid=junk,dc=example,dc=org":      {"secret", "nothing", "a\nb"},
		}}
		port, _ := d.start(t)
		gone := w.User("gone")
		_, err := w.Social.DeleteAccount(t.Context(), gone, gone)
		w.must(err)
		w.byDirectory(port)
		for name, why := range map[string]string{
			"ann.smith": "the nickname has invalid format", "main": "Invalid nickname", "gone": "the nickname has already been taken",
		} {
			for range 40 {
				err := w.login(name, "secret")
				if client.Status(err) != 403 || !strings.Contains(err.Error(), "The password is right, but you can be given no account here: "+why) {
					t.Fatalf("%s: %v", name, err)
				}
			}
		}
		if lines := w.Log.Lines("somebody in the directory can be given no account", "nickname=ann.smith"); len(lines) == 0 {
			t.Error("the log says nothing")
		}
		for name, want := range map[string][2]string{"twin": {"", "Twin"}, "umlaut": {"", strings.Repeat("é", 100)}, "junk": {"", "a b"}} {
			if err := w.login(name, "secret"); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got := [2]string{w.user(name).Email, w.row(name).DisplayName}; got != want {
				t.Errorf("%s became %q, want %q", name, got, want)
			}
		}
	})
}

func TestADirectoryIsNotEncryptedTwice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		config := w.Admin("root").Admin.Config
		refused := func(pairs ...any) bool {
			_, err := config.Set(t.Context(), ":svc", ":ldap", client.Keyword(pairs...))
			if err != nil && !strings.Contains(err.Error(), ":ldap :tls takes true only where :ssl is false") {
				t.Errorf("%v: %v", pairs, err)
			}
			return err != nil
		}
		if !refused(":ssl", true, ":tls", true) || refused(":ssl", true) || !refused(":tls", true) || refused(":ssl", false, ":tls", true) || !refused(":ssl", true) {
			t.Error("both are taken, or one is not")
		}
	})
}
