package view

import (
	"context"
	"time"

	"svc/client/api"
	"svc/db"
)

// keyShown is how long a message is shown to its author with their client's key.
const keyShown = 2 * time.Minute

// ChatMessages renders messages of the viewer's chats, in their order, in up to
// one statement.
func (v *View) ChatMessages(ctx context.Context, viewerID string, rows []db.ChatEntry) (api.List[api.ChatMessage], error) {
	return v.chatMessages(ctx, rows, func(m *db.ChatEntry) bool { return m.AccountID == viewerID })
}

// AnyChatMessages renders messages for admins, likewise.
func (v *View) AnyChatMessages(ctx context.Context, rows []db.ChatEntry) (api.List[api.ChatMessage], error) {
	return v.chatMessages(ctx, rows, func(*db.ChatEntry) bool { return true })
}

// RemovedMessage renders a message that was removed, with the files that it had;
// its key only where it is the viewer's own.
func (v *View) RemovedMessage(m *db.ChatEntry, files []db.MediaAttachment, own bool) api.ChatMessage {
	return v.renderMessages([]db.ChatEntry{*m}, files, func(*db.ChatEntry) bool { return own })[0]
}

// chatMessages renders messages; own selects the ones that show their key.
func (v *View) chatMessages(ctx context.Context, rows []db.ChatEntry, own func(*db.ChatEntry) bool) (api.List[api.ChatMessage], error) {
	var withMedia []string
	for i := range rows {
		if rows[i].HasMedia {
			withMedia = append(withMedia, rows[i].ID)
		}
	}
	files, err := v.db.Attachments(ctx, withMedia)
	if err != nil {
		return nil, err
	}
	return v.renderMessages(rows, files, own), nil
}

func (v *View) renderMessages(rows []db.ChatEntry, files []db.MediaAttachment, own func(*db.ChatEntry) bool) api.List[api.ChatMessage] {
	byMessage := make(map[string]*api.Attachment, len(files))
	for i := range files {
		shown := v.Attachment(&files[i])
		byMessage[*files[i].StatusID] = &shown
	}
	now := v.db.Now()
	out := make(api.List[api.ChatMessage], len(rows))
	for i := range rows {
		m := &rows[i]
		out[i] = api.ChatMessage{
			ID: m.ID, ChatID: m.ChatID, AccountID: m.AccountID, Content: &m.Content, CreatedAt: api.Time{Time: m.CreatedAt.Time},
			Emojis: v.emojis(m.Emojis), Attachment: byMessage[m.ID], Unread: m.Unread,
		}
		if own(m) && now.Sub(m.CreatedAt.Time) < keyShown {
			out[i].IdempotencyKey = m.IdempotencyKey
		}
	}
	return out
}

// Chats renders the viewer's chats, in their order, with the last message of
// each, in up to 3 statements.
func (v *View) Chats(ctx context.Context, viewerID string, rows []db.ChatRow) (api.List[api.Chat], error) {
	if err := v.db.WithLast(ctx, viewerID, rows); err != nil {
		return nil, err
	}
	var (
		last   []db.ChatEntry
		others []string
	)
	for i := range rows {
		others = append(others, rows[i].RecipientID)
		if rows[i].Last != nil {
			last = append(last, *rows[i].Last)
		}
	}
	messages, err := v.ChatMessages(ctx, viewerID, last)
	if err != nil {
		return nil, err
	}
	accounts, err := v.db.Accounts(ctx, others)
	if err != nil {
		return nil, err
	}
	shown, err := v.publicForms(ctx, accounts)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*api.Account, len(accounts))
	for i := range shown {
		byID[shown[i].ID] = &shown[i]
	}
	byChat := make(map[string]*api.ChatMessage, len(messages))
	for i := range messages {
		byChat[messages[i].ChatID] = &messages[i]
	}
	out := make(api.List[api.Chat], 0, len(rows))
	for i := range rows {
		if other := byID[rows[i].RecipientID]; other != nil {
			out = append(out, api.Chat{
				ID: rows[i].ID, Account: other, Unread: int(rows[i].Unread), LastMessage: byChat[rows[i].ID], UpdatedAt: api.Time{Time: rows[i].UpdatedAt.Time},
			})
		}
	}
	return out, nil
}
