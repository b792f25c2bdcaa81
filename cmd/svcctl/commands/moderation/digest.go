package moderation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/api"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// digest is what moderators did in a span of time, and what waits for them now.
// Nil counts are of lists that the login may not read.
type digest struct {
	Since    api.Time `json:"since"`
	Until    api.Time `json:"until"`
	Opened   int      `json:"opened"`   // reports that came
	Resolved *int     `json:"resolved"` // reports, by the last decision in the span
	Closed   *int     `json:"closed"`
	// Wait is how long the reports that were resolved or closed in the span had been
	// open, nil for none.
	Wait        *wait        `json:"time_to_decision"`
	Backlog     int          `json:"backlog"`     // reports that are open now
	OldestOpen  *api.Time    `json:"oldest_open"` // nil for none
	Waiting     *int         `json:"waiting"`     // pending sign-ups
	Unconfirmed *int         `json:"unconfirmed"` // people who have not confirmed their address
	Moderators  []moderation `json:"moderators"`  // the busiest first
}

// wait is how long reports were open until the last decision about each, in seconds.
type wait struct {
	Median  int64 `json:"median"`
	Longest int64 `json:"longest"`
}

// moderation is what one moderator did, counted by the log's names of actions.
type moderation struct {
	Actor   string         `json:"actor"`
	Total   int            `json:"total"`
	Actions map[string]int `json:"actions"`
}

func digestCommand(a *cli.App) *cobra.Command {
	var since string
	cmd := &cobra.Command{
		Use:   "digest",
		Short: "Sum up reports, decisions, the backlog and the work of moderators since a time",
		Long: "Sum up a span of time, from --since until now: reports opened, resolved and closed, what is open still, " +
			"pending sign-ups, and the actions of each moderator. -o markdown is for a mail or a post; " +
			"the other formats are those of every command.",
		Args: cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			now := a.Now()
			from, err := cli.ParseTime(since, now)
			if err != nil {
				return cli.Usagef("--since %v", err)
			}
			if from.After(now) {
				return cli.Usagef("--since %s: it is still to come", since)
			}
			markdown := a.Flags.Format == markdownFormat
			if markdown {
				a.Flags.Format = "" // of no other command
			}
			p, err := a.Printer()
			if err != nil {
				return err
			}
			if done, err := digestShape.ShowFields(p); done || err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			d, err := sumUp(cmd.Context(), conn, from, now)
			if err != nil {
				return err
			}
			switch format := p.Format(); {
			case a.Flags.Quiet:
				return nil
			case markdown:
				_, err := fmt.Fprint(a.Out, d.markdown(conn.Origin.Host))
				return err
			case p.Narrowed(), p.Counts(), format != "table" && format != "wide" && format != "csv" && format != "tsv":
				return digestShape.Print(p, []digest{*d}, true)
			}
			return lineShape.Print(p, d.counts(), false)
		},
	}
	cmd.Flags().StringVar(&since, "since", "7d", "from `TIME` on: RFC 3339, a date, 36h, 7d")
	return cli.Examples(cmd, "digest --since 7d -o markdown", "digest --since 24h -o json --jq .backlog")
}

// markdownFormat is a format of digest alone.
const markdownFormat = "markdown"

var digestShape = output.Shape[digest]{
	Plural: "digests",
	Name:   func(d digest) string { return "digest/" + d.Since.UTC().Format(time.DateOnly) },
	Raw:    output.JSON[digest],
}

// digestLine is a line of a digest in a table.
type digestLine struct {
	What  string `json:"what"`
	Count string `json:"count"` // a number, or how long
}

var lineShape = output.Shape[digestLine]{
	Plural: "counts",
	Name:   func(c digestLine) string { return c.What },
	Raw:    output.JSON[digestLine],
	Columns: []output.Column[digestLine]{
		output.Text("COUNT", func(c digestLine) string { return c.Count }),
		output.Text("WHAT", func(c digestLine) string { return c.What }),
	},
}

func (d *digest) counts() []digestLine {
	var lines []digestLine
	add := func(what string, n *int) {
		if n != nil {
			lines = append(lines, digestLine{what, strconv.Itoa(*n)})
		}
	}
	add("reports opened", &d.Opened)
	add("reports resolved", d.Resolved)
	add("reports closed", d.Closed)
	if d.Wait != nil {
		lines = append(lines,
			digestLine{"half of them were decided within", safe.Age(time.Duration(d.Wait.Median) * time.Second)},
			digestLine{"the longest waited", safe.Age(time.Duration(d.Wait.Longest) * time.Second)})
	}
	open := "reports open now"
	if d.OldestOpen != nil {
		open += ", the oldest since " + d.OldestOpen.UTC().Format(time.RFC3339)
	}
	add(open, &d.Backlog)
	add("pending sign-ups", d.Waiting)
	add("people who have not confirmed their address", d.Unconfirmed)
	for _, m := range d.Moderators {
		add("actions of "+m.Actor+": "+m.spell(), &m.Total)
	}
	return lines
}

