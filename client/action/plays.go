package action

import (
	"context"
	"errors"
	"maps"
	"slices"

	"svc/client"
)

// ErrStopped is the Err of actions that were not carried out because one before
// them failed.
var ErrStopped = errors.New("not done: a step before it failed")

// Play carries actions out like Do, but in steps: neighbours of one kind are a
// step, and after the first step with a failure the rest is skipped. It returns
// a result for each action, in order; Options.Note has no effect.
func (e *Engine) Play(ctx context.Context, actions []Action) []Result {
	var results []Result
	quiet := &Engine{client: e.client, opts: e.opts}
	quiet.opts.Note, quiet.opts.Progress = "", nil
	for start := 0; start < len(actions); {
		end := start + 1
		for end < len(actions) && actions[end].Kind == actions[start].Kind {
			end++
		}
		step := quiet.Do(ctx, actions[start:end])
		for i, r := range step {
			// Nobody typed the id of this status: its author deleted it.
			if r.Action.Kind == StatusDelete && errors.Is(r.Err, client.ErrNotFound) {
				step[i].Outcome, step[i].Err = Unchanged, nil
			}
		}
		results = append(results, step...)
		if report := e.opts.Progress; report != nil {
			report(len(results), len(actions))
		}
		start = end
		if slices.ContainsFunc(step, broke) {
			for _, a := range actions[end:] {
				results = append(results, Result{Action: a, Outcome: Skipped, Err: ErrStopped})
			}
			return results
		}
	}
	return results
}

// broke reports a result after which the next step must not be taken.
func broke(r Result) bool {
	return r.Outcome != Changed && r.Outcome != Unchanged && !errors.Is(r.Err, ErrPreview)
}

// Inverses are the actions that take results back, the last one first, with the
// places of their results; and how many changes nothing takes back.
func Inverses(results []Result) (back []Action, of []int, without int) {
	for i, r := range slices.Backward(results) {
		switch {
		case r.Outcome != Changed:
		case r.Inverse == nil:
			without++
		default:
			back, of = append(back, *r.Inverse), append(of, i)
		}
	}
	return back, of, without
}

// Counts is how many actions of each kind there are.
func Counts(actions []Action) map[Kind]int {
	counts := map[Kind]int{}
	for _, a := range actions {
		counts[a.Kind]++
	}
	return counts
}

// LevelOf is how much asking a run of several kinds takes: as much as the gravest
// of them, and no less than as many objects of one kind.
func LevelOf(actions []Action, protected bool) Confirmation {
	level := L0
	counts := Counts(actions)
	for kind := range maps.Keys(counts) {
		level = max(level, Level(kind, counts[kind], protected))
	}
	return max(level, Count(len(actions), protected))
}
