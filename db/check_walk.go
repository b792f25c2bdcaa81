package db

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// checkWalkKey is the CheckWalk in meta.
const checkWalkKey = "check_walk"

// CheckWalk is a check of the whole database that goes on in many transactions,
// in any process. Times are in Unix seconds, 0 for never.
type CheckWalk struct {
	BeganAt int64          `json:"began_at"`
	Found   map[string]int `json:"found"` // findings so far, by area
	// Area, Table and After are where it goes on; Area is empty if it ended.
	Area  string   `json:"area"`
	Table string   `json:"table"`
	After []string `json:"after,omitempty"`
	// Files is the place among the files of the media store, and goes on from check to
	// check. FilesLeft is how many this check still looks at.
	Files     string `json:"files,omitempty"`
	FilesLeft int    `json:"files_left,omitempty"`
	// EndedAt and Result are the end and the findings of the last complete one.
	EndedAt int64          `json:"ended_at"`
	Result  map[string]int `json:"result"`

	stored string // as it is in meta
}

// Ended reports whether no check is under way.
func (w *CheckWalk) Ended() bool { return w.Area == "" }

// CheckWalk returns the check that is under way, or the last one. It is empty if
// there was none.
func (d *DB) CheckWalk(ctx context.Context) (*CheckWalk, error) {
	w := &CheckWalk{}
	var err error
	if w.stored, err = d.Meta(ctx, checkWalkKey); err != nil || w.stored == "" {
		return w, err
	}
	if err := json.Unmarshal([]byte(w.stored), w); err != nil {
		return nil, fmt.Errorf("meta %s: %w", checkWalkKey, err)
	}
	return w, nil
}

// SaveCheckWalk stores w, unless another process has moved it on since it was
// read: then it is false.
func (d *DB) SaveCheckWalk(ctx context.Context, w *CheckWalk) (bool, error) {
	now, err := json.Marshal(w)
	if err != nil {
		return false, fmt.Errorf("check walk: %w", err)
	}
	query, args := "UPDATE meta SET value = ? WHERE key = ? AND value = ?", []any{string(now), checkWalkKey, w.stored}
	if w.stored == "" {
		query, args = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING", []any{checkWalkKey, string(now)}
	}
	n, err := d.exec(ctx, "move the check on", query, args...)
	if n > 0 {
		w.stored = string(now)
	}
	return n > 0, err
}

// BeginCheck makes w begin a check, at a time in Unix seconds.
func (d *DB) BeginCheck(w *CheckWalk, at int64) {
	first := d.checkSteps(CheckOptions{})[0]
	w.BeganAt, w.Found = at, map[string]int{}
	w.Area, w.Table, w.After = first.area, first.table, nil
}

// CheckNext checks the next rows and moves w on; at is the time in Unix seconds.
// It repairs nothing. A table that a later version does not check any more begins
// the check anew. An error leaves w as it is, but for its findings.
func (d *DB) CheckNext(ctx context.Context, w *CheckWalk, o CheckOptions, at int64, found func(Finding)) error {
	steps := d.checkSteps(o)
	i := slices.IndexFunc(steps, func(s checkStep) bool { return s.area == w.Area && s.table == w.Table })
	if i < 0 {
		d.BeginCheck(w, at)
		return nil
	}
	after, err := keyOf(w.After)
	if err != nil {
		return err
	}
	o.Repair = false
	last, err := steps[i].chunk(ctx, o, after, func(f Finding) error {
		w.Found[f.Area]++
		found(f)
		return nil
	})
	switch {
	case err != nil:
		return err
	case last != nil:
		w.After, err = keyNames(last)
	case i+1 < len(steps):
		w.Area, w.Table, w.After = steps[i+1].area, steps[i+1].table, nil
	default:
		w.Area, w.Table, w.After = "", "", nil
		w.EndedAt, w.Result, w.Found = at, w.Found, nil
	}
	return err
}

// keyNames writes a key as JSON can keep it: each part with its type.
func keyNames(key []any) ([]string, error) {
	out := make([]string, len(key))
	for i, part := range key {
		switch v := part.(type) {
		case string:
			out[i] = "s" + v
		case int64:
			out[i] = "n" + strconv.FormatInt(v, 10)
		case bool:
			out[i] = "t" + strconv.FormatBool(v)
		case []byte:
			out[i] = "b" + base64.StdEncoding.EncodeToString(v)
		default:
			return nil, fmt.Errorf("key part of type %T", part)
		}
	}
	return out, nil
}

// keyOf reads what keyNames wrote, nil for none.
func keyOf(names []string) (key []any, err error) {
	for _, name := range names {
		var part any
		kind, rest := name[:min(1, len(name))], name[min(1, len(name)):]
		switch kind {
		case "s":
			part = rest
		case "n":
			part, err = strconv.ParseInt(rest, 10, 64)
		case "t":
			part, err = strconv.ParseBool(rest)
		case "b":
			part, err = base64.StdEncoding.DecodeString(rest)
		default:
			err = fmt.Errorf("key part %q", name)
		}
		if err != nil {
			return nil, err
		}
		key = append(key, part)
	}
	return key, nil
}
