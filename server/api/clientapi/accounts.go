package clientapi

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
	"svc/server/rules/social"
)

// VerifyCredentials is GET /api/v1/accounts/verify_credentials.
func (a *Accounts) VerifyCredentials(c *gin.Context) error {
	if !web.Caller(c).Can("read:accounts") {
		return a.limited(c, web.Caller(c).Account)
	}
	return a.own(c, web.Caller(c).Account, true, true)
}

// UserInfo is GET and POST /oauth/userinfo. Shape: OpenID Connect Core, 5.3.
func (a *Accounts) UserInfo(c *gin.Context) error {
	me := a.View.Account(web.Caller(c).Account)
	return web.OK(c, api.UserInfo{
		Issuer: a.Site.Base, Subject: web.Caller(c).Account.URI, Name: me.DisplayName, PreferredUsername: me.Username, Profile: me.URL, Picture: me.Avatar,
	})
}

// own answers with an account as its owner sees it; settings and token add the
// settings store and a token for the chat room. A row that changed since it was
// read is read again.
func (a *Accounts) own(c *gin.Context, account *db.Account, settings, token bool) error {
	standing, err := a.Standings.Of(c.Request.Context(), account.ID)
	if err != nil {
		return err
	}
	if standing.Version != account.Version {
		if account, err = a.DB.Account(c.Request.Context(), account.ID); err != nil {
			return err
		}
	}
	own := view.Own{
		FollowRequests: standing.FollowRequests, UnreadNotifications: standing.UnseenNotifications, UnreadConversations: standing.UnreadConversations,
		SettingsStore: settings, Privileges: a.Rights.Of(account),
	}
	if token {
		if own.ChatToken, err = a.Auth.ChatToken(c.Request.Context(), web.Caller(c), &standing.User); err != nil {
			return err
		}
	}
	out, err := a.View.OwnAccount(account, &standing.User, own)
	if err != nil {
		return err
	}
	if out.Moved, err = a.View.Moved(c.Request.Context(), account); err != nil {
		return err
	}
	return web.OK(c, out)
}

// limited answers with an account for its owner's token of the scope profile alone:
// without what it may not read elsewhere.
func (a *Accounts) limited(c *gin.Context, account *db.Account) error {
	standing, err := a.Standings.Of(c.Request.Context(), account.ID)
	if err != nil {
		return err
	}
	out, err := a.View.OwnAccount(account, &standing.User, view.Own{Privileges: a.Rights.Of(account)})
	if err != nil {
		return err
	}
	out.FollowRequests, out.Svc.UnreadNotifications, out.Svc.UnreadConversations, out.Svc.NotificationSettings = nil, nil, nil, nil
	return web.OK(c, out)
}

// UpdateCredentials is PATCH /api/v1/accounts/update_credentials.
func (a *Accounts) UpdateCredentials(c *gin.Context) error {
	got, err := a.receive(c, a.pictureLimits())
	defer got.close()
	if err != nil {
		return err
	}
	var in api.UpdateCredentials
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	p := social.Profile{
		DisplayName: in.DisplayName, Note: in.Note, AlsoKnownAs: in.AlsoKnownAs, ActorType: in.ActorType, DefaultScope: in.DefaultScope,
		Locked: flag(in.Locked), Bot: flag(in.Bot), Discoverable: flag(in.Discoverable), NoRichText: flag(in.NoRichText),
		HideFollowers: flag(cmp.Or(in.HideFollowers, in.HideCollections)), HideFollows: flag(cmp.Or(in.HideFollows, in.HideCollections)),
		HideFollowersCount: flag(in.HideFollowersCount), HideFollowsCount: flag(in.HideFollowsCount),
		HideFavourites: flag(in.HideFavorites), ShowRole: flag(in.ShowRole), SkipThreadContainment: flag(in.SkipThreadContainment),
		AllowFollowingMove: flag(in.AllowFollowingMove), AcceptsChatMessages: flag(in.AcceptsChatMessages),
	}
	if in.Indexable != nil {
		unindexed := !bool(*in.Indexable)
		p.Unindexed = &unindexed
	}
	if in.FieldsAttributes != nil {
		p.Fields = []db.Field{}
		for _, f := range in.FieldsAttributes {
			p.Fields = append(p.Fields, db.Field{Name: f.Name, Value: f.Value})
		}
	}
	if s := in.Source; s != nil {
		p.DefaultSensitive, p.DefaultLanguage = flag(s.Sensitive), s.Language
		if s.Privacy != nil {
			p.DefaultScope = s.Privacy
		}
	}
	if len(in.SettingsStore) > 0 {
		if err := json.Unmarshal(in.SettingsStore, &p.SettingsStore); err != nil {
			return fault.Invalid("The settings store must be an object")
		}
	}
	if p.Avatar, err = a.picture(c, got, avatarField, in.Avatar); err != nil {
		return err
	}
	if p.Header, err = a.picture(c, got, headerField, in.Header); err != nil {
		return err
	}
	if p.Background, err = a.picture(c, got, backgroundField, in.Background); err != nil {
		return err
	}
	account, _, err := a.Social.UpdateProfile(c.Request.Context(), web.Caller(c).Account, p)
	if err != nil {
		return err
	}
	return a.own(c, account, true, false)
}

