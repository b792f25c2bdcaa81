package adminapi

import (
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/rules/moderation"
)

// Rules answers requests about the rules of the house.
type Rules struct {
	DB         *db.DB
	Moderation *moderation.Service
}

// Rules are the handlers of the rules of the house.
func (p *Parts) Rules() Rules { return Rules{p.DB, p.Moderation} }

// List is GET /rules.
func (a Rules) List(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	rows, err := a.DB.Rules(c.Request.Context())
	if err != nil {
		return err
	}
	out := make(api.List[api.AdminRule], len(rows))
	for i := range rows {
		out[i] = rule(&rows[i])
	}
	return web.OK(c, out)
}

func rule(r *db.Rule) api.AdminRule {
	return api.AdminRule{ID: strconv.FormatInt(r.ID, 10), Text: r.Text, Hint: r.Hint, Priority: r.Priority}
}

// form reads a new rule, or the changes to one.
func (a Rules) form(c *gin.Context) (moderation.ChangedRule, error) {
	var in api.RuleForm
	if err := web.Bind(c, &in); err != nil {
		return moderation.ChangedRule{}, err
	}
	out := moderation.ChangedRule{Text: in.Text, Hint: in.Hint, IdempotencyKey: web.IdempotencyKey(c)}
	if in.Priority != nil {
		out.Priority = new(int64(*in.Priority))
	}
	return out, nil
}

// Create is POST /rules.
func (a Rules) Create(c *gin.Context) error {
	in, err := a.form(c)
	if err != nil {
		return err
	}
	if in.Text == nil {
		return web.Missing("text")
	}
	r, err := a.Moderation.CreateRule(c.Request.Context(), web.Caller(c).Account, in)
	if err != nil {
		return err
	}
	return web.OK(c, rule(r))
}

// Update is PATCH /rules/:id.
func (a Rules) Update(c *gin.Context) error {
	in, err := a.form(c)
	if err != nil {
		return err
	}
	id, err := numberIn(c)
	if err != nil {
		return err
	}
	r, err := a.Moderation.UpdateRule(c.Request.Context(), web.Caller(c).Account, id, in)
	if err != nil {
		return err
	}
	return web.OK(c, rule(r))
}

// Delete is DELETE /rules/:id.
func (a Rules) Delete(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	id, err := numberIn(c)
	if err != nil {
		return err
	}
	if err := a.Moderation.DeleteRule(c.Request.Context(), web.Caller(c).Account, id); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}

// numberIn is the id in the path; anything but a number is db.ErrNotFound.
func numberIn(c *gin.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0, db.ErrNotFound
	}
	return id, nil
}
