package main

import (
	"slices"

	"github.com/spf13/cobra"

	"svc/client/login"
	"svc/tui"
)

func tuiCommand(a *app) *cobra.Command {
	var theme string
	var noMouse bool
	cmd := &cobra.Command{
		Use:   "tui",
		Short: "Triage reports in the terminal",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case theme != "" && !slices.Contains(tui.ThemeNames(), theme):
				return usagef("--theme %s: %s are accepted", quote(theme), anyOf(tui.ThemeNames()))
			case !a.ttyIn || !a.ttyOut:
				return usagef("tui needs a terminal on standard input and output")
			case a.g.debug && a.ttyErr:
				return usagef("--debug would write over the screen; send standard error to a file")
			case a.g.dryRun:
				return usagef("--dry-run does not go with tui; --read-only keeps it from sending")
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			if theme == "" {
				theme = conn.Context.Theme
			}
			if !a.colored(true) {
				theme = "mono"
			}
			return tui.Run(cmd.Context(), tui.Options{
				Client:   conn.Client,
				Context:  conn.Name,
				Theme:    theme,
				StateDir: login.PathsFrom(a.getenv).State,
				NoMouse:  noMouse,
				ReadOnly: conn.ReadOnly,
			})
		},
	}
	cmd.Flags().StringVar(&theme, "theme", "", "colours: "+anyOf(tui.ThemeNames()))
	cmd.Flags().BoolVar(&noMouse, "no-mouse", false, "leave the mouse to the terminal")
	completeFlag(cmd, "theme", tui.ThemeNames()...)
	return cmd
}
