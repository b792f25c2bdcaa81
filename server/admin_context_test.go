package server_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// TestAThreadIsShownToModerators reads a thread with posts of every visibility, of a
// deactivated person, and deleted ones that a report names: in reading order, private
// ones with godmode alone, deleted ones where they stood and to who may see reports.
func TestAThreadIsShownToModerators(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		root := s.Admin("root").Admin
		moderator(t, s, "mod")
		bob := s.User("bob").ID
		ids, names := map[string]string{}, map[string]string{}
		post := func(who, text, to, visibility string) {
			t.Helper()
			if to != "" {
				to = ids[to]
			}
			p := must(s.Client(who).Statuses.Post(ctx, api.NewStatus{Status: text, InReplyToID: to, Visibility: visibility}))(t)
			ids[text], names[p.ID] = p.ID, text
		}
		must(s.Client("ann").Accounts.Follow(ctx, bob, api.Follow{}))(t)
		post("ann", "root", "", "public")
		post("bob", "parent", "root", "public")
		post("ann", "asked", "parent", "public")
		post("bob", "answer", "asked", "public")
		post("cat", "aside", "root", "public")
		post("cat", "under", "answer", "unlisted")
		post("bob", "hidden", "asked", "private")
		post("ann", "whisper", "hidden", "direct")
		post("ann", "last", "hidden", "public")
		post("dan", "elsewhere", "", "public")
		boost := must(s.Client("cat").Statuses.Reblog(ctx, ids["asked"], api.NewReblog{}))(t).ID

		read := func(a *client.Admin, id string, godmode bool) string {
			t.Helper()
			thread := must(a.Statuses.Context(ctx, id, api.AdminContextQuery{Godmode: godmode}))(t)
			list := func(all []api.AdminStatus) string {
				var out []string
				for i := range all {
					text := names[all[i].ID]
					if d := all[i].Svc.Deleted; d != nil {
						text += "-" + d.By
					}
					if all[i].Account.Deactivated {
						text += "!"
					}
					out = append(out, text)
				}
				return strings.Join(out, " ")
			}
			return fmt.Sprintf("%s (%s) %s", list(thread.Ancestors), list([]api.AdminStatus{thread.Status}), list(thread.Descendants))
		}
		check := func(what, want, got string) {
			t.Helper()
			if want != got {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		check("public", "root parent (asked) answer under last", read(root, ids["asked"], false))
		check("all", "root parent (asked) answer under hidden whisper last", read(root, ids["asked"], true))
		check("a reblog", "root parent (asked) answer under last", read(root, boost, false))
		check("a private one", "root parent asked (hidden) last", read(root, ids["hidden"], false))
		check("alone", " (elsewhere) ", read(root, ids["elsewhere"], true))
		if _, err := root.Statuses.Context(ctx, "9nosuchthing", api.AdminContextQuery{}); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("nothing: %v", err)
		}

		must(s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob, StatusIDs: []string{ids["parent"], ids["answer"], ids["hidden"]}}))(t)
		for _, gone := range []string{"parent", "answer", "hidden"} {
			must(s.Client("bob").Statuses.Delete(ctx, ids[gone]))(t)
		}
		must(root.Users.Deactivate(ctx, "cat"))(t)
		check("deleted", "root parent-author (asked) answer-author under! last", read(root, ids["asked"], false))
		check("deleted private ones", "root parent-author (asked) answer-author under! hidden-author whisper last", read(root, ids["asked"], true))
		check("a deleted one", "root (parent-author) asked answer-author under! last", read(root, ids["parent"], false))
		check("below a deleted one", "root parent-author asked answer-author (under!) ", read(root, ids["under"], false))

		mod := s.Admin("mod").Admin
		opens(t, s, api.PrivilegeStatuses)
		check("without reports", " (asked) ", read(mod, ids["asked"], false))
		if _, err := mod.Statuses.Context(ctx, ids["parent"], api.AdminContextQuery{}); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("a deleted one without reports: %v", err)
		}
		opens(t, s, api.PrivilegeStatuses, api.PrivilegeReports)
		check("with reports", "root parent-author (asked) answer-author under! last", read(mod, ids["asked"], false))
	})
}
