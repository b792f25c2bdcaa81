package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
)

// methodHead is how much of a multipart body is searched for _method, in
// bytes. Forms carry it first; the rest may be a film.
const methodHead = 4 << 10

const methodName = "_method"

// OverrideMethod serves a POST whose body says _method as that method: forms of
// browsers cannot send another.
func OverrideMethod(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Body != nil && r.ContentLength != 0 {
			switch m := strings.ToUpper(saidMethod(r)); m {
			case http.MethodPut, http.MethodPatch, http.MethodDelete:
				r.Method = m
			}
		}
		next.ServeHTTP(w, r)
	})
}

// spliced is a body of which the beginning was read already.
type spliced struct {
	io.Reader
	io.Closer
}

// saidMethod looks into the body, and puts back what it read.
func saidMethod(r *http.Request) string {
	kind, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	form := kind == "application/x-www-form-urlencoded"
	switch {
	case kind == "multipart/form-data":
		head := bufio.NewReaderSize(r.Body, methodHead)
		r.Body = spliced{head, r.Body}
		// What cannot be read now fails again for who reads on.
		raw, _ := head.Peek(methodHead)
		return ofParts(raw, params["boundary"])
	case form || kind == "" || kind == "application/json" || strings.HasSuffix(kind, "+json"):
		raw, err := io.ReadAll(io.LimitReader(r.Body, bodyLimit+1))
		rest := io.Reader(r.Body)
		if err != nil {
			rest = failing{err}
		}
		r.Body = spliced{io.MultiReader(bytes.NewReader(raw), rest), r.Body}
		if !bytes.Contains(raw, []byte(methodName)) {
			return ""
		}
		if form {
			values, _ := url.ParseQuery(string(raw))
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
	return ""
}

// ofParts reads _method among the parts that raw holds whole.
func ofParts(raw []byte, boundary string) string {
	if boundary == "" || !bytes.Contains(raw, []byte(methodName)) {
		return ""
	}
	parts := multipart.NewReader(bytes.NewReader(raw), boundary)
	for {
		part, err := parts.NextPart()
		if err != nil {
			return ""
		}
		if part.FormName() != methodName || part.FileName() != "" {
			continue
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return ""
		}
		return string(value)
	}
}

// failing is the rest of a body that could not be read.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
