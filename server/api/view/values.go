package view

import (
	"context"
	"encoding/json"
	"fmt"

	"svc/client/api"
	"svc/db"
)

// StatusValues is Statuses for what makes something other than JSON of them:
// HTML, feeds. What is shown of a status is decided in one place, so these are
// the rendered ones, read back.
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
