package cli

import (
	"fmt"
	"time"
)

var progressKinds = []string{"auto", "never", "jsonl"}

// progressDelay is how long a run is before a person wants to see it move.
const progressDelay = 500 * time.Millisecond

// progress tells standard error how many actions have ended: as a line that
// rewrites itself on a terminal once the run takes long, or as jsonl.
func (a *App) progress() func(done, total int) {
	switch {
	case a.Flags.progress == "jsonl":
		return func(done, total int) { fmt.Fprintf(a.ErrOut, "{\"done\":%d,\"total\":%d}\n", done, total) }
	case a.Flags.progress == "never" || !a.TTYErr || a.Flags.Quiet || a.Getenv("TERM") == "dumb":
		return nil
	}
	start := a.Now()
	shown := false
	return func(done, total int) {
		if a.Now().Sub(start) < progressDelay {
			return
		}
		if done < total {
			shown = true
			fmt.Fprintf(a.ErrOut, "\r%d of %d", done, total)
			return
		}
		if shown {
			fmt.Fprintf(a.ErrOut, "\r%*s\r", len(fmt.Sprintf("%d of %d", total, total)), "")
		}
	}
}
