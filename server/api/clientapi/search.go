package clientapi

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

const (
	searchPage    = 20
	searchPageMax = 40
	searchDepth   = 5000 // the largest offset
	searchLength  = 500  // characters of a query that count
)

// V1 is GET /api/v1/search: hashtags are names.
func (a *Search) V1(c *gin.Context) error {
	out, tags, err := a.search(c)
	if err != nil {
		return err
	}
	return web.OK(c, api.SearchV1{Search: *out, Hashtags: tags})
}

// V2 is GET /api/v2/search.
func (a *Search) V2(c *gin.Context) error {
	out, tags, err := a.search(c)
	if err != nil {
		return err
	}
	answer := api.SearchV2{Search: *out, Hashtags: api.List[api.Tag]{}}
	followed, err := a.followed(c, tags)
	if err != nil {
		return err
	}
	for _, name := range tags {
		answer.Hashtags = append(answer.Hashtags, a.tag(name, followed))
	}
	return web.OK(c, answer)
}

// search finds all three kinds, or the requested one.
func (a *Search) search(c *gin.Context) (*api.Search, []string, error) {
	var q api.SearchQuery
	if err := web.BindQuery(c, &q); err != nil {
		return nil, nil, err
	}
	query := strings.TrimSpace(q.Q)
	if query == "" {
		return nil, nil, web.Missing("q")
	}
	if utf8.RuneCountInString(query) > searchLength {
		query = string([]rune(query)[:searchLength])
	}
	if !slices.Contains([]string{"", "accounts", "hashtags", "statuses"}, q.Type) {
		return nil, nil, web.BadParam("type", "type - Invalid value for enum.")
	}
	if q.Limit == 0 {
		q.Limit = searchPage
	}
	q.Limit, q.Offset = min(max(q.Limit, 1), searchPageMax), min(max(q.Offset, 0), searchDepth)
	wanted := func(kind string) bool { return q.Type == "" || q.Type == kind }

	out := &api.Search{Accounts: json.RawMessage("[]"), Statuses: json.RawMessage("[]")}
	tags := []string{}
	if wanted("hashtags") {
		tags = window(hashtags(query), q.Offset, q.Limit)
	}
	if isAddress(query) {
		query = hosts.URI(query)
	}
	query = a.resolved(c, query, q.Resolve && q.Offset == 0 && q.Type != "hashtags")
	// A part that fails is empty; the other parts are still sent.
	if wanted("accounts") {
		raw, err := a.searchedAccounts(c, query, q)
		if err == nil {
			out.Accounts = raw
		} else if err := a.partFailed(c, "accounts", err); err != nil {
			return nil, nil, err
		}
	}
	if wanted("statuses") {
		raw, err := a.searchedStatuses(c, query, q)
		if err == nil {
			out.Statuses = raw
		} else if err := a.partFailed(c, "statuses", err); err != nil {
			return nil, nil, err
		}
	}
	return out, tags, nil
}

// partFailed logs the error of a part of a search. If the client has left, it
// is returned.
func (a *Search) partFailed(c *gin.Context, part string, err error) error {
	if ctx := c.Request.Context(); ctx.Err() != nil {
		return err
	}
	web.Log(c).WarnContext(c.Request.Context(), "part of a search failed", "part", part, "err", err)
	return nil
}

func (a *Search) searchedAccounts(c *gin.Context, query string, q api.SearchQuery) (json.RawMessage, error) {
	ctx, caller := c.Request.Context(), web.Caller(c)
	viewer, search := a.View.Viewer(caller), a.accountSearch(c, query, q.Following, q.Limit, q.Offset)
	rows, err := a.DB.SearchAccounts(ctx, viewer, search)
	if err != nil {
		return nil, err
	}
	if address := isAddress(query); address && q.Offset == 0 {
		ref, err := a.DB.AccountByAddress(ctx, viewer, query, search.Local)
		if err == nil {
			rows = append([]db.AccountRef{ref}, rows...)
		} else if !errors.Is(err, db.ErrNotFound) {
			return nil, err
		}
	}
	if q.WithRelationships && caller != nil {
		related, err := a.related(ctx, caller.Account.ID, rows)
		if err != nil {
			return nil, err
		}
		return json.Marshal(related)
	}
	return a.View.AccountsAt(ctx, rows)
}

