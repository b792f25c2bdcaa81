package clientapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
	"svc/server/rules/signup"
)

// Captcha is GET /api/svc/captcha.
func (a *Registration) Captcha(c *gin.Context) error {
	noStore(c)
	challenge, valid, err := a.Signup.NewCaptcha(c.Request.Context())
	if errors.Is(err, signup.ErrCaptchaService) {
		return &web.Answer{Status: http.StatusServiceUnavailable, Body: gin.H{"error": "Kocaptcha service unavailable"}}
	}
	if err != nil {
		return err
	}
	if challenge == nil {
		return web.OK(c, api.Captcha{Type: "none"})
	}
	out := api.Captcha{
		Type: "native", Token: challenge.Token, URL: challenge.DataURL(), AnswerData: challenge.Sealed, SecondsValid: int(valid / time.Second),
	}
	if challenge.URL != "" {
		out.Type, out.URL = "kocaptcha", challenge.URL
	}
	return web.OK(c, out)
}
