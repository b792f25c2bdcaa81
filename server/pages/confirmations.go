package pages

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/db"
)

// ConfirmEmail is GET /api/account/confirm_email/:user_id/:token, the link in
// the mail to a new account. Only looking whether it works changes nothing:
// what guards mailboxes does so.
func (p *Pages) ConfirmEmail(c *gin.Context) error {
	ctx, id, token := c.Request.Context(), c.Param("user_id"), c.Param("token")
	c.Header("Cache-Control", "no-store")
	if c.Request.Method == http.MethodHead {
		usable, err := p.Signup.ConfirmUsable(ctx, id, token)
		if err != nil {
			return err
		}
		if !usable {
			return db.ErrNotFound
		}
		c.Redirect(http.StatusFound, "/")
		return nil
	}
	err := p.Signup.ConfirmWith(ctx, id, token)
	if errors.Is(err, db.ErrNotFound) {
		return p.problem(c, http.StatusNotFound, problem{
			Heading: "This link does not work",
			Text:    "It was used already, or is not complete. If you have confirmed your address before, you can sign in with your app.",
		})
	}
	if err != nil {
		return err
	}
	c.Redirect(http.StatusFound, "/")
	return nil
}
