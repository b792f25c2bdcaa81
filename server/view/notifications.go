package view

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"

	"svc/client/api"
	"svc/db"
	"svc/server/auth"
)

// peopleHole is where a rendered notification's account and status go.
const peopleHole = `"account":null,"status":null`

// Notifications renders rows as an array, in their order (2 statements, more
// when some are about reports, or what is needed is not kept). One whose sender
// is gone, or whose status or report the viewer may no longer see, is left out.
// Whoever has sent the page may Release it.
func (v *View) Notifications(ctx context.Context, viewer *auth.Identity, rows []db.Notification) (json.RawMessage, error) {
	var about, reported []string
	for i := range rows {
		if rows[i].ReportID != "" {
			reported = append(reported, rows[i].ReportID)
		}
		if rows[i].StatusID != "" {
			about = append(about, rows[i].StatusID)
		}
	}
	versions, err := v.senders(ctx, rows)
	if err != nil {
		return nil, err
	}
	accounts, err := v.accountsOf(ctx, versions)
	if err != nil {
		return nil, err
	}
	refs, err := v.db.StatusRefs(ctx, v.Viewer(viewer), about)
	if err != nil {
		return nil, err
	}
	statuses, err := v.prepare(ctx, refs)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*db.StatusRef, len(refs))
	for i := range refs {
		byID[refs[i].ID] = &refs[i]
	}
	reports, err := v.reportsByID(ctx, reported)
	if err != nil {
		return nil, err
	}
	out := v.page(statuses.size + 2048*len(rows))
	out.WriteByte('[')
	for i := range rows {
		n := &rows[i]
		account, ref, report := accounts[n.FromID], byID[n.StatusID], reports[n.ReportID]
		if account == nil || n.StatusID != "" && ref == nil || n.ReportID != "" && report == nil {
			continue
		}
		mark := out.Len()
		if mark > 1 {
			out.WriteByte(',')
		}
		whole, err := writeNotification(out, n, account, statuses, ref, report)
		if err != nil {
			return nil, err
		}
		if !whole {
			out.Truncate(mark)
		}
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

// senders are the accounts that the notifications come from, with their
// versions.
func (v *View) senders(ctx context.Context, rows []db.Notification) (map[string]int64, error) {
	versions := make(map[string]int64, len(rows))
	var unread []string
	for i := range rows {
		if n := &rows[i]; n.FromVersion > 0 {
			versions[n.FromID] = n.FromVersion
		} else {
			unread = append(unread, n.FromID)
		}
	}
	read, err := v.db.AccountVersions(ctx, unread)
	if err != nil {
		return nil, err
	}
	maps.Copy(versions, read)
	return versions, nil
}

// writeNotification reports whether all that n is made of was there.
func writeNotification(out *bytes.Buffer, n *db.Notification, account []byte, statuses *prepared, ref *db.StatusRef, report []byte) (bool, error) {
	raw, err := json.Marshal(api.Notification{
		ID: itoa(n.ID), Type: n.Type, CreatedAt: api.Time{Time: n.CreatedAt.Time}, Emoji: n.Emoji,
		Svc: api.NotificationSvc{IsSeen: n.Seen, IsMuted: n.Hidden},
	})
	if err != nil {
		return false, err
	}
	before, after, ok := bytes.Cut(raw, []byte(peopleHole))
	if !ok {
		return false, errShape
	}
	out.Write(before)
	out.WriteString(`"account":`)
	out.Write(account)
	out.WriteString(`,"status":`)
	if ref == nil {
		out.WriteString("null")
	} else if !statuses.write(out, ref) {
		return false, nil
	}
	if report != nil {
		out.WriteString(`,"report":`)
		out.Write(report)
	}
	out.Write(after)
	return true, nil
}
