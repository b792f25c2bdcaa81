package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/mail"
)

// The kinds of second factor that answer a challenge.
const (
	TOTP     = "totp"
	Recovery = "recovery"
)

const (
	// mfaLife is the time for the second factor after the password.
	mfaLife = 5 * time.Minute
	// mfaTries bounds the codes for one right password.
	mfaTries = 5
	// An account accepts no codes after mfaWrong wrong ones within mfaWindow.
	// The limit is per account, since somebody who reaches this step knows the
	// password.
	mfaWrong  = 10
	mfaWindow = 10 * time.Minute
)

var (
	// ErrCode refuses a second factor.
	ErrCode = fault.Malformed("Invalid code")

	errPassword = fault.Invalid("Invalid password.")
	errToken    = fault.Invalid("invalid_token")
)

// MFARequired means that the password was right and a second factor must
// follow, with StartMFA.
type MFARequired struct{ *Proof }

// Error returns the text of the API.
func (*MFARequired) Error() string { return "mfa_required" }

// MFAChallenge is MFARequired for an app: Token stands for the right password
// until the code follows.
type MFAChallenge struct{ Token string }

// Error is the API's word for it.
func (*MFAChallenge) Error() string { return "mfa_required" }

// StartMFA returns a token that stands for a right password for five minutes,
// in the browser with this secret alone; a program that is no browser has none.
// q is the consent to be given with the right code, nil for a session only.
func (s *Service) StartMFA(ctx context.Context, by *Proof, q *Question, browser string) (string, error) {
	t := &db.MFAToken{Browser: hashOf(browser)}
	if q != nil {
		t.AppID, t.Scopes, t.RedirectURI, t.CodeChallenge = &q.App.ID, strings.Join(q.Scopes, " "), q.RedirectURI, q.Challenge
	}
	return s.startMFA(ctx, by, t)
}

func (s *Service) startMFA(ctx context.Context, by *Proof, t *db.MFAToken) (string, error) {
	secret := Secret()
	t.TokenHash, t.AccountID, t.ExpiresAt = Hash(secret), by.Account.ID, db.At(s.now().Add(mfaLife))
	return secret, s.prove(ctx, by, func(in *Service, _ *db.Account) error { return in.db.CreateMFAToken(ctx, t) })
}

// Verified is the owner of both factors on a page, and the consent given, nil
// for a session only.
type Verified struct {
	*Proof
	Question *Question
}

// VerifyMFA takes a token of StartMFA, from its browser, with a code, and uses
// both up. kind is TOTP or Recovery. A wrong code is ErrCode; after too many,
// any code is fault.RateLimited.
func (s *Service) VerifyMFA(ctx context.Context, token, browser, kind, code string) (*Verified, error) {
	var v *Verified
	err := s.answerMFA(ctx, token, kind, code, func(t *db.MFAToken) bool { return ofPage(t, browser) },
		func(in *Service, t *db.MFAToken, by *Proof) error {
			q, err := in.questionOf(ctx, t)
			v = &Verified{by, q}
			return err
		})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// PendingMFA returns the consent of a token of StartMFA, nil for a session
// only. A token that VerifyMFA would refuse is ErrCode.
func (s *Service) PendingMFA(ctx context.Context, token, browser string) (*Question, error) {
	t, err := s.db.MFAToken(ctx, Hash(token))
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, ErrCode
	case err != nil:
		return nil, err
	case !ofPage(t, browser) || t.Attempts >= mfaTries:
		return nil, ErrCode
	}
	return s.questionOf(ctx, t)
}

// ofPage reports whether t was made by StartMFA for this browser.
func ofPage(t *db.MFAToken, browser string) bool {
	return (t.AppID == nil || t.RedirectURI != "") && t.Browser == hashOf(browser)
}

// hashOf is the hash of a secret, "" for none.
func hashOf(secret string) string {
	if secret == "" {
		return ""
	}
	return Hash(secret)
}

// questionOf returns the question of t. An app that is gone is ErrCode.
func (s *Service) questionOf(ctx context.Context, t *db.MFAToken) (*Question, error) {
	if t.AppID == nil {
		return nil, nil
	}
	app, err := s.db.App(ctx, *t.AppID)
	if errors.Is(err, db.ErrNotFound) {
		return nil, ErrCode
	}
	if err != nil {
		return nil, err
	}
	return &Question{App: app, RedirectURI: t.RedirectURI, Scopes: SplitScopes(t.Scopes), Challenge: t.CodeChallenge}, nil
}

// Challenge is an app's answer to an MFAChallenge. Type is TOTP or Recovery.
type Challenge struct {
	ClientID     string
	ClientSecret string
	Token        string
	Type         string
	Code         string
}

