package config

import (
	"net/mail"
	"slices"
	"strconv"
	"strings"
)

// The mail adapters, as Mailer.Adapter names them.
const (
	SMTP     = "Swoosh.Adapters.SMTP"
	Sendmail = "Swoosh.Adapters.Sendmail"
)

// Mailer is Svc.Emails.Mailer: the SMTP server or program that sends mail.
type Mailer struct {
	Enabled  bool
	Adapter  string // SMTP or Sendmail
	Relay    string // host
	Port     int    // 0: the default for TLS and Username
	Username string
	Password string
	SSL      bool   // encrypted from the first byte
	TLS      string // STARTTLS: :always, :never or :if_available
	Auth     string // authentication: :always, :never or :if_available
	Retries  int    // immediate retries after a failure

	CmdPath string // program that takes mail as sendmail does; "" is the usual one
	CmdArgs string // its arguments, separated by spaces
	Qmail   bool   // arguments in the form of qmail-inject
}

// On reports whether mail is sent.
func (m *Mailer) On() bool { return m.Enabled && (m.Adapter == Sendmail || m.Relay != "") }

// Mailbox is the sender of mail. An empty Address is none.
type Mailbox struct{ Name, Address string }

// The captcha methods, as Captcha.Method names them.
const (
	NativeCaptcha = "Svc.Captcha.Native"
	Kocaptcha     = "Svc.Captcha.Kocaptcha"
)

// Captcha is Svc.Captcha: the captcha of registrations.
type Captcha struct {
	Enabled      bool
	SecondsValid int
	Method       string // NativeCaptcha or Kocaptcha
	Endpoint     string // URL of the service that Kocaptcha asks
}

// Welcome is the group :welcome: messages for new accounts.
type Welcome struct {
	DirectMessage Message
	ChatMessage   Message
	Email         WelcomeMail
}

// Message is a message from a local account to new ones.
type Message struct {
	Enabled        bool
	SenderNickname string
	Message        string
}

// WelcomeMail is a mail to new accounts. In its texts, <%= instance_name %>,
// <%= user.name %> and <%= user.nickname %> are replaced.
type WelcomeMail struct {
	Enabled bool
	Sender  Mailbox // empty: the sender of all other mail
	Subject string
	HTML    string
	Text    string
}

const greeting = "Welcome to <%= instance_name %>"

func mailSettings() []Setting {
	mailer := func(path string, kind Kind, value any, field func(*Mailer) any, description string) Setting {
		return row("Svc.Emails.Mailer", path, kind, value, func(s *Settings) any { return field(&s.Mailer) }, description)
	}
	welcome := func(path string, kind Kind, value any, field func(*Welcome) any, description string) Setting {
		return row(":welcome", path, kind, value, func(s *Settings) any { return field(&s.Welcome) }, description)
	}
	when := func(s Setting) Setting { return s.unset().oneOf(":always", ":never", ":if_available") }
	return []Setting{
		mailer(":enabled", Boolean, false, func(m *Mailer) any { return &m.Enabled }, "Whether mail is sent"),
		mailer(":adapter", Word, Sendmail, func(m *Mailer) any { return &m.Adapter }, "Module that sends mail: through a relay (SMTP), or by a program on this machine (Sendmail)").oneOf(SMTP, Sendmail),
		mailer(":relay", String, "", func(m *Mailer) any { return &m.Relay }, "Host that mail is handed to").unset(),
		mailer(":port", Integer, 0, func(m *Mailer) any { return &m.Port }, "Port of the relay; 0 for the usual one").between(0, 65535).unset(),
		mailer(":username", String, "", func(m *Mailer) any { return &m.Username }, "Name that logs in at the relay; empty for no log-in").unset(),
		mailer(":password", String, "", func(m *Mailer) any { return &m.Password }, "Password that logs in at the relay").unset().secret(),
		mailer(":ssl", Boolean, false, func(m *Mailer) any { return &m.SSL }, "Whether the connection is encrypted from its first byte (TLS)").unset(),
		when(mailer(":tls", Word, ":if_available", func(m *Mailer) any { return &m.TLS }, "Whether STARTTLS encrypts the connection after its start")),
		when(mailer(":auth", Word, ":if_available", func(m *Mailer) any { return &m.Auth }, "Whether the service logs in at the relay")),
		mailer(":retries", Integer, 0, func(m *Mailer) any { return &m.Retries }, "How often a relay that fails is tried again at once").between(0, 10).unset(),
		mailer(":cmd_path", String, "", func(m *Mailer) any { return &m.CmdPath }, "Path of the program that takes mail as sendmail does").unset().locked(),
		mailer(":cmd_args", String, "", func(m *Mailer) any { return &m.CmdArgs }, "Arguments of the program that takes mail, parted by spaces").unset().locked(),
		mailer(":qmail", Boolean, false, func(m *Mailer) any { return &m.Qmail }, "Whether the program that takes mail is qmail-inject").unset(),
		row("Svc.Captcha", ":enabled", Boolean, true, func(s *Settings) any { return &s.Captcha.Enabled }, "Whether people must solve a captcha to register"),
		row("Svc.Captcha", ":method", Word, NativeCaptcha, func(s *Settings) any { return &s.Captcha.Method }, "Module that draws captchas: the built-in one, or a service").oneOf(NativeCaptcha, Kocaptcha),
		row("Svc.Captcha.Kocaptcha", ":endpoint", String, "", func(s *Settings) any { return &s.Captcha.Endpoint }, "URL of a service that draws captchas"),
		row("Svc.Captcha", ":seconds_valid", Integer, 300, func(s *Settings) any { return &s.Captcha.SecondsValid },
			"How long a captcha may be solved, in seconds").between(1, maxInt),
		welcome(":direct_message :enabled", Boolean, false, func(w *Welcome) any { return &w.DirectMessage.Enabled }, "Whether new accounts get a direct message"),
		welcome(":direct_message :sender_nickname", String, "", func(w *Welcome) any { return &w.DirectMessage.SenderNickname }, "Nickname of the local account that the message comes from").null(""),
		welcome(":direct_message :message", String, "", func(w *Welcome) any { return &w.DirectMessage.Message }, "Text of the message to new accounts").null(""),
		welcome(":chat_message :enabled", Boolean, false, func(w *Welcome) any { return &w.ChatMessage.Enabled }, "Whether new accounts get a chat message"),
		welcome(":chat_message :sender_nickname", String, "", func(w *Welcome) any { return &w.ChatMessage.SenderNickname }, "Nickname of the local account that the message comes from").null(""),
		welcome(":chat_message :message", String, "", func(w *Welcome) any { return &w.ChatMessage.Message }, "Text of the message to new accounts").null(""),
		welcome(":email :enabled", Boolean, false, func(w *Welcome) any { return &w.Email.Enabled }, "Whether new accounts get a mail"),
		welcome(":email :sender", MailboxKind, Mailbox{}, func(w *Welcome) any { return &w.Email.Sender }, "Sender of the welcome mail: an address, or name and address; null is the instance").null(Mailbox{}),
		welcome(":email :subject", String, greeting, func(w *Welcome) any { return &w.Email.Subject }, "Subject of the welcome mail; <%= instance_name %>, <%= user.name %> and <%= user.nickname %> are filled in"),
		welcome(":email :html", String, greeting, func(w *Welcome) any { return &w.Email.HTML }, "Text of the welcome mail as HTML, with the same words filled in as the subject"),
		welcome(":email :text", String, greeting, func(w *Welcome) any { return &w.Email.Text }, "Plain text of the welcome mail, with the same words filled in as the subject"),
	}
}

