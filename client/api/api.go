// Package api holds the JSON of every request and answer, once: for the server
// that renders it, and for the client library, CLI and TUI that read it. It has
// no logic beyond encoding and decoding and imports nothing of the service.
//
// Conventions: a List is never null on the wire. A pointer is a nullable field, or
// with omitempty one that some viewers do not get. Times are Time; ids are strings
// unless a comment says otherwise. Forms, that is requests, have json names for
// bodies and form names for queries and form bodies.
//
// Some objects keep the bytes they were decoded from in Raw, so that fields unknown
// to this package survive: the objects of lists (Account, Status, Notification,
// ChatMessage, AdminReport, GroupedReport, AdminUser, AdminStatus, AdminApp,
// AdminChat, Invite, LogEntry, ConfigSetting, ConfigDescription) and Credentials.
// Objects nested in them do not, since their bytes are part of the outer ones. Raw
// is not marshalled.
package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// List is an array that is [] on the wire when nil. With omitzero a nil List
// is left out, an empty one is not.
type List[T any] []T

// MarshalJSON renders nil as [].
func (l List[T]) MarshalJSON() ([]byte, error) {
	if len(l) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal([]T(l))
}

const timeFormat = "2006-01-02T15:04:05.000Z"

// Time is a moment, in UTC and to the millisecond on the wire:
// 2006-01-02T15:04:05.000Z.
type Time struct{ time.Time }

// At returns t for a nullable field: nil when t is zero.
func At(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	return &Time{t}
}

// String returns the time as on the wire.
func (t Time) String() string { return t.UTC().Format(timeFormat) }

// MarshalJSON renders t in UTC, cut to milliseconds.
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(make([]byte, 0, len(timeFormat)+2), `"`+timeFormat+`"`), nil
}

// UnmarshalJSON reads RFC 3339, and the same without a zone as UTC. An empty
// string, which some servers send for an absent time, leaves t zero.
func (t *Time) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if s == "" {
		*t = Time{}
		return nil
	}
	parsed, err := ParseTime(s)
	if err != nil {
		return err
	}
	*t = parsed
	return nil
}

// ParseTime reads RFC 3339, and the same without a zone, or a bare date, as
// UTC.
func ParseTime(s string) (Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return Time{t.UTC()}, nil
		}
	}
	return Time{}, fmt.Errorf("%q is not a time such as %s", s, timeFormat)
}

// Bool is a boolean of the client API's forms: false, 0, f, F, False, FALSE,
// off, OFF and the empty string are false, and any other value is true.
type Bool bool

// UnmarshalParam reads a form value.
func (b *Bool) UnmarshalParam(s string) error {
	switch s {
	case "false", "0", "f", "F", "False", "FALSE", "off", "OFF", "":
		*b = false
	default:
		*b = true
	}
	return nil
}

// UnmarshalJSON reads any JSON value.
func (b *Bool) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		return b.UnmarshalParam(s)
	}
	if string(data) == "null" {
		*b = false
		return nil
	}
	return b.UnmarshalParam(string(data))
}

// Int is an integer of a form, which may also arrive as a string of digits.
type Int int64

// UnmarshalParam reads a form value.
func (i *Int) UnmarshalParam(s string) error {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil {
		return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[int64]()}
	}
	*i = Int(n)
	return nil
}

// UnmarshalJSON reads a number or a string of digits; anything else is a
// *json.UnmarshalTypeError that names the JSON type found.
func (i *Int) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if len(data) > 0 && data[0] == '"' {
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		return i.UnmarshalParam(s)
	}
	var n int64
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*i = Int(n)
	return nil
}

// PageQuery selects a page of a keyset list, newest first: items below MaxID,
// the newest above SinceID, or the oldest above MinID. A Limit of 0 is the
// endpoint's default.
type PageQuery struct {
	MaxID   string `json:"max_id,omitempty" form:"max_id"`
	SinceID string `json:"since_id,omitempty" form:"since_id"`
	MinID   string `json:"min_id,omitempty" form:"min_id"`
	Limit   int    `json:"limit,omitempty" form:"limit"`
}

// Empty is the answer {} of an endpoint with nothing to say.
type Empty struct{}

// keep copies data, which belongs to the decoder.
func keep(data []byte) json.RawMessage { return bytes.Clone(data) }

// Done is the answer of an endpoint that says no more than that it did it:
// success.
type Done struct {
	Status string `json:"status" schema:"enum=success"`
}
