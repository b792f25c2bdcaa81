package view

import (
	"context"

	"svc/client/api"
	"svc/db"
)

// Reports renders rows as their authors see them, in their order: 2 statements for any
// number of rows.
func (v *View) Reports(ctx context.Context, rows []db.Report) ([]api.Report, error) {
	ids, targets := make([]string, len(rows)), map[string]bool{}
	for i := range rows {
		ids[i], targets[rows[i].AccountID] = rows[i].ID, true
	}
	named, err := v.db.ReportStatuses(ctx, ids)
	if err != nil {
		return nil, err
	}
	statuses := map[string][]string{}
	for i := range named {
		statuses[named[i].ReportID] = append(statuses[named[i].ReportID], named[i].StatusID)
	}
	accounts, err := v.db.Accounts(ctx, keys(targets))
	if err != nil {
		return nil, err
	}
	shown := map[string]*api.Account{}
	for i := range accounts {
		a := v.Account(&accounts[i])
		shown[a.ID] = &a
	}
	out := make([]api.Report, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = api.Report{
			ID: r.ID, ActionTaken: r.State != db.ReportOpen, Category: r.Category, Comment: r.Content, Forwarded: r.Forwarded,
			CreatedAt: api.Time{Time: r.CreatedAt.Time}, StatusIDs: statuses[r.ID], TargetAccount: shown[r.AccountID],
		}
		if out[i].ActionTaken && !r.DecidedAt.IsZero() {
			out[i].ActionTakenAt = api.At(r.DecidedAt.Time)
		}
		for _, rule := range r.Rules {
			out[i].RuleIDs = append(out[i].RuleIDs, itoa(rule.ID))
		}
	}
	return out, nil
}
