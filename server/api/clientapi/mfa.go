package clientapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// Settings is GET /api/svc/accounts/mfa.
func (a *MFA) Settings(c *gin.Context) error {
	on, err := a.Auth.HasMFA(c.Request.Context(), web.Caller(c).Account)
	if err != nil {
		return err
	}
	var out api.MFASettings
	out.Settings.Enabled, out.Settings.TOTP = on, on
	return web.OK(c, out)
}

// SetUp is GET /api/svc/accounts/mfa/setup/:method.
func (a *MFA) SetUp(c *gin.Context) error {
	if c.Param("method") != auth.TOTP {
		return fault.Malformed("undefined method")
	}
	noStore(c)
	setup, err := a.Auth.SetUpTOTP(c.Request.Context(), web.Caller(c).Account)
	if err != nil {
		return err
	}
	return web.OK(c, api.TOTPSetup{Key: setup.Key, ProvisioningURI: setup.URI})
}

// Confirm is POST /api/svc/accounts/mfa/confirm/:method.
func (a *MFA) Confirm(c *gin.Context) error {
	if c.Param("method") != auth.TOTP {
		return fault.Malformed("undefined mfa method")
	}
	var in api.ConfirmTOTP
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	if err := a.Auth.ConfirmTOTP(c.Request.Context(), web.Caller(c).Account, in.Password, in.Code); err != nil {
		return err
	}
	return web.OK(c, struct{}{})
}

// Remove is DELETE /api/svc/accounts/mfa, and the same with /totp.
func (a *MFA) Remove(c *gin.Context) error {
	if method := c.Param("method"); method != "" && method != auth.TOTP {
		return fault.Malformed("undefined mfa method")
	}
	var in api.WithPassword
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	if err := a.Auth.RemoveTOTP(c.Request.Context(), web.Caller(c).Account, in.Password); err != nil {
		return err
	}
	return web.OK(c, struct{}{})
}

// BackupCodes is GET /api/svc/accounts/mfa/backup_codes.
func (a *MFA) BackupCodes(c *gin.Context) error {
	noStore(c)
	codes, err := a.Auth.NewBackupCodes(c.Request.Context(), web.Caller(c).Account)
	if err != nil {
		return err
	}
	return web.OK(c, api.BackupCodes{Codes: codes})
}

// AnswerChallenge is POST /oauth/mfa/challenge.
func (a *MFA) AnswerChallenge(c *gin.Context) error {
	noStore(c)
	var in api.MFAChallenge
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	if id, secret, ok := c.Request.BasicAuth(); ok {
		in.ClientID, in.ClientSecret = formDecoded(id), formDecoded(secret)
	}
	issued, err := a.Auth.AnswerChallenge(c.Request.Context(), auth.Challenge{
		ClientID: in.ClientID, ClientSecret: in.ClientSecret, Token: in.MFAToken, Type: in.ChallengeType, Code: in.Code,
	})
	if err != nil {
		return denied(err)
	}
	return web.OK(c, tokenOf(issued))
}

// challenged words a password grant that needs a second factor.
func challenged(challenge *auth.MFAChallenge) error {
	return &web.Answer{Status: http.StatusForbidden, Body: api.OAuthError{
		Error: challenge.Error(), MFAToken: challenge.Token, ChallengeTypes: auth.TOTP,
	}}
}
