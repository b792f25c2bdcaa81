package clientapi

import (
	"encoding/base64"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/web"
)

// Captcha is GET /api/svc/captcha.
func (a *API) Captcha(c *gin.Context) error {
	noStore(c)
	challenge, valid, err := a.Signup.NewCaptcha(c.Request.Context())
	if err != nil {
		return err
	}
	if challenge == nil {
		return web.OK(c, api.Captcha{Type: "none"})
	}
	return web.OK(c, api.Captcha{
		Type: "native", Token: challenge.Token, URL: "data:image/png;base64," + base64.StdEncoding.EncodeToString(challenge.Picture),
		AnswerData: challenge.Sealed, SecondsValid: int(valid / time.Second),
	})
}
