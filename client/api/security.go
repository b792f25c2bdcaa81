package api

// MFASettings answers GET /api/svc/accounts/mfa.
type MFASettings struct {
	Settings struct {
		Enabled bool `json:"enabled"`
		TOTP    bool `json:"totp"`
	} `json:"settings"`
}

// TOTPSetup answers GET /api/svc/accounts/mfa/setup/totp: a new secret in
// base32, and as an otpauth address for a QR code.
type TOTPSetup struct {
	Key             string `json:"key" schema:"filled"`
	ProvisioningURI string `json:"provisioning_uri" schema:"filled"`
}

// ConfirmTOTP is the form of POST /api/svc/accounts/mfa/confirm/totp.
type ConfirmTOTP struct {
	Password string `json:"password" form:"password"`
	Code     string `json:"code" form:"code"`
}

// BackupCodes answers GET /api/svc/accounts/mfa/backup_codes.
type BackupCodes struct {
	Codes List[string] `json:"codes" schema:"filled"`
}

// MFAChallenge is the form of POST /oauth/mfa/challenge; the client's
// credentials may also come by HTTP Basic. ChallengeType is totp or recovery.
type MFAChallenge struct {
	ClientID      string `json:"client_id,omitempty" form:"client_id"`
	ClientSecret  string `json:"client_secret,omitempty" form:"client_secret"`
	MFAToken      string `json:"mfa_token" form:"mfa_token"`
	ChallengeType string `json:"challenge_type" form:"challenge_type"`
	Code          string `json:"code" form:"code"`
}

// PasswordChange is the form of POST /api/svc/change_password.
type PasswordChange struct {
	Password     string `json:"password" form:"password"`
	NewPassword  string `json:"new_password" form:"new_password"`
	Confirmation string `json:"new_password_confirmation" form:"new_password_confirmation"`
}

// EmailChange is the form of POST /api/svc/change_email.
type EmailChange struct {
	Password string `json:"password" form:"password"`
	Email    string `json:"email" form:"email"`
}

// WithPassword is the form of requests that ask for the password once more.
type WithPassword struct {
	Password string `json:"password" form:"password"`
}

// MoveAccount is the form of POST /api/svc/move_account. TargetAccount is a handle or an
// ActivityPub id.
type MoveAccount struct {
	Password      string `json:"password" form:"password"`
	TargetAccount string `json:"target_account" form:"target_account" binding:"required"`
}

// Aliases are the other accounts of the caller: handles, or ids of accounts that the
// server does not know.
type Aliases struct {
	Aliases List[string] `json:"aliases" schema:"filled"`
}

// Alias is the form of PUT and DELETE /api/svc/aliases: a handle or an ActivityPub id.
type Alias struct {
	Alias string `json:"alias" form:"alias" binding:"required"`
}

// Outcome is an answer that has status 200 for refusals too: Status is success,
// or Error has the reason.
type Outcome struct {
	Status string `json:"status,omitempty" schema:"enum=success"`
	Error  string `json:"error,omitempty" schema:"filled"`
}
