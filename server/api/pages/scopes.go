package pages

import (
	"slices"
	"strings"
)

// scopeRow is one scope on the consent page.
type scopeRow struct {
	Name   string
	Words  string // the right in words; empty for an unknown scope
	Strong bool   // it reaches beyond the person's own account
	Ticked bool
}

// nouns has the objects of scopes, by their part after the verb.
var nouns = map[string]string{
	"accounts": "your profile and account information", "blocks": "whom you block", "bookmarks": "your bookmarks",
	"chats": "your chats", "conversations": "your conversations", "favourites": "your favourites",
	"filters": "your filters", "follows": "whom you follow", "lists": "your lists", "media": "your media files",
	"mutes": "whom you mute", "notifications": "your notifications",
	"security": "your security settings", "statuses": "posts",
}

// adminNouns are the same for the scopes of moderators.
var adminNouns = map[string]string{
	"accounts": "everybody's account", "chats": "everybody's chats", "follows": "whom people follow",
	"invites": "invitations", "media_proxy_caches": "cached files", "reports": "reports", "statuses": "everybody's posts",
}

// wordsOf describes the right that a scope gives an app.
func wordsOf(scope string) string {
	switch scope {
	case "read":
		return "See everything that you can see: timelines, notifications, your profile"
	case "write":
		return "Post and change things for you: posts, favourites, your profile, reports"
	case "follow":
		return "See and change whom you follow, block and mute"
	case "profile":
		return "See your name and picture"
	case "push":
		return "Receive your notifications"
	case "read:search":
		return "Search on your behalf"
	case "write:reports":
		return "Report other people"
	case "write:statuses":
		return "Publish and delete posts"
	case "admin":
		return "Everything that you may do as an admin"
	case "admin:read":
		return "See all that admins see: accounts, e-mail addresses, reports"
	case "admin:write":
		return "Act as an admin: on accounts, posts, reports and settings"
	}
	verb, noun, ok := strings.Cut(strings.TrimPrefix(scope, "admin:"), ":")
	words := nouns[noun]
	if strings.HasPrefix(scope, "admin:") {
		words = adminNouns[noun]
	}
	if !ok || words == "" {
		return ""
	}
	switch verb {
	case "read":
		return "See " + words
	case "write":
		return "Change " + words
	}
	return ""
}

// scopeRows lists the requested scopes, ticked if ticked has them.
func scopeRows(asked, ticked []string) []scopeRow {
	rows := make([]scopeRow, len(asked))
	for i, s := range asked {
		rows[i] = scopeRow{
			Name: s, Words: wordsOf(s), Strong: s == "admin" || strings.HasPrefix(s, "admin:"),
			Ticked: slices.Contains(ticked, s),
		}
	}
	return rows
}
