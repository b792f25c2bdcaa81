package server_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// strangersWorld has values for the parameters and queries of routes: all names
// of Ann, Far and their statuses.
type strangersWorld struct {
	*visibilityWorld
	ann, far         *db.Account
	here, there      *db.Status
	boosts           []string
	accounts, others []string // values of parameters
}

const (
	nameHere, nameThere = "annsesamename", "farsesamename"
	postHere, postThere = "postedhere", "postedaway"
)

func newStrangersWorld(t *testing.T, s *servertest.Server) *strangersWorld {
	t.Helper()
	ctx := t.Context()
	w := &strangersWorld{visibilityWorld: &visibilityWorld{t: t, s: s}, ann: s.User("ann"), far: remote(t, s, "far@far.example")}
	for name, a := range map[string]*db.Account{nameHere: w.ann, nameThere: w.far} {
		a.DisplayName, a.HideFavourites = name, false
		if err := s.DB.UpdateAccount(ctx, a, "display_name", "hide_favourites"); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []db.Follow{{FollowerID: w.ann.ID, TargetID: w.far.ID, Local: true}, {FollowerID: w.far.ID, TargetID: w.ann.ID}} {
		f.URI = "https://far.example/follows/" + f.FollowerID
		if err := s.DB.CreateFollow(ctx, &f); err != nil {
			t.Fatal(err)
		}
	}
	w.here, w.there = postBy(t, s, w.ann, postHere+" #needle", db.Public), postBy(t, s, w.far, postThere+" #needle", db.Public)
	for by, status := range map[*db.Account]*db.Status{w.ann: w.there, w.far: w.here} {
		w.boosts = append(w.boosts, must(s.Social.Reblog(ctx, by, status.ID, ""))(t).ID)
		must(s.Social.Favourite(ctx, by, status.ID))(t)
		must(s.Social.React(ctx, by, status.ID, "☕"))(t)
	}
	must(s.Social.Scrobble(ctx, w.ann, db.Scrobble{Title: postHere, Visibility: db.Public}, ""))(t)
	w.accounts = []string{w.ann.ID, w.far.ID, "ann", "far@far.example", "ann.atom"}
	w.others = []string{w.here.ID, w.there.ID, w.boosts[0], w.boosts[1], "needle", "needle.atom", "2.0", "2.1"}
	return w
}

// queries returns the queries with which a path finds an object, with all its
// names.
func (w *strangersWorld) queries(path string) []string {
	out := []string{"limit=40"}
	add := func(values url.Values) { out = append(out, values.Encode()) }
	for _, name := range []string{"ann", "far", "far@far.example", nameHere, postHere, postThere, w.ann.URI, w.far.URI, w.far.URL, *w.here.URI, *w.there.URI, w.s.Base() + "/notice/" + w.there.ID, w.here.URL, w.there.URL} {
		switch {
		case strings.HasSuffix(path, "/search"):
			add(url.Values{"q": {name}, "limit": {"40"}, "type": {"accounts"}})
			add(url.Values{"q": {name}, "limit": {"40"}, "type": {"statuses"}})
		case strings.HasSuffix(path, "/oembed"):
			add(url.Values{"url": {name}})
		case strings.HasSuffix(path, "/ostatus_subscribe") && len(told(name)) == 0: // it repeats the request
			add(url.Values{"acct": {name}})
		}
	}
	switch path {
	case "/api/v1/statuses":
		add(url.Values{"ids[]": {w.here.ID, w.there.ID, w.boosts[0], w.boosts[1]}})
	case "/api/v1/timelines/public":
		out = append(out, "local=true", "remote=true", "instance=far.example")
	}
	return out
}

// open returns the paths of every public route, with all values of their
// parameters.
func (w *strangersWorld) open() []string {
	var out []string
	for _, r := range w.s.Routes() {
		if r.Method != http.MethodGet || !slices.Contains([]server.Access{server.Public, server.Optional, server.Page}, r.Access) {
			continue
		}
		paths := []string{""}
		for i, part := range strings.Split(r.Path, "/")[1:] {
			var next []string
			values := []string{part}
			if strings.HasPrefix(part, ":") || strings.HasPrefix(part, "*") {
				values = append(slices.Clone(w.accounts), w.others...)
				if uri := *w.here.URI; part == ":uuid" {
					values = []string{uri[strings.LastIndexByte(uri, '/')+1:]}
				}
				if i > 0 && part == ":emoji" {
					values = []string{"%E2%98%95"}
				}
			}
			for _, path := range paths {
				for _, value := range values {
					next = append(next, path+"/"+strings.ReplaceAll(value, "@", "%40"))
				}
			}
			paths = next
		}
		if len(paths) > len(w.accounts)+len(w.others) {
			paths = paths[:1] // files of proxies and tokens of mails name nothing of this
		}
		out = append(out, paths...)
	}
	return out
}

// told lists the names and statuses that an answer shows.
func told(body string) []string {
	return slices.DeleteFunc([]string{nameHere, nameThere, postHere, postThere}, func(word string) bool { return !strings.Contains(body, word) })
}

// TestStrangersFindNothingThatIsKeptFromThem requests every public route for
// all objects that an instance may hide from strangers, by all their names.
func TestStrangersFindNothingThatIsKeptFromThem(t *testing.T) {
	dbtest.Alone(t)
	restrict := func(fields ...func(*config.Restrict) *config.Restriction) func(*config.Settings) {
		return func(s *config.Settings) {
			s.Instance.LimitToLocalContent = config.LimitNobody
			for _, f := range fields {
				*f(&s.Restrict) = config.Restricted
			}
		}
	}
	var (
		localProfiles    = func(r *config.Restrict) *config.Restriction { return &r.ProfilesLocal }
		remoteProfiles   = func(r *config.Restrict) *config.Restriction { return &r.ProfilesRemote }
		localActivities  = func(r *config.Restrict) *config.Restriction { return &r.ActivitiesLocal }
		remoteActivities = func(r *config.Restrict) *config.Restriction { return &r.ActivitiesRemote }
	)
	for name, tt := range map[string]struct {
		edit func(*config.Settings)
		// Words that are shown nowhere, in no list of accounts, and by no search.
		nowhere, listed, unfound []string
		open                     int // paths that show anything, at least
	}{
		"open":                {restrict(), nil, nil, nil, 20},
		"private":             {func(s *config.Settings) { s.Instance.Public = false }, []string{nameHere, nameThere, postHere, postThere}, nil, nil, 0},
		"local profiles":      {restrict(localProfiles), nil, []string{nameHere}, nil, 10},
		"remote profiles":     {restrict(remoteProfiles), nil, []string{nameThere}, nil, 10},
		"local posts":         {restrict(localActivities), []string{postHere}, nil, nil, 10},
		"remote posts":        {restrict(remoteActivities), []string{postThere}, nil, nil, 10},
		"searches stay local": {func(*config.Settings) {}, nil, nil, []string{nameThere, postThere}, 20},
	} {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				w := newStrangersWorld(t, s)
				showing := map[string]bool{}
				for _, path := range w.open() {
					for _, query := range w.queries(path) {
						status, body := w.ask("", http.MethodGet, path+"?"+query, "")
						if status == http.StatusInternalServerError {
							t.Errorf("%s?%s: %d", path, query, status)
						}
						words := told(body)
						if strings.HasSuffix(path, "/scrobbles") {
							words = slices.DeleteFunc(words, func(word string) bool { return word == postHere && tt.nowhere != nil && len(tt.nowhere) == 1 }) // no post
						}
						showing[path] = showing[path] || len(words) > 0
						for _, word := range words {
							if slices.Contains(tt.nowhere, word) || slices.Contains(tt.listed, word) && listsAccounts(path, query, word) ||
								slices.Contains(tt.unfound, word) && strings.HasSuffix(path, "/search") {
								t.Errorf("%s?%s tells a stranger of %s: %d %.300s", path, query, word, status, body)
							}
						}
					}
				}
				shown := 0
				for _, any := range showing {
					if any {
						shown++
					}
				}
				if shown < tt.open {
					t.Errorf("only %d paths show anything", shown)
				}
			}, tt.edit)
		})
	}
}

