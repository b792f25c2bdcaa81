package view

import (
	"context"
	"encoding/json"
	"slices"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// mergedJSON is an account as admins see it in reports and statuses, rendered
// at a stamp.
type mergedJSON struct {
	stamp db.UserStamp
	json  []byte
}

// AdminUsers renders rows in their order.
func (v *View) AdminUsers(rows []db.AdminUser) []api.AdminUser {
	out := make([]api.AdminUser, len(rows))
	for i := range rows {
		out[i] = v.AdminUser(&rows[i])
	}
	return out
}

// AdminUser renders an account for the admin's user list.
func (v *View) AdminUser(u *db.AdminUser) api.AdminUser {
	out := api.AdminUser{ID: u.Serial, UserPart: v.userPart(u), CreatedAt: api.At(u.CreatedAt.Time), DeletedAt: api.At(u.DeletedAt.Time), Statuses: &u.StatusesCount, LastStatusAt: api.At(u.LastStatusAt.Time)}
	if s := u.Signup; s != nil {
		out.Signup = &api.Signup{
			EmailConfirmedAt: api.At(s.EmailConfirmedAt.Time), InviteID: s.InviteID, MailDomain: s.MailDomain, MailDomainUsers: s.SameDomain,
			MailDomainBlocked: s.MailDomain != "" && config.MailDomainBlocked(v.settings.Load().User.EmailBlacklist, s.MailDomain),
		}
	}
	return out
}

func (v *View) userPart(u *db.AdminUser) api.UserPart {
	out := api.UserPart{
		AccountID: u.ID, Nickname: u.Nickname, Email: optional(u.Email), Avatar: v.avatar(u.Avatar),
		DisplayName: text.Line(u.DisplayName), Deactivated: u.Deactivated, Local: u.Local,
		ConfirmationPending: u.ConfirmationPending, ApprovalPending: u.ApprovalPending,
		Roles: api.Roles{Admin: u.IsAdmin, Moderator: u.IsModerator}, Tags: api.List[string](u.Tags), URL: hosts.URI(u.URL),
		RegistrationReason: &u.RegistrationReason, ActorType: u.ActorType,
	}
	if out.DisplayName == "" {
		out.DisplayName = u.Nickname
	}
	if out.URL == "" {
		out.URL = u.URI
	}
	return out
}

// merged is the public account and the fields of the user list, in one object.
func (v *View) merged(a *db.Account, public api.Account, stamp *db.UserStamp) api.MergedAccount {
	v.tellAdmins(&public, a)
	return api.MergedAccount{
		PublicAccount: api.PublicAccount{Account: public},
		UserPart: v.userPart(&db.AdminUser{
			Serial: a.Serial, ID: a.ID, Nickname: a.Nickname, URI: a.URI, URL: a.URL, Local: a.Local, ActorType: a.ActorType,
			DisplayName: a.DisplayName, Tags: a.Tags, Avatar: a.Avatar, Deactivated: a.Deactivated,
			ConfirmationPending: a.ConfirmationPending, ApprovalPending: a.ApprovalPending,
			IsAdmin: a.IsAdmin, IsModerator: a.IsModerator,
			Email: stamp.Email, RegistrationReason: stamp.RegistrationReason,
		}),
	}
}

// gone stands for a deleted account.
var gone = []byte("{}")

// people holds merged accounts by id.
type people map[string][]byte

// of returns the account with this id, {} if it is gone.
func (p people) of(id string) []byte {
	if raw, ok := p[id]; ok {
		return raw
	}
	return gone
}

// mergedOf renders these accounts (1 statement, 2 when some are not kept, 3 when
// some of those moved), with or without the parts of UserPart that only who reads
// users may see.
func (v *View) mergedOf(ctx context.Context, ids map[string]bool, mails bool) (people, error) {
	stamps, err := v.db.UserStamps(ctx, keys(ids))
	if err != nil {
		return nil, err
	}
	cache, out := v.cache(), make(people, len(stamps))
	missing := map[string]*db.UserStamp{}
	var load []string
	for i := range stamps {
		s := &stamps[i]
		if !mails {
			s.Email, s.RegistrationReason = "", ""
		}
		if kept, ok := cache.mergeds.Get(s.ID); ok && kept.stamp == *s {
			out[s.ID] = kept.json
			continue
		}
		missing[s.ID] = s
		load = append(load, s.ID)
	}
	for chunk := range slices.Chunk(load, atOnce) {
		rows, err := v.db.Accounts(ctx, chunk)
		if err != nil {
			return nil, err
		}
		shown, err := v.publicForms(ctx, rows)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			a := &rows[i]
			if out[a.ID], err = v.mergedJSON(cache, a, shown[i], missing[a.ID]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (v *View) mergedJSON(cache *caches, a *db.Account, public api.Account, stamp *db.UserStamp) ([]byte, error) {
	raw, err := json.Marshal(v.merged(a, public, stamp))
	if err != nil {
		return nil, err
	}
	raw = plainHTML(raw)
	stamp.Version = a.Version // it may have changed since
	if a.MovedTo == "" {
		cache.mergeds.Add(a.ID, &mergedJSON{*stamp, raw})
	}
	return raw, nil
}

func keys(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	return out
}
