package main

import (
	"fmt"
	"time"
)

var progressKinds = []string{"auto", "never", "jsonl"}

// progressDelay is how long a run is before a person wants to see it move.
const progressDelay = 500 * time.Millisecond

// progress tells standard error how many actions have ended: as a line that
// rewrites itself on a terminal once the run takes long, or as jsonl.
func (a *app) progress() func(done, total int) {
	switch {
	case a.g.progress == "jsonl":
		return func(done, total int) { fmt.Fprintf(a.errOut, "{\"done\":%d,\"total\":%d}\n", done, total) }
	case a.g.progress == "never" || !a.ttyErr || a.g.Quiet || a.getenv("TERM") == "dumb":
		return nil
	}
	start := a.now()
	shown := false
	return func(done, total int) {
		if a.now().Sub(start) < progressDelay {
			return
		}
		if done < total {
			shown = true
			fmt.Fprintf(a.errOut, "\r%d of %d", done, total)
			return
		}
		if shown {
			fmt.Fprintf(a.errOut, "\r%*s\r", len(fmt.Sprintf("%d of %d", total, total)), "")
		}
	}
}
