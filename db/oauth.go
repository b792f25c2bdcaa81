package db

import (
	"context"
	"errors"
	"fmt"
)

// App is a registered OAuth client.
type App struct {
	ID           int64 `gorm:"primaryKey;autoIncrement"`
	Name         string
	Website      string
	RedirectURIs string `gorm:"column:redirect_uris"` // as registered
	Scopes       string // space-separated
	ClientID     string
	Secret       string `gorm:"column:client_secret"` // sealed by package auth, if Sealed
	Sealed       bool
	Trusted      bool
	Used         bool // an unused app is swept
	CreatedAt    Time `gorm:"autoCreateTime:false"`
}

// Authorisation is the consent that an app exchanges for a token, by the hash
// of its code.
type Authorisation struct {
	CodeHash            string `gorm:"primaryKey"`
	AppID               int64
	AccountID           string
	Scopes              string
	RedirectURI         string `gorm:"column:redirect_uri"`
	CodeChallenge       string
	CodeChallengeMethod string
	ExpiresAt           Time
	CreatedAt           Time `gorm:"autoCreateTime:false"`
}

// Token is an access token, and the refresh token issued with it, as hashes.
type Token struct {
	ID           int64 `gorm:"primaryKey;autoIncrement"`
	TokenHash    string
	RefreshHash  *string
	CodeHash     *string // of the code that it was exchanged for, nil for none
	CodeUsedAt   Time
	VerifierHash *string // of the verifier that came with the code
	AppID        int64
	AccountID    *string // nil for an app's own token
	Scopes       string
	SSHKeyID     *int64 `gorm:"column:ssh_key_id"` // of the SSH session that it is for
	ExpiresAt    Time
	CreatedAt    Time `gorm:"autoCreateTime:false"`
}

// Session is a browser signed in on the server's own pages.
type Session struct {
	IDHash    string `gorm:"primaryKey"`
	AccountID string
	ExpiresAt Time
	CreatedAt Time `gorm:"autoCreateTime:false"`
}

// SessionUse is a session with the current version of its user's credentials: a
// change of the credentials ends the session.
type SessionUse struct {
	Session
	CredentialVersion int64
}

// CreateApp inserts a.
func (d *DB) CreateApp(ctx context.Context, a *App) error {
	if a.CreatedAt.IsZero() {
		a.CreatedAt = d.Now()
	}
	return create(ctx, d, a, "create app %s", a.Name)
}

// AppByClientID returns the app with this client id.
func (d *DB) AppByClientID(ctx context.Context, clientID string) (*App, error) {
	return one[App](ctx, d, "app by client id", "SELECT * FROM apps WHERE client_id = ?", clientID)
}

// App returns the app with this number.
func (d *DB) App(ctx context.Context, id int64) (*App, error) {
	return one[App](ctx, d, fmt.Sprintf("app %d", id), "SELECT * FROM apps WHERE id = ?", id)
}

// HeldApp is App with the row locked until the transaction ends, so that no
// change of it is lost.
func (d *DB) HeldApp(ctx context.Context, id int64) (*App, error) {
	return one[App](ctx, d, fmt.Sprintf("app %d", id), "SELECT * FROM apps WHERE id = ?"+d.hold(), id)
}

// CreateAuthorisation inserts a.
func (d *DB) CreateAuthorisation(ctx context.Context, a *Authorisation) error {
	if a.CreatedAt.IsZero() {
		a.CreatedAt = d.Now()
	}
	return create(ctx, d, a, "create authorisation of %s", a.AccountID)
}

// Authorisation returns the authorisation of an app with this code, expired or
// not. It reads from the writing connection, since the code may be new.
func (d *DB) Authorisation(ctx context.Context, codeHash string, appID int64) (*Authorisation, error) {
	return one[Authorisation](ctx, d.writing(), "authorisation", "SELECT * FROM authorisations WHERE code_hash = ? AND app_id = ?", codeHash, appID)
}

// TakeAuthorisation removes and returns the authorisation of an app with this
// code. Of concurrent calls one gets it. An expired code is ErrNotFound.
func (d *DB) TakeAuthorisation(ctx context.Context, codeHash string, appID int64) (*Authorisation, error) {
	a, err := one[Authorisation](ctx, d.writing(), "take authorisation",
		"DELETE FROM authorisations WHERE code_hash = ? AND app_id = ? RETURNING *", codeHash, appID)
	if err != nil {
		return nil, err
	}
	if !d.Now().Before(a.ExpiresAt.Time) {
		return nil, notFound("expired authorisation")
	}
	return a, nil
}

