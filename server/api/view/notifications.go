package view

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"svc/client/api"
	"svc/db"
	"svc/server/rules/auth"
)

// Notifications renders rows as an array, in their order. It takes 2
// statements, and more for notifications about reports or chats and for rows
// that are not cached. A notification is left out if its sender is gone, or if
// the viewer may no longer see its status or report. The caller may Release the
// page once it is sent.
func (v *View) Notifications(ctx context.Context, viewer *auth.Identity, rows []db.Notification) (json.RawMessage, error) {
	reading := v.readsReports(viewer)
	var about, reported, open []string
	for i := range rows {
		switch {
		case rows[i].Type == db.NotifyAdminReport:
			open = append(open, rows[i].ReportID)
		case rows[i].ReportID != "" && reading:
			reported = append(reported, rows[i].ReportID)
		}
		if rows[i].StatusID != "" && !slices.Contains(about, rows[i].StatusID) {
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
	openly, err := v.openReports(ctx, open)
	if err != nil {
		return nil, err
	}
	messages, err := v.messagesOf(ctx, viewer, rows)
	if err != nil {
		return nil, err
	}
	out := v.page(statuses.size + 2048*len(rows))
	out.WriteByte('[')
	for i := range rows {
		n := &rows[i]
		account, ref := accounts[n.FromID], byID[n.StatusID]
		about := told{report: reports[n.ReportID], target: accounts[n.TargetID], message: messages[n.MessageID]}
		if n.Type == db.NotifyAdminReport {
			about.report = openly[n.ReportID]
		}
		if account == nil || n.StatusID != "" && ref == nil || !about.whole(n, reading) {
			continue
		}
		mark := out.Len()
		if mark > 1 {
			out.WriteByte(',')
		}
		whole, err := writeNotification(out, n, account, statuses, ref, about)
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

// openReports renders reports without what only the admin API shows, by their ids.
func (v *View) openReports(ctx context.Context, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := v.db.ReportsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	shown, err := v.Reports(ctx, rows)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(shown))
	for i := range shown {
		raw, err := json.Marshal(shown[i])
		if err != nil {
			return nil, err
		}
		out[shown[i].ID] = plainHTML(raw)
	}
	return out, nil
}

// readsReports reports whether a viewer and their token may read the reports of
// notifications, which hold mail addresses.
func (v *View) readsReports(viewer *auth.Identity) bool {
	return v.Viewer(viewer).Reports && (!v.settings.Load().Auth.EnforceOAuthAdminScopeUsage || viewer.Can("admin:read:reports"))
}

// senders returns the accounts that the notifications come from, and those that
// some of them moved to, with their versions.
func (v *View) senders(ctx context.Context, rows []db.Notification) (map[string]int64, error) {
	versions := make(map[string]int64, len(rows))
	var unread []string
	for i := range rows {
		n := &rows[i]
		if n.FromVersion > 0 {
			versions[n.FromID] = n.FromVersion
		} else {
			unread = append(unread, n.FromID)
		}
		if rows[i].TargetID != "" {
			unread = append(unread, n.TargetID)
		}
	}
	read, err := v.db.AccountVersions(ctx, unread)
	if err != nil {
		return nil, err
	}
	maps.Copy(versions, read)
	return versions, nil
}

// told is the subject of a notification other than a status, as JSON.
type told struct{ report, target, message []byte }

// whole reports whether everything that n names was found, except for a report
// that may not be read.
func (t *told) whole(n *db.Notification, reading bool) bool {
	reading = reading || n.Type == db.NotifyAdminReport
	return (n.ReportID == "" || !reading || t.report != nil) && (n.TargetID == "" || t.target != nil) && (n.MessageID == "" || t.message != nil)
}

// messagesOf returns the chat messages of the notifications, as they are in the
// viewer's chats.
func (v *View) messagesOf(ctx context.Context, viewer *auth.Identity, rows []db.Notification) (map[string][]byte, error) {
	var ids []string
	for i := range rows {
		if rows[i].MessageID != "" {
			ids = append(ids, rows[i].MessageID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	me := auth.AccountOf(viewer).ID
	entries, err := v.db.ChatEntriesOf(ctx, me, ids)
	if err != nil {
		return nil, err
	}
	shown, err := v.ChatMessages(ctx, me, entries)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(shown))
	for i := range shown {
		raw, err := json.Marshal(shown[i])
		if err != nil {
			return nil, err
		}
		out[shown[i].ID] = plainHTML(raw)
	}
	return out, nil
}

// writeNotification writes a notification, and reports whether all its parts
// were found.
func writeNotification(out *bytes.Buffer, n *db.Notification, account []byte, statuses *prepared, ref *db.StatusRef, about told) (bool, error) {
	created, err := api.Time{Time: n.CreatedAt.Time}.MarshalJSON()
	if err != nil {
		return false, err
	}
	out.WriteString(`{"id":"`)
	out.Write(strconv.AppendInt(out.AvailableBuffer(), n.ID, 10))
	out.WriteString(`","type":"`)
	out.WriteString(n.Type) // a constant without quotes
	out.WriteString(`","created_at":`)
	out.Write(created)
	out.WriteString(`,"account":`)
	out.Write(account)
	out.WriteString(`,"status":`)
	if ref == nil {
		out.WriteString("null")
	} else if !statuses.write(out, ref) {
		return false, nil
	}
	for _, more := range []struct {
		name string
		json []byte
	}{{`,"target":`, about.target}, {`,"chat_message":`, about.message}, {`,"report":`, about.report}} {
		if more.json != nil {
			out.WriteString(more.name)
			out.Write(more.json)
		}
	}
	if n.Emoji != "" {
		emoji, err := json.Marshal(n.Emoji)
		if err != nil {
			return false, err
		}
		out.WriteString(`,"emoji":`)
		out.Write(emoji)
	}
	writeBool(out, `,"svc":{"is_seen":`, n.Seen)
	writeBool(out, `,"is_muted":`, n.Hidden)
	out.WriteString("}}")
	return true, nil
}
