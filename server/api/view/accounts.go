package view

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// accountJSON is an account's public form at one version.
type accountJSON struct {
	version int64
	json    []byte
}

// Account is the public form, for anonymous viewers.
func (v *View) Account(a *db.Account) api.Account {
	out := api.Account{
		ID: a.ID, Username: a.Username(), Acct: a.Nickname, DisplayName: a.DisplayName,
		Locked: a.Locked, Bot: a.ActorType == "Service" || a.ActorType == "Application", Group: a.ActorType == "Group",
		Discoverable: a.Discoverable, NoIndex: !a.Discoverable, Indexable: !a.Unindexed, HideCollections: a.HideFollowers && a.HideFollows,
		CreatedAt: api.Time{Time: a.CreatedAt.Time}, Note: a.NoteHTML, URL: hosts.URI(a.URL), URI: a.URI,
		Avatar: v.avatar(a.Avatar), Header: v.orDefault(a.Header, "/images/banner.png"),
		FollowersCount: int(a.FollowersCount), FollowingCount: int(a.FollowingCount), StatusesCount: int(a.StatusesCount),
		Emojis: v.emojis(a.Emojis),
	}
	if out.DisplayName == "" {
		out.DisplayName = a.Nickname
	}
	if out.URL == "" {
		out.URL = a.URI
	}
	out.AvatarStatic, out.HeaderStatic = out.Avatar, out.Header
	if a.HideFollowers && a.HideFollowersCount {
		out.FollowersCount = 0
	}
	if a.HideFollows && a.HideFollowsCount {
		out.FollowingCount = 0
	}
	if !a.LastStatusAt.IsZero() {
		out.LastStatusAt = optional(a.LastStatusAt.Format("2006-01-02"))
	}
	for _, f := range a.FieldsHTML {
		out.Fields = append(out.Fields, api.Field{Name: f.Name, Value: f.Value, VerifiedAt: api.At(f.VerifiedAt)})
	}
	out.Source = api.AccountSource{
		Note: a.Note, Privacy: cmp.Or(a.DefaultScope, db.Public), Sensitive: a.DefaultSensitive, Language: optional(text.Language(a.DefaultLanguage)),
		HideCollections: out.HideCollections, Discoverable: a.Discoverable, Indexable: !a.Unindexed,
		Svc: api.AccountSourceSvc{Discoverable: a.Discoverable, ActorType: a.ActorType},
	}
	for _, f := range a.Fields {
		out.Source.Fields = append(out.Source.Fields, api.SourceField{Name: f.Name, Value: f.Value})
	}
	if a.Local {
		showRole := a.ShowRole
		out.Source.Svc.ShowRole = &showRole
	}
	out.Svc = api.AccountSvc{
		APID: optional(a.URI), AlsoKnownAs: api.List[string](a.AlsoKnownAs), Tags: api.List[string](a.Tags),
		ConfirmationPending: a.ConfirmationPending, HideFavorites: a.HideFavourites,
		HideFollowers: a.HideFollowers, HideFollows: a.HideFollows,
		HideFollowersCount: a.HideFollowersCount, HideFollowsCount: a.HideFollowsCount,
		SkipThreadContainment: a.SkipThreadContainment, AcceptsChatMessages: a.AcceptsChatMessages,
	}
	out.Svc.Favicon = optional(v.favicon(a.Domain))
	if a.Background != "" {
		out.Svc.BackgroundImage = optional(v.orDefault(a.Background, ""))
	}
	if a.ShowRole {
		v.showRole(&out, a)
		if r := role(a); a.Local && r.Name != "" {
			out.Roles = api.ShownRoles{r}
		}
	}
	return out
}

// role is the role of an account, with the ids that apps know.
func role(a *db.Account) api.Role {
	switch {
	case a.IsAdmin:
		return api.Role{ID: "1", Name: "Admin"}
	case a.IsModerator:
		return api.Role{ID: "2", Name: "Moderator"}
	}
	return api.Role{ID: "-99"}
}

// AccountForAdmins is the public form and the fields for admins only (1
// statement if the account moved).
func (v *View) AccountForAdmins(ctx context.Context, a *db.Account) (api.Account, error) {
	out, err := v.publicForms(ctx, []db.Account{*a})
	if err != nil {
		return api.Account{}, err
	}
	v.tellAdmins(&out[0], a)
	return out[0], nil
}

func (v *View) tellAdmins(out *api.Account, a *db.Account) {
	deactivated := a.Deactivated
	out.Svc.Deactivated = &deactivated
	v.showRole(out, a)
}

func (v *View) showRole(out *api.Account, a *db.Account) {
	admin, moderator := a.IsAdmin, a.IsModerator
	out.Svc.IsAdmin, out.Svc.IsModerator = &admin, &moderator
}

// Own holds the facts about an account that only its owner sees.
type Own struct {
	FollowRequests      int
	UnreadNotifications int
	UnreadConversations int
	Privileges          []api.Privilege
	SettingsStore       bool   // send it: verify_credentials and update_credentials
	ChatToken           string // verify_credentials only
}

