package streaming

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
	"svc/server/rules/auth"
)

// kind is the kind of a stream, which decides the query for its readers.
type kind int

const (
	home kind = iota
	notifications
	chats
	direct
	public
	hashtag
	list
	moderation
	room
	kinds
)

// stream is one that a reader listens to.
type stream struct {
	kind                 kind
	name                 string // as clients say it
	parameter            string // a hashtag, a list, or a server
	local, remote, media bool
	list                 int64
}

// names returns a stream as it stands in messages: its name, and its parameter
// where it has one.
func (s stream) names() []string {
	if s.parameter == "" {
		return []string{s.name}
	}
	return []string{s.name, s.parameter}
}

// key is the key of a stream in the index: an account, a hashtag, a list, or ""
// for public streams.
func (s stream) key(id *auth.Identity) string {
	switch s.kind {
	case home, notifications, chats, direct:
		return id.Account.ID
	case hashtag, list:
		return s.parameter
	default:
		return ""
	}
}

// shows reports whether a public status belongs on a public stream or that of a
// hashtag.
func (s stream) shows(about *about) bool {
	return (!s.local || about.local) && (!s.remote || !about.local) && (!s.media || about.media) &&
		(s.kind != public || s.parameter == "" || s.parameter == about.host) &&
		(s.kind != hashtag || slices.Contains(about.tags, s.parameter))
}

// asked is the request of a stream.
type asked struct {
	Name     string // "" for the one of the path
	Tag      string
	List     string
	Instance string
}

// The scopes of the lists that streams tell.
const (
	readStatuses      = "read:statuses"
	readNotifications = "read:notifications"
	readChats         = "read:chats"
)

// scopes are the required scopes of a token; streams without an entry need
// none. A home stream tells notifications and chats to those tokens that may read them.
var scopes = map[kind]string{
	home: readStatuses, notifications: readNotifications, chats: readChats, direct: readStatuses, list: "read:lists",
}

var (
	errUnknown = fault.NotFound("Unknown channel requested")
	errMissing = fault.Unauthenticated("Missing access token")
	errInvalid = fault.Unauthenticated("Invalid access token")
	errScopes  = fault.Unauthenticated("Access token does not have the required scopes")
)

// stream returns the requested stream, if id, nil for a stranger, may read it:
// otherwise one of the errors above.
func (a *API) stream(ctx context.Context, id *auth.Identity, q asked) (stream, error) {
	s, ok := named(q)
	if !ok {
		return stream{}, errUnknown
	}
	if err := a.admits(id, s); err != nil {
		return stream{}, err
	}
	if s.kind == list {
		_, err := a.DB.ListByID(ctx, id.Account.ID, s.list)
		if errors.Is(err, db.ErrNotFound) {
			return stream{}, errUnknown
		}
		if err != nil {
			return stream{}, err
		}
	}
	return s, nil
}

// admits checks that a caller may read a stream now, but for whether a list is theirs. It
// asks no database: it is asked again while the stream is open.
func (a *API) admits(id *auth.Identity, s stream) error {
	scope := scopes[s.kind]
	switch s.kind {
	case moderation:
		return a.moderates(id)
	case room:
		return nil // its token says so
	case public, hashtag:
		settings := a.Settings.Load()
		restriction := settings.Restrict.TimelinesFederated
		if s.local {
			restriction = settings.Restrict.TimelinesLocal
		}
		if !settings.Restricts(restriction) {
			return nil
		}
		scope = readStatuses
	}
	switch {
	case id == nil:
		return errMissing
	case id.Account == nil || !id.Can(scope):
		return errScopes
	}
	return nil
}

// viewer returns the reader as the caller who looks at statuses. On public streams, a
// token that may not read statuses counts as none.
func (s subscription) viewer() *auth.Identity {
	id := s.identity()
	if (s.stream.kind == public || s.stream.kind == hashtag) && !id.Can(readStatuses) {
		return nil
	}
	return id
}

// named reads a stream's name, and the parameters that it needs.
func named(q asked) (s stream, ok bool) {
	s.name = q.Name
	parts := strings.Split(q.Name, ":")
	switch parts[0] {
	case "user":
		s.kind, ok = map[string]kind{"user": home, "user:notification": notifications, "user:svc_chat": chats}[q.Name]
		return s, ok
	case "svc":
		s.kind = moderation
		return s, q.Name == "svc:moderation"
	case "direct":
		s.kind = direct
		return s, len(parts) == 1
	case "list":
		var err error
		s.kind, s.parameter = list, q.List
		s.list, err = strconv.ParseInt(q.List, 10, 64)
		return s, len(parts) == 1 && err == nil && strconv.FormatInt(s.list, 10) == q.List
	case "public":
		s.kind = public
	case "hashtag":
		s.kind, s.parameter = hashtag, text.Tag(q.Tag)
		if s.parameter == "" {
			return s, false
		}
	default:
		return s, false
	}
	switch strings.Join(parts[1:], ":") {
	case "":
	case "local":
		s.local = true
	case "media":
		s.media = true
	case "local:media":
		s.local, s.media = true, true
	case "remote":
		s.remote = true
	case "remote:media":
		s.remote, s.media = true, true
	default:
		return s, false
	}
	if s.kind == hashtag {
		return s, !s.remote && !s.media
	}
	if s.remote && q.Instance != "" {
		s.parameter = hosts.Clean(q.Instance)
	}
	return s, true
}
