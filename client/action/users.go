package action

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc/client"
	"svc/client/api"
)

const pathUsers = adminPath + "/users"

// people is the common part of rules about users: how they are found and sent.
func (e *Engine) people(now func(*api.AdminUser, Action) map[string]string) kindRules {
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			user, err := FindUser(ctx, e.client, it.target)
			if err != nil {
				return err
			}
			it.id = user.Nickname
			if now != nil {
				it.now = now(user, it.action)
			}
			return nil
		},
		many: true,
	}
}

func nicknames(items []*item) []string {
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = it.id
	}
	return names
}

// userLog finds the latest of these actions on a user, with its actor.
func (e *Engine) userLog(actions ...string) func(context.Context, *item) *Conflict {
	return func(ctx context.Context, it *item) *Conflict {
		return e.lastLog(ctx, "@"+it.id, func(entry api.LogEntry) bool {
			return slices.Contains(actions, entry.Data.Action)
		})
	}
}

func (e *Engine) activation(kind Kind) kindRules {
	wished := strconv.FormatBool(kind == UserDeactivate)
	rules := e.people(func(u *api.AdminUser, _ Action) map[string]string {
		return map[string]string{"deactivated": strconv.FormatBool(u.Deactivated)}
	})
	rules.wish = func(Action) map[string]string { return map[string]string{"deactivated": wished} }
	rules.culprit = e.userLog("activate", "deactivate")
	rules.send = func(ctx context.Context, items []*item) (err error) {
		if kind == UserDeactivate {
			_, err = e.client.Admin.Users.Deactivate(ctx, nicknames(items)...)
		} else {
			_, err = e.client.Admin.Users.Activate(ctx, nicknames(items)...)
		}
		return err
	}
	rules.inverse = func(it *item) *Action {
		return &Action{Kind: kind.facts().back, Target: it.target.String(), Before: map[string]string{"deactivated": wished}}
	}
	return rules
}

// admission admits users who await an admin's approval, or whose address is
// unconfirmed.
func (e *Engine) admission(kind Kind) kindRules {
	rules := e.people(func(u *api.AdminUser, _ Action) map[string]string {
		waits := u.ConfirmationPending
		if kind == UserApprove {
			waits = u.ApprovalPending
		}
		return map[string]string{"waiting": strconv.FormatBool(waits)}
	})
	rules.wish = func(Action) map[string]string { return map[string]string{"waiting": "false"} }
	rules.send = func(ctx context.Context, items []*item) (err error) {
		if kind == UserApprove {
			_, err = e.client.Admin.Users.Approve(ctx, nicknames(items)...)
		} else {
			_, err = e.client.Admin.Users.ConfirmEmail(ctx, nicknames(items)...)
		}
		return err
	}
	return rules
}

// errUnseen is the reason of an unclear outcome.
var errUnseen = errors.New("what it changes cannot be read")

func unseen(context.Context, *item) (bool, error) { return false, errUnseen }

func (e *Engine) resendConfirmation(Kind) kindRules {
	rules := e.people(nil)
	rules.landed = unseen
	rules.send = func(ctx context.Context, items []*item) error {
		_, err := e.client.Admin.Users.ResendConfirmation(ctx, nicknames(items)...)
		return err
	}
	return rules
}

func (e *Engine) forceReset(Kind) kindRules {
	rules := e.people(nil)
	rules.landed = unseen
	rules.send = func(ctx context.Context, items []*item) error {
		return e.client.Admin.Users.ForcePasswordReset(ctx, nicknames(items)...)
	}
	return rules
}

func (e *Engine) logOut(Kind) kindRules {
	rules := e.people(nil)
	rules.landed = unseen
	rules.send = func(ctx context.Context, items []*item) error {
		return e.client.Admin.Users.LogOut(ctx, nicknames(items)...)
	}
	return rules
}

func (e *Engine) disableMFA(Kind) kindRules {
	rules := e.people(nil)
	rules.landed = unseen
	rules.many = false
	rules.send = func(ctx context.Context, items []*item) error {
		return e.client.Admin.Users.DisableMFA(ctx, items[0].id)
	}
	return rules
}

