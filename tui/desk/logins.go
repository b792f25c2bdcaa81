package desk

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client"
	"svc/client/login"
	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/shown"
)

// Renewal is how a login that ended is renewed in place.
type Renewal struct {
	// Begin starts an attempt to log in.
	Begin func() (*login.Login, error)
	// Keep stores the credential of an attempt, and makes the client that uses it.
	Keep func(login.Credential) (*client.Client, error)
}

// loggedIn is the end of an attempt to log in.
type loggedIn struct {
	client *client.Client
	err    error
}

// codePage is where a person gets a code, and what takes it.
type codePage struct {
	login  *login.Login
	page   string
	redeem func(context.Context, string) (login.Credential, error)
	err    error
}

// loginDue reports whether the person is to be asked to log in again.
func (s *session) loginDue() bool { return s.Poll.LoggedOut && s.renewal != nil && !s.loginAsked }

// offerLogin asks as soon as nothing else is going on.
func (m *Env) offerLogin() {
	if m.loginDue() && m.Prompt == nil && m.Timer().Sub(m.Poll.lastKey) >= conflictPause {
		m.askLogin("")
	}
}

// askLogin offers the ways to log in. wrong is why the last one failed.
func (m *Env) askLogin(wrong string) {
	m.loginAsked = true
	who := ""
	if m.nick != "" {
		who = " as " + shown.Acct(m.nick).String()
	}
	title := []draw.Line{draw.Inked(draw.InkWarn, " log in to "+safe.Line(m.server)+who+"; what is staged and written is kept")}
	if wrong != "" {
		for _, part := range safe.Wrap(safe.Line(wrong), max(1, m.Width-2)) {
			title = append(title, draw.Inked(draw.InkBad, " "+part))
		}
	}
	m.Ask(&Prompt{Title: title, Choices: []Choice{
		{"b", "in a browser here", func(m *Env) tea.Cmd { return m.logInHere() }},
		{"c", "with a code from any browser", func(m *Env) tea.Cmd { return m.logInAnywhere() }},
		{"esc", "read on", Stay},
	}})
}

// logInHere opens a browser, and waits until it comes back.
func (m *Env) logInHere() tea.Cmd {
	ctx, cancel := context.WithCancel(m.Load.Ctx)
	m.Ask(&Prompt{
		Title:   []draw.Line{draw.Plain(" waiting for the browser")},
		Choices: []Choice{{"esc", "give up", func(*Env) tea.Cmd { cancel(); return nil }}},
		Cancel:  func(*Env, string) tea.Cmd { cancel(); return nil },
	})
	m.loginPrompt = m.Prompt
	renewal, nick, browser := m.renewal, m.nick, m.Browser
	return func() tea.Msg {
		defer cancel()
		l, err := renewal.Begin()
		if err != nil {
			return loggedIn{err: err}
		}
		credential, err := l.Browser(ctx, browser)
		return renewal.take(ctx, l, credential, err, nick)
	}
}

// take tries a credential, and keeps it if it is this person's: what is staged must
// not be sent in somebody else's name.
func (r *Renewal) take(ctx context.Context, l *login.Login, c login.Credential, err error, nick string) loggedIn {
	if err == nil {
		c, _, err = l.Try(ctx, c)
	}
	if err != nil {
		return loggedIn{err: err}
	}
	if nick != "" && c.Account != nick {
		return loggedIn{err: fmt.Errorf("this is %s; what is staged here is by %s", c.Account, nick)}
	}
	made, err := r.Keep(c)
	return loggedIn{made, err}
}

// logInAnywhere gets the page where a code is shown.
func (s *session) logInAnywhere() tea.Cmd {
	renewal := s.renewal
	return s.Load.Run(func(ctx context.Context) tea.Msg {
		l, err := renewal.Begin()
		if err != nil {
			return codePage{err: err}
		}
		page, redeem, err := l.Code(ctx)
		return codePage{l, page, redeem, err}
	})
}

// codePage shows the page, and reads the code that it gives.
func (m *Env) codePage(msg codePage) {
	if msg.err != nil {
		m.askLogin(shown.Wording(msg.err).String())
		return
	}
	title := []draw.Line{draw.Inked(draw.InkStrong, " open this address in any browser, log in, and paste the code")}
	if m.HeardNotice != nil { // lines are not cut in plain mode
		title = append(title, draw.Plain(safe.Line(msg.page)))
	} else {
		for _, part := range safe.Wrap(safe.Line(msg.page), max(1, m.Width-2)) {
			title = append(title, draw.Plain(" "+part))
		}
	}
	renewal, nick := m.renewal, m.nick
	m.Ask(&Prompt{
		Title: title, Text: NewTextField("", false), Label: "code: ", Accept: "enter",
		Done: func(m *Env, code string) tea.Cmd {
			if strings.TrimSpace(code) == "" {
				m.askLogin("no code was given")
				return nil
			}
			m.Say(draw.InkDim, "logging in ...")
			return m.Load.Run(func(ctx context.Context) tea.Msg {
				credential, err := msg.redeem(ctx, code)
				return renewal.take(ctx, msg.login, credential, err, nick)
			})
		},
	})
}

// loggedIn goes on with the new client, and sends what waited.
func (m *Env) loggedIn(msg loggedIn) tea.Cmd {
	if m.Prompt == m.loginPrompt {
		m.Prompt = nil
	}
	m.loginPrompt = nil
	switch {
	case errors.Is(msg.err, context.Canceled):
		m.Say(draw.InkDim, "not logged in; :login asks again")
		return nil
	case msg.err != nil && m.Prompt == nil:
		m.askLogin(loginWording(msg.err))
		return nil
	case msg.err != nil:
		m.Say(draw.InkBad, loginWording(msg.err))
		return nil
	}
	m.Load.C, m.engine = msg.client, newEngine(msg.client)
	m.Poll.LoggedOut = true // for what waits to go
	m.loginAsked = false
	m.Say(draw.InkGood, "logged in again")
	return tea.Batch(m.recovered(), m.listen(), m.Load.introduce(), m.pollNow(), m.schedule())
}

// loginWording is why a login failed, for people.
func loginWording(err error) string {
	var refused *login.AuthError
	if errors.As(err, &refused) {
		return refused.Error()
	}
	return shown.Wording(err).String()
}
