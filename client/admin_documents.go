package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// AdminDocuments is the texts by which an instance presents itself.
type AdminDocuments struct{ c *Client }

// The documents that there are.
const (
	InstancePanel       = "instance-panel"
	TermsOfService      = "terms-of-service"
	PrivacyPolicy       = "privacy-policy"
	ExtendedDescription = "extended-description"
)

// Documents are the names of them all.
func Documents() []string {
	return []string{InstancePanel, TermsOfService, PrivacyPolicy, ExtendedDescription}
}

// Get returns the address of a document: the instance's own, or the built-in
// one. GET /api/svc/admin/instance_document/:document_name.
func (s *AdminDocuments) Get(ctx context.Context, name string) (*api.Document, error) {
	return get[api.Document](ctx, s.c, nil, adminPath+"/instance_document/", name)
}

// Set puts a file of HTML in place of a document. PATCH
// /api/svc/admin/instance_document/:document_name.
func (s *AdminDocuments) Set(ctx context.Context, name string, file File) (*api.Document, error) {
	path, err := join(adminPath+"/instance_document/", name)
	if err != nil {
		return nil, err
	}
	return upload[api.Document](ctx, s.c, http.MethodPatch, path, nil, map[string]*File{"file": &file})
}

// Delete restores the built-in document. If the instance has none of its own,
// the error is ErrNotFound. DELETE
// /api/svc/admin/instance_document/:document_name.
func (s *AdminDocuments) Delete(ctx context.Context, name string) (*api.Document, error) {
	return send[api.Document](ctx, s.c, Request{Method: http.MethodDelete}, []string{adminPath + "/instance_document/", name})
}
