package instance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/blocklist"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
	"svc/cmd/svcctl/commands/settings"
)

var limitedShape = output.Shape[api.LimitedHost]{
	Plural: "servers",
	Name:   func(h api.LimitedHost) string { return "host/" + h.Host },
	Raw:    output.JSON[api.LimitedHost],
	Columns: []output.Column[api.LimitedHost]{
		output.Text("HOST", func(h api.LimitedHost) string { return h.Host }),
		output.Text("LIMITS", func(h api.LimitedHost) string { return limitWords(h.Limits) }),
		output.Text("REASON", func(h api.LimitedHost) string { return h.Reason }),
	},
}

func limitWords(limits []api.HostLimit) string {
	words := make([]string, len(limits))
	for i, limit := range limits {
		words[i] = string(limit)
	}
	return strings.Join(words, ", ")
}

func instanceLimitsCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "limits",
		Short: "List the servers that are limited, with the reasons that are kept",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	return cli.ListCommand(a, cmd, limitedShape, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.LimitedHost], error) {
		return cli.Listed[api.LimitedHost]{Listing: conn.Admin.Federation.Limits(api.LimitedQuery{})}, nil
	})
}

var knownShape = output.Shape[api.KnownHost]{
	Plural: "servers",
	Name:   func(h api.KnownHost) string { return "host/" + h.Host },
	Raw:    output.JSON[api.KnownHost],
	Columns: []output.Column[api.KnownHost]{
		output.Text("HOST", func(h api.KnownHost) string { return h.Host }),
		output.Text("ACCOUNTS", func(h api.KnownHost) string { return upToMost(h.Accounts) }),
		output.Text("FOLLOWED", func(h api.KnownHost) string { return upToMost(h.Followed) }),
		output.Text("FOLLOWERS", func(h api.KnownHost) string { return upToMost(h.Followers) }),
		output.Int("OPEN", func(h api.KnownHost) int { return int(h.Reports.Open) }),
		output.Int("RESOLVED", func(h api.KnownHost) int { return int(h.Reports.Resolved) }),
		output.Int("CLOSED", func(h api.KnownHost) int { return int(h.Reports.Closed) }),
		output.Text("LIMITS", func(h api.KnownHost) string {
			var words []string
			for _, l := range h.Limits {
				line := limitWords(l.Limits)
				if l.Host != h.Host {
					line = l.Host + ": " + line
				}
				if l.Reason != "" {
					line += " (" + l.Reason + ")"
				}
				words = append(words, line)
			}
			return strings.Join(words, "; ")
		}),
		output.Wide(output.Text("SETTINGS", func(h api.KnownHost) string { return strings.Join(h.Settings, ", ") })),
		output.Minor(output.Text("DELIVERY", func(h api.KnownHost) string {
			if h.Delivery == nil {
				return "never called"
			}
			text := fmt.Sprintf("%s, %d waiting", hostState(*h.Delivery), h.Delivery.Waiting)
			if since := h.Delivery.UnreachableSince; since != nil {
				text += ", unreachable since " + since.UTC().Format(time.RFC3339)
			}
			if h.Delivery.LastError != "" {
				text += ": " + h.Delivery.LastError
			}
			return text
		})),
	},
}

// upToMost is a count of a KnownHost.
func upToMost(n int64) string {
	if n > api.CountMost {
		return fmt.Sprintf("%d+", api.CountMost)
	}
	return fmt.Sprint(n)
}

func instanceGetCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "get HOST",
		Short: "Show what is known of a server: accounts, follows both ways, reports, limits, deliveries",
		Long: `Show what is known of a server: the accounts known here, how many people here follow
somebody there and how many there follow somebody here, reports about its accounts by
state, limits and other settings that name it, and how sending to it goes. Accounts and
people are counted up to 1000.`,
		Args:              cli.ExactArgs(1, "one host"),
		ValidArgsFunction: names.CompleteHosts(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			host := hostNamed(args[0])
			known, err := conn.Admin.Federation.Known(cmd.Context(), host)
			if err != nil {
				return &cli.About{What: "host " + host, Err: err}
			}
			return cli.PrintItems(a, knownShape, []api.KnownHost{*known}, true)
		},
	}
}

