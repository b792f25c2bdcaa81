package tables

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/tui/shown"
)

// policyTags are the tags that the tag policy acts on.
var policyTags = []string{
	"mrf_tag:media-force-nsfw", "mrf_tag:media-strip", "mrf_tag:force-unlisted", "mrf_tag:sandbox",
	"mrf_tag:disable-remote-subscription", "mrf_tag:disable-any-subscription",
}

// users shows the accounts, of this server and of others, by their names. Enter shows
// an account; its page has the same keys.
var users = &Noun{
	Name: "users", Things: "accounts", Key: "2", Help: "users", Needs: api.PrivilegeUsersRead, Accounts: true, Counted: true, Below: 4, BelowIn: "need_approval",
	Part: api.PrivilegeApprovals, PartState: "need_approval",
	Columns: []Column{
		{Head: "ID", Saved: true}, {Head: "NICKNAME", Width: 28, Least: 16, Look: Account}, {Head: "STATE", Width: 14, Tone: true},
		{Head: "ROLE", Width: 9, Look: Chip}, {Head: "WHERE", Width: 6, Look: Faint},
		{Head: "JOINED", Width: 10, Wide: true}, {Head: "POSTS", Width: 6, Wide: true}, {Head: "REPORTS", Width: 7, Wide: true}, {Head: "LAST POST", Width: 10, Wide: true},
		{Head: "NAME"},
	},
	// Those that the API knows.
	States:   []string{"active", "deactivated", "need_approval", "unconfirmed", "local", "external", "is_admin", "is_moderator"},
	Searches: true,
	Empty:    "there are no accounts",
	Rows: func(c *client.Client, q Query) Reader {
		query := api.UserQuery{Filters: q.State, PageSize: pageSize, Query: q.Word}
		if q.Word == "" {
			query.Query = q.Domain
		}
		return paged(c.Admin.Users.List(query), func(u api.AdminUser) Row { return UserRow(shown.NewUser(u)) })
	},
	One: func(ctx context.Context, c *client.Client, row Row) (Row, error) {
		u, err := c.Admin.Users.Get(ctx, row.Person)
		if err != nil {
			return row, err
		}
		return UserRow(shown.NewUser(*u)), nil
	},
	Waiting: whoWaits,
	Bar:     []string{"in", "deactivate", "activate", "approve", "tag", "promote", "menu", "mark", "filter", "copy"},
	Verbs: []Verb{
		{Key: "a", Name: "approve", Help: "approve who waits", Kind: action.UserApprove, Fits: pending},
		{
			Key: "R", Name: "reject", Help: "reject who waits: deletes the pending account", Kind: action.UserReject, Fits: pending,
			Ask: "message to mail, or none: ", Arg: "message", Optional: true,
			Says: "reject%s, which deletes the pending account",
		},
		{
			Key: "b", Name: "block-domain", Help: "block the mail domain of who waits for sign-ups", Kind: action.MailDomainBlock, Fits: ofOpenDomain, Sure: true,
			Target: func(r Row) string { return "mail-domain/" + r.Account.Signup.Domain },
			Means:  func(r Row) string { return "of others there: " + r.Account.Signup.Others },
		},
		{Key: "C", Name: "confirm", Help: "take the address as confirmed", Kind: action.UserConfirm, Fits: unconfirmed},
		{Key: "E", Name: "resend-confirmation", Help: "mail another link to confirm the address", Kind: action.UserResend, Fits: unconfirmed},
		{Key: "t", Name: "tag", Help: "tag for the tag policy", Kind: action.UserTag, Ask: "tags: ", Arg: "tags", Choices: policyTags},
		{Key: "ctrl+t", Name: "untag", Help: "take a tag away", Kind: action.UserUntag, Ask: "tags: ", Arg: "tags", Choices: policyTags},
		{Key: ">", Name: "promote", Help: "make a moderator or an admin", Fits: local, Kinds: []KindChoice{
			{"m", "moderator", action.UserMakeModerator}, {"a", "admin", action.UserMakeAdmin},
		}},
		{Key: "<", Name: "demote", Help: "take a role away", Sure: true, Fits: local, Kinds: []KindChoice{
			{"m", "moderator", action.UserUnmakeModerator}, {"a", "admin", action.UserUnmakeAdmin},
		}},
		{Key: "K", Name: "force-reset", Help: "have a new password chosen", Kind: action.UserForceReset, Sure: true, Fits: local},
		{Key: "S", Name: "logout", Help: "end all log-ins, with their streams and pushes", Kind: action.UserLogOut, Sure: true, Fits: local},
		{Key: "M", Name: "disable-mfa", Help: "switch the second factor off", Kind: action.UserDisableMFA, Sure: true, Fits: local},
		{Key: "F", Name: "follow", Help: "have it follow somebody", Kind: action.UserFollow, Ask: "follow: ", Arg: "followed", Names: "user"},
		{Key: "N", Name: "unfollow", Help: "have it unfollow somebody", Kind: action.UserUnfollow, Ask: "unfollow: ", Arg: "followed", Names: "user"},
		{
			Key: "X", Name: "delete-user", Help: "delete the account for good", Kind: action.UserDelete,
			Means: func(r Row) string { return action.Deletion(r.Account.Local, r.Account.Deactivated) },
		},
		{
			Key: "L", Name: "reset-link", Help: "a link to choose a new password, once", Sure: true, Once: true, Fits: local, Kind: action.UserPasswordReset,
			Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
				link, err := c.Admin.Users.PasswordReset(ctx, row.Person)
				if err != nil {
					return safe.Safe{}, err
				}
				return raw(link.Link), nil
			},
		},
		{
			Key: "B", Name: "backup", Help: "make an archive of the account", Sure: true, Fits: local, Kind: action.UserBackup,
			Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
				return safe.Own("asked for; a mail follows"), c.Admin.Users.Backup(ctx, row.Person)
			},
		},
	},
}

