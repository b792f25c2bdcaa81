package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"svc/cmd/svcctl/cli/output"
)

// build is which program this is, from what the Go toolchain recorded.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

func readVersion() build {
	b := build{Version: "devel", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	dirty := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if dirty && b.Commit != "" {
		b.Commit += "-dirty"
	}
	return b
}

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show version, commit and Go version",
		Args:  exactArgs(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			b := readVersion()
			if !a.g.Machine() && (a.g.Format == "" || a.g.Format == "table") && !a.g.Quiet {
				line := "svcctl " + b.Version
				if b.Commit != "" {
					line += " (" + b.Commit + ")"
				}
				_, err := fmt.Fprintln(a.out, line, b.Go)
				return err
			}
			doc, err := json.Marshal(b)
			if err != nil {
				return err
			}
			return a.printOne([]output.Head{{Title: "VERSION"}, {Title: "COMMIT"}, {Title: "GO"}}, output.Record{
				Name: "version/" + b.Version, JSON: doc, Cells: []string{b.Version, b.Commit, b.Go},
			})
		},
	}
}