// accountSearch searches accounts for a caller.
func (a *shared) accountSearch(c *gin.Context, query string, following bool, most, offset int) db.AccountSearch {
	settings, caller := a.Settings.Load(), web.Caller(c)
	return db.AccountSearch{
		Query: a.searchedName(query), Following: following && caller != nil,
		Local: settings.SearchesLocal(caller != nil), Limit: most, Offset: offset,
	}
}

// searchedName is the beginning of a nickname that a query means. The beginning
// of an international host has no stored form: it stays as it was typed.
func (a *shared) searchedName(query string) string {
	name := hosts.Nickname(query, a.Site.Host)
	_, typed, _ := strings.Cut(strings.TrimPrefix(query, "@"), "@")
	if strings.Contains(name, "@") && strings.ContainsFunc(typed, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return strings.TrimSuffix(query, ":443")
	}
	return name
}

func (a *Search) searchedStatuses(c *gin.Context, query string, q api.SearchQuery) (json.RawMessage, error) {
	ctx, caller := c.Request.Context(), web.Caller(c)
	viewer, local := a.View.Viewer(caller), a.Settings.Load().SearchesLocal(caller != nil)
	if isAddress(query) {
		refs, err := a.statusAt(ctx, viewer, query, local)
		if err != nil || len(refs) > 0 && q.Offset == 0 {
			return a.statusesOrError(ctx, refs, err)
		}
	}
	refs, err := a.DB.SearchStatuses(ctx, viewer, db.StatusSearch{
		Query: query, AccountID: q.AccountID, Local: local, MaxID: q.MaxID, MinID: q.MinID, Limit: q.Limit, Offset: q.Offset,
		Unindexed: caller != nil && caller.Account.Staff(), UnindexedRemote: !a.Settings.Load().Instance.RespectIndexable,
	})
	return a.statusesOrError(ctx, refs, err)
}

func (a *Search) statusesOrError(ctx context.Context, refs []db.StatusRef, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return a.View.Statuses(ctx, refs)
}

// statusAt finds the status with a pasted address; with local, only a local
// one.
func (a *shared) statusAt(ctx context.Context, viewer db.Viewer, address string, local bool) ([]db.StatusRef, error) {
	id, err := a.DB.StatusByAddress(ctx, address)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	refs, err := a.DB.StatusRefs(ctx, viewer, []string{id})
	if err != nil || len(refs) == 0 || !local {
		return refs, err
	}
	shown, err := a.DB.StatusByID(ctx, view.ShownID(&refs[0]))
	if err != nil || !shown.Local {
		return nil, err
	}
	return refs, nil
}

func isAddress(query string) bool {
	return (strings.HasPrefix(query, "https://") || strings.HasPrefix(query, "http://")) && !strings.ContainsAny(query, " \t\n")
}

// hashtags are those that a query may mean: the ones it marks with #, or else
// each of its words, and all of them joined.
func hashtags(query string) []string {
	names, marked := text.Tags(query)
	if marked {
		return distinct(names)
	}
	var joined strings.Builder
	for _, word := range distinct(names) {
		first, size := utf8.DecodeRuneInString(word)
		joined.WriteString(string(unicode.ToUpper(first)) + word[size:])
	}
	if joined.Len() > 0 {
		names = append(names, joined.String())
	}
	return distinct(names)
}

// distinct drops names of a tag that is there already.
func distinct(names []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, name := range names {
		if tag := text.Tag(name); !seen[tag] {
			seen[tag] = true
			out = append(out, name)
		}
	}
	return out
}

func window(all []string, offset, most int) []string {
	return append([]string{}, all[min(offset, len(all)):min(offset+most, len(all))]...)
}

// Accounts is GET /api/v1/accounts/search.
func (a *Search) Accounts(c *gin.Context) error {
	var q api.AccountSearchQuery
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	name := strings.TrimSpace(q.Q)
	if strings.Trim(name, "@") == "" {
		return web.Missing("q")
	}
	if q.Limit == 0 {
		q.Limit = accountPage
	}
	name = a.resolved(c, name, q.Resolve && q.Offset == 0)
	viewer := a.View.Viewer(web.Caller(c))
	rows, err := a.DB.SearchAccounts(c.Request.Context(), viewer, a.accountSearch(c, name, q.Following,
		min(max(q.Limit, 1), accountPageMax), min(max(q.Offset, 0), searchDepth)))
	if err != nil {
		return err
	}
	raw, err := a.View.AccountsAt(c.Request.Context(), rows)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}
