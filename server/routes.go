package server

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"

	"svc/client/api"
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
	Takes        any          // the form: of a GET its query, else its body; nil for none
	Files        []string     // what the body may have as files
	Answers      []any        // what it may be answered with, if all goes well
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

	// The description of the API.
	add(Public, get, "/api/openapi.json", s.openAPI).answers(map[string]any{})

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
	add(Public, post, "/api/v1/apps", client.OAuth.CreateApp).takes(api.NewApp{}).answers(api.App{}).limit(newApp)
	add(Token, get, "/api/v1/apps/verify_credentials", client.OAuth.VerifyApp, "read").answers(api.VerifiedApp{})
	add(OAuth, post, "/oauth/token", client.OAuth.Token).takes(api.TokenRequest{}).answers(api.Token{}).limit(password, appToken)
	add(OAuth, post, "/oauth/revoke", client.OAuth.Revoke).takes(api.RevokeRequest{}).answers(api.Empty{})
	add(OAuth, post, "/oauth/mfa/challenge", client.MFA.AnswerChallenge).takes(api.MFAChallenge{}).answers(api.Token{}).limit(secondFactor)
	add(User, get, "/api/oauth_tokens", client.OAuth.Tokens).answers([]api.GivenToken{})
	add(User, del, "/api/oauth_tokens/:id", client.OAuth.DeleteToken).answers(none)
	add(Public, get, "/.well-known/oauth-authorization-server", client.OAuth.Server(sync.OnceValue(s.scopes))).answers(api.OAuthServer{})
	add(Page, get, "/oauth/authorize", html.Authorize).takes(api.AuthorizeQuery{})
	add(Page, post, "/oauth/authorize", html.Consent).limit(signingIn)
	add(Page, get, "/oauth/mfa", html.Code)
	add(Page, post, "/oauth/mfa/verify", html.VerifyCode).limit(secondFactor)
	add(Page, post, "/auth/sign_out", html.SignOut)
	add(Page, del, "/auth/sign_out", html.SignOut)

	// Registering, and getting in again.
	add(App, post, "/api/v1/accounts", client.Registration.Register).takes(api.NewAccount{}).answers(api.Registration{}).limit(registering)
	add(Public, get, "/api/svc/captcha", client.Registration.Captcha).answers(api.Captcha{}).limit(captcha)
	add(Public, post, "/api/v1/svc/accounts/confirmation_resend", client.Registration.ResendConfirmation).takes(api.WhoIs{}).answers(none).limit(resending)
	add(Page, get, "/registration", html.SignUp).limit(captcha)
	add(Page, get, "/registration/:token", html.SignUp).limit(captcha)
	add(Page, post, "/registration", html.Register).limit(registering)
	add(Page, get, "/auth/confirmation", html.Unconfirmed)
	add(Page, post, "/auth/confirmation", html.Resend).limit(resending)
	add(Page, get, "/auth/password", html.ForgotPassword)
	add(Public, post, "/auth/password", html.RequestReset(client.Registration.RequestPasswordReset)).takes(api.WhoIs{}).answers(none).limit(resetting)
	add(Page, get, "/api/svc/password_reset/:token", html.Reset)
	add(Page, post, "/api/svc/password_reset", html.ChoosePassword).limit(resetting)
	add(Page, get, "/api/account/confirm_email/:user_id/:token", html.ConfirmEmail)

	// Credentials of an account, and its deletion.
	add(User, post, "/api/svc/change_password", client.Credentials.ChangePassword, "write:accounts").takes(api.PasswordChange{}).answers(api.Outcome{})
	add(User, post, "/api/svc/change_email", client.Credentials.ChangeEmail, "write:accounts").takes(api.EmailChange{}).answers(api.Outcome{})
	add(User, post, "/api/svc/delete_account", client.Credentials.DeleteAccount, "write:accounts").takes(api.WithPassword{}).answers(api.Outcome{})
	add(User, get, "/api/svc/aliases", client.Credentials.Aliases, "read:accounts").answers(api.Aliases{})
	add(User, put, "/api/svc/aliases", client.Credentials.AddAlias, "write:accounts").takes(api.Alias{}).answers(api.Done{})
	add(User, del, "/api/svc/aliases", client.Credentials.RemoveAlias, "write:accounts").takes(api.Alias{}).answers(api.Done{})
	add(User, post, "/api/svc/move_account", client.Credentials.Move, "write:accounts").takes(api.MoveAccount{}).answers(api.Outcome{})
	add(User, del, "/api/svc/move_account", client.Credentials.CancelMove, "write:accounts").takes(api.WithPassword{}).answers(api.Outcome{})
	add(User, post, "/api/svc/disable_account", client.Credentials.DisableAccount, "write:accounts").takes(api.WithPassword{}).answers(api.Outcome{})
	add(User, get, "/api/svc/accounts/mfa", client.MFA.Settings, "read:security").answers(api.MFASettings{})
	add(User, get, "/api/svc/accounts/mfa/setup/:method", client.MFA.SetUp, "write:security").answers(api.TOTPSetup{})
	add(User, post, "/api/svc/accounts/mfa/confirm/:method", client.MFA.Confirm, "write:security").takes(api.ConfirmTOTP{}).answers(api.Empty{})
	add(User, del, "/api/svc/accounts/mfa", client.MFA.Remove, "write:security").takes(api.WithPassword{}).answers(api.Empty{})
	add(User, del, "/api/svc/accounts/mfa/:method", client.MFA.Remove, "write:security").takes(api.WithPassword{}).answers(api.Empty{})
	add(User, get, "/api/svc/accounts/mfa/backup_codes", client.MFA.BackupCodes, "write:security").answers(api.BackupCodes{})

	add(User, get, "/api/svc/ssh_keys", client.SSHKeys.List, "read:security").answers([]api.SSHKey{})
	add(User, post, "/api/svc/ssh_keys", client.SSHKeys.Add, "write:security").takes(api.NewSSHKey{}).answers(api.SSHKey{})
	add(User, del, "/api/svc/ssh_keys/:id", client.SSHKeys.Delete, "write:security").answers(api.Empty{})

	add(User, get, "/api/v1/svc/backups", client.Backups.List, "read").answers([]api.Backup{})
	add(User, post, "/api/v1/svc/backups", client.Backups.Start, "read").answers([]api.Backup{})

	// Accounts and their relationships.
	add(User, get, "/api/v1/accounts/verify_credentials", client.Accounts.VerifyCredentials, "read:accounts", "profile").answers(with(api.Account{}, "role"))
	add(User, get, "/oauth/userinfo", client.Accounts.UserInfo, "profile", "read:accounts").answers(api.UserInfo{})
	add(User, post, "/oauth/userinfo", client.Accounts.UserInfo, "profile", "read:accounts").answers(api.UserInfo{})
	add(User, patch, "/api/v1/accounts/update_credentials", client.Accounts.UpdateCredentials, "write:accounts").takes(api.UpdateCredentials{}).files("avatar", "header", "svc_background_image").answers(with(api.Account{}, "role")).body(client.Accounts.ProfileBody)
	add(User, get, "/api/v1/accounts/relationships", client.Relationships.Relationships, "read:follows").takes(api.AccountIDs{}).answers([]api.Relationship{})
	add(User, get, "/api/v1/accounts/familiar_followers", client.Relationships.FamiliarFollowers, "read:follows").takes(api.AccountIDs{}).answers([]api.FamiliarFollowers{})
	add(Optional, get, "/api/v1/accounts/search", client.Search.Accounts, "read:search").takes(api.AccountSearchQuery{}).answers([]api.Account{}).limit(search)
	add(Optional, get, "/api/v1/accounts/lookup", client.Accounts.Lookup, "read:accounts").takes(api.AccountLookup{}).answers(api.Account{})
	add(Optional, get, "/api/v1/accounts", client.Accounts.ByID, "read:accounts").takes(api.AccountsByID{}).answers([]api.Account{})
	add(Optional, get, "/api/v1/accounts/:id", client.Accounts.Get, "read:accounts").answers(api.Account{})
	add(Optional, get, "/api/v1/accounts/:id/followers", client.Accounts.Followers, "read:accounts").takes(api.AccountQuery{}).answers([]api.Account{})
	add(Optional, get, "/api/v1/accounts/:id/following", client.Accounts.Following, "read:accounts").takes(api.AccountQuery{}).answers([]api.Account{})
	add(Public, get, "/api/v1/accounts/:id/identity_proofs", clientapi.None).answers([]any{})
	add(Optional, get, "/api/v1/accounts/:id/featured_tags", client.Accounts.NoneOf, "read:accounts").answers([]any{})
	add(Optional, get, "/api/v1/accounts/:id/endorsements", client.Accounts.NoneOf, "read:accounts").answers([]api.Account{})
	add(User, post, "/api/v1/accounts/:id/follow", client.Relationships.Follow, "follow", "write:follows").takes(api.Follow{}).answers(api.Relationship{}).limit(relations, relation)
	add(User, post, "/api/v1/accounts/:id/unfollow", client.Relationships.Unfollow, "follow", "write:follows").answers(api.Relationship{}).limit(relations, relation)
	add(User, post, "/api/v1/accounts/:id/block", client.Relationships.Block, "follow", "write:blocks").answers(api.Relationship{})
	add(User, post, "/api/v1/accounts/:id/unblock", client.Relationships.Unblock, "follow", "write:blocks").answers(api.Relationship{})
	add(User, post, "/api/v1/accounts/:id/mute", client.Relationships.Mute, "follow", "write:mutes").takes(api.Mute{}).answers(api.Relationship{})
	add(User, post, "/api/v1/accounts/:id/unmute", client.Relationships.Unmute, "follow", "write:mutes").answers(api.Relationship{})
	add(User, post, "/api/v1/accounts/:id/note", client.Relationships.Note, "write:accounts").takes(api.AccountNote{}).answers(api.Relationship{})
	add(User, post, "/api/v1/accounts/:id/remove_from_followers", client.Relationships.RemoveFollower, "follow", "write:follows").answers(api.Relationship{})
	add(User, get, "/api/v1/accounts/:id/lists", client.Lists.OfAccount, "read:lists").answers([]api.AccountList{})
	add(User, post, "/api/v1/follows", client.Relationships.FollowURI, "follow", "write:follows").takes(api.FollowURI{}).answers(api.Relationship{}).limit(relations)
	add(User, get, "/api/v1/blocks", client.Relationships.Blocks, "follow", "read:blocks").takes(api.PageQuery{}).answers([]api.Account{})
	add(User, get, "/api/v1/mutes", client.Relationships.Mutes, "follow", "read:mutes").takes(api.PageQuery{}).answers([]api.Account{})
	add(User, get, "/api/v1/domain_blocks", client.Relationships.DomainBlocks, "follow", "read:blocks").takes(api.PageQuery{}).answers([]string{})
	add(User, post, "/api/v1/domain_blocks", client.Relationships.BlockDomain, "follow", "write:blocks").takes(api.DomainBlock{}).answers(api.Empty{})
	add(User, del, "/api/v1/domain_blocks", client.Relationships.UnblockDomain, "follow", "write:blocks").takes(api.DomainBlock{}).answers(api.Empty{})
	add(Optional, get, "/api/v1/tags/:name", client.Tags.Get, "read").answers(with(api.Tag{}, "id"))
	add(User, post, "/api/v1/tags/:name/follow", client.Tags.Follow, "follow", "write:follows").answers(with(api.Tag{}, "id"))
	add(User, post, "/api/v1/tags/:name/unfollow", client.Tags.Unfollow, "follow", "write:follows").answers(with(api.Tag{}, "id"))
	add(User, get, "/api/v1/followed_tags", client.Tags.Followed, "follow", "read:follows").takes(api.PageQuery{}).answers(with([]api.Tag{}, "id"))
	add(User, get, "/api/v1/lists", client.Lists.List, "read:lists").answers([]api.AccountList{})
	add(User, post, "/api/v1/lists", client.Lists.Create, "write:lists").takes(api.NewList{}).answers(api.AccountList{})
	add(User, get, "/api/v1/lists/:id", client.Lists.Get, "read:lists").answers(api.AccountList{})
	add(User, put, "/api/v1/lists/:id", client.Lists.Update, "write:lists").takes(api.ListForm{}).answers(api.AccountList{})
	add(User, del, "/api/v1/lists/:id", client.Lists.Delete, "write:lists").answers(api.Empty{})
	add(User, get, "/api/v1/lists/:id/accounts", client.Lists.Accounts, "read:lists").takes(api.PageQuery{}).answers([]api.Account{})
	add(User, post, "/api/v1/lists/:id/accounts", client.Lists.AddAccounts, "write:lists").takes(api.ListAccounts{}).answers(api.Empty{})
	add(User, del, "/api/v1/lists/:id/accounts", client.Lists.RemoveAccounts, "write:lists").takes(api.ListAccounts{}).answers(api.Empty{})
	add(User, get, "/api/v1/filters", client.Filters.List, "read:filters").answers([]api.Filter{})
	add(User, post, "/api/v1/filters", client.Filters.Create, "write:filters").takes(api.NewFilter{}).answers(api.Filter{})
	add(User, get, "/api/v1/filters/:id", client.Filters.Get, "read:filters").answers(api.Filter{})
	add(User, put, "/api/v1/filters/:id", client.Filters.Update, "write:filters").takes(api.NewFilter{}).answers(api.Filter{})
	add(User, del, "/api/v1/filters/:id", client.Filters.Delete, "write:filters").answers(api.Empty{})
	add(User, get, "/api/v2/filters", client.FiltersV2.List, "read:filters").answers([]api.FilterV2{})
	add(User, post, "/api/v2/filters", client.FiltersV2.Create, "write:filters").takes(api.FilterV2Form{}).answers(api.FilterV2{})
	add(User, get, "/api/v2/filters/:id", client.FiltersV2.Get, "read:filters").answers(api.FilterV2{})
	add(User, put, "/api/v2/filters/:id", client.FiltersV2.Update, "write:filters").takes(api.FilterV2Form{}).answers(api.FilterV2{})
	add(User, del, "/api/v2/filters/:id", client.FiltersV2.Delete, "write:filters").answers(api.Empty{})
	add(User, get, "/api/v2/filters/:id/keywords", client.FiltersV2.Keywords, "read:filters").answers([]api.FilterKeyword{})
	add(User, post, "/api/v2/filters/:id/keywords", client.FiltersV2.AddKeyword, "write:filters").takes(api.FilterKeywordForm{}).answers(api.FilterKeyword{})
	add(User, get, "/api/v2/filters/keywords/:id", client.FiltersV2.Keyword, "read:filters").answers(api.FilterKeyword{})
	add(User, put, "/api/v2/filters/keywords/:id", client.FiltersV2.UpdateKeyword, "write:filters").takes(api.FilterKeywordForm{}).answers(api.FilterKeyword{})
	add(User, del, "/api/v2/filters/keywords/:id", client.FiltersV2.RemoveKeyword, "write:filters").answers(api.Empty{})
	add(User, get, "/api/v2/filters/:id/statuses", client.FiltersV2.Statuses, "read:filters").answers([]api.FilterStatus{})
	add(User, post, "/api/v2/filters/:id/statuses", client.FiltersV2.AddStatus, "write:filters").takes(api.FilterStatusForm{}).answers(api.FilterStatus{})
	add(User, get, "/api/v2/filters/statuses/:id", client.FiltersV2.Status, "read:filters").answers(api.FilterStatus{})
	add(User, del, "/api/v2/filters/statuses/:id", client.FiltersV2.RemoveStatus, "write:filters").answers(api.FilterStatus{}, api.Empty{})
	add(User, get, "/api/v1/follow_requests", client.Relationships.FollowRequests, "follow", "read:follows").takes(api.PageQuery{}).answers([]api.Account{})
	add(User, post, "/api/v1/follow_requests/:id/authorize", client.Relationships.AuthorizeFollow, "follow", "write:follows").answers(api.Relationship{})
	add(User, post, "/api/v1/follow_requests/:id/reject", client.Relationships.RejectFollow, "follow", "write:follows").answers(api.Relationship{})
	add(Public, get, "/api/v1/endorsements", clientapi.None).answers([]any{})
	add(Public, get, "/api/v1/suggestions", clientapi.None).answers([]any{})
	add(User, get, "/api/v2/suggestions", clientapi.None, "read").answers([]any{})
	add(User, get, "/api/v1/preferences", client.Accounts.Preferences, "read:accounts").answers(api.Preferences{})
	add(User, put, "/api/web/settings", client.Accounts.SetWebSettings, "write:accounts").takes(api.WebSettings{}).answers(api.Empty{})
	add(User, post, "/api/v1/svc/accounts/:id/subscribe", client.Relationships.Subscribe, "follow", "write:follows").answers(api.Relationship{})
	add(User, post, "/api/v1/svc/accounts/:id/unsubscribe", client.Relationships.Unsubscribe, "follow", "write:follows").answers(api.Relationship{})
	add(User, post, "/api/svc/follow_import", client.Relationships.ImportFollows, "follow", "write:follows").takes(api.NewImport{}).files("list").answers("")
	add(User, post, "/api/svc/blocks_import", client.Relationships.ImportBlocks, "follow", "write:blocks").takes(api.NewImport{}).files("list").answers("")
	add(User, post, "/api/svc/mutes_import", client.Relationships.ImportMutes, "follow", "write:mutes").takes(api.NewImport{}).files("list").answers("")
	add(Optional, get, "/api/v1/svc/accounts/:id/scrobbles", client.Scrobbles.List, "read").takes(api.PageQuery{}).answers([]api.Scrobble{})
	add(User, post, "/api/v1/svc/scrobble", client.Scrobbles.Create, "write").takes(api.NewScrobble{}).answers(api.Scrobble{})

	// What the admins announce.
	add(User, get, "/api/v1/announcements", client.Announcements.List).takes(api.AnnouncementQuery{}).answers(with([]api.Announcement{}, "read"))
	add(User, post, "/api/v1/announcements/:id/dismiss", client.Announcements.Dismiss, "write:accounts").answers(api.Empty{})
	add(User, put, "/api/v1/announcements/:id/reactions/:name", client.Announcements.React, "write:favourites").answers(api.Empty{})
	add(User, del, "/api/v1/announcements/:id/reactions/:name", client.Announcements.Unreact, "write:favourites").answers(api.Empty{})

	// Notifications.
	add(User, get, "/api/v1/notifications", client.Notifications.List, "read:notifications").takes(api.NotificationQuery{}).answers([]api.Notification{})
	add(User, get, "/api/v1/notifications/unread_count", client.Notifications.Unread, "read:notifications").takes(api.UnreadQuery{}).answers(api.UnreadCount{})
	add(User, get, "/api/v1/notifications/:id", client.Notifications.Get, "read:notifications").answers(api.Notification{})
	add(User, post, "/api/v1/notifications/clear", client.Notifications.Clear, "write:notifications").answers(api.Empty{})
	add(User, post, "/api/v1/notifications/dismiss", client.Notifications.Dismiss, "write:notifications").takes(api.DismissNotification{}).answers(api.Empty{})
	add(User, post, "/api/v1/notifications/:id/dismiss", client.Notifications.Dismiss, "write:notifications").answers(api.Empty{})
	add(User, del, "/api/v1/notifications/destroy_multiple", client.Notifications.Destroy, "write:notifications").takes(api.DestroyNotifications{}).answers(api.Empty{})
	add(User, post, "/api/v1/svc/notifications/read", client.Notifications.Read, "write:notifications").takes(api.ReadNotifications{}).answers(api.Notification{}, []api.Notification{})
	add(User, put, "/api/svc/notification_settings", client.Notifications.SetSettings, "write:accounts").takes(api.SetNotificationSettings{}).answers(api.Done{})
	add(User, get, "/api/v1/markers", client.Notifications.Markers, "read:statuses").takes(api.MarkerQuery{}).answers(api.Markers{})
	add(User, post, "/api/v1/markers", client.Notifications.SetMarkers, "write:statuses").takes(api.SetMarkers{}).answers(api.Markers{})

	// The device that notifications are pushed to.
	add(User, get, "/api/v1/push/subscription", client.Push.Get, "push").answers(api.PushSubscription{})
	add(User, post, "/api/v1/push/subscription", client.Push.Subscribe, "push").takes(api.NewPushSubscription{}).answers(api.PushSubscription{})
	add(User, put, "/api/v1/push/subscription", client.Push.Update, "push").takes(api.ChangedPushSubscription{}).answers(api.PushSubscription{})
	add(User, del, "/api/v1/push/subscription", client.Push.Unsubscribe, "push").answers(api.Empty{})

	// Chats.
	add(User, post, "/api/v1/svc/chats/by-account-id/:id", client.Chats.Open, "write:chats").answers(api.Chat{})
	add(User, get, "/api/v1/svc/chats", client.Chats.List, "read:chats").takes(api.ChatQuery{}).answers([]api.Chat{})
	add(User, get, "/api/v1/svc/chats/:id", client.Chats.Get, "read:chats").answers(api.Chat{})
	add(User, get, "/api/v1/svc/chats/:id/messages", client.Chats.Messages, "read:chats").takes(api.PageQuery{}).answers([]api.ChatMessage{})
	add(User, post, "/api/v1/svc/chats/:id/messages", client.Chats.Send, "write:chats").takes(api.NewChatMessage{}).answers(api.ChatMessage{})
	add(User, del, "/api/v1/svc/chats/:id/messages/:message_id", client.Chats.DeleteMessage, "write:chats").answers(api.ChatMessage{})
	add(User, post, "/api/v1/svc/chats/:id/read", client.Chats.Read, "write:chats").takes(api.ReadChat{}).answers(api.Chat{})
	add(User, post, "/api/v1/svc/chats/:id/messages/:message_id/read", client.Chats.ReadMessage, "write:chats").answers(api.ChatMessage{})

	// The instance.
	add(Public, get, "/api/v1/instance", client.Instance.Get).answers(api.Instance{})
	add(Public, get, "/api/v2/instance", client.Instance.GetV2).answers(api.InstanceV2{})
	add(Public, get, "/api/v1/instance/rules", client.Instance.Rules).answers([]api.Rule{})
	add(Public, get, "/api/v1/instance/extended_description", client.Instance.ExtendedDescription).answers(api.InstanceDocument{})
	add(Public, get, "/api/v1/instance/privacy_policy", client.Instance.PrivacyPolicy).answers(api.InstanceDocument{})
	add(Public, get, "/api/v1/instance/terms_of_service", client.Instance.TermsOfService).answers(api.TermsOfService{})
	add(Public, get, "/api/v1/instance/domain_blocks", client.Instance.DomainBlocks).answers([]api.LimitedDomain{})
	add(Public, get, "/api/v1/instance/languages", client.Instance.Languages).answers([]api.Language{})
	add(Public, get, "/api/v1/instance/peers", client.Instance.Peers).answers([]string{})
	add(Public, get, "/api/v1/instance/activity", client.Instance.Activity).answers([]api.ActivityWeek{})
	add(Public, get, "/api/oembed", client.Instance.OEmbed).takes(api.OEmbedQuery{}).answers(api.OEmbed{})
	add(Public, get, "/api/v1/svc/federation_status", client.Instance.FederationStatus).answers(api.FederationStatus{})
	add(Public, get, "/api/svc/frontend_configurations", client.Instance.FrontendConfigurations).answers(api.FrontendConfigurations{})
	add(Public, get, "/api/svc/healthcheck", client.Instance.Healthcheck).answers(api.Health{}, at(503, api.Empty{}))
	add(Public, get, "/.well-known/host-meta", docs.HostMeta).answers(file("application/xrd+xml"))
	add(Public, get, "/.well-known/host-meta.json", docs.HostMetaJSON).answers(api.HostMeta{})
	add(Public, get, "/.well-known/webfinger", docs.WebFinger).takes(api.WebFingerQuery{}).answers(api.WebFinger{})
	add(Page, get, "/.well-known/change-password", html.ChangePassword)
	add(Public, get, "/api/v1/custom_emojis", client.Emojis.List).answers([]api.CustomEmoji{})
	add(Public, get, "/api/svc/emoji", client.Emojis.Pictures).answers(map[string]api.EmojiPicture{})
	add(Public, get, "/api/svc/emoji/packs", client.Emojis.Packs).takes(api.EmojiPageQuery{}).answers(api.EmojiPacks{})
	add(Public, get, "/api/svc/emoji/packs/archive", client.Emojis.Archive).takes(api.EmojiPageQuery{}).answers(file("application/zip"))
	add(Public, get, "/api/svc/emoji/pack", client.Emojis.Pack).takes(api.EmojiPageQuery{}).answers(api.EmojiPack{})
	add(Public, get, "/api/v1/trends", clientapi.None).answers([]any{})
	add(Public, get, "/api/v1/trends/tags", clientapi.None).answers([]any{})
	add(Public, get, "/api/v1/trends/statuses", clientapi.None).answers([]any{})
	add(Public, get, "/api/v1/trends/links", clientapi.None).answers([]any{})
	add(Public, get, "/api/v1/identity_proofs", clientapi.None).answers([]any{})
	add(Public, get, "/.well-known/nodeinfo", client.Instance.NodeInfoLinks).answers(api.NodeInfoLinks{})
	add(Public, get, "/nodeinfo/:version", client.Instance.NodeInfo).answers(api.NodeInfo{})

	// Statuses and timelines.
	add(User, get, "/api/v1/timelines/home", client.Timelines.Home, "read:statuses").takes(api.TimelineQuery{}).answers([]api.Status{}).limit(timeline("home"))
	add(Optional, get, "/api/v1/timelines/public", client.Timelines.Public, "read:statuses").takes(api.TimelineQuery{}).answers([]api.Status{}).limit(timeline("public"))
	add(Optional, get, "/api/v1/timelines/tag/:tag", client.Timelines.Tag, "read:statuses").takes(api.TagTimelineQuery{}).answers([]api.Status{}).limit(timeline("tag"))
	add(User, get, "/api/v1/timelines/list/:id", client.Timelines.List, "read:lists").takes(api.ListTimelineQuery{}).answers([]api.Status{}).limit(timeline("list"))
	add(User, get, "/api/v1/timelines/direct", client.Timelines.Direct, "read:statuses").takes(api.DirectTimelineQuery{}).answers([]api.Status{}).limit(timeline("direct"))
	add(Optional, get, "/api/v1/accounts/:id/statuses", client.Timelines.Account, "read:statuses").takes(api.AccountStatusQuery{}).answers([]api.Status{})
	add(Optional, get, "/api/v1/statuses", client.Statuses.ByID, "read:statuses").takes(api.StatusesQuery{}).answers([]api.Status{})
	add(User, post, "/api/v1/statuses", client.Statuses.Create, "write:statuses").takes(api.NewStatus{}).answers(api.Status{}, api.ScheduledStatus{}).limit(statuses)
	add(Optional, get, "/api/v1/statuses/:id", client.Statuses.Get, "read:statuses").takes(api.OneStatusQuery{}).answers(api.Status{})
	add(User, get, "/api/v1/scheduled_statuses", client.ScheduledStatuses.List, "read:statuses").takes(api.PageQuery{}).answers([]api.ScheduledStatus{})
	add(User, get, "/api/v1/scheduled_statuses/:id", client.ScheduledStatuses.Get, "read:statuses").answers(api.ScheduledStatus{})
	add(User, put, "/api/v1/scheduled_statuses/:id", client.ScheduledStatuses.Reschedule, "write:statuses").takes(api.Reschedule{}).answers(api.ScheduledStatus{})
	add(User, del, "/api/v1/scheduled_statuses/:id", client.ScheduledStatuses.Delete, "write:statuses").answers(api.ScheduledStatus{})
	add(User, get, "/api/v1/conversations", client.Conversations.List, "read:statuses").takes(api.ConversationQuery{}).answers([]api.Conversation{})
	add(User, post, "/api/v1/conversations/:id/read", client.Conversations.Read, "write:conversations").answers(api.Conversation{})
	add(User, del, "/api/v1/conversations/:id", client.Conversations.Delete, "write:conversations").answers(api.Empty{})
	add(User, post, "/api/v1/svc/conversations/read", client.Conversations.ReadMany, "write:conversations").answers([]api.Conversation{})
	add(User, get, "/api/v1/svc/conversations/:id", client.Conversations.Get, "read:statuses").answers(api.Conversation{})
	add(User, get, "/api/v1/svc/conversations/:id/statuses", client.Conversations.Statuses, "read:statuses").takes(api.PageQuery{}).answers([]api.Status{})
	add(User, patch, "/api/v1/svc/conversations/:id", client.Conversations.Update, "write:conversations").takes(api.ConversationUpdate{}).answers(api.Conversation{})
	add(User, put, "/api/v1/statuses/:id", client.Statuses.Update, "write:statuses").takes(api.StatusForm{}).answers(api.Status{}).limit(statuses)
	add(User, get, "/api/v1/statuses/:id/source", client.Statuses.Source, "read:statuses").answers(api.StatusSource{})
	add(Optional, get, "/api/v1/statuses/:id/history", client.Statuses.History, "read:statuses").answers([]api.StatusEdit{})
	add(User, del, "/api/v1/statuses/:id", client.Statuses.Delete, "write:statuses").answers(api.Status{}).limit(statuses)
	add(User, post, "/api/v1/statuses/:id/reblog", client.Statuses.Reblog, "write:statuses").takes(api.NewReblog{}).answers(api.Status{}).limit(statuses, reblogs)
	add(User, post, "/api/v1/statuses/:id/unreblog", client.Statuses.Unreblog, "write:statuses").answers(api.Status{}).limit(statuses, reblogs)
	add(User, post, "/api/v1/statuses/:id/favourite", client.Statuses.Favourite, "write:favourites").answers(api.Status{}).limit(statuses, likes)
	add(User, post, "/api/v1/statuses/:id/unfavourite", client.Statuses.Unfavourite, "write:favourites").answers(api.Status{}).limit(statuses, likes)
	add(User, post, "/api/v1/statuses/:id/bookmark", client.Statuses.Bookmark, "write:bookmarks").answers(api.Status{})
	add(User, post, "/api/v1/statuses/:id/unbookmark", client.Statuses.Unbookmark, "write:bookmarks").answers(api.Status{})
	add(User, post, "/api/v1/statuses/:id/pin", client.Statuses.Pin, "write:accounts").answers(api.Status{})
	add(User, post, "/api/v1/statuses/:id/unpin", client.Statuses.Unpin, "write:accounts").answers(api.Status{})
	add(User, post, "/api/v1/statuses/:id/mute", client.Statuses.MuteThread, "write:mutes").takes(api.ThreadMute{}).answers(api.Status{})
	add(User, post, "/api/v1/statuses/:id/unmute", client.Statuses.UnmuteThread, "write:mutes").answers(api.Status{})
	add(Optional, get, "/api/v1/statuses/:id/context", client.Statuses.Context, "read:statuses").answers(api.StatusContext{})
	add(Optional, get, "/api/v1/statuses/:id/reblogged_by", client.Statuses.RebloggedBy, "read:accounts").takes(api.PageQuery{}).answers([]api.Account{})
	add(Optional, get, "/api/v1/statuses/:id/favourited_by", client.Statuses.FavouritedBy, "read:accounts").takes(api.PageQuery{}).answers([]api.Account{})
	add(Optional, get, "/api/v1/statuses/:id/card", client.Statuses.Card, "read:statuses").answers((*api.Card)(nil))
	add(User, get, "/api/v1/bookmarks", client.Statuses.Bookmarks, "read:bookmarks").takes(api.PageQuery{}).answers([]api.Status{})
	add(User, get, "/api/v1/favourites", client.Statuses.Favourites, "read:favourites").takes(api.PageQuery{}).answers([]api.Status{})
	add(Optional, get, "/api/v1/svc/accounts/:id/favourites", client.Statuses.FavouritesOf, "read:favourites").takes(api.PageQuery{}).answers([]api.Status{})
	add(Optional, get, "/api/v1/svc/statuses/:id/reactions", client.Statuses.Reactions, "read:statuses").takes(api.ReactionQuery{}).answers([]api.Reaction{})
	add(Optional, get, "/api/v1/svc/statuses/:id/reactions/:emoji", client.Statuses.Reactions, "read:statuses").takes(api.ReactionQuery{}).answers([]api.Reaction{})
	add(User, put, "/api/v1/svc/statuses/:id/reactions/:emoji", client.Statuses.React, "write:statuses").answers(api.Status{})
	add(User, del, "/api/v1/svc/statuses/:id/reactions/:emoji", client.Statuses.Unreact, "write:statuses").answers(api.Status{})
	add(Optional, get, "/api/v1/polls/:id", client.Polls.Get, "read:statuses").answers(api.Poll{})
	add(User, post, "/api/v1/polls/:id/votes", client.Polls.Vote, "write:statuses").takes(api.Votes{}).answers(api.Poll{})

	// Files.
	add(Public, get, "/media/:name", client.Media.File).sends()
	add(Public, get, "/proxy/:signature/:url/:filename", client.Media.ProxiedFile).sends()
	add(Public, get, "/proxy/preview/:signature/:url/:filename", client.Media.PreviewedFile).sends()
	add(User, post, "/api/v1/media", client.Media.Create, "write:media").takes(api.MediaForm{}).files("file").answers(api.Attachment{}).limit(uploads).body(client.Media.UploadBody)
	add(User, post, "/api/v2/media", client.Media.CreateV2, "write:media").takes(api.MediaForm{}).files("file").answers(api.Attachment{}, at(202, api.Attachment{})).limit(uploads).body(client.Media.UploadBody)
	add(User, get, "/api/v1/media/:id", client.Media.Get, "read:media").answers(api.Attachment{})
	add(User, put, "/api/v1/media/:id", client.Media.Update, "write:media").takes(api.MediaForm{}).answers(api.Attachment{})
	add(User, del, "/api/v1/media/:id", client.Media.Delete, "write:media").answers(api.Empty{})
	add(User, get, "/api/v1/svc/mascot", client.Media.Mascot, "read:accounts").answers(api.Attachment{})
	add(User, put, "/api/v1/svc/mascot", client.Media.SetMascot, "write:accounts").files("file").answers(api.Attachment{}).limit(uploads).body(client.Media.UploadBody)

	// Search.
	add(Optional, get, "/api/v1/search", client.Search.V1, "read:search").takes(api.SearchQuery{}).answers(api.FoundV1{}).limit(search)
	add(Optional, get, "/api/v2/search", client.Search.V2, "read:search").takes(api.SearchQuery{}).answers(api.Found{}).limit(search)

	// Streaming. Each stream has a path for Server-Sent Events.
	add(Public, get, "/api/v1/streaming/health", s.streaming.Health).answers(file("text/plain"))
	for _, path := range []string{"", "/user", "/user/notification", "/user/svc_chat", "/public", "/public/local", "/public/media", "/public/local/media",
		"/public/remote", "/public/remote/media", "/hashtag", "/hashtag/local", "/list", "/direct", "/svc/moderation"} {
		add(Stream, get, "/api/v1/streaming"+path, s.streaming.Open).takes(api.StreamQuery{})
	}

	add(Stream, get, "/socket/websocket", s.streaming.Room)

	// Reports.
	add(User, post, "/api/v1/reports", client.Reports.Create, "write:reports").takes(api.NewReport{}).answers(api.Report{})

	// The admin API. Rights other than that of admins are privileges, which the
	// settings may give to moderators.
	const root = "/api/svc/admin"
	admit := func(right rights.Right, method, path string, h web.Handler, scope string) *Route {
		r := add(Admin, method, root+path, h, scope)
		r.Right = right
		return r
	}
	admit(rights.Signups, get, "/users", admin.Users().List, "read:accounts").takes(api.UserQuery{}).answers(api.UserList{})
	admit(rights.Admins, post, "/users", admin.Users().Create, "write:accounts").takes(api.NewUsers{}).answers([]api.UserResult{})
	admit(rights.Admins, del, "/users", admin.Users().Delete, "write:accounts").takes(api.DeletedUsers{}).answers([]string{}, "")
	admit(rights.Signups, get, "/users/:nickname_or_id", admin.Users().Show, "read:accounts").answers(api.AdminUser{})
	admit(rights.Admins, get, "/users/:nickname_or_id/password_reset", admin.Users().PasswordReset, "write:accounts").answers(api.PasswordReset{})
	admit(rights.Approvals, patch, "/users/approve", admin.Users().Approve, "write:accounts").takes(api.Nicknames{}).answers(api.Users{})
	admit(rights.Approvals, patch, "/users/reject", admin.Users().Reject, "write:accounts").takes(api.Rejection{}).answers([]string{})
	admit(rights.Approvals, get, "/mail_domains", admin.MailDomains().List, "read:accounts").answers(api.MailDomains{})
	admit(rights.Approvals, post, "/mail_domains", admin.MailDomains().Block, "write:accounts").takes(api.MailDomains{}).answers(api.MailDomains{})
	admit(rights.Approvals, del, "/mail_domains", admin.MailDomains().Unblock, "write:accounts").takes(api.MailDomains{}).answers(api.MailDomains{})
	admit(rights.Admins, patch, "/users/confirm_email", admin.Users().ConfirmEmails, "write").takes(api.Nicknames{}).answers([]string{})
	admit(rights.Admins, patch, "/users/resend_confirmation_email", admin.Users().ResendConfirmations, "write").takes(api.Nicknames{}).answers([]string{})
	admit(rights.Admins, patch, "/users/force_password_reset", admin.Users().ForcePasswordReset, "write:accounts").takes(api.Nicknames{}).answers(none)
	admit(rights.Admins, get, "/users/:nickname_or_id/sessions", admin.Users().LogIns, "read:accounts").answers([]api.LogIn{})
	admit(rights.Admins, post, "/users/:nickname/move", admin.Users().Move, "write:accounts").takes(api.UserMove{}).answers(none)
	admit(rights.Admins, del, "/users/:nickname/move", admin.Users().CancelMove, "write:accounts").answers(none)
	admit(rights.Admins, patch, "/users/logout", admin.Users().LogOut, "write:accounts").takes(api.Nicknames{}).answers(none)
	admit(rights.Admins, put, "/users/disable_mfa", admin.Users().DisableMFA, "write:accounts").takes(api.Nickname{}).answers("")
	admit(rights.Admins, post, "/users/follow", admin.Users().Follow, "write:follows").takes(api.FollowPair{}).answers("")
	admit(rights.Admins, post, "/users/unfollow", admin.Users().Unfollow, "write:follows").takes(api.FollowPair{}).answers("")
	admit(rights.Admins, post, "/backups", admin.Users().Backup, "read:accounts").takes(api.Nickname{}).answers("")
	admit(rights.Statuses, get, "/users/:nickname_or_id/statuses", admin.Statuses().OfUser, "read:statuses").takes(api.StatusQuery{}).answers([]api.AdminStatus{})
	admit(rights.UsersActivation, patch, "/users/:nickname/toggle_activation", admin.Users().Toggle, "write:accounts").answers(api.AdminUser{})
	admit(rights.UsersActivation, patch, "/users/activate", admin.Users().Activate, "write:accounts").takes(api.Nicknames{}).answers(api.Users{})
	admit(rights.UsersActivation, patch, "/users/deactivate", admin.Users().Deactivate, "write:accounts").takes(api.Nicknames{}).answers(api.Users{})
	admit(rights.Admins, put, "/users/tag", admin.Users().Tag, "write:accounts").takes(api.UserTags{}).answers(none)
	admit(rights.Admins, del, "/users/tag", admin.Users().Untag, "write:accounts").takes(api.UserTags{}).answers(none)
	admit(rights.Reports, get, "/users/:nickname_or_id/history", admin.History().Show, "read:reports").answers(api.UserHistory{})
	admit(rights.UsersRead, get, "/users/:nickname_or_id/permission_group", admin.Roles().List, "read:accounts").answers(api.Membership{})
	admit(rights.UsersRead, get, "/users/:nickname_or_id/permission_group/:permission_group", admin.Roles().Show, "read:accounts").answers(api.Membership{})
	admit(rights.Admins, post, "/users/:nickname/permission_group/:permission_group", admin.Roles().AddTo, "write:accounts").answers(api.MemberUser{})
	admit(rights.Admins, del, "/users/:nickname/permission_group/:permission_group", admin.Roles().RemoveFrom, "write:accounts").answers(api.MemberUser{})
	admit(rights.Admins, post, "/users/permission_group/:permission_group", admin.Roles().Add, "write:accounts").takes(api.Nicknames{}).answers(api.MemberUser{}, api.RoleChange{})
	admit(rights.Admins, del, "/users/permission_group/:permission_group", admin.Roles().Remove, "write:accounts").takes(api.Nicknames{}).answers(api.MemberUser{}, api.RoleChange{})
	admit(rights.Admins, get, "/users/:nickname_or_id/credentials", admin.Credentials().Show, "read:accounts").answers(api.Credentials{})
	admit(rights.Admins, patch, "/users/:nickname/credentials", admin.Credentials().Update, "write:accounts").takes(api.CredentialsUpdate{}).files("avatar", "banner", "background").answers(api.Outcome{}).body(admin.Credentials().BodyLimit)
	admit(rights.Admins, get, "/users/:nickname_or_id/ssh_keys", admin.SSHKeys().List, "read:accounts").answers([]api.SSHKey{})
	admit(rights.Admins, post, "/users/:nickname/ssh_keys", admin.SSHKeys().Add, "write:accounts").takes(api.NewSSHKey{}).answers(api.SSHKey{})
	admit(rights.Admins, del, "/users/:nickname/ssh_keys/:id", admin.SSHKeys().Delete, "write:accounts").answers(none)
	admit(rights.Invites, post, "/users/invite_token", admin.Invites().Create, "write:invites").takes(api.NewInvite{}).answers(api.Invite{})
	admit(rights.Invites, get, "/users/invites", admin.Invites().List, "read:invites").answers(api.Invites{})
	admit(rights.Invites, post, "/users/revoke_invite", admin.Invites().Revoke, "write:invites").takes(api.InviteToken{}).answers(api.Invite{})
	admit(rights.Invites, post, "/users/email_invite", admin.Invites().Email, "write:invites").takes(api.InviteMail{}).answers(none)
	admit(rights.Reports, get, "/instances/:instance", admin.Hosts().Known, "read:reports").answers(api.KnownHost{})
	admit(rights.Statuses, get, "/instances/:instance/statuses", admin.Statuses().OfInstance, "read:statuses").takes(api.StatusQuery{}).answers([]api.AdminStatus{})
	admit(rights.Statuses, get, "/statuses", admin.Statuses().List, "read:statuses").takes(api.StatusQuery{}).answers([]api.AdminStatus{})
	admit(rights.Statuses, get, "/statuses/:id", admin.Statuses().Show, "read:statuses").answers(api.AdminStatus{})
	admit(rights.Statuses, get, "/statuses/:id/context", admin.Statuses().Context, "read:statuses").takes(api.AdminContextQuery{}).answers(api.AdminContext{})
	admit(rights.Statuses, put, "/statuses/:id", admin.Statuses().Update, "write:statuses").takes(api.StatusUpdate{}).answers(api.Status{})
	admit(rights.Statuses, del, "/statuses/:id", admin.Statuses().Delete, "write:statuses").answers(api.Empty{})
	admit(rights.Reports, get, "/reports", admin.Reports().List, "read:reports").takes(api.ReportQuery{}).answers(api.ReportList{})
	admit(rights.Reports, get, "/grouped_reports", admin.Reports().Groups, "read:reports").takes(api.ReportQuery{}).answers(api.GroupedReports{})
	admit(rights.Reports, get, "/reports/:id", admin.Reports().Show, "read:reports").answers(api.AdminReport{})
	admit(rights.Reports, post, "/reports", admin.Reports().Create, "write:reports").takes(api.NewAdminReport{}).answers(api.AdminReport{})
	admit(rights.Reports, patch, "/reports", admin.Reports().Update, "write:reports").takes(api.ReportsPatch{}).answers(none)
	admit(rights.Reports, post, "/reports/:id/notes", admin.Reports().AddNote, "write:reports").takes(api.NewReportNote{}).answers(none)
	admit(rights.Reports, del, "/reports/:id/notes/:note_id", admin.Reports().DeleteNote, "write:reports").answers(none)
	admit(rights.Admins, get, "/announcements", admin.Announcements().List, "read").takes(api.AdminAnnouncementQuery{}).answers([]api.AdminAnnouncement{})
	admit(rights.Admins, post, "/announcements", admin.Announcements().Create, "write").takes(api.AnnouncementForm{}).answers(api.AdminAnnouncement{})
	admit(rights.Admins, get, "/announcements/:id", admin.Announcements().Get, "read").answers(api.AdminAnnouncement{})
	admit(rights.Admins, patch, "/announcements/:id", admin.Announcements().Update, "write").takes(api.AnnouncementForm{}).answers(api.AdminAnnouncement{})
	admit(rights.Admins, del, "/announcements/:id", admin.Announcements().Delete, "write").answers(api.Empty{})
	admit(rights.Reports, get, "/rules", admin.Rules().List, "read").answers([]api.AdminRule{})
	admit(rights.Admins, post, "/rules", admin.Rules().Create, "write").takes(api.RuleForm{}).answers(api.AdminRule{})
	admit(rights.Admins, patch, "/rules/:id", admin.Rules().Update, "write").takes(api.RuleForm{}).answers(api.AdminRule{})
	admit(rights.Admins, del, "/rules/:id", admin.Rules().Delete, "write").answers(api.Empty{})
	admit(rights.Log, get, "/moderation_log", admin.Log().List, "read").takes(api.LogQuery{}).answers([]api.LogEntry{})
	admit(rights.Admins, get, "/stats", admin.Instance().Stats, "read").takes(api.StatsQuery{}).answers(api.Stats{})
	admit(rights.Admins, get, "/config", admin.Config().Show, "read").takes(api.ConfigQuery{}).answers(api.ConfigSettings{})
	admit(rights.Admins, post, "/config", admin.Config().Update, "write").takes(api.ConfigChanges{}).answers(api.ConfigSettings{})
	admit(rights.Admins, get, "/config/history", admin.Config().History, "read").takes(api.ConfigHistoryQuery{}).answers(api.ConfigHistory{})
	admit(rights.Admins, get, "/need_reboot", admin.Config().NeedReboot, "read").answers(api.ConfigReboot{})
	admit(rights.Admins, get, "/restart", admin.Config().Restart, "write").answers(api.Empty{})
	admit(rights.Admins, get, "/config/descriptions", admin.Config().Descriptions, "read").answers([]api.ConfigDescription{})
	admit(rights.Admins, post, "/reload_emoji", admin.CustomEmojis().Reload, "write").answers("")
	admit(rights.Admins, get, "/emoji", admin.CustomEmojis().List, "read").takes(api.AdminEmojiQuery{}).answers(api.AdminEmojis{})
	admit(rights.Admins, patch, "/emoji", admin.CustomEmojis().Change, "write").takes(api.EmojiChange{}).answers(api.AdminEmojis{})
	admit(rights.Admins, get, "/users/:nickname_or_id/chats", admin.Chats().OfUser, "read:chats").answers([]api.AdminChat{})
	admit(rights.Admins, get, "/chats/:id", admin.Chats().Show, "read:chats").answers(api.AdminChat{})
	admit(rights.Admins, get, "/chats/:id/messages", admin.Chats().Messages, "read:chats").takes(api.PageQuery{}).answers([]api.ChatMessage{})
	admit(rights.Admins, del, "/chats/:id/messages/:message_id", admin.Chats().DeleteMessage, "write:chats").answers(api.ChatMessage{})
	admit(rights.Admins, get, "/oauth_app", admin.Apps().List, "write").takes(api.AppQuery{}).answers(api.AdminApps{})
	admit(rights.Admins, post, "/oauth_app", admin.Apps().Create, "write").takes(api.AppForm{}).answers(api.AdminApp{}, at(400, map[string]string{}))
	admit(rights.Admins, patch, "/oauth_app/:id", admin.Apps().Update, "write").takes(api.AppForm{}).answers(api.AdminApp{}, at(400, map[string]string{}))
	admit(rights.Admins, del, "/oauth_app/:id", admin.Apps().Delete, "write").answers(none)
	admit(rights.Media, get, "/media_proxy_caches", admin.MediaBans().List, "read:media_proxy_caches").takes(api.MediaBanQuery{}).answers(api.MediaBans{})
	admit(rights.Media, post, "/media_proxy_caches/delete", admin.MediaBans().Unban, "write:media_proxy_caches").takes(api.MediaURLs{}).answers(api.Empty{})
	admit(rights.Media, post, "/media_proxy_caches/purge", admin.MediaBans().Purge, "write:media_proxy_caches").takes(api.MediaPurge{}).answers(api.Empty{})
	admit(rights.Media, get, "/media_proxy_caches/files", admin.MediaBans().Cached, "read:media_proxy_caches").takes(api.CachedMediaQuery{}).answers(api.CachedMedia{})
	admit(rights.Media, del, "/media_proxy_caches/files", admin.MediaBans().PurgeCached, "write:media_proxy_caches").takes(api.CachedMediaQuery{}).answers(api.CachedMedia{})
	admit(rights.Admins, get, "/relay", admin.Relays().List, "read").answers([]api.Relay{})
	admit(rights.Admins, post, "/relay", admin.Relays().Follow, "write:follows").takes(api.RelayForm{}).answers(api.Relay{})
	admit(rights.Admins, del, "/relay", admin.Relays().Unfollow, "write:follows").takes(api.RelayForm{}).answers("")
	admit(rights.Admins, get, "/federation/hosts", admin.Hosts().List, "read").takes(api.HostQuery{}).answers(api.Hosts{})
	admit(rights.Admins, get, "/federation/hosts/:host", admin.Hosts().Show, "read").answers(api.Host{})
	admit(rights.Admins, post, "/federation/hosts/:host/retry", admin.Hosts().Retry, "write").answers(api.Host{})
	admit(rights.Admins, del, "/federation/hosts/:host", admin.Hosts().Forget, "write").answers(api.Dropped{})
	admit(rights.Admins, get, "/federation/limits", admin.Hosts().Limits, "read").takes(api.LimitedQuery{}).answers(api.LimitedHosts{})
	admit(rights.Admins, post, "/federation/limits", admin.Hosts().Limit, "write").takes(api.HostLimitChanges{}).answers(api.LimitedHosts{})
	admit(rights.Admins, get, "/jobs", admin.Jobs().List, "read").takes(api.JobQuery{}).answers(api.Jobs{})
	admit(rights.Admins, get, "/jobs/queues", admin.Jobs().Queues, "read").answers(api.Queues{})
	admit(rights.Admins, post, "/jobs/retry", admin.Jobs().RetryQueue, "write").takes(api.QueueName{}).answers(api.Retried{})
	admit(rights.Admins, post, "/jobs/:id/retry", admin.Jobs().Retry, "write").answers(api.Empty{})
	admit(rights.Admins, get, "/instance_document/:document_name", admin.Documents().Show, "read").answers(api.Document{})
	admit(rights.Admins, patch, "/instance_document/:document_name", admin.Documents().Set, "write").files("file").answers(api.Document{}).body(admin.Documents().BodyLimit)
	admit(rights.Admins, del, "/instance_document/:document_name", admin.Documents().Delete, "write").answers(api.Document{})

	// The packs of emoji are read by everybody and changed by admins.
	pack := func(method, path string, h web.Handler) *Route {
		r := add(Admin, method, "/api/svc/emoji/"+path, h, "write")
		r.Right = rights.Admins
		return r
	}
	pack(post, "packs/files", admin.CustomEmojis().Add).takes(api.NewEmoji{}).files("file").answers(map[string]string{}).body(admin.CustomEmojis().BodyLimit)
	pack(patch, "packs/files", admin.CustomEmojis().Rename).takes(api.EmojiRenaming{}).answers(map[string]string{})
	pack(del, "packs/files", admin.CustomEmojis().Remove).takes(api.PackEmoji{}).answers(map[string]string{})
	pack(post, "pack", admin.CustomEmojis().CreatePack).takes(api.EmojiPackName{}).answers("")
	pack(patch, "pack", admin.CustomEmojis().DescribePack).takes(api.EmojiPackForm{}).answers(api.EmojiPackInfo{})
	pack(del, "pack", admin.CustomEmojis().DeletePack).takes(api.EmojiPackName{}).answers("")
	pack(get, "packs/import", admin.CustomEmojis().Scan).answers([]string{})
	pack(get, "packs/remote", admin.CustomEmojis().RemotePacks).takes(api.RemotePackQuery{}).answers(api.EmojiPacks{})
	pack(post, "packs/download", admin.CustomEmojis().Download).takes(api.PackDownload{}).answers(api.ImportedPack{})
	pack(post, "packs/download_zip", admin.CustomEmojis().Import).takes(api.PackArchive{}).files("file").answers(api.ImportedPack{}).body(admin.CustomEmojis().ArchiveLimit)

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
	s.engine.Use(front, s.metrics.count(s.now, s.routes))
	if s.traces != nil {
		s.engine.Use(traceRequests(s.traces, s.routes))
	}
	s.engine.Use(web.Problems(html.Problem), web.Recover, web.CORS(s.Settings), web.Headers(s.Settings), s.metrics.export(s.Settings))
	if !s.site.Words.Own() {
		s.engine.Use(s.named())
	}
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
		if h = web.KnownIDs(r.Path, h); !s.plays(r) {
			h = elsewhere
		}
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
	s.handler = s.visitors.count(web.Bodies(s.traffic.watch(web.TolerateSlash(s.site.Words.Paths(web.OverrideMethod(s.engine), web.Plain)))))
}
