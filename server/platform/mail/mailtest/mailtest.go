// Package mailtest is a mail relay for tests: it speaks SMTP on loopback and
// keeps every mail.
package mailtest

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"svc/server/platform/config"
)

// Mail is one that arrived. Header is decoded, Text and HTML are its parts.
type Mail struct {
	EnvelopeFrom string
	EnvelopeTo   string
	Header       mail.Header
	Subject      string
	From         string // name and address, decoded
	Text         string
	HTML         string
	Raw          string
}

var link = regexp.MustCompile(`https?://\S+`)

// Link is the first link in the mail's text.
func (m Mail) Link() string { return link.FindString(m.Text) }

// Mailbox is a relay and the mails that arrived at it.
type Mailbox struct {
	t    testing.TB
	host string
	port int
	name string
	pass string

	mu     sync.Mutex
	mails  []Mail
	refuse func(to string) error
	news   chan struct{}
}

// Options are the demands of a relay.
type Options struct {
	TLS      *tls.Config // offers STARTTLS
	Implicit bool        // TLS from the first byte
	Username string      // mail is taken after a login only
	Password string
	ASCII    bool // takes no other addresses
	// Elsewhere makes it listen on an address that is not loopback; the test is skipped
	// where there is none.
	Elsewhere bool
}

// Start runs a relay until the test ends.
func Start(t testing.TB) *Mailbox { return StartWith(t, Options{}) }

// StartWith is Start for a relay with a will of its own.
func StartWith(t testing.TB, o Options) *Mailbox {
	t.Helper()
	host := "127.0.0.1"
	if o.Elsewhere {
		host = elsewhere(t)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	box := &Mailbox{t: t, host: host, port: l.Addr().(*net.TCPAddr).Port, name: o.Username, pass: o.Password, news: make(chan struct{})}
	srv := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{box: box, loggedIn: o.Username == ""}, nil }))
	srv.Domain, srv.AllowInsecureAuth, srv.EnableSMTPUTF8 = "relay.example", true, !o.ASCII
	srv.MaxMessageBytes, srv.ReadTimeout, srv.WriteTimeout = 1<<20, 20*time.Second, 20*time.Second
	srv.ErrorLog = silent{}
	if o.TLS != nil && !o.Implicit {
		srv.TLSConfig = o.TLS
	}
	if o.Implicit {
		l = tls.NewListener(l, o.TLS)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = srv.Serve(l) }()
	t.Cleanup(func() {
		_ = srv.Close()
		_ = l.Close() // a server that has not begun knows of no listener to close
		<-done
	})
	return box
}

// elsewhere is an address of this machine that others have a way to.
func elsewhere(t testing.TB) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if at, ok := a.(*net.IPNet); ok && at.IP.To4() != nil && !at.IP.IsLoopback() {
			return at.IP.String()
		}
	}
	t.Skip("this machine has no address but loopback")
	return ""
}

type silent struct{}

func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

// Use has the settings send mail through the relay.
func (b *Mailbox) Use(s *config.Settings) {
	s.Mailer.Enabled, s.Mailer.Adapter, s.Mailer.Relay, s.Mailer.Port = true, config.SMTP, b.host, b.port
	s.Mailer.Username, s.Mailer.Password = b.name, b.pass
}

// Refuse has the relay answer each recipient with the error of fn; nil takes
// the mail.
func (b *Mailbox) Refuse(fn func(to string) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = fn
}

// All returns the mails that arrived, in order.
func (b *Mailbox) All() []Mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Mail(nil), b.mails...)
}

// To returns the mails that arrived for an address, in order.
func (b *Mailbox) To(address string) []Mail {
	var out []Mail
	for _, m := range b.All() {
		if strings.EqualFold(m.EnvelopeTo, address) {
			out = append(out, m)
		}
	}
	return out
}

// Wait returns the newest mail to an address once there are n of them. The test
// fails when they do not arrive.
func (b *Mailbox) Wait(address string, n int) Mail {
	b.t.Helper()
	end := time.After(20 * time.Second)
	for {
		b.mu.Lock()
		news := b.news
		b.mu.Unlock()
		if got := b.To(address); len(got) >= n {
			return got[n-1]
		}
		select {
		case <-news:
		case <-end:
			b.t.Fatalf("mails to %s: %d, want %d", address, len(b.To(address)), n)
		}
	}
}

// session is one connection.
type session struct {
	box      *Mailbox
	loggedIn bool
	from, to string
}

// AuthMechanisms are the ways to log in, where that is asked for.
func (s *session) AuthMechanisms() []string {
	if s.box.name == "" {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth checks the name and password.
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, name, password string) error {
		if name != s.box.name || password != s.box.pass {
			return smtp.ErrAuthFailed
		}
		s.loggedIn = true
		return nil
	}), nil
}

// Mail begins a mail.
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if !s.loggedIn {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}

// Rcpt takes a recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.box.mu.Lock()
	refuse := s.box.refuse
	s.box.mu.Unlock()
	if refuse != nil {
		if err := refuse(to); err != nil {
			return err
		}
	}
	s.to = to
	return nil
}

// Data takes the mail itself.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	m, err := Read(raw)
	if err != nil {
		s.box.t.Errorf("a mail that cannot be read: %v\n%s", err, raw)
		return err
	}
	m.EnvelopeFrom, m.EnvelopeTo = s.from, s.to
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	s.box.mails = append(s.box.mails, *m)
	close(s.box.news)
	s.box.news = make(chan struct{})
	return nil
}

// Reset forgets the mail that was begun.
func (s *session) Reset() { s.from, s.to = "", "" }

// Logout ends the connection.
func (s *session) Logout() error { return nil }

// Read takes a mail of two alternatives apart.
func Read(raw []byte) (*Mail, error) {
	msg, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	m := &Mail{Header: msg.Header, Raw: string(raw)}
	words := new(mime.WordDecoder)
	if m.Subject, err = words.DecodeHeader(msg.Header.Get("Subject")); err != nil {
		return nil, err
	}
	from, err := mail.ParseAddress(msg.Header.Get("From"))
	if err != nil {
		return nil, fmt.Errorf("from %q: %w", msg.Header.Get("From"), err)
	}
	m.From = from.Name + " <" + from.Address + ">"
	kind, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		return nil, errors.Join(err, fmt.Errorf("content type %q", msg.Header.Get("Content-Type")))
	}
	parts := multipart.NewReader(msg.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return m, nil
		}
		if err != nil {
			return nil, err
		}
		var body io.Reader = part
		if part.Header.Get("Content-Transfer-Encoding") == "quoted-printable" {
			body = quotedprintable.NewReader(part)
		}
		text, err := io.ReadAll(body)
		if err != nil {
			return nil, err
		}
		decoded := strings.ReplaceAll(string(text), "\r\n", "\n")
		switch kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type")); kind {
		case "text/plain":
			m.Text = decoded
		case "text/html":
			m.HTML = decoded
		default:
			return nil, fmt.Errorf("a part of type %q", kind)
		}
	}
}
