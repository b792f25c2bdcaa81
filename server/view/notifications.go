package view

import (
	"bytes"
	"context"
	"encoding/json"

	"svc/client/api"
	"svc/db"
	"svc/server/auth"
)

// peopleHole is where a rendered notification's account and status go.
const peopleHole = `"account":null,"status":null`

// Notifications renders rows as an array, in their order (3 statements, more
// when some are about reports). One whose sender is gone, or whose status or
// report the viewer may no longer see, is left out.
func (v *View) Notifications(ctx context.Context, viewer *auth.Identity, rows []db.Notification) (json.RawMessage, error) {
	var people, about, reported []string
	for i := range rows {
		if rows[i].ReportID != "" {
			reported = append(reported, rows[i].ReportID)
		}
		people = append(people, rows[i].FromID)
		if rows[i].StatusID != "" {
			about = append(about, rows[i].StatusID)
		}
	}
	versions, err := v.db.AccountVersions(ctx, people)
	if err != nil {
		return nil, err
	}
	accounts, err := v.accountsOf(ctx, versions)
	if err != nil {
		return nil, err
	}
	statuses, err := v.StatusesByID(ctx, viewer, about)
	if err != nil {
		return nil, err
	}
	reports, err := v.reportsByID(ctx, reported)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('[')
	for i := range rows {
		n := &rows[i]
		account, status, report := accounts[n.FromID], statuses[n.StatusID], reports[n.ReportID]
		if account == nil || n.StatusID != "" && status == nil || n.ReportID != "" && report == nil {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		if err := writeNotification(&out, n, account, status, report); err != nil {
			return nil, err
		}
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

func writeNotification(out *bytes.Buffer, n *db.Notification, account, status, report []byte) error {
	raw, err := json.Marshal(api.Notification{
		ID: itoa(n.ID), Type: n.Type, CreatedAt: api.Time{Time: n.CreatedAt.Time}, Emoji: n.Emoji,
		Svc: api.NotificationSvc{IsSeen: n.Seen, IsMuted: n.Hidden},
	})
	if err != nil {
		return err
	}
	before, after, ok := bytes.Cut(raw, []byte(peopleHole))
	if !ok {
		return errShape
	}
	out.Write(before)
	out.WriteString(`"account":`)
	out.Write(account)
	out.WriteString(`,"status":`)
	if status == nil {
		out.WriteString("null")
	} else {
		out.Write(status)
	}
	if report != nil {
		out.WriteString(`,"report":`)
		out.Write(report)
	}
	out.Write(after)
	return nil
}
