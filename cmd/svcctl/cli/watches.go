package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
)

// WatchedListCommand is ListCommand with --watch: the list is read again whenever
// the stream of moderation has one of these events, and now and then, which is
// all where the server has no stream, or no event tells of the list.
func WatchedListCommand[T any](a *App, cmd *cobra.Command, shape output.Shape[T], events []string, ask func(ctx context.Context, conn *Connection, args []string) (Listed[T], error)) *cobra.Command {
	return Watched(a, ListCommand(a, cmd, shape, ask), shape, events, ask)
}

// Watched adds --watch to a command that prints what ask finds, once.
func Watched[T any](a *App, cmd *cobra.Command, shape output.Shape[T], events []string, ask func(ctx context.Context, conn *Connection, args []string) (Listed[T], error)) *cobra.Command {
	var every time.Duration
	cmd.Flags().DurationVar(&every, "watch", 0, "go on, and print changes; look every `TIME` where the server does not announce them")
	cmd.Flags().Lookup("watch").NoOptDefVal = "10s"
	once := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("watch") {
			return once(cmd, args)
		}
		w := watch[T]{app: a, shape: shape, events: events, every: every, flags: listFlags{limit: 1}}
		if cmd.Flags().Lookup("limit") != nil {
			w.flags.limit, _ = cmd.Flags().GetInt("limit")
			w.flags.all, _ = cmd.Flags().GetBool("all")
			w.flags.pageSize, _ = cmd.Flags().GetInt("page-size")
			w.flags.failNonempty, _ = cmd.Flags().GetBool("fail-nonempty")
		}
		if err := errors.Join(w.flags.check(cmd), w.check()); err != nil {
			return err
		}
		conn, err := a.Connect(cmd.Context())
		if err != nil {
			return err
		}
		if w.list, err = ask(cmd.Context(), conn, args); err != nil {
			return err
		}
		return w.run(cmd.Context(), conn)
	}
	return cmd
}

// watch is a list that is printed as it changes.
type watch[T any] struct {
	app    *App
	flags  listFlags
	list   Listed[T]
	shape  output.Shape[T]
	events []string
	every  time.Duration

	live  atomic.Bool // the server says when something happens
	order []string    // the names that were listed last
	known map[string]json.RawMessage
	lines *output.Printer // nil where a table is drawn
	away  bool            // the server did not answer last time
	kept  int             // bytes of the longest list so far
}

// check refuses flags that do not go with --watch.
func (w *watch[T]) check() error {
	o := w.app.Flags.Options
	switch {
	case w.every <= 0:
		return Usagef("--watch %s: it must be above zero", w.every)
	case o.Count, w.flags.failNonempty, o.Envelope, o.Sort != "":
		return Usagef("--watch has no end, so it does not go with --count, --fail-nonempty, --envelope and --sort")
	}
	switch o.Format {
	case "", "table", "wide", "json", "jsonl":
		return nil
	}
	return Usagef("--watch prints a JSON object a line, or a table on a terminal, not %s", o.Format)
}

// WatchedLeast is the least time between two looks at a list of which the server
// says when it changes.
const WatchedLeast = time.Minute

