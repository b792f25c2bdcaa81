package clientapi

import (
	"slices"
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

// alertsOf returns the alerts of a request or answer by the types of notifications
// that they are for.
func alertsOf(a *api.PushAlerts) map[string]*api.Bool {
	return map[string]*api.Bool{
		db.NotifyFollow: &a.Follow, db.NotifyFollowRequest: a.FollowRequest, db.NotifyFavourite: &a.Favourite, db.NotifyMention: &a.Mention,
		db.NotifyReblog: &a.Reblog, db.NotifyPoll: &a.Poll, db.NotifyStatus: &a.Status, db.NotifyUpdate: &a.Update,
		db.NotifySignUp: &a.SignUp, db.NotifyAdminReport: &a.Report, db.NotifyChat: &a.Chat, db.NotifyReaction: &a.Reaction,
	}
}

// alerts are the types of notifications that are on; nil stays nil.
func alerts(in *api.PushAlerts) []string {
	if in == nil {
		return nil
	}
	if in.FollowRequest == nil {
		in.FollowRequest = &in.Follow
	}
	out := []string{}
	for kind, on := range alertsOf(in) {
		if *on {
			out = append(out, kind)
		}
	}
	return out
}

func device(c *gin.Context, d *push.Device, err error) error {
	if err != nil {
		return err
	}
	out := api.PushSubscription{
		ID: d.ID, Endpoint: d.Endpoint, Policy: d.Policy, ServerKey: d.ServerKey, Standard: true, Alerts: api.PushAlerts{FollowRequest: new(api.Bool)},
	}
	for kind, on := range alertsOf(&out.Alerts) {
		*on = api.Bool(slices.Contains(strings.Fields(d.Alerts), kind))
	}
	return web.OK(c, out)
}
