package pages

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

const (
	wrongLogin = "Invalid Username/Password"
	cannot     = "This app cannot be allowed"
	// missingAddress is auth's refusal of a user without a confirmed address.
	missingAddress = "Your login is missing a confirmed e-mail address"
	staleForm      = "This form has expired, or your browser did not send its cookie. Please try again."
)

// question holds the parameters of an app's request, which travel in the query
// and in the form.
type question struct {
	ClientID        string `json:"client_id"`
	RedirectURI     string `json:"redirect_uri"`
	ResponseType    string `json:"response_type"`
	State           string `json:"state"`
	Challenge       string `json:"code_challenge"`
	ChallengeMethod string `json:"code_challenge_method"`
	ForceLogin      bool   `json:"force_login"`
}

func (q *question) ask(scope string) auth.Ask {
	return auth.Ask{
		ResponseType: q.ResponseType, ClientID: q.ClientID, RedirectURI: q.RedirectURI, Scope: scope,
		Challenge: q.Challenge, ChallengeMethod: q.ChallengeMethod,
	}
}

// consent is the page's form.
type consent struct {
	question
	Name     string `json:"name"`
	Password string `json:"password"`
	// Asked are the scopes that were asked for, Scope those that are ticked: a
	// list, or a text; a blank one says that the form had boxes to tick.
	Asked string `json:"asked"`
	Scope any    `json:"scope"`
	Deny  bool   `json:"deny"`
}

// consentPage is the content of the page.
type consentPage struct {
	question
	Flash    string
	App      string
	Website  string // host of it
	Target   string // the next address of the browser; empty when a code is shown
	Account  string // the signed-in account, with host; empty asks for name and password
	Name     string
	Asked    string
	Scopes   []scopeRow
	FormMark string
	// Unconfirmed offers the mail again that confirms an address.
	Unconfirmed bool
}

