package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
)

// maxNote bounds a note that comes from standard input.
const maxNote = 1 << 20

func reportNoteAddCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "add REPORT TEXT",
		Short:             "Write a note under a report; TEXT - reads standard input",
		Args:              exactArgs(2, "a report and a text"),
		ValidArgsFunction: a.completeReports(""),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := single("report", args[0])
			if err != nil {
				return err
			}
			text := args[1]
			if text == "-" {
				data, err := io.ReadAll(io.LimitReader(a.in, maxNote+1))
				if err != nil {
					return err
				}
				if len(data) > maxNote {
					return usagef("the note is longer than %d bytes", maxNote)
				}
				text = string(data)
			}
			if text = strings.TrimSpace(text); text == "" {
				return usagef("the note is empty")
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			targets := []target{{Target: t}}
			if err := a.confirmTargets(cmd.Context(), action.ReportNote, targets, conn.Protected); err != nil {
				return err
			}
			return a.act(cmd.Context(), conn, action.Options{}, []action.Action{
				{Kind: action.ReportNote, Target: t.String(), Args: map[string]string{"text": text}},
			})
		},
	}
}

func reportNoteDeleteCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "delete REPORT NOTE...",
		Short:             "Delete notes, by the numbers that report get shows",
		Args:              needArgs(2, "a report and the number of a note"),
		ValidArgsFunction: a.completeReports(""),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.actParts(cmd.Context(), action.ReportNoteDelete, args[0], "note", args[1:])
		},
	}
}
