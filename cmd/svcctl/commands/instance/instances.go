package instance

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

var instanceShape = output.Shape[api.Instance]{
	Plural: "instances",
	Name:   func(i api.Instance) string { return "instance/" + i.URI },
	Raw:    func(i api.Instance) json.RawMessage { return i.Raw },
	Columns: []output.Column[api.Instance]{
		output.Text("TITLE", func(i api.Instance) string { return i.Title }),
		output.Text("URI", func(i api.Instance) string { return i.URI }),
		output.Text("REGISTRATION", func(i api.Instance) string {
			switch {
			case !i.Registrations:
				return "closed"
			case i.ApprovalRequired:
				return "approved"
			}
			return "open"
		}),
		output.Int("USERS", func(i api.Instance) int64 { return i.Stats.UserCount }),
		output.Int("STATUSES", func(i api.Instance) int64 { return i.Stats.StatusCount }),
		output.Minor(output.Int("SERVERS", func(i api.Instance) int64 { return i.Stats.DomainCount })),
		output.Text("VERSION", func(i api.Instance) string { return i.Version }),
	},
}

// restriction is one server that a policy treats differently.
type restriction struct {
	Host        string `json:"host"`
	Restriction string `json:"restriction"`
}

var restrictionShape = output.Shape[restriction]{
	Plural: "restrictions",
	Name:   func(r restriction) string { return "host/" + r.Host },
	Raw:    output.JSON[restriction],
	Columns: []output.Column[restriction]{
		output.Text("HOST", func(r restriction) string { return r.Host }),
		output.Text("RESTRICTION", func(r restriction) string { return r.Restriction }),
	},
}

func instanceCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("instance", "Show what the instance tells everybody about itself, and limit other servers", instanceShowCommand(a), restrictionsCommand(a),
		instanceGetCommand(a), instanceLimitsCommand(a), instanceBlockCommand(a), instanceUnblockCommand(a), instanceImportCommand(a), instanceExportCommand(a)),
		"instance show",
		"instance restrictions -o yaml",
		"instance get far.example",
		"instance limits",
		"instance block bad.example '*.worse.example' --reject --reason spam",
		"instance unblock bad.example --media",
		"instance import blocklist.csv --dry-run",
		"instance export --format csv",
	)
}

func instanceShowCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Show title, registration, size and version",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := a.OurInstance(cmd.Context())
			if err != nil {
				return err
			}
			return cli.PrintItems(a, instanceShape, []api.Instance{*found}, true)
		},
	}
}

func restrictionsCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "restrictions",
		Short: "List the servers that policies restrict, as the instance publishes them; sorted, for a repository",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := a.OurInstance(cmd.Context())
			if err != nil {
				return err
			}
			list := restrictionsOf(found.Svc.Metadata.Federation)
			p, err := a.Printer()
			if err != nil {
				return err
			}
			if done, err := restrictionShape.ShowFields(p); done || err != nil {
				return err
			}
			if len(list) == 0 {
				a.SayNone(restrictionShape.Plural)
			}
			return restrictionShape.Print(p, list, false)
		},
	}
}

func restrictionsOf(f api.FederationInfo) []restriction {
	list := []restriction{}
	for name, hosts := range f.MRFSimple {
		for _, host := range hosts {
			list = append(list, restriction{host, name})
		}
	}
	for _, host := range f.QuarantinedInstances {
		list = append(list, restriction{host, "quarantined"})
	}
	slices.SortFunc(list, func(a, b restriction) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), strings.Compare(a.Restriction, b.Restriction))
	})
	return slices.Compact(list)
}

var accountShape = output.Shape[api.Account]{
	Plural: "accounts",
	Name:   func(account api.Account) string { return "user/" + account.Acct },
	Raw:    func(account api.Account) json.RawMessage { return account.Raw },
	Columns: []output.Column[api.Account]{
		output.Text("ACCOUNT", func(account api.Account) string { return account.Acct }),
		output.Text("NAME", func(account api.Account) string { return account.DisplayName }),
		output.Time("CREATED", func(account api.Account) time.Time { return account.CreatedAt.Time }),
		output.Int("STATUSES", func(account api.Account) int { return account.StatusesCount }),
		output.Int("FOLLOWERS", func(account api.Account) int { return account.FollowersCount }),
		output.Int("FOLLOWING", func(account api.Account) int { return account.FollowingCount }),
		output.Minor(output.Text("LAST STATUS", func(account api.Account) string { return cli.Deref(account.LastStatusAt) })),
		output.Wide(output.Text("URL", func(account api.Account) string { return account.URL })),
	},
}

func accountCommand(a *cli.App) *cobra.Command {
	get := cli.GetCommand(a, "user", accountShape, names.CompleteUsers(a), func(ctx context.Context, conn *cli.Connection, t action.Target) (*api.Account, error) {
		return conn.Accounts.Get(ctx, t.Name)
	})
	get.Short = "Show accounts, local or remote, as their profiles have them"
	return cli.Examples(cli.Noun("account", "Look at profiles", get), "account get kim ana@far.example")
}
