package mail_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"flag"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"

	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/platform/mail"
	"svc/server/platform/mail/mailtest"
)

var update = flag.Bool("update", false, "rewrite golden files")

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// certificate belongs to the test relays; TestMain has this process trust it.
var certificate tls.Certificate

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "svc-mail")
	if err != nil {
		panic(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "relay"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	certificate = tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	path := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		panic(err)
	}
	if err := os.Setenv("SSL_CERT_FILE", path); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func service(t *testing.T, edits ...func(*config.Settings)) *mail.Service {
	t.Helper()
	settings := config.DefaultSettings()
	settings.Instance.Name, settings.Instance.Email = "Café Ünix", "admin@example.org"
	for _, edit := range edits {
		edit(&settings)
	}
	live, err := config.NewLive(settings)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mail.New(live, "https://example.org", func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// samples is a mail of each kind.
var samples = []jobs.SendMail{
	{Template: mail.Confirmation, Data: map[string]string{"nickname": "alice", "link": "https://example.org/api/account/confirm_email/9x/abc%3D"}},
	{Template: mail.PasswordReset, Data: map[string]string{"nickname": "alice", "link": "https://example.org/api/svc/password_reset/abc%3D", "validity": "24 hours"}},
	{Template: mail.ApprovalPending, Data: map[string]string{"nickname": "alice"}},
	{Template: mail.Rejected, Data: map[string]string{"nickname": "alice", "message": "Tell us <b>more</b>\nabout you."}},
	{Template: mail.Review, Data: map[string]string{"nickname": "alice", "reason": "I like <b>cats</b>\n& dogs.", "link": "https://example.org/svc/admin/#/users/9x/"}},
	{Template: mail.Invitation, Data: map[string]string{"name": "Bob", "link": "https://example.org/registration/abc%3D"}},
	{Template: mail.Report, Data: map[string]string{
		"reporter": "alice", "account": "troll@bad.example", "comment": "<script>alert(1)</script>", "statuses": "https://bad.example/1\nhttps://bad.example/2",
	}},
	{Template: mail.Welcome, Data: map[string]string{"nickname": "alice", "name": "Alice <i>A.</i>"}},
	{Template: mail.NewUsers, Data: map[string]string{"users": "1. @ann\n2. @bob, who waits to be approved", "more": "7"}},
	{Template: mail.Security, Data: map[string]string{"nickname": "alice", "change": "your account was given new backup codes."}},
	{Template: mail.Backup, Data: map[string]string{"nickname": "alice", "link": "https://example.org/media/0123456789abcdef.zip"}},
}

func TestEachMailIsWrittenInTextAndHTML(t *testing.T) {
	box := mailtest.Start(t)
	s := service(t, box.Use, func(c *config.Settings) {
		c.Welcome.Email.Text = "Hello <%= user.name %>, welcome to <%=instance_name%>. <%= System.halt() %>"
		c.Welcome.Email.HTML = "<p>Hello <%= user.name %> (<%= user.nickname %>)</p>"
		c.Welcome.Email.Sender = config.Mailbox{Name: "The team", Address: "team@example.org"}
	})
	for _, sample := range samples {
		sample.To = sample.Template + "@example.net"
		if err := s.Send(t.Context(), "job.7", sample); err != nil {
			t.Errorf("%s: %v", sample.Template, err)
			continue
		}
		m := box.Wait(sample.To, 1)
		got := "From: " + m.From + "\nTo: " + m.Header.Get("To") + "\nSubject: " + m.Subject + "\nDate: " + m.Header.Get("Date") +
			"\nMessage-ID: " + m.Header.Get("Message-ID") + "\nAuto-Submitted: " + m.Header.Get("Auto-Submitted") + "\n\n" + m.Text + "\n----\n" + m.HTML
		golden := filepath.Join("testdata", sample.Template+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sample.Template, diff)
		}
	}
}

func TestTemplateDataCannotInjectHeaders(t *testing.T) {
	box := mailtest.Start(t)
	evil := "x\r\nBcc: victim@example.net\r\n\r\nbody\x00\x1b[31m\u202e"
	s := service(t, box.Use, func(c *config.Settings) {
		c.Instance.Name = strings.ReplaceAll(evil, "\x00", "") // which no setting takes
		c.Instance.NotifyEmail = "sender@example.org\r\nBcc: victim@example.net"
		c.Welcome.Email.Subject = c.Instance.Name + "<%= user.name %>"
	})
	for _, sample := range samples {
		data := map[string]string{}
		for name := range sample.Data {
			data[name] = evil
		}
		if err := s.Send(t.Context(), "job.7", jobs.SendMail{To: "a@example.net", Template: sample.Template, Data: data}); err != nil {
			t.Fatalf("%s: %v", sample.Template, err)
		}
	}
	all := box.All()
	if len(all) != len(samples) {
		t.Fatalf("%d mails", len(all))
	}
	for _, m := range all {
		if m.EnvelopeTo != "a@example.net" || m.EnvelopeFrom != "admin@example.org" || m.Header.Get("Bcc") != "" {
			t.Errorf("%s: from %s to %s, bcc %q", m.Subject, m.EnvelopeFrom, m.EnvelopeTo, m.Header.Get("Bcc"))
		}
		for name := range m.Header {
			if !strings.Contains(" Auto-Submitted Content-Type Date From Message-Id Mime-Version Subject To X-Auto-Response-Suppress ", " "+name+" ") {
				t.Errorf("a header %s", name)
			}
		}
		if strings.ContainsAny(m.Subject+m.From+m.Text, "\r\x00\x1b\u202e") || strings.ContainsAny(m.Subject+m.From, "\n") {
			t.Errorf("subject %q, from %q, text %q", m.Subject, m.From, m.Text)
		}
	}
	for _, to := range []string{"", "a", "a@example.net, b@example.net", "A <a@example.net>", "a@example.net\r\nRCPT TO:<b@example.net>"} {
		var refused *mail.Refused
		if err := s.Send(t.Context(), "job.8", jobs.SendMail{To: to, Template: mail.ApprovalPending, Data: map[string]string{"nickname": "a"}}); !errors.As(err, &refused) {
			t.Errorf("to %q: %v", to, err)
		}
	}
	if n := len(box.All()); n != len(samples) {
		t.Errorf("%d mails were sent to what is no address", n-len(samples))
	}
}

// TestNoHeaderBeginsWithAnEmptyLine: some programs show nothing of one that does.
func TestNoHeaderBeginsWithAnEmptyLine(t *testing.T) {
	for _, name := range []string{
		"svc", "Café Ünix", "Ein Schwätzchen im Ohrensessel mit Gebäck und einem sehr langen Namen, der kein Ende nimmt",
		strings.Repeat("ü", 90), strings.Repeat("x", 90), strings.Repeat("日本語", 30), `Quotes " and \ signs`, "odd =?utf-8?q?words?= in it",
	} {
		box := mailtest.Start(t)
		s := service(t, box.Use, func(c *config.Settings) { c.Instance.Name = name })
		if err := s.Send(t.Context(), "job.7", jobs.SendMail{To: "a@example.net", Template: mail.PasswordReset, Data: samples[1].Data}); err != nil {
			t.Fatal(err)
		}
		m := box.All()[0]
		if m.Subject != name+" password reset" || m.From != name+" <admin@example.org>" {
			t.Errorf("%s: subject %q, from %q", name, m.Subject, m.From)
		}
		head, _, _ := strings.Cut(m.Raw, "\r\n\r\n")
		for line := range strings.SplitSeq(head, "\r\n") {
			if len(line) > 76 || strings.HasSuffix(strings.TrimSpace(line), ":") || line == "" {
				t.Errorf("%s: a line %q", name, line)
			}
		}
	}
}

// TestLettersOutsideASCIITakeARelayThatKnowsThem: it is asked, and where it does
// not, trying again is of no use.
func TestLettersOutsideASCIITakeARelayThatKnowsThem(t *testing.T) {
	for _, old := range []bool{false, true} {
		box := mailtest.StartWith(t, mailtest.Options{ASCII: old})
		s := service(t, box.Use)
		err := s.Send(t.Context(), "job.1", jobs.SendMail{To: "jörg@example.net", Template: mail.ApprovalPending, Data: map[string]string{"nickname": "a"}})
		var refused *mail.Refused
		switch {
		case !old && (err != nil || len(box.To("jörg@example.net")) != 1):
			t.Errorf("a relay that knows them: %v", err)
		case old && (!errors.As(err, &refused) || !strings.Contains(err.Error(), "outside ASCII") || len(box.All()) != 0):
			t.Errorf("a relay that does not: %v", err)
		}
	}
}

func TestMailThatLacksItsDataIsNotSent(t *testing.T) {
	box := mailtest.Start(t)
	s := service(t, box.Use)
	for _, m := range []jobs.SendMail{{To: "a@example.net", Template: "nonsense"}, {To: "a@example.net", Template: mail.Confirmation, Data: map[string]string{"nickname": "a"}}} {
		var refused *mail.Refused
		if err := s.Send(t.Context(), "job.1", m); !errors.As(err, &refused) {
			t.Errorf("%s: %v", m.Template, err)
		}
	}
	if len(box.All()) != 0 {
		t.Error("something was sent")
	}
}

func TestRelayIsSpokenToAsTheSettingsSay(t *testing.T) {
	secure := &tls.Config{Certificates: []tls.Certificate{certificate}}
	own := &tls.Config{Certificates: []tls.Certificate{selfSigned(t)}}
	login := mailtest.Options{Username: "svc", Password: "s3cret"}
	with := func(o mailtest.Options, c *tls.Config, implicit bool) mailtest.Options {
		o.TLS, o.Implicit = c, implicit
		return o
	}
	for _, c := range []struct {
		name  string
		relay mailtest.Options
		edit  func(*config.Mailer)
		want  string // part of the error; "" is sent
	}{
		{"open", mailtest.Options{}, func(*config.Mailer) {}, ""},
		{"open, though it could encrypt", mailtest.Options{TLS: secure}, func(m *config.Mailer) { m.TLS = ":never" }, ""},
		{"encrypted where it can", mailtest.Options{TLS: secure}, func(*config.Mailer) {}, ""},
		{"encryption asked for and had", mailtest.Options{TLS: secure}, func(m *config.Mailer) { m.TLS = ":always" }, ""},
		{"encryption asked for and not had", mailtest.Options{}, func(m *config.Mailer) { m.TLS = ":always" }, "STARTTLS"},
		{"from the first byte", mailtest.Options{TLS: secure, Implicit: true}, func(m *config.Mailer) { m.SSL = true }, ""},
		{"a certificate for another name", mailtest.Options{TLS: secure}, func(m *config.Mailer) { m.Relay, m.TLS = "localhost", ":always" }, "certificate"},
		{"encrypted on this machine, with a certificate of its own", mailtest.Options{TLS: own}, func(*config.Mailer) {}, ""},
		{"the same under its name", mailtest.Options{TLS: own}, func(m *config.Mailer) { m.Relay = "localhost" }, ""},
		{"the same with a login", with(login, own, false), func(m *config.Mailer) { m.Auth = ":always" }, ""},
		{"a certificate of its own, and encryption asked for", mailtest.Options{TLS: own}, func(m *config.Mailer) { m.TLS = ":always" }, "its certificate is not trusted"},
		{"a certificate of its own from the first byte", mailtest.Options{TLS: own, Implicit: true}, func(m *config.Mailer) { m.SSL = true }, "its certificate is not trusted"},
		{"another machine with a certificate of its own", mailtest.Options{TLS: own, Elsewhere: true}, func(*config.Mailer) {}, "its certificate is not trusted"},
		{"logged in", with(login, secure, false), func(m *config.Mailer) { m.Auth = ":always" }, ""},
		{"logged in, encrypted from the first byte", with(login, secure, true), func(m *config.Mailer) { m.SSL = true }, ""},
		{"wrong password", with(login, secure, false), func(m *config.Mailer) { m.Password = "guess" }, "log in: it answered 535"},
		{"not logged in", with(login, secure, false), func(m *config.Mailer) { m.Auth = ":never" }, "it answered 502"},
		{"a login asked for and not had", mailtest.Options{}, func(m *config.Mailer) { m.Username, m.Auth = "svc", ":always" }, "no way to log in"},
		{"a login where it can be had", mailtest.Options{}, func(m *config.Mailer) { m.Username = "svc" }, ""},
		{"nobody there", mailtest.Options{}, func(m *config.Mailer) { m.Port = 1 }, "connect"},
	} {
		box := mailtest.StartWith(t, c.relay)
		s := service(t, box.Use, func(settings *config.Settings) { c.edit(&settings.Mailer) })
		err := s.Send(t.Context(), "job.1", jobs.SendMail{To: "a@example.net", Template: mail.ApprovalPending, Data: map[string]string{"nickname": "a"}})
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", c.name, err)
		case (len(box.All()) == 1) != (c.want == ""):
			t.Errorf("%s: %d mails arrived", c.name, len(box.All()))
		}
	}
}

// selfSigned is the certificate that a fresh mail server makes for itself.
func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "mail.local"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestRefusalsAreForGoodOrForLater(t *testing.T) {
	box := mailtest.Start(t)
	s := service(t, box.Use)
	for _, c := range []struct {
		code int
		good bool
	}{{550, true}, {451, false}, {421, false}} {
		box.Refuse(func(to string) error {
			return &smtp.SMTPError{Code: c.code, Message: "no mailbox " + to}
		})
		err := s.Send(t.Context(), "job.1", jobs.SendMail{To: "someone@example.net", Template: mail.ApprovalPending, Data: map[string]string{"nickname": "a"}})
		var refused *mail.Refused
		if err == nil || errors.As(err, &refused) != c.good {
			t.Errorf("%d: %v", c.code, err)
		}
		if err != nil && (strings.Contains(err.Error(), "someone") || !strings.Contains(err.Error(), "mail approval_pending to s…@example.net: ")) {
			t.Errorf("the error is no hint at the mail, or names the recipient: %v", err)
		}
	}
	box.Refuse(nil)
	if err := s.Send(t.Context(), "job.1", jobs.SendMail{To: "someone@example.net", Template: mail.ApprovalPending, Data: map[string]string{"nickname": "a"}}); err != nil {
		t.Error(err)
	}
}

func TestSenderIsTheInstance(t *testing.T) {
	for _, c := range []struct{ base, notify, email, want string }{
		{"https://example.org", "notify@example.org", "admin@example.org", "Café Ünix <notify@example.org>"},
		{"https://example.org:8443", "", "admin@example.org", "Café Ünix <admin@example.org>"},
		{"https://example.org:8443", "", "", "Café Ünix <no-reply@example.org>"},
		{"http://127.0.0.1:8080", "", "", "Café Ünix <no-reply@[127.0.0.1]>"},
	} {
		box := mailtest.Start(t)
		settings := config.DefaultSettings()
		settings.Instance.Name, settings.Instance.NotifyEmail, settings.Instance.Email = "Café Ünix", c.notify, c.email
		box.Use(&settings)
		live, err := config.NewLive(settings)
		if err != nil {
			t.Fatal(err)
		}
		s, err := mail.New(live, c.base, func() time.Time { return noon })
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Send(t.Context(), "job.1", jobs.SendMail{To: "a@example.net", Template: mail.ApprovalPending, Data: map[string]string{"nickname": "a"}}); err != nil {
			t.Errorf("%s: %v", c.base, err)
			continue
		}
		if got := box.All()[0].From; got != c.want {
			t.Errorf("%s: from %s, want %s", c.base, got, c.want)
		}
	}
}

func TestWithoutARelayMailIsDropped(t *testing.T) {
	if err := service(t).Send(t.Context(), "job.1", jobs.SendMail{To: "a@example.net", Template: mail.ApprovalPending, Data: map[string]string{"nickname": "a"}}); err != nil {
		t.Error(err)
	}
}
