package pages

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/fault"
)

// maxPinned is how many pinned posts a profile shows at most.
const maxPinned = 10

// profilePage is an account with its posts.
type profilePage struct {
	Name           template.HTML
	Handle         string
	Header, Avatar string
	Marks          []string
	Bio            template.HTML
	Fields         []field
	Facts          []fact
	Stamp, Since   string
	Feed           string
	Pinned, Posts  []post
	Empty          string
	Newest, Older  string
}

type field struct {
	Name  string
	Value template.HTML
}

// account returns the local account with this nickname, for anonymous visitors.
// If they may not see profiles, known and unknown names get the same refusal.
func (p *Pages) account(ctx context.Context, nickname string) (*db.Account, error) {
	if s := p.Settings.Load(); s.Restricts(s.Restrict.ProfilesLocal) {
		return nil, fault.Unauthenticated("This API requires an authenticated user")
	}
	if strings.Contains(nickname, "@") {
		return nil, db.ErrNotFound
	}
	a, err := p.DB.AccountByNickname(ctx, nickname)
	if err != nil {
		return nil, err
	}
	if !a.Local || a.Deactivated || a.Invisible || a.ApprovalPending || a.ConfirmationPending {
		return nil, db.ErrNotFound
	}
	return a, nil
}

// Profile is GET /users/:nickname: an account and its public posts. With .atom
// at its end it is their feed.
func (p *Pages) Profile(c *gin.Context) error {
	nickname, isFeed := strings.CutSuffix(c.Param("nickname"), ".atom")
	if isFeed {
		return p.accountFeed(c, nickname)
	}
	return p.profile(c)
}

func (p *Pages) profile(c *gin.Context) error {
	ctx, viewer, page := c.Request.Context(), p.View.Viewer(nil), pageOf(c)
	row, err := p.account(ctx, c.Param("nickname"))
	if err != nil {
		return err
	}
	path := "/users/" + url.PathEscape(row.Nickname)
	if c.Param("nickname") != row.Nickname {
		c.Redirect(http.StatusFound, path)
		return nil
	}
	a := p.View.Account(row)
	body := p.profileOf(&a, row)
	if page.MaxID == "" {
		refs, err := p.DB.AccountStatuses(ctx, viewer, row.ID, db.AccountFilter{Pinned: true}, db.Page{Limit: maxPinned})
		body.Pinned, _, err = p.shown(c, db.Timeline{Refs: refs}, err, db.Page{Limit: -1})
		if err != nil {
			return err
		}
	}
	refs, err := p.DB.AccountStatuses(ctx, viewer, row.ID, db.AccountFilter{}, page)
	posts, next, err := p.shown(c, db.Timeline{Refs: refs}, err, page)
	if err != nil {
		return err
	}
	// Pinned statuses stand on the page already.
	body.Posts = slices.DeleteFunc(posts, func(one post) bool {
		return slices.ContainsFunc(body.Pinned, func(pinned post) bool { return pinned.ID == one.ID })
	})
	switch {
	case page.MaxID != "":
		body.Empty = "There is nothing more."
	case viewer.NoLocal:
		body.Empty = "Posts are for members of this server only."
	default:
		body.Empty = "Nothing public yet."
	}
	body.Newest, body.Older = turn(path, page, next)
	facts := p.describeAccount(&a)
	facts.Index = facts.Index && page.MaxID == ""
	return p.publish(c, "profile.html", a.DisplayName+" ("+body.Handle+")", facts, body)
}

func (p *Pages) profileOf(a *api.Account, row *db.Account) profilePage {
	out := profilePage{
		Name: richText(a.DisplayName, a.Emojis), Handle: p.handle(a.Acct), Header: webAddress(a.Header), Avatar: webAddress(a.Avatar),
		Bio: rich(a.Note, a.Emojis), Stamp: stamp(a.CreatedAt.Time), Since: day(a.CreatedAt.Time), Feed: feedPath(a.Acct),
		Facts: []fact{factOf(int64(a.StatusesCount), "post", "posts")},
	}
	if !row.HideFollowsCount || !row.HideFollows {
		out.Facts = append(out.Facts, fact{number(int64(a.FollowingCount)), "following"})
	}
	if !row.HideFollowersCount || !row.HideFollowers {
		out.Facts = append(out.Facts, factOf(int64(a.FollowersCount), "follower", "followers"))
	}
	for _, mark := range []struct {
		has   bool
		words string
	}{
		{a.Svc.IsAdmin != nil && *a.Svc.IsAdmin, "Admin"}, {a.Svc.IsModerator != nil && *a.Svc.IsModerator, "Moderator"},
		{a.Bot, "Automated"}, {a.Group, "Group"}, {a.Locked, "Approves followers"},
	} {
		if mark.has {
			out.Marks = append(out.Marks, mark.words)
		}
	}
	for _, f := range a.Fields {
		out.Fields = append(out.Fields, field{f.Name, richField(f.Value, a.Emojis)})
	}
	return out
}

// At is GET /@:nickname, another way to write a profile's address.
func (p *Pages) At(c *gin.Context) error {
	c.Redirect(http.StatusFound, "/users/"+url.PathEscape(c.Param("nickname")))
	return nil
}

// missing reports whether err means that an anonymous visitor finds nothing.
func missing(err error) bool {
	return errors.Is(err, db.ErrNotFound) || fault.Is(err, fault.KindUnauthenticated) || fault.Is(err, fault.KindNotFound)
}
