package clientapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/media"
)

// Limits that no setting has.
const (
	factsLife = time.Minute
	factsWait = 10 * time.Second
	maxPeers  = 10000
	month     = 30 * 24 * time.Hour
	// activityWeeks is the number of weeks of the activity.
	activityWeeks = 12
	// maxMedia and perURL are for clients that need a number: attachments have
	// no bound, and a link counts by its length.
	maxMedia = 16
	perURL   = 0
	// unbounded is the number for clients that need one where there is no
	// bound.
	unbounded = 1<<31 - 1
)

// features tell clients which extensions they may use.
func features(s *config.Settings) []string {
	out := []string{
		"svc_api", "mastodon_api", "mastodon_api_streaming", "polls", "svc_explicit_addressing", "shareable_emoji_packs", "multifetch",
		"svc:api/v1/notifications:include_types_filter", "svc_emoji_reactions", "svc_chat_messages",
	}
	if s.MediaProxy.Enabled {
		out = append(out, "media_proxy")
	}
	if s.ChatRoom {
		out = append(out, "chat")
	}
	if s.Instance.AllowRelay {
		out = append(out, "relay")
	}
	if s.Instance.SafeDMMentions {
		out = append(out, "safe_dm_mentions")
	}
	return out
}

// facts are counted once a minute.
type facts struct {
	at    time.Time
	stats db.Stats
	peers []string
	staff []string
	// contact is the contact account of the instance, nil for none.
	contact  *db.Account
	activity []db.ActivityWeek
	// activeMonth is how many local accounts posted or signed in within thirty days.
	activeMonth int64
}

// written are the documents that the instance has of its own.
type written struct{ terms, privacy bool }

// described is the rendered description, for the facts and settings it was
// made from.
type described struct {
	facts    *facts
	settings *config.Settings
	house    *houseRules
	written  written // of v2 alone
	json     json.RawMessage
}

// facts returns counts that are at most a minute old or, during another
// request's count, the last ones.
func (a *Instance) facts(ctx context.Context) (*facts, error) {
	known := a.counted.Load()
	if known != nil && a.Now().Sub(known.at) < factsLife {
		return known, nil
	}
	if known == nil {
		a.counting.Lock()
	} else if !a.counting.TryLock() {
		return known, nil
	}
	defer a.counting.Unlock()
	if newer := a.counted.Load(); newer != known {
		return newer, nil
	}
	// Other requests wait for the count, so it goes on when the caller leaves.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), factsWait)
	defer cancel()
	f := &facts{at: a.Now()}
	var err error
	if f.stats, err = a.DB.Stats(ctx); err != nil {
		return nil, err
	}
	if f.peers, err = a.DB.Peers(ctx, maxPeers); err != nil {
		return nil, err
	}
	if f.staff, err = a.DB.Staff(ctx); err != nil {
		return nil, err
	}
	if f.contact, err = a.DB.Contact(ctx); err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	if f.activity, err = a.DB.Activity(ctx, activityWeeks); err != nil {
		return nil, err
	}
	if f.activeMonth, err = a.DB.ActiveUsers(ctx, db.At(a.Now().Add(-month))); err != nil {
		return nil, err
	}
	a.counted.Store(f)
	return f, nil
}

// Stats returns the public counts of the instance, at most a minute old.
func (a *Instance) Stats(ctx context.Context) (db.Stats, error) {
	f, err := a.facts(ctx)
	if err != nil {
		return db.Stats{}, err
	}
	return f.stats, nil
}

// Get is GET /api/v1/instance.
func (a *Instance) Get(c *gin.Context) error {
	f, err := a.facts(c.Request.Context())
	if err != nil {
		return err
	}
	house, err := a.rules(c.Request.Context())
	if err != nil {
		return err
	}
	s := a.Settings.Load()
	if d := a.described.Load(); d != nil && d.facts == f && d.settings == s && d.house == house {
		return web.OK(c, d.json)
	}
	of := a.describe(s, f)
	of.Rules = house.list
	key, err := a.Push.PublicKey(c.Request.Context())
	if err != nil {
		return err
	}
	of.VAPIDPublicKey, of.Svc.VAPIDPublicKey = optional(key), optional(key)
	raw, err := json.Marshal(of)
	if err != nil {
		return err
	}
	a.described.Store(&described{facts: f, settings: s, house: house, json: raw})
	return web.OK(c, json.RawMessage(raw))
}

