package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
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
			if !a.g.machine() && (a.g.format == "" || a.g.format == "table") && !a.g.quiet {
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
			return a.printOne([]head{{title: "VERSION"}, {title: "COMMIT"}, {title: "GO"}}, record{
				name: "version/" + b.Version, json: doc, cells: []string{b.Version, b.Commit, b.Go},
			})
		},
	}
}
