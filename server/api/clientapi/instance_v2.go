package clientapi

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/static"
)

// sourceURL is where the source code is: nowhere that is known.
const sourceURL = ""

// GetV2 is GET /api/v2/instance.
func (a *Instance) GetV2(c *gin.Context) error {
	f, err := a.facts(c.Request.Context())
	if err != nil {
		return err
	}
	house, err := a.rules(c.Request.Context())
	if err != nil {
		return err
	}
	s, texts := a.Settings.Load(), written{terms: a.Static.Written(static.Terms), privacy: a.Static.Written(static.Privacy)}
	if d := a.describedV2.Load(); d != nil && d.facts == f && d.settings == s && d.house == house && d.written == texts {
		return web.OK(c, d.json)
	}
	of := a.describeV2(a.describe(s, f), s, f)
	of.Rules = house.list
	if texts.terms {
		of.Configuration.URLs.TermsOfService = optional(a.Site.Base + static.Terms.Path)
	}
	if texts.privacy {
		of.Configuration.URLs.PrivacyPolicy = optional(a.Site.Base + static.Privacy.Path)
	}
	if of.Configuration.VAPID.PublicKey, err = a.Push.PublicKey(c.Request.Context()); err != nil {
		return err
	}
	raw, err := json.Marshal(of)
	if err != nil {
		return err
	}
	a.describedV2.Store(&described{facts: f, settings: s, house: house, written: texts, json: raw})
	return web.OK(c, json.RawMessage(raw))
}

// describeV2 says of the server what v1 says, in the newer form.
func (a *Instance) describeV2(v1 api.Instance, s *config.Settings, f *facts) api.InstanceV2 {
	i := s.Instance
	host := a.Site.Host
	if u, err := url.Parse(a.Site.Base); err == nil {
		host = cmp.Or(u.Host, host)
	}
	access := func(local, remote config.Restriction) api.FeedAccess {
		return api.FeedAccess{Local: feed(s.Restricts(local)), Remote: feed(s.Restricts(remote))}
	}
	feeds := access(s.Restrict.TimelinesLocal, s.Restrict.TimelinesFederated)
	return api.InstanceV2{
		Domain: host, Title: v1.Title, Version: strings.Replace(v1.Version, "2.7.2", "4.2.0", 1), SourceURL: sourceURL,
		Description: v1.ShortDescription, Usage: api.InstanceUsage{Users: api.InstanceUsers{ActiveMonth: f.activeMonth}},
		Thumbnail: api.InstanceThumbnail{URL: v1.Thumbnail}, Languages: v1.Languages,
		Configuration: api.InstanceV2Configuration{
			URLs: api.InstanceV2URLs{Streaming: v1.URLs.StreamingAPI, About: optional(a.Site.Base + "/about")},
			Accounts: api.AccountConfiguration{
				MaxPinnedStatuses: i.MaxPinnedStatuses, MaxProfileFields: i.MaxAccountFields,
				ProfileFieldNameLimit: i.AccountFieldNameLength, ProfileFieldValueLimit: i.AccountFieldValueLength,
				MaxDisplayNameLength: i.UserNameLength, MaxNoteLength: i.UserBioLength,
			},
			Statuses:         v1.Configuration.Statuses,
			MediaAttachments: api.MediaV2Configuration{MediaConfiguration: v1.Configuration.MediaAttachments, DescriptionLimit: i.DescriptionLimit},
			Polls:            v1.Configuration.Polls,
			TimelinesAccess:  api.TimelinesAccess{LiveFeeds: feeds, HashtagFeeds: feeds, TrendingLinkFeeds: api.FeedAccess{Local: "disabled", Remote: "disabled"}},
		},
		Registrations: api.InstanceRegistrations{Enabled: v1.Registrations, ApprovalRequired: v1.ApprovalRequired, ReasonRequired: v1.ApprovalRequired},
		Contact:       api.InstanceContact{Email: v1.Email, Account: v1.ContactAccount},
	}
}

// feed says who may read a feed.
func feed(restricted bool) string {
	if restricted {
		return "authenticated"
	}
	return "public"
}
