package action

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc/client"
	"svc/client/api"
)

const pathUsers = adminPath + "/users"

func (e *Engine) activation(kind Kind) kindRules {
	wished := strconv.FormatBool(kind == UserDeactivate)
	verb := kind.Verb()
	nicknames := func(items []*item) []string {
		names := make([]string, len(items))
		for i, it := range items {
			names[i] = it.id
		}
		return names
	}
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			user, err := FindUser(ctx, e.client, it.target)
			if err != nil {
				return err
			}
			it.id = user.Nickname
			it.now = map[string]string{"deactivated": strconv.FormatBool(user.Deactivated)}
			return nil
		},
		wish: func(Action) map[string]string { return map[string]string{"deactivated": wished} },
		culprit: func(ctx context.Context, it *item) *Conflict {
			return e.lastLog(ctx, "@"+it.id, func(entry api.LogEntry) bool {
				return entry.Data.Action == "activate" || entry.Data.Action == "deactivate"
			})
		},
		request: func(items []*item) Request {
			return Request{http.MethodPatch, pathUsers + "/" + verb, api.Nicknames{Nicknames: nicknames(items)}}
		},
		send: func(ctx context.Context, items []*item) (err error) {
			if kind == UserDeactivate {
				_, err = e.client.Admin.Users.Deactivate(ctx, nicknames(items)...)
			} else {
				_, err = e.client.Admin.Users.Activate(ctx, nicknames(items)...)
			}
			return err
		},
		many: true,
		inverse: func(it *item) *Action {
			back := UserActivate
			if kind == UserActivate {
				back = UserDeactivate
			}
			return &Action{Kind: back, Target: it.target.String(), Before: map[string]string{"deactivated": wished}}
		},
	}
}

// routeWords are nicknames that the API would take for one of its own paths
// where a user is read by name.
var routeWords = []string{"invites"}

// FindUser reads the user a target names. A nickname that the path cannot
// express, because it is a route word or reads like somebody's id, is looked up
// in the list.
func FindUser(ctx context.Context, c *client.Client, t Target) (*api.AdminUser, error) {
	if t.ByID {
		return c.Admin.Users.Get(ctx, t.Name)
	}
	if !slices.Contains(routeWords, strings.ToLower(t.Name)) {
		user, err := c.Admin.Users.Get(ctx, t.Name)
		if err != nil || sameNickname(user.Nickname, t.Name) {
			return user, err
		}
	}
	for user, err := range c.Admin.Users.All(ctx, api.UserQuery{Query: t.Name}) {
		if err != nil {
			return nil, err
		}
		if sameNickname(user.Nickname, t.Name) {
			return c.Admin.Users.Get(ctx, strconv.FormatInt(user.ID, 10))
		}
	}
	return nil, &client.Error{Status: http.StatusNotFound, Message: "Not found", Method: http.MethodGet, Path: pathUsers + "/" + url.PathEscape(t.Name)}
}

// sameNickname compares as the server does, ignoring case; a local user may be
// asked for with the instance's own host.
func sameNickname(got, asked string) bool {
	if strings.EqualFold(got, asked) {
		return true
	}
	local, _, hasHost := strings.Cut(asked, "@")
	return hasHost && !strings.Contains(got, "@") && strings.EqualFold(got, local)
}
