package client

import (
	"context"

	"svc/client/api"
)

// Descriptions returns the fields of forms for settings, also while settings
// are not kept in the database. GET /api/svc/admin/config/descriptions.
func (s *AdminConfig) Descriptions(ctx context.Context) ([]api.ConfigDescription, error) {
	out, err := get[[]api.ConfigDescription](ctx, s.c, nil, adminPath+"/config/descriptions")
	if err != nil {
		return nil, err
	}
	return *out, nil
}
