package cli

import (
	"context"

	"svc/client"
	"svc/client/action"
	"svc/client/login"
)

// Connection is a session with its client.
type Connection struct {
	*login.Session
	*client.Client
}

// OpenSession finds the session that the flags ask for.
func (a *App) OpenSession() (*login.Session, error) {
	if a.session != nil {
		return a.session, nil
	}
	return login.Open(login.PathsFrom(a.Getenv), a.Getenv, login.Wanted{
		Context: a.Flags.Context, URL: a.Flags.URL, InsecureHTTP: a.Flags.InsecureHTTP, ReadOnly: a.Flags.readOnly,
	}, a.UseKeyring)
}

// Connect opens the session and makes its client. A missing login is noticed
// here, before anything is sent.
func (a *App) Connect(ctx context.Context) (*Connection, error) {
	if a.conn != nil {
		return a.conn, nil
	}
	s, err := a.OpenSession()
	if err != nil {
		return nil, err
	}
	if _, err := s.Token(ctx); err != nil {
		return nil, err
	}
	c, err := a.newClient(s)
	if err != nil {
		return nil, err
	}
	a.conn = &Connection{Session: s, Client: c}
	return a.conn, nil
}

// MayWrite refuses early the writes that the transport would refuse one by one.
func (c *Connection) MayWrite(a *App, what string) error {
	if !c.ReadOnly || a.Flags.DryRun {
		return nil
	}
	return &UsageError{
		Message: what + ": only reading is allowed here; nothing was sent",
		Hint:    "leave out --read-only, or use a context without read_only",
	}
}

// act carries actions out, or shows the requests, and prints the results.
func (a *App) act(ctx context.Context, conn *Connection, opts action.Options, actions []action.Action) error {
	if len(actions) > 0 {
		if err := conn.MayWrite(a, actions[0].Kind.Noun()+" "+actions[0].Kind.Verb()); err != nil {
			return err
		}
	}
	opts.Progress = a.progress()
	results := action.New(conn.Client, opts).Do(ctx, actions)
	if a.Flags.DryRun {
		return a.ShowDryRun(results)
	}
	a.remember(a.journal(conn.Origin.String()), results, nil)
	return a.ShowResults(results)
}
