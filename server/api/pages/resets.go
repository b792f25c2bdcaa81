package pages

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/server/api/web"
	"svc/server/platform/fault"
)

// lettersPage asks for a name or address, to mail a link to a person who cannot
// sign in.
type lettersPage struct {
	Heading, Text, Action, Button string
	Flash                         string
	FormMark                      string
	Sent                          bool
}

var (
	forgotten = lettersPage{
		Heading: "Forgot your password?", Action: "/auth/password", Button: "Mail me a link",
		Text: "We mail you a link with which you can choose another one.",
	}
	unconfirmed = lettersPage{
		Heading: "Confirm your address", Action: "/auth/confirmation", Button: "Mail me the link again",
		Text: "Did the mail with the link never reach you? We send another one.",
	}
)

// ForgotPassword is GET /auth/password: the form for a link to choose another.
func (p *Pages) ForgotPassword(c *gin.Context) error {
	return p.askLetter(c, http.StatusOK, "", forgotten)
}

// ChangePassword is GET /.well-known/change-password, where password managers look.
func (p *Pages) ChangePassword(c *gin.Context) error {
	c.Redirect(http.StatusFound, "/auth/password")
	return nil
}

// Unconfirmed is GET /auth/confirmation: the form for another mail that
// confirms an address.
func (p *Pages) Unconfirmed(c *gin.Context) error {
	return p.askLetter(c, http.StatusOK, "", unconfirmed)
}

func (p *Pages) askLetter(c *gin.Context, status int, flash string, body lettersPage) error {
	body.Flash, body.FormMark = flash, p.formToken(c, p.cookie(c, sessionCookie))
	return p.show(c, status, "letter.html", body.Heading, body)
}

// RequestReset is POST /auth/password from a browser; programs get the answer
// of api. The answer is the same for unknown users.
func (p *Pages) RequestReset(api web.Handler) web.Handler {
	return func(c *gin.Context) error {
		if !web.WantsHTML(c.Request) {
			return api(c)
		}
		return p.letter(c, forgotten, func(name string) error { return p.Signup.RequestReset(c.Request.Context(), name) })
	}
}

// Resend is POST /auth/confirmation.
func (p *Pages) Resend(c *gin.Context) error {
	return p.letter(c, unconfirmed, func(name string) error { return p.Signup.ResendConfirmation(c.Request.Context(), name) })
}

func (p *Pages) letter(c *gin.Context, body lettersPage, send func(name string) error) error {
	var form struct {
		Token    string `json:"_csrf_token"`
		Email    string `json:"email"`
		Nickname string `json:"nickname"`
	}
	if err := web.Bind(c, &form); err != nil {
		return err
	}
	name := form.Email
	if name == "" {
		name = form.Nickname
	}
	switch {
	case !p.genuine(c, form.Token):
		return p.askLetter(c, http.StatusForbidden, staleForm, body)
	case strings.TrimSpace(name) == "":
		return p.askLetter(c, http.StatusUnprocessableEntity, "Please give your nickname or your e-mail address.", body)
	}
	if err := send(name); err != nil {
		return err
	}
	body.Sent = true
	return p.show(c, http.StatusOK, "letter.html", body.Heading, body)
}

// resetPage is the form for another password.
type resetPage struct {
	Flash  string
	Token  string
	Host   string
	Action string
}

func (p *Pages) resetPage(flash, token string) resetPage {
	return resetPage{flash, token, p.Site.Host, p.Site.Words.Link("/api/svc/password_reset")}
}

// Reset is GET /api/svc/password_reset/:token, the link in the mail. It is
// always 200, also where the link does not work.
func (p *Pages) Reset(c *gin.Context) error {
	token := c.Param("token")
	usable, err := p.Signup.ResetUsable(c.Request.Context(), token)
	if err != nil {
		return err
	}
	if !usable {
		return p.deadLink(c)
	}
	return p.show(c, http.StatusOK, "reset.html", "Choose a password", p.resetPage("", token))
}

func (p *Pages) deadLink(c *gin.Context) error {
	return p.problem(c, http.StatusOK, problem{
		Heading: "This link does not work", Text: "It was used already, is too old, or is not complete. Ask for another one where you sign in.",
	})
}

// ChoosePassword is POST /api/svc/password_reset, always 200 too. The token is
// in the form, so no other site can send it for somebody.
func (p *Pages) ChoosePassword(c *gin.Context) error {
	var form struct {
		Data struct {
			Token        string `json:"token"`
			Password     string `json:"password"`
			Confirmation string `json:"password_confirmation"`
		} `json:"data"`
	}
	if err := web.Bind(c, &form); err != nil {
		return err
	}
	in := form.Data
	again := func(flash string) error {
		return p.show(c, http.StatusOK, "reset.html", "Choose a password", p.resetPage(flash, in.Token))
	}
	if in.Password != in.Confirmation {
		usable, err := p.Signup.ResetUsable(c.Request.Context(), in.Token)
		switch {
		case err != nil:
			return err
		case !usable:
			return p.deadLink(c)
		}
		return again("The two passwords are not the same.")
	}
	err := p.Signup.ResetPassword(c.Request.Context(), in.Token, in.Password)
	var refused *fault.Error
	switch {
	case err == nil:
		return p.show(c, http.StatusOK, "done.html", "Your password is changed", nil)
	case fault.Is(err, fault.KindNotFound):
		return p.deadLink(c)
	case errors.As(err, &refused) && refused.Kind == fault.KindInvalid:
		_, wrong := fieldErrors(refused)
		return again(wrong["password"])
	default:
		return err
	}
}
