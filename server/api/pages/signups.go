package pages

import (
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/static"
	"svc/server/rules/signup"
)

// signupPolicy lets a page show the captcha that it carries inside.
var signupPolicy = strings.Replace(formPolicy, "img-src 'self'", "img-src 'self' data:", 1)

// signupForm is the form of registration.
type signupForm struct {
	Nickname  string   `json:"nickname"`
	Email     string   `json:"email"`
	Password  string   `json:"password"`
	Reason    string   `json:"reason"`
	Agreement bool     `json:"agreement"`
	Invite    string   `json:"invite"`
	Captcha   solution `json:"captcha"`
}

type solution struct {
	Digits string `json:"solution"`
	Token  string `json:"token"`
	Sealed string `json:"answer_data"`
}

// signupPage is the content of the page.
type signupPage struct {
	signupForm
	Flash         string
	Wrong         map[string]string // by field
	FormMark      string
	Host          string
	Door          string
	EmailRequired bool
	AsksReason    bool
	ReasonLength  int
	Picture       template.URL // the captcha; empty if none is required
	Letters       bool         // the captcha has letters, not only digits
	PictureToken  string
	PictureSealed string
	Minutes       int
	Contact       string
	Terms         string // the address of the terms; empty without terms
}

// SignUp is GET /registration: the form for a new account. With a token in the
// path it is the form of an invite.
func (p *Pages) SignUp(c *gin.Context) error {
	invite := c.Param("token")
	if s := p.Settings.Load(); !s.Instance.RegistrationsOpen {
		if invite == "" {
			_, sentence := door(s)
			return p.problem(c, http.StatusForbidden, problem{Heading: "Sign-up is closed", Text: sentence})
		}
		usable, err := p.Signup.InviteUsable(c.Request.Context(), invite)
		if err != nil {
			return err
		}
		if !usable {
			return p.problem(c, http.StatusNotFound, problem{
				Heading: "This invitation does not work", Text: "It was used already, is too old, or its address is not complete. Please ask for another.",
			})
		}
	}
	return p.askSignup(c, http.StatusOK, "", nil, signupForm{Invite: invite})
}

func (p *Pages) askSignup(c *gin.Context, status int, flash string, wrong map[string]string, in signupForm) error {
	s := p.Settings.Load()
	in.Password, in.Captcha = "", solution{}
	body := signupPage{
		signupForm: in, Flash: flash, Wrong: wrong, FormMark: p.formToken(c, p.cookie(c, sessionCookie)), Host: p.Site.Host,
		EmailRequired: s.Instance.AccountActivationRequired, AsksReason: s.Instance.AccountApprovalRequired,
		ReasonLength: s.Instance.RegistrationReasonLength, Contact: s.Instance.Email,
	}
	body.Door = doorStep(s)
	if _, written, err := p.Static.Read(static.Terms); err != nil {
		return err
	} else if written {
		body.Terms = static.Terms.Path
	}
	captcha, valid, err := p.Signup.NewCaptcha(c.Request.Context())
	if errors.Is(err, signup.ErrCaptchaService) {
		return &web.Answer{Status: http.StatusServiceUnavailable, Body: gin.H{"error": "Nobody can sign up at the moment. Please try again later."}}
	}
	if err != nil {
		return err
	}
	if captcha != nil {
		body.Picture, body.Letters = template.URL(captcha.DataURL()), captcha.URL != ""
		body.PictureToken, body.PictureSealed, body.Minutes = captcha.Token, captcha.Sealed, int(valid/time.Minute)
	}
	title := "Sign up"
	if body.AsksReason {
		title = "Ask for an account"
	}
	return p.showWith(c, status, "signup.html", title, body, signupPolicy)
}

// doorStep is the sentence on the steps after the form.
func doorStep(s *config.Settings) string {
	switch i := &s.Instance; {
	case i.AccountApprovalRequired && i.AccountActivationRequired:
		return "You confirm your address by mail; then the people who run this server look at your request."
	case i.AccountApprovalRequired:
		return "The people who run this server look at each request."
	case i.AccountActivationRequired:
		return "You confirm your address by mail; then you can sign in."
	}
	return "You can sign in right after."
}

// Register is POST /registration.
func (p *Pages) Register(c *gin.Context) error {
	var form struct {
		Token string     `json:"_csrf_token"`
		User  signupForm `json:"user"`
	}
	if err := web.Bind(c, &form); err != nil {
		return err
	}
	in := form.User
	switch {
	case !p.genuine(c, form.Token):
		return p.askSignup(c, http.StatusForbidden, staleForm, nil, in)
	case !in.Agreement:
		return p.askSignup(c, http.StatusUnprocessableEntity, "Please agree to the rules first.", map[string]string{"agreement": "This box has to be ticked."}, in)
	}
	out, err := p.Signup.Register(c.Request.Context(), nil, signup.NewAccount{
		Nickname: in.Nickname, Email: in.Email, Password: in.Password, Reason: in.Reason, Invite: in.Invite, Locale: languageOf(c.GetHeader("Accept-Language")),
		Addr:    web.RemoteAddr(c),
		Captcha: signup.Solution{Digits: in.Captcha.Digits, Token: in.Captcha.Token, Sealed: in.Captcha.Sealed},
	})
	var refused *fault.Error
	switch {
	case errors.As(err, &refused) && refused.Kind == fault.KindRateLimited:
		return err
	case errors.As(err, &refused):
		flash, wrong := fieldErrors(refused)
		return p.askSignup(c, http.StatusUnprocessableEntity, flash, wrong, in)
	case err != nil:
		return err
	}
	body := struct {
		Handle, Message, Host, Next string
	}{Handle: p.handle(out.Account.Nickname), Message: out.Message, Host: p.Site.Host}
	switch {
	case out.Account.ConfirmationPending:
		body.Next = "The mail is on its way to " + in.Email + ". Open the link in it; it may have ended up among your spam."
	case out.Account.ApprovalPending:
		body.Next = "You will hear by mail, if you gave an address."
	}
	return p.show(c, http.StatusOK, "welcome.html", "Welcome", body)
}

// fieldErrors turns a refusal into sentences for the form's fields, and one
// above it.
func fieldErrors(refused *fault.Error) (flash string, wrong map[string]string) {
	if len(refused.Fields) == 0 {
		switch refused.Message {
		case "Missing parameter: email":
			return "Please look at the form again.", map[string]string{"email": "Please give your e-mail address."}
		case "Invalid token", "Expired token":
			return "This invitation does not work any more. Please ask for another.", nil
		}
		return refused.Error(), nil
	}
	words := map[string]string{"nickname": "The nickname ", "email": "The address ", "password": "The password ", "registration_reason": "This text "}
	wrong = map[string]string{}
	for _, f := range refused.Fields {
		switch {
		case f.Name == "captcha":
			wrong[f.Name] = "That was not what the picture shows. Here is another one."
		case words[f.Name] == "" || strings.HasPrefix(f.Message, "Invalid "):
			wrong[f.Name] = f.Message + "."
		default:
			wrong[f.Name] = words[f.Name] + f.Message + "."
		}
	}
	return "Please look at the form again.", wrong
}

// languageOf is the first language that a browser would like to read.
func languageOf(accept string) string {
	first, _, _ := strings.Cut(accept, ",")
	first, _, _ = strings.Cut(first, ";")
	if first = strings.TrimSpace(first); isLanguage(first) {
		return first
	}
	return ""
}
