package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"

	"svc/client"
	"svc/client/action"
	"svc/client/login"
	"svc/client/safe"
	"svc/cmd/svcctl/cli/output"
)

// The exit codes; the long help of svcctl explains each.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitAuth        = 3
	ExitNotFound    = 4
	ExitConflict    = 5
	ExitPartial     = 6
	ExitServer      = 7
	ExitNetwork     = 8
	ExitCondition   = 9
	ExitDeclined    = 10
	ExitConfigOff   = 11
	ExitInvalid     = 12
	ExitInterrupted = 130
	ExitPipe        = 141
	ExitTerminated  = 143
)

// exitWords are the codes as -o json spells them.
var exitWords = map[int]string{
	ExitFailed: "failed", ExitUsage: "usage", ExitAuth: "auth", ExitNotFound: "not_found",
	ExitConflict: "conflict", ExitPartial: "partial", ExitServer: "server", ExitNetwork: "network",
	ExitCondition: "condition", ExitDeclined: "declined", ExitConfigOff: "config_off",
	ExitInvalid: "invalid", ExitInterrupted: "interrupted", ExitTerminated: "terminated", ExitPipe: "pipe",
}

// UsageError is a mistake at the keyboard: nothing was sent.
type UsageError struct{ Message, Hint string }

func (e *UsageError) Error() string { return e.Message }

// Usagef is a UsageError without a hint.
func Usagef(format string, args ...any) error {
	return &UsageError{Message: fmt.Sprintf(format, args...)}
}

// partialError is a bulk write of which some failed.
type partialError struct {
	message string
	details []string
	hint    string
	code    int
}

func (e *partialError) Error() string { return e.message }

// Refused is the refusal of values that were looked at before anything was sent:
// details name them, where there may be several.
func Refused(message, hint string, details ...string) error {
	if n := len(details); n > detailLimit {
		details = append(details[:detailLimit:detailLimit], fmt.Sprintf("and %d more", n-detailLimit))
	}
	return &partialError{message: message, hint: hint, details: details, code: ExitInvalid}
}

// About names the object an error is about: "report 9xA: not found (404)".
type About struct {
	What string
	Hint string
	Err  error
}

func (e *About) Error() string { return e.What + ": " + explain(e.Err) }
func (e *About) Unwrap() error { return e.Err }

// InvalidError is the server's refusal of one of several values.
type InvalidError struct{ Message string }

func (e *InvalidError) Error() string { return e.Message }

var (
	// ErrCondition makes a command end with ExitCondition, silently.
	ErrCondition = errors.New("something matches")
	// ErrNotFound is a 404 where a list, not an answer, shows that there is none.
	ErrNotFound = &client.Error{Status: http.StatusNotFound, Message: "Not found"}
	// ErrDeclined means that the person answered no.
	ErrDeclined = errors.New("declined; nothing was sent")
	// errNoAnswer means that there was nobody to answer.
	errNoAnswer = &UsageError{
		Message: "the input ended before an answer; nothing was sent",
		Hint:    "look with --dry-run, then add --yes",
	}
	errDeadline = errors.New("the deadline passed")
)

// ExitOf is the one place that turns an error into an exit code.
func ExitOf(err error) int {
	var (
		usage      *UsageError
		actUsage   *action.UsageError
		badOutput  *output.UsageError
		config     *login.ConfigError
		partial    *partialError
		stop       *interrupted
		auth       *login.AuthError
		permission *login.PermissionError
		conflict   *action.Conflict
		answer     *client.Error
		refused    *client.RefusedError
		invalid    *InvalidError
	)
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &stop):
		if stop.signal == syscall.SIGTERM {
			return ExitTerminated
		}
		return ExitInterrupted
	case errors.Is(err, syscall.EPIPE):
		return ExitPipe
	case errors.As(err, &usage), errors.As(err, &actUsage), errors.As(err, &badOutput),
		errors.As(err, &config), errors.As(err, &refused):
		return ExitUsage
	case errors.As(err, &partial):
		return partial.code
	case errors.Is(err, ErrCondition):
		return ExitCondition
	case errors.Is(err, ErrDeclined):
		return ExitDeclined
	case errors.As(err, &conflict):
		return ExitConflict
	case errors.As(err, &invalid):
		return ExitInvalid
	case errors.As(err, &answer):
		return exitOfAnswer(answer)
	case errors.Is(err, ErrNotHere):
		return ExitNotFound
	case errors.As(err, &auth), errors.As(err, &permission), errors.Is(err, login.ErrNoCredential):
		return ExitAuth
	case unreachable(err):
		return ExitNetwork
	}
	return ExitFailed
}

func exitOfAnswer(e *client.Error) int {
	switch {
	case errors.Is(e, client.ErrConfigDisabled):
		return ExitConfigOff
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return ExitAuth
	case e.Status == http.StatusNotFound, e.Status == http.StatusGone:
		return ExitNotFound
	case e.Status == http.StatusConflict, e.Status == http.StatusPreconditionFailed:
		return ExitConflict
	case e.Status == http.StatusBadRequest, e.Status == http.StatusUnprocessableEntity, e.Status == http.StatusRequestEntityTooLarge:
		return ExitInvalid
	case e.Status == http.StatusRequestTimeout, e.Status == http.StatusTooManyRequests: // both pass
		return ExitNetwork
	case e.Status >= 500:
		return ExitServer
	}
	return ExitFailed
}

func unreachable(err error) bool {
	var transport *client.TransportError
	return errors.As(err, &transport) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errDeadline)
}