// limitFlags are a flag for each limit, with what it means.
type limitFlags map[api.HostLimit]*bool

func (f limitFlags) add(cmd *cobra.Command) {
	for _, place := range api.HostLimits() {
		f[place.Limit] = cmd.Flags().Bool(string(place.Limit), false, place.Means)
	}
}

func (f limitFlags) chosen() []api.HostLimit {
	var limits []api.HostLimit
	for _, place := range api.HostLimits() {
		if *f[place.Limit] {
			limits = append(limits, place.Limit)
		}
	}
	return limits
}

// policyFlags decide whether a policy that limits need is switched on, or stays off.
type policyFlags struct{ enable, idle bool }

func (f *policyFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.enable, "enable-policy", false, "switch on the policy that limits need, if it is off")
	cmd.Flags().BoolVar(&f.idle, "idle", false, "keep the limits though the policy is off: they do nothing until it is on")
}

// offer returns the action that switches the needed policy on, nil where it is on or
// shall stay off.
func (f *policyFlags) offer(ctx context.Context, a *cli.App, conn *cli.Connection, limits []api.HostLimit) (*action.Action, error) {
	if f.enable && f.idle {
		return nil, cli.Usagef("--enable-policy and --idle exclude each other")
	}
	for _, place := range api.HostLimits() {
		if place.Policy == "" || !slices.Contains(limits, place.Limit) {
			continue
		}
		enable, err := action.EnablePolicy(ctx, conn.Client, place.Policy)
		if err != nil || enable == nil || f.idle {
			return nil, settings.Off(err)
		}
		name := place.Policy[strings.LastIndexByte(place.Policy, '.')+1:]
		switch {
		case f.enable:
			return enable, nil
		case a.Flags.DryRun:
			fmt.Fprintf(a.ErrOut, "the policy %s is off: limits do nothing until it is on\n", name)
			return nil, nil
		}
		if !a.Interactive() {
			return nil, &cli.UsageError{
				Message: "the policy " + name + " is off, so that these limits do nothing; nothing was sent",
				Hint:    "add --enable-policy to switch it on, or --idle to keep the limits for later",
			}
		}
		answer, err := a.Ask(ctx, "the policy "+name+" is off, so that limits do nothing; switch it on too, for all limits that are kept? [y/N] ")
		if err != nil {
			return nil, err
		}
		if answer = strings.ToLower(answer); answer == "y" || answer == "yes" {
			return enable, nil
		}
		return nil, nil
	}
	return nil, nil
}

const blockHelp = `%s

HOST is the name of another server, or '*.far.example' for it and all below it. A
dash reads names from standard input, as svcctl federation hosts -o name prints
them. What each limit means:

%s
Limits are settings (svcctl config get svc mrf_simple): they act on what comes from
now on. The reason is kept for admins and moderators, and the moderation log has it.
svcctl undo takes the change back, and nothing that others changed since.`

// limitsHelp is a line for each limit.
func limitsHelp() string {
	var b strings.Builder
	for _, place := range api.HostLimits() {
		fmt.Fprintf(&b, "  %-15s %s\n", place.Limit, place.Means)
	}
	return b.String()
}

func instanceBlockCommand(a *cli.App) *cobra.Command {
	limits, policy, reason := limitFlags{}, policyFlags{}, ""
	short := "Limit other servers: refuse them, or take less from them"
	cmd := &cobra.Command{
		Use:               "block HOST... | -",
		Short:             short,
		Long:              fmt.Sprintf(blockHelp, short, limitsHelp()),
		ValidArgsFunction: names.CompleteHosts(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := limits.chosen()
			if len(chosen) == 0 {
				var flags []string
				for _, place := range api.HostLimits() {
					flags = append(flags, "--"+string(place.Limit))
				}
				return cli.Usagef("choose at least one limit: %s", strings.Join(flags, ", "))
			}
			conn, targets, err := hostsToChange(cmd.Context(), a, action.HostLimit, args)
			if err != nil {
				return err
			}
			enable, err := policy.offer(cmd.Context(), a, conn, chosen)
			if err != nil {
				return err
			}
			return a.ActAlso(cmd.Context(), conn, changeHosts(action.HostLimit, targets, chosen, given(cmd, "reason", &reason)), enable, limitWords(chosen))
		},
	}
	limits.add(cmd)
	policy.add(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "why, for admins and moderators: `TEXT` that replaces the one that is kept")
	return cmd
}

