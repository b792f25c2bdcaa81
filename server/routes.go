package server

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"svc/server/api/adminapi"
	"svc/server/api/clientapi"
	"svc/server/api/pages"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/rights"
)

// Access is the kind of callers that a route serves, for the table of routes
// and its tests.
type Access string

// The kinds of access.
const (
	Public   Access = "public"   // anybody
	Optional Access = "optional" // anybody; a user with the scope sees more
	User     Access = "user"     // a user's token with one of the scopes
	Token    Access = "token"    // any token with one of the scopes
	App      Access = "app"      // an app's own token
	Admin    Access = "admin"    // a token with the admin scope, of an admin or a moderator with the right
	OAuth    Access = "oauth"    // apps that show their client id and secret
	Stream   Access = "stream"   // anybody, or a token with the scope of the stream; answered for as long as the client stays
	Page     Access = "page"     // HTML for browsers, with its own sign-in

	Federation Access = "federation" // other servers, known by their signatures
)

// Route is one line of the table.
type Route struct {
	Method, Path string
	Access       Access
	Scopes       []string
	Right        rights.Right // of an admin route
	Limits       []web.Limit  // how often, where the settings say
	long         func() int64
	file         bool
	handler      web.Handler
}

// limit adds rate limits to a route.
func (r *Route) limit(limits ...web.Limit) *Route {
	r.Limits = append(r.Limits, limits...)
	return r
}

// sends says that a route answers with a file, which may take its time.
func (r *Route) sends() { r.file = true }

// body lets a route's bodies be longer than others, in bytes.
func (r *Route) body(limit func() int64) { r.long = limit }

// Routes is the table, in the order it was written.
func (s *Server) Routes() []Route { return s.routes }

