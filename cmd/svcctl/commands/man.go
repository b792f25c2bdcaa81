package commands

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"svc/client/build"
	"svc/cmd/svcctl/cli"
)

func manCommand(a *cli.App) *cobra.Command {
	return cli.Examples(&cobra.Command{
		Use:   "man [DIR]",
		Short: "Write manual pages, one for each command, to a folder; without one the first page is printed",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.Usagef("one folder is wanted, got %d arguments", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true // which has the day on which it was made
			header := &doc.GenManHeader{Section: "1", Source: "svcctl " + build.Read().Version, Manual: "svcctl"}
			if len(args) == 0 {
				return doc.GenMan(root, header, a.Out)
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make the folder: %w", err)
			}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("write the pages: %w", err)
			}
			if !a.Flags.Quiet {
				fmt.Fprintf(a.ErrOut, "read them with man -l %s/svcctl.1, or put them in a man1 folder of MANPATH\n", args[0])
			}
			return nil
		},
	}, "man ~/.local/share/man/man1", "man")
}
