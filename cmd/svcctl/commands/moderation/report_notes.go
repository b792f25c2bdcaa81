package moderation

import (
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/cmd/svcctl/cli"
)

// maxNote bounds a note that comes from standard input.
const maxNote = 1 << 20

func reportNoteAddCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "add REPORT TEXT",
		Short:             "Write a note under a report; TEXT - reads standard input",
		Args:              cli.ExactArgs(2, "a report and a text"),
		ValidArgsFunction: completeReports(a, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := action.ParseTarget("report", args[0])
			if err != nil {
				return err
			}
			text := args[1]
			if text == "-" {
				if err := a.MayChange(action.ReportNote); err != nil {
					return err
				}
				data, err := a.ReadShort("note", text, maxNote)
				if err != nil {
					return err
				}
				text = string(data)
			}
			if text = strings.TrimSpace(text); text == "" {
				return cli.Usagef("the note is empty")
			}
			return a.ActOn(cmd.Context(), cli.Deed{Kind: action.ReportNote, Args: map[string]string{"text": text}}, []string{t.String()})
		},
	}
}

func reportNoteDeleteCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "delete REPORT NOTE...",
		Short:             "Delete notes, by the numbers that report get shows",
		Args:              cli.NeedArgs(2, "a report and the number of a note"),
		ValidArgsFunction: completeReports(a, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ActParts(cmd.Context(), action.ReportNoteDelete, args[0], "note", args[1:])
		},
	}
}
