package pages

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/db"
)

// ConfirmEmail is GET /api/account/confirm_email/:user_id/:token, the link in
// the mail to a new account. HEAD changes nothing, since mail filters check
// links with it.
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
			Text:    "It was used already, is too old, or is not complete. If you have confirmed your address before, you can sign in with your app.",
		})
	}
	if err != nil {
		return err
	}
	account, err := p.DB.Account(ctx, id)
	if err != nil {
		return err
	}
	note := noteConfirmed
	if account.ApprovalPending {
		note = noteAwaiting
	}
	p.setCookie(c, noteCookie, note, 60)
	c.Redirect(http.StatusFound, "/")
	return nil
}

// The notes that the front page shows after a redirect.
const (
	noteConfirmed = "confirmed"
	noteAwaiting  = "awaiting"
)

var notes = map[string]string{
	noteConfirmed: "Your address is confirmed. You can sign in with your app now.",
	noteAwaiting:  "Your address is confirmed. You can sign in as soon as your account has been approved.",
}

// note is the note that an earlier page left, to be shown once.
func (p *Pages) note(c *gin.Context) string {
	note := notes[p.cookie(c, noteCookie)]
	if note != "" {
		p.setCookie(c, noteCookie, "", -1)
	}
	return note
}
