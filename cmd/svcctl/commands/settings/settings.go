// Package settings is svcctl config: the settings that act, and files of them.
package settings

import (
	"github.com/spf13/cobra"

	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// Commands are the nouns of this package.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{configCommand(a)}
}

// Schemas are the objects that they print.
func Schemas() []cli.Schema {
	return []cli.Schema{
		cli.SchemaOf("config", "config get", configShape),
		cli.SchemaOf("config describe", "config describe", output.Shape[api.ConfigDescription]{}),
		cli.SchemaOf("config history", "config history", pastShape),
	}
}
