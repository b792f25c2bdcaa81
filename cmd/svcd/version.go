package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// build is the origin of this program.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`
	Modified bool   `json:"modified"` // the tree had changes on top of Commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisBuild() build {
	b := build{Version: "(devel)", Commit: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// unreleased is the version that clients and other servers are told of a build
// that is no release.
const unreleased = "0.0.0"

// release is the version that clients and other servers are told. They look for
// numbers, and some for the brackets around it.
func (b build) release() string {
	v, ok := strings.CutPrefix(b.Version, "v")
	if !ok || strings.HasPrefix(v, unreleased+"-") || strings.ContainsAny(v, "()") {
		return unreleased
	}
	return v
}

func (a *app) versionCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			switch output {
			case "":
				_, err := fmt.Fprintf(a.stdout, "svcd %s, commit %s, %s, %s\n", b.Version, b.Commit, b.Go, b.Platform)
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
