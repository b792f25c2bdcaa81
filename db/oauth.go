package db

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
