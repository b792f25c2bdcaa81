package moderation

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

var reportStates = []string{api.ReportOpen, api.ReportClosed, api.ReportResolved}

var reportShape = output.Shape[api.AdminReport]{
	Plural: "reports",
	Name:   func(r api.AdminReport) string { return "report/" + r.ID },
	Raw:    func(r api.AdminReport) json.RawMessage { return r.Raw },
	Columns: []output.Column[api.AdminReport]{
		output.Text("ID", func(r api.AdminReport) string { return r.ID }),
		output.Time("CREATED", func(r api.AdminReport) time.Time { return r.CreatedAt.Time }),
		output.Text("STATE", func(r api.AdminReport) string { return r.State }),
		output.Minor(output.Int("POSTS", func(r api.AdminReport) int { return len(r.Statuses) })),
		output.Minor(output.Int("NOTES", func(r api.AdminReport) int { return len(r.Notes) })),
		output.Text("REPORTED", func(r api.AdminReport) string { return accountName(r.Account) }),
		output.Text("REPORTER", func(r api.AdminReport) string { return accountName(r.Actor) }),
		output.Wide(output.Text("REPORTED ID", func(r api.AdminReport) string { return r.Account.ID })),
		output.Wide(output.Text("REPORTER ID", func(r api.AdminReport) string { return r.Actor.ID })),
		output.Text("MESSAGE", func(r api.AdminReport) string {
			if r.Content == nil {
				return ""
			}
			return safe.HTML(*r.Content).String()
		}),
	},
	Card: reportCard,
	Same: func(a, b json.RawMessage) bool { return ownReport(a) == ownReport(b) },
}

// ownReport is a report without the numbers of others, which change with those.
func ownReport(raw json.RawMessage) string {
	var r api.AdminReport
	if err := json.Unmarshal(raw, &r); err != nil {
		return string(raw)
	}
	r.Svc.ReportsAbout, r.Svc.ReportsBy = nil, nil
	own, err := json.Marshal(r)
	if err != nil {
		return string(raw)
	}
	return string(own)
}

// accountName is the name of an account in tables; one that is gone has none.
func accountName(a api.MergedAccount) string {
	switch {
	case a.Nickname != "":
		return a.Nickname
	case a.Acct != "":
		return a.Acct
	}
	return "(gone)"
}

func reportCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("report", "Work on reports",
		reportListCommand(a), reportGetCommand(a), reportGroupsCommand(a), reportCreateCommand(a),
		reportStateCommand(a, action.ReportResolve, "Resolve reports: something was done about them"),
		reportStateCommand(a, action.ReportClose, "Close reports: nothing needs to be done about them"),
		reportStateCommand(a, action.ReportReopen, "Open reports again"),
		cli.Noun("note", "Work on the notes under reports", reportNoteAddCommand(a), reportNoteDeleteCommand(a)),
		reportActCommand(a), reportWaitCommand(a),
	),
		"report list --state open --older-than 24h",
		"report list --state open --all -o name",
		"report list --account spam1@other.example --all",
		"report list --reporter kim --state closed --count",
		"report list --host other.example",
		"report list --state open --watch",
		"report get 9xA7",
		"report groups --by account",
		"report create spam1 --by kim --post AxK2 --text 'told us by mail'",
		"report resolve 9xA7 --note 'spam, account is gone'",
		"report close 9xA7 9xA8 --yes",
		"report reopen 9xA7",
		"report act 9xA7 --playbook spam --dry-run",
		"report act 9xA7 9xA8 --playbook dogpile --yes",
		"report wait 9xA7 --state resolved --deadline 10m",
		"report note add 9xA7 'asked the author'",
		"report note delete 9xA7 3",
	)
}

// reportFilter are the conditions beside the state. The server is asked for accounts and
// hosts; older servers do not know that, and others are not asked for the rest.
type reportFilter struct {
	olderThan    string
	since, until string
	account      string
	reporter     string
	host         string
	accountState string
}

