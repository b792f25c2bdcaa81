package web

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/server/fault"
)

const rawBodyKey = "svc.raw_body"

// FormOverhead is what a form may carry beside its files, in bytes.
const FormOverhead = bodyLimit

const (
	// uploadTime is how long a client may take to send files, and sendTime how
	// long to fetch one.
	uploadTime = 15 * time.Minute
	sendTime   = time.Hour
)

// Large lets a route's bodies be as long as limit says, in bytes.
func Large(limit func() int64, h Handler) Handler {
	return func(c *gin.Context) error {
		raw, ok := c.Value(rawBodyKey).(io.ReadCloser)
		if !ok {
			return h(c)
		}
		most := limit()
		if c.Request.ContentLength > most {
			return &http.MaxBytesError{Limit: most}
		}
		// Recorders of tests have no deadlines; a connection that has none left
		// fails when it is read.
		_ = http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(uploadTime))
		c.Request.Body = http.MaxBytesReader(c.Writer, raw, most)
		return h(c)
	}
}

// Files reads a form with files part by part, and calls receive with each file:
// the form's name for it, the sender's, and the content. Bind then reads the
// rest of the form. A body of another kind has no files.
func Files(c *gin.Context, receive func(name, file string, content io.Reader) error) error {
	kind, _, _ := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	if kind != "multipart/form-data" || c.Request.Body == nil || c.Request.ContentLength == 0 {
		return nil
	}
	if c.Request.MultipartForm != nil { // who calls stood in the form
		return parsedFiles(c.Request.MultipartForm, receive)
	}
	parts, err := c.Request.MultipartReader()
	if err != nil {
		return fault.Malformed("The request body cannot be read")
	}
	values, size := url.Values{}, int64(0)
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return unreadable(err)
		}
		if n >= maxParams {
			return fault.Malformed("There are too many parameters")
		}
		_, params, _ := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
		if _, isFile := params["filename"]; isFile {
			// Browsers send a file without name and content where none was chosen.
			if part.FileName() == "" {
				continue
			}
			if err := receive(part.FormName(), part.FileName(), partReader{part}); err != nil {
				return err
			}
			continue
		}
		value, err := io.ReadAll(io.LimitReader(part, bodyLimit-size+1))
		if err != nil {
			return unreadable(err)
		}
		if size += int64(len(value)); size > bodyLimit {
			return &http.MaxBytesError{Limit: bodyLimit}
		}
		values.Add(part.FormName(), string(value))
	}
	t, err := grow(values)
	c.Set(treeKey, grown{tree: t, err: err})
	return err
}

// partReader tells a form that breaks off from a failure of ours.
type partReader struct{ r io.Reader }

func (p partReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = unreadable(err)
	}
	return n, err
}

func parsedFiles(form *multipart.Form, receive func(name, file string, content io.Reader) error) error {
	for name, headers := range form.File {
		for _, h := range headers {
			if h.Filename == "" {
				continue
			}
			f, err := h.Open()
			if err != nil {
				return err
			}
			err = errors.Join(receive(name, h.Filename, f), f.Close())
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// A Sent is how a file is sent to people.
type Sent struct {
	Type         string
	Attachment   bool   // to be saved, not shown
	Name         string // for whoever saves it; "" is the browser's choice
	ETag         string // without quotes
	CacheControl string
}

// filePolicy keeps a browser from doing anything with a file but show it.
const filePolicy = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

// SendFile answers with a file, or the part of it that was asked for. No browser
// runs it, whatever it holds.
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
	return nil
}

// fileWriter lets the system send a file to the connection by itself, which the
// router's writer would not.
type fileWriter struct {
	gin.ResponseWriter
	direct io.ReaderFrom
}

func (w *fileWriter) ReadFrom(r io.Reader) (int64, error) {
	if w.direct == nil {
		return io.Copy(struct{ io.Writer }{w.ResponseWriter}, r)
	}
	w.WriteHeaderNow()
	return w.direct.ReadFrom(r)
}

// SafeName is a sender's name for a file without what could mislead whoever
// saves it.
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
