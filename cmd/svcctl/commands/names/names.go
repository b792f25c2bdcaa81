// Package names completes and checks the names of users, hosts and queues that people type.
package names

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/suggest"
	"svc/cmd/svcctl/cli"
)

// Nobody is the error for a name that the server does not know, with the nearest
// ones that it does.
func Nobody(what, name string, known []string, look string) error {
	hint := look
	if near := suggest.Words(name, known); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, ", or ") + "?"
	}
	return &cli.About{What: what + " " + name, Err: cli.ErrNotFound, Hint: hint}
}

// MustHaveQueue refuses the name of a queue that is not there.
func MustHaveQueue(ctx context.Context, conn *cli.Connection, name string) error {
	queues, err := conn.Admin.Jobs.Queues(ctx)
	if err != nil {
		return err
	}
	var known []string
	for _, q := range queues {
		if q.Queue == name {
			return nil
		}
		known = append(known, q.Queue)
	}
	return Nobody("queue", name, known, "svcctl jobs queues")
}

// nearHosts is how many hosts are looked at for the nearest of a mistyped one.
const nearHosts = 200

// MustHaveHost refuses the name of a host that was never heard of. Who may not read
// the list of hosts is not told.
func MustHaveHost(ctx context.Context, conn *cli.Connection, name string) error {
	if strings.EqualFold(name, conn.Origin.Hostname()) || strings.EqualFold(name, conn.Origin.Host) {
		return nil
	}
	_, err := conn.Admin.Federation.Host(ctx, name)
	switch cli.ExitOf(err) {
	case cli.ExitNotFound:
	case cli.ExitAuth:
		return nil
	default:
		return err
	}
	known := []string{conn.Origin.Hostname()}
	page, err := conn.Admin.Federation.Hosts(api.HostQuery{Limit: nearHosts}).Page(ctx)
	if err != nil {
		return err
	}
	for _, h := range page.Items {
		known = append(known, h.Host)
	}
	return Nobody("host", name, known, "svcctl federation hosts")
}

// UnknownUser is an error about a user, with the nearest ones where there is none.
func UnknownUser(ctx context.Context, conn *cli.Connection, t action.Target, err error) error {
	look := cli.LookHint("user", t.Name)
	if cli.ExitOf(err) != cli.ExitNotFound || t.ByID {
		return &cli.About{What: cli.Spell(t.String()), Err: err, Hint: look}
	}
	// The first two letters are seldom mistyped: users that share them are compared.
	start := []rune(t.Name)
	page, listErr := conn.Admin.Users.List(api.UserQuery{Query: string(start[:min(len(start), 2)]), PageSize: 100}).Page(ctx)
	var known []string
	if listErr == nil { // else the first error says enough
		for _, u := range page.Items {
			known = append(known, u.Nickname)
		}
	}
	return Nobody("user", t.Name, known, look)
}

// CompleteUsers offers local users for a name that is typed in part.
func CompleteUsers(a *cli.App) cli.Completer {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := typed[:len(typed)-len(strings.TrimPrefix(typed, "@"))]
		found := a.Offer("user "+typed, func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			l, err := c.Admin.Users.List(api.UserQuery{Query: typed, PageSize: cli.CompletionCount}).Page(ctx)
			if err != nil {
				return nil, err
			}
			offers := make([]cobra.Completion, len(l.Items))
			for i, u := range l.Items {
				offers[i] = cli.Described(at+u.Nickname, u.DisplayName)
			}
			return offers, nil
		})
		return cli.StartingWith(found, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteHosts offers hosts that fail.
func CompleteHosts(a *cli.App) cli.Completer {
	return a.Completing("host", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		l, err := c.Admin.Federation.Hosts(api.HostQuery{State: api.HostsFailing, Limit: 200}).Page(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, h := range l.Items {
			offers = append(offers, cli.Described(h.Host, h.LastError), cli.Described("host/"+h.Host, h.LastError))
		}
		return offers, nil
	})
}
