// Package clientapi holds the handlers of the client API: that of Mastodon
// 2.7.2 with the service's extensions, and OAuth. A handler decodes, calls one
// operation or query, and renders; rules are elsewhere.
package clientapi

import (
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/emoji"
	"svc/server/platform/media"
	"svc/server/platform/rights"
	"svc/server/platform/static"
	"svc/server/rules/archive"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/ingest"
	"svc/server/rules/login"
	"svc/server/rules/moderation"
	"svc/server/rules/push"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// Parts are the dependencies of the API.
type Parts struct {
	DB         *db.DB
	View       *view.View
	Social     *social.Service
	Auth       *auth.Service
	Standings  *auth.Standings
	Login      *login.Service
	Signup     *signup.Service
	Moderation *moderation.Service
	Emojis     *emoji.Live
	Chats      *chats.Service
	Media      *media.Service
	Proxy      *media.Proxy
	Archive    *archive.Service
	Push       *push.Service
	Static     *static.Folder
	Remote     *remote.Service
	Ingest     *ingest.Service
	Settings   *config.Live
	Rights     *rights.Service
	Site       config.Site
	Version    string
	Now        func() time.Time
}

// API answers the client API's requests, a noun at a time. The methods of nouns
// are web.Handlers; package server lists their paths and scopes.
type API struct {
	Accounts          Accounts
	Announcements     Announcements
	Backups           Backups
	Chats             Chats
	Conversations     Conversations
	Credentials       Credentials
	Emojis            Emojis
	Filters           Filters
	FiltersV2         FiltersV2
	Instance          Instance
	Lists             Lists
	MFA               MFA
	Media             Media
	Notifications     Notifications
	OAuth             OAuth
	Polls             Polls
	Push              Push
	Registration      Registration
	Relationships     Relationships
	Reports           Reports
	SSHKeys           SSHKeys
	ScheduledStatuses ScheduledStatuses
	Scrobbles         Scrobbles
	Search            Search
	Statuses          Statuses
	Tags              Tags
	Timelines         Timelines

	view *view.View
}

// New returns an API.
func New(p Parts) *API {
	s := &shared{p.DB, p.View, p.Settings, p.Site}
	u, r := uploads{s, p.Media}, resolver{s, p.Remote, p.Ingest}
	api := &API{
		Accounts:          Accounts{u, p.Social, p.Auth, p.Standings, p.Rights},
		Announcements:     Announcements{s, p.Social, p.Now},
		Backups:           Backups{p.Archive},
		Chats:             Chats{s, p.Chats},
		Conversations:     Conversations{s, p.Social},
		Credentials:       Credentials{p.Auth, p.Signup, p.Social},
		Emojis:            Emojis{Emojis: p.Emojis},
		Filters:           Filters{s, p.Social},
		FiltersV2:         FiltersV2{s, p.Social},
		Instance:          Instance{shared: s, Push: p.Push, Static: p.Static, Version: p.Version, Now: p.Now},
		Lists:             Lists{s, p.Social},
		MFA:               MFA{p.Auth},
		Media:             Media{u, p.Proxy, p.Archive},
		Notifications:     Notifications{s, p.Social},
		OAuth:             OAuth{p.Site, p.Auth, p.Login, p.Push},
		Polls:             Polls{s, p.Social, p.Ingest},
		Push:              Push{p.Push},
		Registration:      Registration{p.Signup},
		Relationships:     Relationships{r, p.Social},
		Reports:           Reports{p.Moderation, p.View},
		SSHKeys:           SSHKeys{p.Auth},
		ScheduledStatuses: ScheduledStatuses{s, p.Social},
		Scrobbles:         Scrobbles{s, p.Social},
		Search:            Search{r},
		Statuses:          Statuses{s, p.Social, p.Moderation},
		Tags:              Tags{s, p.Social},
		Timelines:         Timelines{s},
		view:              p.View,
	}
	p.DB.Subscribe(func(topic, _ string) { api.Instance.heard(topic) })
	return api
}

// shared is a part of most nouns: it reads and renders accounts, statuses and
// timelines for the caller.
type shared struct {
	DB       *db.DB
	View     *view.View
	Settings *config.Live
	Site     config.Site
}

// uploads reads files and pictures of forms.
type uploads struct {
	*shared
	Media *media.Service
}

// resolver fetches unknown accounts and statuses from other servers.
type resolver struct {
	*shared
	Remote *remote.Service
	Ingest *ingest.Service
}

// The nouns. Their fields are all the dependencies of their handlers.

type (
	// Accounts answers about accounts, and changes the caller's own.
	Accounts struct {
		uploads
		Social    *social.Service
		Auth      *auth.Service
		Standings *auth.Standings
		Rights    *rights.Service
	}
	// Announcements answers about what the admins announce, and takes reactions.
	Announcements struct {
		*shared
		Social *social.Service
		Now    func() time.Time
	}
	// Backups makes archives of the caller's account.
	Backups struct{ Archive *archive.Service }
	// Chats answers about chats and their messages.
	Chats struct {
		*shared
		Chats *chats.Service
	}
	// Conversations answers about threads of direct statuses.
	Conversations struct {
		*shared
		Social *social.Service
	}
	// Credentials changes passwords and addresses, and ends accounts.
	Credentials struct {
		Auth   *auth.Service
		Signup *signup.Service
		Social *social.Service
	}
	// Emojis answers about custom emoji and their packs.
	Emojis struct {
		Emojis *emoji.Live
		listed atomic.Pointer[listedEmojis]
	}
	// Filters keeps the caller's filters of statuses.
	Filters struct {
		*shared
		Social *social.Service
	}
	// Tags keeps the hashtags that the caller follows.
	Tags struct {
		*shared
		Social *social.Service
	}
	// FiltersV2 keeps them with keywords and statuses.
	FiltersV2 struct {
		*shared
		Social *social.Service
	}
	// Instance describes this server, with numbers that are counted once a minute.
	Instance struct {
		*shared
		Push    *push.Service
		Static  *static.Folder
		Version string
		Now     func() time.Time

		counted     atomic.Pointer[facts]
		documents   sync.Map // *shownDocument by name
		house       atomic.Pointer[houseRules]
		rulesEpoch  atomic.Int64 // counts the changes of the rules that were heard of
		counting    sync.Mutex
		described   atomic.Pointer[described]
		describedV2 atomic.Pointer[described]
	}
	// Lists keeps the caller's lists of accounts.
	Lists struct {
		*shared
		Social *social.Service
	}
	// MFA sets up second factors, and takes their codes.
	MFA struct{ Auth *auth.Service }
	// Media takes uploads, and sends files.
	Media struct {
		uploads
		Proxy   *media.Proxy
		Archive *archive.Service
	}
	// Notifications answers about notifications, and stores read markers.
	Notifications struct {
		*shared
		Social *social.Service
	}
	// OAuth registers apps, and issues tokens.
	OAuth struct {
		Site  config.Site
		Auth  *auth.Service
		Login *login.Service
		Push  *push.Service
	}
	// Polls answers about polls, and takes votes.
	Polls struct {
		*shared
		Social *social.Service
		Ingest *ingest.Service
	}
	// Push keeps the devices that notifications are pushed to.
	Push struct{ Push *push.Service }
	// Registration creates accounts, and mails links for lost passwords and
	// confirmations.
	Registration struct{ Signup *signup.Service }
	// Relationships changes the caller's relations to other accounts.
	Relationships struct {
		resolver
		Social *social.Service
	}
	// Reports takes reports for moderators.
	Reports struct {
		Moderation *moderation.Service
		View       *view.View
	}
	// SSHKeys keeps the keys with which the caller signs in over SSH.
	SSHKeys struct{ Auth *auth.Service }
	// ScheduledStatuses keeps statuses that are posted later.
	ScheduledStatuses struct {
		*shared
		Social *social.Service
	}
	// Scrobbles answers about the music that accounts listen to.
	Scrobbles struct {
		*shared
		Social *social.Service
	}
	// Search finds accounts, statuses and hashtags.
	Search struct{ resolver }
	// Statuses posts, reads, changes and marks statuses.
	Statuses struct {
		*shared
		Social     *social.Service
		Moderation *moderation.Service
	}
	// Timelines reads lists of statuses, newest first.
	Timelines struct{ *shared }
)

// ForReader makes h answer in the form that suits the caller and their app.
func (a *API) ForReader(h web.Handler) web.Handler {
	return func(c *gin.Context) error {
		if shape := a.view.Reader(web.Caller(c)); shape != nil {
			web.Reshape(c, shape)
		}
		return h(c)
	}
}

// None answers with an empty list, for kinds that this server does not have.
func None(c *gin.Context) error { return web.OK(c, json.RawMessage("[]")) }
