package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"svc/client/build"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man [DIR]",
		Short: "Write manual pages, one for each command, to a folder; without one the first page is printed",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true // which has the day on which it was made
			header := &doc.GenManHeader{Section: "1", Source: "svcd " + build.Read().Version, Manual: "svcd"}
			if len(args) == 0 {
				return doc.GenMan(root, header, a.stdout)
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("make the folder: %w", err)
			}
			return doc.GenManTree(root, header, args[0])
		},
	}
}