func reportListCommand(a *cli.App) *cobra.Command {
	var state string
	var filter reportFilter
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List reports, newest first",
		Args:  cli.ExactArgs(0, "no argument"),
		PreRunE: func(*cobra.Command, []string) error {
			if state == "" {
				return nil
			}
			return cli.OneOf("--state", state, reportStates)
		},
	}
	f := cmd.Flags()
	f.StringVar(&state, "state", "", "only reports in this `STATE`: "+cli.AnyOf(reportStates))
	f.StringVar(&filter.olderThan, "older-than", "", "only reports older than `AGE`: 36h, 7d, a date")
	f.StringVar(&filter.account, "account", "", "only reports about this `USER`")
	f.StringVar(&filter.reporter, "reporter", "", "only reports by this `USER`")
	f.StringVar(&filter.host, "host", "", "only reports about accounts of this `HOST`")
	f.StringVar(&filter.since, "since", "", "only reports made at or after `TIME`: RFC 3339, a date, 36h, 7d")
	f.StringVar(&filter.until, "until", "", "only reports made at or before `TIME`")
	cli.Former(cmd, "reported", "account")
	cli.Former(cmd, "domain", "host")
	for _, flag := range []string{"account", "reporter"} {
		a.CompleteFlagWith(cmd, flag, names.CompleteUsers(a))
	}
	a.CompleteFlagWith(cmd, "host", names.CompleteHosts(a))
	f.StringVar(&filter.accountState, "account-state", "", "only reports about accounts that are `STATE`: deleted, deactivated")
	a.CompleteFlag(cmd, "state", reportStates...)
	a.CompleteFlag(cmd, "account-state", "deleted", "deactivated")
	return cli.WatchedListCommand(a, cmd, reportShape, []string{api.EventReport}, func(ctx context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.AdminReport], error) {
		keep, err := filter.keep(conn, a.Now())
		if err != nil {
			return cli.Listed[api.AdminReport]{}, err
		}
		query, err := filter.query(ctx, conn)
		query.State = state
		return cli.Listed[api.AdminReport]{
			Listing: conn.Admin.Reports.List(query), Keep: keep,
			None: func(ctx context.Context) error {
				if filter.host == "" {
					return nil
				}
				// No report is about a host that is not there.
				return names.MustHaveHost(ctx, conn, action.HostName(filter.host))
			},
		}, err
	})
}

// keep is nil when no condition is given.
func (f reportFilter) keep(conn *cli.Connection, now time.Time) (func(context.Context, api.AdminReport) (bool, error), error) {
	var conditions []func(context.Context, api.AdminReport) (bool, error)
	if f.olderThan != "" {
		limit, err := cli.ParseTime(f.olderThan, now)
		if err != nil {
			return nil, cli.Usagef("--older-than %v", err)
		}
		conditions = append(conditions, func(_ context.Context, r api.AdminReport) (bool, error) {
			return r.CreatedAt.Before(limit), nil
		})
	}
	for _, bound := range []struct {
		flag, value string
		outside     func(made, limit time.Time) bool
	}{{"--since", f.since, time.Time.Before}, {"--until", f.until, time.Time.After}} {
		if bound.value == "" {
			continue
		}
		limit, err := cli.ParseTime(bound.value, now)
		if err != nil {
			return nil, cli.Usagef("%s %v", bound.flag, err)
		}
		if bound.flag == "--until" && cli.IsDate(bound.value) {
			limit = limit.Add(24*time.Hour - time.Nanosecond) // the whole day
		}
		conditions = append(conditions, func(_ context.Context, r api.AdminReport) (bool, error) {
			return !bound.outside(r.CreatedAt.Time, limit), nil
		})
	}
	for _, is := range []struct {
		name string
		of   func(api.AdminReport) api.MergedAccount
	}{
		{f.account, func(r api.AdminReport) api.MergedAccount { return r.Account }},
		{f.reporter, func(r api.AdminReport) api.MergedAccount { return r.Actor }},
	} {
		if is.name == "" {
			continue
		}
		user, err := action.ParseTarget("user", is.name)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, func(_ context.Context, r api.AdminReport) (bool, error) {
			if user.ByID {
				return is.of(r).ID == user.Name, nil
			}
			return action.SameHandle(accountName(is.of(r)), user.Name), nil
		})
	}
	if f.host != "" {
		domain := action.HostName(f.host)
		conditions = append(conditions, func(_ context.Context, r api.AdminReport) (bool, error) {
			return strings.EqualFold(domainOf(r.Account, conn.Origin.Hostname()), domain), nil
		})
	}
	switch f.accountState {
	case "":
	case "deactivated":
		conditions = append(conditions, func(_ context.Context, r api.AdminReport) (bool, error) {
			return r.Account.Deactivated, nil
		})
	case "deleted":
		gone := map[string]bool{}
		conditions = append(conditions, func(ctx context.Context, r api.AdminReport) (bool, error) {
			id := r.Account.ID
			if id == "" {
				return true, nil
			}
			if _, known := gone[id]; !known {
				_, err := conn.Admin.Users.Get(ctx, id)
				if err != nil && cli.ExitOf(err) != cli.ExitNotFound {
					return false, err
				}
				gone[id] = err != nil
			}
			return gone[id], nil
		})
	default:
		return nil, cli.Usagef("--account-state %s: deleted, deactivated are accepted", action.Quote(f.accountState))
	}
	if len(conditions) == 0 {
		return nil, nil
	}
	return func(ctx context.Context, r api.AdminReport) (bool, error) {
		for _, holds := range conditions {
			if ok, err := holds(ctx, r); !ok || err != nil {
				return false, err
			}
		}
		return true, nil
	}, nil
}