// route builds the table: every path of the service, with its kind of access.
func (s *Server) route(client *clientapi.API, admin *adminapi.Parts, html *pages.Pages, guard *web.Guard, each []gin.HandlerFunc) {
	add := func(access Access, method, path string, h web.Handler, scopes ...string) *Route {
		s.routes = append(s.routes, Route{Method: method, Path: path, Access: access, Scopes: scopes, handler: h})
		return &s.routes[len(s.routes)-1]
	}
	var (
		signingIn    = web.Limit{Bucket: config.BucketAuthentication, Kind: "authorize"}
		password     = web.Limit{Bucket: config.BucketAuthentication, Kind: "token", Name: "grant_type", Value: "password"}
		newApp       = web.Limit{Bucket: config.BucketAccountCreation, Kind: "apps"}
		appToken     = web.Limit{Bucket: config.BucketAccountCreation, Kind: "app tokens", Name: "grant_type", Value: "client_credentials"}
		secondFactor = web.Limit{Bucket: config.BucketAuthentication, Kind: "mfa"}
		registering  = web.Limit{Bucket: config.BucketAccountCreation}
		captcha      = web.Limit{Bucket: config.BucketCaptcha}
		resending    = web.Limit{Bucket: config.BucketConfirmationResend}
		resetting    = web.Limit{Bucket: config.BucketPasswordReset}
		search       = web.Limit{Bucket: config.BucketSearch}
		relations    = web.Limit{Bucket: config.BucketRelations}
		relation     = web.Limit{Bucket: config.BucketRelation, Param: "id"}
		statuses     = web.Limit{Bucket: config.BucketStatuses}
		reblogs      = web.Limit{Bucket: config.BucketStatus, Kind: "reblogs", Param: "id"}
		uploads      = web.Limit{Bucket: config.BucketUploads}
		likes        = web.Limit{Bucket: config.BucketStatus, Kind: "likes", Param: "id"}
	)
	docs, document := s.documents, []web.Limit{{Bucket: config.BucketDocument, Param: "uuid"}}
	timeline := func(kind string) web.Limit { return web.Limit{Bucket: config.BucketTimeline, Kind: kind} }
	const get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete

	// The service itself.
	add(Public, get, "/healthz", s.health)
	add(Public, get, "/readyz", s.ready)
	add(Public, get, "/health", s.up)
	add(Public, get, "/images/:name", s.image)
	add(Public, get, "/instance/thumbnail.jpeg", s.thumbnail)
	add(Public, get, "/instance/panel.html", s.panel)
	add(Public, get, "/svc/admin", s.adminFront)
	add(Public, get, "/svc/admin/*path", s.adminFront)
	add(Public, get, "/static/*path", s.static)
	add(Public, get, "/emoji/*path", s.emoji)
	add(Public, get, "/favicon.png", s.favicon)
	add(Public, get, "/favicon.ico", s.favicon)
	add(Public, get, "/robots.txt", html.Robots)
	add(Public, get, "/web/manifest.json", html.Manifest)
	add(Public, get, "/pages/style.css", html.Style)

	// Public pages.
	add(Page, get, "/", s.fronted(html.Front))
	add(Page, get, "/about", s.fronted(html.About))
	add(Page, get, "/main/public", s.fronted(html.Local))
	add(Page, get, "/tag/:tag", s.fronted(html.Tag))
	add(Page, get, "/users/:nickname", s.fronted(html.ForPeople(html.Profile, docs.Actor)))
	add(Page, get, "/@:nickname", s.fronted(html.At))
	add(Page, get, "/notice/:id", s.fronted(html.ForPeople(html.Notice, docs.Notice)))
	add(Page, get, "/objects/:uuid", html.ForPeople(html.Object, s.limiter.Wrap(document, docs.Object)))
	add(Page, get, "/activities/:uuid", html.ForPeople(html.Object, s.limiter.Wrap(document, docs.Activity)))
	add(Page, get, "/ostatus_subscribe", html.Follow)
	add(Public, get, "/users/:nickname/feed", html.AccountFeed)
	add(Public, get, "/users/:nickname/feed.atom", html.AccountFeed)
	add(Public, get, "/tags/:tag", html.TagFeed)

	// Documents for other servers.
	add(Federation, get, "/users/:nickname/outbox", docs.Outbox)
	add(Federation, get, "/users/:nickname/followers", docs.Followers)
	add(Federation, get, "/users/:nickname/following", docs.Following)
	add(Federation, get, "/users/:nickname/collections/featured", docs.Featured)
	add(Federation, get, "/objects/:uuid/replies", docs.Replies).limit(document...)
	add(Federation, get, "/objects/:uuid/quotes/:quote", docs.Quote).limit(document...)
	add(Federation, get, "/contexts/:uuid", docs.Thread)
	add(Federation, get, "/relay", docs.Relay)
	add(Federation, get, "/relay/outbox", docs.RelayOutbox)
	add(Federation, get, "/relay/followers", docs.RelayFollowers)
	add(Federation, get, "/relay/following", docs.RelayFollowing)
	add(Federation, get, "/internal/fetch", docs.Fetcher)
	add(Federation, get, "/internal/fetch/outbox", docs.FetcherOutbox)
	add(Federation, get, "/internal/fetch/followers", docs.FetcherFollowers)
	add(Federation, get, "/internal/fetch/following", docs.FetcherFollowing)

	// Activities from other servers.
	add(Federation, post, "/inbox", s.inbox.Shared)
	add(Federation, post, "/users/:nickname/inbox", s.inbox.Personal)
	add(Federation, post, "/relay/inbox", s.inbox.Shared)
	add(Federation, post, "/internal/fetch/inbox", s.inbox.Shared)

	// OAuth: apps, tokens, and the page that asks people.
	add(Public, post, "/api/v1/apps", client.OAuth.CreateApp).limit(newApp)
	add(Token, get, "/api/v1/apps/verify_credentials", client.OAuth.VerifyApp, "read")
	add(OAuth, post, "/oauth/token", client.OAuth.Token).limit(password, appToken)
	add(OAuth, post, "/oauth/revoke", client.OAuth.Revoke)
	add(OAuth, post, "/oauth/mfa/challenge", client.MFA.AnswerChallenge).limit(secondFactor)
	add(User, get, "/api/oauth_tokens", client.OAuth.Tokens)
	add(User, del, "/api/oauth_tokens/:id", client.OAuth.DeleteToken)
	add(Public, get, "/.well-known/oauth-authorization-server", client.OAuth.Server(sync.OnceValue(s.scopes)))
	add(Page, get, "/oauth/authorize", html.Authorize)
	add(Page, post, "/oauth/authorize", html.Consent).limit(signingIn)
	add(Page, get, "/oauth/mfa", html.Code)
	add(Page, post, "/oauth/mfa/verify", html.VerifyCode).limit(secondFactor)
	add(Page, post, "/auth/sign_out", html.SignOut)
	add(Page, del, "/auth/sign_out", html.SignOut)

	// Registering, and getting in again.
	add(App, post, "/api/v1/accounts", client.Registration.Register).limit(registering)
	add(Public, get, "/api/svc/captcha", client.Registration.Captcha).limit(captcha)
	add(Public, post, "/api/v1/svc/accounts/confirmation_resend", client.Registration.ResendConfirmation).limit(resending)
	add(Page, get, "/registration", html.SignUp).limit(captcha)
	add(Page, get, "/registration/:token", html.SignUp).limit(captcha)
	add(Page, post, "/registration", html.Register).limit(registering)
	add(Page, get, "/auth/confirmation", html.Unconfirmed)
	add(Page, post, "/auth/confirmation", html.Resend).limit(resending)
	add(Page, get, "/auth/password", html.ForgotPassword)
	add(Public, post, "/auth/password", html.RequestReset(client.Registration.RequestPasswordReset)).limit(resetting)
	add(Page, get, "/api/svc/password_reset/:token", html.Reset)
	add(Page, post, "/api/svc/password_reset", html.ChoosePassword).limit(resetting)
	add(Page, get, "/api/account/confirm_email/:user_id/:token", html.ConfirmEmail)

	// Credentials of an account, and its deletion.
	add(User, post, "/api/svc/change_password", client.Credentials.ChangePassword, "write:accounts")
	add(User, post, "/api/svc/change_email", client.Credentials.ChangeEmail, "write:accounts")
	add(User, post, "/api/svc/delete_account", client.Credentials.DeleteAccount, "write:accounts")
	add(User, get, "/api/svc/aliases", client.Credentials.Aliases, "read:accounts")
	add(User, put, "/api/svc/aliases", client.Credentials.AddAlias, "write:accounts")
	add(User, del, "/api/svc/aliases", client.Credentials.RemoveAlias, "write:accounts")
	add(User, post, "/api/svc/move_account", client.Credentials.Move, "write:accounts")
	add(User, del, "/api/svc/move_account", client.Credentials.CancelMove, "write:accounts")
	add(User, post, "/api/svc/disable_account", client.Credentials.DisableAccount, "write:accounts")
	add(User, get, "/api/svc/accounts/mfa", client.MFA.Settings, "read:security")
	add(User, get, "/api/svc/accounts/mfa/setup/:method", client.MFA.SetUp, "write:security")
	add(User, post, "/api/svc/accounts/mfa/confirm/:method", client.MFA.Confirm, "write:security")
	add(User, del, "/api/svc/accounts/mfa", client.MFA.Remove, "write:security")
	add(User, del, "/api/svc/accounts/mfa/:method", client.MFA.Remove, "write:security")
	add(User, get, "/api/svc/accounts/mfa/backup_codes", client.MFA.BackupCodes, "write:security")

	add(User, get, "/api/svc/ssh_keys", client.SSHKeys.List, "read:security")
	add(User, post, "/api/svc/ssh_keys", client.SSHKeys.Add, "write:security")
	add(User, del, "/api/svc/ssh_keys/:id", client.SSHKeys.Delete, "write:security")

	add(User, get, "/api/v1/svc/backups", client.Backups.List, "read")
	add(User, post, "/api/v1/svc/backups", client.Backups.Start, "read")

	// Accounts and their relationships.
	add(User, get, "/api/v1/accounts/verify_credentials", client.Accounts.VerifyCredentials, "read:accounts", "profile")
	add(User, get, "/oauth/userinfo", client.Accounts.UserInfo, "profile", "read:accounts")
	add(User, post, "/oauth/userinfo", client.Accounts.UserInfo, "profile", "read:accounts")
	add(User, patch, "/api/v1/accounts/update_credentials", client.Accounts.UpdateCredentials, "write:accounts").body(client.Accounts.ProfileBody)
	add(User, get, "/api/v1/accounts/relationships", client.Relationships.Relationships, "read:follows")
	add(User, get, "/api/v1/accounts/familiar_followers", client.Relationships.FamiliarFollowers, "read:follows")
	add(Optional, get, "/api/v1/accounts/search", client.Search.Accounts, "read:search").limit(search)
	add(Optional, get, "/api/v1/accounts/lookup", client.Accounts.Lookup, "read:accounts")
	add(Optional, get, "/api/v1/accounts", client.Accounts.ByID, "read:accounts")
	add(Optional, get, "/api/v1/accounts/:id", client.Accounts.Get, "read:accounts")
	add(Optional, get, "/api/v1/accounts/:id/followers", client.Accounts.Followers, "read:accounts")
	add(Optional, get, "/api/v1/accounts/:id/following", client.Accounts.Following, "read:accounts")
	add(Public, get, "/api/v1/accounts/:id/identity_proofs", clientapi.None)
	add(Optional, get, "/api/v1/accounts/:id/featured_tags", client.Accounts.NoneOf, "read:accounts")
	add(Optional, get, "/api/v1/accounts/:id/endorsements", client.Accounts.NoneOf, "read:accounts")
	add(User, post, "/api/v1/accounts/:id/follow", client.Relationships.Follow, "follow", "write:follows").limit(relations, relation)
	add(User, post, "/api/v1/accounts/:id/unfollow", client.Relationships.Unfollow, "follow", "write:follows").limit(relations, relation)
	add(User, post, "/api/v1/accounts/:id/block", client.Relationships.Block, "follow", "write:blocks")
	add(User, post, "/api/v1/accounts/:id/unblock", client.Relationships.Unblock, "follow", "write:blocks")
	add(User, post, "/api/v1/accounts/:id/mute", client.Relationships.Mute, "follow", "write:mutes")
	add(User, post, "/api/v1/accounts/:id/unmute", client.Relationships.Unmute, "follow", "write:mutes")
	add(User, post, "/api/v1/accounts/:id/note", client.Relationships.Note, "write:accounts")
	add(User, post, "/api/v1/accounts/:id/remove_from_followers", client.Relationships.RemoveFollower, "follow", "write:follows")
	add(User, get, "/api/v1/accounts/:id/lists", client.Lists.OfAccount, "read:lists")
	add(User, post, "/api/v1/follows", client.Relationships.FollowURI, "follow", "write:follows").limit(relations)
	add(User, get, "/api/v1/blocks", client.Relationships.Blocks, "follow", "read:blocks")
	add(User, get, "/api/v1/mutes", client.Relationships.Mutes, "follow", "read:mutes")
	add(User, get, "/api/v1/domain_blocks", client.Relationships.DomainBlocks, "follow", "read:blocks")
	add(User, post, "/api/v1/domain_blocks", client.Relationships.BlockDomain, "follow", "write:blocks")
	add(User, del, "/api/v1/domain_blocks", client.Relationships.UnblockDomain, "follow", "write:blocks")
	add(Optional, get, "/api/v1/tags/:name", client.Tags.Get, "read")
	add(User, post, "/api/v1/tags/:name/follow", client.Tags.Follow, "follow", "write:follows")
	add(User, post, "/api/v1/tags/:name/unfollow", client.Tags.Unfollow, "follow", "write:follows")
	add(User, get, "/api/v1/followed_tags", client.Tags.Followed, "follow", "read:follows")
	add(User, get, "/api/v1/lists", client.Lists.List, "read:lists")
	add(User, post, "/api/v1/lists", client.Lists.Create, "write:lists")
	add(User, get, "/api/v1/lists/:id", client.Lists.Get, "read:lists")
	add(User, put, "/api/v1/lists/:id", client.Lists.Update, "write:lists")
	add(User, del, "/api/v1/lists/:id", client.Lists.Delete, "write:lists")
	add(User, get, "/api/v1/lists/:id/accounts", client.Lists.Accounts, "read:lists")
	add(User, post, "/api/v1/lists/:id/accounts", client.Lists.AddAccounts, "write:lists")
	add(User, del, "/api/v1/lists/:id/accounts", client.Lists.RemoveAccounts, "write:lists")
	add(User, get, "/api/v1/filters", client.Filters.List, "read:filters")
	add(User, post, "/api/v1/filters", client.Filters.Create, "write:filters")
	add(User, get, "/api/v1/filters/:id", client.Filters.Get, "read:filters")
	add(User, put, "/api/v1/filters/:id", client.Filters.Update, "write:filters")
	add(User, del, "/api/v1/filters/:id", client.Filters.Delete, "write:filters")
	add(User, get, "/api/v2/filters", client.FiltersV2.List, "read:filters")
	add(User, post, "/api/v2/filters", client.FiltersV2.Create, "write:filters")
	add(User, get, "/api/v2/filters/:id", client.FiltersV2.Get, "read:filters")
	add(User, put, "/api/v2/filters/:id", client.FiltersV2.Update, "write:filters")
	add(User, del, "/api/v2/filters/:id", client.FiltersV2.Delete, "write:filters")
	add(User, get, "/api/v2/filters/:id/keywords", client.FiltersV2.Keywords, "read:filters")
	add(User, post, "/api/v2/filters/:id/keywords", client.FiltersV2.AddKeyword, "write:filters")
	add(User, get, "/api/v2/filters/keywords/:id", client.FiltersV2.Keyword, "read:filters")
	add(User, put, "/api/v2/filters/keywords/:id", client.FiltersV2.UpdateKeyword, "write:filters")
	add(User, del, "/api/v2/filters/keywords/:id", client.FiltersV2.RemoveKeyword, "write:filters")
	add(User, get, "/api/v2/filters/:id/statuses", client.FiltersV2.Statuses, "read:filters")
	add(User, post, "/api/v2/filters/:id/statuses", client.FiltersV2.AddStatus, "write:filters")
	add(User, get, "/api/v2/filters/statuses/:id", client.FiltersV2.Status, "read:filters")
	add(User, del, "/api/v2/filters/statuses/:id", client.FiltersV2.RemoveStatus, "write:filters")
	add(User, get, "/api/v1/follow_requests", client.Relationships.FollowRequests, "follow", "read:follows")
	add(User, post, "/api/v1/follow_requests/:id/authorize", client.Relationships.AuthorizeFollow, "follow", "write:follows")
	add(User, post, "/api/v1/follow_requests/:id/reject", client.Relationships.RejectFollow, "follow", "write:follows")
	add(Public, get, "/api/v1/endorsements", clientapi.None)
	add(Public, get, "/api/v1/suggestions", clientapi.None)
	add(User, get, "/api/v2/suggestions", clientapi.None, "read")
	add(User, get, "/api/v1/preferences", client.Accounts.Preferences, "read:accounts")
	add(User, put, "/api/web/settings", client.Accounts.SetWebSettings, "write:accounts")
	add(User, post, "/api/v1/svc/accounts/:id/subscribe", client.Relationships.Subscribe, "follow", "write:follows")
	add(User, post, "/api/v1/svc/accounts/:id/unsubscribe", client.Relationships.Unsubscribe, "follow", "write:follows")
	add(User, post, "/api/svc/follow_import", client.Relationships.ImportFollows, "follow", "write:follows")
	add(User, post, "/api/svc/blocks_import", client.Relationships.ImportBlocks, "follow", "write:blocks")
	add(User, post, "/api/svc/mutes_import", client.Relationships.ImportMutes, "follow", "write:mutes")
	add(Optional, get, "/api/v1/svc/accounts/:id/scrobbles", client.Scrobbles.List, "read")
	add(User, post, "/api/v1/svc/scrobble", client.Scrobbles.Create, "write")

	// What the admins announce.
	add(User, get, "/api/v1/announcements", client.Announcements.List)
	add(User, post, "/api/v1/announcements/:id/dismiss", client.Announcements.Dismiss, "write:accounts")
	add(User, put, "/api/v1/announcements/:id/reactions/:name", client.Announcements.React, "write:favourites")
	add(User, del, "/api/v1/announcements/:id/reactions/:name", client.Announcements.Unreact, "write:favourites")

	// Notifications.
	add(User, get, "/api/v1/notifications", client.Notifications.List, "read:notifications")
	add(User, get, "/api/v1/notifications/unread_count", client.Notifications.Unread, "read:notifications")
	add(User, get, "/api/v1/notifications/:id", client.Notifications.Get, "read:notifications")
	add(User, post, "/api/v1/notifications/clear", client.Notifications.Clear, "write:notifications")
	add(User, post, "/api/v1/notifications/dismiss", client.Notifications.Dismiss, "write:notifications")
	add(User, post, "/api/v1/notifications/:id/dismiss", client.Notifications.Dismiss, "write:notifications")
	add(User, del, "/api/v1/notifications/destroy_multiple", client.Notifications.Destroy, "write:notifications")
	add(User, post, "/api/v1/svc/notifications/read", client.Notifications.Read, "write:notifications")
	add(User, put, "/api/svc/notification_settings", client.Notifications.SetSettings, "write:accounts")
	add(User, get, "/api/v1/markers", client.Notifications.Markers, "read:statuses")
	add(User, post, "/api/v1/markers", client.Notifications.SetMarkers, "write:statuses")

	// The device that notifications are pushed to.
	add(User, get, "/api/v1/push/subscription", client.Push.Get, "push")
	add(User, post, "/api/v1/push/subscription", client.Push.Subscribe, "push")
	add(User, put, "/api/v1/push/subscription", client.Push.Update, "push")
	add(User, del, "/api/v1/push/subscription", client.Push.Unsubscribe, "push")

	// Chats.
	add(User, post, "/api/v1/svc/chats/by-account-id/:id", client.Chats.Open, "write:chats")
	add(User, get, "/api/v1/svc/chats", client.Chats.List, "read:chats")
	add(User, get, "/api/v1/svc/chats/:id", client.Chats.Get, "read:chats")
	add(User, get, "/api/v1/svc/chats/:id/messages", client.Chats.Messages, "read:chats")
	add(User, post, "/api/v1/svc/chats/:id/messages", client.Chats.Send, "write:chats")
	add(User, del, "/api/v1/svc/chats/:id/messages/:message_id", client.Chats.DeleteMessage, "write:chats")
	add(User, post, "/api/v1/svc/chats/:id/read", client.Chats.Read, "write:chats")
	add(User, post, "/api/v1/svc/chats/:id/messages/:message_id/read", client.Chats.ReadMessage, "write:chats")

	// The instance.
	add(Public, get, "/api/v1/instance", client.Instance.Get)
	add(Public, get, "/api/v2/instance", client.Instance.GetV2)
	add(Public, get, "/api/v1/instance/rules", client.Instance.Rules)
	add(Public, get, "/api/v1/instance/extended_description", client.Instance.ExtendedDescription)
	add(Public, get, "/api/v1/instance/privacy_policy", client.Instance.PrivacyPolicy)
	add(Public, get, "/api/v1/instance/terms_of_service", client.Instance.TermsOfService)
	add(Public, get, "/api/v1/instance/domain_blocks", client.Instance.DomainBlocks)
	add(Public, get, "/api/v1/instance/languages", client.Instance.Languages)
	add(Public, get, "/api/v1/instance/peers", client.Instance.Peers)
	add(Public, get, "/api/v1/instance/activity", client.Instance.Activity)
	add(Public, get, "/api/oembed", client.Instance.OEmbed)
	add(Public, get, "/api/v1/svc/federation_status", client.Instance.FederationStatus)
	add(Public, get, "/api/svc/frontend_configurations", client.Instance.FrontendConfigurations)
	add(Public, get, "/api/svc/healthcheck", client.Instance.Healthcheck)
	add(Public, get, "/.well-known/host-meta", docs.HostMeta)
	add(Public, get, "/.well-known/host-meta.json", docs.HostMetaJSON)
	add(Public, get, "/.well-known/webfinger", docs.WebFinger)
	add(Page, get, "/.well-known/change-password", html.ChangePassword)
	add(Public, get, "/api/v1/custom_emojis", client.Emojis.List)
	add(Public, get, "/api/svc/emoji", client.Emojis.Pictures)
	add(Public, get, "/api/svc/emoji/packs", client.Emojis.Packs)
	add(Public, get, "/api/svc/emoji/packs/archive", client.Emojis.Archive)
	add(Public, get, "/api/svc/emoji/pack", client.Emojis.Pack)
	add(Public, get, "/api/v1/trends", clientapi.None)
	add(Public, get, "/api/v1/trends/tags", clientapi.None)
	add(Public, get, "/api/v1/trends/statuses", clientapi.None)
	add(Public, get, "/api/v1/trends/links", clientapi.None)
	add(Public, get, "/api/v1/identity_proofs", clientapi.None)
	add(Public, get, "/.well-known/nodeinfo", client.Instance.NodeInfoLinks)
	add(Public, get, "/nodeinfo/:version", client.Instance.NodeInfo)

	// Statuses and timelines.
	add(User, get, "/api/v1/timelines/home", client.Timelines.Home, "read:statuses").limit(timeline("home"))
	add(Optional, get, "/api/v1/timelines/public", client.Timelines.Public, "read:statuses").limit(timeline("public"))
	add(Optional, get, "/api/v1/timelines/tag/:tag", client.Timelines.Tag, "read:statuses").limit(timeline("tag"))
	add(User, get, "/api/v1/timelines/list/:id", client.Timelines.List, "read:lists").limit(timeline("list"))
	add(User, get, "/api/v1/timelines/direct", client.Timelines.Direct, "read:statuses").limit(timeline("direct"))
	add(Optional, get, "/api/v1/accounts/:id/statuses", client.Timelines.Account, "read:statuses")
	add(Optional, get, "/api/v1/statuses", client.Statuses.ByID, "read:statuses")
	add(User, post, "/api/v1/statuses", client.Statuses.Create, "write:statuses").limit(statuses)
	add(Optional, get, "/api/v1/statuses/:id", client.Statuses.Get, "read:statuses")
	add(User, get, "/api/v1/scheduled_statuses", client.ScheduledStatuses.List, "read:statuses")
	add(User, get, "/api/v1/scheduled_statuses/:id", client.ScheduledStatuses.Get, "read:statuses")
	add(User, put, "/api/v1/scheduled_statuses/:id", client.ScheduledStatuses.Reschedule, "write:statuses")
	add(User, del, "/api/v1/scheduled_statuses/:id", client.ScheduledStatuses.Delete, "write:statuses")
	add(User, get, "/api/v1/conversations", client.Conversations.List, "read:statuses")
	add(User, post, "/api/v1/conversations/:id/read", client.Conversations.Read, "write:conversations")
	add(User, del, "/api/v1/conversations/:id", client.Conversations.Delete, "write:conversations")
	add(User, post, "/api/v1/svc/conversations/read", client.Conversations.ReadMany, "write:conversations")
	add(User, get, "/api/v1/svc/conversations/:id", client.Conversations.Get, "read:statuses")
	add(User, get, "/api/v1/svc/conversations/:id/statuses", client.Conversations.Statuses, "read:statuses")
	add(User, patch, "/api/v1/svc/conversations/:id", client.Conversations.Update, "write:conversations")
	add(User, put, "/api/v1/statuses/:id", client.Statuses.Update, "write:statuses").limit(statuses)
	add(User, get, "/api/v1/statuses/:id/source", client.Statuses.Source, "read:statuses")
	add(Optional, get, "/api/v1/statuses/:id/history", client.Statuses.History, "read:statuses")
	add(User, del, "/api/v1/statuses/:id", client.Statuses.Delete, "write:statuses").limit(statuses)
	add(User, post, "/api/v1/statuses/:id/reblog", client.Statuses.Reblog, "write:statuses").limit(statuses, reblogs)
	add(User, post, "/api/v1/statuses/:id/unreblog", client.Statuses.Unreblog, "write:statuses").limit(statuses, reblogs)
	add(User, post, "/api/v1/statuses/:id/favourite", client.Statuses.Favourite, "write:favourites").limit(statuses, likes)
	add(User, post, "/api/v1/statuses/:id/unfavourite", client.Statuses.Unfavourite, "write:favourites").limit(statuses, likes)
	add(User, post, "/api/v1/statuses/:id/bookmark", client.Statuses.Bookmark, "write:bookmarks")
	add(User, post, "/api/v1/statuses/:id/unbookmark", client.Statuses.Unbookmark, "write:bookmarks")
	add(User, post, "/api/v1/statuses/:id/pin", client.Statuses.Pin, "write:accounts")
	add(User, post, "/api/v1/statuses/:id/unpin", client.Statuses.Unpin, "write:accounts")
	add(User, post, "/api/v1/statuses/:id/mute", client.Statuses.MuteThread, "write:mutes")
	add(User, post, "/api/v1/statuses/:id/unmute", client.Statuses.UnmuteThread, "write:mutes")
	add(Optional, get, "/api/v1/statuses/:id/context", client.Statuses.Context, "read:statuses")
	add(Optional, get, "/api/v1/statuses/:id/reblogged_by", client.Statuses.RebloggedBy, "read:accounts")
	add(Optional, get, "/api/v1/statuses/:id/favourited_by", client.Statuses.FavouritedBy, "read:accounts")
	add(Optional, get, "/api/v1/statuses/:id/card", client.Statuses.Card, "read:statuses")
	add(User, get, "/api/v1/bookmarks", client.Statuses.Bookmarks, "read:bookmarks")
	add(User, get, "/api/v1/favourites", client.Statuses.Favourites, "read:favourites")
	add(Optional, get, "/api/v1/svc/accounts/:id/favourites", client.Statuses.FavouritesOf, "read:favourites")
	add(Optional, get, "/api/v1/svc/statuses/:id/reactions", client.Statuses.Reactions, "read:statuses")
	add(Optional, get, "/api/v1/svc/statuses/:id/reactions/:emoji", client.Statuses.Reactions, "read:statuses")
	add(User, put, "/api/v1/svc/statuses/:id/reactions/:emoji", client.Statuses.React, "write:statuses")
	add(User, del, "/api/v1/svc/statuses/:id/reactions/:emoji", client.Statuses.Unreact, "write:statuses")
	add(Optional, get, "/api/v1/polls/:id", client.Polls.Get, "read:statuses")
	add(User, post, "/api/v1/polls/:id/votes", client.Polls.Vote, "write:statuses")

	// Files.
	add(Public, get, "/media/:name", client.Media.File).sends()
	add(Public, get, "/proxy/:signature/:url/:filename", client.Media.ProxiedFile).sends()
	add(Public, get, "/proxy/preview/:signature/:url/:filename", client.Media.PreviewedFile).sends()
	add(User, post, "/api/v1/media", client.Media.Create, "write:media").limit(uploads).body(client.Media.UploadBody)
	add(User, post, "/api/v2/media", client.Media.CreateV2, "write:media").limit(uploads).body(client.Media.UploadBody)
	add(User, get, "/api/v1/media/:id", client.Media.Get, "read:media")
	add(User, put, "/api/v1/media/:id", client.Media.Update, "write:media")
	add(User, del, "/api/v1/media/:id", client.Media.Delete, "write:media")
	add(User, get, "/api/v1/svc/mascot", client.Media.Mascot, "read:accounts")
	add(User, put, "/api/v1/svc/mascot", client.Media.SetMascot, "write:accounts").limit(uploads).body(client.Media.UploadBody)

	// Search.
	add(Optional, get, "/api/v1/search", client.Search.V1, "read:search").limit(search)
	add(Optional, get, "/api/v2/search", client.Search.V2, "read:search").limit(search)

	// Streaming. Each stream has a path for Server-Sent Events.
	add(Public, get, "/api/v1/streaming/health", s.streaming.Health)
	for _, path := range []string{"", "/user", "/user/notification", "/user/svc_chat", "/public", "/public/local", "/public/media", "/public/local/media",
		"/public/remote", "/public/remote/media", "/hashtag", "/hashtag/local", "/list", "/direct", "/svc/moderation"} {
		add(Stream, get, "/api/v1/streaming"+path, s.streaming.Open)
	}

	add(Stream, get, "/socket/websocket", s.streaming.Room)

	// Reports.
	add(User, post, "/api/v1/reports", client.Reports.Create, "write:reports")

	// The admin API. Rights other than that of admins are privileges, which the
	// settings may give to moderators.
	const root = "/api/svc/admin"
	admit := func(right rights.Right, method, path string, h web.Handler, scope string) *Route {
		r := add(Admin, method, root+path, h, scope)
		r.Right = right
		return r
	}
	admit(rights.Signups, get, "/users", admin.Users().List, "read:accounts")
	admit(rights.Admins, post, "/users", admin.Users().Create, "write:accounts")
	admit(rights.Admins, del, "/users", admin.Users().Delete, "write:accounts")
	admit(rights.Signups, get, "/users/:nickname_or_id", admin.Users().Show, "read:accounts")
	admit(rights.Admins, get, "/users/:nickname_or_id/password_reset", admin.Users().PasswordReset, "write:accounts")
	admit(rights.Approvals, patch, "/users/approve", admin.Users().Approve, "write:accounts")
	admit(rights.Approvals, patch, "/users/reject", admin.Users().Reject, "write:accounts")
	admit(rights.Approvals, get, "/mail_domains", admin.MailDomains().List, "read:accounts")
	admit(rights.Approvals, post, "/mail_domains", admin.MailDomains().Block, "write:accounts")
	admit(rights.Approvals, del, "/mail_domains", admin.MailDomains().Unblock, "write:accounts")
	admit(rights.Admins, patch, "/users/confirm_email", admin.Users().ConfirmEmails, "write")
	admit(rights.Admins, patch, "/users/resend_confirmation_email", admin.Users().ResendConfirmations, "write")
	admit(rights.Admins, patch, "/users/force_password_reset", admin.Users().ForcePasswordReset, "write:accounts")
	admit(rights.Admins, get, "/users/:nickname_or_id/sessions", admin.Users().LogIns, "read:accounts")
	admit(rights.Admins, post, "/users/:nickname/move", admin.Users().Move, "write:accounts")
	admit(rights.Admins, del, "/users/:nickname/move", admin.Users().CancelMove, "write:accounts")
	admit(rights.Admins, patch, "/users/logout", admin.Users().LogOut, "write:accounts")
	admit(rights.Admins, put, "/users/disable_mfa", admin.Users().DisableMFA, "write:accounts")
	admit(rights.Admins, post, "/users/follow", admin.Users().Follow, "write:follows")
	admit(rights.Admins, post, "/users/unfollow", admin.Users().Unfollow, "write:follows")
	admit(rights.Admins, post, "/backups", admin.Users().Backup, "read:accounts")
	admit(rights.Statuses, get, "/users/:nickname_or_id/statuses", admin.Statuses().OfUser, "read:statuses")
	admit(rights.UsersActivation, patch, "/users/:nickname/toggle_activation", admin.Users().Toggle, "write:accounts")
	admit(rights.UsersActivation, patch, "/users/activate", admin.Users().Activate, "write:accounts")
	admit(rights.UsersActivation, patch, "/users/deactivate", admin.Users().Deactivate, "write:accounts")
	admit(rights.Admins, put, "/users/tag", admin.Users().Tag, "write:accounts")
	admit(rights.Admins, del, "/users/tag", admin.Users().Untag, "write:accounts")
	admit(rights.Reports, get, "/users/:nickname_or_id/history", admin.History().Show, "read:reports")
	admit(rights.UsersRead, get, "/users/:nickname_or_id/permission_group", admin.Roles().List, "read:accounts")
	admit(rights.UsersRead, get, "/users/:nickname_or_id/permission_group/:permission_group", admin.Roles().Show, "read:accounts")
	admit(rights.Admins, post, "/users/:nickname/permission_group/:permission_group", admin.Roles().AddTo, "write:accounts")
	admit(rights.Admins, del, "/users/:nickname/permission_group/:permission_group", admin.Roles().RemoveFrom, "write:accounts")
	admit(rights.Admins, post, "/users/permission_group/:permission_group", admin.Roles().Add, "write:accounts")
	admit(rights.Admins, del, "/users/permission_group/:permission_group", admin.Roles().Remove, "write:accounts")
	admit(rights.Admins, get, "/users/:nickname_or_id/credentials", admin.Credentials().Show, "read:accounts")
	admit(rights.Admins, patch, "/users/:nickname/credentials", admin.Credentials().Update, "write:accounts").body(admin.Credentials().BodyLimit)
	admit(rights.Admins, get, "/users/:nickname_or_id/ssh_keys", admin.SSHKeys().List, "read:accounts")
	admit(rights.Admins, post, "/users/:nickname/ssh_keys", admin.SSHKeys().Add, "write:accounts")
	admit(rights.Admins, del, "/users/:nickname/ssh_keys/:id", admin.SSHKeys().Delete, "write:accounts")
	admit(rights.Invites, post, "/users/invite_token", admin.Invites().Create, "write:invites")
	admit(rights.Invites, get, "/users/invites", admin.Invites().List, "read:invites")
	admit(rights.Invites, post, "/users/revoke_invite", admin.Invites().Revoke, "write:invites")
	admit(rights.Invites, post, "/users/email_invite", admin.Invites().Email, "write:invites")
	admit(rights.Reports, get, "/instances/:instance", admin.Hosts().Known, "read:reports")
	admit(rights.Statuses, get, "/instances/:instance/statuses", admin.Statuses().OfInstance, "read:statuses")
	admit(rights.Statuses, get, "/statuses", admin.Statuses().List, "read:statuses")
	admit(rights.Statuses, get, "/statuses/:id", admin.Statuses().Show, "read:statuses")
	admit(rights.Statuses, get, "/statuses/:id/context", admin.Statuses().Context, "read:statuses")
	admit(rights.Statuses, put, "/statuses/:id", admin.Statuses().Update, "write:statuses")
	admit(rights.Statuses, del, "/statuses/:id", admin.Statuses().Delete, "write:statuses")
	admit(rights.Reports, get, "/reports", admin.Reports().List, "read:reports")
	admit(rights.Reports, get, "/grouped_reports", admin.Reports().Groups, "read:reports")
	admit(rights.Reports, get, "/reports/:id", admin.Reports().Show, "read:reports")
	admit(rights.Reports, post, "/reports", admin.Reports().Create, "write:reports")
	admit(rights.Reports, patch, "/reports", admin.Reports().Update, "write:reports")
	admit(rights.Reports, post, "/reports/:id/notes", admin.Reports().AddNote, "write:reports")
	admit(rights.Reports, del, "/reports/:id/notes/:note_id", admin.Reports().DeleteNote, "write:reports")
	admit(rights.Admins, get, "/announcements", admin.Announcements().List, "read")
	admit(rights.Admins, post, "/announcements", admin.Announcements().Create, "write")
	admit(rights.Admins, get, "/announcements/:id", admin.Announcements().Get, "read")
	admit(rights.Admins, patch, "/announcements/:id", admin.Announcements().Update, "write")
	admit(rights.Admins, del, "/announcements/:id", admin.Announcements().Delete, "write")
	admit(rights.Reports, get, "/rules", admin.Rules().List, "read")
	admit(rights.Admins, post, "/rules", admin.Rules().Create, "write")
	admit(rights.Admins, patch, "/rules/:id", admin.Rules().Update, "write")
	admit(rights.Admins, del, "/rules/:id", admin.Rules().Delete, "write")
	admit(rights.Log, get, "/moderation_log", admin.Log().List, "read")
	admit(rights.Admins, get, "/stats", admin.Instance().Stats, "read")
	admit(rights.Admins, get, "/config", admin.Config().Show, "read")
	admit(rights.Admins, post, "/config", admin.Config().Update, "write")
	admit(rights.Admins, get, "/config/history", admin.Config().History, "read")
	admit(rights.Admins, get, "/need_reboot", admin.Config().NeedReboot, "read")
	admit(rights.Admins, get, "/restart", admin.Config().Restart, "write")
	admit(rights.Admins, get, "/config/descriptions", admin.Config().Descriptions, "read")
	admit(rights.Admins, post, "/reload_emoji", admin.CustomEmojis().Reload, "write")
	admit(rights.Admins, get, "/emoji", admin.CustomEmojis().List, "read")
	admit(rights.Admins, patch, "/emoji", admin.CustomEmojis().Change, "write")
	admit(rights.Admins, get, "/users/:nickname_or_id/chats", admin.Chats().OfUser, "read:chats")
	admit(rights.Admins, get, "/chats/:id", admin.Chats().Show, "read:chats")
	admit(rights.Admins, get, "/chats/:id/messages", admin.Chats().Messages, "read:chats")
	admit(rights.Admins, del, "/chats/:id/messages/:message_id", admin.Chats().DeleteMessage, "write:chats")
	admit(rights.Admins, get, "/oauth_app", admin.Apps().List, "write")
	admit(rights.Admins, post, "/oauth_app", admin.Apps().Create, "write")
	admit(rights.Admins, patch, "/oauth_app/:id", admin.Apps().Update, "write")
	admit(rights.Admins, del, "/oauth_app/:id", admin.Apps().Delete, "write")
	admit(rights.Media, get, "/media_proxy_caches", admin.MediaBans().List, "read:media_proxy_caches")
	admit(rights.Media, post, "/media_proxy_caches/delete", admin.MediaBans().Unban, "write:media_proxy_caches")
	admit(rights.Media, post, "/media_proxy_caches/purge", admin.MediaBans().Purge, "write:media_proxy_caches")
	admit(rights.Media, get, "/media_proxy_caches/files", admin.MediaBans().Cached, "read:media_proxy_caches")
	admit(rights.Media, del, "/media_proxy_caches/files", admin.MediaBans().PurgeCached, "write:media_proxy_caches")
	admit(rights.Admins, get, "/relay", admin.Relays().List, "read")
	admit(rights.Admins, post, "/relay", admin.Relays().Follow, "write:follows")
	admit(rights.Admins, del, "/relay", admin.Relays().Unfollow, "write:follows")
	admit(rights.Admins, get, "/federation/hosts", admin.Hosts().List, "read")
	admit(rights.Admins, get, "/federation/hosts/:host", admin.Hosts().Show, "read")
	admit(rights.Admins, post, "/federation/hosts/:host/retry", admin.Hosts().Retry, "write")
	admit(rights.Admins, del, "/federation/hosts/:host", admin.Hosts().Forget, "write")
	admit(rights.Admins, get, "/federation/limits", admin.Hosts().Limits, "read")
	admit(rights.Admins, post, "/federation/limits", admin.Hosts().Limit, "write")
	admit(rights.Admins, get, "/jobs", admin.Jobs().List, "read")
	admit(rights.Admins, get, "/jobs/queues", admin.Jobs().Queues, "read")
	admit(rights.Admins, post, "/jobs/retry", admin.Jobs().RetryQueue, "write")
	admit(rights.Admins, post, "/jobs/:id/retry", admin.Jobs().Retry, "write")
	admit(rights.Admins, get, "/instance_document/:document_name", admin.Documents().Show, "read")
	admit(rights.Admins, patch, "/instance_document/:document_name", admin.Documents().Set, "write").body(admin.Documents().BodyLimit)
	admit(rights.Admins, del, "/instance_document/:document_name", admin.Documents().Delete, "write")

	// The packs of emoji are read by everybody and changed by admins.
	pack := func(method, path string, h web.Handler) *Route {
		r := add(Admin, method, "/api/svc/emoji/"+path, h, "write")
		r.Right = rights.Admins
		return r
	}
	pack(post, "packs/files", admin.CustomEmojis().Add).body(admin.CustomEmojis().BodyLimit)
	pack(del, "packs/files", admin.CustomEmojis().Remove)
	pack(post, "pack", admin.CustomEmojis().CreatePack)
	pack(patch, "pack", admin.CustomEmojis().DescribePack)
	pack(del, "pack", admin.CustomEmojis().DeletePack)
	pack(get, "packs/remote", admin.CustomEmojis().RemotePacks)
	pack(post, "packs/download", admin.CustomEmojis().Download)
	pack(post, "packs/download_zip", admin.CustomEmojis().Import).body(admin.CustomEmojis().ArchiveLimit)

	s.mount(guard, html, client, each)
}

