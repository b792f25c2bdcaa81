package activitypub

import (
	"path"
	"strings"

	"svc/db"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// Actor is the document of a local account; base is the public base URL,
// without a trailing slash. The account must have a key. Shape: ActivityPub
// 4.1.
func Actor(a *db.Account, base string) Object {
	out := ActorStub(a)
	out["name"], out["summary"], out["webfinger"] = a.DisplayName, a.NoteHTML, a.Nickname+"@"+host(base)
	out["url"], out["published"] = or(a.URL, a.URI), Stamp(a.CreatedAt)
	out["endpoints"] = Object{"sharedInbox": or(a.SharedInbox, base+"/inbox")}
	out["manuallyApprovesFollowers"], out["discoverable"], out["indexable"] = a.Locked, a.Discoverable, !a.Unindexed
	out["attachment"], out["tag"], out["alsoKnownAs"] = properties(a.FieldsHTML), append(emojis(a.Emojis), bioTags(a.Note, base)...), list(a.AlsoKnownAs)
	for key, uri := range map[string]string{
		"followers": a.FollowersURI, "following": a.FollowingURI, "featured": a.FeaturedURI, "movedTo": a.MovedTo,
	} {
		if uri != "" {
			out[key] = uri
		}
	}
	for key, address := range map[string]string{"icon": a.Avatar, "image": a.Header} {
		if address != "" {
			out[key] = picture(absolute(address, base))
		}
	}
	if a.AcceptsChatMessages != nil {
		out["capabilities"] = Object{"acceptsChatMessages": *a.AcceptsChatMessages}
	}
	if a.Invisible {
		out["invisible"] = true
	}
	return out
}

// ActorStub is the part of an actor that others need to verify its signatures.
func ActorStub(a *db.Account) Object {
	out := Object{"id": a.URI, "type": a.ActorType, "preferredUsername": a.Nickname, "inbox": a.Inbox, "outbox": a.Outbox}
	if a.PublicKey != "" {
		out["publicKey"] = Object{"id": a.KeyID, "owner": a.URI, "publicKeyPem": a.PublicKey}
	}
	return document(out)
}

func properties(fields []db.Field) []Object {
	out := make([]Object, len(fields))
	for i, f := range fields {
		out[i] = Object{"type": "PropertyValue", "name": f.Name, "value": f.Value}
	}
	return out
}

// bioTags returns the hashtags of a profile's source text.
func bioTags(note, base string) []Object {
	if !strings.Contains(note, "#") {
		return nil
	}
	return hashtags(text.Format(note, text.TypePlain, text.Options{}).Hashtags, base)
}

func hashtags(names []string, base string) []Object {
	out := make([]Object, len(names))
	for i, name := range names {
		out[i] = Object{"type": "Hashtag", "href": base + "/tags/" + hosts.URI(name), "name": "#" + name}
	}
	return out
}

// emojis returns the custom emoji of a text. The address of a picture is its
// id; a changed picture has another address, so that the time never changes.
func emojis(all []db.Emoji) []Object {
	out := make([]Object, len(all))
	for i, e := range all {
		out[i] = Emoji(e)
	}
	return out
}

// Emoji is the document of a custom emoji.
func Emoji(e db.Emoji) Object {
	return Object{
		"id": hosts.URI(e.URL), "type": "Emoji", "name": ":" + strings.Trim(e.Shortcode, ":") + ":",
		"icon": picture(e.URL), "updated": "1970-01-01T00:00:00Z",
	}
}

func picture(address string) Object {
	address = hosts.URI(address)
	out := Object{"type": "Image", "url": address}
	name, _, _ := strings.Cut(address, "?")
	if kind := pictureTypes[strings.ToLower(path.Ext(name))]; kind != "" {
		out["mediaType"] = kind
	}
	return out
}

var pictureTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif",
	".svg": "image/svg+xml", ".heic": "image/heic", ".bmp": "image/bmp", ".ico": "image/x-icon", ".apng": "image/apng", ".jxl": "image/jxl",
}

// absolute returns the full address of a file, since local files have only a
// path.
func absolute(address, base string) string {
	if strings.HasPrefix(address, "/") {
		address = base + address
	}
	return hosts.URI(address)
}

func host(base string) string {
	_, host, _ := strings.Cut(base, "://")
	return host
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
