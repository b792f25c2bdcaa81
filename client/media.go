package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"

	"svc/client/api"
)

// Media is the files that the caller uploads, to be shown with statuses.
type Media struct{ c *Client }

// File is a file to send, under Name. Content is read once, while it is sent: a
// file is never in memory whole.
type File struct {
	Name    string
	Content io.Reader
}

// Upload sends a file. The context alone bounds how long it may take, and it is
// sent once. POST /api/v1/media.
func (s *Media) Upload(ctx context.Context, file File, form api.MediaForm) (*api.Attachment, error) {
	return s.upload(ctx, "/api/v1/media", file, form)
}

// UploadV2 is Upload at the newer endpoint. POST /api/v2/media.
func (s *Media) UploadV2(ctx context.Context, file File, form api.MediaForm) (*api.Attachment, error) {
	return s.upload(ctx, "/api/v2/media", file, form)
}

func (s *Media) upload(ctx context.Context, path string, file File, form api.MediaForm) (*api.Attachment, error) {
	fields := url.Values{}
	if form.Description != nil {
		fields.Set("description", *form.Description)
	}
	if form.Focus != nil {
		fields.Set("focus", *form.Focus)
	}
	return upload[api.Attachment](ctx, s.c, http.MethodPost, path, fields, map[string]*File{"file": &file})
}

// Get returns one of the caller's own files. GET /api/v1/media/:id.
func (s *Media) Get(ctx context.Context, id string) (*api.Attachment, error) {
	return get[api.Attachment](ctx, s.c, nil, "/api/v1/media/", id)
}

// Update changes a file's description and focus. PUT /api/v1/media/:id.
func (s *Media) Update(ctx context.Context, id string, form api.MediaForm) (*api.Attachment, error) {
	return send[api.Attachment](ctx, s.c, Request{Method: http.MethodPut, Body: form}, []string{"/api/v1/media/", id})
}

// Delete removes one of the caller's files that no status shows. DELETE
// /api/v1/media/:id.
func (s *Media) Delete(ctx context.Context, id string) error {
	_, err := send[api.Empty](ctx, s.c, Request{Method: http.MethodDelete}, []string{"/api/v1/media/", id})
	return err
}

// Mascot returns the caller's mascot. GET /api/v1/svc/mascot.
func (s *Media) Mascot(ctx context.Context) (*api.Attachment, error) {
	return get[api.Attachment](ctx, s.c, nil, "/api/v1/svc/mascot")
}

// SetMascot makes a picture the caller's mascot. PUT /api/v1/svc/mascot.
func (s *Media) SetMascot(ctx context.Context, file File) (*api.Attachment, error) {
	return upload[api.Attachment](ctx, s.c, http.MethodPut, "/api/v1/svc/mascot", nil, map[string]*File{"file": &file})
}

// Pictures are those of the caller's account; nil leaves one as it is. To go
// back to the default ones, UpdateCredentials takes empty texts.
type Pictures struct{ Avatar, Header, Background *File }

// SetPictures changes the caller's own pictures. PATCH
// /api/v1/accounts/update_credentials.
func (s *Accounts) SetPictures(ctx context.Context, p Pictures) (*api.Account, error) {
	files := map[string]*File{"avatar": p.Avatar, "header": p.Header, "svc_background_image": p.Background}
	return upload[api.Account](ctx, s.c, http.MethodPatch, "/api/v1/accounts/update_credentials", nil, files)
}

// upload sends a form with files, part by part as it is read.
func upload[T any](ctx context.Context, c *Client, method, path string, fields url.Values, files map[string]*File) (*T, error) {
	in := Request{Method: method, Path: path}
	in.stream = func() (io.ReadCloser, string) {
		r, w := io.Pipe()
		form := multipart.NewWriter(w)
		go func() { _ = w.CloseWithError(errors.Join(writeForm(form, fields, files), form.Close())) }()
		return r, form.FormDataContentType()
	}
	var token string
	if c.options.tokens != nil {
		var err error
		if token, err = c.options.tokens.Token(ctx); err != nil {
			return nil, fmt.Errorf("%s %s: token: %w", method, path, err)
		}
	}
	resp, err := c.attempt(ctx, in, nil, "", token, 0)
	if err != nil {
		return nil, err
	}
	out := new(T)
	return out, decode(in, resp, out)
}

func writeForm(form *multipart.Writer, fields url.Values, files map[string]*File) error {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		for _, value := range fields[name] {
			if err := form.WriteField(name, value); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := files[name]
		if file == nil {
			continue
		}
		part, err := form.CreateFormFile(name, file.Name)
		if err != nil {
			return err
		}
		if _, err := io.Copy(part, file.Content); err != nil {
			return err
		}
	}
	return nil
}
