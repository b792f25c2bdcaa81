package adminapi_test

import (
	"net"
	"strings"
	"testing"

	ber "github.com/go-asn1-ber/asn1-ber"

	"svc/client"
	"svc/server/servertest"
)

// directory is an LDAP server for people under dc=example,dc=org, by their DN.
type directory struct {
	people map[string]struct{ password, mail, name string }
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

// result is the end of what was asked for: an application's tag and a code.
func result(tag ber.Tag, code int64) *ber.Packet {
	p := ber.Encode(ber.ClassApplication, ber.TypeConstructed, tag, nil, "")
	p.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, code, ""))
	p.AppendChild(text(""))
	p.AppendChild(text(""))
	return p
}

// serve answers binds, and searches for whoever is bound.
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
			if who, ok := d.people[dn]; ok && who.password == password {
				bound = dn
				_, _ = c.Write(message(id, result(1, 0)))
			} else {
				_, _ = c.Write(message(id, result(1, 49)))
			}
		case 3: // search
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

// TestADirectoryIsAskedWhereTheSettingsSay: it decides alone while it can be
// reached, and brings accounts along.
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
		w.must(w.login("ann", servertest.Password)) // nobody asks it yet
		_, err := w.Admin("root").Admin.Config.Set(t.Context(), ":svc", "Svc.Web.Auth.Authenticator", "Svc.Web.Auth.LDAPAuthenticator")
		w.must(err)
		w.must(w.login("ann", "by ldap"))
		for i, c := range [][2]string{{"ann", servertest.Password}, {"bob", servertest.Password}, {"ann", ""}, {"ann,dc=example", "by ldap"}, {"no,name", "secret"}, {"eve@one.example", "x"}} {
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
		w.must(w.login("ann", servertest.Password)) // what we keep counts when it is away
		if !refused("ann", "by ldap") {
			t.Error("a password of a directory that is away")
		}
		w.set(":ldap", ":enabled", false)
		w.must(w.login("bob", servertest.Password))
	})
}
