package tui

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
func (s *session) loginDue() bool { return s.poll.loggedOut && s.renewal != nil && !s.loginAsked }

// offerLogin asks as soon as nothing else is going on.
func (m *env) offerLogin() {
	if m.loginDue() && m.prompt == nil && m.timer().Sub(m.poll.lastKey) >= conflictPause {
		m.askLogin("")
	}
}

// askLogin offers the ways to log in. wrong is why the last one failed.
func (m *env) askLogin(wrong string) {
	m.loginAsked = true
	who := ""
	if m.nick != "" {
		who = " as " + shown.Acct(m.nick).String()
	}
	title := []draw.Line{draw.Inked(draw.InkWarn, " log in to "+safe.Line(m.server)+who+"; what is staged and written is kept")}
	if wrong != "" {
		for _, part := range safe.Wrap(safe.Line(wrong), max(1, m.width-2)) {
			title = append(title, draw.Inked(draw.InkBad, " "+part))
		}
	}
	m.ask(&prompt{title: title, choices: []choice{
		{"b", "in a browser here", func(m *env) tea.Cmd { return m.logInHere() }},
		{"c", "with a code from any browser", func(m *env) tea.Cmd { return m.logInAnywhere() }},
		{"esc", "read on", stay},
	}})
}

// logInHere opens a browser, and waits until it comes back.
func (m *env) logInHere() tea.Cmd {
	ctx, cancel := context.WithCancel(m.load.ctx)
	m.ask(&prompt{
		title:   []draw.Line{draw.Plain(" waiting for the browser")},
		choices: []choice{{"esc", "give up", func(*env) tea.Cmd { cancel(); return nil }}},
		cancel:  func(*env, string) tea.Cmd { cancel(); return nil },
	})
	m.loginPrompt = m.prompt
	renewal, nick, browser := m.renewal, m.nick, m.browser
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
	return s.load.run(func(ctx context.Context) tea.Msg {
		l, err := renewal.Begin()
		if err != nil {
			return codePage{err: err}
		}
		page, redeem, err := l.Code(ctx)
		return codePage{l, page, redeem, err}
	})
}

// codePage shows the page, and reads the code that it gives.
func (m *env) codePage(msg codePage) {
	if msg.err != nil {
		m.askLogin(shown.Wording(msg.err).String())
		return
	}
	title := []draw.Line{draw.Inked(draw.InkStrong, " open this address in any browser, log in, and paste the code")}
	if m.heardNotice != nil { // lines are not cut in plain mode
		title = append(title, draw.Plain(safe.Line(msg.page)))
	} else {
		for _, part := range safe.Wrap(safe.Line(msg.page), max(1, m.width-2)) {
			title = append(title, draw.Plain(" "+part))
		}
	}
	renewal, nick := m.renewal, m.nick
	m.ask(&prompt{
		title: title, text: newTextField("", false), label: "code: ", accept: "enter",
		done: func(m *env, code string) tea.Cmd {
			if strings.TrimSpace(code) == "" {
				m.askLogin("no code was given")
				return nil
			}
			m.say(draw.InkDim, "logging in ...")
			return m.load.run(func(ctx context.Context) tea.Msg {
				credential, err := msg.redeem(ctx, code)
				return renewal.take(ctx, msg.login, credential, err, nick)
			})
		},
	})
}

// loggedIn goes on with the new client, and sends what waited.
func (m *env) loggedIn(msg loggedIn) tea.Cmd {
	if m.prompt == m.loginPrompt {
		m.prompt = nil
	}
	m.loginPrompt = nil
	switch {
	case errors.Is(msg.err, context.Canceled):
		m.say(draw.InkDim, "not logged in; :login asks again")
		return nil
	case msg.err != nil && m.prompt == nil:
		m.askLogin(loginWording(msg.err))
		return nil
	case msg.err != nil:
		m.say(draw.InkBad, loginWording(msg.err))
		return nil
	}
	m.load.c, m.engine = msg.client, newEngine(msg.client)
	m.poll.loggedOut = true // for what waits to go
	m.loginAsked = false
	m.say(draw.InkGood, "logged in again")
	return tea.Batch(m.recovered(), m.listen(), m.load.introduce(), m.pollNow(), m.schedule())
}

// loginWording is why a login failed, for people.
func loginWording(err error) string {
	var refused *login.AuthError
	if errors.As(err, &refused) {
		return refused.Error()
	}
	return shown.Wording(err).String()
}
