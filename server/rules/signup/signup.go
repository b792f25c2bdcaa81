// Package signup holds the beginning of accounts: registration, its rules,
// confirmation and approval, and resets of forgotten passwords. Later
// operations are in social; passwords and tokens are in auth, and this package
// calls both.
package signup

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/mail"
	"svc/server/platform/naming"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
	"svc/server/platform/text"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/notify"
	"svc/server/rules/social"
)

// Parts are the dependencies of a Service.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Rights   *rights.Service
	Site     config.Site
	Auth     *auth.Service
	Social   *social.Service
	Chats    *chats.Service
	Mail     *mail.Service
	Outgoing *outgoing.Client // calls the captcha service, if the settings name one
	Now      func() time.Time
}

// Service creates local accounts.
type Service struct {
	db       *db.DB
	auth     *auth.Service
	social   *social.Service
	chats    *chats.Service
	mail     *mail.Service
	outgoing *outgoing.Client
	settings *config.Live
	rights   *rights.Service
	base     string
	words    naming.Words
	now      func() time.Time
}

// New returns a Service.
func New(p Parts) *Service {
	return &Service{
		db: p.DB, settings: p.Settings, rights: p.Rights, base: p.Site.Base, words: p.Site.Words, auth: p.Auth, social: p.Social, chats: p.Chats, mail: p.Mail, outgoing: p.Outgoing, now: p.Now,
	}
}

// In binds the service to a transaction.
func (s *Service) In(tx *db.DB) *Service {
	c := *s
	c.db, c.auth, c.social, c.chats = tx, s.auth.In(tx), s.social.In(tx), s.chats.In(tx)
	return &c
}

// NewAccount is a registration. An empty Name is the nickname.
type NewAccount struct {
	Nickname string
	Email    string
	Password string
	Name     string
	Bio      string
	Reason   string
	Locale   string // the language of the account, and of its statuses by default
	Invite   string
	Captcha  Solution
	Addr     string // the client's address: registrations from one address take turns
}

// Registered is the outcome of a registration: a token, or a message and its
// identifier (missing_confirmed_email, awaiting_approval,
// manual_login_required) if the account may not sign in yet, or has no app for
// it.
type Registered struct {
	Account    *db.Account
	Token      *auth.Issued
	Message    string
	Identifier string
}

// Register creates an account for app and signs it in, if no other step comes
// first; a nil app is our own page. Refused inputs are fields of one refusal.
// The use of the invite, the account and its next steps are stored together or
// not at all.
func (s *Service) Register(ctx context.Context, app *auth.Identity, in NewAccount) (*Registered, error) {
	settings := s.settings.Load()
	in.Email = strings.TrimSpace(in.Email)
	if settings.Instance.AccountActivationRequired && in.Email == "" {
		return nil, fault.Malformed("Missing parameter: email")
	}
	if trusted := app != nil && app.App.Trusted; settings.Captcha.Enabled && !trusted {
		if err := s.solve(ctx, in.Captcha); err != nil {
			return nil, err
		}
	}
	if !settings.Instance.RegistrationsOpen {
		if err := s.checkInvite(ctx, in.Invite); err != nil {
			return nil, err
		}
	}
	row := &newRow{
		account: db.NewAccount(s.base, in.Nickname),
		user:    &db.User{Email: in.Email, RegistrationReason: in.Reason},
	}
	row.account.ConfirmationPending = settings.Instance.AccountActivationRequired
	row.account.ApprovalPending = settings.Instance.AccountApprovalRequired
	row.account.DefaultLanguage = text.Language(in.Locale)
	row.describe(in.Name, in.Bio, s.base)
	wrong, err := s.check(ctx, settings, row, in)
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return nil, fault.Invalid("", wrong...)
	}
	if row.user.PasswordHash, err = s.auth.HashPassword(ctx, in.Addr, in.Password); err != nil {
		return nil, err
	}
	var out *Registered
	err = s.db.Tx(ctx, func(tx *db.DB) (err error) {
		out, err = s.In(tx).register(ctx, settings, app, row, in.Invite)
		return err
	})
	return out, err
}

