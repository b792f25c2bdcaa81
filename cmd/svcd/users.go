package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"svc/client/safe"
	"svc/db"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/platform/rights"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/settings"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

func (a *app) userCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "user", Short: "Create, list and change local users in the database, without the service",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("user: say what to do: create, list, set or rotate-key")
		},
	}
	cmd.AddCommand(a.userCreateCommand(), a.userListCommand(), a.userSetCommand(), a.userRotateKeyCommand())
	return cmd
}

// accounts is the operations that these commands call, over one database.
type accounts struct {
	db     *db.DB
	auth   *auth.Service
	signup *signup.Service
	social *social.Service
	live   *config.Live
	site   config.Site
	now    func() time.Time
}

// withAccounts is withDatabase for those commands.
func (a *app) withAccounts(cmd *cobra.Command, mayMake bool, do func(ctx context.Context, on *accounts) error) error {
	return a.withDatabase(cmd, mayMake, func(ctx context.Context, cfg config.Config, d *db.DB) error {
		on, err := a.accounts(ctx, cfg, d)
		if err != nil {
			return err
		}
		return do(ctx, on)
	})
}

// withDatabase opens the database for do, and closes it. A SQLite file is made
// only when it may be.
func (a *app) withDatabase(cmd *cobra.Command, mayMake bool, do func(ctx context.Context, cfg config.Config, d *db.DB) error) error {
	cfg, log, err := a.load(cmd)
	if err != nil {
		return err
	}
	if path, ok := strings.CutPrefix(cfg.Database, "sqlite:"); ok && !mayMake {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no database at %s", path)
		}
	}
	if mayMake {
		err = makeDataDir(cfg.DataDir)
	}
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	d, err := a.open(ctx, cfg, log)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, cfg, d), d.Close())
}

// liveSettings is the settings as the service would read them.
func liveSettings(ctx context.Context, cfg config.Config, d *db.DB) (*config.Live, error) {
	live, err := config.NewLive(cfg.Settings)
	if err != nil {
		return nil, err
	}
	_, err = settings.Open(ctx, d, live, settings.Options{FromDatabase: cfg.FromDatabase, Whitelist: cfg.Whitelist, Unlocked: cfg.Unlocked})
	return live, err
}

func (a *app) accounts(ctx context.Context, cfg config.Config, d *db.DB) (*accounts, error) {
	live, err := liveSettings(ctx, cfg, d)
	if err != nil {
		return nil, err
	}
	base, err := baseURL(ctx, cfg, d)
	if err != nil {
		return nil, err
	}
	site := config.NewSite(base, false)
	on := &accounts{db: d, auth: auth.New(auth.Parts{DB: d, Settings: live, Now: a.now}), live: live, site: site, now: a.now}
	on.social = social.New(social.Parts{DB: d, Settings: live, Site: site, Now: a.now})
	on.signup = signup.New(signup.Parts{
		DB: d, Settings: live, Rights: rights.New(live, cfg.FromDatabase), Site: site, Auth: on.auth, Social: on.social,
		Chats: chats.New(chats.Parts{DB: d, Settings: live, Site: site, Now: a.now}), Now: a.now,
	})
	return on, nil
}

// baseURL is the beginning of new accounts' ids. Without a chosen one it is the
// one of the service's last start, which may have been given to it alone.
// Before the first start it is open.
func baseURL(ctx context.Context, cfg config.Config, d *db.DB) (string, error) {
	if !cfg.BaseURLGiven {
		return server.AssumeBaseURL(ctx, d, cfg.BaseURL)
	}
	return cfg.BaseURL, server.KeepBaseURL(ctx, d, cfg.BaseURL)
}

