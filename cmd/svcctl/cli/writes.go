package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/suggest"
)

// Deed is one kind of change of the targets that arguments name.
type Deed struct {
	Kind action.Kind
	Args map[string]string // of every action
	// ArgsOf, when set, are the arguments of the action on one target.
	ArgsOf func(context.Context, *Connection, action.Target) (map[string]string, error)
	Before map[string]string // assumed of targets that come without their state
	Force  bool
	Note   string // written under each report that changes
}

// ActOn asks as much as the deed deserves and carries it out.
func (a *App) ActOn(ctx context.Context, d Deed, args []string) error {
	targets, err := a.toChange(d.Kind, args)
	if err != nil {
		return err
	}
	conn, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	words := make([]map[string]string, len(targets))
	for i, t := range targets {
		if words[i] = d.Args; d.ArgsOf != nil {
			if words[i], err = d.ArgsOf(ctx, conn, t.Target); err != nil {
				return &About{What: Spell(t.String()), Err: err}
			}
		}
	}
	if err := a.confirmTargets(ctx, d.Kind, targets, conn.Protected); err != nil {
		return err
	}
	actions := make([]action.Action, len(targets))
	for i, t := range targets {
		before := t.before
		if before == nil {
			before = d.Before
		}
		actions[i] = action.Action{Kind: d.Kind, Target: t.String(), Args: words[i], Before: before}
	}
	return a.act(ctx, conn, action.Options{Force: d.Force, OwnIsFine: true, Note: d.Note}, actions)
}

// ActParts carries a deed out on parts of one object, which the argument named
// part is for each: the notes of a report, the messages of a chat.
func (a *App) ActParts(ctx context.Context, kind action.Kind, object, part string, parts []string) error {
	t, err := action.ParseTarget(kind.Noun(), object)
	if err != nil {
		return err
	}
	conn, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	if err := a.checkCount(len(parts)); err != nil {
		return err
	}
	what := fmt.Sprintf("delete %s %s of %s", part, parts[0], Spell(t.String()))
	if len(parts) > 1 {
		what = fmt.Sprintf("delete %s of %s", CountOf(len(parts), part), Spell(t.String()))
	}
	if err := a.confirm(ctx, action.Level(kind, len(parts), conn.Protected), what, t.Name); err != nil {
		return err
	}
	actions := make([]action.Action, len(parts))
	for i, value := range parts {
		actions[i] = action.Action{Kind: kind, Target: t.String(), Args: map[string]string{part: value}}
	}
	return a.act(ctx, conn, action.Options{}, actions)
}

// ActAlso carries out actions of one kind that a command made, and then one more where
// there is one: that only if all before it are done. It asks as about the first alone;
// words describe the change in the question. refused are results of targets that were left out.
func (a *App) ActAlso(ctx context.Context, conn *Connection, actions []action.Action, also *action.Action, words string, refused ...action.Result) error {
	if len(actions) == 0 {
		return a.ShowResults(refused)
	}
	kind, n := actions[0].Kind, len(actions)
	if err := conn.MayWrite(a, kind.Noun()+" "+kind.Verb()); err != nil {
		return err
	}
	if err := a.checkCount(n); err != nil {
		return err
	}
	what, token := kind.Verb()+" "+CountOf(n, kind.Noun()), strconv.Itoa(n)
	if n == 1 {
		what = kind.Verb() + " " + Spell(actions[0].Target)
		_, token, _ = strings.Cut(actions[0].Target, "/")
	}
	if err := a.confirm(ctx, action.Level(kind, n, conn.Protected), what+" ("+words+")", token); err != nil {
		return err
	}
	if also != nil {
		actions = append(actions, *also)
	}
	results := action.New(conn.Client, action.Options{OwnIsFine: true, Progress: a.progress()}).Play(ctx, actions)
	results = append(results, refused...)
	if a.Flags.DryRun {
		return a.ShowDryRun(results)
	}
	a.remember(a.journal(conn.Origin.String()), results, nil)
	return a.ShowResults(results)
}

// KindCommand is the command of a deed that needs no more than its targets.
func (a *App) KindCommand(kind action.Kind, use, short string, complete Completer) *cobra.Command {
	return &cobra.Command{
		Use:               use,
		Short:             short,
		ValidArgsFunction: complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.ActOn(cmd.Context(), Deed{Kind: kind}, args)
		},
	}
}

// Write is a change that no action covers: something new, or something that is
// done rather than wished for.
type Write struct {
	Kind   action.Kind // its name in results
	Target string      // its typed name
	Level  action.Confirmation
	What   string // the question: "restart example.social"
	Token  string // the word to type for L2
	Count  int    // of its objects, when they are not one
	Whole  bool   // it has no objects to count: --yes alone confirms it

	// Undo takes it back, nil where nothing does.
	Undo *action.Action
	// Done returns what took effect, for the journal, where that is not the target
	// alone.
	Done func(context.Context) []action.Result
}

// Perform sends a write when it is allowed here and confirmed, and tells whether
// it was sent. With --dry-run the requests of send are shown instead. A change that
// took effect is in the journal.
func (a *App) Perform(ctx context.Context, conn *Connection, w Write, send func(context.Context) error) (bool, error) {
	if err := conn.MayWrite(a, w.Kind.Noun()+" "+w.Kind.Verb()); err != nil {
		return false, err
	}
	level := w.Level
	if conn.Protected && level < action.L2 {
		level++
	}
	if err := a.checkCount(max(w.Count, 1)); err != nil {
		return false, err
	}
	if w.Whole && (a.Flags.yes || !a.Interactive()) {
		level = min(level, action.L1)
	}
	if err := a.confirm(ctx, level, w.What, w.Token); err != nil {
		return false, err
	}
	err := send(ctx)
	if a.Flags.DryRun && err == nil {
		return false, a.ShowDryRun(nil)
	}
	switch {
	case w.Done != nil && err == nil:
		a.Remember(conn, w.Done(ctx))
	case w.Done == nil:
		r := ResultOf(w.Kind, w.Target, err)
		r.Inverse = w.Undo
		a.Remember(conn, []action.Result{r})
	}
	return true, err
}

// CarryOut sends a write that has no other answer than that it is done.
func (a *App) CarryOut(ctx context.Context, conn *Connection, w Write, send func(context.Context) error) error {
	sent, err := a.Perform(ctx, conn, w, send)
	if !sent {
		return err
	}
	return a.ShowResults([]action.Result{ResultOf(w.Kind, w.Target, err)})
}

// ResultOf is the end of a write that is not read again afterwards.
func ResultOf(kind action.Kind, target string, err error) action.Result {
	r := action.Result{Action: action.Action{Kind: kind, Target: target}, Outcome: action.Changed, Err: err}
	if err != nil {
		r.Outcome = action.Failed
		if code := ExitOf(err); code == ExitNetwork || code == ExitServer {
			r.Outcome = action.Unknown
		}
	}
	return r
}

// OneOf checks a word against those that are accepted.
func OneOf(what, word string, accepted []string) error {
	if slices.Contains(accepted, word) {
		return nil
	}
	e := &UsageError{Message: fmt.Sprintf("%s %s: %s are accepted", what, action.Quote(word), AnyOf(accepted))}
	if near := suggest.Words(word, accepted); len(near) > 0 {
		e.Hint = "did you mean " + strings.Join(near, ", or ") + "?"
	}
	return e
}
