package commands

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"svc/client/build"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

func versionCommand(a *cli.App) *cobra.Command {
	return cli.Examples(&cobra.Command{
		Use:   "version",
		Short: "Show version, commit, date and Go version",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			b := build.Read()
			if !a.Flags.Machine() && (a.Flags.Format == "" || a.Flags.Format == "table") && !a.Flags.Quiet {
				_, err := fmt.Fprintf(a.Out, "svcctl %s\n", b)
				return err
			}
			doc, err := json.Marshal(b)
			if err != nil {
				return err
			}
			return a.PrintOne([]output.Head{{Title: "VERSION"}, {Title: "COMMIT"}, {Title: "DATE"}, {Title: "GO"}, {Title: "PLATFORM"}}, output.Record{
				Name: "version/" + b.Version, JSON: doc, Cells: []string{b.Version, b.Commit, b.Date, b.Go, b.Platform},
			})
		},
	}, "version")
}
