package moderation

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/journal"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var journalShape = output.Shape[journal.Entry]{
	Plural: "entries",
	Name:   func(e journal.Entry) string { return e.ID },
	Raw:    output.JSON[journal.Entry],
	Columns: []output.Column[journal.Entry]{
		output.Text("ID", func(e journal.Entry) string { return e.ID }),
		output.Time("TIME", func(e journal.Entry) time.Time { return e.At }),
		output.Text("ACTION", func(e journal.Entry) string { return string(e.Action.Kind) }),
		output.Text("TARGET", func(e journal.Entry) string { return e.Action.Target }),
		output.Text("UNDO", func(e journal.Entry) string {
			switch {
			case e.Undoes != "":
				return "is one"
			case e.Undone:
				return "undone"
			case e.Undo == nil:
				return "no"
			}
			return "yes"
		}),
	},
}

func journalCommand(a *cli.App) *cobra.Command {
	var since string
	var limit int
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "List the changes made from this machine, newest first, and whether undo takes them back",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return cli.Usagef("--limit %d: at least 1 is needed", limit)
			}
			entries, _, err := a.JournalSince(since)
			if err != nil {
				return err
			}
			p, err := a.Printer()
			if err != nil {
				return err
			}
			if done, err := journalShape.ShowFields(p); done || err != nil {
				return err
			}
			if len(entries) == 0 {
				a.SayNone(journalShape.Plural)
			}
			return journalShape.Print(p, entries[:min(limit, len(entries))], false)
		},
	}
	cmd.Flags().StringVar(&since, "since", "", "only entries at or after `TIME`: RFC 3339, a date, 36h, 7d")
	cmd.Flags().IntVar(&limit, "limit", 50, "print at most `N`")
	return cli.Examples(cmd, "journal --since 1d")
}

func undoCommand(a *cli.App) *cobra.Command {
	var last, force bool
	var since string
	cmd := &cobra.Command{
		Use:   "undo [ID...]",
		Short: "Take back changes made from this machine: the last command, or entries of the journal",
		Long: "Take back changes made from this machine, by svcctl or its terminal UI: the last command, " +
			"everything since a time, or entries of svcctl journal. An object that somebody changed since then is " +
			"left alone (exit 5). Deletions, mails, resets and changes of secrets are not taken back.",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			entries, _, err := a.JournalSince("7d")
			var offers []cobra.Completion
			for _, e := range entries {
				if err == nil && e.Undo != nil && !e.Undone && len(offers) < cli.CompletionCount {
					offers = append(offers, cli.Described(e.ID, string(e.Action.Kind)+" "+e.Action.Target))
				}
			}
			return offers, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if last && (since != "" || len(args) > 0) || since != "" && len(args) > 0 {
				return cli.Usagef("--last, --since and IDs exclude each other")
			}
			entries, j, err := a.JournalSince(since)
			if err != nil {
				return err
			}
			chosen, err := chooseEntries(entries, args, since != "")
			if err != nil {
				return err
			}
			return a.Undo(cmd.Context(), j, chosen, newestToUndo(entries), force)
		},
	}
	cmd.Flags().BoolVar(&last, "last", false, "the last command, also without this flag")
	cmd.Flags().StringVar(&since, "since", "", "all that was done at or after `TIME`: 10m, 36h, RFC 3339")
	cmd.Flags().BoolVar(&force, "force", false, "also take back objects that somebody changed since then")
	return cli.Examples(cmd, "undo", "undo --since 10m --dry-run", "undo k3m9x2aa-1")
}

// newestToUndo is the newest change that can be taken back, nil for none.
func newestToUndo(entries []journal.Entry) *journal.Entry {
	i := slices.IndexFunc(entries, func(e journal.Entry) bool { return e.Undo != nil && !e.Undone && e.Undoes == "" })
	if i < 0 {
		return nil
	}
	return &entries[i]
}

// chooseEntries are the entries to take back, newest first: those named, all, or
// those of the newest run that is not taken back yet.
func chooseEntries(entries []journal.Entry, ids []string, all bool) ([]journal.Entry, error) {
	var chosen []journal.Entry
	for _, id := range ids {
		i := slices.IndexFunc(entries, func(e journal.Entry) bool { return e.ID == id || e.Run == id })
		if i < 0 {
			return nil, &cli.About{What: "journal entry " + action.Quote(id), Err: cli.ErrNotHere, Hint: "svcctl journal"}
		}
	}
	run := ""
	for _, e := range entries {
		switch {
		case e.Undone || e.Undoes != "":
			continue
		case len(ids) > 0:
			if !slices.Contains(ids, e.ID) && !slices.Contains(ids, e.Run) {
				continue
			}
		case !all && run == "":
			run = e.Run
		case !all && e.Run != run:
			return chosen, nil
		}
		chosen = append(chosen, e)
	}
	if len(ids) > 0 && len(chosen) == 0 {
		return nil, cli.Usagef("%s: taken back already", strings.Join(ids, ", "))
	}
	return chosen, nil
}