func (a *Instance) describe(s *config.Settings, f *facts) api.Instance {
	i := s.Instance
	var contact *api.Account
	if f.contact != nil && !s.Restricts(s.Restrict.ProfilesLocal) {
		shown := a.View.Account(f.contact)
		contact = &shown
	}
	return api.Instance{
		ContactAccount: contact,
		URI:            a.Site.Base, Title: i.Name, ShortDescription: i.Description, Description: i.Description, Email: i.Email,
		Version:   "2.7.2 (compatible; " + a.Site.Words.Title() + " " + a.Version + ")",
		URLs:      api.InstanceURLs{StreamingAPI: "ws" + strings.TrimPrefix(a.Site.Base, "http")},
		Stats:     api.InstanceStats{UserCount: f.stats.Users, StatusCount: f.stats.Statuses, DomainCount: f.stats.Domains},
		Thumbnail: a.absolute(i.InstanceThumbnail), Languages: []string{"en"},
		Registrations: i.RegistrationsOpen, ApprovalRequired: i.AccountApprovalRequired, InvitesEnabled: i.InvitesEnabled,
		Configuration: api.InstanceConfiguration{
			Statuses: api.StatusConfiguration{MaxCharacters: i.Limit, MaxMediaAttachments: maxMedia, CharactersReservedPerURL: perURL},
			MediaAttachments: api.MediaConfiguration{
				SupportedMimeTypes: media.Mimes(),
				ImageSizeLimit:     int64(i.UploadLimit), VideoSizeLimit: int64(i.UploadLimit),
				ImageMatrixLimit: unbounded, VideoMatrixLimit: unbounded, VideoFrameRateLimit: unbounded,
			},
			Polls: api.PollConfiguration{
				MaxOptions: i.Poll.MaxOptions, MaxCharactersPerOption: i.Poll.MaxOptionChars,
				MinExpiration: int64(i.Poll.MinExpiration / time.Second), MaxExpiration: int64(i.Poll.MaxExpiration / time.Second),
			},
		},
		MaxTootChars: i.Limit, PollLimits: pollLimits(i.Poll),
		UploadLimit: int64(i.UploadLimit), AvatarUploadLimit: int64(i.AvatarUploadLimit),
		BackgroundUploadLimit: int64(i.BackgroundUploadLimit), BannerUploadLimit: int64(i.BannerUploadLimit),
		BackgroundImage: a.absolute(i.BackgroundImage), ChatLimit: i.ChatLimit, DescriptionLimit: i.DescriptionLimit,
		Svc: api.InstanceSvc{Metadata: api.InstanceMetadata{
			AccountActivationRequired: i.AccountActivationRequired, Features: features(s), Federation: federation(s),
			FieldsLimits: api.FieldsLimits{
				MaxFields: i.MaxAccountFields, MaxRemoteFields: i.MaxRemoteAccountFields,
				NameLength: i.AccountFieldNameLength, ValueLength: i.AccountFieldValueLength,
			},
			PostFormats: i.AllowedPostFormats,
		}},
	}
}

func (a *Instance) absolute(path string) string {
	if strings.HasPrefix(path, "/") {
		return a.Site.Base + path
	}
	return path
}

func pollLimits(p config.Poll) api.PollLimits {
	return api.PollLimits{
		MaxOptions: p.MaxOptions, MaxOptionChars: p.MaxOptionChars,
		MinExpiration: int64(p.MinExpiration / time.Second), MaxExpiration: int64(p.MaxExpiration / time.Second),
	}
}

// Peers is GET /api/v1/instance/peers.
func (a *Instance) Peers(c *gin.Context) error {
	f, err := a.facts(c.Request.Context())
	if err != nil {
		return err
	}
	return web.OK(c, api.List[string](f.peers))
}

const nodeInfoSchema = "http://nodeinfo.diaspora.software/ns/schema/"

// NodeInfoLinks is GET /.well-known/nodeinfo.
func (a *Instance) NodeInfoLinks(c *gin.Context) error {
	var out api.NodeInfoLinks
	for _, version := range []string{"2.0", "2.1"} {
		out.Links = append(out.Links, api.NodeInfoLink{Rel: nodeInfoSchema + version, Href: a.Site.Base + "/nodeinfo/" + version + ".json"})
	}
	return web.OK(c, out)
}

// NodeInfo is GET /nodeinfo/:version, which may end in .json. Shape: nodeinfo
// 2.0 and 2.1.
func (a *Instance) NodeInfo(c *gin.Context) error {
	version := strings.TrimSuffix(c.Param("version"), ".json")
	if version != "2.0" && version != "2.1" {
		return fault.NotFound("Nodeinfo schema version not handled")
	}
	f, err := a.facts(c.Request.Context())
	if err != nil {
		return err
	}
	raw, err := json.Marshal(a.nodeInfo(version, a.Settings.Load(), f))
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, `application/json; profile="`+nodeInfoSchema+version+`#"; charset=utf-8`, raw)
	return nil
}

func (a *Instance) nodeInfo(version string, s *config.Settings, f *facts) api.NodeInfo {
	i := s.Instance
	staff := f.staff
	if s.Restricts(s.Restrict.ProfilesLocal) {
		staff = nil
	}
	return api.NodeInfo{
		Version: version, Software: api.NodeInfoSoftware{Name: a.Site.Words.Name(), Version: a.Version}, Protocols: []string{"activitypub"}, OpenRegistrations: i.RegistrationsOpen,
		Usage: api.NodeInfoUsage{Users: api.NodeInfoUsers{Total: f.stats.Users}, LocalPosts: f.stats.Statuses},
		Metadata: api.NodeInfoMetadata{
			NodeName: i.Name, NodeDescription: i.Description, Private: !i.Public, StaffAccounts: staff,
			Federation: federation(s), PollLimits: pollLimits(i.Poll), PostFormats: i.AllowedPostFormats,
			UploadLimits: api.NodeInfoUploadLimits{
				General: int64(i.UploadLimit), Avatar: int64(i.AvatarUploadLimit),
				Banner: int64(i.BannerUploadLimit), Background: int64(i.BackgroundUploadLimit),
			},
			FieldsLimits: api.NodeInfoFieldsLimits{
				MaxFields: i.MaxAccountFields, MaxRemoteFields: i.MaxRemoteAccountFields,
				NameLength: i.AccountFieldNameLength, ValueLength: i.AccountFieldValueLength,
			},
			AccountActivationRequired: i.AccountActivationRequired, InvitesEnabled: i.InvitesEnabled, MailerEnabled: s.Mailer.On(),
			Features: features(s), RestrictedNicknames: s.User.RestrictedNicknames, SkipThreadContainment: i.SkipThreadContainment,
			Upstream: api.NodeInfoUpstream{Name: "mastodon"},
		},
	}
}
