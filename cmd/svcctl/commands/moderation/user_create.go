package moderation

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// userBatch is how many users are made in one request, all or none.
const userBatch = 100

// madeUser is one user to be made, with the result. The password is
// shown where this program chose it.
type madeUser struct {
	api.NewUser
	generated bool
	outcome   action.Outcome
	err       error
}

func userCreateCommand(a *cli.App) *cobra.Command {
	var email, file string
	var generate, fromStdin bool
	cmd := &cobra.Command{
		Use:   "create NICK --email ADDRESS (--generate | --password-stdin)",
		Short: "Make local users; their addresses count as confirmed",
		Long: `Make local users; their addresses count as confirmed.

--file FILE, or - for standard input, makes many: a JSON object per line with
nickname, email and password, which --generate chooses where it is missing.
Passwords that were chosen here are printed, and nowhere kept: on standard error
before the users are made, since the answer may be lost, and with the results.

A hundred users are made at a time, all or none of them: when one is refused the
others are skipped. Users who exist already with the same address are unchanged.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if file == "" && len(args) != 1 || file != "" && len(args) > 0 {
				return &cli.UsageError{Message: "one nickname is wanted, or --file", Hint: cmd.UseLine()}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if generate && a.Flags.Quiet && !a.Flags.DryRun {
				return cli.Usagef("--generate prints passwords, which --quiet would lose")
			}
			var users []*madeUser
			var err error
			if file != "" {
				if email != "" || fromStdin {
					return cli.Usagef("--file goes with neither --email nor --password-stdin")
				}
				users, err = readUsers(a, file)
			} else {
				users, err = oneUser(a, args[0], email, fromStdin)
			}
			if err != nil {
				return err
			}
			for _, u := range users {
				switch {
				case u.Password != "":
				case !generate:
					return &cli.UsageError{Message: "user " + u.Nickname + " has no password", Hint: "add --generate, or --password-stdin"}
				case a.Flags.DryRun:
					u.Password = client.Generated
				default:
					u.Password, u.generated = rand.Text(), true
				}
			}
			return createUsers(cmd.Context(), a, users)
		},
	}
	f := cmd.Flags()
	f.StringVar(&email, "email", "", "the user's `ADDRESS`")
	f.BoolVar(&generate, "generate", false, "choose passwords, and print them")
	f.BoolVar(&fromStdin, "password-stdin", false, "read the password from standard input")
	f.StringVarP(&file, "file", "f", "", "make the users in `FILE`, an object per line; - for standard input")
	return cmd
}

func oneUser(a *cli.App, nickname, email string, fromStdin bool) ([]*madeUser, error) {
	t, err := action.ParseTarget("user", nickname)
	if err != nil {
		return nil, err
	}
	if email == "" {
		return nil, cli.Usagef("--email is missing")
	}
	u := &madeUser{NewUser: api.NewUser{Nickname: t.Name, Email: email}}
	if fromStdin {
		if u.Password, err = a.ReadSecret(); err != nil {
			return nil, err
		}
	}
	return []*madeUser{u}, nil
}

func readUsers(a *cli.App, file string) ([]*madeUser, error) {
	if err := a.MayAdminister(true); err != nil {
		return nil, err
	}
	var users []*madeUser
	err := a.EachLine("--file", file, func(n int, line []byte) error {
		u := &madeUser{}
		if err := json.Unmarshal(line, &u.NewUser); err != nil {
			return cli.Usagef("line %d: %v", n, err)
		}
		if u.Nickname == "" || u.Email == "" {
			return cli.Usagef("line %d: nickname and email are wanted", n)
		}
		users = append(users, u)
		return a.CheckRead(len(users), 3*len(line))
	})
	return users, err
}

func createUsers(ctx context.Context, a *cli.App, users []*madeUser) error {
	conn, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	const kind = action.UserCreate
	sent, err := a.Perform(ctx, conn, cli.Write{
		Kind: kind, Count: len(users), Level: action.Count(len(users), false),
		What: "create " + cli.CountOf(len(users), "user"), Token: strconv.Itoa(len(users)),
		Done: func(context.Context) []action.Result { return usersMade(kind, users) },
	}, func(ctx context.Context) error {
		for start := 0; start < len(users); start += userBatch {
			batch := users[start:min(start+userBatch, len(users))]
			if err := tellPasswords(ctx, a, conn, batch); err != nil {
				return err
			}
			createBatch(ctx, conn, batch)
		}
		return nil
	})
	if !sent || err != nil {
		return err
	}
	return showUsersMade(a, kind, users)
}

// tellPasswords prints generated passwords on standard error before the request that
// sets them, so that none is lost with the answer. Who is there already keeps theirs.
func tellPasswords(ctx context.Context, a *cli.App, conn *cli.Connection, batch []*madeUser) error {
	for _, u := range batch {
		if !u.generated {
			continue
		}
		if there, err := action.FindUser(ctx, conn.Client, action.Target{Noun: "user", Name: u.Nickname}); err == nil && there.Local {
			continue
		}
		line := "password of user " + safe.Line(u.Nickname) + ", once they are made: " + u.Password
		if a.Flags.Machine() {
			line = string(safe.JSON(output.JSON(map[string]string{"target": "user/" + u.Nickname, "password": u.Password})))
		}
		if _, err := fmt.Fprintln(a.ErrOut, line); err != nil {
			return fmt.Errorf("show the password of user %s: %w; nothing was sent", u.Nickname, err)
		}
	}
	return nil
}

// createBatch creates users. A second attempt leaves out those that exist,
// since the server creates all users or none.
func createBatch(ctx context.Context, conn *cli.Connection, batch []*madeUser) {
	for range 2 {
		var form []api.NewUser
		for _, u := range batch {
			form = append(form, u.NewUser)
		}
		results, err := conn.Admin.Users.Create(ctx, form)
		if err == nil || len(results) != len(batch) {
			for _, u := range batch {
				r := cli.ResultOf("", "", err)
				u.outcome, u.err = r.Outcome, err
			}
			return
		}
		var left []*madeUser
		refused := false
		for i, u := range batch {
			message := cli.Deref(results[i].Error)
			switch {
			case message == "":
				left = append(left, u)
			case strings.HasSuffix(message, "has already been taken") && u.exists(ctx, conn):
				u.outcome = action.Unchanged
			default:
				u.outcome, u.err = action.Failed, &cli.InvalidError{Message: message}
				refused = true
			}
		}
		for _, u := range left {
			u.outcome, u.err = action.Skipped, errRefusedTogether
		}
		if refused || len(left) == 0 {
			return
		}
		batch = left
	}
}

var errRefusedTogether = errors.New("nobody is made when one is refused")

// exists tells whether the user is there already, with the same address.
func (u *madeUser) exists(ctx context.Context, conn *cli.Connection) bool {
	have, err := action.FindUser(ctx, conn.Client, action.Target{Noun: "user", Name: u.Nickname})
	return err == nil && have.Local && strings.EqualFold(cli.Deref(have.Email), u.Email)
}

func usersMade(kind action.Kind, users []*madeUser) []action.Result {
	results := make([]action.Result, len(users))
	for i, u := range users {
		results[i] = action.Result{Action: action.Action{Kind: kind, Target: "user/" + u.Nickname}, Outcome: u.outcome, Err: u.err}
	}
	return results
}

// showUsersMade prints results, with the generated passwords of the new users.
func showUsersMade(a *cli.App, kind action.Kind, users []*madeUser) error {
	results, passwords := usersMade(kind, users), map[string]string{}
	for _, u := range users {
		if u.generated && (u.outcome == action.Changed || u.outcome == action.Unknown) {
			passwords["user/"+u.Nickname] = u.Password
		}
	}
	err := a.ShowPasswords(results, passwords)
	var answer *client.Error
	if len(results) > 1 && errors.As(results[0].Err, &answer) && cli.ExitOf(answer) == cli.ExitAuth {
		return answer
	}
	return err
}
