package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"svc/client/action"
)

// scriptMax is how many targets a run without a terminal may have unless
// --max says otherwise.
const scriptMax = 100

// checkCount refuses more or other targets than the flags allow. A dry run is
// free: it is the hint's advice.
func (a *App) checkCount(n int) error {
	if a.Flags.DryRun {
		return nil
	}
	if limit := a.most(); limit >= 0 && n > limit {
		return &UsageError{
			Message: fmt.Sprintf("%d targets exceed --max %d; nothing was sent", n, limit),
			Hint:    fmt.Sprintf("look with --dry-run, then add --max %d", n),
		}
	}
	if a.Flags.expect >= 0 && n != a.Flags.expect {
		return &UsageError{
			Message: fmt.Sprintf("%d targets are not the %d of --expect; nothing was sent", n, a.Flags.expect),
			Hint:    "look with --dry-run",
		}
	}
	return nil
}

// most is how many targets the flags allow, -1 for any number.
func (a *App) most() int {
	if a.Flags.max < 0 && !a.Interactive() {
		return scriptMax
	}
	return a.Flags.max
}

// checkRead ends the reading of targets as soon as there are too many, where they
// fill the memory of a server. Elsewhere all are counted, for checkCount to say how
// many there are.
func (a *App) checkRead(n int) error {
	if !a.Hosted() {
		return nil
	}
	limit := a.most()
	switch {
	case a.Flags.DryRun, limit > hostedTargets:
		limit = hostedTargets
	}
	if n <= limit {
		return nil
	}
	return &UsageError{
		Message: fmt.Sprintf("there are more targets than the %d of --max; nothing was sent", limit),
		Hint:    fmt.Sprintf("look with --dry-run, then add --max N, of up to %d over SSH", hostedTargets),
	}
}

// CheckRead is checkRead for an object of so many bytes, which is kept.
func (a *App) CheckRead(n, bytes int) error {
	if err := a.Keep(targetSize + bytes); err != nil {
		return err
	}
	return a.checkRead(n)
}

// Interactive tells whether somebody can be asked.
func (a *App) Interactive() bool { return a.TTYIn && a.TTYErr }

// confirm asks as the level demands. The parameter what describes the change
// ("deactivate 3 users"); token is the word to type for L2: a name or a count.
func (a *App) confirm(ctx context.Context, level action.Confirmation, what, token string) error {
	if a.Flags.DryRun || level == action.L0 {
		return nil
	}
	if level == action.L1 {
		switch {
		case a.Flags.yes:
			return nil
		case !a.Interactive():
			return &UsageError{
				Message: what + " needs a confirmation; nothing was sent",
				Hint:    "look with --dry-run, then add --yes",
			}
		}
		answer, err := a.Ask(ctx, what+"? [y/N] ")
		if err != nil {
			return err
		}
		switch strings.ToLower(answer) {
		case "y", "yes":
			return nil
		}
		return ErrDeclined
	}
	if a.Flags.yes && (a.Flags.max >= 0 || a.Flags.expect >= 0) {
		return nil
	}
	if !a.Interactive() {
		return &UsageError{
			Message: what + " needs a confirmation; nothing was sent",
			Hint:    "look with --dry-run, then add --yes and --max N or --expect N",
		}
	}
	answer, err := a.Ask(ctx, fmt.Sprintf("%s? type %s to go on: ", what, token))
	if err != nil {
		return err
	}
	if answer != token {
		return ErrDeclined
	}
	return nil
}

// Ask prints a question and reads a line, until the command is interrupted; the
// end of input without an answer is an error.
func (a *App) Ask(ctx context.Context, question string) (string, error) {
	fmt.Fprint(a.ErrOut, question)
	type read struct {
		line string
		err  error
	}
	done := make(chan read, 1)
	go func() {
		line, err := bufio.NewReader(a.In).ReadString('\n')
		done <- read{line, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(a.ErrOut)
		return "", context.Cause(ctx)
	case r := <-done:
		if errors.Is(r.err, io.EOF) {
			fmt.Fprintln(a.ErrOut)
			if strings.TrimSpace(r.line) == "" {
				return "", errNoAnswer
			}
		} else if r.err != nil {
			return "", fmt.Errorf("read the answer: %w", r.err)
		}
		return strings.TrimSpace(r.line), nil
	}
}

// confirmTargets checks the number of targets and confirms a kind of action.
func (a *App) confirmTargets(ctx context.Context, kind action.Kind, targets []Target, protected bool) error {
	n := len(targets)
	if err := a.checkCount(n); err != nil {
		return err
	}
	what := fmt.Sprintf("%s %s", kind.Verb(), CountOf(n, kind.Noun()))
	token := strconv.Itoa(n)
	if n == 1 {
		what = kind.Verb() + " " + Spell(targets[0].String())
		token = targets[0].Name
	}
	return a.confirm(ctx, action.Level(kind, n, protected), what, token)
}

// CountOf is "1 report", "3 statuses".
func CountOf(n int, noun string) string {
	word := spoken(noun)
	switch {
	case n == 1:
		return "1 " + word
	case strings.HasSuffix(word, "s"):
		return strconv.Itoa(n) + " " + word + "es"
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// spoken is the word for an object of a noun in sentences.
func spoken(noun string) string {
	switch noun {
	case "media":
		return "file"
	case "config":
		return "setting"
	case "doc":
		return "document"
	}
	return noun
}
