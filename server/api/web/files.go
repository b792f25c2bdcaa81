package web

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/server/platform/fault"
)

// FormOverhead is the most of a form beside its files, in bytes.
const FormOverhead = bodyLimit

// sendTime is how long a client may take to fetch a file.
const sendTime = time.Hour

// Files reads a form with files part by part, and calls receive with each file:
// the form's name for it, the sender's, and the content. Bind then reads the
// rest of the form. A body of another kind has no files.
func Files(c *gin.Context, receive func(name, file string, content io.Reader) error) error {
	in := intakeOf(c.Request)
	kind, boundary := mediaType(c.Request)
	if in == nil || kind != multipartType {
		return nil
	}
	var b grown
	if boundary == "" {
		b.err = fault.Malformed("The request body cannot be read")
	} else {
		b.tree, b.err = readParts(multipart.NewReader(in, boundary), renamedFiles(c, receive))
		renamed(c, b.tree)
	}
	c.Set(treeKey, b)
	return b.err
}

func readParts(parts *multipart.Reader, receive func(name, file string, content io.Reader) error) (tree, error) {
	values, order, size := url.Values{}, []string(nil), int64(0)
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		if err == io.EOF { //nolint:errorlint // a form that broke off wraps it
			return grow(values, order)
		}
		if err != nil {
			return nil, unreadable(err)
		}
		if n >= maxParams {
			return nil, errManyParams
		}
		if isFile(part) {
			// Browsers send a file without name and content where none was chosen.
			if part.FileName() == "" {
				continue
			}
			if err := receive(part.FormName(), part.FileName(), partReader{part}); err != nil {
				return nil, err
			}
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, bodyLimit-size+1))
		if err != nil {
			return nil, unreadable(err)
		}
		if size += int64(len(value)); size > bodyLimit {
			return nil, &http.MaxBytesError{Limit: bodyLimit}
		}
		name := part.FormName()
		values.Add(name, string(value))
		if ofObject(name) {
			order = append(order, name)
		}
	}
}

// isFile distinguishes a file from a value: it has a name, if only an empty
// one.
func isFile(part *multipart.Part) bool {
	_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	_, named := params["filename"]
	return named
}

// partReader distinguishes a form that breaks off from an error of this server.
type partReader struct{ r io.Reader }

func (p partReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = unreadable(err)
	}
	return n, err
}

// A Sent describes how a file is sent.
type Sent struct {
	Type         string
	Attachment   bool   // to be saved, not shown
	Name         string // the name of a download; "" is the browser's choice
	ETag         string // without quotes
	CacheControl string
}

// filePolicy keeps a browser from doing anything with a file but show it.
const filePolicy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

// SendFile answers with a file, or the requested part of it. Its headers keep
// browsers from running any content. If the file breaks off, so does the
// connection, so that no client takes the part for the whole.
func SendFile(c *gin.Context, content io.ReadSeeker, s Sent) error {
	h := c.Writer.Header()
	h.Set("Content-Type", s.Type)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", filePolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", s.CacheControl)
	h.Set("ETag", `"`+s.ETag+`"`)
	disposition := "inline"
	if s.Attachment {
		disposition = "attachment"
	}
	if s.Name != "" {
		disposition = mime.FormatMediaType(disposition, map[string]string{"filename": s.Name})
	}
	if s.Attachment || s.Name != "" && disposition != "" {
		h.Set("Content-Disposition", disposition)
	}
	w := &fileWriter{ResponseWriter: c.Writer}
	controller := http.NewResponseController(c.Writer)
	_ = controller.SetWriteDeadline(time.Now().Add(sendTime)) // a recorder has none
	if u, ok := c.Writer.(interface{ Unwrap() http.ResponseWriter }); ok {
		w.direct, _ = u.Unwrap().(io.ReaderFrom)
	}
	http.ServeContent(w, c.Request, "", time.Time{}, content)
	c.Writer.WriteHeaderNow()
	c.Set(sentKey, w.past)
	if length, err := strconv.ParseInt(h.Get("Content-Length"), 10, 64); err == nil && w.sent < length && c.Request.Method != http.MethodHead {
		if !left(c) {
			slogger(c).ErrorContext(c.Request.Context(), "a file broke off", "err", w.err, "request_id", RequestID(c), "sent", w.sent, "length", length)
		}
		panic(http.ErrAbortHandler)
	}
	return nil
}

// fileWriter lets the system send a file to the connection by itself, which the
// router's writer would not.
type fileWriter struct {
	gin.ResponseWriter
	direct io.ReaderFrom
	sent   int64
	past   int64 // the bytes sent that gin did not count
	err    error // that ended it early
}

func (w *fileWriter) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.sent += int64(n)
	return n, err
}

func (w *fileWriter) ReadFrom(r io.Reader) (n int64, err error) {
	if w.direct == nil {
		n, err = io.Copy(struct{ io.Writer }{w.ResponseWriter}, r)
	} else {
		w.WriteHeaderNow()
		n, err = w.direct.ReadFrom(r)
		w.past += n
	}
	w.sent += n
	w.err = err
	return n, err
}

// SafeName returns a sender's name for a file without misleading characters,
// for people who save the file.
func SafeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || strings.ContainsRune(`/\:*?"<>|`, r) {
			return -1
		}
		return r
	}, name)
	name = strings.Trim(name, " .")
	if r := []rune(name); len(r) > 100 {
		name = string(r[len(r)-100:])
	}
	return name
}
