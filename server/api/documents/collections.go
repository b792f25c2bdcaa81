package documents

import (
	"context"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/federation/activitypub"
	"svc/server/platform/fault"
)

// The size of a page, and of a collection without pages.
const (
	outboxPage   = 20
	followPage   = 40
	threadPage   = 100
	mostFeatured = 20
)

// listed is a collection that is read by pages.
type listed struct {
	id    string
	total int64 // below 0 if it is hidden
	limit int
	page  pageFunc
}

// entry is one item of a page, with its place.
type entry struct {
	key  string
	item any
}

type pageFunc = func(ctx context.Context, p db.Page) ([]entry, error)

// paged reports whether a page is requested, and which.
func paged(c *gin.Context, limit int) (db.Page, bool) {
	switch web.Query(c, "page") {
	case "", "false", "0":
		return db.Page{}, false
	}
	// One more is read than is shown, to know whether there is another page.
	return db.Page{MaxID: web.Query(c, "max_id"), MinID: web.Query(c, "min_id"), Limit: limit + 1}, true
}

// list answers with a collection, or one of its pages.
func (s *Service) list(c *gin.Context, l listed) error {
	p, ok := paged(c, l.limit)
	if !ok {
		return send(c, http.StatusOK, activitypub.OrderedCollection(l.id, l.total, l.id+"?page=true"))
	}
	entries, err := l.page(c.Request.Context(), p)
	if err != nil {
		return err
	}
	return send(c, http.StatusOK, l.document(p, entries))
}

// document is one page.
func (l *listed) document(p db.Page, entries []entry) activitypub.Object {
	out := activitypub.PageInput{ID: l.id + "?page=true", PartOf: l.id, Total: l.total}
	if p.MaxID != "" {
		out.ID += "&max_id=" + url.QueryEscape(p.MaxID)
	}
	if p.MinID != "" {
		out.ID += "&min_id=" + url.QueryEscape(p.MinID)
	}
	more := len(entries) >= p.Limit
	switch {
	case more && p.MinID != "":
		entries = entries[1:]
	case more:
		entries = entries[:p.Limit-1]
	}
	for _, e := range entries {
		out.Items = append(out.Items, e.item)
	}
	if len(entries) > 0 && (more || p.MinID != "") {
		out.Next = l.id + "?page=true&max_id=" + entries[len(entries)-1].key
	}
	if len(entries) > 0 && (more || p.MinID == "") {
		out.Prev = l.id + "?page=true&min_id=" + entries[0].key
	}
	return activitypub.Page(out)
}

// Outbox is GET /users/:nickname/outbox: public statuses and reblogs.
func (s *Service) Outbox(c *gin.Context) error {
	return s.of(func(c *gin.Context, _ reader, a *db.Account) error {
		return s.list(c, listed{id: a.Outbox, total: a.StatusesCount, limit: outboxPage, page: func(ctx context.Context, p db.Page) ([]entry, error) {
			return s.outboxPage(ctx, a, p)
		}})
	})(c)
}

func (s *Service) outboxPage(ctx context.Context, a *db.Account, p db.Page) ([]entry, error) {
	rows, err := s.db.PublicStatuses(ctx, a.ID, p)
	if err != nil {
		return nil, err
	}
	beside, err := s.db.RelatedTo(ctx, rows)
	if err != nil {
		return nil, err
	}
	out := make([]entry, len(rows))
	for i := range rows {
		out[i] = entry{rows[i].ID, activitypub.ActivityOf(beside, &rows[i], a, s.base, s.now())}
	}
	return out, nil
}

// Followers is GET /users/:nickname/followers.
func (s *Service) Followers(c *gin.Context) error {
	return s.of(func(c *gin.Context, _ reader, a *db.Account) error {
		return s.follows(c, listed{id: a.FollowersURI, total: a.FollowersCount}, a.HideFollowers, a.HideFollowersCount, s.places(a.ID, s.db.FollowerURIs))
	})(c)
}

// Following is GET /users/:nickname/following.
func (s *Service) Following(c *gin.Context) error {
	return s.of(func(c *gin.Context, _ reader, a *db.Account) error {
		return s.follows(c, listed{id: a.FollowingURI, total: a.FollowingCount}, a.HideFollows, a.HideFollowsCount, s.places(a.ID, s.db.FollowingURIs))
	})(c)
}

// follows answers with followers or followed accounts, unless the list is
// hidden. The count is hidden only together with the list.
func (s *Service) follows(c *gin.Context, l listed, hidden, countHidden bool, page pageFunc) error {
	if !hidden {
		l.limit, l.page = followPage, page
		return s.list(c, l)
	}
	if _, ok := paged(c, followPage); ok {
		return fault.Forbidden("This list is not shown")
	}
	if countHidden {
		l.total = -1
	}
	return send(c, http.StatusOK, activitypub.OrderedCollection(l.id, l.total, ""))
}

