package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Error is the body of a refusal. Identifier is a word for machines,
// ErrorDescription the OAuth text; Errors is set where the request's shape was
// wrong.
type Error struct {
	Error            string        `json:"error,omitempty"`
	Identifier       string        `json:"identifier,omitempty"`
	ErrorDescription string        `json:"error_description,omitempty"`
	Errors           InvalidValues `json:"errors,omitempty"`
}

// ValidationError is the 400 for a request of the wrong shape: Error is the
// messages joined by a space.
type ValidationError struct {
	Error  string        `json:"error"`
	Errors InvalidValues `json:"errors"`
}

// InvalidValues is decoded from an array of InvalidValue, or from an object of
// messages keyed by field.
type InvalidValues []InvalidValue

// InvalidValue is one wrong value. Title is "Invalid value".
type InvalidValue struct {
	Title   string        `json:"title"`
	Source  InvalidSource `json:"source"`
	Message string        `json:"message"`
}

// InvalidSource points at a value: "/account_id".
type InvalidSource struct {
	Pointer string `json:"pointer"`
}

// Field returns the name of the wrong value.
func (v InvalidValue) Field() string { return strings.TrimPrefix(v.Source.Pointer, "/") }

// UnmarshalJSON reads both forms; messages that are lists are joined.
func (v *InvalidValues) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return json.Unmarshal(data, (*[]InvalidValue)(v))
	}
	var byField map[string]json.RawMessage
	if err := json.Unmarshal(data, &byField); err != nil {
		return err
	}
	*v = nil
	for field, raw := range byField {
		message := string(raw)
		var one string
		var many []string
		if json.Unmarshal(raw, &one) == nil {
			message = one
		} else if json.Unmarshal(raw, &many) == nil {
			message = strings.Join(many, ", ")
		}
		*v = append(*v, InvalidValue{
			Title: "Invalid value", Source: InvalidSource{"/" + field}, Message: message,
		})
	}
	slices.SortFunc(*v, func(a, b InvalidValue) int {
		return strings.Compare(a.Source.Pointer, b.Source.Pointer)
	})
	return nil
}

// FieldErrors is the 400 of a form with refused values, by field.
type FieldErrors struct {
	Errors map[string]string `json:"errors"`
}

// DetailError is the answer of unknown paths and of internal failures.
type DetailError struct {
	Errors ErrorDetail `json:"errors"`
}

// ErrorDetail is the inside of a DetailError.
type ErrorDetail struct {
	Detail string `json:"detail"`
}

// ItemError is one refused item of a bulk request.
type ItemError struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}