// register stores a checked registration in a transaction.
func (s *Service) register(ctx context.Context, settings *config.Settings, app *auth.Identity, row *newRow, invite string) (*Registered, error) {
	if !settings.Instance.RegistrationsOpen {
		id, err := s.db.UseInvite(ctx, invite)
		if err != nil {
			return nil, err
		}
		if id == 0 {
			return nil, errInviteExpired
		}
		row.user.InviteID = &id
	}
	if err := s.insert(ctx, row); err != nil {
		return nil, err
	}
	staff, err := s.db.Moderators(ctx)
	if err != nil {
		return nil, err
	}
	// Who may not read accounts is not shown it.
	if err := notify.Notify(ctx, s.db, db.News{Type: db.NotifySignUp, From: row.account}, staff...); err != nil {
		return nil, err
	}
	if err := s.proceed(ctx, settings, row.account, row.user); err != nil {
		return nil, err
	}
	if app != nil {
		if err := s.auth.Use(ctx, &app.App); err != nil {
			return nil, err
		}
	}
	out := &Registered{Account: row.account}
	switch a := row.account; {
	case a.ApprovalPending && a.ConfirmationPending:
		out.Message, out.Identifier = "Your account was created. Confirm your e-mail address; you can sign in as soon as your account has been approved, too.", "awaiting_approval"
	case a.ApprovalPending:
		out.Message, out.Identifier = "Your account was created. You can sign in as soon as it has been approved.", "awaiting_approval"
	case a.ConfirmationPending:
		out.Message, out.Identifier = "Your account was created. Confirm your e-mail address to sign in.", "missing_confirmed_email"
	case app == nil:
		out.Message, out.Identifier = "Your account was created. You can sign in now.", "manual_login_required"
	default:
		var err error
		out.Token, err = s.auth.Issue(ctx, app.App.ID, a, app.Scopes)
		return out, err
	}
	return out, nil
}

// NewUser is a local user created by a command on the machine. Without a
// Password it cannot sign in with one; Email may be empty.
type NewUser struct {
	Nickname string
	Email    string
	Password string
	// PasswordHash is made by auth.HashPassword, in place of a Password.
	PasswordHash string
	Name         string
	Bio          string
	Admin        bool
	Moderator    bool
}

// CreateUser creates a confirmed, approved local user, whether registration is
// open or not. The rules of names apply; addresses may be of any domain.
func (s *Service) CreateUser(ctx context.Context, in NewUser) (*db.Account, error) {
	row := &newRow{account: db.NewAccount(s.base, in.Nickname), user: &db.User{Email: strings.TrimSpace(in.Email), PasswordHash: in.PasswordHash}}
	row.account.IsAdmin, row.account.IsModerator = in.Admin, in.Moderator
	row.describe(in.Name, in.Bio, s.base)
	settings := *s.settings.Load()
	settings.User.EmailBlacklist = nil
	wrong, err := s.check(ctx, &settings, row, NewAccount{Nickname: in.Nickname, Email: row.user.Email, Name: in.Name, Bio: in.Bio, Password: "unchecked"})
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return nil, fault.Invalid("", wrong...)
	}
	if in.Password != "" {
		if row.user.PasswordHash, err = s.auth.HashPassword(ctx, in.Nickname, in.Password); err != nil {
			return nil, err
		}
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error { return s.In(tx).insert(ctx, row) })
	if err != nil {
		return nil, err
	}
	return row.account, nil
}

// Admit creates a confirmed user for an account of the directory, under its
// name there. A mail address that is not allowed, or taken, is left out, and a
// long display name is cut.
func (s *Service) Admit(ctx context.Context, n *auth.Newcomer) (*db.Account, error) {
	in := NewUser{Nickname: n.Nickname, Email: n.Email, Name: n.Name}
	if most := s.settings.Load().Instance.UserNameLength; utf8.RuneCountInString(in.Name) > most {
		in.Name = string([]rune(in.Name)[:most])
	}
	if emailFault(nil, in.Email) != "" {
		in.Email = ""
	}
	a, err := s.CreateUser(ctx, in)
	var refused *fault.Error
	if in.Email != "" && errors.As(err, &refused) && slices.ContainsFunc(refused.Fields, func(f fault.Field) bool { return f.Name == "email" }) {
		in.Email = ""
		return s.CreateUser(ctx, in)
	}
	return a, err
}

// newRow is an account and its user before they are stored.
type newRow struct {
	account *db.Account
	user    *db.User
}

// describe fills in the presentation of the account.
func (r *newRow) describe(name, bio, base string) {
	if name = text.Line(name); name != "" {
		r.account.DisplayName = name
	}
	bio, _ = text.Clean(bio)
	r.account.Note = strings.TrimSpace(bio)
	r.account.NoteHTML = text.Format(bio, text.TypePlain, text.Options{BaseURL: base, Bio: true}).HTML
}

// insert stores the rows. A name or address that was taken concurrently is a
// refusal.
func (s *Service) insert(ctx context.Context, row *newRow) error {
	row.account.Emojis = s.social.Emojis(row.account.DisplayName, row.account.Note)
	row.account.ID, row.account.Serial = "", 0 // a transaction may run again
	err := s.db.CreateAccount(ctx, row.account)
	if errors.Is(err, db.ErrDuplicate) {
		return fault.Invalid("", fault.Field{Name: "nickname", Message: taken})
	}
	if err != nil {
		return err
	}
	row.user.AccountID = row.account.ID
	err = s.db.CreateUser(ctx, row.user)
	if errors.Is(err, db.ErrDuplicate) {
		return fault.Invalid("", fault.Field{Name: "email", Message: taken})
	}
	return err
}

// newToken returns 32 random bytes as base64url with padding, for invites and
// links.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails, by crypto/rand's contract
	return base64.URLEncoding.EncodeToString(b[:])
}
