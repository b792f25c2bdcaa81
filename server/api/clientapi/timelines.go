package clientapi

import (
	"context"
	"errors"
	"slices"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// Page sizes of lists of statuses.
const (
	statusPage    = 20
	statusPageMax = 40
)

type timelineQuery struct {
	Local               api.Bool `json:"local"`
	Remote              api.Bool `json:"remote"`
	OnlyMedia           api.Bool `json:"only_media"`
	Instance            string   `json:"instance"`
	WithMuted           api.Bool `json:"with_muted"`
	ExcludeVisibilities []string `json:"exclude_visibilities"`
	ReplyVisibility     string   `json:"reply_visibility"`
}

// visibilities are the ones that a list can leave out.
var visibilities = []string{db.Public, db.Unlisted, db.Private, db.Direct, db.Local, db.List}

// known returns the valid visibilities of wanted, each once.
func known(wanted []string) []string {
	var out []string
	for _, v := range visibilities {
		if slices.Contains(wanted, v) {
			out = append(out, v)
		}
	}
	return out
}

// bindTimeline reads the filters of a timeline, of which each endpoint uses
// some, and its own parameters into more.
func (a *Timelines) bindTimeline(c *gin.Context, more ...any) (db.TimelineFilter, error) {
	var q timelineQuery
	if err := web.BindQuery(c, append(more, &q)...); err != nil {
		return db.TimelineFilter{}, err
	}
	if !slices.Contains([]string{"", "following", "self"}, q.ReplyVisibility) {
		return db.TimelineFilter{}, web.BadParam("reply_visibility", "reply_visibility - Invalid value for enum.")
	}
	f := db.TimelineFilter{
		Local: bool(q.Local), Remote: bool(q.Remote), OnlyMedia: bool(q.OnlyMedia), WithMuted: bool(q.WithMuted),
		Host: hosts.Clean(q.Instance), ExcludeVisibilities: known(q.ExcludeVisibilities), ReplyVisibility: q.ReplyVisibility,
	}
	if f.Host == a.Site.Host {
		f.Host, f.Local = "", true
	}
	return f, nil
}

// Home is GET /api/v1/timelines/home.
func (a *Timelines) Home(c *gin.Context) error {
	f, err := a.bindTimeline(c)
	if err != nil {
		return err
	}
	f.OnlyMedia, f.Remote, f.Host = false, false, ""
	return a.timeline(c, db.FilterHome, func(ctx context.Context, v db.Viewer, p db.Page) (db.Timeline, error) {
		return a.DB.HomeTimeline(ctx, v, f, p)
	})
}

// Public is GET /api/v1/timelines/public.
func (a *Timelines) Public(c *gin.Context) error {
	f, err := a.bindTimeline(c)
	if err != nil {
		return err
	}
	if err := a.mayReadPublic(c, f.Local); err != nil {
		return err
	}
	return a.timeline(c, db.FilterPublic, func(ctx context.Context, v db.Viewer, p db.Page) (db.Timeline, error) {
		return a.DB.PublicTimeline(ctx, v, f, p)
	})
}

// mayReadPublic refuses the public and hashtags' timelines to strangers, if the
// settings restrict them.
func (a *Timelines) mayReadPublic(c *gin.Context, local bool) error {
	s := a.Settings.Load()
	restriction := s.Restrict.TimelinesFederated
	if local {
		restriction = s.Restrict.TimelinesLocal
	}
	if web.Caller(c) == nil && s.Restricts(restriction) {
		return fault.Unauthenticated("authorization required for timeline view")
	}
	return nil
}

// Tag is GET /api/v1/timelines/tag/:tag.
func (a *Timelines) Tag(c *gin.Context) error {
	var q struct {
		Any  []string `json:"any"`
		All  []string `json:"all"`
		None []string `json:"none"`
	}
	f, err := a.bindTimeline(c, &q)
	if err != nil {
		return err
	}
	f.ReplyVisibility, f.Remote, f.Host = "", false, ""
	if err := a.mayReadPublic(c, f.Local); err != nil {
		return err
	}
	tags := db.TagFilter{Any: tagNames(append([]string{c.Param("tag")}, q.Any...)), All: tagNames(q.All), None: tagNames(q.None)}
	return a.timeline(c, db.FilterPublic, func(ctx context.Context, v db.Viewer, p db.Page) (db.Timeline, error) {
		return a.DB.TagTimeline(ctx, v, tags, f, p)
	})
}

// tagNames returns hashtags in stored form, each once, up to a number.
func tagNames(names []string) []string {
	var out []string
	for _, name := range names {
		name = text.Tag(name)
		if name != "" && !slices.Contains(out, name) && len(out) < db.MaxTags {
			out = append(out, name)
		}
	}
	return out
}

// List is GET /api/v1/timelines/list/:id.
func (a *Timelines) List(c *gin.Context) error {
	f, err := a.bindTimeline(c)
	if err != nil {
		return err
	}
	list, err := a.list(c)
	if errors.Is(err, db.ErrNotFound) || fault.Is(err, fault.KindNotFound) {
		return fault.Forbidden("Error.")
	}
	if err != nil {
		return err
	}
	f = db.TimelineFilter{WithMuted: f.WithMuted, ExcludeVisibilities: f.ExcludeVisibilities, OnlyMedia: f.OnlyMedia}
	return a.timeline(c, db.FilterHome, func(ctx context.Context, v db.Viewer, p db.Page) (db.Timeline, error) {
		return a.DB.ListTimeline(ctx, v, list.ID, f, p)
	})
}

// Direct is GET /api/v1/timelines/direct.
func (a *Timelines) Direct(c *gin.Context) error {
	f, err := a.bindTimeline(c)
	if err != nil {
		return err
	}
	f = db.TimelineFilter{WithMuted: f.WithMuted, ExcludeVisibilities: f.ExcludeVisibilities}
	return a.timeline(c, db.FilterHome, func(ctx context.Context, v db.Viewer, p db.Page) (db.Timeline, error) {
		return a.DB.DirectTimeline(ctx, v, f, p)
	})
}

// Account is GET /api/v1/accounts/:id/statuses; the id may be a
// nickname.
func (a *Timelines) Account(c *gin.Context) error {
	var q struct {
		Pinned              api.Bool `json:"pinned"`
		Tagged              string   `json:"tagged"`
		OnlyMedia           api.Bool `json:"only_media"`
		ExcludeReblogs      api.Bool `json:"exclude_reblogs"`
		ExcludeReplies      api.Bool `json:"exclude_replies"`
		ExcludeVisibilities []string `json:"exclude_visibilities"`
		WithMuted           api.Bool `json:"with_muted"`
	}
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	id, err := a.statusesOf(c)
	if err != nil {
		return err
	}
	f := db.AccountFilter{
		ExcludeReblogs: bool(q.ExcludeReblogs), ExcludeReplies: bool(q.ExcludeReplies), OnlyMedia: bool(q.OnlyMedia),
		Pinned: bool(q.Pinned), Tagged: text.Tag(q.Tagged), ExcludeVisibilities: known(q.ExcludeVisibilities), WithMuted: bool(q.WithMuted),
	}
	return a.timeline(c, db.FilterAccount, func(ctx context.Context, v db.Viewer, p db.Page) (db.Timeline, error) {
		refs, err := a.DB.AccountStatuses(ctx, v, id, f, p)
		return db.Timeline{Refs: refs}, err
	})
}
