package clientapi

import (
	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/social"
)

// List is GET /api/v2/filters.
func (a *FiltersV2) List(c *gin.Context) error {
	rows, err := a.DB.Filters(c.Request.Context(), web.Caller(c).Account.ID)
	if err != nil {
		return err
	}
	out := make(api.List[api.FilterV2], len(rows))
	for i := range rows {
		out[i] = view.Filter(&rows[i])
	}
	return web.OK(c, out)
}

// filter is the caller's filter that :id names.
func (a *FiltersV2) filter(c *gin.Context) (*db.Filter, error) {
	n, err := filterNumber(c)
	if err != nil {
		return nil, err
	}
	return a.DB.Filter(c.Request.Context(), web.Caller(c).Account.ID, n)
}

// Get is GET /api/v2/filters/:id.
func (a *FiltersV2) Get(c *gin.Context) error {
	f, err := a.filter(c)
	if err != nil {
		return err
	}
	return web.OK(c, view.Filter(f))
}

// Create is POST /api/v2/filters.
func (a *FiltersV2) Create(c *gin.Context) error {
	in, err := bindFilterV2(c)
	if err != nil {
		return err
	}
	if in.Contexts == nil {
		return errContexts
	}
	f, err := a.Social.CreateFilter(c.Request.Context(), web.Caller(c).Account, in, web.IdempotencyKey(c))
	if err != nil {
		return err
	}
	return web.OK(c, view.Filter(f))
}

// Update is PUT /api/v2/filters/:id; absent fields keep their values.
func (a *FiltersV2) Update(c *gin.Context) error {
	n, err := filterNumber(c)
	if err != nil {
		return err
	}
	in, err := bindFilterV2(c)
	if err != nil {
		return err
	}
	f, err := a.Social.UpdateFilter(c.Request.Context(), web.Caller(c).Account, n, in)
	if err != nil {
		return err
	}
	return web.OK(c, view.Filter(f))
}

var errContexts = fault.Invalid("Validation failed: Context None or unsupported context supplied")

func bindFilterV2(c *gin.Context) (social.Filter, error) {
	var in api.FilterV2Form
	if err := web.Bind(c, &in); err != nil {
		return social.Filter{}, err
	}
	out := social.Filter{Title: in.Title, Action: (*social.FilterAction)(in.FilterAction)}
	if in.Context != nil {
		bits, ok := contexts(in.Context)
		if !ok || bits == 0 {
			return out, errContexts
		}
		out.Contexts = &bits
	}
	if in.ExpiresIn != nil {
		span := seconds(in.ExpiresIn.Int())
		out.ExpiresIn = &span
	}
	for _, k := range in.Keywords {
		out.Keywords = append(out.Keywords, social.Keyword{Number: int64(k.ID), Keyword: k.Keyword, WholeWord: flag(k.WholeWord), Remove: bool(k.Destroy)})
	}
	return out, nil
}

// Delete is DELETE /api/v2/filters/:id.
func (a *FiltersV2) Delete(c *gin.Context) error {
	n, err := filterNumber(c)
	if err != nil {
		return err
	}
	if err := a.Social.DeleteFilter(c.Request.Context(), web.Caller(c).Account, n); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}

// Keywords is GET /api/v2/filters/:id/keywords.
func (a *FiltersV2) Keywords(c *gin.Context) error {
	f, err := a.filter(c)
	if err != nil {
		return err
	}
	return web.OK(c, view.Filter(f).Keywords)
}

// AddKeyword is POST /api/v2/filters/:id/keywords.
func (a *FiltersV2) AddKeyword(c *gin.Context) error {
	n, in, err := bindKeyword(c)
	if err != nil {
		return err
	}
	k, err := a.Social.AddFilterKeyword(c.Request.Context(), web.Caller(c).Account, n, in, web.IdempotencyKey(c))
	if err != nil {
		return err
	}
	return web.OK(c, view.FilterKeyword(k))
}

func bindKeyword(c *gin.Context) (int64, social.Keyword, error) {
	var in api.FilterKeywordForm
	n, err := filterNumber(c)
	if err == nil {
		err = web.Bind(c, &in)
	}
	return n, social.Keyword{Keyword: in.Keyword, WholeWord: flag(in.WholeWord)}, err
}

// Keyword is GET /api/v2/filters/keywords/:id.
func (a *FiltersV2) Keyword(c *gin.Context) error {
	n, err := filterNumber(c)
	if err != nil {
		return err
	}
	k, err := a.DB.FilterKeyword(c.Request.Context(), web.Caller(c).Account.ID, n)
	if err != nil {
		return err
	}
	return web.OK(c, view.FilterKeyword(k))
}

// UpdateKeyword is PUT /api/v2/filters/keywords/:id; absent fields keep their values.
func (a *FiltersV2) UpdateKeyword(c *gin.Context) error {
	n, in, err := bindKeyword(c)
	if err != nil {
		return err
	}
	in.Number = n
	k, err := a.Social.UpdateFilterKeyword(c.Request.Context(), web.Caller(c).Account, in)
	if err != nil {
		return err
	}
	return web.OK(c, view.FilterKeyword(k))
}

// RemoveKeyword is DELETE /api/v2/filters/keywords/:id.
func (a *FiltersV2) RemoveKeyword(c *gin.Context) error {
	n, err := filterNumber(c)
	if err != nil {
		return err
	}
	if err := a.Social.DeleteFilterKeyword(c.Request.Context(), web.Caller(c).Account, n); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}

// Statuses is GET /api/v2/filters/:id/statuses.
func (a *FiltersV2) Statuses(c *gin.Context) error {
	f, err := a.filter(c)
	if err != nil {
		return err
	}
	return web.OK(c, view.Filter(f).Statuses)
}

// AddStatus is POST /api/v2/filters/:id/statuses.
func (a *FiltersV2) AddStatus(c *gin.Context) error {
	var in api.FilterStatusForm
	n, err := filterNumber(c)
	if err == nil {
		err = web.Bind(c, &in)
	}
	if err != nil {
		return err
	}
	s, err := a.Social.AddFilterStatus(c.Request.Context(), web.Caller(c).Account, n, in.StatusID, web.IdempotencyKey(c))
	if err != nil {
		return err
	}
	return web.OK(c, view.FilterStatus(s))
}

// Status is GET /api/v2/filters/statuses/:id.
func (a *FiltersV2) Status(c *gin.Context) error {
	n, err := filterNumber(c)
	if err != nil {
		return err
	}
	s, err := a.DB.FilterStatus(c.Request.Context(), web.Caller(c).Account.ID, n)
	if err != nil {
		return err
	}
	return web.OK(c, view.FilterStatus(s))
}

// RemoveStatus is DELETE /api/v2/filters/statuses/:id.
func (a *FiltersV2) RemoveStatus(c *gin.Context) error {
	n, err := filterNumber(c)
	if err != nil {
		return err
	}
	if err := a.Social.DeleteFilterStatus(c.Request.Context(), web.Caller(c).Account, n); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}
