package clientapi

import (
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/rules/social"
)

// places are the names of the bits of a filter's contexts, from the lowest.
var places = []string{"home", "notifications", "public", "thread", "account"}

func filter(f *db.Filter) api.Filter {
	out := api.Filter{
		ID: strconv.FormatInt(f.Number, 10), Phrase: f.Phrase, ExpiresAt: api.At(f.ExpiresAt.Time),
		Irreversible: f.Irreversible, WholeWord: f.WholeWord,
	}
	for i, place := range places {
		if f.Contexts&(1<<i) != 0 {
			out.Context = append(out.Context, place)
		}
	}
	return out
}

// List is GET /api/v1/filters.
func (a *Filters) List(c *gin.Context) error {
	rows, err := a.DB.Filters(c.Request.Context(), web.Caller(c).Account.ID)
	if err != nil {
		return err
	}
	out := make(api.List[api.Filter], len(rows))
	for i := range rows {
		out[i] = filter(&rows[i])
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
	f, err := a.DB.Filter(c.Request.Context(), web.Caller(c).Account.ID, n)
	if err != nil {
		return err
	}
	return web.OK(c, filter(f))
}

// Create is POST /api/v1/filters.
func (a *Filters) Create(c *gin.Context) error {
	in, err := bindFilter(c)
	if err != nil {
		return err
	}
	if in.Phrase == nil {
		return web.Missing("phrase")
	}
	if in.Contexts == nil {
		return web.Missing("context")
	}
	f, err := a.Social.CreateFilter(c.Request.Context(), web.Caller(c).Account, in, web.IdempotencyKey(c))
	if err != nil {
		return err
	}
	return web.OK(c, filter(f))
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
	f, err := a.Social.UpdateFilter(c.Request.Context(), web.Caller(c).Account, n, in)
	if err != nil {
		return err
	}
	return web.OK(c, filter(f))
}

func bindFilter(c *gin.Context) (social.Filter, error) {
	var in api.NewFilter
	if err := web.Bind(c, &in); err != nil {
		return social.Filter{}, err
	}
	out := social.Filter{Phrase: in.Phrase, Irreversible: flag(in.Irreversible), WholeWord: flag(in.WholeWord)}
	if in.Context != nil {
		var bits int64
		for _, name := range in.Context {
			i := slices.Index(places, name)
			if i < 0 {
				return out, web.BadParam("context", "context - Invalid value for enum.")
			}
			bits |= 1 << i
		}
		out.Contexts = &bits
	}
	if in.ExpiresIn != nil {
		span := seconds(*in.ExpiresIn)
		out.ExpiresIn = &span
	}
	return out, nil
}

// Delete is DELETE /api/v1/filters/:id.
func (a *Filters) Delete(c *gin.Context) error {
	n, err := filterNumber(c)
	if err != nil {
		return err
	}
	if err := a.Social.DeleteFilter(c.Request.Context(), web.Caller(c).Account, n); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}
