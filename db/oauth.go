package db

import (
	"context"

	"gorm.io/gorm"
)

// App is a registered OAuth client.
type App struct {
	ID           int64 `gorm:"primaryKey;autoIncrement"`
	Name         string
	Website      string
	RedirectURIs string `gorm:"column:redirect_uris"` // as registered
	Scopes       string // space-separated
	ClientID     string
	ClientSecret string
	Trusted      bool
	CreatedAt    Time `gorm:"autoCreateTime:false"`
}

// Authorisation is a code that a person's consent gave to an app, kept as its
// hash until it is exchanged.
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

// Token is an access token, and the refresh token given with it, as hashes.
type Token struct {
	ID          int64 `gorm:"primaryKey;autoIncrement"`
	TokenHash   string
	RefreshHash *string
	AppID       int64
	AccountID   *string // nil for an app's own token
	Scopes      string
	ExpiresAt   Time
	CreatedAt   Time `gorm:"autoCreateTime:false"`
}

// Session is a browser signed in on the server's own pages.
type Session struct {
	IDHash    string `gorm:"primaryKey"`
	AccountID string
	ExpiresAt Time
	CreatedAt Time `gorm:"autoCreateTime:false"`
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
	a, err := pickFrom[App](d.orm).Where("client_id = ?", clientID).Take(ctx)
	if err != nil {
		return nil, wrap(err, "app by client id")
	}
	return &a, nil
}

// App returns the app with this number.
func (d *DB) App(ctx context.Context, id int64) (*App, error) {
	a, err := pickFrom[App](d.orm).Where("id = ?", id).Take(ctx)
	if err != nil {
		return nil, wrap(err, "app %d", id)
	}
	return &a, nil
}

// CreateAuthorisation inserts a.
func (d *DB) CreateAuthorisation(ctx context.Context, a *Authorisation) error {
	if a.CreatedAt.IsZero() {
		a.CreatedAt = d.Now()
	}
	return create(ctx, d, a, "create authorisation of %s", a.AccountID)
}

// TakeAuthorisation removes and returns what an app was promised for a code:
// of several that ask at once, one gets it. An expired code is ErrNotFound.
func (d *DB) TakeAuthorisation(ctx context.Context, codeHash string, appID int64) (*Authorisation, error) {
	a, err := take[Authorisation](ctx, d, "take authorisation",
		"DELETE FROM authorisations WHERE code_hash = ? AND app_id = ? RETURNING *", codeHash, appID)
	if err != nil {
		return nil, err
	}
	if !d.Now().Before(a.ExpiresAt.Time) {
		return nil, wrap(gorm.ErrRecordNotFound, "expired authorisation")
	}
	return a, nil
}

// CreateToken inserts t.
func (d *DB) CreateToken(ctx context.Context, t *Token) error {
	if t.CreatedAt.IsZero() {
		t.CreatedAt = d.Now()
	}
	return create(ctx, d, t, "create token of app %d", t.AppID)
}

// TakeRefreshToken removes and returns the token, expired or not, that an app
// was given with this refresh token.
func (d *DB) TakeRefreshToken(ctx context.Context, refreshHash string, appID int64) (*Token, error) {
	t, err := take[Token](ctx, d, "take refresh token",
		"DELETE FROM tokens WHERE refresh_hash = ? AND app_id = ? RETURNING *", refreshHash, appID)
	if err != nil {
		return nil, err
	}
	return t, d.forgetToken(ctx, t)
}

// DeleteToken removes the token with this hash, or given with a refresh token
// of this hash.
func (d *DB) DeleteToken(ctx context.Context, hash string) error {
	t, err := take[Token](ctx, d, "delete token", "DELETE FROM tokens WHERE token_hash = ? OR refresh_hash = ? RETURNING *", hash, hash)
	if err != nil {
		return err
	}
	return d.forgetToken(ctx, t)
}

// DeleteAccountToken removes a token of this account by its number.
func (d *DB) DeleteAccountToken(ctx context.Context, accountID string, id int64) error {
	t, err := take[Token](ctx, d, "delete token", "DELETE FROM tokens WHERE id = ? AND account_id = ? RETURNING *", id, accountID)
	if err != nil {
		return err
	}
	return d.forgetToken(ctx, t)
}

// forgetToken tells those who remember whom t stood for.
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

// AccountTokens returns an account's tokens that still work, newest first.
func (d *DB) AccountTokens(ctx context.Context, accountID string, limit int) ([]NamedToken, error) {
	var rows []NamedToken
	err := d.reader(ctx).Raw(`SELECT t.id, a.name AS app_name, t.expires_at FROM tokens t JOIN apps a ON a.id = t.app_id
		WHERE t.account_id = ? AND t.expires_at > ? ORDER BY t.id DESC LIMIT ?`, accountID, d.Now(), limit).Scan(&rows).Error
	return rows, wrap(err, "tokens of %s", accountID)
}

// DeleteLogins removes everything that an account signed in with, or is about
// to: tokens, codes, sessions.
func (d *DB) DeleteLogins(ctx context.Context, accountID string) error {
	for _, query := range []string{
		"DELETE FROM tokens WHERE account_id = ?",
		"DELETE FROM authorisations WHERE account_id = ?",
		"DELETE FROM sessions WHERE account_id = ?",
		"DELETE FROM mfa_tokens WHERE account_id = ?",
	} {
		if _, err := d.exec(ctx, "delete logins", query, accountID); err != nil {
			return err
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
func (d *DB) Session(ctx context.Context, hash string) (*Session, error) {
	s, err := pickFrom[Session](d.orm).Where("id_hash = ? AND expires_at > ?", hash, d.Now()).Take(ctx)
	if err != nil {
		return nil, wrap(err, "session")
	}
	return &s, nil
}

// DeleteSession ends a session; an unknown one is no error.
func (d *DB) DeleteSession(ctx context.Context, hash string) error {
	_, err := d.exec(ctx, "delete session", "DELETE FROM sessions WHERE id_hash = ?", hash)
	return err
}

// SweepLogins removes up to limit of each kind of login that has expired: codes,
// sessions, what waits for a second factor, and tokens if asked to. Expired
// tokens can still be refreshed. It tells whether there may be more.
func (d *DB) SweepLogins(ctx context.Context, tokens bool, limit int) (more bool, err error) {
	kinds := []struct{ table, key string }{{"authorisations", "code_hash"}, {"sessions", "id_hash"}, {"mfa_tokens", "token_hash"}}
	if tokens {
		kinds = append(kinds, struct{ table, key string }{"tokens", "id"})
	}
	for _, k := range kinds {
		n, err := d.exec(ctx, "sweep "+k.table, "DELETE FROM "+k.table+" WHERE "+k.key+" IN (SELECT "+k.key+" FROM "+k.table+
			" WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)", d.Now(), limit)
		if err != nil {
			return false, err
		}
		more = more || n >= int64(limit)
	}
	return more, nil
}

// take runs a DELETE that returns the one row it removed.
func take[T any](ctx context.Context, d *DB, what, query string, args ...any) (*T, error) {
	var rows []T
	if err := d.writer(ctx).Raw(query, args...).Scan(&rows).Error; err != nil {
		return nil, wrap(err, "%s", what)
	}
	if len(rows) == 0 {
		return nil, wrap(gorm.ErrRecordNotFound, "%s", what)
	}
	return &rows[0], nil
}
