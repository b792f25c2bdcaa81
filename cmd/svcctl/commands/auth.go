package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/api"
	"svc/client/login"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

func authCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("auth", "Log in and out",
		authLoginCommand(a), authStatusCommand(a), authRefreshCommand(a), authLogoutCommand(a), authTokenCommand(a)),
		"auth login https://social.example",
		"auth login https://social.example --username kim --password-stdin",
		"auth status",
		"auth refresh",
		"auth token",
		"auth logout",
	)
}

type loginFlags struct {
	noBrowser     bool
	passwordStdin bool
	withToken     bool
	username      string
	scopes        string
}

func authLoginCommand(a *cli.App) *cobra.Command {
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
				return cli.Usagef("one instance is wanted, got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return logIn(cmd.Context(), a, args, f)
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
		return cli.Usagef("--no-browser, --password-stdin and --with-token exclude each other")
	case f.passwordStdin && f.username == "":
		return cli.Usagef("--password-stdin needs --username")
	case f.username != "" && !f.passwordStdin:
		return cli.Usagef("--username goes with --password-stdin")
	case strings.TrimSpace(f.scopes) == "":
		return cli.Usagef("--scopes is empty")
	}
	return nil
}

func logIn(ctx context.Context, a *cli.App, args []string, f loginFlags) error {
	paths := login.PathsFrom(a.Getenv)
	config, err := login.LoadConfig(paths.Config)
	if err != nil {
		return err
	}
	origin, name, err := loginTarget(a, config, args)
	if err != nil {
		return err
	}
	store := login.NewStore(paths, a.UseKeyring)
	known, err := store.Get(name)
	if err != nil && !errors.Is(err, login.ErrNoCredential) {
		return err
	}
	l, err := login.NewLogin(origin, known, strings.Join(strings.Fields(f.scopes), " "), a.ClientOptions()...)
	if err != nil {
		return err
	}
	credential, err := obtain(ctx, a, l, f)
	if err != nil {
		return err
	}
	credential, able, err := l.Try(ctx, credential)
	if err != nil {
		return err
	}
	name, where, err := l.Save(paths, store, name, a.Flags.InsecureHTTP, credential)
	if err != nil {
		return err
	}
	if !a.Flags.Quiet {
		fmt.Fprintf(a.ErrOut, "logged in to %s as %s, context %s, kept in %s\n", origin.Host, able.Account, name, where)
		fmt.Fprintln(a.ErrOut, mayDo(able))
	}
	return nil
}

// loginTarget is the instance to log in to, and the context's name.
func loginTarget(a *cli.App, config *login.Config, args []string) (*url.URL, string, error) {
	name := a.Flags.Context
	if name == "" {
		name = a.Getenv("SVCCTL_CONTEXT")
	}
	if name != "" {
		if err := login.CheckContextName(name); err != nil {
			return nil, "", err
		}
	}
	if len(args) == 0 && a.Flags.URL == "" && a.Getenv("SVCCTL_URL") == "" {
		current := name
		if current == "" {
			current = config.Current
		}
		if known, ok := config.Contexts[current]; ok {
			origin, err := login.ParseOrigin(known.URL, a.Flags.InsecureHTTP || known.InsecureHTTP)
			return origin, current, err
		}
	}
	origin, err := instanceURL(a, args)
	if err != nil {
		return nil, "", err
	}
	if name == "" {
		name = login.ContextFor(config, origin)
	}
	return origin, name, nil
}

func obtain(ctx context.Context, a *cli.App, l *login.Login, f loginFlags) (login.Credential, error) {
	switch {
	case f.withToken:
		token, err := a.ReadSecret()
		if err != nil {
			return login.Credential{}, err
		}
		return l.Token(token)
	case f.passwordStdin:
		password, err := a.ReadSecret()
		if err != nil {
			return login.Credential{}, err
		}
		return l.Password(ctx, f.username, password)
	case f.noBrowser:
		page, redeem, err := l.Code(ctx)
		if err != nil {
			return login.Credential{}, err
		}
		fmt.Fprintf(a.ErrOut, "Open this page, log in, and bring its code here:\n\n  %s\n\n", page)
		code, err := a.Ask(ctx, "code: ")
		if err != nil {
			return login.Credential{}, err
		}
		if code == "" {
			return login.Credential{}, cli.ErrDeclined
		}
		return redeem(ctx, code)
	}
	return l.Browser(ctx, func(page string) error {
		fmt.Fprintf(a.ErrOut, "Log in with the browser. If none opens, open this page on this machine, or use --no-browser:\n\n  %s\n\n", page)
		// Without a browser the address above still serves.
		if err := a.OpenBrowser(page); err != nil {
			fmt.Fprintf(a.ErrOut, "warning: no browser opens here: %v\n", err)
		}
		return nil
	})
}

