package chats

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
	"svc/server/rules/notify"
)

// NewMessage is a message about to be sent: a text, a file, or both.
type NewMessage struct {
	Text    string // as typed
	MediaID int64  // an upload of the author's that is not used yet; 0 for none
	// IdempotencyKey makes a repeated message return the first one. It must be
	// unique to the caller.
	IdempotencyKey string
	// ClientKey is an id that the author's client gave the message. The client
	// gets it back for a while, to recognise the message.
	ClientKey string
}

// Send sends a message in one of by's chats, and into the chat of a local
// recipient.
func (s *Service) Send(ctx context.Context, by *db.Account, chatID string, in NewMessage) (*db.ChatEntry, error) {
	return db.Once(ctx, s.db, "chat", in.IdempotencyKey, func(claim db.Claim[string]) (sent *db.ChatEntry, err error) {
		m, err := s.write(by, &in)
		if err != nil {
			return nil, err
		}
		err = s.db.Tx(ctx, func(tx *db.DB) error {
			chat, err := tx.Chat(ctx, by.ID, chatID)
			if err != nil {
				return err
			}
			m.ID = tx.NewID()
			if err := claim(ctx, tx, m.ID); err != nil {
				return err
			}
			sent, err = s.send(ctx, tx, by, chat, m, in.MediaID)
			return err
		})
		return sent, err
	}, func(id string) (*db.ChatEntry, error) { return s.db.ChatEntry(ctx, chatID, id) })
}

// write applies the rules of texts.
func (s *Service) write(by *db.Account, in *NewMessage) (*db.ChatMessage, error) {
	src, _ := text.Clean(in.Text)
	src = strings.TrimSpace(src)
	if src == "" && in.MediaID == 0 {
		return nil, fault.Malformed("no_content")
	}
	if limit := s.settings.Load().Instance.ChatLimit; len(src) > limit && text.Length(src) > limit {
		return nil, fault.Malformed("content_too_long")
	}
	return &db.ChatMessage{
		URI: s.base + "/objects/" + s.db.NewUUID(), AccountID: by.ID, Text: src, Emojis: s.emojis.In(src),
		HasMedia: in.MediaID != 0, IdempotencyKey: in.ClientKey, CreatedAt: s.db.Now(),
	}, nil
}

func (s *Service) send(ctx context.Context, tx *db.DB, by *db.Account, chat *db.Chat, m *db.ChatMessage, mediaID int64) (*db.ChatEntry, error) {
	to, err := tx.Account(ctx, chat.RecipientID)
	if err != nil {
		return nil, err
	}
	if err := mayWrite(ctx, tx, by, to); err != nil {
		return nil, err
	}
	drafted := *m // policies may change it, and a transaction may run again
	m = &drafted
	m.RecipientID = to.ID
	if m.Content, err = s.render(ctx, tx, m.Text); err != nil {
		return nil, err
	}
	var files []db.MediaAttachment
	if mediaID != 0 {
		files, err = tx.UnusedMedia(ctx, by.ID, []int64{mediaID})
		if errors.Is(err, db.ErrNotFound) {
			return nil, fault.Invalid("Could not find the media to attach")
		}
		if err != nil {
			return nil, err
		}
	}
	before := slices.Clone(files)
	if err := s.judge(by, to, m, files); err != nil {
		return nil, err
	}
	if m.HasMedia {
		if err := attach(ctx, tx, m, before, files); err != nil {
			return nil, err
		}
	}
	if err := s.sent(ctx, tx, by, to, m, chat); err != nil {
		return nil, err
	}
	return &db.ChatEntry{ChatMessage: *m, ChatID: chat.ID}, nil
}

