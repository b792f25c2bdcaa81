package view

import (
	"context"

	"svc/client/api"
	"svc/db"
)

// ScheduledStatuses renders rows, in their order (1 statement).
func (v *View) ScheduledStatuses(ctx context.Context, rows []db.ScheduledStatus) (api.List[api.ScheduledStatus], error) {
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	files, err := v.db.ScheduledMedia(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make(api.List[api.ScheduledStatus], 0, len(rows))
	for i := range rows {
		row := &rows[i]
		p := &row.Params
		at := api.Time{Time: row.ScheduledAt.Time}
		one := api.ScheduledStatus{
			ID: itoa(row.ID), ScheduledAt: at,
			Params: api.ScheduledParams{
				Text: p.Text, Sensitive: &p.Sensitive, SpoilerText: optional(p.SpoilerText), Visibility: optional(p.Visibility),
				ScheduledAt: at, InReplyToID: optional(p.InReplyToID),
			},
		}
		if p.Poll != nil {
			one.Params.Poll = &api.ScheduledPoll{Options: p.Poll.Options, Multiple: p.Poll.Multiple, HideTotals: p.Poll.HideTotals}
			if p.Poll.ExpiresIn != nil {
				one.Params.Poll.ExpiresIn = *p.Poll.ExpiresIn
			}
		}
		for _, m := range files[row.ID] {
			one.Params.MediaIDs = append(one.Params.MediaIDs, itoa(m.ID))
			one.MediaAttachments = append(one.MediaAttachments, v.Attachment(&m))
		}
		out = append(out, one)
	}
	return out, nil
}

// ScheduledStatus renders one row.
func (v *View) ScheduledStatus(ctx context.Context, row *db.ScheduledStatus) (*api.ScheduledStatus, error) {
	all, err := v.ScheduledStatuses(ctx, []db.ScheduledStatus{*row})
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}