// Authorize is GET /oauth/authorize: it asks a person to authorise an app. They
// sign in on the same page or are signed in already.
func (p *Pages) Authorize(c *gin.Context) error {
	var in struct {
		question
		Scope string `json:"scope"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return p.failed(c, err)
	}
	q, err := p.Auth.Question(c.Request.Context(), in.ask(in.Scope))
	switch {
	case errors.Is(err, auth.ErrUnknownApp), errors.Is(err, auth.ErrRedirect), errors.Is(err, auth.ErrResponse), errors.Is(err, auth.ErrChallenge):
		return p.problem(c, http.StatusBadRequest, problem{Heading: cannot, Text: err.Error(), Close: true})
	case errors.Is(err, auth.ErrScope):
		return p.problem(c, http.StatusUnauthorized, problem{
			Heading: cannot, Flash: err.Error(), Text: q.App.Name + " asks for more than it registered.", Close: true,
		})
	case err != nil:
		return p.failed(c, err)
	}
	return p.ask(c, http.StatusOK, "", &consent{question: in.question, Asked: strings.Join(q.Scopes, " ")}, q.App, q.Scopes)
}

// Consent is POST /oauth/authorize: the answer.
func (p *Pages) Consent(c *gin.Context) error {
	var form struct {
		Token         string  `json:"_csrf_token"`
		Authorization consent `json:"authorization"`
	}
	if err := web.Bind(c, &form); err != nil {
		return p.failed(c, err)
	}
	ctx, in := c.Request.Context(), &form.Authorization
	if in.ResponseType == "" {
		in.ResponseType = "code"
	}
	ticked, some := in.ticked()
	q, err := p.Auth.Question(ctx, in.ask(strings.Join(ticked, " ")))
	switch {
	case errors.Is(err, auth.ErrUnknownApp), errors.Is(err, auth.ErrRedirect):
		return p.problem(c, http.StatusUnauthorized, problem{Heading: cannot, Flash: wrongLogin, Text: err.Error(), Close: true})
	case errors.Is(err, auth.ErrResponse), errors.Is(err, auth.ErrChallenge):
		return p.problem(c, http.StatusBadRequest, problem{Heading: cannot, Text: err.Error(), Close: true})
	case errors.Is(err, auth.ErrScope):
		return p.ask(c, http.StatusUnauthorized, err.Error(), in, q.App, ticked)
	case err != nil:
		return p.failed(c, err)
	case !p.genuine(c, form.Token):
		return p.ask(c, http.StatusForbidden, staleForm, in, q.App, ticked)
	case in.Deny:
		return p.deny(c, q, in.State)
	case !some:
		return p.ask(c, http.StatusUnauthorized, auth.ErrScope.Error(), in, q.App, nil)
	}
	by, err := p.who(ctx, c, in)
	if second := (*auth.MFARequired)(nil); errors.As(err, &second) {
		return p.startCode(c, second.Proof, q, in.State)
	}
	if err != nil {
		status, words := refusedLogin(err)
		if status == 0 {
			return p.failed(c, err)
		}
		return p.ask(c, status, words, in, q.App, ticked)
	}
	return p.authorise(c, q, by, in.State)
}

// authorise gives the app its code or token.
func (p *Pages) authorise(c *gin.Context, q *auth.Question, by *auth.Proof, state string) error {
	code, err := p.Auth.Authorise(c.Request.Context(), q, by)
	if err != nil {
		return p.failed(c, err)
	}
	if q.RedirectURI == auth.OutOfBand {
		return p.show(c, http.StatusOK, "code.html", "Successfully authorized", struct{ Code, App string }{code, q.App.Name})
	}
	return p.sendTo(c, q.RedirectURI, url.Values{"code": {code}}, state)
}

// ticked returns the scopes consented to, and whether there are any: all that
// the app may ask for when the form had no boxes.
func (f *consent) ticked() (scopes []string, some bool) {
	switch v := f.Scope.(type) {
	case nil:
		return nil, true
	case string:
		scopes = auth.SplitScopes(v)
	case []any:
		for _, item := range v {
			if s, ok := item.(string); ok {
				scopes = append(scopes, auth.SplitScopes(s)...)
			}
		}
	}
	return scopes, len(scopes) > 0
}

// who returns the person that consents: the owner of the name and password in
// the form, else the owner of the session.
func (p *Pages) who(ctx context.Context, c *gin.Context, in *consent) (*auth.Proof, error) {
	session := p.cookie(c, sessionCookie)
	if in.Name == "" && in.Password == "" && !in.ForceLogin {
		by, err := p.Auth.SignedIn(ctx, session)
		if by != nil || err != nil {
			return by, err
		}
	}
	by, err := p.Login.Login(ctx, in.Name, in.Password, web.RemoteAddr(c))
	if err != nil {
		return nil, err
	}
	return by, p.begin(ctx, c, by)
}

// refusedLogin returns the status and words for a refused sign-in, 0 for any
// other error. A person whose account awaits approval does not learn that the
// password was right.
func refusedLogin(err error) (int, string) {
	var f *fault.Error
	switch {
	case !errors.As(err, &f):
		return 0, ""
	case f.Kind == fault.KindRateLimited:
		return http.StatusTooManyRequests, "Too many attempts to sign in. Please try again in a minute."
	case f.Kind == fault.KindForbidden && f.Identifier != "awaiting_approval":
		return http.StatusForbidden, f.Message
	}
	return http.StatusUnauthorized, wrongLogin
}

// ask shows the question, with the scopes in ticked ticked.
func (p *Pages) ask(c *gin.Context, status int, flash string, in *consent, app *db.App, ticked []string) error {
	session := p.cookie(c, sessionCookie)
	body := consentPage{
		question: in.question, Flash: flash, App: app.Name, Target: targetOf(in.RedirectURI), Name: in.Name, Website: hostOf(app.Website),
		Asked: p.asked(in, app), FormMark: p.formToken(c, session), Unconfirmed: flash == missingAddress,
	}
	body.Scopes = scopeRows(auth.SplitScopes(body.Asked), ticked)
	if !in.ForceLogin {
		by, err := p.Auth.SignedIn(c.Request.Context(), session)
		if err != nil {
			return p.failed(c, err)
		}
		if by != nil {
			body.Account = p.handle(by.Account.Nickname)
		}
	}
	title := "Sign in"
	if body.Account != "" {
		title = "Allow " + app.Name + "?"
	}
	return p.show(c, status, "authorize.html", title, body, schemesOf(in.RedirectURI)...)
}

// hostOf is the host of an app's website, "" for none.
func hostOf(website string) string {
	u, err := url.Parse(website)
	if err != nil {
		return ""
	}
	return u.Host
}

// asked is the list on the form, as far as the app may ask for it.
func (p *Pages) asked(in *consent, app *db.App) string {
	held := auth.SplitScopes(app.Scopes)
	wanted := slices.DeleteFunc(auth.SplitScopes(in.Asked), func(s string) bool { return !auth.GrantsAny(held, s) })
	if len(wanted) == 0 {
		wanted = held
	}
	return strings.Join(wanted, " ")
}

// targetOf names the place that a person comes to after consenting.
func targetOf(redirect string) string {
	u, err := url.Parse(redirect)
	switch {
	case err != nil || redirect == auth.OutOfBand:
		return ""
	case u.Scheme != "http" && u.Scheme != "https":
		return "the app on this device"
	case u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1":
		return "a program on this computer"
	}
	return u.Host
}

// deny tells the app that the person refused (RFC 6749, 4.1.2.1). No other
// error is sent to the app: anybody may register an address, so nobody is
// redirected to it before they have decided.
func (p *Pages) deny(c *gin.Context, q *auth.Question, state string) error {
	const text = "The app was not allowed."
	if q.RedirectURI == auth.OutOfBand {
		return p.problem(c, http.StatusOK, problem{Heading: "Nothing was allowed", Text: text, Close: true})
	}
	return p.sendTo(c, q.RedirectURI, url.Values{"error": {"access_denied"}, "error_description": {text}}, state)
}

// sendTo leads the browser to an app's address with more in its query.
func (p *Pages) sendTo(c *gin.Context, uri string, more url.Values, state string) error {
	if state != "" {
		more.Set("state", state)
	}
	c.Header("Cache-Control", "no-store")
	c.Header("Referrer-Policy", "same-origin")
	c.Redirect(http.StatusFound, withQuery(uri, more))
	return nil
}

// withQuery returns an address, which has no fragment, with more in its query.
// Not a byte of it changes: a parsed "app://" would lose its slashes.
func withQuery(uri string, more url.Values) string {
	switch _, query, has := strings.Cut(uri, "?"); {
	case !has:
		uri += "?"
	case query != "":
		uri += "&"
	}
	return uri + more.Encode()
}
