package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// AdminRules is the rules of the house.
type AdminRules struct{ c *Client }

const rulesPath = adminPath + "/rules"

// List returns them all, in the order in which they are shown. GET
// /api/svc/admin/rules.
func (s *AdminRules) List(ctx context.Context) ([]api.AdminRule, error) {
	return whole[api.AdminRule](ctx, s.c, struct{}{}, rulesPath)
}

// Create adds a rule. It is retried only with an IdempotencyKey. POST
// /api/svc/admin/rules.
func (s *AdminRules) Create(ctx context.Context, form api.RuleForm, opts ...CallOption) (*api.AdminRule, error) {
	return send[api.AdminRule](ctx, s.c, Request{Method: http.MethodPost, Body: form}, []string{rulesPath}, opts...)
}

// Update changes a rule. PATCH /api/svc/admin/rules/:id.
func (s *AdminRules) Update(ctx context.Context, id string, form api.RuleForm) (*api.AdminRule, error) {
	return send[api.AdminRule](ctx, s.c, Request{Method: http.MethodPatch, Body: form, Repeatable: true}, []string{rulesPath + "/", id})
}

// Delete removes a rule; reports that name it keep its text. DELETE
// /api/svc/admin/rules/:id.
func (s *AdminRules) Delete(ctx context.Context, id string) error {
	return perform(ctx, s.c, Request{Method: http.MethodDelete}, []string{rulesPath + "/", id})
}
