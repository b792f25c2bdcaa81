package web

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
)

// methodHead bounds the part of a multipart body that is searched for _method,
// in bytes. Forms send it first; the rest may be a film.
const methodHead = 4 << 10

const methodName = "_method"

// OverrideMethod serves a POST with _method in its body as that method, since
// forms of browsers can send no other. It runs after Bodies.
func OverrideMethod(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if in := intakeOf(r); in != nil && r.Method == http.MethodPost {
			switch m := strings.ToUpper(saidMethod(r, in)); m {
			case http.MethodPut, http.MethodPatch, http.MethodDelete:
				r.Method = m
			}
		}
		next.ServeHTTP(w, r)
	})
}

// saidMethod looks into the body, which can still be read. The sender is not
// known yet, so a long body without parts is not searched.
func saidMethod(r *http.Request, in *intake) string {
	kind, boundary := mediaType(r)
	if kind == multipartType {
		return ofParts(in.peek(methodHead), boundary, methodName)
	}
	if kind != formType && !isJSON(kind) {
		return ""
	}
	raw, ok := in.short()
	if !ok || !bytes.Contains(raw, []byte(methodName)) {
		return ""
	}
	if kind == formType {
		values, _ := parse(string(raw))
		if all := values[methodName]; len(all) > 0 {
			return all[len(all)-1]
		}
		return ""
	}
	var said struct {
		Method string `json:"_method"`
	}
	_ = json.Unmarshal(raw, &said)
	return said.Method
}

// ofParts is the first value of this name among the parts that raw holds whole,
// "" for none.
func ofParts(raw []byte, boundary, name string) string {
	if boundary == "" || !bytes.Contains(raw, []byte(name)) {
		return ""
	}
	parts := multipart.NewReader(bytes.NewReader(raw), boundary)
	for {
		part, err := parts.NextPart()
		if err != nil {
			return ""
		}
		if part.FormName() != name || isFile(part) {
			continue
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return ""
		}
		return string(value)
	}
}
