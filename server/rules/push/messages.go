package push

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"svc/db"
	"svc/server/platform/hosts"
	"svc/server/platform/naming"
	"svc/server/platform/text"
	"svc/server/platform/webpush"
)

// shown is how many characters of a text a message shows.
const shown = 80

// message is the JSON that a device decrypts. Shape: Mastodon's, with svc.
type message struct {
	AccessToken      string     `json:"access_token"`
	PreferredLocale  string     `json:"preferred_locale"`
	NotificationID   int64      `json:"notification_id"`
	NotificationType string     `json:"notification_type" schema:"named"`
	Icon             string     `json:"icon,omitempty"`
	Title            string     `json:"title,omitempty"`
	Body             string     `json:"body"`
	Svc              messageSvc `json:"svc"`
}

type messageSvc struct {
	ActivityID           *string `json:"activity_id"`
	DirectConversationID *int64  `json:"direct_conversation_id"`
}

// message returns the text of a message. db.ErrNotFound says that the subject of
// the notification is gone, or may not be seen.
func (s *Service) message(ctx context.Context, viewer db.Viewer, n *db.Notification, token string) ([]byte, error) {
	from, err := s.db.Account(ctx, n.FromID)
	if err != nil {
		return nil, err
	}
	user, err := s.db.User(ctx, viewer.ID)
	if err != nil {
		return nil, err
	}
	m := message{
		AccessToken: token, PreferredLocale: "en", NotificationID: n.ID, NotificationType: n.Type,
		Icon: hosts.URI(s.urls.Public(s.settings.Load().Assets.Avatar(from.Avatar))),
	}
	said, direct := "", false
	if n.StatusID != "" {
		status, err := s.db.VisibleStatus(ctx, viewer, n.StatusID)
		if err != nil {
			return nil, err
		}
		m.Svc.ActivityID, said = &n.StatusID, contentOf(status)
		if direct = status.Visibility == db.Direct; direct {
			number, err := s.db.ParticipationOf(ctx, viewer.ID, status.ID)
			if err != nil {
				return nil, err
			}
			if number != 0 {
				m.Svc.DirectConversationID = &number
			}
		}
	}
	if n.MessageID != "" {
		entries, err := s.db.ChatEntriesOf(ctx, viewer.ID, []string{n.MessageID})
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			return nil, fmt.Errorf("chat message %s: %w", n.MessageID, db.ErrNotFound)
		}
		m.Svc.ActivityID, said = &n.MessageID, text.Plain(entries[0].Content)
	}
	if n.Type == db.NotifyAdminReport {
		rows, err := s.db.ReportsByID(ctx, []string{n.ReportID})
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return nil, fmt.Errorf("report %s: %w", n.ReportID, db.ErrNotFound)
		}
		reported, err := s.db.Account(ctx, rows[0].AccountID)
		if err != nil {
			return nil, err
		}
		said = "@" + reported.Nickname + ", " + rows[0].Category
	}
	if n.Type == db.NotifySignUp {
		said = from.DisplayName
	}
	m.Title, m.Body = title(n.Type, direct), body(n, "@"+from.Nickname, cut(oneLine(said), shown))
	if user.HideNotificationContents {
		m.Title, m.Body = "", m.Title
	}
	return m.fit(s.site.Words)
}

// contentOf returns the text of a status, or its content warning instead.
func contentOf(status *db.Status) string {
	if status.SpoilerText != "" {
		return status.SpoilerText
	}
	return text.Plain(status.Content)
}

// fit returns the JSON of a message, without its picture if it is too long.
func (m *message) fit(words naming.Words) ([]byte, error) {
	raw, err := json.Marshal(m)
	raw = words.JSON(raw, messageShape())
	if err == nil && len(raw) > webpush.MaxText {
		m.Icon = ""
		raw, err = json.Marshal(m)
		raw = words.JSON(raw, messageShape())
	}
	return raw, err
}

var messageShape = sync.OnceValue(func() *naming.Shape { return naming.ShapeOf(reflect.TypeFor[message]()) })

func title(kind string, direct bool) string {
	switch kind {
	case db.NotifyFollow:
		return "New Follower"
	case db.NotifyFollowRequest:
		return "New Follow Request"
	case db.NotifyReblog:
		return "New Repeat"
	case db.NotifyFavourite:
		return "New Favorite"
	case db.NotifyChat:
		return "New Chat Message"
	case db.NotifyReaction:
		return "New Reaction"
	case db.NotifyStatus:
		return "New Post"
	case db.NotifyUpdate:
		return "Edited Post"
	case db.NotifyPoll:
		return "Poll Ended"
	case db.NotifyAdminReport:
		return "New Report"
	case db.NotifySignUp:
		return "New Sign-up"
	}
	if direct {
		return "New Direct Message"
	}
	return "New Mention"
}

func body(n *db.Notification, who, said string) string {
	switch n.Type {
	case db.NotifyFollow:
		return who + " has followed you"
	case db.NotifyFollowRequest:
		return who + " has requested to follow you"
	case db.NotifyReblog:
		return who + " repeated: " + said
	case db.NotifyFavourite:
		return who + " has favorited your post"
	case db.NotifyReaction:
		return who + " reacted with " + n.Emoji
	}
	return who + ": " + said
}
