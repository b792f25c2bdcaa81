package view

import (
	"context"
	"encoding/json"
	"fmt"

	"svc/client/api"
	"svc/db"
)

// StatusValues is Statuses for HTML and feeds, which need values in place of
// JSON. It decodes the rendered statuses, so that they alone decide which parts
// are shown.
func (v *View) StatusValues(ctx context.Context, refs []db.StatusRef) ([]api.Status, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	raw, err := v.Statuses(ctx, refs)
	if err != nil {
		return nil, err
	}
	defer v.Release(raw)
	out := make([]api.Status, 0, len(refs))
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("rendered statuses: %w", err)
	}
	return out, nil
}
