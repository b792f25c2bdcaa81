//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// A benchmark is one of the Go benchmarks of the terminal program.
type benchmark struct {
	Name string        `json:"name"`
	Per  time.Duration `json:"ns_per_op"`
}

// terminal runs the benchmarks of the terminal program, which are its own: from
// a key to the frame that answers it, with 100,000 reports loaded.
func terminal(ctx context.Context, root string) ([]benchmark, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", ".", "-benchtime", "200x", "./tui")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go test -bench in tui: %w\n%s", err, out)
	}
	return parseBenchmarks(string(out))
}

var (
	measured = regexp.MustCompile(`(?m)^Benchmark(\S+)-\d+\s+\d+\s+(\S+) ns/op`)
	capital  = regexp.MustCompile(`\B[A-Z]`)
)

// parseBenchmarks reads the output of go test -bench. KeyToFrame is "key to frame".
func parseBenchmarks(out string) (list []benchmark, err error) {
	for _, m := range measured.FindAllStringSubmatch(out, -1) {
		per, err := time.ParseDuration(m[2] + "ns")
		if err != nil {
			return nil, err
		}
		list = append(list, benchmark{strings.ToLower(capital.ReplaceAllString(m[1], " $0")), per})
	}
	return list, nil
}
