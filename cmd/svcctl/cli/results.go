package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"svc/client/action"
	"svc/cmd/svcctl/cli/output"
)

// resultJSON is one write's end as every format prints it.
type resultJSON struct {
	Target   string  `json:"target"`
	Action   string  `json:"action"`
	Result   string  `json:"result"`
	Error    *string `json:"error"`
	Password string  `json:"password,omitempty"`
}

// ResultShape is how the end of a write is described; ShowResults prints it.
var ResultShape = output.Shape[resultJSON]{Plural: "results"}

// detailLimit bounds how many failures are listed on standard error; standard
// output has them all.
const detailLimit = 20

// ShowResults prints the result of each target and turns failures into one
// error. With -o name only the targets that are now as wished are printed.
func (a *App) ShowResults(results []action.Result) error {
	return a.showResultRows(results, nil)
}

// ShowPasswords is ShowResults with the passwords that were chosen, by target.
func (a *App) ShowPasswords(results []action.Result, passwords map[string]string) error {
	return a.showResultRows(results, func(target string) string { return passwords[target] })
}

func (a *App) showResultRows(results []action.Result, password func(target string) string) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	heads := []output.Head{{Title: "TARGET"}, {Title: "ACTION"}, {Title: "RESULT"}, {Title: "ERROR"}}
	if password != nil {
		heads = append(heads, output.Head{Title: "PASSWORD", Whole: true})
	}
	p.Begin(heads)
	for _, r := range results {
		if p.Format() == "name" && r.Outcome != action.Changed && r.Outcome != action.Unchanged {
			continue
		}
		row := resultJSON{Target: r.Action.Target, Action: string(r.Action.Kind), Result: string(r.Outcome)}
		if r.Err != nil {
			text := explain(r.Err)
			row.Error = &text
		}
		cells := []string{row.Target, row.Action, row.Result, Deref(row.Error)}
		if password != nil {
			row.Password = password(row.Target)
			cells = append(cells, row.Password)
		}
		if err := p.Add(output.Record{Name: row.Target, JSON: output.JSON(row), Cells: cells}); err != nil {
			return err
		}
	}
	if err := p.End(output.Listing{Total: len(results), Complete: true}); err != nil {
		return err
	}
	a.showMeanings(results)
	return failureOf(results)
}

// showMeanings prints the consequences of actions that were carried out, or would
// be, on standard error: those of up to detailLimit targets.
func (a *App) showMeanings(results []action.Result) {
	shown := 0
	for _, r := range results {
		if r.Means == "" || a.Flags.Quiet || r.Outcome != action.Changed && !errors.Is(r.Err, action.ErrPreview) {
			continue
		}
		if shown++; shown <= detailLimit {
			fmt.Fprintf(a.ErrOut, "%s: %s\n", Spell(r.Action.Target), r.Means)
		}
	}
	if shown > detailLimit {
		fmt.Fprintf(a.ErrOut, "and %d more\n", shown-detailLimit)
	}
}