// TrimAppTokens removes an app's own tokens but the newest keep.
func (d *DB) TrimAppTokens(ctx context.Context, appID int64, keep int) error {
	rows, err := list[Token](ctx, d.writing(), fmt.Sprintf("trim tokens of app %d", appID), `DELETE FROM tokens WHERE app_id = ? AND account_id IS NULL AND id <= (
		SELECT id FROM tokens WHERE app_id = ? AND account_id IS NULL ORDER BY id DESC LIMIT 1 OFFSET ?) RETURNING *`, appID, appID, keep)
	for i := range rows {
		err = errors.Join(err, d.forgetToken(ctx, &rows[i]))
	}
	return err
}

// CreateToken inserts t.
func (d *DB) CreateToken(ctx context.Context, t *Token) error {
	if t.CreatedAt.IsZero() {
		t.CreatedAt = d.Now()
	}
	return create(ctx, d, t, "create token of app %d", t.AppID)
}

// RefreshToken returns the token of an app with this refresh token, expired or
// not, from the writing connection.
func (d *DB) RefreshToken(ctx context.Context, refreshHash string, appID int64) (*Token, error) {
	return one[Token](ctx, d.writing(), "refresh token", "SELECT * FROM tokens WHERE refresh_hash = ? AND app_id = ?", refreshHash, appID)
}

// RenewToken replaces the hashes and times of the token with the refresh token
// hash old by those of t; scopes, account and code stay. Concurrent calls run
// one after the other.
func (d *DB) RenewToken(ctx context.Context, old string, t *Token) error {
	renewed, err := one[Token](ctx, d.writing(), "renew token",
		"UPDATE tokens SET token_hash = ?, refresh_hash = ?, expires_at = ?, created_at = ? WHERE refresh_hash = ? AND app_id = ? RETURNING *",
		t.TokenHash, t.RefreshHash, t.ExpiresAt, t.CreatedAt, old, t.AppID)
	if err != nil {
		return err
	}
	*t = *renewed
	return d.forgetToken(ctx, t)
}

// DeleteToken removes the token with this hash or refresh token hash.
func (d *DB) DeleteToken(ctx context.Context, hash string) error {
	t, err := one[Token](ctx, d.writing(), "delete token", "DELETE FROM tokens WHERE token_hash = ? OR refresh_hash = ? RETURNING *", hash, hash)
	if err != nil {
		return err
	}
	return d.forgetToken(ctx, t)
}

// DeleteCodeTokens removes the tokens of an app that were issued for a code, but for
// one that was issued since a moment to who showed the same verifier, by its hash; none
// is no error.
func (d *DB) DeleteCodeTokens(ctx context.Context, codeHash string, appID int64, verifierHash string, since Time) error {
	rows, err := list[Token](ctx, d.writing(), "delete tokens of a code", `DELETE FROM tokens WHERE code_hash = ? AND app_id = ?
		AND (code_used_at IS NULL OR code_used_at < ? OR verifier_hash IS NULL OR verifier_hash <> ?) RETURNING *`, codeHash, appID, since, verifierHash)
	for i := range rows {
		err = errors.Join(err, d.forgetToken(ctx, &rows[i]))
	}
	return err
}

// DeleteAccountToken removes a token of this account by its number.
func (d *DB) DeleteAccountToken(ctx context.Context, accountID string, id int64) error {
	t, err := one[Token](ctx, d.writing(), "delete token", "DELETE FROM tokens WHERE id = ? AND account_id = ? RETURNING *", id, accountID)
	if err != nil {
		return err
	}
	return d.forgetToken(ctx, t)
}

// AccountTokenScopes returns the scopes of an account's unexpired token with this
// number.
func (d *DB) AccountTokenScopes(ctx context.Context, accountID string, id int64) (string, error) {
	return value[string](ctx, d, fmt.Sprintf("token %d", id), "SELECT scopes FROM tokens WHERE id = ? AND account_id = ? AND expires_at > ?", id, accountID, d.Now())
}

// forgetToken announces that caches must drop t.
func (d *DB) forgetToken(ctx context.Context, t *Token) error {
	if t.AccountID == nil {
		return d.Announce(ctx, AppChanged, "")
	}
	return d.Announce(ctx, AccountChanged, *t.AccountID)
}