// scopes are the scopes of all routes and the wider scopes that contain them,
// sorted.
func (s *Server) scopes() []string {
	known := map[string]bool{}
	for _, r := range s.routes {
		for _, scope := range r.Scopes {
			if r.Access == Admin {
				scope = "admin:" + scope
			}
			for known[scope] = true; strings.Contains(scope, ":"); known[scope] = true {
				scope = scope[:strings.LastIndexByte(scope, ':')]
			}
		}
	}
	return slices.Sorted(maps.Keys(known))
}

// mount puts the table into the router.
func (s *Server) mount(guard *web.Guard, html *pages.Pages, client *clientapi.API, each []gin.HandlerFunc) {
	gin.SetMode(gin.ReleaseMode)
	s.engine = gin.New()
	s.engine.HandleMethodNotAllowed = false
	s.engine.RedirectTrailingSlash = false
	s.engine.UseRawPath = true
	s.engine.UnescapePathValues = true
	_ = s.engine.SetTrustedProxies(nil) // web knows the client's address
	front := web.Front(s.log, s.now, web.NewRemote(s.cfg.TrustedProxies, s.Settings, s.log), s.cfg.AccessLog)
	s.engine.Use(front, s.metrics.count(s.now), web.Problems(html.Problem), web.Recover, web.CORS(s.Settings), web.Headers(s.Settings), s.metrics.export(s.Settings))
	s.engine.Use(each...)
	replay := web.NewIdempotency(s.DB)
	for _, r := range s.routes {
		family, h := web.ClientAPI, r.handler
		if r.Access == User || r.Access == Admin {
			h = replay.Wrap(h)
		}
		// A route's limits, and the files that it accepts, depend on the
		// caller: they come after the guard.
		if r.long != nil {
			h = web.Large(r.long, h)
		}
		h = s.limiter.Wrap(r.Limits, h)
		switch r.Access {
		case Public:
			h = guard.Public(h)
		case Optional:
			h = guard.Optional(client.ForReader(h), r.Scopes...)
		case User:
			h = guard.User(client.ForReader(h), r.Scopes...)
		case Token:
			h = guard.Token(h, r.Scopes...)
		case App:
			h = guard.App(h)
		case Admin:
			family, h = web.AdminAPI, guard.Admin(h, r.Right, r.Scopes[0])
		case OAuth:
			family = web.OAuthAPI
		case Page:
			family = web.Pages
		case Federation:
			h = web.FromServers(h)
		}
		if r.Access != OAuth && r.Access != Page && r.Access != Federation && r.Access != Stream {
			h = web.Strict(s.Settings, h)
		}
		h = web.KnownIDs(r.Path, h)
		switch r.Access {
		case Optional, User, Token, App, Admin, OAuth, Stream:
			h = web.Private(h)
		}
		chain := []gin.HandlerFunc{web.Handle(family, h)}
		if r.long == nil && !r.file && r.Access != Stream {
			chain = slices.Insert(chain, 0, web.Deadline)
		}
		s.engine.Handle(r.Method, r.Path, chain...)
		if r.Method == http.MethodGet && r.Access != Stream {
			s.engine.Handle(http.MethodHead, r.Path, chain...)
		}
	}
	s.engine.NoRoute(s.unrouted)
	s.handler = s.visitors.count(web.Bodies(s.traffic.watch(web.TolerateSlash(web.OverrideMethod(s.engine)))))
}