func flag(b *api.Bool) *bool { return (*bool)(b) }

// Get is GET /api/v1/accounts/:id; the id may be a nickname.
func (a *Accounts) Get(c *gin.Context) error {
	account, err := a.profile(c)
	if err != nil {
		return err
	}
	if me := web.Caller(c); me != nil && me.Account.ID == account.ID {
		return a.own(c, account, false, false)
	}
	if me := web.Caller(c); me != nil && me.Account.IsAdmin {
		shown, err := a.View.AccountForAdmins(c.Request.Context(), account)
		if err != nil {
			return err
		}
		return web.OK(c, shown)
	}
	raw, err := a.View.Accounts(c.Request.Context(), []db.Account{*account})
	if err != nil {
		return err
	}
	return web.OK(c, only(raw))
}

// NoneOf answers with an empty list about an account, for kinds that this server does not
// have: featured tags and endorsements.
func (a *Accounts) NoneOf(c *gin.Context) error {
	if _, err := a.account(c); err != nil {
		return err
	}
	return None(c)
}

// Lookup is GET /api/v1/accounts/lookup: an account that is known here, by its handle.
func (a *Accounts) Lookup(c *gin.Context) error {
	var q api.AccountLookup
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	handle := strings.TrimPrefix(strings.TrimSpace(q.Acct), "@")
	account, err := a.DB.AccountByNickname(c.Request.Context(), hosts.Nickname(handle, a.Site.Host))
	if err == nil && account.Deactivated {
		return db.ErrNotFound
	}
	if account, err = a.opened(c, account, err); err != nil {
		return err
	}
	raw, err := a.View.Accounts(c.Request.Context(), []db.Account{*account})
	if err != nil {
		return err
	}
	return web.OK(c, only(raw))
}

// mostAccounts is how many accounts are shown by their ids at once.
const mostAccounts = 100

// ByID is GET /api/v1/accounts: the accounts with these ids, in the order asked. Those
// that the caller cannot see are left out.
func (a *Accounts) ByID(c *gin.Context) error {
	var q api.AccountsByID
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	q.ID = q.ID[:min(len(q.ID), mostAccounts)]
	rows, err := a.DB.Accounts(c.Request.Context(), q.ID)
	if err != nil {
		return err
	}
	seen := make(map[string]*db.Account, len(rows))
	for i := range rows {
		if _, err := a.opened(c, &rows[i], nil); err == nil {
			seen[rows[i].ID] = &rows[i]
		}
	}
	ordered := make([]db.Account, 0, len(seen))
	for _, id := range q.ID {
		if account := seen[id]; account != nil {
			ordered = append(ordered, *account)
			delete(seen, id)
		}
	}
	raw, err := a.View.Accounts(c.Request.Context(), ordered)
	if err != nil {
		return err
	}
	return web.OK(c, raw)
}

// only takes the one element out of a rendered array.
func only(raw json.RawMessage) json.RawMessage { return raw[1 : len(raw)-1] }

