package api

// NewApp is the form of POST /api/v1/apps. RedirectURIs and Scopes are lists
// separated by spaces.
type NewApp struct {
	ClientName   string `json:"client_name" form:"client_name" binding:"required"`
	RedirectURIs string `json:"redirect_uris" form:"redirect_uris" binding:"required"`
	Scopes       string `json:"scopes,omitempty" form:"scopes"`
	Website      string `json:"website,omitempty" form:"website"`
}

// App is a registered client with its credentials, the entity CredentialApp.
// RedirectURI has all RedirectURIs, one a line; the id is an integer printed as a string.
// The secret does not expire.
type App struct {
	ID           string  `json:"id"`
	Name         string  `json:"name"`
	Website      *string `json:"website"`
	RedirectURI  string  `json:"redirect_uri"`
	ClientID     string  `json:"client_id"`
	ClientSecret string  `json:"client_secret"`
	VAPIDKey     string  `json:"vapid_key,omitempty"`

	RedirectURIs          List[string] `json:"redirect_uris"`
	Scopes                List[string] `json:"scopes"`
	ClientSecretExpiresAt int64        `json:"client_secret_expires_at"`
}

// VerifiedApp answers GET /api/v1/apps/verify_credentials.
type VerifiedApp struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Website  *string `json:"website"`
	VAPIDKey string  `json:"vapid_key,omitempty"`

	RedirectURI  string       `json:"redirect_uri"`
	RedirectURIs List[string] `json:"redirect_uris"`
	Scopes       List[string] `json:"scopes"`
}

// TokenRequest is the form of POST /oauth/token; the client's credentials may
// also come by HTTP Basic. GrantType says which other fields count.
type TokenRequest struct {
	GrantType    string `json:"grant_type" form:"grant_type"`
	ClientID     string `json:"client_id,omitempty" form:"client_id"`
	ClientSecret string `json:"client_secret,omitempty" form:"client_secret"`
	Code         string `json:"code,omitempty" form:"code"`                   // authorization_code
	RedirectURI  string `json:"redirect_uri,omitempty" form:"redirect_uri"`   // authorization_code
	CodeVerifier string `json:"code_verifier,omitempty" form:"code_verifier"` // authorization_code, RFC 7636
	Username     string `json:"username,omitempty" form:"username"`           // password: nickname or email
	Password     string `json:"password,omitempty" form:"password"`           // password
	Scope        string `json:"scope,omitempty" form:"scope"`
	RefreshToken string `json:"refresh_token,omitempty" form:"refresh_token"` // refresh_token
}

// Token is an OAuth token. ExpiresIn is in seconds, CreatedAt Unix time; Me is
// the user's ActivityPub id, absent from an app's token.
type Token struct {
	TokenType    string `json:"token_type"`
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token,omitempty"`
	ExpiresIn    int64  `json:"expires_in,omitempty"`
	Scope        string `json:"scope"`
	CreatedAt    int64  `json:"created_at"`
	Me           string `json:"me,omitempty"`
}

// RevokeRequest is the form of POST /oauth/revoke.
type RevokeRequest struct {
	Token        string `json:"token" form:"token"`
	ClientID     string `json:"client_id,omitempty" form:"client_id"`
	ClientSecret string `json:"client_secret,omitempty" form:"client_secret"`
}

// GivenToken is one of a user's tokens, an item of GET /api/oauth_tokens.
type GivenToken struct {
	ID         int64  `json:"id"`
	AppName    string `json:"app_name"`
	ValidUntil Time   `json:"valid_until"`
}

// OAuthError is a refusal of the token endpoint. Error is the text or code
// that RFC 6749 clients read; an MFA refusal carries the last two fields.
type OAuthError struct {
	Error            string `json:"error"`
	ErrorDescription string `json:"error_description,omitempty"`
	Identifier       string `json:"identifier,omitempty"`
	MFAToken         string `json:"mfa_token,omitempty"`
	ChallengeTypes   string `json:"supported_challenge_types,omitempty"` // joined by commas
}

// OAuthServer answers GET /.well-known/oauth-authorization-server. Shape: RFC
// 8414, with the endpoint where apps register.
type OAuthServer struct {
	Issuer                        string       `json:"issuer"`
	AuthorizationEndpoint         string       `json:"authorization_endpoint"`
	TokenEndpoint                 string       `json:"token_endpoint"`
	RevocationEndpoint            string       `json:"revocation_endpoint"`
	UserInfoEndpoint              string       `json:"userinfo_endpoint"`
	AppRegistrationEndpoint       string       `json:"app_registration_endpoint"`
	ScopesSupported               List[string] `json:"scopes_supported"`
	ResponseTypesSupported        List[string] `json:"response_types_supported"`
	ResponseModesSupported        List[string] `json:"response_modes_supported"`
	GrantTypesSupported           List[string] `json:"grant_types_supported"`
	TokenEndpointAuthMethods      List[string] `json:"token_endpoint_auth_methods_supported"`
	CodeChallengeMethodsSupported List[string] `json:"code_challenge_methods_supported"`
	ServiceDocumentation          string       `json:"service_documentation,omitempty"`
}

// UserInfo answers GET /oauth/userinfo: the account of the token, in the words of OpenID
// Connect. Subject is its ActivityPub id.
type UserInfo struct {
	Issuer            string `json:"iss"`
	Subject           string `json:"sub"`
	Name              string `json:"name"`
	PreferredUsername string `json:"preferred_username"`
	Profile           string `json:"profile"`
	Picture           string `json:"picture"`
}