// AnswerChallenge issues the token of the password grant. Errors are as in
// VerifyMFA.
func (s *Service) AnswerChallenge(ctx context.Context, in Challenge) (issued *Issued, err error) {
	app, err := s.client(ctx, in.ClientID, in.ClientSecret)
	if err != nil {
		return nil, err
	}
	err = s.answerMFA(ctx, in.Token, in.Type, in.Code,
		func(t *db.MFAToken) bool { return t.AppID != nil && *t.AppID == app.ID && t.RedirectURI == "" },
		func(in *Service, t *db.MFAToken, by *Proof) (err error) {
			if issued, err = in.Issue(ctx, app.ID, by.Account, SplitScopes(t.Scopes)); err != nil {
				return err
			}
			return in.Use(ctx, app)
		})
	if err != nil {
		return nil, err
	}
	return issued, nil
}

// answerMFA checks a code for a token that fits, and runs its purpose in the
// transaction that uses both up. A wrong code is counted.
func (s *Service) answerMFA(ctx context.Context, token, kind, code string, fits func(*db.MFAToken) bool,
	then func(in *Service, t *db.MFAToken, by *Proof) error) error {
	asked, err := s.db.MFAToken(ctx, Hash(token))
	if errors.Is(err, db.ErrNotFound) || err == nil && !fits(asked) {
		return ErrCode
	}
	if err != nil {
		return err
	}
	var refused error
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		refused = ErrCode
		in := s.In(tx)
		account, u, standing := in.held(ctx, asked.AccountID)
		if errors.Is(standing, db.ErrNotFound) {
			return nil
		}
		if err := onlyFaults(standing); err != nil {
			return err
		}
		t, err := tx.TryMFAToken(ctx, asked.TokenHash, mfaTries)
		switch {
		case errors.Is(err, db.ErrNotFound):
			return nil
		case err != nil:
			return err
		case standing != nil:
			refused = standing
			return nil
		}
		if refused, err = in.checkCode(ctx, u, kind, code); err != nil || refused != nil {
			return err
		}
		if err := tx.DeleteMFAToken(ctx, t.TokenHash); err != nil {
			return err
		}
		return then(in, t, proofOf(account, u))
	})
	if err == nil {
		err = refused
	}
	return err
}

// onlyFaults drops a refusal, so that its transaction commits.
func onlyFaults(err error) error {
	if e := new(fault.Error); errors.As(err, &e) {
		return nil
	}
	return err
}

// checkCode uses a code up, or counts it as wrong and returns the refusal.
func (s *Service) checkCode(ctx context.Context, u *db.User, kind, code string) (refused, err error) {
	since := db.At(s.now().Add(-mfaWindow))
	if u.MFAWrong >= mfaWrong && u.MFAWrongSince.After(since.Time) {
		return fault.RateLimited("Throttled"), nil
	}
	ok := false
	if u.TOTPEnabled {
		switch kind {
		case TOTP:
			ok, err = s.useTOTP(ctx, u, code)
		case Recovery:
			ok, err = s.useBackupCode(ctx, u, code)
		}
	}
	if err != nil || ok {
		return nil, err
	}
	return ErrCode, s.db.CountWrongCode(ctx, u.AccountID, since)
}

func (s *Service) useTOTP(ctx context.Context, u *db.User, code string) (bool, error) {
	keys, err := s.seals(ctx)
	if err != nil {
		return false, err
	}
	secret, err := keys.unseal(sealTOTP, u.AccountID, u.TOTPSecret)
	if err != nil {
		return false, err
	}
	step, ok := totpStep(secret, code, s.settings.Load().MFA, s.now())
	if !ok {
		return false, nil
	}
	return s.db.UseTOTPStep(ctx, u.AccountID, step)
}

func (s *Service) useBackupCode(ctx context.Context, u *db.User, code string) (bool, error) {
	keys, err := s.seals(ctx)
	if err != nil {
		return false, err
	}
	hash, err := keys.codeHash(u.AccountID, strings.ToLower(strings.TrimSpace(code)))
	if err != nil {
		return false, err
	}
	i := slices.Index(u.BackupCodes, hash)
	if i < 0 {
		return false, nil
	}
	return s.db.ReplaceBackupCodes(ctx, u.AccountID, u.BackupCodes, slices.Delete(slices.Clone(u.BackupCodes), i, i+1))
}

// HasMFA reports whether an account has a second factor.
func (s *Service) HasMFA(ctx context.Context, account *db.Account) (bool, error) {
	u, err := s.db.User(ctx, account.ID)
	if err != nil {
		return false, err
	}
	return u.TOTPEnabled, nil
}

// TOTPSetup is a new secret: in base32, and as an address for a QR code.
type TOTPSetup struct{ Key, URI string }

