package view

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"svc/client/api"
	"svc/db"
)

// AdminChats renders the chats of one account as an array of api.AdminChat, in
// their order, with the last message of each, in up to 4 statements.
func (v *View) AdminChats(ctx context.Context, accountID string, rows []db.ChatRow) (json.RawMessage, error) {
	var out bytes.Buffer
	out.WriteByte('[')
	for chunk := range slices.Chunk(rows, atOnce) {
		all, err := v.adminChats(ctx, accountID, chunk)
		if err != nil {
			return nil, err
		}
		for _, raw := range all {
			if out.Len() > 1 {
				out.WriteByte(',')
			}
			out.Write(raw)
		}
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

// AdminChat renders one chat.
func (v *View) AdminChat(ctx context.Context, chat *db.Chat) (json.RawMessage, error) {
	all, err := v.adminChats(ctx, chat.AccountID, []db.ChatRow{{Chat: *chat}})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

func (v *View) adminChats(ctx context.Context, accountID string, rows []db.ChatRow) ([]json.RawMessage, error) {
	if err := v.db.WithLast(ctx, accountID, rows); err != nil {
		return nil, err
	}
	var last []db.ChatEntry
	who := map[string]bool{accountID: true}
	for i := range rows {
		who[rows[i].RecipientID] = true
		if rows[i].Last != nil {
			last = append(last, *rows[i].Last)
		}
	}
	messages, err := v.AnyChatMessages(ctx, last)
	if err != nil {
		return nil, err
	}
	byChat := make(map[string]*api.ChatMessage, len(messages))
	for i := range messages {
		byChat[messages[i].ChatID] = &messages[i]
	}
	versions, err := v.db.AccountVersions(ctx, keys(who))
	if err != nil {
		return nil, err
	}
	accounts, err := v.accountsOf(ctx, versions)
	if err != nil {
		return nil, err
	}
	out := make([]json.RawMessage, len(rows))
	for i := range rows {
		w := &objectWriter{}
		w.value(`{"id":`, rows[i].ID)
		w.raw(`,"sender":`, people(accounts).of(rows[i].AccountID))
		w.raw(`,"receiver":`, people(accounts).of(rows[i].RecipientID))
		w.value(`,"unread":`, rows[i].Unread)
		w.value(`,"last_message":`, byChat[rows[i].ID])
		w.value(`,"updated_at":`, api.Time{Time: rows[i].UpdatedAt.Time})
		w.out.WriteByte('}')
		if w.err != nil {
			return nil, w.err
		}
		out[i] = w.out.Bytes()
	}
	return out, nil
}