// NamedToken is a token with the name of its app.
type NamedToken struct {
	ID        int64
	AppName   string
	ExpiresAt Time
}

// AccountTokens returns an account's valid tokens, newest first.
func (d *DB) AccountTokens(ctx context.Context, accountID string, limit int) ([]NamedToken, error) {
	return list[NamedToken](ctx, d, "tokens", `SELECT t.id, a.name AS app_name, t.expires_at FROM tokens t JOIN apps a ON a.id = t.app_id
		WHERE t.account_id = ? AND t.expires_at > ? ORDER BY t.id DESC LIMIT ?`, accountID, d.Now(), limit)
}

// LogIn is a token or a browser's session of an account.
type LogIn struct {
	ID        int64  // of a token, 0 for a browser
	AppName   string // "" for a browser
	Scopes    string // likewise
	KeyName   string // of the SSH key that signed in
	OverSSH   bool
	CreatedAt Time
	ExpiresAt Time
	Renewable bool // without signing in, once it expired
}

// LogIns returns the log-ins of an account that still open something, newest first.
func (d *DB) LogIns(ctx context.Context, accountID string, limit int) ([]LogIn, error) {
	now := d.Now()
	return list[LogIn](ctx, d, "log-ins", `SELECT * FROM (
		SELECT t.id, a.name AS app_name, t.scopes, COALESCE(k.name, '') AS key_name, t.ssh_key_id IS NOT NULL AS over_ssh, t.created_at, t.expires_at, t.refresh_hash IS NOT NULL AS renewable
		FROM tokens t JOIN apps a ON a.id = t.app_id LEFT JOIN ssh_keys k ON k.id = t.ssh_key_id
		WHERE t.account_id = ? AND (t.expires_at > ? OR t.refresh_hash IS NOT NULL)
		UNION ALL SELECT 0, '', '', '', FALSE, created_at, expires_at, FALSE FROM sessions WHERE account_id = ? AND expires_at > ?
		) l ORDER BY created_at DESC, id DESC LIMIT ?`, accountID, now, accountID, now, limit)
}

// DeleteLogins removes all tokens, codes, sessions and pending logins of an
// account, some hundred in a statement: all of them end at once.
func (d *DB) DeleteLogins(ctx context.Context, accountID string) error {
	for _, of := range []struct{ table, key string }{{"tokens", "id"}, {"authorisations", "code_hash"}, {"sessions", "id_hash"}, {"mfa_tokens", "token_hash"}} {
		for n := int64(sweepSize); n == sweepSize; {
			var err error
			if n, err = d.exec(ctx, "delete logins", "DELETE FROM "+of.table+" WHERE "+d.inOrder(of.table, of.key, "account_id = ?", sweepSize), accountID); err != nil {
				return err
			}
		}
	}
	return d.Announce(ctx, AccountChanged, accountID)
}

// CreateSession inserts s.
func (d *DB) CreateSession(ctx context.Context, s *Session) error {
	if s.CreatedAt.IsZero() {
		s.CreatedAt = d.Now()
	}
	return create(ctx, d, s, "create session of %s", s.AccountID)
}

// Session returns the unexpired session with this hash.
func (d *DB) Session(ctx context.Context, hash string) (*SessionUse, error) {
	s, err := value[SessionUse](ctx, d, "session", `SELECT s.*, u.credential_version FROM sessions s JOIN users u ON u.account_id = s.account_id
		WHERE s.id_hash = ? AND s.expires_at > ?`, hash, d.Now())
	return &s, err
}

// DeleteSession ends a session; an unknown one is no error.
func (d *DB) DeleteSession(ctx context.Context, hash string) error {
	_, err := d.exec(ctx, "delete session", "DELETE FROM sessions WHERE id_hash = ?", hash)
	return err
}

// SweepLogins removes up to limit expired codes, sessions and pending second
// factors each, and tokens too if asked. Expired tokens can still be refreshed.
// It reports whether there may be more.
func (d *DB) SweepLogins(ctx context.Context, tokens bool, limit int) (more bool, err error) {
	now := d.Now()
	old := []aged{{"authorisations", "code_hash", "expires_at", now}, {"sessions", "id_hash", "expires_at", now}, {"mfa_tokens", "token_hash", "expires_at", now}}
	if tokens {
		old = append(old, aged{"tokens", "id", "expires_at", now})
	}
	return d.sweep(ctx, limit, old...)
}
