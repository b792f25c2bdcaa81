package adminapi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func limits(words ...api.HostLimit) api.List[api.HostLimit] {
	return append(api.List[api.HostLimit]{}, words...)
}

// TestLimitsOfHostsAreSettings: a limit is in the settings that act, with its reason;
// it does no more than was asked, and its entry in the log says who and why.
func TestLimitsOfHostsAreSettings(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, root := t.Context(), w.Admin("root").Admin
		_, err := root.Config.Set(ctx, ":svc", ":mrf_simple", client.Keyword(":reject", []string{"Old.Example."}, ":media_nsfw", []string{"lewd.example"}))
		w.must(err)
		spam := "spam wave"
		got, err := root.Federation.Limit(ctx,
			api.HostLimitChange{Host: "FAR.example.", Add: limits(api.LimitReject, api.LimitQuarantine), Reason: &spam},
			api.HostLimitChange{Host: "*.müller.example", Add: limits(api.LimitMedia)},
			api.HostLimitChange{Host: "old.example", Add: limits(api.LimitReject)})
		w.must(err)
		want := &api.LimitedHosts{Hosts: api.List[api.LimitedHost]{
			{Host: "far.example", Limits: limits(api.LimitReject, api.LimitQuarantine), Reason: "spam wave"},
			{Host: "*.xn--mller-kva.example", Limits: limits(api.LimitMedia)},
			{Host: "old.example", Limits: limits(api.LimitReject)},
		}, Idle: api.List[string]{api.SimplePolicy}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after limits (-want +got):\n%s", diff)
		}
		now := w.Settings.Load()
		if diff := cmp.Diff([]string{"Old.Example.", "far.example"}, now.Policies.Simple.Reject); diff != "" {
			t.Errorf("rejected (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"far.example"}, now.Instance.QuarantinedInstances); diff != "" {
			t.Errorf("quarantined (-want +got):\n%s", diff)
		}
		// Pages, and the policy switched on.
		_, err = root.Config.Set(ctx, ":svc", ":mrf", client.Keyword(":policies", []string{api.SimplePolicy}))
		w.must(err)
		page, err := root.Federation.Limits(api.LimitedQuery{Limit: 2}).Page(ctx)
		w.must(err)
		var names []string
		for host, err := range root.Federation.Limits(api.LimitedQuery{Limit: 2}).All(ctx) {
			w.must(err)
			names = append(names, host.Host)
		}
		if diff := cmp.Diff([]string{"*.xn--mller-kva.example", "far.example", "lewd.example", "old.example"}, names); diff != "" || len(page.Items) != 2 {
			t.Errorf("pages of %d (-want +got):\n%s", len(page.Items), diff)
		}
		// A reason goes with the last limit; an old spelling is found.
		why := "it is gone"
		got, err = root.Federation.Limit(ctx,
			api.HostLimitChange{Host: "far.example", Remove: limits(api.LimitQuarantine, api.LimitMedia), Reason: &why},
			api.HostLimitChange{Host: "old.example", Remove: limits(api.LimitReject)})
		w.must(err)
		want = &api.LimitedHosts{Hosts: api.List[api.LimitedHost]{
			{Host: "far.example", Limits: limits(api.LimitReject), Reason: "it is gone"}, {Host: "old.example", Limits: limits()},
		}, Idle: api.List[string]{}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after lifting (-want +got):\n%s", diff)
		}
		w.must(second(root.Federation.Limit(ctx, api.HostLimitChange{Host: "far.example", Remove: limits(api.LimitReject)})))
		if reasons := w.Settings.Load().Policies.Simple.Reasons; len(reasons) > 0 {
			t.Errorf("reasons without limits: %v", reasons)
		}
		entries, err := root.Log.List(api.LogQuery{}).Page(ctx)
		w.must(err)
		var messages []string
		for _, e := range entries.Items {
			messages = append(messages, e.Message)
		}
		if diff := cmp.Diff([]string{
			"@root lifted limits of host far.example: reject",
			"@root lifted limits of host old.example: reject",
			"@root lifted limits of host far.example: quarantine (it is gone)",
			"@root limited host *.xn--mller-kva.example: media",
			"@root limited host far.example: reject, quarantine (spam wave)",
		}, messages); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func second[T any](_ T, err error) error { return err }

// TestABadLimitChangesNothing: one wrong change of several, and none is made.
func TestABadLimitChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, root := t.Context(), w.Admin("root").Admin
		long, pattern := strings.Repeat("ä", 501), "~r/x/"
		many := make([]api.HostLimitChange, api.MaxLimitChanges+1)
		for i := range many {
			many[i] = api.HostLimitChange{Host: fmt.Sprintf("h%d.example", i), Add: limits(api.LimitReject)}
		}
		for name, changes := range map[string][]api.HostLimitChange{
			"no host":        {{Host: "ex***le.org", Add: limits(api.LimitReject)}},
			"no limit":       {{Host: "bad.example", Add: limits("silence")}},
			"this server":    {{Host: w.Host(), Add: limits(api.LimitReject)}},
			"a long reason":  {{Host: "bad.example", Add: limits(api.LimitReject), Reason: &long}},
			"a pattern":      {{Host: "bad.example", Add: limits(api.LimitReject), Reason: &pattern}},
			"too many":       many,
			"without a host": {{Add: limits(api.LimitReject)}},
		} {
			good := api.HostLimitChange{Host: "good.example", Add: limits(api.LimitReject)}
			if len(changes) == 1 {
				changes = append([]api.HostLimitChange{good}, changes...)
			}
			var refused *client.Error
			if _, err := root.Federation.Limit(ctx, changes...); !errors.As(err, &refused) || refused.Status != 400 {
				t.Errorf("%s: %v", name, err)
			}
		}
		if all := w.Settings.Load().LimitedHosts(); len(all) > 0 {
			t.Errorf("limits: %v", all)
		}
		entries, err := root.Log.List(api.LogQuery{}).Page(ctx)
		w.must(err)
		if len(entries.Items) > 0 {
			t.Errorf("logged: %v", entries.Items)
		}
	})
}