// explain says why, in few words and with nothing of a stranger's left in it.
func explain(err error) string {
	var auth *login.AuthError
	if errors.As(err, &auth) && auth.Err != nil {
		return auth.Message + ": " + explain(auth.Err)
	}
	var answer *client.Error
	if errors.As(err, &answer) {
		message := strings.TrimRight(strings.TrimSpace(answer.Message), ".")
		switch {
		case answer.Status == http.StatusNotFound:
			message = "not found"
		case message == "":
			message = strings.ToLower(http.StatusText(answer.Status))
		}
		if message == "" {
			return fmt.Sprintf("the server answered %d", answer.Status)
		}
		return fmt.Sprintf("%s (%d)", message, answer.Status)
	}
	var transport *client.TransportError
	if errors.As(err, &transport) {
		return "no answer: " + transport.Err.Error()
	}
	return err.Error()
}

// Explain is what the program would say of an error if a command failed with it,
// and the next thing to do, "" for nothing.
func Explain(err error) (message, hint string) { return explainAll(err), hintFor(err) }

// hintFor is the next thing to do, "" when nothing is sure to help.
func hintFor(err error) string {
	var (
		usage      *UsageError
		config     *login.ConfigError
		partial    *partialError
		object     *About
		auth       *login.AuthError
		permission *login.PermissionError
		answer     *client.Error
	)
	switch {
	case errors.As(err, &usage):
		return usage.Hint
	case errors.As(err, &partial):
		return partial.hint
	case errors.As(err, &config):
		return config.Hint
	case errors.As(err, &permission):
		return permission.Hint()
	case errors.As(err, &auth):
		return auth.Hint
	case errors.As(err, &object) && object.Hint != "":
		return object.Hint
	case errors.As(err, &answer):
		switch {
		case answer.Status == http.StatusUnauthorized, strings.HasPrefix(answer.Message, "Invalid credentials"):
			return "svcctl auth login"
		case strings.HasPrefix(answer.Message, "Insufficient permissions"):
			return "svcctl auth login, which asks for the admin scopes"
		case answer.Status == http.StatusForbidden:
			return "svcctl auth status"
		case answer.Status == http.StatusTooManyRequests:
			return "try again in a while"
		}
	}
	return ""
}

// nextFor is the hint for an error of a command that has none of its own.
func nextFor(command string, code int, err error) string {
	help := strings.TrimSpace("svcctl "+command) + " --help"
	switch code {
	case ExitUsage, ExitInvalid:
		return help
	case ExitAuth:
		return "svcctl auth status"
	case ExitNotFound:
		return "svcctl doctor, or " + help
	case ExitServer:
		return "try again, then svcctl doctor; the server's log says why"
	case ExitNetwork:
		if errors.Is(err, errDeadline) {
			return "a longer --deadline, or svcctl doctor"
		}
		return "svcctl doctor looks at the connection; --timeout waits longer"
	case ExitDeclined:
		return "--dry-run shows what would be sent"
	case ExitConfigOff:
		return configOffHint
	case ExitFailed:
		return "svcctl doctor, or --debug to see the requests"
	}
	return ""
}

// configOffHint is how settings come into the database.
const configOffHint = "start svcd with --config-from-database=true"

// anonymous tells whether the message of an error names no object: it is the
// server's or the network's alone.
func anonymous(err error) bool {
	var object *About
	var partial *partialError
	var auth *login.AuthError
	if errors.As(err, &object) || errors.As(err, &partial) || errors.As(err, &auth) {
		return false
	}
	var answer *client.Error
	var transport *client.TransportError
	return errors.As(err, &answer) || errors.As(err, &transport) || errors.Is(err, errDeadline)
}

// Fail is what Execute does with the error of a command, for what runs outside one.
func (a *App) Fail(err error) int { return a.fail(err) }

// errorJSON is an error for programs.
type errorJSON struct {
	Code    string   `json:"code"`
	Exit    int      `json:"exit"`
	Message string   `json:"message"`
	Hint    string   `json:"hint"`
	HTTP    int      `json:"http"`
	Details []string `json:"details,omitempty"`
}

// fail prints an error on standard error and returns its exit code. A closed
// pipe and a condition that is true are codes without words.
func (a *App) fail(err error) int {
	code := ExitOf(err)
	if code == ExitPipe || code == ExitCondition {
		return code
	}
	message, hint := explainAll(err), hintFor(err)
	if anonymous(err) && a.called != "" {
		message = a.called + ": " + message
	}
	if hint == "" {
		hint = nextFor(a.called, code, err)
	}
	var details []string
	var partial *partialError
	if errors.As(err, &partial) {
		details = partial.details
	}
	if a.Flags.Machine() {
		out := errorJSON{Code: exitWords[code], Exit: code, Message: message, Hint: hint, Details: details}
		var answer *client.Error
		if errors.As(err, &answer) {
			out.HTTP = answer.Status
		}
		if doc, err := json.Marshal(out); err == nil {
			fmt.Fprintf(a.ErrOut, "%s\n", safe.JSON(doc))
		}
		return code
	}
	label := "error:"
	if a.Colored(a.TTYErr) {
		label = "\x1b[31merror:\x1b[0m"
	}
	fmt.Fprintf(a.ErrOut, "%s %s\n", label, safe.Line(message))
	for _, detail := range details {
		fmt.Fprintf(a.ErrOut, "  %s\n", safe.Line(detail))
	}
	if hint != "" {
		fmt.Fprintf(a.ErrOut, "hint:  %s\n", safe.Line(hint))
	}
	return code
}

// explainAll is the message of an error as a whole.
func explainAll(err error) string {
	var object *About
	var partial *partialError
	var stop *interrupted
	switch {
	case errors.As(err, &stop):
		return "interrupted"
	case errors.As(err, &partial):
		return partial.message
	case errors.As(err, &object):
		return object.Error()
	case errors.Is(err, errDeadline):
		return errDeadline.Error()
	}
	return explain(err)
}
