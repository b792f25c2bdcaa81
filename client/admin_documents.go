package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// AdminDocuments is the texts by which an instance presents itself. Their names
// are InstancePanel and TermsOfService.
type AdminDocuments struct{ c *Client }

// The documents that there are.
const (
	InstancePanel  = "instance-panel"
	TermsOfService = "terms-of-service"
)

// Get tells where people find a document: the instance's own, or what stands
// for it. GET /api/svc/admin/instance_document/:document_name.
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

// Delete goes back to what stands for a document. Where the instance has none
// of its own, that is not found. DELETE
// /api/svc/admin/instance_document/:document_name.
func (s *AdminDocuments) Delete(ctx context.Context, name string) (*api.Document, error) {
	return send[api.Document](ctx, s.c, Request{Method: http.MethodDelete}, []string{adminPath + "/instance_document/", name})
}