func pending(r Row) bool { return r.Account.Pending }

// ofOpenDomain reports pending accounts whose mail domain can be blocked.
func ofOpenDomain(r Row) bool {
	s := r.Account.Signup
	return s != nil && s.Domain != "" && !s.DomainBlocked
}

func unconfirmed(r Row) bool { return r.Account.Unconfirmed }
func local(r Row) bool       { return r.Account.Local }

// UserRow is the row of an account.
func UserRow(p *shown.Person) Row {
	where := "remote"
	if p.Local {
		where = "local"
	}
	state, tone := accountState(p)
	posts, reports := "", ""
	if p.Posts > 0 {
		posts = strconv.Itoa(p.Posts)
	}
	if p.Reports != nil && p.Reports.All() > 0 {
		reports = fmt.Sprintf("%d/%d", p.Reports.Open, p.Reports.All())
	}
	acct := p.Acct.String()
	return Row{
		ID: p.ID, Target: "user/" + p.Nick, Name: shown.Acct(p.Nick).String(), Person: p.Nick, Account: *p, Tone: tone,
		Search: strings.Join([]string{p.Nick, p.Name.String()}, " "), Domain: p.Domain, Sort: acct,
		More:  append(SignupDetails(p), accountDetails(p)...),
		Cells: []safe.Safe{raw(p.ID), p.Acct, raw(state), raw(p.Roles), raw(where), day(p.Joined), raw(posts), raw(reports), day(p.LastPost), p.Name},
	}
}

// day is the day of a time, "" for none.
func day(t time.Time) safe.Safe {
	if t.IsZero() {
		return safe.Safe{}
	}
	return raw(t.UTC().Format(time.DateOnly))
}

// accountDetails are the facts of an account that its list has.
func accountDetails(p *shown.Person) []Detail {
	posts := safe.Safe{}
	switch {
	case !p.LastPost.IsZero():
		posts = safe.Join(", the last on ", raw(strconv.Itoa(p.Posts)), day(p.LastPost))
	case !p.Joined.IsZero():
		posts = raw(strconv.Itoa(p.Posts))
	}
	reports := safe.Safe{}
	if c := p.Reports; c != nil {
		reports = raw(fmt.Sprintf("%d, %d of them open", c.All(), c.Open))
	}
	return details(Detail{"joined", day(p.Joined)}, Detail{"posts", posts}, Detail{"reports", reports}, Detail{"tags", p.Tags})
}

// SignupDetails are what a decision about a pending account needs.
func SignupDetails(p *shown.Person) []Detail {
	s := p.Signup
	if s == nil {
		return nil
	}
	mail := s.Mail
	if mail.String() != "" {
		mail = safe.Join(", ", mail, raw(s.Address))
	}
	others := safe.Safe{}
	if s.Domain != "" {
		others = safe.Join(": ", raw(s.Domain), raw(s.Others))
	}
	return details(
		Detail{"signed up", at(&api.Time{Time: s.At})}, Detail{"mail address", mail}, Detail{"reason", p.Reason.OneLine()},
		Detail{"invite", raw(s.Invite)}, Detail{"others of the mail domain", others},
	)
}

func accountState(p *shown.Person) (string, Tone) {
	switch {
	case p.State == "":
		return "active", Plain
	case p.Deleted || p.Deactivated:
		return p.State, Dim
	}
	return p.State, Warn
}

// whoWaits counts the accounts that await approval.
func whoWaits(ctx context.Context, c *client.Client) (int, error) {
	n := 0
	// Who was rejected is deactivated, and still counts as unapproved.
	for filter, sign := range map[string]int{"local,need_approval": 1, "local,need_approval,deactivated": -1} {
		found, err := c.Admin.Users.List(api.UserQuery{Filters: filter, PageSize: 1}).Page(ctx)
		if err != nil {
			return 0, err
		}
		n += sign * found.Total
	}
	return max(0, n), nil
}
