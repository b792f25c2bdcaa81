package commands

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/build"
	"svc/client/login"
	"svc/client/playbook"
	"svc/client/templates"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// The states of a checked thing. A thing that was not looked at, because one
// before it failed, is not listed.
const (
	checkOK   = "ok"
	checkWarn = "warn"
	checkFail = "fail"
)

// check is one line of the doctor.
type check struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warn, fail
	Detail string `json:"detail"`
	Next   string `json:"next"` // what to do about it, "" for nothing

	err error // why it failed
}

var checkShape = output.Shape[check]{
	Plural: "checks",
	Name:   func(c check) string { return "check/" + c.Check },
	Raw:    output.JSON[check],
	Columns: []output.Column[check]{
		output.Text("STATE", func(c check) string { return c.State }),
		output.Text("CHECK", func(c check) string { return c.Check }),
		output.Text("DETAIL", func(c check) string {
			if c.Next == "" {
				return c.Detail
			}
			return c.Detail + "; next: " + c.Next
		}),
	},
}

func doctorCommand(a *cli.App) *cobra.Command {
	return cli.Examples(&cobra.Command{
		Use:   "doctor",
		Short: "Check configuration, connection, login, rights and terminal, and say what to do next",
		Long: `Check, in this order, the configuration file, the context, the server's address,
its answer and clock, the token and what it may do, settings in the database, apps
that cannot show every post, and the terminal. Each line is ok, warn or fail, with the next step. It changes nothing.

The exit code is that of the worst line: 0 for ok; 9 for warn; for fail what any
other command would exit with for that cause, such as 3 or 8.`,
		Args: cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := a.Printer()
			if err != nil {
				return err
			}
			if done, err := checkShape.ShowFields(p); done || err != nil {
				return err
			}
			d := &doctor{app: a}
			d.examine(cmd.Context())
			if err := checkShape.Print(p, d.checks, false); err != nil {
				return err
			}
			return d.worst()
		},
	}, "doctor", "doctor -o json --jq '.[] | select(.state != \"ok\") | .next'")
}

// doctor collects checks.
type doctor struct {
	app    *cli.App
	checks []check
}

