package commands

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

func versionCommand(a *cli.App) *cobra.Command {
	return cli.Examples(&cobra.Command{
		Use:   "version",
		Short: "Show version, commit and Go version",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			b := cli.ReadBuild()
			if !a.Flags.Machine() && (a.Flags.Format == "" || a.Flags.Format == "table") && !a.Flags.Quiet {
				line := "svcctl " + b.Version
				if b.Commit != "" {
					line += " (" + b.Commit + ")"
				}
				_, err := fmt.Fprintln(a.Out, line, b.Go)
				return err
			}
			doc, err := json.Marshal(b)
			if err != nil {
				return err
			}
			return a.PrintOne([]output.Head{{Title: "VERSION"}, {Title: "COMMIT"}, {Title: "GO"}}, output.Record{
				Name: "version/" + b.Version, JSON: doc, Cells: []string{b.Version, b.Commit, b.Go},
			})
		},
	}, "version")
}
