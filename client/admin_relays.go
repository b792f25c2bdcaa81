package client

import (
	"context"
	"net/http"

	"svc/client/api"
)

// AdminRelays is the servers that pass posts on to this one, and its own to
// others.
type AdminRelays struct{ c *Client }

// List returns all relays, those that accepted first. GET /api/svc/admin/relay.
func (s *AdminRelays) List(ctx context.Context) ([]api.Relay, error) {
	list, err := get[api.List[api.Relay]](ctx, s.c, nil, adminPath+"/relay")
	if err != nil {
		return nil, err
	}
	return *list, nil
}

// Follow asks a relay, named by its actor or its inbox, and returns how it
// stands half a second later at most. POST /api/svc/admin/relay.
func (s *AdminRelays) Follow(ctx context.Context, address string) (*api.Relay, error) {
	in := Request{Method: http.MethodPost, Body: api.RelayForm{RelayURL: address}, Repeatable: true}
	return send[api.Relay](ctx, s.c, in, []string{adminPath + "/relay"})
}

// Unfollow leaves a relay, whether it answers or not. DELETE
// /api/svc/admin/relay.
func (s *AdminRelays) Unfollow(ctx context.Context, address string) error {
	in := Request{Method: http.MethodDelete, Body: api.RelayForm{RelayURL: address}}
	return perform(ctx, s.c, in, []string{adminPath + "/relay"})
}
