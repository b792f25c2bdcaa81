package api

// NewApp is the form of POST /api/v1/apps. RedirectURIs and Scopes are lists
// separated by spaces.
type NewApp struct {
	ClientName   string `json:"client_name" form:"client_name" binding:"required"`
	RedirectURIs string `json:"redirect_uris" form:"redirect_uris" binding:"required" schema:"type=string array"`
	Scopes       string `json:"scopes,omitempty" form:"scopes"`
	Website      string `json:"website,omitempty" form:"website"`
}

// App is a registered client with its credentials, the entity CredentialApp.
// RedirectURI has all RedirectURIs, one a line; the id is an integer printed as a string.
// The secret does not expire.
type App struct {
	ID           string  `json:"id" schema:"filled"`
	Name         string  `json:"name" schema:"filled"`
	Website      *string `json:"website"`
	RedirectURI  string  `json:"redirect_uri" schema:"filled"`
	ClientID     string  `json:"client_id" schema:"filled"`
	ClientSecret string  `json:"client_secret" schema:"filled"`
	VAPIDKey     string  `json:"vapid_key,omitempty" schema:"filled"`

	RedirectURIs          List[string] `json:"redirect_uris" schema:"filled"`
	Scopes                List[string] `json:"scopes" schema:"filled"`
	ClientSecretExpiresAt int64        `json:"client_secret_expires_at"`
}

// VerifiedApp answers GET /api/v1/apps/verify_credentials.
type VerifiedApp struct {
	ID       string  `json:"id" schema:"filled"`
	Name     string  `json:"name" schema:"filled"`
	Website  *string `json:"website"`
	VAPIDKey string  `json:"vapid_key,omitempty" schema:"filled"`

	RedirectURI  string       `json:"redirect_uri" schema:"filled"`
	RedirectURIs List[string] `json:"redirect_uris" schema:"filled"`
	Scopes       List[string] `json:"scopes" schema:"filled"`
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
	TokenType    string `json:"token_type" schema:"enum=Bearer"`
	AccessToken  string `json:"access_token" schema:"filled"`
	RefreshToken string `json:"refresh_token,omitempty" schema:"filled"`
	ExpiresIn    int64  `json:"expires_in,omitempty"`
	Scope        string `json:"scope"`
	CreatedAt    int64  `json:"created_at"`
	Me           string `json:"me,omitempty" schema:"filled"`
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
	Issuer                        string       `json:"issuer" schema:"filled"`
	AuthorizationEndpoint         string       `json:"authorization_endpoint" schema:"url"`
	TokenEndpoint                 string       `json:"token_endpoint" schema:"url"`
	RevocationEndpoint            string       `json:"revocation_endpoint" schema:"url"`
	UserInfoEndpoint              string       `json:"userinfo_endpoint" schema:"url"`
	AppRegistrationEndpoint       string       `json:"app_registration_endpoint" schema:"url"`
	ScopesSupported               List[string] `json:"scopes_supported" schema:"filled"`
	ResponseTypesSupported        List[string] `json:"response_types_supported" schema:"filled"`
	ResponseModesSupported        List[string] `json:"response_modes_supported" schema:"filled"`
	GrantTypesSupported           List[string] `json:"grant_types_supported" schema:"filled"`
	TokenEndpointAuthMethods      List[string] `json:"token_endpoint_auth_methods_supported" schema:"filled"`
	CodeChallengeMethodsSupported List[string] `json:"code_challenge_methods_supported" schema:"filled"`
	ServiceDocumentation          string       `json:"service_documentation,omitempty" schema:"url"`
}

// UserInfo answers GET /oauth/userinfo: the account of the token, in the words of OpenID
// Connect. Subject is its ActivityPub id.
type UserInfo struct {
	Issuer            string `json:"iss" schema:"filled"`
	Subject           string `json:"sub" schema:"filled"`
	Name              string `json:"name"`
	PreferredUsername string `json:"preferred_username" schema:"filled"`
	Profile           string `json:"profile" schema:"url"`
	Picture           string `json:"picture" schema:"url"`
}

// AuthorizeQuery is the query of GET /oauth/authorize, a page.
type AuthorizeQuery struct {
	ClientID     string `json:"client_id" form:"client_id"`
	RedirectURI  string `json:"redirect_uri" form:"redirect_uri"`
	ResponseType string `json:"response_type" form:"response_type"`
	Scope        string `json:"scope,omitempty" form:"scope"`
	State        string `json:"state,omitempty" form:"state"`
	Challenge    string `json:"code_challenge,omitempty" form:"code_challenge"`
	ForceLogin   Bool   `json:"force_login,omitempty" form:"force_login"`
}
