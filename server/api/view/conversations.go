package view

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"svc/client/api"
	"svc/db"
	"svc/server/rules/auth"
)

// isDirect stands in a rendered direct status. In a JSON string quotes are
// escaped, so it cannot stand inside one.
const isDirect = `"visibility":"direct"`

// FullStatus renders the status with this id, or returns ErrNotFound if the
// viewer may not see it. A direct status has the number of the viewer's
// conversation (1 statement more).
func (v *View) FullStatus(ctx context.Context, viewer db.Viewer, id string) (json.RawMessage, error) {
	refs, err := v.db.StatusRefs(ctx, viewer, []string{id})
	if err != nil {
		return nil, err
	}
	all, err := v.byID(ctx, refs)
	if err != nil {
		return nil, err
	}
	raw := all[id]
	if raw == nil {
		return nil, fmt.Errorf("status %s: %w", id, db.ErrNotFound)
	}
	if viewer.ID == "" || !bytes.Contains(raw, []byte(isDirect)) {
		return raw, nil
	}
	number, err := v.db.ParticipationOf(ctx, viewer.ID, id)
	if err != nil || number == 0 {
		return raw, err
	}
	refs[0].DirectConversationID = number
	if all, err = v.byID(ctx, refs); err != nil || all[id] == nil {
		return raw, err
	}
	return all[id], nil
}

// Conversation renders one of the viewer's conversations.
func (v *View) Conversation(ctx context.Context, viewer *auth.Identity, row *db.Participation) (json.RawMessage, error) {
	raw, err := v.Conversations(ctx, viewer, []db.Participation{*row})
	if err != nil {
		return nil, err
	}
	return raw[1 : len(raw)-1], nil
}

// conversationHole is where a conversation's accounts and newest status go,
// recipientsHole where its recipients do.
const (
	conversationHole = `"accounts":[],"last_status":null`
	recipientsHole   = `"recipients":[]`
)

// Conversations renders the viewer's rows as an array, in their order (3
// statements, more for accounts and statuses that are not cached).
func (v *View) Conversations(ctx context.Context, viewer *auth.Identity, rows []db.Participation) (json.RawMessage, error) {
	ids, shown := make([]int64, len(rows)), make([]string, 0, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
		if rows[i].ShownID != "" {
			shown = append(shown, rows[i].ShownID)
		}
	}
	participants, err := v.db.Participants(ctx, ids)
	if err != nil {
		return nil, err
	}
	accounts, err := v.people(ctx, rows, participants)
	if err != nil {
		return nil, err
	}
	refs, err := v.db.StatusRefs(ctx, v.Viewer(viewer), shown)
	if err != nil {
		return nil, err
	}
	for i := range refs {
		for _, row := range rows {
			if row.ShownID == refs[i].ID {
				refs[i].DirectConversationID = row.ID
			}
		}
	}
	statuses, err := v.byID(ctx, refs)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('[')
	for i := range rows {
		if i > 0 {
			out.WriteByte(',')
		}
		row := &rows[i]
		others := slices.DeleteFunc(slices.Clone(participants[row.ID]), func(id string) bool { return id == row.AccountID })
		if len(others) == 0 {
			others = []string{row.AccountID}
		}
		empty, err := json.Marshal(api.Conversation{ID: itoa(row.ID), Unread: row.Unread})
		if err != nil {
			return nil, err
		}
		before, rest, ok := strings.Cut(string(empty), conversationHole)
		middle, after, ok2 := strings.Cut(rest, recipientsHole)
		if !ok || !ok2 {
			return nil, errShape
		}
		out.WriteString(before + `"accounts":`)
		writeAccounts(&out, others, accounts)
		out.WriteString(`,"last_status":`)
		if s := statuses[row.ShownID]; s != nil {
			out.Write(s)
		} else {
			out.WriteString("null")
		}
		out.WriteString(middle + `"recipients":`)
		writeAccounts(&out, row.RecipientIDs(), accounts)
		out.WriteString(after)
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

// people collects the public forms of all owners, recipients and participants
// of rows.
func (v *View) people(ctx context.Context, rows []db.Participation, participants map[int64][]string) (map[string][]byte, error) {
	var ids []string
	for i := range rows {
		ids = append(append(append(ids, rows[i].AccountID), rows[i].RecipientIDs()...), participants[rows[i].ID]...)
	}
	slices.Sort(ids)
	versions, err := v.db.AccountVersions(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	return v.accountsOf(ctx, versions)
}

func writeAccounts(out *bytes.Buffer, ids []string, accounts map[string][]byte) {
	out.WriteByte('[')
	first := true
	for _, id := range ids {
		if accounts[id] == nil {
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		out.Write(accounts[id])
	}
	out.WriteByte(']')
}
