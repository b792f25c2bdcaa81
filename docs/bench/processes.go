//go:build linux

package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// tick is a clock tick of /proc: a hundredth of a second on every Linux that
// Go runs on.
const tick = 10 * time.Millisecond

func seconds(s float64) time.Duration { return time.Duration(s*100+0.5) * tick }

// tree returns these processes and all below them, with what /proc tells of each.
func tree(roots ...int) (all map[procfs.Proc]procfs.ProcStat) {
	all = map[procfs.Proc]procfs.ProcStat{}
	procs, _ := procfs.AllProcs()
	stats, below := map[int]procfs.ProcStat{}, map[int][]procfs.Proc{}
	for _, p := range procs {
		s, err := p.Stat()
		if err != nil { // it has ended
			continue
		}
		stats[p.PID] = s
		below[s.PPID] = append(below[s.PPID], p)
		if slices.Contains(roots, p.PID) {
			all[p] = s
		}
	}
	for todo := slices.Clone(roots); len(todo) > 0; todo = todo[1:] {
		for _, p := range below[todo[0]] {
			all[p] = stats[p.PID]
			todo = append(todo, p.PID)
		}
	}
	return all
}

// cpu returns the processor time of the processes below roots so far, ended
// ones included: user and system time of each, and of its dead children.
func cpu(roots ...int) time.Duration {
	ticks := 0
	for _, s := range tree(roots...) {
		ticks += int(s.UTime) + int(s.STime) + s.CUTime + s.CSTime
	}
	return time.Duration(ticks) * tick
}

// busy returns the processor time of the whole machine so far; 0 if the machine
// does not report it, as in sandboxes with a /proc of their own.
func busy(proc string) time.Duration {
	fs, err := procfs.NewFS(proc)
	if err != nil {
		return 0
	}
	s, err := fs.Stat()
	if err != nil {
		return 0
	}
	t := s.CPUTotal // the time of guests is part of user's
	return seconds(t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ + t.Steal)
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

func memoryOf(roots ...int) (u usage) {
	for p := range tree(roots...) {
		if m, err := p.ProcSMapsRollup(); err == nil {
			u.RSS += float64(m.Rss) / (1 << 20)
			u.PSS += float64(m.Pss) / (1 << 20)
		}
	}
	return u
}

// peak is the most memory that a process ever had, in MiB.
func peak(pid int) float64 {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0
	}
	s, err := p.NewStatus()
	if err != nil {
		return 0
	}
	return float64(s.VmHWM) / (1 << 20)
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
		if resting++; now-before > 2*tick {
			resting = 0
		}
		before = now
		if resting == rests {
			return max(0, time.Since(start)-rests*step)
		}
	}
	return time.Since(start)
}

// machine describes this machine.
func machine() string {
	model, memory := "unknown processor", ""
	if fs, err := procfs.NewDefaultFS(); err == nil {
		if all, err := fs.CPUInfo(); err == nil && len(all) > 0 && all[0].ModelName != "" {
			model = all[0].ModelName
		}
		if m, err := fs.Meminfo(); err == nil && m.MemTotal != nil {
			memory = fmt.Sprintf(", %.1f GiB memory", float64(*m.MemTotal)/(1<<20))
		}
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return fmt.Sprintf("%d cores of %s%s, Linux %s, %s", runtime.NumCPU(), model, memory, strings.TrimSpace(string(kernel)), runtime.Version())
}