// TestLimitsSetAtOnceAreAllThere: who limits servers at the same moment takes away
// nothing that others did.
func TestLimitsSetAtOnceAreAllThere(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		root := w.Admin("root").Admin
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				if _, err := root.Federation.Limit(t.Context(), api.HostLimitChange{Host: fmt.Sprintf("h%d.example", i), Add: limits(api.LimitReject)}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := len(w.Settings.Load().Policies.Simple.Reject); got != 12 {
			t.Errorf("%d of 12 are rejected", got)
		}
	})
}

// TestAHostIsKnownByWhatItDid: one request tells what a moderator must know of a
// server, in two statements beside those that every request has.
func TestAHostIsKnownByWhatItDid(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx, root := t.Context(), w.Admin("root").Admin
		w.must(w.DB.AddInstance(ctx, "one.example"))
		w.must(w.DB.CreateFollow(ctx, &db.Follow{FollowerID: w.ann.ID, TargetID: w.eve.ID, Local: true}))
		w.must(w.DB.CreateFollow(ctx, &db.Follow{FollowerID: w.eve.ID, TargetID: w.ann.ID}))
		w.report("ann", w.eve, "spam")
		closed := w.report("bob", w.eve, "scam")
		w.must(root.Reports.Update(ctx, api.ReportUpdate{ID: closed, State: api.ReportClosed}))
		w.must(w.DB.StoreDeliveryResults(ctx, "", db.DeliveryResults{Down: []db.HostDown{{Host: "one.example", Failures: 3, Error: "no answer"}}}))
		why := "spam wave"
		w.must(second(root.Federation.Limit(ctx, api.HostLimitChange{Host: "*.example", Add: limits(api.LimitSensitive)},
			api.HostLimitChange{Host: "one.example", Add: limits(api.LimitReports, api.LimitQuarantine), Reason: &why})))
		w.must(second(root.Config.Set(ctx, ":svc", ":mrf_steal_emoji", client.Keyword(":hosts", []string{"one.example"}))))
		got, err := root.Federation.Known(ctx, "ONE.example.")
		w.must(err)
		token := w.Token("root", servertest.AdminScopes)
		if n := dbtest.FewestQueries(t, func(ctx context.Context) { w.Get(ctx, "/api/svc/admin/instances/one.example", token) }); n != 2 {
			t.Errorf("%d statements", n)
		}
		if got.Delivery == nil || got.Delivery.UnreachableSince == nil {
			t.Fatalf("deliveries: %+v", got.Delivery)
		}
		got.Delivery.LastErrorAt, got.Delivery.UnreachableSince = nil, nil
		want := &api.KnownHost{
			Host: "one.example", Accounts: 1, Followed: 1, Followers: 1, Reports: api.HostReports{Open: 1, Closed: 1},
			Limits: api.List[api.LimitedHost]{
				{Host: "*.example", Limits: limits(api.LimitSensitive)},
				{Host: "one.example", Limits: limits(api.LimitReports, api.LimitQuarantine), Reason: why},
			},
			Settings: api.List[string]{"instance.quarantined_instances", "mrf_simple.media_nsfw", "mrf_simple.report_removal", "mrf_steal_emoji.hosts"},
			Idle:     api.List[string]{api.SimplePolicy},
			Delivery: &api.Host{Host: "one.example", Failures: 3, LastError: "no answer"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := root.Federation.Known(ctx, "nowhere.test"); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("an unknown server: %v", err)
		}
		named, err := root.Federation.Known(ctx, "never.example")
		if err != nil || named.Delivery != nil || len(named.Limits) != 1 {
			t.Errorf("a server that is only named: %+v, %v", named, err)
		}
	}, func(s *config.Settings) { s.Instance.Federating = false })
}