// query is what the server is asked for.
func (f reportFilter) query(ctx context.Context, conn *cli.Connection) (q api.ReportQuery, err error) {
	if f.account != "" {
		if q.AccountID, err = accountID(ctx, conn, f.account); err != nil {
			return q, err
		}
	}
	if f.reporter != "" {
		if q.ActorID, err = accountID(ctx, conn, f.reporter); err != nil {
			return q, err
		}
	}
	if f.host != "" {
		q.Domain = action.HostName(f.host)
	}
	return q, nil
}

// accountID is the id of the account that an argument names. Those who may not read
// accounts ask as everybody may.
func accountID(ctx context.Context, conn *cli.Connection, arg string) (string, error) {
	user, err := findUser(ctx, conn, arg)
	if err == nil {
		return user.AccountID, nil
	}
	t, parseErr := action.ParseTarget("user", arg)
	if parseErr != nil || cli.ExitOf(err) != cli.ExitAuth {
		return "", err
	}
	if t.ByID {
		return t.Name, nil
	}
	account, err := conn.Accounts.Get(ctx, t.Name)
	if err != nil {
		return "", names.UnknownUser(ctx, conn, t, err)
	}
	return account.ID, nil
}

// domainOf is the host of an account, own for local ones.
func domainOf(account api.MergedAccount, own string) string {
	if _, host, remote := strings.Cut(accountName(account), "@"); remote {
		return host
	}
	return own
}

func reportGetCommand(a *cli.App) *cobra.Command {
	return cli.GetCommand(a, "report", reportShape, completeReports(a, ""), func(ctx context.Context, conn *cli.Connection, t action.Target) (*api.AdminReport, error) {
		return conn.Admin.Reports.Get(ctx, t.Name)
	})
}

func reportStateCommand(a *cli.App, kind action.Kind, short string) *cobra.Command {
	var note string
	var force bool
	cmd := &cobra.Command{
		Use:               kind.Verb() + " REPORT...",
		Short:             short,
		ValidArgsFunction: completeReports(a, worth(kind)),
		RunE: func(cmd *cobra.Command, args []string) error {
			d := cli.Deed{Kind: kind, Force: force, Note: note}
			if kind != action.ReportReopen {
				// A decision on a report assumes that it is still open.
				d.Before = map[string]string{"state": api.ReportOpen}
			}
			return a.ActOn(cmd.Context(), d, args)
		},
	}
	cmd.Flags().StringVar(&note, "note", "", "also write this `TEXT` under each report that changes")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite a decision that another moderator made meanwhile")
	return cmd
}

// worth is the state of the reports that are worth offering for an action.
func worth(kind action.Kind) string {
	if kind == action.ReportReopen {
		return ""
	}
	return api.ReportOpen
}

func reportWaitCommand(a *cli.App) *cobra.Command {
	var state string
	var every time.Duration
	cmd := &cobra.Command{
		Use:               "wait REPORT --state STATE",
		Short:             "Wait until a report is in a state; --deadline limits how long",
		Args:              cli.ExactArgs(1, "one report"),
		ValidArgsFunction: completeReports(a, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.OneOf("--state", state, reportStates); err != nil {
				return err
			}
			if every <= 0 {
				return cli.Usagef("--interval %s: it must be above zero", every)
			}
			t, err := action.ParseTarget("report", args[0])
			if err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			var live atomic.Bool
			news := conn.News(ctx, []string{api.EventReport}, &live)
			for {
				report, err := conn.Admin.Reports.Get(cmd.Context(), t.Name)
				if err != nil {
					return &cli.About{What: "report " + t.Name, Err: err, Hint: cli.LookHint("report", t.Name)}
				}
				if report.State == state {
					return cli.PrintItems(a, reportShape, []api.AdminReport{*report}, true)
				}
				pause := every
				if live.Load() {
					pause = max(pause, cli.WatchedLeast)
				}
				select {
				case <-cmd.Context().Done():
					return context.Cause(cmd.Context())
				case <-news:
				case <-time.After(pause):
				}
			}
		},
	}
	cmd.Flags().StringVar(&state, "state", "", "the `STATE` to wait for: "+cli.AnyOf(reportStates))
	cmd.Flags().DurationVar(&every, "interval", 5*time.Second, "how often to look where the server does not announce changes")
	a.CompleteFlag(cmd, "state", reportStates...)
	return cmd
}

// completeReports offers reports, open ones unless any state will do.
func completeReports(a *cli.App, state string) cli.Completer {
	return a.Completing("report "+state, func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		l, err := c.Admin.Reports.List(api.ReportQuery{State: state, PageSize: cli.CompletionCount}).Page(ctx)
		if err != nil {
			return nil, err
		}
		offers := make([]cobra.Completion, len(l.Items))
		for i, r := range l.Items {
			offers[i] = cli.Described(r.ID, r.State+" "+accountName(r.Account))
		}
		return offers, nil
	})
}
