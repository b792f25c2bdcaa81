package action

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc/client"
	"svc/client/api"
)

func addresses(items []*item) []string {
	urls := make([]string, len(items))
	for i, it := range items {
		urls[i] = it.target.Name
	}
	return urls
}

// purgeMedia drops files from caches. It is sent each time, since the content
// of caches cannot be read.
func (e *Engine) purgeMedia(Kind) kindRules {
	return kindRules{
		read:   func(context.Context, *item) error { return nil },
		landed: unseen,
		many:   true,
		send: func(ctx context.Context, items []*item) error {
			for _, ban := range []bool{false, true} {
				some := slices.DeleteFunc(slices.Clone(items), func(it *item) bool { return (it.action.Args["ban"] == "true") != ban })
				if len(some) == 0 {
					continue
				}
				if err := e.client.Admin.Media.Purge(ctx, ban, addresses(some)...); err != nil {
					return err
				}
			}
			return nil
		},
		inverse: func(it *item) *Action {
			if it.action.Args["ban"] != "true" {
				return nil
			}
			return &Action{Kind: MediaUnban, Target: it.target.String()}
		},
	}
}

func (e *Engine) unbanMedia(Kind) kindRules {
	list := func(ctx context.Context) (map[string]bool, error) {
		banned := map[string]bool{}
		for address, err := range e.client.Admin.Media.Bans(api.MediaBanQuery{}).All(ctx) {
			if err != nil {
				return nil, err
			}
			banned[address] = true
			if original := Proxied(address); original != "" {
				banned[original] = true
			}
		}
		return banned, nil
	}
	bans := once(list)
	state := func(it *item, banned map[string]bool) string {
		if banned[it.target.Name] {
			return "banned"
		}
		return "free"
	}
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			banned, err := bans(ctx)
			it.now = map[string]string{"media": state(it, banned)}
			return err
		},
		wish: func(Action) map[string]string { return map[string]string{"media": "free"} },
		landed: func(ctx context.Context, it *item) (bool, error) {
			banned, err := list(ctx)
			return err == nil && state(it, banned) == "free", err
		},
		many: true,
		send: func(ctx context.Context, items []*item) error {
			return e.client.Admin.Media.Unban(ctx, addresses(items)...)
		},
		inverse: func(it *item) *Action {
			return &Action{Kind: MediaPurge, Target: it.target.String(), Args: map[string]string{"ban": "true"}}
		},
	}
}

// Proxied is the address behind one of the media proxy,
// BASE/proxy/SIGNATURE/ENCODED/name, or "" for any other.
func Proxied(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	parts := strings.Split(u.Path, "/")
	for i, part := range parts {
		if part != "proxy" || len(parts) < i+3 {
			continue
		}
		if parts[i+1] == "preview" {
			i++
		}
		if len(parts) < i+3 {
			return ""
		}
		original, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[i+2], "="))
		if err == nil && strings.HasPrefix(string(original), "http") {
			return string(original)
		}
	}
	return ""
}

// deleteChatMessage removes a message of a chat. The API shows no single one,
// so whether it is gone is known from the log.
func (e *Engine) deleteChatMessage(Kind) kindRules {
	message := func(it *item) string { return it.action.Args["message"] }
	path := func(it *item) string {
		return adminPath + "/chats/" + url.PathEscape(it.target.Name) + "/messages/" + url.PathEscape(message(it))
	}
	gone := func(ctx context.Context, it *item) bool {
		return e.lastLog(ctx, "chat message #"+message(it), func(entry api.LogEntry) bool {
			return entry.Data.Action == "chat_message_delete"
		}) != nil
	}
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			if !plainName(message(it)) {
				return &UsageError{Quote(message(it)) + " is no id of a message"}
			}
			it.now = map[string]string{"message": "there"}
			if gone(ctx, it) {
				it.now["message"] = "gone"
			}
			return nil
		},
		wish: func(Action) map[string]string { return map[string]string{"message": "gone"} },
		key:  func(it *item) string { return it.target.String() + " " + message(it) },
		send: func(ctx context.Context, items []*item) error {
			_, err := e.client.Admin.Chats.DeleteMessage(ctx, items[0].target.Name, message(items[0]))
			if client.Status(err) == http.StatusBadRequest {
				return notFound(path(items[0])) // how the API says that there is none
			}
			return err
		},
	}
}