// attach gives a message its files, with the descriptions that policies changed.
func attach(ctx context.Context, tx *db.DB, m *db.ChatMessage, before, files []db.MediaAttachment) error {
	for i := range files {
		if err := tx.AttachMedia(ctx, m.AccountID, m.ID, []int64{files[i].ID}); err != nil {
			return err
		}
		if files[i].Description != before[i].Description {
			if err := tx.DescribeAttachment(ctx, &files[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// sent stores a message of a local or remote author. It appears in the chats in
// into, none for a remote author, and in the chat of a local recipient.
func (s *Service) sent(ctx context.Context, tx *db.DB, by, to *db.Account, m *db.ChatMessage, into ...*db.Chat) error {
	if to.Local && to.ID != by.ID {
		theirs, err := tx.EnsureChat(ctx, to.ID, by.ID)
		if err != nil {
			return err
		}
		into = append(into, theirs)
	}
	// Two accounts that write to each other at once lock their chats in one
	// order.
	slices.SortFunc(into, func(a, b *db.Chat) int { return cmp.Compare(a.ID, b.ID) })
	if err := tx.CreateChatMessage(ctx, m, into...); err != nil {
		return err
	}
	if err := s.outbox.ChatSent(ctx, tx, by, to, m); err != nil {
		return err
	}
	return notify.Notify(ctx, tx, db.News{Type: db.NotifyChat, From: by, MessageID: m.ID, Text: m.Text}, to.ID)
}

// mayWrite refuses messages to an account that is deactivated or invisible,
// accepts no messages, or blocks by. A remote account may leave open whether it
// accepts messages. Software with chats always states it, so if the account's
// server has named its software, the account is refused. If the software is
// unknown, the message is sent.
func mayWrite(ctx context.Context, tx *db.DB, by, to *db.Account) error {
	refusal := fault.Forbidden("The recipient does not accept your chat messages")
	if to.Deactivated || to.Invisible || to.AcceptsChatMessages != nil && !*to.AcceptsChatMessages {
		return refusal
	}
	if !to.Local && to.AcceptsChatMessages == nil {
		server, err := tx.Instance(ctx, to.Domain)
		if err == nil && server.Software != "" {
			return refusal
		}
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
	}
	blocked, err := tx.Blocks(ctx, to.ID, by.ID)
	if err == nil && blocked {
		err = refusal
	}
	if err != nil {
		return err
	}
	if err = tx.KeepAccounts(ctx, by.ID, to.ID); errors.Is(err, db.ErrNotFound) {
		err = fault.Forbidden("rejected")
	}
	return err
}

// render makes HTML of plain text, in which known accounts are linked.
func (s *Service) render(ctx context.Context, tx *db.DB, src string) (string, error) {
	if src == "" {
		return "", nil
	}
	handles := text.Handles(src, text.TypePlain)
	for i, h := range handles {
		handles[i] = hosts.Nickname(h, s.host)
	}
	known, err := tx.AccountsByNickname(ctx, handles, "")
	if err != nil {
		return "", err
	}
	return text.Format(src, text.TypePlain, text.Options{BaseURL: s.base, Resolve: func(handle string) (text.Mention, bool) {
		name := db.NicknameKey(hosts.Nickname(handle, s.host))
		i := slices.IndexFunc(known, func(a db.Account) bool { return a.NickKey == name })
		if i < 0 {
			return text.Mention{}, false
		}
		return text.Mention{ID: known[i].ID, Acct: known[i].Nickname, URL: cmp.Or(known[i].URL, known[i].URI)}, true
	}}).HTML, nil
}

// ReadMessage marks one message of one of by's chats as read.
func (s *Service) ReadMessage(ctx context.Context, by *db.Account, chatID, messageID string) (*db.ChatEntry, error) {
	var entry *db.ChatEntry
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		chat, err := tx.Chat(ctx, by.ID, chatID)
		if err != nil {
			return err
		}
		if err := tx.ReadChatMessage(ctx, chat.ID, messageID); err != nil {
			return err
		}
		entry, err = tx.ChatEntry(ctx, chat.ID, messageID)
		return err
	})
	return entry, err
}

// Removed is a message as it stood in a chat, with its files.
type Removed struct {
	db.ChatEntry
	Files []db.MediaAttachment
}

// Delete removes a message from one of by's chats and returns it: an own one
// for both sides, another's from by's side only.
func (s *Service) Delete(ctx context.Context, by *db.Account, chatID, messageID string) (*Removed, error) {
	return s.take(ctx, chatID, messageID, func(tx *db.DB, entry *db.ChatEntry) error {
		if _, err := tx.Chat(ctx, by.ID, chatID); err != nil {
			return err
		}
		if entry.AccountID == by.ID {
			return s.remove(ctx, tx, by, &entry.ChatMessage)
		}
		return tx.RemoveChatEntry(ctx, entry)
	})
}

// Remove deletes any message of a chat for both sides and returns its former
// state. The caller checks the right of by, and logs.
func (s *Service) Remove(ctx context.Context, by *db.Account, chatID, messageID string) (*Removed, error) {
	return s.take(ctx, chatID, messageID, func(tx *db.DB, entry *db.ChatEntry) error {
		return s.remove(ctx, tx, by, &entry.ChatMessage)
	})
}

// take reads a message of a chat with its files, and then calls remove. A
// missing message is a refusal.
func (s *Service) take(ctx context.Context, chatID, messageID string, remove func(tx *db.DB, entry *db.ChatEntry) error) (*Removed, error) {
	var out *Removed
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		entry, err := tx.ChatEntry(ctx, chatID, messageID)
		if err == nil {
			out = &Removed{ChatEntry: *entry}
		}
		if err == nil && entry.HasMedia {
			out.Files, err = tx.Attachments(ctx, []string{entry.ID})
		}
		if err == nil {
			err = remove(tx, entry)
		}
		if errors.Is(err, db.ErrNotFound) {
			return fault.Malformed("could_not_delete")
		}
		return err
	})
	return out, err
}

// remove deletes a message for both sides and tells the other account's server.
func (s *Service) remove(ctx context.Context, tx *db.DB, by *db.Account, m *db.ChatMessage) error {
	if err := s.outbox.ChatDeleted(ctx, tx, by, m); err != nil {
		return err
	}
	return tx.DeleteChatMessage(ctx, m)
}
