package clientapi

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/rules/push"
)

// Get is GET /api/v1/push/subscription.
func (a *Push) Get(c *gin.Context) error {
	d, err := a.Push.Device(c.Request.Context(), web.Caller(c))
	return device(c, d, err)
}

// Subscribe is POST /api/v1/push/subscription.
func (a *Push) Subscribe(c *gin.Context) error {
	var in api.NewPushSubscription
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	to := &in.Subscription
	d, err := a.Push.Subscribe(c.Request.Context(), web.Caller(c), web.Token(c), push.NewDevice{
		Endpoint: to.Endpoint, P256dh: to.Keys.P256dh, Auth: to.Keys.Auth, Alerts: alerts(in.Data.Alerts), Policy: in.Data.Policy,
	})
	return device(c, d, err)
}

// Update is PUT /api/v1/push/subscription.
func (a *Push) Update(c *gin.Context) error {
	var in api.ChangedPushSubscription
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	d, err := a.Push.Change(c.Request.Context(), web.Caller(c), alerts(in.Data.Alerts), in.Data.Policy)
	return device(c, d, err)
}

// Unsubscribe is DELETE /api/v1/push/subscription.
func (a *Push) Unsubscribe(c *gin.Context) error {
	if err := a.Push.Unsubscribe(c.Request.Context(), web.Caller(c)); err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}

// alerts are the types of notifications that are on; nil stays nil.
func alerts(in *api.PushAlerts) []string {
	if in == nil {
		return nil
	}
	out := []string{}
	for kind, on := range map[string]api.Bool{
		db.NotifyFollow: in.Follow, db.NotifyFavourite: in.Favourite, db.NotifyMention: in.Mention, db.NotifyReblog: in.Reblog,
		db.NotifyChat: in.Chat, db.NotifyReaction: in.Reaction,
	} {
		if on {
			out = append(out, kind)
		}
	}
	return out
}

func device(c *gin.Context, d *push.Device, err error) error {
	if err != nil {
		return err
	}
	kinds := strings.Fields(d.Alerts)
	on := func(kind string) api.Bool { return api.Bool(slices.Contains(kinds, kind)) }
	return web.OK(c, api.PushSubscription{
		ID: strconv.FormatInt(d.ID, 10), Endpoint: d.Endpoint, Policy: d.Policy, ServerKey: d.ServerKey, Standard: true,
		Alerts: api.PushAlerts{
			Follow: on(db.NotifyFollow), Favourite: on(db.NotifyFavourite), Mention: on(db.NotifyMention), Reblog: on(db.NotifyReblog),
			Chat: on(db.NotifyChat), Reaction: on(db.NotifyReaction),
		},
	})
}
