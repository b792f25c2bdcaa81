package action

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPlayStopsAtItsFirstFailure(t *testing.T) {
	t.Parallel()
	p := newPeer(t)
	p.reports["r1"], p.reports["r2"] = "open", "open"
	p.users["kim"] = false
	p.statuses["s1"] = map[string]string{"sensitive": "false", "visibility": "public"}
	plan := []Action{
		{Kind: StatusDelete, Target: "status/s1"},
		{Kind: UserDeactivate, Target: "user/kim"},
		{Kind: ReportNote, Target: "report/r1", Args: map[string]string{"text": "spam"}},
		{Kind: ReportResolve, Target: "report/r1"}, {Kind: ReportResolve, Target: "report/r2"},
	}
	p.before = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		refused := r.Method == http.MethodPost
		if refused {
			w.WriteHeader(http.StatusUnprocessableEntity)
		}
		return refused
	}
	results := New(p.client(), Options{}).Play(t.Context(), plan)
	var got []Outcome
	for _, r := range results {
		got = append(got, r.Outcome)
	}
	if diff := cmp.Diff([]Outcome{Changed, Changed, Failed, Skipped, Skipped}, got); diff != "" {
		t.Error(diff)
	}
	if !errors.Is(results[4].Err, ErrStopped) || p.reports["r1"] != "open" {
		t.Errorf("%v, the report is %s", results[4].Err, p.reports["r1"])
	}
	back, of, without := Inverses(results)
	if len(back) != 1 || back[0].Kind != UserActivate || of[0] != 1 || without != 1 {
		t.Errorf("back %+v of %v, %d without", back, of, without)
	}
	p.before = nil
	for _, r := range New(p.client(), Options{}).Play(t.Context(), plan) {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Action.Kind, r.Err)
		}
	}
}
