package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

const (
	// heapGrowth is how far the heap grows between two collections, in percent of what
	// is in use. Against 50 it takes two thirds of the collector's work away, for 16 MiB
	// more after a load of reads; 200 would take three quarters, for 25 MiB.
	heapGrowth = 150
	// outsideTheHeap is what svcd holds that Go's runtime does not count: its own
	// program, the caches of SQLite's connections and what SQLite works with.
	outsideTheHeap = 64 << 20
)

// boundMemory lets the heap grow freely until svcd holds as many bytes as it may, and
// collects harder above. Where limit is 0 that is nine tenths of what the container may
// have, or half of the machine's memory, since other programs run there too. The bound is
// soft: what is in use is kept. GOGC and GOMEMLIMIT, Go's own variables, override it.
func boundMemory(ctx context.Context, limit uint64, log *slog.Logger) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	from := memlimit.Provider(func() (uint64, error) { return limit, nil })
	if limit == 0 {
		from = allowed(memlimit.FromCgroup, memlimit.FromSystem)
	}
	have, err := from()
	if err != nil {
		// Without a bound it serves as any program of Go does.
		log.LogAttrs(ctx, slog.LevelDebug, "no bound of memory", slog.Any("err", err))
		return
	}
	heap := heapOf(have)
	debug.SetMemoryLimit(heap)
	log.LogAttrs(ctx, slog.LevelDebug, "memory", slog.Uint64("bound", have), slog.Int64("heap", heap))
}

// allowed asks the container first. A container that may have more than the machine has,
// which is how some say that there is no limit, has none.
func allowed(container, machine memlimit.Provider) memlimit.Provider {
	return func() (uint64, error) {
		all, err := machine()
		if part, cerr := container(); cerr == nil && (err != nil || part < all) {
			return part / 10 * 9, nil
		} else if err != nil {
			return 0, errors.Join(fmt.Errorf("container: %w", cerr), fmt.Errorf("machine: %w", err))
		}
		return all / 2, nil
	}
}

// heapOf is the part of a bound that Go's runtime may hold.
func heapOf(bound uint64) int64 {
	return int64(max(bound-min(bound, outsideTheHeap), bound/2))
}