// OwnAccount is the form for the account's owner.
func (v *View) OwnAccount(a *db.Account, u *db.User, own Own) (api.Account, error) {
	out := v.Account(a)
	out.FollowersCount, out.FollowingCount = int(a.FollowersCount), int(a.FollowingCount)
	out.FollowRequests, out.Source.FollowRequests = &own.FollowRequests, own.FollowRequests
	noRich, allow, deactivated := a.NoRichText, a.AllowFollowingMove, a.Deactivated
	out.Source.Svc.NoRichText = &noRich
	v.showRole(&out, a)
	out.Svc.AllowFollowingMove, out.Svc.Deactivated = &allow, &deactivated
	out.Svc.UnreadNotifications, out.Svc.UnreadConversations = &own.UnreadNotifications, &own.UnreadConversations
	out.Svc.NotificationSettings = &api.NotificationSettings{
		BlockFromStrangers: u.BlockFromStrangers, HideNotificationContents: u.HideNotificationContents,
	}
	out.Svc.ChatToken, out.Svc.Privileges = own.ChatToken, own.Privileges
	out.Role = &api.OwnRole{Role: role(a), Permissions: "0", Highlighted: a.ShowRole}
	if own.SettingsStore {
		store, err := json.Marshal(u.SettingsStore)
		if err != nil {
			return out, err
		}
		out.Svc.SettingsStore = store
	}
	return out, nil
}

// Accounts renders rows as an array, in their order (1 statement where any moved).
func (v *View) Accounts(ctx context.Context, rows []db.Account) (json.RawMessage, error) {
	moved, err := v.movedTo(ctx, rows)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('[')
	for i := range rows {
		a, err := v.accountJSON(&rows[i], moved[rows[i].ID])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(a)
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

// AccountsAt renders the accounts at these versions as an array, in their order,
// with at most one statement, and one more where any moved. One that is gone since
// is left out.
func (v *View) AccountsAt(ctx context.Context, refs []db.AccountRef) (json.RawMessage, error) {
	return v.accountsAt(ctx, refs, func(string) string { return "" })
}

// MutedAccountsAt is AccountsAt with the end of the viewer's mute of each; those without
// an end are not in ends.
func (v *View) MutedAccountsAt(ctx context.Context, refs []db.AccountRef, ends map[string]db.Time) (json.RawMessage, error) {
	return v.accountsAt(ctx, refs, func(id string) string {
		end, err := json.Marshal(api.At(ends[id].Time))
		if err != nil {
			return ""
		}
		return `,"mute_expires_at":` + string(end)
	})
}

// accountsAt is AccountsAt with more fields of each account, written as JSON.
func (v *View) accountsAt(ctx context.Context, refs []db.AccountRef, more func(id string) string) (json.RawMessage, error) {
	versions := make(map[string]int64, len(refs))
	for _, r := range refs {
		versions[r.ID] = r.Version
	}
	accounts, err := v.accountsOf(ctx, versions)
	if err != nil {
		return nil, err
	}
	size := 2
	for _, a := range accounts {
		size += len(a) + 1
	}
	out := make([]byte, 1, size)
	out[0] = '['
	for _, r := range refs {
		if a := accounts[r.ID]; a != nil {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, a[:len(a)-1]...)
			out = append(append(out, more(r.ID)...), '}')
		}
	}
	return append(out, ']'), nil
}

// FamiliarFollowers renders the familiar followers of the accounts ids, in their order,
// with as many statements as AccountsAt.
func (v *View) FamiliarFollowers(ctx context.Context, ids []string, of map[string][]db.AccountRef) (any, error) {
	type familiar struct {
		ID       string            `json:"id"`
		Accounts []json.RawMessage `json:"accounts"`
	}
	versions := map[string]int64{}
	for _, refs := range of {
		for _, r := range refs {
			versions[r.ID] = r.Version
		}
	}
	accounts, err := v.accountsOf(ctx, versions)
	if err != nil {
		return nil, err
	}
	out := make([]familiar, len(ids))
	for i, id := range ids {
		out[i] = familiar{id, []json.RawMessage{}}
		for _, r := range of[id] {
			if a := accounts[r.ID]; a != nil {
				out[i].Accounts = append(out[i].Accounts, a)
			}
		}
	}
	return out, nil
}

// accountJSON renders an account, or returns the cached form. moved is the
// account's new one: accounts that moved are not cached, since the new one
// changes without them.
func (v *View) accountJSON(a *db.Account, moved *api.Account) ([]byte, error) {
	cache := v.cache()
	if kept, ok := cache.accounts.Get(a.ID); ok && kept.version >= a.Version && a.Version > 0 {
		return kept.json, nil
	}
	out := v.Account(a)
	out.Moved = moved
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	raw = plainHTML(raw)
	if a.Version > 0 && a.MovedTo == "" {
		cache.accounts.Add(a.ID, &accountJSON{a.Version, raw})
	}
	return raw, nil
}

// accountsOf collects the public forms of the accounts at these versions. It
// takes at most one statement for those not cached, and one more if any of
// these moved.
func (v *View) accountsOf(ctx context.Context, want map[string]int64) (map[string][]byte, error) {
	cache := v.cache()
	out := make(map[string][]byte, len(want))
	var missing []string
	for id, version := range want {
		if kept, ok := cache.accounts.Get(id); ok && kept.version >= version {
			out[id] = kept.json
		} else {
			missing = append(missing, id)
		}
	}
	rows, err := v.db.Accounts(ctx, missing)
	if err != nil {
		return nil, err
	}
	moved, err := v.movedTo(ctx, rows)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if out[rows[i].ID], err = v.accountJSON(&rows[i], moved[rows[i].ID]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// plainHTML undoes the escaping of <, > and & that encoding/json adds for JSON
// inside HTML pages, where ours never stands: statuses are mostly HTML.
func plainHTML(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 >= len(raw) {
			out = append(out, raw[i])
			continue
		}
		if raw[i+1] == 'u' && i+5 < len(raw) {
			switch string(raw[i+2 : i+6]) {
			case "003c":
				out = append(out, '<')
				i += 5
				continue
			case "003e":
				out = append(out, '>')
				i += 5
				continue
			case "0026":
				out = append(out, '&')
				i += 5
				continue
			}
		}
		out = append(out, raw[i], raw[i+1])
		i++
	}
	return bytes.Clone(out)
}
