package build

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestClientsAreToldAVersionOfNumbers(t *testing.T) {
	for said, want := range map[string]string{
		"(devel)": "0.0.0", "": "0.0.0", "devel": "0.0.0", "v0.0.0-20261123004959-0123456789ab": "0.0.0", "v0.0.0-20261123004959-0123456789ab+dirty": "0.0.0",
		"v1.2.3": "1.2.3", "1.2.3": "1.2.3", "v1.2.3-rc.1": "1.2.3-rc.1", "v1.2.3+dirty": "1.2.3+dirty",
		"v1.2.4-0.20261123004959-0123456789ab": "1.2.4-0.20261123004959-0123456789ab", "v1.2.4-0.20261123004959-0123456789ab+dirty": "1.2.4-0.20261123004959-0123456789ab+dirty",
		"v1.2.3 (compatible; x)": "0.0.0", "v1.2.3-(x)": "0.0.0", "main": "0.0.0", "v1.2": "0.0.0", "v1.2.3\n": "0.0.0",
	} {
		if got := read(&debug.BuildInfo{Main: debug.Module{Version: said}}).Release(); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

func TestAReleaseSaysWhatItWasMadeOf(t *testing.T) {
	recorded := &debug.BuildInfo{
		Main: debug.Module{Version: "v0.0.0-20261123004959-0123456789ab+dirty"},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789ab"}, {Key: "vcs.time", Value: "2026-11-23T00:49:59Z"}, {Key: "vcs.modified", Value: "true"},
		},
	}
	got := read(recorded)
	if want := (Info{Version: recorded.Main.Version, Commit: "0123456789ab", Date: "2026-11-23T00:49:59Z", Modified: true, Go: got.Go, Platform: got.Platform}); got != want {
		t.Errorf("by the toolchain: %+v, want %+v", got, want)
	}
	version, commit, date = "v1.2.3", "ba9876543210", "2026-12-01T00:00:00Z"
	defer func() { version, commit, date = "", "", "" }()
	got = read(recorded)
	if want := (Info{Version: "v1.2.3", Commit: "ba9876543210", Date: "2026-12-01T00:00:00Z", Go: got.Go, Platform: got.Platform}); got != want {
		t.Errorf("by -ldflags: %+v, want %+v", got, want)
	}
	if line := got.String(); !strings.HasPrefix(line, "v1.2.3, commit ba9876543210 of 2026-12-01T00:00:00Z, go1.") {
		t.Errorf("it reads %s", line)
	}
}
