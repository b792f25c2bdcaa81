package clientapi

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/rules/social"
)

// accountsOf lists accounts related to one account.
type accountsOf func(ctx context.Context, v db.Viewer, of *db.Account, p db.Page) ([]db.AccountRef, error)

// maxRelationships is how many accounts one request may ask about.
const maxRelationships = 200

// Relationships is GET /api/v1/accounts/relationships: id or id[], unknown ones
// left out.
func (a *Relationships) Relationships(c *gin.Context) error {
	ids := askedIDs(c, maxRelationships)
	related, err := a.DB.Relationships(c.Request.Context(), web.Caller(c).Account.ID, ids)
	if err != nil {
		return err
	}
	out := make(api.List[api.Relationship], 0, len(ids))
	for _, id := range ids {
		if r, ok := related[id]; ok {
			out = append(out, relationship(r))
		}
	}
	return web.OK(c, out)
}

// askedIDs returns the first ids of a query, each once, as id or id[].
func askedIDs(c *gin.Context, most int) []string {
	var ids []string
	query := web.QueryValues(c)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if name == "id" || strings.HasPrefix(name, "id[") {
			ids = append(ids, query[name]...)
		}
	}
	return firstIDs(ids, most)
}

// firstIDs returns the first of some ids, each once.
func firstIDs(all []string, most int) []string {
	var ids []string
	seen := map[string]bool{}
	for _, id := range all {
		if id != "" && !seen[id] && len(ids) < most {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// FamiliarFollowers is GET /api/v1/accounts/familiar_followers: whom the caller follows
// among the followers of accounts. Unknown ones are left out.
func (a *Relationships) FamiliarFollowers(c *gin.Context) error {
	ctx, ids := c.Request.Context(), askedIDs(c, mostAccounts)
	if len(ids) == 0 && c.Request.ContentLength > 0 { // Mastodon.py asks with a JSON body
		var in api.AccountIDs
		if err := web.Read(c, &in); err != nil {
			return err
		}
		ids = firstIDs(in.ID, mostAccounts)
	}
	rows, err := a.DB.Accounts(ctx, ids)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(row db.Account) bool { return !a.mayOpen(c, row.Standing()) })
	ids = slices.DeleteFunc(ids, func(id string) bool {
		return !slices.ContainsFunc(rows, func(row db.Account) bool { return row.ID == id })
	})
	familiar, err := a.DB.FamiliarFollowers(ctx, web.Caller(c).Account.ID, ids)
	if err != nil {
		return err
	}
	out, err := a.View.FamiliarFollowers(ctx, ids, familiar)
	if err != nil {
		return err
	}
	return web.OK(c, out)
}

func relationship(r db.Relationship) api.Relationship {
	return api.Relationship{
		ID: r.ID, Following: r.Following, FollowedBy: r.FollowedBy, Blocking: r.Blocking, BlockedBy: r.BlockedBy,
		Muting: r.Muting, MutingNotifications: r.MutingNotifications, Requested: r.Requested, DomainBlocking: r.DomainBlocking,
		ShowingReblogs: r.ShowingReblogs, Subscribing: r.Notifying, Notifying: r.Notifying,
		RequestedBy: r.RequestedBy, Note: r.Note, Languages: r.Languages,
	}
}

// relate runs do for the account that :id names, and answers with the caller's
// relationship to it.
func (a *Relationships) relate(c *gin.Context, do func(ctx context.Context, by *db.Account, id string) error) error {
	ctx, by, id := c.Request.Context(), web.Caller(c).Account, c.Param("id")
	if err := do(ctx, by, id); err != nil {
		return err
	}
	return a.relationship(c, id)
}

func (a *Relationships) relationship(c *gin.Context, id string) error {
	related, err := a.DB.Relationships(c.Request.Context(), web.Caller(c).Account.ID, []string{id})
	if err != nil {
		return err
	}
	r, ok := related[id]
	if !ok {
		return db.ErrNotFound
	}
	return web.OK(c, relationship(r))
}

// Follow is POST /api/v1/accounts/:id/follow.
func (a *Relationships) Follow(c *gin.Context) error {
	var in api.Follow
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	return a.relate(c, func(ctx context.Context, by *db.Account, id string) error {
		if err := a.Social.Follow(ctx, by, id, social.FollowOptions{Reblogs: flag(in.Reblogs), Notify: flag(in.Notify), Languages: in.Languages}); err != nil {
			return err
		}
		return a.Ingest.AwaitAnswer(ctx, by.ID, id)
	})
}

// FollowURI is POST /api/v1/follows: the account is named as nickname@domain.
func (a *Relationships) FollowURI(c *gin.Context) error {
	var in api.FollowURI
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	target, err := a.named(c.Request.Context(), in.URI)
	if err != nil {
		return err
	}
	by := web.Caller(c).Account
	if err := a.Social.Follow(c.Request.Context(), by, target.ID, social.FollowOptions{}); err != nil {
		return err
	}
	if err := a.Ingest.AwaitAnswer(c.Request.Context(), by.ID, target.ID); err != nil {
		return err
	}
	return a.relationship(c, target.ID)
}

// Unfollow is POST /api/v1/accounts/:id/unfollow.
func (a *Relationships) Unfollow(c *gin.Context) error { return a.relate(c, a.Social.Unfollow) }

// Block is POST /api/v1/accounts/:id/block.
func (a *Relationships) Block(c *gin.Context) error { return a.relate(c, a.Social.Block) }

// Unblock is POST /api/v1/accounts/:id/unblock.
func (a *Relationships) Unblock(c *gin.Context) error { return a.relate(c, a.Social.Unblock) }

// longestMute keeps the end of a mute in the range of times.
const longestMute = 100 * 365 * 24 * time.Hour

// Mute is POST /api/v1/accounts/:id/mute.
func (a *Relationships) Mute(c *gin.Context) error {
	var in api.Mute
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	seconds := in.ExpiresIn
	if seconds == 0 {
		seconds = in.Duration
	}
	expires := time.Duration(min(seconds, api.Int(longestMute/time.Second))) * time.Second
	return a.relate(c, func(ctx context.Context, by *db.Account, id string) error {
		return a.Social.Mute(ctx, by, id, in.Notifications == nil || bool(*in.Notifications), max(expires, -1))
	})
}

// Unmute is POST /api/v1/accounts/:id/unmute.
func (a *Relationships) Unmute(c *gin.Context) error { return a.relate(c, a.Social.Unmute) }

// Note is POST /api/v1/accounts/:id/note.
func (a *Relationships) Note(c *gin.Context) error {
	var in api.AccountNote
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	return a.relate(c, func(ctx context.Context, by *db.Account, id string) error {
		return a.Social.NoteAccount(ctx, by, id, in.Comment)
	})
}

// RemoveFollower is POST /api/v1/accounts/:id/remove_from_followers.
func (a *Relationships) RemoveFollower(c *gin.Context) error {
	return a.relate(c, a.Social.RemoveFollower)
}

// Subscribe is POST /api/v1/svc/accounts/:id/subscribe.
func (a *Relationships) Subscribe(c *gin.Context) error { return a.relate(c, a.Social.Subscribe) }

// Unsubscribe is POST /api/v1/svc/accounts/:id/unsubscribe.
func (a *Relationships) Unsubscribe(c *gin.Context) error { return a.relate(c, a.Social.Unsubscribe) }

// Blocks is GET /api/v1/blocks.
func (a *Relationships) Blocks(c *gin.Context) error { return a.mine(c, a.DB.Blocked) }

// Mutes is GET /api/v1/mutes.
func (a *Relationships) Mutes(c *gin.Context) error {
	ctx, me := c.Request.Context(), web.Caller(c).Account
	rows, err := a.DB.Muted(ctx, me.ID, web.Page(c, accountPage, accountPageMax))
	if err != nil {
		return err
	}
	ends, err := a.DB.MuteEnds(ctx, me.ID, rows)
	if err != nil {
		return err
	}
	raw, err := a.View.MutedAccountsAt(ctx, rows, ends)
	if err != nil {
		return err
	}
	a.accountLinks(c, rows)
	return web.OK(c, raw)
}

// FollowRequests is GET /api/v1/follow_requests.
func (a *Relationships) FollowRequests(c *gin.Context) error { return a.mine(c, a.DB.FollowRequests) }

// mine answers with a list of the caller's.
func (a *Relationships) mine(c *gin.Context, list func(ctx context.Context, accountID string, p db.Page) ([]db.AccountRef, error)) error {
	rows, err := list(c.Request.Context(), web.Caller(c).Account.ID, web.Page(c, accountPage, accountPageMax))
	if err != nil {
		return err
	}
	return a.accounts(c, rows)
}

// AuthorizeFollow is POST /api/v1/follow_requests/:id/authorize.
func (a *Relationships) AuthorizeFollow(c *gin.Context) error {
	return a.relate(c, a.Social.AuthorizeFollow)
}

// RejectFollow is POST /api/v1/follow_requests/:id/reject.
func (a *Relationships) RejectFollow(c *gin.Context) error { return a.relate(c, a.Social.RejectFollow) }
