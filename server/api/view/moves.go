package view

import (
	"context"
	"slices"

	"svc/client/api"
	"svc/db"
)

// publicForms renders rows, with the accounts that some of them moved to (1
// statement where any did).
func (v *View) publicForms(ctx context.Context, rows []db.Account) ([]api.Account, error) {
	moved, err := v.movedTo(ctx, rows)
	if err != nil {
		return nil, err
	}
	out := make([]api.Account, len(rows))
	for i := range rows {
		out[i] = v.Account(&rows[i])
		out[i].Moved = moved[rows[i].ID]
	}
	return out, nil
}

// Moved returns the account that a moved to, nil for none (1 statement, if it moved).
func (v *View) Moved(ctx context.Context, a *db.Account) (*api.Account, error) {
	moved, err := v.movedTo(ctx, []db.Account{*a})
	return moved[a.ID], err
}

// movedTo returns the accounts that some of rows moved to, by the ids of those:
// 1 statement, none if no account moved. An account is left out if it does not
// name the former one as its own, or if anonymous viewers may not see it.
func (v *View) movedTo(ctx context.Context, rows []db.Account) (map[string]*api.Account, error) {
	var uris []string
	for i := range rows {
		if rows[i].MovedTo != "" {
			uris = append(uris, rows[i].MovedTo)
		}
	}
	if len(uris) == 0 {
		return nil, nil
	}
	targets, err := v.db.VisibleAccountsByURI(ctx, uris)
	if err != nil {
		return nil, err
	}
	settings, out := v.settings.Load(), make(map[string]*api.Account, len(targets))
	for i := range rows {
		a := &rows[i]
		at := slices.IndexFunc(targets, func(t db.Account) bool { return t.URI == a.MovedTo })
		if at < 0 || !slices.Contains(targets[at].AlsoKnownAs, a.URI) || targets[at].Local && settings.Restricts(settings.Restrict.ProfilesLocal) {
			continue
		}
		target := v.Account(&targets[at])
		out[a.ID] = &target
	}
	return out, nil
}
