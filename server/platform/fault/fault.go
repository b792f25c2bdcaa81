// Package fault holds the refusals that people may read.
//
// A rule refuses with an *Error; its message is written for people and may be
// shown as it is. Every other error is internal and is never shown. The status
// of a refusal is decided by each API, not here.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind is the reason of a refusal.
type Kind int

// The kinds of refusal. The zero Kind is none of them.
const (
	KindMalformed       Kind = iota + 1 // the request cannot be understood
	KindUnauthenticated                 // nobody, or nobody we know, asked
	KindForbidden                       // this person may not
	KindNotFound                        // there is no such thing, or not for this person
	KindConflict                        // it contradicts the present state
	KindGone                            // it was there and will not come back
	KindTooLarge                        // more than is taken at once
	KindInvalid                         // understood, but against the rules
	KindRateLimited                     // too often
	KindUnavailable                     // right, but a part that is needed is away for now
	KindFull                            // right, but there is no room to store it
)

var kindNames = [...]string{
	KindMalformed:       "malformed",
	KindUnauthenticated: "unauthenticated",
	KindForbidden:       "forbidden",
	KindNotFound:        "not found",
	KindConflict:        "conflict",
	KindGone:            "gone",
	KindTooLarge:        "too large",
	KindInvalid:         "invalid",
	KindRateLimited:     "rate limited",
	KindUnavailable:     "unavailable",
	KindFull:            "full",
}

// String names the kind for logs.
func (k Kind) String() string {
	if k <= 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("kind %d", int(k))
	}
	return kindNames[k]
}

// A Field is one input that was refused, by the name it had in the request.
type Field struct {
	Name    string
	Message string
}

// Error is one refusal. Identifier is a machine-readable name for it where an
// API defines one ("missing_confirmed_email"), else empty. Fields, in the
// order of the request, say which inputs were at fault.
type Error struct {
	Kind       Kind
	Message    string
	Identifier string
	Fields     []Field
}

// Error returns the message, or the fields joined when there is none.
func (e *Error) Error() string {
	if e.Message != "" {
		return e.Message
	}
	if len(e.Fields) == 0 {
		return e.Kind.String()
	}
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Name + " " + f.Message
	}
	return strings.Join(parts, ", ")
}

// With returns a copy of e that carries identifier.
func (e *Error) With(identifier string) *Error {
	c := *e
	c.Identifier = identifier
	return &c
}

// Malformed refuses input that cannot be understood.
func Malformed(message string) *Error { return &Error{Kind: KindMalformed, Message: message} }

// Malformedf is Malformed with a format.
func Malformedf(format string, args ...any) *Error { return Malformed(fmt.Sprintf(format, args...)) }

// Unauthenticated refuses a caller that is not known.
func Unauthenticated(message string) *Error {
	return &Error{Kind: KindUnauthenticated, Message: message}
}

// Forbidden refuses a known caller without the right.
func Forbidden(message string) *Error { return &Error{Kind: KindForbidden, Message: message} }

// Forbiddenf is Forbidden with a format.
func Forbiddenf(format string, args ...any) *Error { return Forbidden(fmt.Sprintf(format, args...)) }

// NotFound says that there is no such thing for this caller.
func NotFound(message string) *Error { return &Error{Kind: KindNotFound, Message: message} }

// NotFoundf is NotFound with a format.
func NotFoundf(format string, args ...any) *Error { return NotFound(fmt.Sprintf(format, args...)) }

// Conflict refuses a change that contradicts the present state.
func Conflict(message string) *Error { return &Error{Kind: KindConflict, Message: message} }

// Conflictf is Conflict with a format.
func Conflictf(format string, args ...any) *Error { return Conflict(fmt.Sprintf(format, args...)) }

// Gone says that the thing was here and will not be again.
func Gone(message string) *Error { return &Error{Kind: KindGone, Message: message} }

// TooLarge refuses a request for its size.
func TooLarge(message string) *Error { return &Error{Kind: KindTooLarge, Message: message} }

// Invalid refuses input that is well-formed and breaks a rule; fields name the
// inputs at fault.
func Invalid(message string, fields ...Field) *Error {
	return &Error{Kind: KindInvalid, Message: message, Fields: fields}
}

// Invalidf is Invalid with a format and no fields.
func Invalidf(format string, args ...any) *Error { return Invalid(fmt.Sprintf(format, args...)) }

// RateLimited refuses a caller that asks too often.
func RateLimited(message string) *Error { return &Error{Kind: KindRateLimited, Message: message} }

// Unavailable asks a caller to come back: a part of the server that their
// request needs is away for now. Wrap the cause beside it, for the log.
func Unavailable(message string) *Error { return &Error{Kind: KindUnavailable, Message: message} }

// Full refuses what there is no room for. Wrap the cause beside it, for the log.
func Full(message string) *Error { return &Error{Kind: KindFull, Message: message} }

// Is reports whether err is, or wraps, a refusal of this kind.
func Is(err error, kind Kind) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == kind
}
