package server_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// TestAModeratorFilesAReportForSomebody: with copies of the posts, in that person's name,
// and the log says who did it. What does not fit is refused, and files nothing.
func TestAModeratorFilesAReportForSomebody(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		spam, ann, bob := s.Client("spammer"), s.User("ann"), s.Client("bob")
		post := must(spam.Statuses.Post(ctx, api.NewStatus{Status: "buy tea"}))(t)
		other := must(bob.Statuses.Post(ctx, api.NewStatus{Status: "hello"}))(t)
		root := s.With(s.Token("root", servertest.AdminScopes)).Admin

		got := must(root.Reports.Create(ctx, api.NewAdminReport{Account: "spammer", Reporter: "ann", StatusIDs: []string{post.ID}, Comment: "told us by mail"}))(t)
		if got.Actor.ID != ann.ID || got.Account.Nickname != "spammer" || got.State != api.ReportOpen || len(got.Statuses) != 1 || got.Content == nil || !strings.Contains(*got.Content, "told us by mail") {
			t.Errorf("%s", got.Raw)
		}
		must(spam.Statuses.Delete(ctx, post.ID))(t)
		if kept := must(root.Reports.Get(ctx, got.ID))(t); len(kept.Statuses) != 1 || !strings.Contains(kept.Statuses[0].Content, "buy tea") {
			t.Errorf("the deleted post is not kept: %s", kept.Raw)
		}
		entries := must(root.Log.List(api.LogQuery{}).Page(ctx))(t)
		if i := slices.IndexFunc(entries.Items, func(e api.LogEntry) bool { return e.Data.Action == "report_create" }); i < 0 ||
			entries.Items[i].Message != "@root filed report #"+got.ID+" on user @spammer for @ann" {
			t.Errorf("%+v", entries.Items)
		}
		own := must(root.Reports.Create(ctx, api.NewAdminReport{Account: got.Account.ID, Comment: "seen"}))(t)
		if own.Actor.Nickname != "root" {
			t.Errorf("by %s", own.Actor.Nickname)
		}

		if _, err := root.Users.Deactivate(ctx, "bob"); err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			form api.NewAdminReport
			want error
		}{
			"no account":          {api.NewAdminReport{}, client.ErrInvalid},
			"unknown account":     {api.NewAdminReport{Account: "nobody"}, client.ErrNotFound},
			"unknown reporter":    {api.NewAdminReport{Account: "spammer", Reporter: "nobody"}, client.ErrNotFound},
			"deactivated":         {api.NewAdminReport{Account: "spammer", Reporter: "bob"}, client.ErrInvalid},
			"themselves":          {api.NewAdminReport{Account: "ann", Reporter: "ann"}, client.ErrInvalid},
			"somebody else's":     {api.NewAdminReport{Account: "spammer", StatusIDs: []string{other.ID}}, client.ErrInvalid},
			"an unknown post":     {api.NewAdminReport{Account: "spammer", StatusIDs: []string{"AAAAAAAAAAAAAAAAAA"}}, client.ErrInvalid},
			"too long":            {api.NewAdminReport{Account: "spammer", Comment: strings.Repeat("x", 1001)}, client.ErrInvalid},
			"too many statuses":   {api.NewAdminReport{Account: "spammer", StatusIDs: slices.Repeat([]string{post.ID}, 101)}, client.ErrInvalid},
			"of the relay's name": {api.NewAdminReport{Account: "spammer", Reporter: "relay"}, client.ErrNotFound},
		} {
			if _, err := root.Reports.Create(ctx, c.form); !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if counts := must(root.Reports.Counts(ctx, api.ReportQuery{}))(t); counts.All() != 2 {
			t.Errorf("%d reports", counts.All())
		}
	})
}

// TestReportsKeepWhatTheReporterMaySee: an id alone shows nobody's private posts to
// moderators, and the answer is that for an unknown id.
func TestReportsKeepWhatTheReporterMaySee(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		if _, err := ann.Accounts.Follow(ctx, s.User("bob").ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
		ids := map[string]string{}
		for name, in := range map[string]api.NewStatus{
			"public":      {Status: "tea"},
			"followers":   {Status: "tea", Visibility: "private"},
			"to the one":  {Status: "@ann tea", Visibility: "direct"},
			"to somebody": {Status: "@eve tea", Visibility: "direct"},
		} {
			s.User("eve")
			ids[name] = must(bob.Statuses.Post(ctx, in))(t).ID
		}
		for _, c := range []struct {
			as   string
			want []string
		}{
			{"ann", []string{ids["followers"], ids["public"], ids["to the one"]}},
			{"mallory", []string{ids["public"]}},
		} {
			got := must(s.Client(c.as).Reports.Create(ctx, api.NewReport{
				AccountID: s.User("bob").ID, StatusIDs: []string{ids["followers"], ids["to somebody"], ids["public"], "AAAAAAAAAAAAAAAAAA", ids["to the one"]},
			}))(t)
			if !slices.Equal(got.StatusIDs, c.want) {
				t.Errorf("%s: %v, want %v", c.as, got.StatusIDs, c.want)
			}
			if kept := must(s.Admin("root").Admin.Reports.Get(ctx, got.ID))(t); len(kept.Statuses) != len(c.want) {
				t.Errorf("%s: %s", c.as, kept.Raw)
			}
		}
	})
}