func instanceUnblockCommand(a *cli.App) *cobra.Command {
	limits := limitFlags{}
	short := "Lift limits of other servers: those of the flags, or all"
	cmd := &cobra.Command{
		Use:               "unblock HOST... | -",
		Short:             short,
		Long:              fmt.Sprintf(blockHelp, short, limitsHelp()),
		ValidArgsFunction: completeLimited(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen, words := limits.chosen(), "all limits"
			if len(chosen) > 0 {
				words = limitWords(chosen)
			} else {
				for _, place := range api.HostLimits() {
					chosen = append(chosen, place.Limit)
				}
			}
			conn, targets, err := hostsToChange(cmd.Context(), a, action.HostUnlimit, args)
			if err != nil {
				return err
			}
			return a.ActAlso(cmd.Context(), conn, changeHosts(action.HostUnlimit, targets, chosen, nil), nil, words)
		},
	}
	limits.add(cmd)
	return cmd
}

// given is the value of a flag that was typed, nil for another one.
func given(cmd *cobra.Command, flag string, value *string) *string {
	if cmd.Flags().Changed(flag) {
		return value
	}
	return nil
}

func hostsToChange(ctx context.Context, a *cli.App, kind action.Kind, args []string) (*cli.Connection, []cli.Target, error) {
	if err := a.MayChange(kind); err != nil {
		return nil, nil, err
	}
	targets, err := a.Targets(kind.Noun(), args)
	if err != nil {
		return nil, nil, err
	}
	conn, err := a.Connect(ctx)
	return conn, targets, err
}

func changeHosts(kind action.Kind, targets []cli.Target, limits []api.HostLimit, reason *string) []action.Action {
	actions := make([]action.Action, len(targets))
	for i, t := range targets {
		actions[i] = action.Action{Kind: kind, Target: t.String(), Args: action.LimitArgs(limits, reason)}
	}
	return actions
}

func completeLimited(a *cli.App) cli.Completer {
	return a.Completing("host", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		l, err := c.Admin.Federation.Limits(api.LimitedQuery{Limit: 200}).Page(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, h := range l.Items {
			offers = append(offers, cli.Described(h.Host, limitWords(h.Limits)), cli.Described("host/"+h.Host, limitWords(h.Limits)))
		}
		return offers, nil
	})
}

