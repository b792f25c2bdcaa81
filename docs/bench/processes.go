//go:build linux

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is a clock tick of /proc: a hundredth of a second on every Linux that
// Go runs on.
const tick = 10 * time.Millisecond

// stat returns the fields of /proc/PID/stat from the state (field 3) on. The
// program's name before it may contain anything.
func stat(pid int) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil, err
	}
	i := strings.LastIndexByte(string(raw), ')')
	fields := strings.Fields(string(raw[i+1:]))
	if i < 0 || len(fields) < 15 {
		return nil, errors.New("/proc has another form than expected")
	}
	return fields, nil
}

// tree returns these processes and all below them.
func tree(roots ...int) []int {
	below := map[int][]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if f, err := stat(pid); err == nil {
			parent, _ := strconv.Atoi(f[1])
			below[parent] = append(below[parent], pid)
		}
	}
	out := []int{}
	for todo := roots; len(todo) > 0; todo = todo[1:] {
		out = append(out, todo[0])
		todo = append(todo[:len(todo):len(todo)], below[todo[0]]...)
	}
	return out
}

// cpu returns the processor time of the processes below roots so far, ended
// ones included: user and system time of each, and of its dead children.
func cpu(roots ...int) time.Duration {
	var ticks int64
	for _, pid := range tree(roots...) {
		f, err := stat(pid)
		if err != nil {
			continue
		}
		for _, s := range f[11:15] {
			n, _ := strconv.ParseInt(s, 10, 64)
			ticks += n
		}
	}
	return time.Duration(ticks) * tick
}

// busy returns the processor time of the whole machine so far; 0 if the machine
// does not report it, as in sandboxes with a /proc of their own.
func busy() time.Duration {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	return parseBusy(string(raw))
}

// parseBusy adds up the first line of /proc/stat, see proc_stat(5).
func parseBusy(raw string) time.Duration {
	line, _, _ := strings.Cut(raw, "\n")
	var ticks int64
	for i, s := range strings.Fields(line) {
		switch i {
		case 0, 4, 5, 9, 10: // the name, idle, waiting, and guests: their time is part of user
			continue
		}
		n, _ := strconv.ParseInt(s, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * tick
}

// foreign is the share of the machine that went to others than us; -1 where
// the machine did not count.
func foreign(all, ours, lasted time.Duration, processors int) float64 {
	if all <= 0 {
		return -1
	}
	return max(0, (all-ours).Seconds()/(lasted.Seconds()*float64(processors)))
}

// usage is the memory of processes in MiB. PSS counts shared memory once, RSS
// in each process.
type usage struct {
	RSS float64 `json:"rss_mib"`
	PSS float64 `json:"pss_mib"`
}

func memoryOf(roots ...int) usage {
	var u usage
	for _, pid := range tree(roots...) {
		u.RSS += kibibytes(pid, "smaps_rollup", "Rss:") / 1024
		u.PSS += kibibytes(pid, "smaps_rollup", "Pss:") / 1024
	}
	return u
}

// peak is the most memory that a process ever had, in MiB.
func peak(pid int) float64 { return kibibytes(pid, "status", "VmHWM:") / 1024 }

// kibibytes reads a line of a file of a process's; 0 when it has ended.
func kibibytes(pid int, file, name string) float64 {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), file))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return n
		}
	}
	return 0
}

// settle waits until the processes rest, as they do when all that requests
// caused is done, and returns how long that took.
func settle(limit time.Duration, roots ...int) time.Duration {
	const (
		step  = 200 * time.Millisecond
		rests = 3
	)
	start, resting, before := time.Now(), 0, cpu(roots...)
	for time.Since(start) < limit {
		time.Sleep(step)
		now := cpu(roots...)
		if now-before <= 2*tick {
			resting++
		} else {
			resting = 0
		}
		before = now
		if resting == rests {
			return max(0, time.Since(start)-rests*step)
		}
	}
	return time.Since(start)
}
