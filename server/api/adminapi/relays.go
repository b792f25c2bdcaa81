package adminapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/rules/moderation"
	"svc/server/rules/relays"
)

// unread is the warning about a relay that cannot read the statuses announced
// to it.
const unread = "in secure mode (:authorized_fetch_mode) it cannot read the posts that it is told of, unless it signs its requests: " +
	"give its inbox instead, if it has one"

// Relays answers requests about relays.
type Relays struct {
	DB         *db.DB
	Moderation *moderation.Service
	Settings   *config.Live
}

// Relays are the handlers of relays.
func (p *Parts) Relays() Relays { return Relays{p.DB, p.Moderation, p.Settings} }

// List is GET /relay: all of them.
func (a Relays) List(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	rows, err := a.DB.Relays(c.Request.Context())
	if err != nil {
		return err
	}
	out := make(api.List[api.Relay], len(rows))
	for i := range rows {
		out[i] = a.shown(&rows[i], rows[i].URL)
	}
	web.FamilyForm(c, func(list json.RawMessage) any { return map[string]json.RawMessage{"relays": list} })
	return web.OK(c, out)
}

func (a Relays) shown(r *db.Relay, named string) api.Relay {
	out := api.Relay{Actor: named, FollowedBack: !r.Pending}
	if !r.Plain && a.Settings.Load().ActivityPub.SecureMode {
		out.Warning = unread
	}
	return out
}

// relayForm reads the address of a relay, which is required.
func relayForm(c *gin.Context) (string, error) {
	var in struct {
		URL any `json:"relay_url"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return "", err
	}
	p := &params{}
	address := p.named(in.URL)
	if p.bad {
		return "", bad()
	}
	return address, nil
}

// notRelayed answers any failure to follow or leave a relay with its address.
func notRelayed(address string, cause error) error {
	return fmt.Errorf("%w: relay: %w", &web.Answer{Status: http.StatusInternalServerError, Body: address}, cause)
}

// Follow is POST /relay.
func (a Relays) Follow(c *gin.Context) error {
	address, err := relayForm(c)
	if err != nil {
		return err
	}
	row, err := a.Moderation.FollowRelay(c.Request.Context(), web.Caller(c).Account, address)
	if err != nil {
		return notRelayed(address, err)
	}
	return web.OK(c, a.shown(row, address))
}

// Unfollow is DELETE /relay. A relay that does not answer is left like any
// other, with force or without.
func (a Relays) Unfollow(c *gin.Context) error {
	address, err := relayForm(c)
	if err != nil {
		return err
	}
	err = a.Moderation.UnfollowRelay(c.Request.Context(), web.Caller(c).Account, address)
	if errors.Is(err, db.ErrNotFound) || errors.Is(err, relays.ErrRefused) {
		return notRelayed(address, err)
	}
	if err != nil {
		return err
	}
	return web.OK(c, address)
}
