// Package signup holds how accounts begin: who may have one, under which name,
// and what stands between asking and signing in. What an account does later is
// social's; passwords and tokens are auth's, which it calls.
package signup

import (
	"context"
	"errors"
	"strings"
	"time"

	"svc/db"
	"svc/server/auth"
	"svc/server/config"
	"svc/server/fault"
	"svc/server/text"
)

// Service makes local accounts.
type Service struct {
	db       *db.DB
	auth     *auth.Service
	settings *config.Live
	base     string
	now      func() time.Time
}

// New returns a Service; base is the public base URL, without a slash, of which
// accounts' ids are made.
func New(d *db.DB, a *auth.Service, settings *config.Live, base string, now func() time.Time) *Service {
	return &Service{db: d, auth: a, settings: settings, base: base, now: now}
}

// In binds the service to a transaction.
func (s *Service) In(tx *db.DB) *Service {
	c := *s
	c.db, c.auth = tx, s.auth.In(tx)
	return &c
}

// NewAccount is what somebody registers with. No Name is the nickname.
type NewAccount struct {
	Nickname string
	Email    string
	Password string
	Name     string
	Bio      string
	Reason   string
	Invite   string
}

// Registered is the outcome of a registration: a token, or a message and its
// identifier (missing_confirmed_email, awaiting_approval) when the account may
// not sign in yet.
type Registered struct {
	Account    *db.Account
	Token      *auth.Issued
	Message    string
	Identifier string
}

// Register makes an account for whoever uses app, and signs it in there when
// nothing else has to happen first. Refused inputs are fields of one refusal.
func (s *Service) Register(ctx context.Context, app *auth.Identity, in NewAccount) (*Registered, error) {
	settings := s.settings.Load()
	rules := &settings.Instance
	in.Email = strings.TrimSpace(in.Email)
	if rules.AccountActivationRequired && in.Email == "" {
		return nil, fault.Malformed("Missing parameter: email")
	}
	if !rules.RegistrationsOpen {
		// Without an invitation nobody comes in, and none has been given out.
		if in.Invite == "" {
			return nil, fault.Malformed("Expired token")
		}
		return nil, fault.Malformed("Invalid token")
	}
	row := &newRow{
		account: db.NewAccount(s.base, in.Nickname),
		user:    &db.User{Email: in.Email, RegistrationReason: in.Reason},
	}
	row.account.ConfirmationPending = rules.AccountActivationRequired
	row.account.ApprovalPending = rules.AccountApprovalRequired
	row.describe(in.Name, in.Bio, s.base)
	wrong, err := s.check(ctx, settings, row, in)
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return nil, fault.Invalid("", wrong...)
	}
	if row.user.PasswordHash, err = s.auth.HashPassword(ctx, in.Password); err != nil {
		return nil, err
	}
	out := &Registered{Account: row.account}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		t := s.In(tx)
		if err := t.insert(ctx, row); err != nil {
			return err
		}
		switch {
		case row.account.ApprovalPending:
			out.Message, out.Identifier = "Your account was created. You can sign in as soon as it has been approved.", "awaiting_approval"
		case row.account.ConfirmationPending:
			out.Message, out.Identifier = "Your account was created. Confirm your e-mail address to sign in.", "missing_confirmed_email"
		default:
			out.Token, err = t.auth.Issue(ctx, app.App.ID, row.account, app.Scopes)
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// NewUser is a local user made by whoever holds the machine. Without a Password
// nobody can sign in with one; Email may be empty.
type NewUser struct {
	Nickname string
	Email    string
	Password string
	// PasswordHash is what auth.HashPassword made, instead of a Password.
	PasswordHash string
	Name         string
	Bio          string
	Admin        bool
	Moderator    bool
}

// CreateUser makes a confirmed, approved local user, whether registrations are
// open or not. Names keep the same rules; addresses may be of any domain.
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
		if row.user.PasswordHash, err = s.auth.HashPassword(ctx, in.Password); err != nil {
			return nil, err
		}
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error { return s.In(tx).insert(ctx, row) })
	if err != nil {
		return nil, err
	}
	return row.account, nil
}

// newRow is an account and its user before they are stored.
type newRow struct {
	account *db.Account
	user    *db.User
}

// describe fills in how the account presents itself.
func (r *newRow) describe(name, bio, base string) {
	name, _ = text.Clean(name)
	if name = strings.TrimSpace(strings.ReplaceAll(name, "\n", " ")); name != "" {
		r.account.DisplayName = name
	}
	bio, _ = text.Clean(bio)
	r.account.Note = strings.TrimSpace(bio)
	r.account.NoteHTML = text.Format(bio, text.TypePlain, text.Options{BaseURL: base, Bio: true}).HTML
}

// insert stores the rows. Somebody quicker with the same name or address is
// told apart from a fault.
func (s *Service) insert(ctx context.Context, row *newRow) error {
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
