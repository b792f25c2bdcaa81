// Command svcctl administers an instance of svc from a terminal or a script:
// nouns and verbs over the admin API, and a terminal UI for triage.
//
// A file holds one noun: its verbs, its columns, and its completions. A function
// builds one command from the frames of package cli.
package main

import (
	"os"

	"svc/cmd/svcctl/cli"
	"svc/tui/quiet"
)

func main() {
	quiet.Restore()
	os.Exit(run(cli.System(), os.Args[1:]))
}