// Followers is GET /api/v1/accounts/:id/followers.
func (a *Accounts) Followers(c *gin.Context) error { return a.follows(c, a.DB.Followers) }

// Following is GET /api/v1/accounts/:id/following.
func (a *Accounts) Following(c *gin.Context) error { return a.follows(c, a.DB.Following) }

func (a *Accounts) follows(c *gin.Context, list accountsOf) error {
	var q api.AccountQuery
	if err := web.BindQuery(c, &q); err != nil {
		return err
	}
	account, err := a.account(c)
	if err != nil {
		return err
	}
	rows, err := list(c.Request.Context(), a.View.Viewer(web.Caller(c)), account, web.Page(c, accountPage, accountPageMax))
	if err != nil {
		return err
	}
	if q.WithRelationships && web.Caller(c) != nil {
		return a.relatedAccounts(c, rows)
	}
	return a.accounts(c, rows)
}

// accounts answers with a page of accounts, in the order of their ids.
func (a *shared) accounts(c *gin.Context, rows []db.AccountRef) error {
	raw, err := a.View.AccountsAt(c.Request.Context(), rows)
	if err != nil {
		return err
	}
	a.accountLinks(c, rows)
	return web.OK(c, raw)
}

func (a *shared) accountLinks(c *gin.Context, rows []db.AccountRef) {
	if len(rows) > 0 {
		web.Links(c, a.Site.Base, rows[0].ID, rows[len(rows)-1].ID)
	}
}

// relatedAccounts is accounts with the caller's relationship to each.
func (a *shared) relatedAccounts(c *gin.Context, rows []db.AccountRef) error {
	out, err := a.related(c.Request.Context(), web.Caller(c).Account.ID, rows)
	if err != nil {
		return err
	}
	a.accountLinks(c, rows)
	return web.OK(c, out)
}

// related renders accounts with a viewer's relationship to each, in two
// statements.
func (a *shared) related(ctx context.Context, viewerID string, rows []db.AccountRef) (api.List[api.Account], error) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	related, err := a.DB.Relationships(ctx, viewerID, ids)
	if err != nil {
		return nil, err
	}
	accounts, err := a.DB.Accounts(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*db.Account, len(accounts))
	for i := range accounts {
		byID[accounts[i].ID] = &accounts[i]
	}
	out := make(api.List[api.Account], 0, len(rows))
	for _, id := range ids {
		if account := byID[id]; account != nil {
			shown := a.View.Account(account)
			shown.Svc.Relationship = relationship(related[id])
			out = append(out, shown)
		}
	}
	return out, nil
}

// webFrontend is the name of the web client in the settings store.
const webFrontend = "masto_fe"

// SetWebSettings is PUT /api/web/settings: preferences of the web client. They
// are read with the rest of the settings store.
func (a *Accounts) SetWebSettings(c *gin.Context) error {
	var in api.WebSettings
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	var settings map[string]any
	if err := json.Unmarshal(in.Data, &settings); err != nil || settings == nil {
		return fault.Invalid("The settings must be an object")
	}
	_, _, err := a.Social.UpdateProfile(c.Request.Context(), web.Caller(c).Account, social.Profile{SettingsStore: map[string]any{webFrontend: settings}})
	if err != nil {
		return err
	}
	return web.OK(c, api.Empty{})
}

// ProfileBody is the longest form that changes a profile, in bytes. A picture
// in Base64 is text, so it is limited by the part of the form for text.
func (a *Accounts) ProfileBody() int64 {
	i := &a.Settings.Load().Instance
	return int64(i.AvatarUploadLimit) + int64(i.BannerUploadLimit) + int64(i.BackgroundUploadLimit) + web.FormOverhead
}

// Preferences is GET /api/v1/preferences.
func (a *Accounts) Preferences(c *gin.Context) error {
	me := web.Caller(c).Account
	return web.OK(c, api.Preferences{
		PostingVisibility: me.DefaultScope, PostingSensitive: me.DefaultSensitive, PostingLanguage: optional(text.Language(me.DefaultLanguage)), ReadingMedia: "default",
	})
}
