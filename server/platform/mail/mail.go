// Package mail writes mails and hands them to an SMTP server or a program. A
// mail is a template of two files, templates/NAME.txt (with the subject in the
// first line) and templates/NAME.html (the inside of its layout), filled in
// with named texts.
//
// Operations call Enqueue in their transaction; the job calls Send. The
// occasions of mails are decided by operations.
package mail

import (
	"bytes"
	"context"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
)

// The templates, with their data.
const (
	Confirmation    = "confirmation"     // nickname, link
	PasswordReset   = "password_reset"   // nickname, link, validity
	ApprovalPending = "approval_pending" // nickname
	Rejected        = "rejected"         // nickname, message
	Review          = "review"           // nickname, reason, link
	Invitation      = "invitation"       // name, link
	Report          = "report"           // reporter, account, comment, statuses
	Welcome         = "welcome"          // nickname, name
	Backup          = "backup"           // nickname, link
	NewUsers        = "new_users"        // users: a line for each, more: how many more, or ""
	Security        = "security"         // nickname, change: a sentence
)

// asked bounds the requested mails of one template to one mailbox in an hour.
const asked = 5

// Allow counts a requested mail, and reports whether it may be sent: five of
// one template to one mailbox an hour. It is called in the transaction that
// enqueues the mail.
func Allow(ctx context.Context, tx *db.DB, template, to string, now time.Time) (bool, error) {
	n, err := tx.CountMail(ctx, mailbox(to), template, db.At(now), db.At(now.Add(-time.Hour)))
	return n <= asked, err
}

// mailbox is what addresses of one mailbox have in common: neither case nor what
// follows a plus sign makes another.
func mailbox(address string) string {
	name, host, _ := strings.Cut(strings.ToLower(strings.TrimSpace(address)), "@")
	name, _, _ = strings.Cut(name, "+")
	return name + "@" + strings.TrimSuffix(host, ".")
}

// TellChange mails the owner of a mailbox about a change of their credentials,
// once tx commits.
func TellChange(ctx context.Context, tx *db.DB, settings *config.Settings, now time.Time, nickname, to, change string) error {
	if to == "" || !settings.Mailer.On() {
		return nil
	}
	if ok, err := Allow(ctx, tx, Security, to, now); err != nil || !ok {
		return err
	}
	return Enqueue(ctx, tx, settings, Security, map[string]string{"nickname": nickname, "change": change}, to)
}

// Service sends mails by the current settings.
type Service struct {
	settings *config.Live
	base     string
	host     string
	now      func() time.Time
	mails    map[string]*template
}

// New returns a Service of the instance at base, the public base URL without a
// trailing slash.
func New(settings *config.Live, base string, now func() time.Time) (*Service, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("mail from %s: %w", base, err)
	}
	s := &Service{settings: settings, base: base, host: u.Hostname(), now: now}
	s.mails, err = parse()
	return s, err
}

// Enqueue enqueues a mail to each of the addresses, once tx commits. While mail
// is off it does nothing.
func Enqueue(ctx context.Context, tx *db.DB, settings *config.Settings, template string, data map[string]string, to ...string) error {
	if !settings.Mailer.On() {
		return nil
	}
	all := make([]jobs.SendMail, len(to))
	for i, address := range to {
		all[i] = jobs.SendMail{To: address, Template: template, Data: data}
	}
	return jobs.EnqueueAll(ctx, tx, all)
}

// Send writes and sends a mail. A retry with the same id can be recognised as a
// duplicate. A permanent failure is a *Refused; without an SMTP server, mail is
// dropped. Errors name the template, and a masked recipient.
func (s *Service) Send(ctx context.Context, id string, m jobs.SendMail) error {
	settings := s.settings.Load()
	if !settings.Mailer.On() {
		return nil
	}
	l, err := s.letter(settings, id, m)
	if err == nil {
		err = deliver(ctx, &settings.Mailer, s.host, l)
	} else {
		err = &Refused{err}
	}
	if err != nil {
		return fmt.Errorf("mail %s to %s: %w", m.Template, masked(m.To), err)
	}
	return nil
}

// masked returns an address in a form for the log.
func masked(address string) string {
	i := strings.LastIndexByte(address, '@')
	if i <= 0 {
		return "nobody"
	}
	_, first := utf8.DecodeRuneInString(address)
	return printable(address[:first] + "…" + address[i:])
}

// letter is a rendered mail. Addresses are in angle brackets.
type letter struct {
	from, to string
	text     []byte
}

// letter writes m.
func (s *Service) letter(settings *config.Settings, id string, m jobs.SendMail) (*letter, error) {
	text, err := s.render(settings, m)
	if err != nil {
		return nil, err
	}
	to, err := mail.ParseAddress(m.To)
	if err != nil || to.Address != m.To {
		return nil, fmt.Errorf("the recipient has no usable address")
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	from := s.from(settings)
	if m.Template == Welcome && settings.Welcome.Email.Sender.Address != "" {
		from = &mail.Address{Name: oneLine(settings.Welcome.Email.Sender.Name), Address: settings.Welcome.Email.Sender.Address}
	}
	msg.FromMailAddress(from)
	msg.ToMailAddress(to)
	msg.SetDateWithValue(s.now())
	msg.SetMessageIDWithValue(id + "@" + s.host)
	msg.SetGenHeader(gomail.Header("Auto-Submitted"), "auto-generated") // RFC 3834
	msg.SetGenHeader(gomail.HeaderXAutoResponseSuppress, "All")
	msg.SetBodyString(gomail.TypeTextPlain, text.plain)
	msg.AddAlternativeString(gomail.TypeTextHTML, text.html)
	msg.Subject("svc")
	var raw bytes.Buffer
	if _, err := msg.WriteTo(&raw); err != nil {
		return nil, err
	}
	l := &letter{from: bare(from), to: bare(to), text: raw.Bytes()}
	l.set("Subject", phrase(text.subject, false))
	l.set("From", append(phrase(from.Name, true), l.from))
	return l, nil
}

// bare returns an address without a name.
func bare(a *mail.Address) string { return (&mail.Address{Address: a.Address}).String() }

// from returns the instance's sender address.
func (s *Service) from(settings *config.Settings) *mail.Address {
	i := &settings.Instance
	for _, address := range []string{i.NotifyEmail, i.Email} {
		if a, err := mail.ParseAddress(address); err == nil {
			return &mail.Address{Name: oneLine(i.Name), Address: a.Address}
		}
	}
	host := s.host
	if strings.Contains(host, ":") {
		host = "[IPv6:" + host + "]"
	} else if strings.Trim(host, "0123456789.") == "" {
		host = "[" + host + "]"
	}
	return &mail.Address{Name: oneLine(i.Name), Address: "no-reply@" + host}
}
