package moderation

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

var sshKeyShape = output.Shape[api.SSHKey]{
	Plural: "keys",
	Name:   func(k api.SSHKey) string { return "ssh-key/" + strconv.FormatInt(k.ID, 10) },
	Raw:    func(k api.SSHKey) json.RawMessage { return k.Raw },
	Columns: []output.Column[api.SSHKey]{
		output.Int("ID", func(k api.SSHKey) int64 { return k.ID }),
		output.Text("NAME", func(k api.SSHKey) string { return k.Name }),
		output.Text("TYPE", func(k api.SSHKey) string { return k.Type }),
		output.Text("FINGERPRINT", func(k api.SSHKey) string { return k.Fingerprint }),
		output.Time("ADDED", func(k api.SSHKey) time.Time { return k.CreatedAt.Time }),
		output.Time("USED", func(k api.SSHKey) time.Time { return cli.Deref(k.LastUsedAt).Time }),
	},
}

func sshKeyCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("ssh-key", "Work on the keys with which people use this program over SSH",
		sshKeyListCommand(a), sshKeyAddCommand(a), sshKeyDeleteCommand(a)),
		"ssh-key list",
		"ssh-key add ~/.ssh/id_ed25519.pub",
		"ssh-key add - --user kim",
		"ssh-key delete 3",
	)
}

// userFlag names the account of the keys.
func userFlag(a *cli.App, cmd *cobra.Command, user *string) {
	cmd.Flags().StringVar(user, "user", "", "of the account `NICK`, in place of one's own")
	a.CompleteFlagWith(cmd, "user", names.CompleteUsers(a))
}

// nickOf is the nickname that a flag gives, "" for none.
func nickOf(flag, user string) (string, error) {
	if user == "" {
		return "", nil
	}
	t, err := action.ParseTarget("user", user)
	if err == nil && t.ByID {
		return "", cli.Usagef("%s takes a nickname, not an id", flag)
	}
	return t.Name, err
}

func sshKeyListCommand(a *cli.App) *cobra.Command {
	var user string
	cmd := &cobra.Command{
		Use:   "list [--user NICK]",
		Short: "List keys, the oldest first",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	userFlag(a, cmd, &user)
	return cli.ListCommand(a, cmd, sshKeyShape, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.SSHKey], error) {
		nick, err := nickOf("--user", user)
		if err != nil {
			return cli.Listed[api.SSHKey]{}, err
		}
		list := conn.SSHKeys.List
		if nick != "" {
			list = func(ctx context.Context) ([]api.SSHKey, error) { return conn.Admin.SSHKeys.List(ctx, nick) }
		}
		return cli.Listed[api.SSHKey]{Listing: client.Whole(list)}, nil
	})
}

func sshKeyAddCommand(a *cli.App) *cobra.Command {
	var user, name string
	cmd := &cobra.Command{
		Use:   "add FILE|- [--user NICK] [--name NAME]",
		Short: "Add a public key, from a file that ends in .pub or a line of authorized_keys",
		Args:  cli.ExactArgs(1, "one file, - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			nick, err := nickOf("--user", user)
			if err != nil {
				return err
			}
			if nick != "" {
				if err := a.MayAdminister(true); err != nil {
					return err
				}
			}
			text, err := a.ReadShort("key", args[0], maxSSHKey)
			if err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			var key *api.SSHKey
			write := cli.Write{Kind: action.SSHKeyAdd, What: "add a key to one's own account", Token: "key"}
			if nick != "" {
				write.Level, write.What, write.Token = action.L1, "let a key sign in as "+nick, nick
			}
			form := api.NewSSHKey{Key: string(text), Name: name}
			write.Done = func(context.Context) []action.Result {
				return cli.NewlyMade(action.SSHKeyAdd, "ssh-key/"+strconv.FormatInt(key.ID, 10), map[string]string{"user": nick})
			}
			sent, err := a.Perform(cmd.Context(), conn, write, func(ctx context.Context) (err error) {
				if nick != "" {
					key, err = conn.Admin.SSHKeys.Add(ctx, nick, form)
				} else {
					key, err = conn.SSHKeys.Add(ctx, form)
				}
				return err
			})
			if !sent || err != nil {
				return err
			}
			return cli.PrintItems(a, sshKeyShape, []api.SSHKey{*key}, true)
		},
	}
	userFlag(a, cmd, &user)
	cmd.Flags().StringVar(&name, "name", "", "its `NAME` in lists, in place of the comment in the file")
	return cmd
}

// maxSSHKey is the longest public key that is sent, in bytes.
const maxSSHKey = 16 << 10

func sshKeyDeleteCommand(a *cli.App) *cobra.Command {
	var user string
	cmd := &cobra.Command{
		Use:               "delete ID... [--user NICK]",
		Short:             "End keys, with the sessions that run with them",
		ValidArgsFunction: completeSSHKeys(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			nick, err := nickOf("--user", user)
			if err != nil {
				return err
			}
			return a.ActOn(cmd.Context(), cli.Deed{Kind: action.SSHKeyDelete, Args: map[string]string{"user": nick}}, args)
		},
	}
	userFlag(a, cmd, &user)
	return cmd
}

func completeSSHKeys(a *cli.App) cli.Completer {
	return a.Completing("ssh-key", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		keys, err := c.SSHKeys.List(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, k := range keys {
			id := strconv.FormatInt(k.ID, 10)
			offers = append(offers, cli.Described(id, k.Name), cli.Described("ssh-key/"+id, k.Name))
		}
		return offers, nil
	})
}