// mayDo describes the rights of a login in a sentence.
func mayDo(able login.Abilities) string {
	switch {
	case able.Moderator:
		return able.Account + " is a moderator, and may use " + listed(able.Privileges)
	case !able.Admin:
		return able.Account + " may not use the admin API: " + strings.TrimSuffix(able.Reason, ".")
	case able.Scopes != "" && !canWrite(able.Scopes):
		return able.Account + " may read what moderators see, and change nothing"
	}
	return able.Account + " may read and change what moderators do"
}

// listed are privileges in a line.
func listed(privileges []api.Privilege) string {
	words := make([]string, len(privileges))
	for i, p := range privileges {
		words[i] = string(p)
	}
	return strings.Join(words, ", ")
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
	Context string `json:"context"`
	URL     string `json:"url"`
	Account string `json:"account"`
	Admin   bool   `json:"admin"`
	// Privileges are the parts of the admin API that a moderator may use; of an
	// admin all of them.
	Privileges api.List[api.Privilege] `json:"privileges"`
	Reason     string                  `json:"reason"`
	Token      string                  `json:"token"` // where it comes from
	Scopes     string                  `json:"scopes"`
	ExpiresAt  *api.Time               `json:"expires_at"`
	ReadOnly   bool                    `json:"read_only"`
	Protected  bool                    `json:"protected"`
}

func authStatusCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the logged-in account, and its rights",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			able, err := login.Probe(cmd.Context(), conn.Client)
			if err != nil {
				return &cli.About{What: "login at " + conn.Origin.Host, Err: err}
			}
			s := loginStatus{
				Context: conn.Name, URL: conn.Origin.String(), Account: able.Account, Admin: able.Admin, Privileges: able.Privileges, Reason: able.Reason,
				Token: conn.From, ReadOnly: conn.ReadOnly, Protected: conn.Protected,
			}
			if conn.From == "stored" {
				store := login.NewStore(login.PathsFrom(a.Getenv), a.UseKeyring)
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
			switch {
			case s.Admin:
				admin = "yes"
			case able.Moderator:
				admin = "only " + listed(able.Privileges)
			}
			return a.PrintOne(
				[]output.Head{{Title: "CONTEXT"}, {Title: "URL"}, {Title: "ACCOUNT"}, {Title: "TOKEN"}, {Title: "EXPIRES"}, {Title: "SCOPES", Wide: true}, {Title: "ADMIN"}},
				output.Record{Name: "user/" + s.Account, JSON: doc, Cells: []string{s.Context, s.URL, s.Account, s.Token, expires, s.Scopes, admin}},
			)
		},
	}
}

func authRefreshCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "refresh",
		Short: "Exchange the login's token for a new one",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.OpenSession()
			if err != nil {
				return err
			}
			return s.Renew(cmd.Context())
		},
	}
}

func authLogoutCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "Give the login's token back and forget it",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.OpenSession()
			if err != nil {
				return err
			}
			if s.From != "stored" {
				return &login.AuthError{Message: "no stored login is in use here", Hint: "svcctl context list"}
			}
			store := login.NewStore(login.PathsFrom(a.Getenv), a.UseKeyring)
			if c, err := store.Get(s.Name); err == nil && c.HandedIn() && !a.Flags.Quiet {
				fmt.Fprintln(a.ErrOut, "the token was handed in: it is revoked for everybody who has it")
			}
			err = login.Logout(cmd.Context(), store, s.Name, a.ClientOptions()...)
			if errors.Is(err, login.ErrNoCredential) {
				return nil // already so
			}
			return err
		},
	}
}

func authTokenCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "token",
		Short: "Print the token, for other programs",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.OpenSession()
			if err != nil {
				return err
			}
			token, err := s.Token(cmd.Context())
			if err != nil || a.Flags.Quiet {
				return err
			}
			_, err = fmt.Fprintln(a.Out, token)
			return err
		},
	}
}

// instanceURL is where a command that logs in goes.
func instanceURL(a *cli.App, args []string) (*url.URL, error) {
	address := a.Flags.URL
	if len(args) > 0 {
		address = args[0]
	}
	if address == "" {
		address = a.Getenv("SVCCTL_URL")
	}
	if address == "" {
		return nil, &cli.UsageError{Message: "which instance?", Hint: "svcctl auth login https://example.social"}
	}
	u, err := login.ParseOrigin(address, a.Flags.InsecureHTTP)
	if err != nil {
		return nil, cli.Usagef("%v", err)
	}
	return u, nil
}