// listsAccounts reports whether a path shows accounts by themselves. A post
// always shows its author.
func listsAccounts(path, query, word string) bool {
	if strings.HasSuffix(path, "/statuses") || strings.HasSuffix(path, "/favourites") {
		return false
	}
	if path == "/api/v1/search" || path == "/api/v2/search" {
		return strings.Contains(query, "type=accounts")
	}
	return strings.HasPrefix(path, "/api/v1/accounts") || strings.Contains(path, "/reactions") || strings.HasSuffix(path, "_by") ||
		path == "/api/v1/instance" || path == "/about" || strings.HasPrefix(path, "/users/") && word == nameHere || strings.HasPrefix(path, "/nodeinfo")
}

// A nickname names a profile and its statuses alone: deeper paths take ids.
func TestWhatLiesBelowAProfileTakesIDs(t *testing.T) {
	s := servertest.Start(t)
	ann := s.User("ann")
	say(t, s.Client("ann"), "hello")
	must(s.Client("ann").Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{HideFavorites: given(api.Bool(false))}))(t)
	w := &visibilityWorld{t: t, s: s}
	for _, path := range only("/api/v1/accounts/%/followers", "/api/v1/accounts/%/following", "/api/v1/svc/accounts/%/favourites", "/api/v1/svc/accounts/%/scrobbles") {
		if status, body := w.ask("ann", http.MethodGet, strings.ReplaceAll(path, "%", ann.ID), ""); status != http.StatusOK {
			t.Errorf("%s by id: %d %s", path, status, body)
		}
		refusal := "Record not found" // of every name where the client API wants an id
		if strings.Contains(path, "/svc/") {
			refusal = "Can't find user"
		}
		if status, body := w.ask("ann", http.MethodGet, strings.ReplaceAll(path, "%", "ann"), ""); status != http.StatusNotFound || !strings.Contains(body, refusal) {
			t.Errorf("%s by nickname: %d %s", path, status, body)
		}
	}
	for _, path := range only("/api/v1/accounts/ann", "/api/v1/accounts/ann/statuses") {
		if status, body := w.ask("", http.MethodGet, path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}
