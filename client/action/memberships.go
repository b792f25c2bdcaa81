package action

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"svc/client/api"
)

// role puts users into a permission group, or takes them out of it.
func (e *Engine) role(kind Kind) kindRules {
	grants, group := kind == UserMakeAdmin || kind == UserMakeModerator, api.RoleModerator
	if kind == UserMakeAdmin || kind == UserUnmakeAdmin {
		group = api.RoleAdmin
	}
	wished := map[string]string{group: strconv.FormatBool(grants)}
	rules := e.people(func(u *api.AdminUser, _ Action) map[string]string {
		return map[string]string{
			api.RoleAdmin:     strconv.FormatBool(u.Roles.Admin),
			api.RoleModerator: strconv.FormatBool(u.Roles.Moderator),
		}
	})
	rules.wish = func(Action) map[string]string { return wished }
	rules.culprit = e.userLog("grant", "revoke")
	rules.send = func(ctx context.Context, items []*item) (err error) {
		if grants {
			_, err = e.client.Admin.Users.AddRole(ctx, group, nicknames(items)...)
		} else {
			_, err = e.client.Admin.Users.RemoveRole(ctx, group, nicknames(items)...)
		}
		return err
	}
	rules.inverse = func(it *item) *Action {
		return &Action{Kind: kind.facts().back, Target: it.target.String(), Before: wished}
	}
	return rules
}

// tags gives tags to users or takes them. The server keeps them in lower case.
func (e *Engine) tags(kind Kind) kindRules {
	wished := strconv.FormatBool(kind == UserTag)
	list := func(a Action) []string {
		var tags []string
		for tag := range strings.SplitSeq(a.Args["tags"], ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				tags = append(tags, tag)
			}
		}
		return tags
	}
	rules := e.people(func(u *api.AdminUser, a Action) map[string]string {
		now := map[string]string{}
		for _, tag := range list(a) {
			tag = strings.ToLower(tag)
			now["tag "+tag] = strconv.FormatBool(slices.Contains(u.Tags, tag))
		}
		return now
	})
	find := rules.read
	rules.read = func(ctx context.Context, it *item) error {
		if len(list(it.action)) == 0 {
			return &UsageError{"no tag is given"}
		}
		return find(ctx, it)
	}
	rules.wish = func(a Action) map[string]string {
		wish := map[string]string{}
		for _, tag := range list(a) {
			wish["tag "+strings.ToLower(tag)] = wished
		}
		return wish
	}
	rules.send = func(ctx context.Context, items []*item) error {
		if kind == UserTag {
			return e.client.Admin.Users.Tag(ctx, nicknames(items), list(items[0].action))
		}
		return e.client.Admin.Users.Untag(ctx, nicknames(items), list(items[0].action))
	}
	rules.inverse = func(it *item) *Action {
		var changed []string
		for _, tag := range list(it.action) {
			if it.now["tag "+strings.ToLower(tag)] != wished {
				changed = append(changed, tag)
			}
		}
		tags := strings.Join(changed, ",")
		return &Action{
			Kind: kind.facts().back, Target: it.target.String(), Args: map[string]string{"tags": tags},
			Before: rules.wish(Action{Args: map[string]string{"tags": tags}}),
		}
	}
	return rules
}
