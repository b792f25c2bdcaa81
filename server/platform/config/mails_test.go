package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSMTPVariablesTurnMailOn(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(secret, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		env  map[string]string
		want Mailer
		from string
	}{
		{"nothing", nil, Mailer{Adapter: Sendmail, TLS: ":if_available", Auth: ":if_available"}, ""},
		{"a host alone", map[string]string{"SVC_SMTP_HOST": "mail.example.org"}, Mailer{Enabled: true, Adapter: SMTP, Relay: "mail.example.org", TLS: ":if_available", Auth: ":if_available"}, ""},
		{
			"all of them", map[string]string{
				"SVC_SMTP_HOST": "mail.example.org", "SVC_SMTP_PORT": "2525", "SVC_SMTP_USER": "svc", "SVC_SMTP_PASSWORD_FILE": secret,
				"SVC_SMTP_FROM": "svc@example.org", "SVC_SMTP_TLS": "starttls",
			},
			Mailer{Enabled: true, Adapter: SMTP, Relay: "mail.example.org", Port: 2525, Username: "svc", Password: "s3cret", TLS: ":always", Auth: ":if_available"}, "svc@example.org",
		},
		{"encryption from the first byte", map[string]string{"SVC_SMTP_HOST": "::1", "SVC_SMTP_TLS": "tls"}, Mailer{Enabled: true, Adapter: SMTP, Relay: "::1", SSL: true, TLS: ":if_available", Auth: ":if_available"}, ""},
		{"no encryption", map[string]string{"SVC_SMTP_HOST": "10.0.0.1", "SVC_SMTP_TLS": "none"}, Mailer{Enabled: true, Adapter: SMTP, Relay: "10.0.0.1", TLS: ":never", Auth: ":if_available"}, ""},
	} {
		got, err := load(t, nil, c.env)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got.Settings.Mailer); diff != "" || got.Settings.Instance.NotifyEmail != c.from || got.Settings.Mailer.On() != (c.want.Relay != "") {
			t.Errorf("%s: from %q (-want +got):\n%s", c.name, got.Settings.Instance.NotifyEmail, diff)
		}
	}
}

func TestWrongSMTPVariablesAreAllTold(t *testing.T) {
	_, err := load(t, nil, map[string]string{
		"SVC_SMTP_HOST": "mail example", "SVC_SMTP_PORT": "0", "SVC_SMTP_USER": "a\r\nb", "SVC_SMTP_PASSWORD": "pass\nword", "SVC_SMTP_FROM": "A <a@example.org>", "SVC_SMTP_TLS": "maybe",
	})
	if err == nil {
		t.Fatal("taken")
	}
	for _, name := range []string{"HOST", "PORT", "USER", "PASSWORD", "FROM", "TLS"} {
		if !strings.Contains(err.Error(), "SVC_SMTP_"+name+": ") {
			t.Errorf("nothing of %s in:\n%s", name, err)
		}
	}
	if strings.Contains(err.Error(), "nword") {
		t.Errorf("the password is shown:\n%s", err)
	}
}

func TestConfirmationNeedsMail(t *testing.T) {
	s := DefaultSettings()
	s.Instance.AccountActivationRequired = true
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "instance.account_activation_required") {
		t.Errorf("without mail: %v", err)
	}
	s.Mailer.Enabled, s.Mailer.Adapter, s.Mailer.Relay = true, SMTP, "mail.example.org"
	if err := s.Validate(); err != nil {
		t.Errorf("with mail: %v", err)
	}
	s.Mailer.TLS = "sometimes"
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "one of :always, :never, :if_available") {
		t.Errorf("a word that is none: %v", err)
	}
}

func TestFileNamesTheSenderOfTheWelcome(t *testing.T) {
	for text, want := range map[string]Mailbox{
		`hello@example.org`:                  {Address: "hello@example.org"},
		`[The hello team, h@example.org]`:    {Name: "The hello team", Address: "h@example.org"},
		`["a\r\nBcc: x", hello@example.org]`: {},
		`[hello@example.org]`:                {},
		`nobody`:                             {},
		`7`:                                  {},
	} {
		got, err := load(t, []string{"--config", write(t, "svc.yaml", "settings:\n  welcome: {email: {enabled: true, sender: "+text+"}}\n")}, nil)
		if (err == nil) != (want.Address != "") {
			t.Errorf("%s: %v", text, err)
		}
		if want.Address != "" && got.Settings.Welcome.Email.Sender != want {
			t.Errorf("%s: got %+v", text, got.Settings.Welcome.Email.Sender)
		}
	}
}
