package clientapi

import (
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/rules/social"
)

// List is GET /api/v1/filters: the keywords of all filters, by id.
func (a *Filters) List(c *gin.Context) error {
	rows, err := a.DB.Filters(c.Request.Context(), web.Caller(c).Account.ID)
	if err != nil {
		return err
	}
	type phrase struct {
		number int64
		shown  api.Filter
	}
	var phrases []phrase
	for i := range rows {
		for k := range rows[i].Keywords {
			phrases = append(phrases, phrase{rows[i].Keywords[k].Number, view.Phrase(&rows[i], &rows[i].Keywords[k])})
		}
	}
	slices.SortFunc(phrases, func(x, y phrase) int { return int(x.number - y.number) })
	out := make(api.List[api.Filter], len(phrases))
	for i := range phrases {
		out[i] = phrases[i].shown
	}
	return web.OK(c, out)
}

// filterNumber is the number in :id; text that is no number names no filter.
func filterNumber(c *gin.Context) (int64, error) {
	n, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0, db.ErrNotFound
	}
	return n, nil
}

// Get is GET /api/v1/filters/:id.
func (a *Filters) Get(c *gin.Context) error {
	n, err := filterNumber(c)
	if err != nil {
		return err
	}
	ctx, me := c.Request.Context(), web.Caller(c).Account.ID
	k, err := a.DB.FilterKeyword(ctx, me, n)
	if err != nil {
		return err
	}
	f, err := a.DB.Filter(ctx, me, k.Filter)
	if err != nil {
		return err
	}
	return web.OK(c, view.Phrase(f, k))
}

// Create is POST /api/v1/filters.
func (a *Filters) Create(c *gin.Context) error {
	in, err := bindFilter(c)
	if err != nil {
		return err
	}
	if in.Keyword.Keyword == nil {
		return web.Missing("phrase")
	}
	if in.Contexts == nil {
		return web.Missing("context")
	}
	f, err := a.Social.CreatePhrase(c.Request.Context(), web.Caller(c).Account, in, web.IdempotencyKey(c))
	if err != nil {
		return err
	}
	if len(f.Keywords) == 0 {
		return db.ErrNotFound // removed since the first request with this key
	}
	return web.OK(c, view.Phrase(f, &f.Keywords[0]))
}

// Update is PUT /api/v1/filters/:id; absent fields keep their values.
func (a *Filters) Update(c *gin.Context) error {
	n, err := filterNumber(c)
	if err != nil {
		return err
	}
	in, err := bindFilter(c)
	if err != nil {
		return err
	}
	f, k, err := a.Social.UpdatePhrase(c.Request.Context(), web.Caller(c).Account, n, in)
	if err != nil {
		return err
	}
	return web.OK(c, view.Phrase(f, k))
}

func bindFilter(c *gin.Context) (social.Phrase, error) {
	var in api.NewFilter
	if err := web.Bind(c, &in); err != nil {
		return social.Phrase{}, err
	}
	out := social.Phrase{Keyword: social.Keyword{Keyword: in.Phrase, WholeWord: flag(in.WholeWord)}, Irreversible: flag(in.Irreversible)}
	if in.Context != nil {
		bits, ok := contexts(in.Context)
		if !ok {
			return out, web.BadParam("context", "context - Invalid value for enum.")
		}
		out.Contexts = &bits
	}
	if in.ExpiresIn != nil {
		span := seconds(*in.ExpiresIn)
		out.ExpiresIn = &span
	}
	return out, nil
}

// contexts are the bits of named contexts, false if one is unknown.
func contexts(names []string) (bits int64, ok bool) {
	for _, name := range names {
		i := slices.Index(view.FilterPlaces, name)
		if i < 0 {
			return 0, false
		}
		bits |= 1 << i
	}
	return bits, true
}

// Delete is DELETE /api/v1/filters/:id.
func (a *Filters) Delete(c *gin.Context) error {
	n, err := filterNumber(c)
	if err != nil {
		return err
	}
	if err := a.Social.DeletePhrase(c.Request.Context(), web.Caller(c).Account, n); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}
