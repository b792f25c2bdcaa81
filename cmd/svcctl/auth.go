package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/api"
	"svc/client/login"
	"svc/cmd/svcctl/cli/output"
)

func authCommand(a *app) *cobra.Command {
	return noun("auth", "Log in and out",
		authLoginCommand(a), authStatusCommand(a), authRefreshCommand(a), authLogoutCommand(a), authTokenCommand(a))
}

// secretLimit bounds what is read from standard input as a password or token.
const secretLimit = 64 << 10

type loginFlags struct {
	noBrowser     bool
	passwordStdin bool
	withToken     bool
	username      string
	scopes        string
}

func authLoginCommand(a *app) *cobra.Command {
	var f loginFlags
	cmd := &cobra.Command{
		Use:   "login [URL]",
		Short: "Log in to an instance",
		Long: `Log in to an instance, in one of four ways: in the browser; with a code that a
browser anywhere shows (--no-browser); with a name and a password (--username,
--password-stdin); or with a token that exists already (--with-token, which
reads standard input).`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("one instance is wanted, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.login(cmd.Context(), args, f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.noBrowser, "no-browser", false, "print the address and read the code it gives")
	flags.BoolVar(&f.passwordStdin, "password-stdin", false, "read the password from standard input")
	flags.StringVar(&f.username, "username", "", "the `NAME` or email that the password belongs to")
	flags.BoolVar(&f.withToken, "with-token", false, "read a token from standard input")
	flags.StringVar(&f.scopes, "scopes", login.Scopes, "the `SCOPES` to ask for, separated by spaces")
	return cmd
}

func (f loginFlags) check() error {
	ways := 0
	for _, chosen := range []bool{f.noBrowser, f.passwordStdin, f.withToken} {
		if chosen {
			ways++
		}
	}
	switch {
	case ways > 1:
		return usagef("--no-browser, --password-stdin and --with-token exclude each other")
	case f.passwordStdin && f.username == "":
		return usagef("--password-stdin needs --username")
	case f.username != "" && !f.passwordStdin:
		return usagef("--username goes with --password-stdin")
	case strings.TrimSpace(f.scopes) == "":
		return usagef("--scopes is empty")
	}
	return nil
}

func (a *app) login(ctx context.Context, args []string, f loginFlags) error {
	paths := login.PathsFrom(a.getenv)
	config, err := login.LoadConfig(paths.Config)
	if err != nil {
		return err
	}
	origin, name, err := a.loginTarget(config, args)
	if err != nil {
		return err
	}
	store := login.NewStore(paths.Credentials, a.useKeyring)
	known, err := store.Get(name)
	if err != nil && !errors.Is(err, login.ErrNoCredential) {
		return err
	}
	l, err := login.NewLogin(origin, known, strings.Join(strings.Fields(f.scopes), " "), a.clientOptions()...)
	if err != nil {
		return err
	}
	credential, err := a.obtain(ctx, l, f)
	if err != nil {
		return err
	}
	credential, able, err := l.Try(ctx, credential)
	if err != nil {
		return err
	}
	name, where, err := l.Save(paths, store, name, a.g.insecureHTTP, credential)
	if err != nil {
		return err
	}
	if !a.g.Quiet {
		fmt.Fprintf(a.errOut, "logged in to %s as %s, context %s, kept in %s\n", origin.Host, able.Account, name, where)
		fmt.Fprintln(a.errOut, mayDo(able))
	}
	return nil
}

// loginTarget is the instance to log in to, and the context's name.
func (a *app) loginTarget(config *login.Config, args []string) (*url.URL, string, error) {
	name := a.g.context
	if name == "" {
		name = a.getenv("SVCCTL_CONTEXT")
	}
	if name != "" {
		if err := login.CheckContextName(name); err != nil {
			return nil, "", err
		}
	}
	if len(args) == 0 && a.g.url == "" && a.getenv("SVCCTL_URL") == "" {
		current := name
		if current == "" {
			current = config.Current
		}
		if known, ok := config.Contexts[current]; ok {
			origin, err := login.ParseOrigin(known.URL, a.g.insecureHTTP || known.InsecureHTTP)
			return origin, current, err
		}
	}
	origin, err := a.instanceURL(args)
	if err != nil {
		return nil, "", err
	}
	if name == "" {
		name = login.ContextFor(config, origin)
	}
	return origin, name, nil
}

func (a *app) obtain(ctx context.Context, l *login.Login, f loginFlags) (login.Credential, error) {
	switch {
	case f.withToken:
		token, err := a.readSecret()
		if err != nil {
			return login.Credential{}, err
		}
		return l.Token(token)
	case f.passwordStdin:
		password, err := a.readSecret()
		if err != nil {
			return login.Credential{}, err
		}
		return l.Password(ctx, f.username, password)
	case f.noBrowser:
		page, redeem, err := l.Code(ctx)
		if err != nil {
			return login.Credential{}, err
		}
		fmt.Fprintf(a.errOut, "Open this page, log in, and bring its code here:\n\n  %s\n\n", page)
		code, err := a.ask(ctx, "code: ")
		if err != nil {
			return login.Credential{}, err
		}
		if code == "" {
			return login.Credential{}, errDeclined
		}
		return redeem(ctx, code)
	}
	return l.Browser(ctx, func(page string) error {
		fmt.Fprintf(a.errOut, "Log in with the browser. If none opens, open this page on this machine, or use --no-browser:\n\n  %s\n\n", page)
		// Without a browser the address above still serves.
		_ = a.openBrowser(page)
		return nil
	})
}

// readSecret reads standard input, of which the last line end is no part.
func (a *app) readSecret() (string, error) {
	if a.ttyIn {
		fmt.Fprint(a.errOut, "secret: ")
		secret, err := a.readPassword()
		fmt.Fprintln(a.errOut)
		if err != nil {
			return "", fmt.Errorf("read the secret: %w", err)
		}
		return secret, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.in, secretLimit))
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if secret == "" {
		return "", usagef("standard input is empty")
	}
	return secret, nil
}

// mayDo says in a sentence what a login is good for.
func mayDo(able login.Abilities) string {
	switch {
	case !able.Admin:
		return able.Account + " may not use the admin API: " + strings.TrimSuffix(able.Reason, ".")
	case able.Scopes != "" && !canWrite(able.Scopes):
		return able.Account + " may read what moderators see, and change nothing"
	}
	return able.Account + " may read and change what moderators do"
}

func canWrite(scopes string) bool {
	for scope := range strings.FieldsSeq(scopes) {
		switch scope {
		case "admin", "admin:write", "write":
			return true
		}
		if strings.HasPrefix(scope, "admin:write:") || strings.HasPrefix(scope, "write:") {
			return true
		}
	}
	return false
}

// loginStatus is the output of auth status.
type loginStatus struct {
	Context   string    `json:"context"`
	URL       string    `json:"url"`
	Account   string    `json:"account"`
	Admin     bool      `json:"admin"`
	Reason    string    `json:"reason"`
	Token     string    `json:"token"` // where it comes from
	Scopes    string    `json:"scopes"`
	ExpiresAt *api.Time `json:"expires_at"`
	ReadOnly  bool      `json:"read_only"`
	Protected bool      `json:"protected"`
}

func authStatusCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show who is logged in, and what that is good for",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			able, err := login.Probe(cmd.Context(), conn.Client)
			if err != nil {
				return &about{what: "login at " + conn.Origin.Host, err: err}
			}
			s := loginStatus{
				Context: conn.Name, URL: conn.Origin.String(), Account: able.Account, Admin: able.Admin, Reason: able.Reason,
				Token: conn.From, ReadOnly: conn.ReadOnly, Protected: conn.Protected,
			}
			if conn.From == "stored" {
				store := login.NewStore(login.PathsFrom(a.getenv).Credentials, a.useKeyring)
				if c, err := store.Get(conn.Name); err == nil {
					s.Scopes, s.ExpiresAt = c.Scopes, api.At(c.ExpiresAt)
				}
			}
			doc, err := json.Marshal(s)
			if err != nil {
				return err
			}
			expires := ""
			if s.ExpiresAt != nil {
				expires = s.ExpiresAt.UTC().Format("2006-01-02T15:04:05Z")
			}
			admin := "no: " + s.Reason
			if s.Admin {
				admin = "yes"
			}
			return a.printOne(
				[]output.Head{{Title: "CONTEXT"}, {Title: "URL"}, {Title: "ACCOUNT"}, {Title: "TOKEN"}, {Title: "EXPIRES"}, {Title: "SCOPES", Wide: true}, {Title: "ADMIN"}},
				output.Record{Name: "user/" + s.Account, JSON: doc, Cells: []string{s.Context, s.URL, s.Account, s.Token, expires, s.Scopes, admin}},
			)
		},
	}
}

func authRefreshCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "refresh",
		Short: "Exchange the login's token for a new one",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openSession()
			if err != nil {
				return err
			}
			return s.Renew(cmd.Context())
		},
	}
}

func authLogoutCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Give the login's token back and forget it",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openSession()
			if err != nil {
				return err
			}
			if s.From != "stored" {
				return &login.AuthError{Message: "no stored login is in use here", Hint: "svcctl context list"}
			}
			store := login.NewStore(login.PathsFrom(a.getenv).Credentials, a.useKeyring)
			err = login.Logout(cmd.Context(), store, s.Name, a.clientOptions()...)
			if errors.Is(err, login.ErrNoCredential) {
				return nil // already so
			}
			return err
		},
	}
}

func authTokenCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "token",
		Short: "Print the token, for other programs",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.openSession()
			if err != nil {
				return err
			}
			token, err := s.Token(cmd.Context())
			if err != nil || a.g.Quiet {
				return err
			}
			_, err = fmt.Fprintln(a.out, token)
			return err
		},
	}
}