// failureOf is nil when every target is as wished. One target fails with its
// own code; of several the code is the common cause when that concerns them
// all, like a lost connection, and else 6.
func failureOf(results []action.Result) error {
	var bad []action.Result
	done, same := map[string]int{}, 0
	for _, r := range results {
		switch r.Outcome {
		case action.Changed:
			done[r.Action.Kind.Done()]++
		case action.Unchanged:
			same++
		default:
			bad = append(bad, r)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	kind := bad[0].Action.Kind
	if len(results) == 1 {
		return &About{What: Spell(bad[0].Action.Target), Err: bad[0].Err, Hint: hintForTarget(bad[0])}
	}
	e := &partialError{code: commonCode(results, bad)}
	e.message = fmt.Sprintf("%d of %s failed", len(bad), CountOf(len(results), kind.Noun()))
	for word, n := range done {
		e.message += fmt.Sprintf("; %d %s", n, word)
	}
	if same > 0 {
		e.message += fmt.Sprintf("; %d already so", same)
	}
	e.details = detailsOf(bad)
	var conflicts []string
	for _, r := range bad {
		var conflict *action.Conflict
		if errors.As(r.Err, &conflict) {
			_, id, _ := strings.Cut(r.Action.Target, "/")
			conflicts = append(conflicts, id)
		}
	}
	switch {
	case len(conflicts) > 0 && len(conflicts) <= 5:
		e.hint = fmt.Sprintf("svcctl %s %s %s --force", kind.Noun(), kind.Verb(), strings.Join(conflicts, " "))
		if kind.Noun() == "host" {
			e.hint = LookHint("host", "")
		}
	case len(conflicts) > 5:
		e.hint = "--force overwrites what others changed"
	default:
		_, id, _ := strings.Cut(bad[0].Action.Target, "/")
		e.hint = LookHint(kind.Noun(), id)
	}
	return e
}

// detailsOf names the failed targets with their causes, as many as a person reads.
func detailsOf(bad []action.Result) []string {
	var details []string
	for i, r := range bad {
		if i == detailLimit {
			return append(details, fmt.Sprintf("and %d more", len(bad)-detailLimit))
		}
		details = append(details, r.Action.Target+": "+explain(r.Err))
	}
	return details
}

func hintForTarget(r action.Result) string {
	_, id, _ := strings.Cut(r.Action.Target, "/")
	var conflict *action.Conflict
	switch {
	case errors.As(r.Err, &conflict) && r.Action.Kind.Noun() == "host":
		return LookHint("host", id)
	case errors.As(r.Err, &conflict):
		return fmt.Sprintf("svcctl %s %s %s --force", r.Action.Kind.Noun(), r.Action.Kind.Verb(), id)
	case ExitOf(r.Err) == ExitNotFound:
		return LookHint(r.Action.Kind.Noun(), id)
	}
	return ""
}

// LookHint names the command that lists the objects of a noun.
func LookHint(noun, name string) string {
	switch {
	case noun == "chat":
		return "svcctl chat list USER"
	case noun == "federation":
		return "svcctl federation hosts"
	case noun == "config":
		return "svcctl config get"
	case noun == "doc":
		return "svcctl doc get --help"
	case noun == "host":
		return "svcctl instance limits"
	case noun == "jobs":
		return "svcctl jobs list"
	case noun != "user" || strings.HasPrefix(name, "id:"):
		return "svcctl " + noun + " list"
	}
	local, _, remote := strings.Cut(name, "@")
	hint := "svcctl user list " + local
	if remote {
		hint += " --filter external"
	}
	return hint
}

// Spell turns user/kim into "user kim".
func Spell(target string) string {
	noun, name, _ := strings.Cut(target, "/")
	return noun + " " + name
}

// commonCode is the exit code of several targets of which some failed.
func commonCode(all, bad []action.Result) int {
	common := 0
	for _, r := range bad {
		code := ExitOf(r.Err)
		if r.Outcome == action.Skipped && errors.Is(r.Err, context.Canceled) {
			code = ExitInterrupted
		}
		if common != 0 && code != common {
			return ExitPartial
		}
		common = code
	}
	switch common {
	case ExitAuth, ExitUsage:
		return common
	case ExitServer, ExitNetwork:
		if len(bad) == len(all) {
			return common
		}
	}
	return ExitPartial
}

// ShowDryRun prints the writes that were kept from being sent, and says on
// standard error which targets need none or cannot be changed.
func (a *App) ShowDryRun(results []action.Result) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if p.Format() == "name" {
		return Usagef("--dry-run prints requests, which have no names; use another format than name")
	}
	p.Begin([]output.Head{{Title: "METHOD"}, {Title: "PATH"}, {Title: "BODY"}})
	for _, r := range a.previewed {
		body := string(r.Body)
		if r.Type != "" {
			body = r.Type + " " + body
		}
		if err := p.Add(output.Record{Name: r.Path, JSON: output.JSON(r), Cells: []string{r.Method, r.Path, body}}); err != nil {
			return err
		}
	}
	if err := p.End(output.Listing{Total: len(a.previewed), Complete: true}); err != nil {
		return err
	}
	var failed []action.Result
	same := 0
	for _, r := range results {
		switch {
		case r.Outcome == action.Unchanged:
			same++
		case !errors.Is(r.Err, action.ErrPreview):
			failed = append(failed, r)
		}
	}
	a.showMeanings(results)
	if same > 0 && !a.Flags.Quiet {
		fmt.Fprintf(a.ErrOut, "%d of %d already so\n", same, len(results))
	}
	switch {
	case len(failed) == 0:
		return nil
	case len(results) == 1:
		return failureOf(failed)
	}
	e := &partialError{
		message: fmt.Sprintf("%d of %s cannot be changed", len(failed), CountOf(len(results), failed[0].Action.Kind.Noun())),
		details: detailsOf(failed), code: commonCode(results, failed),
	}
	return e
}

// NewlyMade is the result of something new, which its kind takes back.
func NewlyMade(kind action.Kind, target string, args map[string]string) []action.Result {
	return []action.Result{{Action: action.Action{Kind: kind, Target: target, Args: args}, Outcome: action.Changed, Inverse: kind.Back(target, args)}}
}
