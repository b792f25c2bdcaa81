package main

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

const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitAuth        = 3
	exitNotFound    = 4
	exitConflict    = 5
	exitPartial     = 6
	exitServer      = 7
	exitNetwork     = 8
	exitCondition   = 9
	exitDeclined    = 10
	exitConfigOff   = 11
	exitInvalid     = 12
	exitInterrupted = 130
	exitPipe        = 141
	exitTerminated  = 143
)

// exitWords are the codes as -o json spells them.
var exitWords = map[int]string{
	exitFailed: "failed", exitUsage: "usage", exitAuth: "auth", exitNotFound: "not_found",
	exitConflict: "conflict", exitPartial: "partial", exitServer: "server", exitNetwork: "network",
	exitCondition: "condition", exitDeclined: "declined", exitConfigOff: "config_off",
	exitInvalid: "invalid", exitInterrupted: "interrupted", exitTerminated: "terminated", exitPipe: "pipe",
}

// usageError is a mistake at the keyboard: nothing was sent.
type usageError struct{ message, hint string }

func (e *usageError) Error() string { return e.message }

// partialError is a bulk write of which some failed.
type partialError struct {
	message string
	details []string
	hint    string
	code    int
}

func (e *partialError) Error() string { return e.message }

// about names the object an error is about: "report 9xA: not found (404)".
type about struct {
	what string
	hint string
	err  error
}

func (e *about) Error() string { return e.what + ": " + explain(e.err) }
func (e *about) Unwrap() error { return e.err }

// invalidError is the server's refusal of one of several values.
type invalidError struct{ message string }

func (e *invalidError) Error() string { return e.message }

var (
	errCondition = errors.New("something matches")
	// errNotFound is a 404 where a list, not an answer, shows that there is none.
	errNotFound = &client.Error{Status: http.StatusNotFound, Message: "Not found"}
	errDeclined = errors.New("declined; nothing was sent")
	errDeadline = errors.New("the deadline passed")
)

// exitOf is the one place that turns an error into an exit code.
func exitOf(err error) int {
	var (
		usage      *usageError
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
		invalid    *invalidError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &stop):
		if stop.signal == syscall.SIGTERM {
			return exitTerminated
		}
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	case errors.As(err, &usage), errors.As(err, &actUsage), errors.As(err, &badOutput),
		errors.As(err, &config), errors.As(err, &refused):
		return exitUsage
	case errors.As(err, &partial):
		return partial.code
	case errors.Is(err, errCondition):
		return exitCondition
	case errors.Is(err, errDeclined):
		return exitDeclined
	case errors.As(err, &conflict):
		return exitConflict
	case errors.As(err, &invalid):
		return exitInvalid
	case errors.As(err, &answer):
		return exitOfAnswer(answer)
	case errors.As(err, &auth), errors.As(err, &permission), errors.Is(err, login.ErrNoCredential):
		return exitAuth
	case unreachable(err):
		return exitNetwork
	}
	return exitFailed
}

func exitOfAnswer(e *client.Error) int {
	switch {
	case errors.Is(e, client.ErrConfigDisabled):
		return exitConfigOff
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return exitAuth
	case e.Status == http.StatusNotFound, e.Status == http.StatusGone:
		return exitNotFound
	case e.Status == http.StatusConflict, e.Status == http.StatusPreconditionFailed:
		return exitConflict
	case e.Status == http.StatusBadRequest, e.Status == http.StatusUnprocessableEntity, e.Status == http.StatusRequestEntityTooLarge:
		return exitInvalid
	case e.Status == http.StatusRequestTimeout:
		return exitNetwork
	case e.Status >= 500:
		return exitServer
	}
	return exitFailed
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

// hintFor says what to do next, "" when nothing is sure to help.
func hintFor(err error) string {
	var (
		usage      *usageError
		config     *login.ConfigError
		partial    *partialError
		object     *about
		auth       *login.AuthError
		permission *login.PermissionError
		answer     *client.Error
	)
	switch {
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &partial):
		return partial.hint
	case errors.As(err, &config):
		return config.Hint
	case errors.As(err, &permission):
		return permission.Hint()
	case errors.As(err, &auth):
		return auth.Hint
	case errors.As(err, &object) && object.hint != "":
		return object.hint
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
func (a *app) fail(err error) int {
	code := exitOf(err)
	if code == exitPipe || code == exitCondition {
		return code
	}
	message, hint := explainAll(err), hintFor(err)
	var details []string
	var partial *partialError
	if errors.As(err, &partial) {
		details = partial.details
	}
	if a.g.Machine() {
		out := errorJSON{Code: exitWords[code], Exit: code, Message: message, Hint: hint, Details: details}
		var answer *client.Error
		if errors.As(err, &answer) {
			out.HTTP = answer.Status
		}
		if doc, err := json.Marshal(out); err == nil {
			fmt.Fprintf(a.errOut, "%s\n", safe.JSON(doc))
		}
		return code
	}
	label := "error:"
	if a.colored(a.ttyErr) {
		label = "\x1b[31merror:\x1b[0m"
	}
	fmt.Fprintf(a.errOut, "%s %s\n", label, safe.Line(message))
	for _, detail := range details {
		fmt.Fprintf(a.errOut, "  %s\n", safe.Line(detail))
	}
	if hint != "" {
		fmt.Fprintf(a.errOut, "hint:  %s\n", safe.Line(hint))
	}
	return code
}

// explainAll is the message of an error as a whole.
func explainAll(err error) string {
	var object *about
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
