package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"svc/server/platform/alive"
	"svc/server/platform/config"
)

// patience bounds one step of the SMTP server.
const patience = 20 * time.Second

// Refused is a permanent failure.
type Refused struct{ Reason error }

// Error is the reason.
func (r *Refused) Error() string { return r.Reason.Error() }

// Unwrap is the reason.
func (r *Refused) Unwrap() error { return r.Reason }

// deliver hands l to the configured program or SMTP server. A failing server is
// retried at once, as often as the settings say.
func deliver(ctx context.Context, m *config.Mailer, helo string, l *letter) error {
	if m.Adapter == config.Sendmail {
		return pipe(ctx, m, l)
	}
	var err error
	for range m.Retries + 1 {
		var refused *Refused
		if err = relay(ctx, m, helo, l); err == nil || errors.As(err, &refused) || ctx.Err() != nil {
			break
		}
	}
	return err
}

// relay hands l to the SMTP server. Errors name neither recipients nor the
// server's answers, which may.
func relay(ctx context.Context, m *config.Mailer, helo string, l *letter) error {
	link := &link{m: m}
	client, err := gomail.NewClient(m.Relay, append(options(m, helo), gomail.WithTLSConfig(link.tls()), gomail.WithDialContextFunc(link.dialer(ctx)))...)
	if err != nil {
		return fmt.Errorf("relay %s: %w", m.Relay, err)
	}
	conn, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return refusal(m, "connect", err, false)
	}
	defer func() { _ = conn.Close() }()
	if err := login(m, conn); err != nil {
		return err
	}
	if can, _ := conn.Extension("SMTPUTF8"); !can && !ascii(l.to) {
		return &Refused{fmt.Errorf("relay %s: it takes no addresses with letters outside ASCII", m.Relay)}
	}
	if err := hand(conn, l); err != nil {
		return refusal(m, "send", err, true)
	}
	// A failure after the server accepted the mail must not repeat it.
	_ = conn.Quit()
	return nil
}

// hand sends l on a ready connection. SMTPUTF8 is asked for only where an address needs
// it: the server may have to hand the mail to another that does not offer it.
func hand(conn *smtp.Client, l *letter) error {
	if err := conn.UpdateDeadline(patience); err != nil {
		return err
	}
	conn.SkipSMTPUTF8(ascii(l.from) && ascii(l.to))
	if err := conn.Mail(l.from); err != nil {
		return err
	}
	if err := conn.Rcpt(l.to); err != nil {
		return err
	}
	w, err := conn.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(l.text); err != nil {
		return err
	}
	return w.Close()
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// link is the way to the SMTP server.
type link struct {
	m    *config.Mailer
	here bool // the server is on this machine
}

// dialer returns the dialer for the SMTP server. Nothing more is written once
// another process may send the mail of ctx: the last bytes make the server
// accept the mail.
func (l *link) dialer(ctx context.Context) gomail.DialContextFunc {
	return func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(dialing, network, address)
		if err != nil {
			return nil, err
		}
		at, tcp := conn.RemoteAddr().(*net.TCPAddr)
		l.here = tcp && at.IP.IsLoopback()
		conn = &claimedConn{conn, ctx}
		if !l.m.SSL {
			return conn, nil
		}
		secure := tls.Client(conn, l.tls())
		if err := secure.HandshakeContext(dialing); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return secure, nil
	}
}

// tls checks the server's certificate, except where encryption is only taken as it is
// offered and nobody can be in between: a mail server on this machine has a certificate
// that it made itself, as packages for it come.
func (l *link) tls() *tls.Config {
	return &tls.Config{
		ServerName: l.m.Relay, MinVersion: tls.VersionTLS12,
		InsecureSkipVerify: true, // VerifyConnection checks it, as soon as it is known where the server is
		VerifyConnection: func(c tls.ConnectionState) error {
			if l.here && !l.m.SSL && l.m.TLS != ":always" {
				return nil
			}
			chain := x509.NewCertPool()
			for _, above := range c.PeerCertificates[1:] {
				chain.AddCert(above)
			}
			if _, err := c.PeerCertificates[0].Verify(x509.VerifyOptions{DNSName: l.m.Relay, Intermediates: chain}); err != nil {
				return fmt.Errorf("its certificate is not trusted: name the relay as the certificate does, and let this system trust who signed it (SSL_CERT_FILE): %w", err)
			}
			return nil
		},
	}
}

// claimedConn is a connection for one mail, as long as its claim is valid.
type claimedConn struct {
	net.Conn
	ctx context.Context
}

func (c *claimedConn) Write(p []byte) (int, error) {
	if err := alive.Sure(c.ctx); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func options(m *config.Mailer, helo string) []gomail.Option {
	opts := []gomail.Option{
		gomail.WithTimeout(patience), gomail.WithHELO(helo), gomail.WithoutNoop(), gomail.WithoutRset(),
	}
	port := 25
	switch {
	case m.SSL:
		opts, port = append(opts, gomail.WithSSL()), 465
	case m.TLS == ":always":
		opts = append(opts, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case m.TLS == ":never":
		opts = append(opts, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		opts = append(opts, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	}
	if port == 25 && m.Username != "" {
		port = 587 // submission, RFC 6409
	}
	if m.Port != 0 {
		port = m.Port
	}
	return append(opts, gomail.WithPort(port))
}

// login authenticates with the best method that the server supports. A plain
// password goes only over encrypted connections, or within this machine.
func login(m *config.Mailer, conn *smtp.Client) error {
	if m.Username == "" || m.Auth == ":never" {
		return nil
	}
	_, known := conn.Extension("AUTH")
	ways := strings.Fields(strings.ToUpper(known))
	var auth smtp.Auth
	for _, way := range ways {
		switch way {
		case "SCRAM-SHA-256":
			auth = smtp.ScramSHA256Auth(m.Username, m.Password)
		case "PLAIN":
			auth = smtp.PlainAuth("", m.Username, m.Password, m.Relay, false)
		case "LOGIN":
			if auth == nil {
				auth = smtp.LoginAuth(m.Username, m.Password, m.Relay, false)
			}
		}
		if way == "SCRAM-SHA-256" {
			break
		}
	}
	if auth == nil {
		if m.Auth == ":always" {
			return fmt.Errorf("relay %s: it offers no way to log in that is known here", m.Relay)
		}
		return nil
	}
	if err := conn.Auth(auth); err != nil {
		return refusal(m, "log in", err, false)
	}
	return nil
}

// refusal classifies an error of the server: a 5xx answer about the mail itself
// is permanent.
func refusal(m *config.Mailer, step string, err error, ofMail bool) error {
	var reply *textproto.Error
	if !errors.As(err, &reply) {
		return fmt.Errorf("relay %s: %s: %w", m.Relay, step, err)
	}
	out := fmt.Errorf("relay %s: %s: it answered %d", m.Relay, step, reply.Code)
	if ofMail && reply.Code >= 500 {
		return &Refused{out}
	}
	return out
}