func isAddress(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s
}

// smtpSettings are the boot settings for mail, below those saved as
// Svc.Emails.Mailer.
func smtpSettings() []bootSetting {
	return []bootSetting{
		{
			name: "smtp_host", inFile: true, env: "SVC_SMTP_HOST", accepted: "the host name of a mail relay",
			set: func(c *Config, value string) bool {
				c.Settings.Mailer.Enabled, c.Settings.Mailer.Adapter, c.Settings.Mailer.Relay = true, SMTP, value
				return isHost(value)
			},
		},
		{
			name: "smtp_port", inFile: true, env: "SVC_SMTP_PORT", accepted: "a port from 1 to 65535",
			set: func(c *Config, value string) bool {
				port, err := strconv.ParseUint(value, 10, 16)
				c.Settings.Mailer.Port = int(port)
				return err == nil && port > 0
			},
		},
		{
			name: "smtp_user", inFile: true, env: "SVC_SMTP_USER", accepted: "a name known to the relay",
			set: func(c *Config, value string) bool {
				c.Settings.Mailer.Username = value
				return !strings.ContainsAny(value, "\r\n\x00")
			},
		},
		{
			name: "smtp_password", inFile: true, env: "SVC_SMTP_PASSWORD", secret: true, accepted: "the password of SVC_SMTP_USER",
			set: func(c *Config, value string) bool {
				c.Settings.Mailer.Password = value
				return !strings.ContainsAny(value, "\r\n\x00")
			},
		},
		{
			name: "smtp_from", inFile: true, env: "SVC_SMTP_FROM", accepted: "the address that mail comes from",
			set: func(c *Config, value string) bool {
				c.Settings.Instance.NotifyEmail = value
				return isAddress(value)
			},
		},
		{
			name: "smtp_tls", inFile: true, env: "SVC_SMTP_TLS",
			accepted: "auto (encrypted where the relay can), starttls (always), tls (encrypted from the first byte) or none",
			set:      setSMTPTLS,
		},
	}
}

func setSMTPTLS(c *Config, value string) bool {
	m := &c.Settings.Mailer
	m.SSL = value == "tls"
	m.TLS = map[string]string{"auto": ":if_available", "starttls": ":always", "tls": ":if_available", "none": ":never"}[value]
	if m.TLS == "" {
		m.TLS = ":if_available"
	}
	return slices.Contains([]string{"auto", "starttls", "tls", "none"}, value)
}