// Deletion returns the consequence of deleting a user.
func Deletion(local, deactivated bool) string {
	switch {
	case local:
		return "the nickname stays taken"
	case deactivated:
		return "it stays away until it is activated"
	}
	return "it is not banned, and may come back with its next post"
}

// deleteUser counts a user as deleted who is not found, or whose last log entry
// is a deletion: the nickname of a deleted local user stays taken, and is still
// listed.
func (e *Engine) deleteUser(kind Kind) kindRules {
	deleted := func(ctx context.Context, nickname string) bool {
		last := e.lastLog(ctx, "@"+nickname, func(entry api.LogEntry) bool {
			return slices.Contains([]string{"delete", "reject", "approve", "activate", "deactivate", "create"}, entry.Data.Action)
		})
		return last != nil && last.Now == kind.Done()
	}
	rules := e.people(nil)
	rules.read = func(ctx context.Context, it *item) error {
		user, err := FindUser(ctx, e.client, it.target)
		if err != nil {
			return err
		}
		it.id = user.Nickname
		it.now = map[string]string{"user": "there"}
		it.result.Means = Deletion(user.Local, user.Deactivated)
		if user.DeletedAt != nil {
			it.now["user"] = "gone"
		}
		return nil
	}
	// As with statuses, gone without a trace may be a slip of the pen.
	rules.missing = func(ctx context.Context, it *item) Outcome {
		if !it.target.ByID && deleted(ctx, it.target.Name) {
			return Unchanged
		}
		return Failed
	}
	rules.wish = func(Action) map[string]string { return map[string]string{"user": "gone"} }
	rules.landed = func(ctx context.Context, it *item) (bool, error) {
		again := &item{action: it.action, target: it.target}
		err := rules.read(ctx, again)
		if errors.Is(err, client.ErrNotFound) {
			return true, nil
		}
		return err == nil && again.now["user"] == "gone", err
	}
	rules.send = func(ctx context.Context, items []*item) error {
		_, err := e.client.Admin.Users.Delete(ctx, nicknames(items)...)
		return err
	}
	return rules
}

// errNotPending is why somebody is not rejected who uses their account already.
var errNotPending = errors.New("is not pending: somebody approved the sign-up, or it needed no approval")

// rejectUser deletes a pending user, and nobody else. As with a deletion, the nickname of
// a rejected one is known from the log alone.
func (e *Engine) rejectUser(kind Kind) kindRules {
	rules := e.deleteUser(kind)
	rules.read = func(ctx context.Context, it *item) error {
		user, err := FindUser(ctx, e.client, it.target)
		if err != nil {
			return err
		}
		it.id = user.Nickname
		it.now = map[string]string{"user": "there"}
		switch {
		case user.DeletedAt != nil:
			it.now["user"] = "gone"
		case !user.ApprovalPending:
			return errNotPending
		}
		return nil
	}
	rules.send = func(ctx context.Context, items []*item) error {
		_, err := e.client.Admin.Users.Reject(ctx, items[0].action.Args["message"], nicknames(items)...)
		return err
	}
	return rules
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
	for user, err := range c.Admin.Users.List(api.UserQuery{Query: t.Name}).All(ctx) {
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
	if SameHandle(got, asked) {
		return true
	}
	local, _, hasHost := strings.Cut(asked, "@")
	return hasHost && !strings.Contains(got, "@") && strings.EqualFold(got, local)
}

// UserStates are what an account is, in words that every program uses: deleted or
// deactivated, rejected for a sign-up that was refused, pending while it awaits approval,
// and unconfirmed. Of several the gravest is the first; there are none for one that is
// simply active.
func UserStates(u api.UserPart, deleted bool) (states []string) {
	gone := deleted || u.Deactivated
	switch {
	case u.ApprovalPending && gone:
		return []string{"rejected"}
	case deleted:
		states = append(states, "deleted")
	case u.Deactivated:
		states = append(states, "deactivated")
	}
	if u.ApprovalPending {
		states = append(states, "pending")
	}
	if u.ConfirmationPending {
		states = append(states, "unconfirmed")
	}
	return states
}
