//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
)

// programs are svcd and svcctl, freshly built.
type programs struct {
	name   string // "now", or "before" for those measured beside
	root   string // of the source
	dir    string
	svcd   string
	svcctl string
}

// programsReport holds the facts about the programs themselves.
type programsReport struct {
	Version     string        `json:"version"`
	ServerBytes int64         `json:"svcd_bytes"`
	ClientBytes int64         `json:"svcctl_bytes"`
	VersionTime time.Duration `json:"svcctl_version_ns"`
}

// build makes both programs as a release would have them.
func build(ctx context.Context, dir string) (*programs, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return nil, err
	}
	note("building svcd and svcctl")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", dir+string(filepath.Separator), "./cmd/svcd", "./cmd/svcctl")
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w", err)
	}
	return &programs{name: "now", root: root, dir: dir, svcd: filepath.Join(dir, "svcd"), svcctl: filepath.Join(dir, "svcctl")}, nil
}

// beside lists these programs, after those with another svcd where one is named.
func (p *programs) beside(svcd string) []*programs {
	if svcd == "" {
		return []*programs{p}
	}
	before := *p
	before.name, before.svcd = "before", svcd
	return []*programs{&before, p}
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the source: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// measure weighs both programs and times svcctl version, from start to end.
func (p *programs) measure(ctx context.Context) (programsReport, error) {
	var r programsReport
	for path, bytes := range map[string]*int64{p.svcd: &r.ServerBytes, p.svcctl: &r.ClientBytes} {
		info, err := os.Stat(path)
		if err != nil {
			return r, err
		}
		*bytes = info.Size()
	}
	var times []time.Duration
	for range 15 {
		start := time.Now()
		out, err := exec.CommandContext(ctx, p.svcctl, "version").CombinedOutput()
		if err != nil {
			return r, fmt.Errorf("svcctl version: %w: %s", err, out)
		}
		times = append(times, time.Since(start))
		r.Version, _, _ = strings.Cut(string(out), "\n")
	}
	r.VersionTime = median(times)
	return r, nil
}

// A benchmark is one of the Go benchmarks of the terminal program.
type benchmark struct {
	Name string        `json:"name"`
	Per  time.Duration `json:"ns_per_op"`
}

// terminal runs the benchmarks of the terminal program, which are its own: from
// a key to the frame that answers it, with 100,000 reports loaded.
func terminal(ctx context.Context, root string) ([]benchmark, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", ".", "-benchtime", "200x", "./tui")
	cmd.Dir = root
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go test -bench in tui: %w\n%s", err, out.Bytes())
	}
	return parseBenchmarks(out.String())
}

// parseBenchmarks reads the output of go test -bench.
func parseBenchmarks(out string) ([]benchmark, error) {
	var list []benchmark
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") || f[3] != "ns/op" {
			continue
		}
		per, err := time.ParseDuration(f[2] + "ns")
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		name := strings.TrimPrefix(f[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i]
		}
		list = append(list, benchmark{words(name), per})
	}
	return list, nil
}

// words takes a Go name apart: KeyToFrame is "key to frame".
func words(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && name[i-1] != '/' {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// median of an even number of values is the lower of the middle two.
func median[T time.Duration | float64 | int](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
