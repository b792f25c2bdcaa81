package parts_test

import (
	"errors"
	"net/http"
	netmail "net/mail"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/platform/mail"
	"svc/server/servertest"
	"svc/server/servertest/parts"
)

// mails returns an edit of the settings to a relay that docs/registration.md quotes.
func mails(t *testing.T, p *parts.Postfix, words string, more ...string) func(*config.Settings) {
	t.Helper()
	text := parts.Swap(t, parts.Quote(t, "registration.md", words), more...)
	if !strings.Contains(text, "smtp_port: ") {
		text += "smtp_port: 25\n" // as it is without
	}
	text = regexp.MustCompile(`smtp_port: .*`).ReplaceAllString(text, "smtp_port: "+p.Port)
	c := parts.Configured(t, text)
	return func(s *config.Settings) {
		s.Mailer, s.Instance.NotifyEmail, s.Instance.Name = c.Settings.Mailer, c.Settings.Instance.NotifyEmail, "Café Ünix"
		s.Instance.AccountActivationRequired = true
	}
}

// stranger is an authority that nobody knows.
func stranger(t *testing.T) *parts.Authority {
	t.Helper()
	a, err := parts.NewAuthority(t.TempDir())
	must(t, err)
	return a
}

func register(t *testing.T, s *servertest.Server, nickname string) {
	t.Helper()
	agree := api.Bool(true)
	_, err := s.With(s.AppToken()).Accounts.Register(t.Context(), api.NewAccount{
		Username: nickname, Email: nickname + "@example.net", Password: "correct horse", Agreement: &agree, Locale: "en",
	})
	must(t, err)
}

// TestMailGoesThroughPostfixOfTheSameMachine, with a certificate that it made itself and for
// another name, encrypted all the same.
func TestMailGoesThroughPostfixOfTheSameMachine(t *testing.T) {
	postfix := parts.StartPostfix(t, parts.Relay{Issuer: stranger(t), Name: "machine.invalid"})
	edit := mails(t, postfix, "smtp_host: localhost")
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		name := "ann" + strings.ToLower(t.Name()[strings.LastIndex(t.Name(), "/")+1:])
		register(t, s, name)
		m := postfix.Wait(name + "@example.net")
		if m.From != "Café Ünix <no-reply@social.example>" || m.EnvelopeFrom != "no-reply@social.example" || !strings.HasPrefix(m.Subject, "Café Ünix") {
			t.Errorf("from %s (%s): %s", m.From, m.EnvelopeFrom, m.Subject)
		}
		if at, err := m.Header.Date(); err != nil || time.Since(at).Abs() > time.Minute {
			t.Errorf("of %v, %v", at, err)
		}
		if id := m.Header["Message-Id"]; len(id) != 1 || !regexp.MustCompile(`^<send_link\.\d+\.\d+@127\.0\.0\.1>$`).MatchString(id[0]) {
			t.Errorf("its id is %q", id)
		}
		if m.Header.Get("Auto-Submitted") != "auto-generated" || len(m.Header["To"]) != 1 || len(m.Header["Date"]) != 1 {
			t.Errorf("headers %v", m.Header)
		}
		if received := m.Header.Get("Received"); !strings.Contains(received, "using TLSv1.3") || !strings.Contains(received, " with ESMTPS id ") {
			t.Errorf("received %s", received)
		}
		resp, err := http.Get(m.Link())
		must(t, err)
		must(t, resp.Body.Close())
		if a, err := s.DB.AccountByNickname(t.Context(), name); err != nil || resp.StatusCode != http.StatusOK || a.ConfirmationPending {
			t.Errorf("%s answers %s, and the account is %+v, %v", m.Link(), resp.Status, a, err)
		}
		// An address of letters beyond ASCII, which older accounts may have.
		must(t, s.Mail.Send(t.Context(), "job.1", pending("jürgen."+name+"@example.net")))
		far := postfix.Wait("jürgen." + name + "@example.net")
		if received := far.Header.Get("Received"); !strings.Contains(received, " with UTF8SMTPS id ") {
			t.Errorf("received %s", received)
		}
		if to, err := netmail.ParseAddress(far.Header.Get("To")); err != nil || to.Address != "jürgen."+name+"@example.net" {
			t.Errorf("to %v, %v", to, err)
		}
	}, edit)
}

func pending(to string) jobs.SendMail {
	return jobs.SendMail{To: to, Template: mail.ApprovalPending, Data: map[string]string{"nickname": "ann"}}
}

