package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// ImportFollows has the server follow the accounts of a list, one a line or in
// the first column of CSV. POST /api/svc/follow_import.
func (s *Accounts) ImportFollows(ctx context.Context, list string) error {
	return s.importList(ctx, "/api/svc/follow_import", list)
}

// ImportBlocks has it block them. POST /api/svc/blocks_import.
func (s *Accounts) ImportBlocks(ctx context.Context, list string) error {
	return s.importList(ctx, "/api/svc/blocks_import", list)
}

// ImportMutes has it mute them. POST /api/svc/mutes_import.
func (s *Accounts) ImportMutes(ctx context.Context, list string) error {
	return s.importList(ctx, "/api/svc/mutes_import", list)
}

func (s *Accounts) importList(ctx context.Context, path, list string) error {
	return perform(ctx, s.c, Request{Method: http.MethodPost, Body: api.NewImport{List: list}, Repeatable: true}, []string{path})
}
