package parts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"svc/server/platform/mail/mailtest"
)

// reader owns the mailbox: Postfix delivers as no user of the system.
const reader = 27361

// Postfix is a running Postfix, which keeps all mail for example.net in one mailbox.
type Postfix struct {
	*Process
	Port string
	Dir  string // has cert.pem and key.pem

	t     testing.TB
	start func() *Process
}

// Relay says what a Postfix does.
type Relay struct {
	Issuer   *Authority
	Name     string // in its certificate
	Username string // mail is taken after a login only
	Password string
	Ways     string // to log in, such as PLAIN
	ASCII    bool   // takes no other addresses
}

// StartPostfix runs Postfix beside one that the machine may have. It needs root, as Postfix
// does; the test is skipped without.
func StartPostfix(t testing.TB, o Relay) *Postfix {
	t.Helper()
	program := Program(t, "postfix")
	if os.Getuid() != 0 {
		t.Skip("Postfix runs for root only")
	}
	dir, err := os.MkdirTemp("", "postfix-") // short, since there are sockets in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &Postfix{t: t, Port: Port(t), Dir: dir}
	path := func(names ...string) string { return filepath.Join(append([]string{p.Dir}, names...)...) }
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.Chmod(p.Dir, 0o755)) // its programs become other users
	for _, dir := range []string{"etc", "etc/sasl", "spool", "data", "mail"} {
		check(os.Mkdir(path(dir), 0o755))
	}
	check(exec.Command("chown", "postfix", path("data")).Run())
	check(os.Chown(path("mail"), reader, reader))
	check(o.Issuer.Issue(p.Dir, o.Name))
	p.write("access", "")
	takes, sasl, utf8 := "permit_mynetworks", "no", "yes"
	if o.Username != "" {
		takes, sasl = "permit_sasl_authenticated", "yes"
		cmd := exec.Command(Program(t, "saslpasswd2"), "-p", "-c", "-f", path("sasldb"), "-u", "localhost", o.Username)
		cmd.Stdin = strings.NewReader(o.Password)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("saslpasswd2: %v\n%s", err, out)
		}
		check(exec.Command("chown", "postfix", path("sasldb")).Run())
		p.write("etc/sasl/smtpd.conf", "pwcheck_method: auxprop\nauxprop_plugin: sasldb\nsasldb_path: "+path("sasldb")+"\nmech_list: "+o.Ways+"\n")
	}
	if o.ASCII {
		utf8 = "no"
	}
	p.write("etc/main.cf", strings.ReplaceAll(fmt.Sprintf(`compatibility_level = 3.6
queue_directory = DIR/spool
data_directory = DIR/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = /dev/stdout
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = localhost
mydestination =
alias_maps =
smtputf8_enable = %s
smtpd_tls_security_level = may
smtpd_tls_cert_file = DIR/cert.pem
smtpd_tls_key_file = DIR/key.pem
smtpd_tls_received_header = yes
smtpd_sasl_auth_enable = %s
smtpd_sasl_authenticated_header = yes
smtpd_tls_auth_only = yes
cyrus_sasl_config_path = DIR/etc/sasl
smtpd_recipient_restrictions = check_recipient_access texthash:DIR/access, %s, reject
smtpd_relay_restrictions = %[3]s, reject
virtual_mailbox_domains = example.net
virtual_mailbox_base = DIR/mail
virtual_mailbox_maps = static:inbox/
virtual_uid_maps = static:%d
virtual_gid_maps = static:%[4]d
`, utf8, sasl, takes, reader), "DIR", p.Dir))
	p.write("etc/master.cf", "127.0.0.1:"+p.Port+` inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`)
	p.start = func() *Process {
		running := run(t, exec.Command(program, "-c", path("etc"), "start-fg"), p.Port)
		t.Cleanup(p.End)
		return running
	}
	p.Process = p.start()
	return p
}

func (p *Postfix) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.Dir, name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// master signals the process that runs all others.
func (p *Postfix) master(signal syscall.Signal) error {
	text, err := os.ReadFile(filepath.Join(p.Dir, "spool/pid/master.pid"))
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return err
	}
	return syscall.Kill(pid, signal)
}

// End ends Postfix.
func (p *Postfix) End() {
	if p.over {
		return
	}
	_ = p.master(syscall.SIGTERM) // which ends the others too
	Until(p.t, "Postfix ends", func() bool { return p.master(0) != nil })
	p.Process.End()
}

// Again starts it again after its end.
func (p *Postfix) Again() { p.Process = p.start() }

// Answer has it answer each recipient with the answer of an address here, such as "450 4.2.0
// later".
func (p *Postfix) Answer(answers map[string]string) {
	p.t.Helper()
	text := ""
	for address, answer := range answers {
		text += address + " " + answer + "\n"
	}
	p.write("access", text)
	if err := p.master(syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
}

// Said returns how often its log has a text.
func (p *Postfix) Said(text string) int { return strings.Count(p.said.String(), text) }

// To returns the mails for an address that arrived.
func (p *Postfix) To(address string) (out []mailtest.Mail) {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.Dir, "mail/inbox/new/*"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			p.t.Fatal(err)
		}
		m, err := mailtest.Read(raw)
		if err != nil {
			p.t.Fatalf("%v\n%s", err, raw)
		}
		m.EnvelopeFrom, m.EnvelopeTo = strings.Trim(m.Header.Get("Return-Path"), "<>"), m.Header.Get("X-Original-To")
		if strings.EqualFold(m.EnvelopeTo, address) {
			out = append(out, *m)
		}
	}
	return out
}

// Wait returns the first mail to an address.
func (p *Postfix) Wait(address string) mailtest.Mail {
	p.t.Helper()
	Until(p.t, "mail to "+address, func() bool { return len(p.To(address)) > 0 })
	return p.To(address)[0]
}
