package cli

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"svc/client"
	"svc/client/build"
	"svc/client/login"
	"svc/client/safe"
)

// ClientOptions are how every client of this program calls.
func (a *App) ClientOptions() []client.Option {
	opts := []client.Option{
		client.WithUserAgent("svcctl/" + build.Read().Version),
		client.WithTimeout(a.Flags.timeout),
	}
	if a.Flags.Debug {
		opts = append(opts, client.WithDebug(a.showExchange))
	}
	return opts
}

// newClient is the client of a session. With --dry-run it keeps writes to be
// shown in place of sending them, and for read-only sessions it refuses them,
// with no exception for any command.
func (a *App) newClient(s *login.Session) (*client.Client, error) {
	return a.clientWith(s, client.WithTokenSource(s))
}

func (a *App) clientWith(s *login.Session, token client.Option) (*client.Client, error) {
	opts := append(a.ClientOptions(), token)
	if s.Origin.Scheme == "http" {
		opts = append(opts, client.WithInsecureHTTP()) // login.ParseOrigin allowed it
	}
	if a.Hosted() {
		opts = append(opts, client.WithHTTPClient(&http.Client{Transport: a.hosted.Transport}))
	}
	switch {
	case a.Flags.DryRun:
		opts = append(opts, client.WithPreview(a.preview))
	case s.ReadOnly || a.Flags.readOnly:
		opts = append(opts, client.WithReadOnly())
	}
	return client.New(s.Origin.String(), opts...)
}

// LogInAgain starts a login for the session of conn, of which the token was refused.
func (a *App) LogInAgain(conn *Connection) (*login.Login, error) {
	var known login.Credential
	if conn.From == "stored" {
		var err error
		if known, err = a.store().Get(conn.Name); err != nil && !errors.Is(err, login.ErrNoCredential) {
			return nil, err
		}
	}
	return login.NewLogin(conn.Origin, known, "", a.ClientOptions()...)
}

// Renew is the client of conn's session with another credential. It takes the place of
// the stored one; where the token came from elsewhere, it serves this run alone.
func (a *App) Renew(conn *Connection, c login.Credential) (*client.Client, error) {
	if conn.From != "stored" {
		return a.clientWith(conn.Session, client.WithToken(c.AccessToken))
	}
	if _, err := a.store().Put(conn.Name, c); err != nil {
		return nil, err
	}
	return a.newClient(conn.Session)
}

func (a *App) store() *login.Store {
	return login.NewStore(login.PathsFrom(a.Getenv), a.UseKeyring)
}

// preview keeps a write for showDryRun.
func (a *App) preview(r client.Preview) {
	a.previewMu.Lock()
	defer a.previewMu.Unlock()
	a.previewed = append(a.previewed, r)
}

// debugLimit bounds the part of a body that is shown, in bytes.
const debugLimit = 4 << 10

// showExchange prints one attempt on standard error; the client has masked
// the secrets, and headers are not shown.
func (a *App) showExchange(e client.Exchange) {
	var b strings.Builder
	fmt.Fprintf(&b, "> %s %s", e.Method, safe.Line(e.URL))
	if e.Attempt > 0 {
		fmt.Fprintf(&b, " (again, %d)", e.Attempt)
	}
	b.WriteByte('\n')
	debugBody(&b, ">", e.RequestBody)
	took := e.Duration.Round(time.Millisecond)
	if e.Err != nil {
		fmt.Fprintf(&b, "< %s after %s\n", safe.Line(e.Err.Error()), took)
	} else {
		fmt.Fprintf(&b, "< %d in %s, request %s\n", e.Status, took, safe.Line(e.RequestID))
	}
	debugBody(&b, "<", e.ResponseBody)
	a.debugMu.Lock()
	defer a.debugMu.Unlock()
	fmt.Fprint(a.ErrOut, b.String())
}

func debugBody(b *strings.Builder, mark string, body []byte) {
	if len(body) == 0 {
		return
	}
	more := ""
	if len(body) > debugLimit {
		more = fmt.Sprintf(" (%d bytes more)", len(body)-debugLimit)
		body = body[:debugLimit]
	}
	fmt.Fprintf(b, "%s   %s%s\n", mark, safe.Line(string(body)), more)
}
