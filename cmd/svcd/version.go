package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"svc/client/build"
)

func (a *app) versionCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := build.Read()
			switch output {
			case "":
				_, err := fmt.Fprintf(a.stdout, "svcd %s\n", b)
				return err
			case "json":
				return json.NewEncoder(a.stdout).Encode(b)
			default:
				return usagef("--output: %q is not accepted; give json", output)
			}
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "json for a JSON object")
	return cmd
}
