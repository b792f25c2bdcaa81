// Package build says which build this program is, for svcd and svcctl alike. It imports
// nothing of ours.
package build

import (
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// A release sets these:
//
//	-ldflags "-X svc/client/build.version=v1.2.3 -X svc/client/build.commit=… -X svc/client/build.date=…"
//
// Where they are empty, the Go toolchain may know them: go install and go build record
// the module's version and the commit.
var version, commit, date string

// Info is the origin of a program.
type Info struct {
	Version  string `json:"version"`  // vX.Y.Z of a release, a pseudo-version, or devel
	Commit   string `json:"commit"`   // unknown if nobody recorded it
	Date     string `json:"date"`     // of the commit, RFC 3339
	Modified bool   `json:"modified"` // the tree had changes on top of Commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Read returns the origin of the running program.
func Read() Info {
	recorded, _ := debug.ReadBuildInfo()
	return read(recorded)
}

func read(recorded *debug.BuildInfo) Info {
	i := Info{Version: version, Commit: commit, Date: date, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if recorded != nil {
		i.complete(recorded)
	}
	if i.Version == "" || i.Version == "(devel)" {
		i.Version = "devel"
	}
	if i.Commit == "" {
		i.Commit = "unknown"
	}
	return i
}

// complete fills in what the toolchain recorded. A release says itself what it was made of.
func (i *Info) complete(recorded *debug.BuildInfo) {
	if i.Version == "" {
		i.Version = recorded.Main.Version
	}
	if i.Commit != "" {
		return
	}
	for _, s := range recorded.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.time":
			i.Date = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
}

// unreleased is the version that clients and other servers are told of a build that is no
// release.
const unreleased = "0.0.0"

// numbered matches semantic versions. None has parentheses: clients look for those around
// the version.
var numbered = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$`)

// Release is the version that clients and other servers are told. They look for numbers.
func (i Info) Release() string {
	v := strings.TrimPrefix(i.Version, "v")
	if strings.HasPrefix(v, unreleased+"-") || !numbered.MatchString(v) {
		return unreleased
	}
	return v
}

// String is the origin on one line.
func (i Info) String() string {
	of := i.Commit
	if i.Modified {
		of += " with changes"
	}
	if i.Date != "" {
		of += " of " + i.Date
	}
	return i.Version + ", commit " + of + ", " + i.Go + ", " + i.Platform
}
