package parts

import (
	"crypto/sha1" //nolint:gosec // the hash that directories keep
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Base is the base of the people in the directory, and Manager may change them.
const (
	Base            = "ou=people,dc=example,dc=org"
	Manager         = "cn=admin,dc=example,dc=org"
	ManagerPassword = "manager's"
)

// Person is an entry of the directory.
type Person struct{ UID, Password, Mail, Name string }

// Slapd is a running slapd, which listens on Port for STARTTLS and on SSLPort for TLS. It
// is also at 127.0.0.2, which its certificate does not name.
type Slapd struct {
	*Process
	Port, SSLPort string

	start func() *Process
}

// StartSlapd runs slapd with these people. It refuses binds without encryption, and its
// entries are readable as Debian's package sets it up, or by their owners alone if hidden.
func StartSlapd(t testing.TB, a *Authority, hidden bool, people ...Person) *Slapd {
	t.Helper()
	program, add := Program(t, "slapd"), Program(t, "slapadd")
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := a.Issue(dir, "localhost", "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "db"), 0o700); err != nil {
		t.Fatal(err)
	}
	others := "read"
	if hidden {
		others = "none"
	}
	conf := write("slapd.conf", strings.ReplaceAll(`include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile DIR/pid
TLSCACertificateFile `+a.Path+`
TLSCertificateFile DIR/cert.pem
TLSCertificateKeyFile DIR/key.pem
security simple_bind=128
database mdb
directory DIR/db
suffix "dc=example,dc=org"
rootdn "`+Manager+`"
rootpw "`+ManagerPassword+`"
access to attrs=userPassword by self write by anonymous auth by * none
access to * by self read by * `+others+"\n", "DIR", dir))
	var ldif strings.Builder
	ldif.WriteString("dn: dc=example,dc=org\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example\n\n" +
		"dn: " + Base + "\nobjectClass: organizationalUnit\nou: people\n")
	for _, p := range people {
		text := func(s string) string { return ": " + base64.StdEncoding.EncodeToString([]byte(s)) }
		fmt.Fprintf(&ldif, "\ndn:%s\nobjectClass: inetOrgPerson\nuid:%s\ncn:%s\nsn:%s\ndisplayName:%s\nmail:%s\nuserPassword:%s\n",
			text("uid="+p.UID+","+Base), text(p.UID), text(p.Name), text(p.Name), text(p.Name), text(p.Mail), text(ssha(p.Password)))
	}
	if out, err := exec.Command(add, "-f", conf, "-l", write("people.ldif", ldif.String())).CombinedOutput(); err != nil {
		t.Fatalf("slapadd: %v\n%s", err, out)
	}
	s := &Slapd{Port: Port(t), SSLPort: Port(t)}
	s.start = func() *Process {
		return run(t, exec.Command(program, "-d", "0", "-f", conf, "-h", "ldap://127.0.0.1:"+s.Port+" ldap://127.0.0.2:"+s.Port+" ldaps://127.0.0.1:"+s.SSLPort), s.Port)
	}
	s.Process = s.start()
	return s
}

// Again starts it again after its end.
func (s *Slapd) Again() { s.Process = s.start() }

// ssha hashes a password with salt, as slappasswd does.
func ssha(password string) string {
	salt := []byte("salted")
	sum := sha1.Sum(append([]byte(password), salt...)) //nolint:gosec // the hash that directories keep
	return "{SSHA}" + base64.StdEncoding.EncodeToString(append(sum[:], salt...))
}