func (a *app) userCreateCommand() *cobra.Command {
	var in signup.NewUser
	cmd := &cobra.Command{
		Use:   "create NICK",
		Short: "Create a confirmed local user",
		Long: "Create a confirmed local user. Without --password a random one is printed on standard output, this\n" +
			"once only.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Nickname = args[0]
			if in.Email == "" {
				return usagef("user create: give --email")
			}
			given := cmd.Flags().Changed("password")
			if message := auth.PasswordFault(in.Password); given && message != "" {
				return usagef("--password: %s", message)
			}
			if !given {
				in.Password = rand.Text()
			}
			return a.withAccounts(cmd, true, func(ctx context.Context, on *accounts) error {
				made, err := on.signup.CreateUser(ctx, in)
				if err != nil {
					return fmt.Errorf("user %q: %w", in.Nickname, err)
				}
				if _, err := fmt.Fprintf(a.stderr, "%s is there: %s\n", made.Nickname, role(made.IsAdmin, made.IsModerator)); err != nil {
					return err
				}
				if err := a.hintBaseURL(ctx, on); err != nil || given {
					return err
				}
				_, err = fmt.Fprintln(a.stdout, in.Password)
				return err
			})
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().StringVar(&in.Email, "email", "", "e-mail address")
	cmd.Flags().StringVar(&in.Password, "password", "", "password; others on this machine can see it while the command runs")
	cmd.Flags().BoolVar(&in.Admin, "admin", false, "make an admin")
	cmd.Flags().BoolVar(&in.Moderator, "moderator", false, "make a moderator")
	return cmd
}

// hintBaseURL tells that the base URL is still to be chosen, before the service
// chooses one at its first start.
func (a *app) hintBaseURL(ctx context.Context, on *accounts) error {
	fixed, err := on.db.Meta(ctx, db.BaseURL)
	if err != nil || fixed != "" {
		return err
	}
	_, err = fmt.Fprintln(a.stderr, "The first start of svcd fixes the base URL, which is part of every id: give it SVC_BASE_URL then.")
	return err
}

// operator stands for the operator who runs svcd's commands: an admin without
// an account.
func operator() *db.Account { return &db.Account{IsAdmin: true} }

func role(admin, moderator bool) string {
	switch {
	case admin && moderator:
		return "admin and moderator"
	case admin:
		return "admin"
	case moderator:
		return "moderator"
	}
	return "user"
}

// listedUser is a line of user list.
type listedUser struct {
	Nickname            string `json:"nickname"`
	Email               string `json:"email"`
	Admin               bool   `json:"admin"`
	Moderator           bool   `json:"moderator"`
	Active              bool   `json:"active"`
	ApprovalPending     bool   `json:"approval_pending"`
	ConfirmationPending bool   `json:"confirmation_pending"`
	AccountID           string `json:"account_id"`
}

const maxListed = 1000

func (a *app) userListCommand() *cobra.Command {
	var (
		output string
		page   = db.NumberedPage{Number: 1}
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List local users, by nickname",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case output != "table" && output != "json":
				return usagef("--output: %q is not accepted; give table or json", output)
			case page.Number < 1 || page.Number > 1_000_000:
				return usagef("--page: %d is not accepted; give a number from 1", page.Number)
			case page.Size < 1 || page.Size > maxListed:
				return usagef("--limit: %d is not accepted; give a number from 1 to %d", page.Size, maxListed)
			}
			return a.withAccounts(cmd, false, func(ctx context.Context, on *accounts) error {
				rows, total, err := on.db.AdminUsers(ctx, db.UserFilter{Local: true}, page)
				if err != nil {
					return err
				}
				users := make([]listedUser, len(rows))
				for i, r := range rows {
					users[i] = listedUser{r.Nickname, r.Email, r.IsAdmin, r.IsModerator, !r.Deactivated, r.ApprovalPending, r.ConfirmationPending, r.ID}
				}
				if output == "json" {
					err = printJSON(a.stdout, users)
				} else {
					err = printUsers(a.stdout, users)
				}
				if shown := int64(page.Offset() + len(users)); err == nil && len(users) > 0 && shown < total {
					_, err = fmt.Fprintf(a.stderr, "%d of %d; more with --page %d\n", shown, total, page.Number+1)
				}
				return err
			})
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	cmd.Flags().IntVar(&page.Size, "limit", 100, "how many at most, up to 1000")
	cmd.Flags().IntVar(&page.Number, "page", 1, "which page of that many")
	return cmd
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func printUsers(w io.Writer, users []listedUser) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(t, "NICKNAME\tEMAIL\tROLE\tSTATE"); err != nil {
		return err
	}
	for _, u := range users {
		state := "active"
		switch {
		case !u.Active:
			state = "deactivated"
		case u.ApprovalPending:
			state = "pending"
		case u.ConfirmationPending:
			state = "unconfirmed"
		}
		if _, err := fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", u.Nickname, safe.Line(u.Email), role(u.Admin, u.Moderator), state); err != nil {
			return err
		}
	}
	return t.Flush()
}

func (a *app) userSetCommand() *cobra.Command {
	var admin, moderator, active, readPassword bool
	cmd := &cobra.Command{
		Use:   "set NICK",
		Short: "Change a local user's rights, state or password",
		Long: "Change a local user's rights, state or password. A new password ends all sessions and\n" +
			"tokens of the user. A running service applies changes within a second.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var (
				in          auth.UserChanges
				newPassword string
			)
			changed := cmd.Flags().Changed
			if changed("admin") {
				in.Admin = &admin
			}
			if changed("moderator") {
				in.Moderator = &moderator
			}
			if !changed("admin") && !changed("moderator") && !changed("active") && !readPassword {
				return usagef("user set: give at least one of --admin, --moderator, --active and --password-stdin")
			}
			if readPassword {
				password, err := a.readLine()
				if err != nil {
					return err
				}
				newPassword = password
			}
			return a.withAccounts(cmd, false, func(ctx context.Context, on *accounts) error {
				if newPassword != "" {
					hash, err := on.auth.HashPassword(ctx, args[0], newPassword)
					if err != nil {
						return fmt.Errorf("user %q: %w", args[0], err)
					}
					in.PasswordHash = hash
				}
				err := on.db.Tx(ctx, func(tx *db.DB) error {
					account, err := on.auth.In(tx).SetUser(ctx, args[0], in)
					switch {
					case errors.Is(err, db.ErrNotFound):
						return errors.New("there is no such local user")
					case err != nil || !changed("active"):
						return err
					case active:
						return on.social.In(tx).Activate(ctx, operator(), account)
					}
					return on.social.In(tx).Deactivate(ctx, operator(), account)
				})
				if err != nil {
					return fmt.Errorf("user %q: %w", args[0], err)
				}
				return nil
			})
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().BoolVar(&admin, "admin", false, "whether an admin")
	cmd.Flags().BoolVar(&moderator, "moderator", false, "whether a moderator")
	cmd.Flags().BoolVar(&active, "active", true, "whether the account is active; false deactivates it")
	cmd.Flags().BoolVar(&readPassword, "password-stdin", false, "read a new password from standard input, one line")
	return cmd
}

// maxPassword is in bytes; more than anybody types.
const maxPassword = 4096

// readLine reads a new password, one line of standard input.
func (a *app) readLine() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(a.stdin, maxPassword+2)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	if len(line) > maxPassword {
		return "", usagef("--password-stdin: a line of up to %d bytes is wanted", maxPassword)
	}
	if message := auth.PasswordFault(line); message != "" {
		return "", usagef("--password-stdin: %s", message)
	}
	return line, nil
}