// TestPostfixDefersRefusesAndIsAway: mail arrives once as soon as it is accepted, and not at
// all where that will never be.
func TestPostfixDefersRefusesAndIsAway(t *testing.T) {
	t.Parallel() // it waits
	postfix := parts.StartPostfix(t, parts.Relay{Issuer: stranger(t), Name: "machine.invalid"})
	postfix.Answer(map[string]string{"ann@example.net": "450 4.2.0 later", "bob@example.net": "550 5.1.1 nobody"})
	s := servertest.Start(t, mails(t, postfix, "smtp_host: localhost"))
	register(t, s, "bob")
	parts.Until(t, "bob's mail is refused", func() bool { return len(s.Log.Lines("gave up a mail", "it answered 550")) == 1 })
	register(t, s, "ann")
	parts.Until(t, "ann's mail is deferred", func() bool { return postfix.Said("450 4.2.0") > 0 })
	postfix.Answer(nil)
	advanced := time.Now()
	later := func() bool {
		if time.Since(advanced) > time.Second { // not past the day after which a mail is dropped
			s.Advance(time.Minute)
			advanced = time.Now()
		}
		return false
	}
	arrives := func(address string) {
		t.Helper()
		parts.Until(t, "mail to "+address, func() bool { return len(postfix.To(address)) > 0 || later() })
	}
	arrives("ann@example.net")

	postfix.End()
	register(t, s, "cat")
	time.Sleep(3 * time.Second) // some tries fail
	postfix.Again()
	arrives("cat@example.net")

	s.Advance(time.Hour)
	for name, want := range map[string]int{"ann": 1, "bob": 0, "cat": 1} {
		if got := len(postfix.To(name + "@example.net")); got != want {
			t.Errorf("%s got %d mails, want %d", name, got, want)
		}
	}
}

// TestPostfixElsewhereIsKnownByItsCertificate, and takes mail after a login in each way that
// it may offer.
func TestPostfixElsewhereIsKnownByItsCertificate(t *testing.T) {
	for _, ways := range []string{"PLAIN", "LOGIN", "SCRAM-SHA-256 PLAIN LOGIN"} {
		t.Run(ways, func(t *testing.T) {
			postfix := parts.StartPostfix(t, parts.Relay{Issuer: authority, Name: "localhost", Username: "svc", Password: "pass wörd", Ways: ways, ASCII: true})
			elsewhere := func(more ...string) *servertest.Server {
				return servertest.Start(t, mails(t, postfix, "smtp_host: mail.example.org", append([]string{"mail.example.org", "localhost", "svc@example.org", "svc", ": secret", ": pass wörd"}, more...)...))
			}
			must(t, elsewhere().Mail.Send(t.Context(), "job.1", pending("ann@example.net")))
			m := postfix.Wait("ann@example.net")
			if received := m.Header.Get("Received"); !strings.Contains(received, "ESMTPSA") || !strings.Contains(received, "Authenticated sender: svc") {
				t.Errorf("received %s", received)
			}
			for what, c := range map[string]struct {
				s      *servertest.Server
				to     string
				final  bool
				reason string
			}{
				"a wrong password":      {elsewhere("pass wörd", "guess"), "bob@example.net", false, "log in: it answered 535"},
				"another name":          {elsewhere("localhost", "127.0.0.1"), "bob@example.net", false, "its certificate is not trusted"},
				"no login":              {elsewhere("smtp_user: svc", "smtp_user: ''"), "bob@example.net", true, "it answered 554"},
				"letters beyond it":     {elsewhere(), "bøb@example.net", true, "it takes no addresses with letters outside ASCII"},
				"TLS where STARTTLS is": {elsewhere("starttls", "tls"), "bob@example.net", false, "connect"},
			} {
				err := c.s.Mail.Send(t.Context(), "job.2", pending(c.to))
				var refused *mail.Refused
				if err == nil || !strings.Contains(err.Error(), c.reason) || errors.As(err, &refused) != c.final {
					t.Errorf("%s: %v", what, err)
				}
			}
			if len(postfix.To("bob@example.net")) > 0 {
				t.Error("a mail arrived that must not")
			}
		})
	}
}

// TestPostfixWithAnUnknownCertificateGetsNoMail where encryption is asked for.
func TestPostfixWithAnUnknownCertificateGetsNoMail(t *testing.T) {
	postfix := parts.StartPostfix(t, parts.Relay{Issuer: stranger(t), Name: "localhost"})
	s := servertest.Start(t, mails(t, postfix, "smtp_host: localhost", "auto", "starttls"))
	if err := s.Mail.Send(t.Context(), "job.1", pending("ann@example.net")); err == nil || !strings.Contains(err.Error(), "its certificate is not trusted") {
		t.Errorf("it is taken: %v", err)
	}
}
