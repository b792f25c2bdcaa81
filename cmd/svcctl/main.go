// Command svcctl administers an instance of svc from a terminal or a script:
// nouns and verbs over the admin API, and a terminal UI for triage.
package main

import (
	"os"

	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/commands"
	"svc/tui/noprobe"
)

func main() {
	noprobe.Restore()
	os.Exit(commands.Run(cli.System(), os.Args[1:]))
}