func instanceImportCommand(a *cli.App) *cobra.Command {
	policy, exact := policyFlags{}, false
	cmd := &cobra.Command{
		Use:   "import FILE | -",
		Short: "Limit the servers of a list: the YAML of instance export, or CSV",
		Long: `Limit the servers of a list: the YAML of instance export, or CSV as Mastodon,
GoToSocial and public block lists write it, with or without a header; GoToSocial's
JSON is read too. The format is told by the content. In CSV, suspend is the limit
reject, silence and limit are unlisted; reject_media is media, reject_reports is
reports. A domain of CSV stands for all below it, as it does elsewhere, and becomes
*.domain; --exact takes it alone. Obfuscated hosts such as ex***le.org, and other
lines that name no server, are refused, and the rest is done (exit 6).

Nothing is lifted: limits that are there and not in the list stay. What would change
is shown before it is asked about; --dry-run sends nothing.`,
		Args: cli.ExactArgs(1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.MayChange(action.HostLimit); err != nil {
				return err
			}
			data, err := a.ReadShort("file", args[0], importMost)
			if err != nil {
				return err
			}
			if err := a.Keep(4 * len(data)); err != nil {
				return err
			}
			entries, refused, err := blocklist.Read(data, blocklist.Options{Exact: exact})
			if err != nil {
				return cli.Usagef("%s: %v", args[0], err)
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			return importHosts(cmd.Context(), a, conn, entries, refused, policy)
		},
	}
	policy.add(cmd)
	cmd.Flags().BoolVar(&exact, "exact", false, "take the domains of CSV alone, without those below them")
	return cmd
}

// importMost bounds a list that is imported, in bytes.
const importMost = 16 << 20

func importHosts(ctx context.Context, a *cli.App, conn *cli.Connection, entries []blocklist.Entry, refused []blocklist.Refused, policy policyFlags) error {
	present, err := action.ReadLimits(ctx, conn.Client)
	if err != nil {
		return err
	}
	our, err := a.OurInstance(ctx)
	if err != nil {
		return err
	}
	var actions []action.Action
	var limits []api.HostLimit
	var lines []string
	for _, e := range entries {
		if action.CoversHost(e.Host, our.URI) {
			refused = append(refused, blocklist.Refused{Line: e.Line, Text: e.Host, Reason: "is this server"})
			continue
		}
		one := action.Action{Kind: action.HostLimit, Target: "host/" + e.Host, Before: action.LimitState(present[e.Host])}
		// A list without a reason takes none away.
		reason := &e.Reason
		if e.Reason == "" || present[e.Host].Reason == e.Reason {
			reason = nil
		}
		one.Args = action.LimitArgs(e.Limits, reason)
		actions = append(actions, one)
		anew := slices.DeleteFunc(slices.Clone(e.Limits), func(limit api.HostLimit) bool { return slices.Contains(present[e.Host].Limits, limit) })
		if len(anew) == 0 && reason == nil {
			continue
		}
		limits = append(limits, anew...)
		line := "+ " + e.Host + ": " + limitWords(anew)
		if len(anew) == 0 {
			line = "~ " + e.Host + ": another reason"
		}
		if e.Reason != "" {
			line += " (" + e.Reason + ")"
		}
		lines = append(lines, line)
	}
	slices.SortStableFunc(refused, func(x, y blocklist.Refused) int { return x.Line - y.Line })
	if !a.Flags.Quiet {
		fmt.Fprintf(a.ErrOut, "%s in the list: %d change, %d already so; %s refused\n", cli.CountOf(len(actions), "server"), len(lines), len(actions)-len(lines), cli.CountOf(len(refused), "line"))
		sayFirst(a, lines)
		said := make([]string, len(refused))
		for i, r := range refused {
			said[i] = r.Error()
		}
		sayFirst(a, said)
	}
	failed := make([]action.Result, len(refused))
	for i, r := range refused {
		failed[i] = action.Result{
			Action: action.Action{Kind: action.HostLimit, Target: "host/" + safe.Line(r.Text)}, Outcome: action.Failed, Err: &r,
		}
	}
	enable, err := policy.offer(ctx, a, conn, limits)
	if err != nil {
		return err
	}
	return a.ActAlso(ctx, conn, actions, enable, "as the list says", failed...)
}

// previewLines is how many lines of a preview are printed.
const previewLines = 20

func sayFirst(a *cli.App, lines []string) {
	for i, line := range lines {
		if i == previewLines {
			fmt.Fprintf(a.ErrOut, "  and %d more\n", len(lines)-i)
			return
		}
		fmt.Fprintf(a.ErrOut, "  %s\n", safe.Line(line))
	}
}

func instanceExportCommand(a *cli.App) *cobra.Command {
	format := ""
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print the limited servers as a list that instance import reads, here and elsewhere",
		Long: `Print the limited servers as a list that svcctl instance import reads. YAML has all
that is known. CSV has the columns of Mastodon, which other servers read too; where
these cannot say what a server's limits are, a last column #limits does, which others
skip: to them a server without reject or unlisted is a noop.`,
		Args: cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.OneOf("--format", format, []string{"yaml", "csv"}); err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			var hosts []api.LimitedHost
			for host, err := range conn.Admin.Federation.Limits(api.LimitedQuery{Limit: 500}).All(cmd.Context()) {
				if err != nil {
					return err
				}
				hosts = append(hosts, host)
			}
			write := blocklist.YAML
			if format == "csv" {
				write = blocklist.CSV
			}
			doc, err := write(hosts)
			if err == nil {
				_, err = a.Out.Write(doc)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "yaml", "`FORMAT` of the list: yaml, csv")
	return cmd
}
