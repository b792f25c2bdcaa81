package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
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

func userCreateCommand(a *app) *cobra.Command {
	var email, file string
	var generate, fromStdin bool
	cmd := &cobra.Command{
		Use:   "create NICK --email ADDRESS (--generate | --password-stdin)",
		Short: "Make local users; their addresses count as confirmed",
		Long: `Make local users; their addresses count as confirmed.

--file FILE, or - for standard input, makes many: a JSON object per line with
nickname, email and password, which --generate chooses where it is missing.
Passwords that were chosen here are printed, and nowhere kept.

A hundred users are made at a time, all or none of them: when one is refused the
others are skipped. Users who exist already with the same address are unchanged.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if file == "" && len(args) != 1 || file != "" && len(args) > 0 {
				return &usageError{message: "one nickname is wanted, or --file", hint: cmd.UseLine()}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if generate && a.g.Quiet && !a.g.dryRun {
				return usagef("--generate prints passwords, which --quiet would lose")
			}
			var users []*madeUser
			var err error
			if file != "" {
				if email != "" || fromStdin {
					return usagef("--file goes with neither --email nor --password-stdin")
				}
				users, err = a.readUsers(file)
			} else {
				users, err = a.oneUser(args[0], email, fromStdin)
			}
			if err != nil {
				return err
			}
			for _, u := range users {
				switch {
				case u.Password != "":
				case !generate:
					return &usageError{message: "user " + u.Nickname + " has no password", hint: "add --generate, or --password-stdin"}
				case a.g.dryRun:
					u.Password = client.Generated
				default:
					u.Password, u.generated = rand.Text(), true
				}
			}
			return a.createUsers(cmd.Context(), users)
		},
	}
	f := cmd.Flags()
	f.StringVar(&email, "email", "", "the user's `ADDRESS`")
	f.BoolVar(&generate, "generate", false, "choose passwords, and print them")
	f.BoolVar(&fromStdin, "password-stdin", false, "read the password from standard input")
	f.StringVarP(&file, "file", "f", "", "make the users in `FILE`, an object per line; - for standard input")
	return cmd
}

func (a *app) oneUser(nickname, email string, fromStdin bool) ([]*madeUser, error) {
	t, err := single("user", nickname)
	if err != nil {
		return nil, err
	}
	if email == "" {
		return nil, usagef("--email is missing")
	}
	u := &madeUser{NewUser: api.NewUser{Nickname: t.Name, Email: email}}
	if fromStdin {
		if u.Password, err = a.readSecret(); err != nil {
			return nil, err
		}
	}
	return []*madeUser{u}, nil
}

func (a *app) readUsers(file string) ([]*madeUser, error) {
	data, err := a.readInput("--file", file)
	if err != nil {
		return nil, err
	}
	var users []*madeUser
	for n, line := range bytes.Split(data, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		u := &madeUser{}
		if err := json.Unmarshal(line, &u.NewUser); err != nil {
			return nil, usagef("line %d: %v", n+1, err)
		}
		if u.Nickname == "" || u.Email == "" {
			return nil, usagef("line %d: nickname and email are wanted", n+1)
		}
		users = append(users, u)
	}
	return users, nil
}

func (a *app) createUsers(ctx context.Context, users []*madeUser) error {
	conn, err := a.connect(ctx)
	if err != nil {
		return err
	}
	if err := conn.mayWrite(a, "user create"); err != nil {
		return err
	}
	if err := a.checkCount(len(users)); err != nil {
		return err
	}
	const kind action.Kind = "user.create"
	if err := a.confirm(ctx, action.Level(kind, len(users), conn.Protected), "create "+countOf(len(users), "user"), fmt.Sprint(len(users))); err != nil {
		return err
	}
	for start := 0; start < len(users); start += userBatch {
		createBatch(ctx, conn, users[start:min(start+userBatch, len(users))])
	}
	if a.g.dryRun {
		return a.showDryRun(nil)
	}
	return a.showUsersMade(kind, users)
}

// createBatch makes users. Those who are there already are left out of a second
// try, since one refusal makes the server refuse all.
func createBatch(ctx context.Context, conn *connection, batch []*madeUser) {
	for range 2 {
		var form []api.NewUser
		for _, u := range batch {
			form = append(form, u.NewUser)
		}
		results, err := conn.Admin.Users.Create(ctx, form)
		if err == nil || len(results) != len(batch) {
			for _, u := range batch {
				r := resultOf("", "", err)
				u.outcome, u.err = r.Outcome, err
			}
			return
		}
		var left []*madeUser
		refused := false
		for i, u := range batch {
			message := deref(results[i].Error)
			switch {
			case message == "":
				left = append(left, u)
			case strings.HasSuffix(message, "has already been taken") && u.exists(ctx, conn):
				u.outcome = action.Unchanged
			default:
				u.outcome, u.err = action.Failed, &invalidError{message}
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
func (u *madeUser) exists(ctx context.Context, conn *connection) bool {
	have, err := action.FindUser(ctx, conn.Client, action.Target{Noun: "user", Name: u.Nickname})
	return err == nil && have.Local && strings.EqualFold(deref(have.Email), u.Email)
}

// showUsersMade prints results, with the passwords that were chosen for those
// who were made.
func (a *app) showUsersMade(kind action.Kind, users []*madeUser) error {
	p, err := a.printer()
	if err != nil {
		return err
	}
	p.Begin(append(resultHeads[:len(resultHeads):len(resultHeads)], output.Head{Title: "PASSWORD"}))
	var results []action.Result
	for _, u := range users {
		r := action.Result{
			Action: action.Action{Kind: kind, Target: "user/" + u.Nickname}, Outcome: u.outcome, Err: u.err,
		}
		results = append(results, r)
		if p.Format() == "name" && r.Outcome != action.Changed && r.Outcome != action.Unchanged {
			continue
		}
		row := struct {
			resultJSON
			Password string `json:"password,omitempty"`
		}{resultJSON: rowOf(r)}
		if u.generated && u.outcome == action.Changed {
			row.Password = u.Password
		}
		cells := []string{row.Target, row.Action, row.Result, deref(row.Error), row.Password}
		if err := p.Add(output.Record{Name: row.Target, JSON: asJSON(row), Cells: cells}); err != nil {
			return err
		}
	}
	if err := p.End(output.Listing{Total: len(results), Complete: true}); err != nil {
		return err
	}
	var answer *client.Error
	if len(results) > 1 && errors.As(results[0].Err, &answer) && exitOf(answer) == exitAuth {
		return answer
	}
	return failureOf(results)
}