// SetUpTOTP creates a secret that counts once a code of it is confirmed. Until
// then the account signs in as before.
func (s *Service) SetUpTOTP(ctx context.Context, account *db.Account) (*TOTPSetup, error) {
	u, err := s.db.User(ctx, account.ID)
	if err != nil {
		return nil, err
	}
	keys, err := s.seals(ctx)
	if err != nil {
		return nil, err
	}
	key := newTOTPKey()
	if u.TOTPPending, err = keys.seal(sealTOTP, account.ID, key); err != nil {
		return nil, err
	}
	if err := s.db.UpdateUser(ctx, u, "totp_pending"); err != nil {
		return nil, err
	}
	label := u.Email
	if label == "" {
		label = account.Nickname
	}
	settings := s.settings.Load()
	return &TOTPSetup{Key: key, URI: provisioningURI(key, label, settings.Instance.Name, settings.MFA)}, nil
}

// ConfirmTOTP activates the secret that was set up last, given the password and
// a code.
func (s *Service) ConfirmTOTP(ctx context.Context, account *db.Account, password, code string) error {
	return asInvalid(s.WithPassword(ctx, account, password, func(tx *db.DB) error {
		u, err := tx.User(ctx, account.ID)
		if err != nil {
			return err
		}
		keys, err := s.In(tx).seals(ctx)
		if err != nil {
			return err
		}
		secret, err := keys.unseal(sealTOTP, account.ID, u.TOTPPending)
		if err != nil {
			return err
		}
		step, ok := totpStep(secret, code, s.settings.Load().MFA, s.now())
		if !ok {
			return errToken
		}
		u.TOTPSecret, u.TOTPPending, u.TOTPEnabled, u.TOTPStep = u.TOTPPending, "", true, step
		u.CredentialVersion++ // the password alone no longer suffices
		if err := tx.UpdateUser(ctx, u, "totp_secret", "totp_pending", "totp_enabled", "totp_step", "credential_version"); err != nil {
			return err
		}
		return s.In(tx).tell(ctx, account, u, "your account asks for a second factor now, besides the password.")
	}))
}

// tell mails the owner of an account about a change of its credentials.
func (s *Service) tell(ctx context.Context, account *db.Account, u *db.User, change string) error {
	return mail.TellChange(ctx, s.db, s.settings.Load(), s.now(), account.Nickname, u.Email, change)
}

// RemoveTOTP removes the account's second factor, given its password.
func (s *Service) RemoveTOTP(ctx context.Context, account *db.Account, password string) error {
	return asInvalid(s.WithPassword(ctx, account, password, func(tx *db.DB) error {
		u, err := tx.User(ctx, account.ID)
		if err != nil {
			return err
		}
		return s.In(tx).endTOTP(ctx, account, u, append([]string{"backup_codes"}, totpColumns...)...)
	}))
}

// totpColumns are the columns of a user's second factor, without backup codes.
var totpColumns = []string{"totp_secret", "totp_pending", "totp_enabled", "totp_step", "mfa_wrong", "mfa_wrong_since"}

// DisableMFA removes a local account's second factor, for admins. The backup
// codes stay, for a new second factor. A remote or deleted account is
// db.ErrNotFound.
func (s *Service) DisableMFA(ctx context.Context, account *db.Account) error {
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, account.ID); err != nil {
			return err
		}
		u, err := tx.User(ctx, account.ID)
		if err != nil {
			return err
		}
		return s.In(tx).endTOTP(ctx, account, u, totpColumns...)
	})
}

// endTOTP removes the second factor of a held account and mails its owner.
// columns are those that u loses.
func (s *Service) endTOTP(ctx context.Context, account *db.Account, u *db.User, columns ...string) error {
	if err := s.db.UpdateUser(ctx, &db.User{AccountID: account.ID}, columns...); err != nil || !u.TOTPEnabled {
		return err
	}
	return s.tell(ctx, account, u, "your account does not ask for a second factor any more: the password alone opens it.")
}

// NewBackupCodes replaces the account's backup codes and returns the new ones,
// which cannot be read again.
func (s *Service) NewBackupCodes(ctx context.Context, account *db.Account) ([]string, error) {
	keys, err := s.seals(ctx)
	if err != nil {
		return nil, err
	}
	rules := s.settings.Load().MFA
	codes, hashes := make([]string, rules.BackupCodes), make(db.Slice[string], rules.BackupCodes)
	for i := range codes {
		raw := make([]byte, (rules.BackupCodeLength+1)/2)
		_, _ = rand.Read(raw)
		codes[i] = hex.EncodeToString(raw)[:rules.BackupCodeLength]
		if hashes[i], err = keys.codeHash(account.ID, codes[i]); err != nil {
			return nil, err
		}
	}
	return codes, s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, account.ID); err != nil {
			return err
		}
		u, err := tx.User(ctx, account.ID)
		if err != nil {
			return err
		}
		u.BackupCodes = hashes
		if err := tx.UpdateUser(ctx, u, "backup_codes"); err != nil {
			return err
		}
		return s.In(tx).tell(ctx, account, u, "your account was given new backup codes: those of before do not work any more.")
	})
}

// asInvalid converts a wrong password to the error of the endpoints for second
// factors.
func asInvalid(err error) error {
	if errors.Is(err, ErrPassword) {
		return errPassword
	}
	return err
}
