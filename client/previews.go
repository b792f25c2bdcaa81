package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
)

// Generated stands in a request for a secret that is chosen anew each time. A
// preview shows it as it is, other secrets masked.
const Generated = "(generated)"

// Preview is a write as it would be sent, without its headers. Path includes
// the query. Body is JSON with its secrets masked. Of any other body Type is the
// content type: a form with files is shown as the list of its parts, a
// plain one as a string, and anything else by its length.
type Preview struct {
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Type   string          `json:"type,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
}

// formPart is one part of a form with files: a field with its value, or a file with
// its name and size in bytes.
type formPart struct {
	Name  string  `json:"name"`
	Value *string `json:"value,omitempty"`
	File  string  `json:"file,omitempty"`
	Size  *int64  `json:"size,omitempty"`
}

// changes reports whether r changes something. Some GET endpoints do: a
// restart, a password reset link, a confirmed address, new second factors.
func changes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead || hasEffect(r.URL.Path)
}

// newPreview describes a request in place of sending it: the body is read to its
// end.
func newPreview(r *http.Request) (Preview, error) {
	address := *r.URL
	address.RawQuery = maskValues(r.URL.Query()).Encode()
	shown := Preview{Method: r.Method, Path: address.RequestURI()}
	if r.Body == nil {
		return shown, nil
	}
	defer r.Body.Close()
	contentType := r.Header.Get("Content-Type")
	kind, params, err := mime.ParseMediaType(contentType)
	if err == nil && strings.HasPrefix(kind, "multipart/") {
		shown.Type = kind + "; boundary=" + Generated
		shown.Body, err = showParts(multipart.NewReader(r.Body, params["boundary"]))
		return shown, err
	}
	data, err := readBody(r.Body)
	if err != nil {
		return shown, err
	}
	masked := maskBody(contentType, data)
	if kind != jsonType || !json.Valid(masked) {
		shown.Type = kind
		masked, err = json.Marshal(string(masked))
	}
	shown.Body = masked
	return shown, err
}

func showParts(form *multipart.Reader) (json.RawMessage, error) {
	var parts []formPart
	for {
		p, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			return json.Marshal(parts)
		}
		if err != nil {
			return nil, fmt.Errorf("read the form: %w", err)
		}
		shown := formPart{Name: p.FormName(), File: p.FileName()}
		if shown.File != "" {
			size, err := io.Copy(io.Discard, p)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", shown.Name, err)
			}
			shown.Size = &size
		} else {
			data, err := readBody(p)
			if err != nil {
				return nil, fmt.Errorf("read %s: %w", shown.Name, err)
			}
			value := maskValue(shown.Name, string(data))
			shown.Value = &value
		}
		parts = append(parts, shown)
	}
}

// preview shows a request and answers it without sending it.
func (c *Client) preview(req *http.Request) (*Response, error) {
	shown, err := newPreview(req)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", req.Method, req.URL.Path, err)
	}
	c.options.preview(shown)
	return &Response{Status: http.StatusNoContent, Header: http.Header{}}, nil
}

// Previews reports whether writes are shown in place of being sent.
func (c *Client) Previews() bool { return c.options.preview != nil }