// run prints the list, and then its changes until ctx ends.
func (w *watch[T]) run(ctx context.Context, conn *Connection) error {
	o := w.app.Flags.Options
	if table := o.Format == "" && o.JQ == "" && o.Template == "" || o.Format == "table" || o.Format == "wide"; !table || !w.app.TTYOut {
		o.Format = "jsonl"
		var err error
		if w.lines, err = output.New(w.app.Out, o, output.Screen{}, w.app.Now()); err != nil {
			return err
		}
		if done, err := w.shape.ShowFields(w.lines); done || err != nil {
			return err
		}
		w.shape.Begin(w.lines)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var news <-chan struct{} // nil where no event tells of the list
	if len(w.events) > 0 {
		news = conn.News(ctx, w.events, &w.live)
	}
	for first := true; ; first = false {
		looked := time.Now()
		if err := w.look(ctx); err != nil && (first || !w.passes(err)) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
		wait := w.every
		if w.live.Load() {
			wait = max(wait, WatchedLeast)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-news: // of which there may be many: they are looked at together
			select {
			case <-ctx.Done():
			case <-time.After(w.app.WatchPause - time.Since(looked)):
			}
		case <-time.After(wait):
		}
	}
}

// News returns a channel that has something whenever one of these events of the
// stream of moderation may have happened, until ctx ends. The server says when, as
// long as live is true.
func (c *Connection) News(ctx context.Context, events []string, live *atomic.Bool) <-chan struct{} {
	news := make(chan struct{}, 1)
	wake := func() {
		select {
		case news <- struct{}{}:
		default:
		}
	}
	connected := func(up bool) { // earlier changes are not printed
		live.Store(up)
		wake()
	}
	go func() {
		for e, err := range c.Streams.Follow(ctx, api.StreamQuery{Stream: api.StreamModeration}, "", connected) {
			if err != nil {
				return // refused: the list is read now and then
			}
			if e.Name == "gap" || slices.Contains(events, e.Name) {
				wake()
			}
		}
	}()
	return news
}

// passes reports whether an error may pass, and says so once.
func (w *watch[T]) passes(err error) bool {
	if !errors.Is(err, client.ErrNetwork) && !errors.Is(err, client.ErrServer) && !errors.Is(err, client.ErrThrottled) {
		return false
	}
	if !w.away && !w.app.Flags.Quiet {
		fmt.Fprintf(w.app.ErrOut, "%s; trying again\n", explainAll(err))
	}
	w.away = true
	return true
}

// look reads the list and prints its changes.
func (w *watch[T]) look(ctx context.Context) error {
	var items []T
	size := 0
	l, _, err := walk(ctx, w.flags, w.list, func(item T) error {
		items = append(items, item)
		if size += 2 * keptSize(w.shape.Raw(item)); size > w.kept { // this list and the last
			if err := w.app.Keep(size - w.kept); err != nil {
				return err
			}
			w.kept = size
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.away = false
	if w.lines == nil {
		p, err := w.app.Printer()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(w.app.Out, "\x1b[H\x1b[2J"); err != nil {
			return err
		}
		return w.shape.Print(p, items, false)
	}
	order, now := make([]string, len(items)), make(map[string]json.RawMessage, len(items))
	for i, item := range items {
		order[i] = w.shape.Name(item)
		now[order[i]] = w.shape.Raw(item)
	}
	before := w.known
	for _, name := range w.left(now, l.Complete) {
		if err := w.tell(api.ModerationGone, name, before[name]); err != nil {
			return err
		}
	}
	for _, name := range slices.Backward(order) { // the newest last
		old, known := before[name]
		what := api.ModerationChanged
		switch {
		case !known:
			what = api.ModerationAdded
		case string(old) == string(now[name]), w.shape.Same != nil && w.shape.Same(old, now[name]):
			continue
		}
		if err := w.tell(what, name, now[name]); err != nil {
			return err
		}
	}
	w.order, w.known = order, now
	return nil
}

// left returns the names that are listed no longer. In a list that was not read
// to its end, those after the last that remains made room for others.
func (w *watch[T]) left(now map[string]json.RawMessage, complete bool) []string {
	end := len(w.order)
	for !complete && end > 0 && now[w.order[end-1]] == nil {
		end--
	}
	var names []string
	for _, name := range w.order[:end] {
		if now[name] == nil {
			names = append(names, name)
		}
	}
	return names
}

// tell prints a line.
func (w *watch[T]) tell(what, name string, object json.RawMessage) error {
	_, id, _ := strings.Cut(name, "/")
	line, err := json.Marshal(api.ModerationEvent{Event: what, ID: id, Object: object})
	if err != nil {
		return err
	}
	return w.lines.Add(output.Record{Name: name, JSON: line})
}