// spell lists the actions, the most frequent first: "5 report_update, 1 delete".
func (m moderation) spell() string {
	names := slices.SortedFunc(maps.Keys(m.Actions), func(x, y string) int {
		return cmp.Or(m.Actions[y]-m.Actions[x], strings.Compare(x, y))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%d %s", m.Actions[name], name)
	}
	return strings.Join(names, ", ")
}

func (d *digest) markdown(host string) string {
	var b strings.Builder
	day := func(t api.Time) string { return t.UTC().Format("2006-01-02 15:04Z") }
	fmt.Fprintf(&b, "# Moderation of %s\n\n%s to %s\n\n", host, day(d.Since), day(d.Until))
	for _, line := range d.counts()[:len(d.counts())-len(d.Moderators)] {
		fmt.Fprintf(&b, "- %s %s\n", line.Count, line.What)
	}
	if len(d.Moderators) == 0 {
		return b.String()
	}
	b.WriteString("\n| Moderator | Actions | Of which |\n|---|---:|---|\n")
	for _, m := range d.Moderators {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", markdownCell(m.Actor), m.Total, markdownCell(m.spell()))
	}
	return b.String()
}

// markdownCell is text without anything that Markdown or a terminal acts on.
func markdownCell(s string) string {
	return strings.NewReplacer("|", `\|`, "_", `\_`, "*", `\*`, "`", "\\`", "<", "&lt;", "[", `\[`).Replace(safe.Line(s))
}

// sumUp reads the lists that a digest counts. It needs the reports; the log and the
// users are left out where the login may not read them.
func sumUp(ctx context.Context, conn *cli.Connection, from, until time.Time) (*digest, error) {
	d := &digest{Since: *api.At(from), Until: *api.At(until), Moderators: []moderation{}}
	created := map[string]time.Time{}
	for r, err := range conn.Admin.Reports.List(api.ReportQuery{}).All(ctx) {
		if err != nil {
			return nil, err
		}
		if r.CreatedAt.Before(from) {
			break // the newest come first
		}
		created[r.ID] = r.CreatedAt.Time
		d.Opened++
	}
	open := func(page int) (client.Page[api.AdminReport], error) {
		return conn.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen, Page: page, PageSize: 1}).Page(ctx)
	}
	newest, err := open(1)
	if err != nil {
		return nil, err
	}
	if d.Backlog = newest.Total; d.Backlog > 0 {
		oldest, err := open(d.Backlog)
		if err != nil {
			return nil, err
		}
		for _, r := range oldest.Items {
			d.OldestOpen = &r.CreatedAt
		}
	}
	if err := d.addLog(ctx, conn, from, created); err != nil && !errors.Is(err, client.ErrForbidden) {
		return nil, err
	}
	for filter, into := range map[string]**int{"local,need_approval": &d.Waiting, "local,unconfirmed": &d.Unconfirmed} {
		page, err := conn.Admin.Users.List(api.UserQuery{Filters: filter, PageSize: 1}).Page(ctx)
		switch {
		case err == nil:
			*into = &page.Total
		case !errors.Is(err, client.ErrForbidden):
			return nil, err
		}
	}
	return d, nil
}

// addLog counts the log's lines by moderator, and the decisions: of each report the last.
// created has the time of each report of the span; those that were decided in it and
// are older are asked for.
func (d *digest) addLog(ctx context.Context, conn *cli.Connection, from time.Time, created map[string]time.Time) error {
	by := map[string]map[string]int{}
	decided := map[string]int{}
	at := map[string]time.Time{} // the last change of a report's state
	ended := map[string]bool{}
	query := api.LogQuery{StartDate: from.UTC().Format("2006-01-02T15:04:05Z")}
	for e, err := range conn.Admin.Log.List(query).All(ctx) {
		if err != nil {
			return err
		}
		actor := e.Data.Actor.Nickname
		if by[actor] == nil {
			by[actor] = map[string]int{}
		}
		by[actor][e.Data.Action]++
		var about api.LogSubject
		if json.Unmarshal(e.Data.Subject, &about) == nil && about.Type == "report" && about.State != "" && at[about.ID].IsZero() {
			at[about.ID] = time.Unix(e.Time, 0)
			ended[about.ID] = about.State != api.ReportOpen
			decided[about.State]++
		}
	}
	resolved, closed := decided[api.ReportResolved], decided[api.ReportClosed]
	d.Resolved, d.Closed = &resolved, &closed
	var waits []int64
	for id, end := range at {
		if !ended[id] {
			continue
		}
		start, ok := created[id]
		if !ok {
			report, err := conn.Admin.Reports.Get(ctx, id)
			if errors.Is(err, client.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			start = report.CreatedAt.Time
		}
		waits = append(waits, max(0, int64(end.Sub(start)/time.Second)))
	}
	if len(waits) > 0 {
		slices.Sort(waits)
		d.Wait = &wait{Median: waits[(len(waits)-1)/2], Longest: waits[len(waits)-1]}
	}
	for actor, actions := range by {
		m := moderation{Actor: actor, Actions: actions}
		for _, n := range actions {
			m.Total += n
		}
		d.Moderators = append(d.Moderators, m)
	}
	slices.SortFunc(d.Moderators, func(x, y moderation) int {
		return cmp.Or(y.Total-x.Total, strings.Compare(x.Actor, y.Actor))
	})
	return nil
}
