package naming

import (
	"net/http"
	"strings"
)

// Header is the header of a request by which a client asks for the words of svc whatever the
// server's name: Svc-Name: svc. The tools send it.
const Header = "Svc-Name"

// Path returns the path inside for the path of a request, and whether it was asked for in the
// words of svc.
func (w Words) Path(path string) (inside string, ofSvc bool) {
	if w.Own() {
		return path, true
	}
	parts := strings.Split(path, "/")
	at := w.place(parts)
	if at == 0 {
		return unsuffixed(path), false
	}
	if ofSvc = strings.HasPrefix(parts[at], own); ofSvc {
		return path, true
	}
	parts[at] = w.In(parts[at])
	// The family has some paths at two places.
	if at == 3 && len(parts) > 4 {
		switch next := parts[4]; {
		case parts[2] == "v1" && (next == "admin" || next == "emoji"):
			parts = append([]string{"", "api"}, parts[3:]...)
		case parts[2] == "v2" && next == "chats" && len(parts) == 5:
			parts[2] = "v1"
		}
	}
	return unsuffixed(strings.Join(parts, "/")), false
}

// place returns the index of the part of a path that has the name, 0 for none:
// /api/NAME/…, /api/v1/NAME/…, /api/v1/streaming/NAME/…, /api/v1/streaming/user/NAME_chat and
// /NAME/admin.
func (w Words) place(parts []string) int {
	named := func(i int) bool { return i < len(parts) && (parts[i] == w.name || parts[i] == own) }
	switch {
	case len(parts) > 2 && named(1) && parts[2] == "admin":
		return 1
	case len(parts) < 3 || parts[1] != "api":
		return 0
	case named(2):
		return 2
	case (parts[2] == "v1" || parts[2] == "v2") && named(3):
		return 3
	case len(parts) > 4 && parts[2] == "v1" && parts[3] == "streaming":
		if named(4) {
			return 4
		}
		if len(parts) == 6 && parts[4] == "user" && (parts[5] == w.name+"_chat" || parts[5] == own+"_chat") {
			return 5
		}
	}
	return 0
}

// unsuffixed returns a path without the ending that clients of the family give some.
func unsuffixed(path string) string {
	rest, ok := strings.CutSuffix(path, ".json")
	if ok && (strings.HasPrefix(path, "/nodeinfo/") || strings.HasPrefix(path, "/api/"+own+"/emoji") || path == "/api/oauth_tokens.json") {
		return rest
	}
	return path
}

// Link returns a path of ours as it goes out: in a mail, a form, or the header Link.
func (w Words) Link(path string) string {
	if w.Own() {
		return path
	}
	parts := strings.SplitN(path, "/", 5)
	for i, part := range parts {
		if part == own && i > 0 && (i == 1 || i < 4 && parts[1] == "api") {
			parts[i] = w.name
			break
		}
	}
	return strings.Join(parts, "/")
}

// Paths takes requests in the words of a name, and calls plain with a request that is asked
// for, or whose header wants to be answered, in those of svc.
func (w Words) Paths(next http.Handler, plain func(*http.Request) *http.Request) http.Handler {
	if w.Own() {
		return next
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		path, ofSvc := w.Path(r.URL.Path)
		if path != r.URL.Path {
			u := *r.URL
			if u.RawPath != "" {
				u.RawPath, _ = w.Path(u.RawPath)
			}
			u.Path = path
			to := *r
			to.URL = &u
			r = &to
		}
		if ofSvc || r.Header.Get(Header) == own {
			r = plain(r)
		}
		next.ServeHTTP(rw, r)
	})
}
