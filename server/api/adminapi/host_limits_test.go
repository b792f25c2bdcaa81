package adminapi_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
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