func (s *Service) places(accountID string, read func(ctx context.Context, accountID string, p db.Page) ([]db.Place, error)) pageFunc {
	return func(ctx context.Context, p db.Page) ([]entry, error) {
		return entriesOf(read(ctx, accountID, p))
	}
}

func entriesOf(rows []db.Place, err error) ([]entry, error) {
	out := make([]entry, len(rows))
	for i, r := range rows {
		out[i] = entry{r.Key, r.URI}
	}
	return out, err
}

// Featured is GET /users/:nickname/collections/featured: the ids of pinned
// statuses.
func (s *Service) Featured(c *gin.Context) error {
	return s.of(func(c *gin.Context, _ reader, a *db.Account) error {
		uris, err := s.db.PinnedURIs(c.Request.Context(), a.ID, mostFeatured)
		if err != nil {
			return err
		}
		return send(c, http.StatusOK, activitypub.OrderedItems(a.FeaturedURI, anyOf(uris)))
	})(c)
}

func anyOf(uris []string) []any {
	out := make([]any, len(uris))
	for i, uri := range uris {
		out[i] = uri
	}
	return out
}

// Thread is GET /contexts/:uuid: the public statuses of a conversation, on one
// page if they fit.
func (s *Service) Thread(c *gin.Context) error {
	return s.read(func(c *gin.Context, _ reader) error {
		ctx, id := c.Request.Context(), s.base+"/contexts/"+c.Param("uuid")
		thread, err := s.db.ConversationByURI(ctx, id)
		if err != nil {
			return err
		}
		l := listed{id: id, total: -1, limit: threadPage, page: func(ctx context.Context, p db.Page) ([]entry, error) {
			return entriesOf(s.db.ThreadURIs(ctx, thread.ID, p))
		}}
		if _, ok := paged(c, threadPage); ok {
			return s.list(c, l)
		}
		entries, err := l.page(ctx, db.Page{Limit: threadPage + 1})
		switch {
		case err != nil:
			return err
		case len(entries) == 0: // hides that there is another one
			return db.ErrNotFound
		case len(entries) > threadPage:
			return s.list(c, l)
		}
		items := make([]any, len(entries))
		for i, e := range entries {
			items[i] = e.item
		}
		return send(c, http.StatusOK, activitypub.OrderedItems(id, items))
	})(c)
}

// serviceList answers with a collection of a service actor: the followers of
// the relay, or an empty list.
func (s *Service) serviceList(id func(a *db.Account) string, read func(ctx context.Context, accountID string, p db.Page) ([]db.Place, error)) func(c *gin.Context, a *db.Account) error {
	return func(c *gin.Context, a *db.Account) error {
		l := listed{id: id(a), limit: followPage}
		if l.page = func(context.Context, db.Page) ([]entry, error) { return nil, nil }; read != nil {
			l.total, l.page = -1, s.places(a.ID, read)
		}
		return s.list(c, l)
	}
}

func outboxOf(a *db.Account) string    { return a.Outbox }
func followersOf(a *db.Account) string { return a.FollowersURI }
func followingOf(a *db.Account) string { return a.FollowingURI }

// RelayOutbox is GET /relay/outbox, which is empty; so are all collections of
// the actor that only asks.
func (s *Service) RelayOutbox(c *gin.Context) error {
	return s.service(s.relayActor, s.serviceList(outboxOf, nil))(c)
}

// RelayFollowers is GET /relay/followers: the relays that accept local
// statuses.
func (s *Service) RelayFollowers(c *gin.Context) error {
	return s.service(s.relayActor, s.serviceList(followersOf, s.db.FollowerURIs))(c)
}

// RelayFollowing is GET /relay/following: the relays that feed this server.
func (s *Service) RelayFollowing(c *gin.Context) error {
	return s.service(s.relayActor, s.serviceList(followingOf, s.db.FollowingURIs))(c)
}

// FetcherOutbox is GET /internal/fetch/outbox.
func (s *Service) FetcherOutbox(c *gin.Context) error {
	return s.service(s.remote.Fetcher, s.serviceList(outboxOf, nil))(c)
}

// FetcherFollowers is GET /internal/fetch/followers.
func (s *Service) FetcherFollowers(c *gin.Context) error {
	return s.service(s.remote.Fetcher, s.serviceList(followersOf, nil))(c)
}

// FetcherFollowing is GET /internal/fetch/following.
func (s *Service) FetcherFollowing(c *gin.Context) error {
	return s.service(s.remote.Fetcher, s.serviceList(followingOf, nil))(c)
}