func (d *doctor) ok(what, format string, args ...any) {
	d.checks = append(d.checks, check{Check: what, State: checkOK, Detail: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(what, detail, next string) {
	d.checks = append(d.checks, check{Check: what, State: checkWarn, Detail: detail, Next: next})
}

func (d *doctor) fail(what string, err error, next string) {
	detail, hint := cli.Explain(err)
	if next == "" {
		next = hint
	}
	d.checks = append(d.checks, check{Check: what, State: checkFail, Detail: detail, Next: next, err: err})
}

// worst is nil, ErrCondition where something is to be warned of, or what the first
// failure makes of the exit code.
func (d *doctor) worst() error {
	var warned error
	for _, c := range d.checks {
		switch c.State {
		case checkFail:
			return &cli.About{What: c.Check, Err: c.err, Hint: c.Next}
		case checkWarn:
			warned = cli.ErrCondition
		}
	}
	return warned
}

func (d *doctor) examine(ctx context.Context) {
	defer d.terminal()
	if !d.config() {
		return
	}
	s, err := d.app.OpenSession()
	if err != nil {
		d.fail("context", err, "")
		return
	}
	name := s.Name
	if name == "" {
		name = "no context"
	}
	detail := name + ", " + s.Origin.String()
	if s.ReadOnly {
		detail += ", read-only"
	}
	if s.Protected {
		detail += ", protected"
	}
	d.ok("context", "%s", detail)
	if !d.server(ctx, s) {
		return
	}
	d.login(ctx, s)
}

// config looks at the configuration file.
func (d *doctor) config() bool {
	path := login.PathsFrom(d.app.Getenv).Config
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.ok("config file", "%s does not exist; flags and environment alone count", path)
		return true
	case err != nil:
		d.fail("config file", err, "make "+path+" readable")
		return false
	}
	config, err := login.LoadConfig(path)
	if err != nil {
		d.fail("config file", err, "mend "+path)
		return false
	}
	// The parts that other commands read, by the code that reads them.
	if _, _, err := tuiConfig(d.app); err != nil {
		d.fail("config file", err, "mend "+path)
	}
	if _, err := playbook.Load(config.Playbooks, config.Templates); err != nil {
		d.fail("config file", err, "mend playbooks: in "+path)
	}
	for _, name := range templates.Names(config.Templates) {
		if _, err := templates.Fill(name, config.Templates[name], templates.Sample()); err != nil {
			d.fail("config file", &cli.UsageError{Message: err.Error()}, "mend templates: in "+path)
		}
	}
	root := newRoot(d.app)
	for _, name := range slices.Sorted(maps.Keys(config.Aliases)) {
		if err := checkAlias(root, name, config.Aliases[name]); err != nil {
			d.fail("config file", err, "svcctl alias delete "+name+", or mend aliases: in "+path)
		}
	}
	for _, unknown := range config.Unknown() {
		d.warn("config file", unknown, "mend "+path+", if it is not of a newer svcctl")
	}
	if len(d.checks) > 0 {
		return true
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		d.warn("config file", fmt.Sprintf("%s: others can change it (mode %04o), and so where svcctl goes", path, mode), "chmod 600 "+path)
		return true
	}
	contexts := cli.CountOf(len(config.Contexts), "context")
	d.ok("config file", "%s, %s", path, contexts)
	return true
}

// The limits of what the doctor reads and accepts.
const (
	// instanceLimit bounds the instance's description of itself, in bytes.
	instanceLimit = 4 << 20
	// skewLimit is how far the clocks may be apart before times look wrong.
	skewLimit = 30 * time.Second
	// certificateLimit is how long a certificate should be valid at least.
	certificateLimit = 7 * 24 * time.Hour
)

// server asks the address of a session for the public description of the instance.
// It uses no client: what happens below HTTP is what it is to tell.
func (d *doctor) server(ctx context.Context, s *login.Session) bool {
	ctx, cancel := context.WithTimeout(ctx, d.app.Timeout())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Origin.String()+"/api/v1/instance", nil)
	if err != nil {
		d.fail("address", err, "")
		return false
	}
	req.Header.Set("User-Agent", "svcctl/"+build.Read().Version)
	start := time.Now()
	resp, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
	took := time.Since(start)
	if err != nil {
		var about *url.Error
		if errors.As(err, &about) {
			err = about.Err
		}
		d.unreachable(s, &client.TransportError{Err: err})
		return false
	}
	defer resp.Body.Close()
	d.ok("address", "%s answers in %s", s.Origin.Host, took.Round(time.Millisecond))
	switch {
	case resp.TLS == nil:
		d.ok("tls", "none: plain http")
	case len(resp.TLS.PeerCertificates) > 0:
		ends := resp.TLS.PeerCertificates[0].NotAfter
		detail := "certificate valid until " + ends.UTC().Format(time.RFC3339)
		if ends.Sub(d.app.Now()) < certificateLimit {
			d.warn("tls", detail, "renew the server's certificate")
		} else {
			d.ok("tls", "%s", detail)
		}
	}
	d.clock(resp.Header.Get("Date"))
	body, err := io.ReadAll(io.LimitReader(resp.Body, instanceLimit))
	if err != nil {
		d.fail("server", &client.TransportError{Err: err}, "")
		return false
	}
	return d.instance(s, resp, body)
}

func (d *doctor) unreachable(s *login.Session, err error) {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var expired x509.CertificateInvalidError
	switch {
	case errors.As(err, &dns):
		d.fail("address", err, "check the spelling of "+s.Origin.Hostname()+" in svcctl context list, and the name server")
	case errors.As(err, &certificate), errors.As(err, &authority), errors.As(err, &host), errors.As(err, &expired):
		d.fail("tls", err, "renew or complete the server's certificate, or name its authority in SSL_CERT_FILE")
	case errors.Is(err, context.DeadlineExceeded):
		d.fail("address", err, "check that the server runs and a firewall lets "+s.Origin.Host+" through; a longer --timeout waits longer")
	default:
		d.fail("address", err, "check that the server runs at "+s.Origin.Host+", and proxies in HTTPS_PROXY")
	}
}

// clock compares the server's clock with the one here.
func (d *doctor) clock(date string) {
	there, err := http.ParseTime(date)
	if err != nil {
		d.warn("clock", "the server did not tell the time", "")
		return
	}
	skew := d.app.Now().Sub(there)
	if skew.Abs() > skewLimit {
		side := "behind"
		if skew > 0 {
			side = "ahead"
		}
		d.warn("clock", fmt.Sprintf("the clock here is %s %s of the server's", skew.Abs().Round(time.Second), side), "synchronise both clocks, by NTP")
		return
	}
	d.ok("clock", "within %s of the server's", skewLimit)
}

// instance looks at what runs there.
func (d *doctor) instance(s *login.Session, resp *http.Response, body []byte) bool {
	if resp.StatusCode/100 == 3 {
		d.fail("server", &client.Error{Status: resp.StatusCode, Message: "leads to " + resp.Header.Get("Location")}, "use that address: svcctl auth login URL")
		return false
	}
	if resp.StatusCode != http.StatusOK {
		d.fail("server", &client.Error{Status: resp.StatusCode, Message: http.StatusText(resp.StatusCode)}, "look at the server's log")
		return false
	}
	var about struct{ URI, Version string }
	if err := json.Unmarshal(body, &about); err != nil || about.Version == "" {
		d.fail("server", fmt.Errorf("%s is no instance: its /api/v1/instance cannot be read", s.Origin), "check the address in svcctl context list")
		return false
	}
	// A server that has another name at its edges tells so in Vary.
	named := slices.Contains(resp.Header.Values("Vary"), "Svc-Name")
	if !named && !strings.Contains(about.Version, "svc ") {
		d.warn("server", "version "+about.Version+" is not svc; moderators' commands may miss endpoints", "")
		return true
	}
	d.ok("server", "%s", about.Version)
	return true
}

// login looks at the token and at what it opens.
func (d *doctor) login(ctx context.Context, s *login.Session) {
	conn, err := d.app.Connect(ctx)
	if err != nil {
		d.fail("token", err, "")
		return
	}
	able, err := login.Probe(ctx, conn.Client)
	if err != nil {
		d.fail("token", err, "")
		return
	}
	detail := able.Account + ", from " + s.From
	if s.From == "stored" {
		store := login.NewStore(login.PathsFrom(d.app.Getenv), d.app.UseKeyring)
		if c, err := store.Get(s.Name); err == nil {
			detail += ", scopes " + c.Scopes
			if !c.ExpiresAt.IsZero() {
				detail += ", until " + c.ExpiresAt.UTC().Format(time.RFC3339)
			}
		}
	}
	d.ok("token", "%s", detail)
	d.rights(ctx, conn, able)
}

// rights tries one harmless read of each part of the admin API.
func (d *doctor) rights(ctx context.Context, conn *cli.Connection, able login.Abilities) {
	reads := []struct {
		name string
		read func() error
	}{
		{"reports", func() error {
			_, err := conn.Admin.Reports.List(api.ReportQuery{PageSize: 1}).Page(ctx)
			return err
		}},
		{"users", func() error {
			_, err := conn.Admin.Users.List(api.UserQuery{PageSize: 1}).Page(ctx)
			return err
		}},
		{"log", func() error {
			_, err := conn.Admin.Log.List(api.LogQuery{PageSize: 1}).Page(ctx)
			return err
		}},
		{"invites", func() error {
			_, err := conn.Admin.Invites.List(ctx)
			return err
		}},
		{"relays", func() error {
			_, err := conn.Admin.Relays.List(ctx)
			return err
		}},
		{"settings", func() error {
			_, err := conn.Admin.Config.Descriptions(ctx)
			return err
		}},
	}
	var may, not []string
	for _, r := range reads {
		err := r.read()
		switch {
		case err == nil:
			may = append(may, r.name)
		case errors.Is(err, client.ErrForbidden):
			not = append(not, r.name)
		default:
			d.fail("rights", &cli.About{What: r.name, Err: err}, "")
			return
		}
	}
	switch {
	case able.Moderator:
		d.ok("rights", "%s: %s", mayDo(able), strings.Join(openedTo(able.Privileges), ", "))
		return
	case len(may) == 0:
		d.fail("rights", &client.Error{Status: http.StatusForbidden, Message: able.Account + " may not use the admin API: " + able.Reason},
			"have an admin give the role: svcctl user role add admin "+able.Account+"; then svcctl auth login")
		return
	case len(not) > 0:
		d.ok("rights", "%s may read %s; not %s", able.Account, strings.Join(may, ", "), strings.Join(not, ", "))
		return
	}
	d.ok("rights", "%s may read %s", able.Account, strings.Join(may, ", "))
	d.settings(ctx, conn)
	d.apps(ctx, conn)
}

// openedTo are the changes that privileges open to a moderator.
func openedTo(privileges []api.Privilege) []string {
	var commands []string
	for _, kind := range action.Kinds() {
		needs := kind.Needs()
		if name := kind.Noun() + " " + kind.Verb(); len(needs) > 0 && !slices.ContainsFunc(needs, func(p api.Privilege) bool { return !slices.Contains(privileges, p) }) && !slices.Contains(commands, name) {
			commands = append(commands, name)
		}
	}
	return commands
}

// settings tells whether they are kept in the database, and whether they act.
func (d *doctor) settings(ctx context.Context, conn *cli.Connection) {
	switch _, err := conn.Admin.Config.List(ctx, api.ConfigQuery{OnlyDB: true}); {
	case errors.Is(err, client.ErrConfigDisabled):
		d.ok("settings", "not kept in the database: svcctl config set exits 11 until the server runs with SVC_CONFIG_FROM_DATABASE=true")
	case err != nil:
		d.fail("settings", err, "")
	default:
		d.ok("settings", "kept in the database, where svcctl config changes them")
	}
	switch needed, err := conn.Admin.Config.NeedReboot(ctx); {
	case err != nil:
		d.fail("restart", err, "")
	case needed:
		d.warn("restart", "changed settings wait for one", "svcctl server restart")
	default:
		d.ok("restart", "not needed")
	}
}

// terminal tells what the screen can show.
func (d *doctor) terminal() {
	a := d.app
	if !a.TTYOut || a.Height == 0 { // a page of the terminal UI has no height
		d.ok("terminal", "standard output is none")
		return
	}
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale = a.Getenv(name); locale != "" {
			break
		}
	}
	upper := strings.ToUpper(locale)
	colour := "with colours"
	if !a.Colored(true) {
		colour = "without colours"
	}
	detail := fmt.Sprintf("%s, %d columns and %d lines, %s", a.Getenv("TERM"), a.Width, a.Height, colour)
	switch {
	case !strings.Contains(upper, "UTF-8") && !strings.Contains(upper, "UTF8"):
		d.warn("terminal", detail+"; the locale "+locale+" is not UTF-8, so lines are drawn in ASCII", "export LC_CTYPE=C.UTF-8")
	case a.Width < 80 || a.Height < 24:
		d.warn("terminal", detail, "make the window 80 columns and 24 lines large for svcctl tui")
	default:
		d.ok("terminal", "%s", detail)
	}
}
