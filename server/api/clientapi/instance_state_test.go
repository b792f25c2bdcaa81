package clientapi_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

func TestActivityIsCountedByTheWeek(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		s.User("ann")
		var ids []string
		for range 3 {
			p, err := s.Client("ann").Statuses.Post(ctx, api.NewStatus{Status: "x"})
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, p.ID)
		}
		if _, err := s.Client("bob").Statuses.Reblog(ctx, ids[0], api.NewReblog{}); err != nil {
			t.Fatal(err)
		}
		week := 7 * 24 * time.Hour
		exec := func(query string, args ...any) {
			t.Helper()
			if err := dbtest.Exec(t, s.DB, query, args...); err != nil {
				t.Fatal(err)
			}
		}
		exec("UPDATE statuses SET created_at = created_at - ? WHERE id = ?", week.Microseconds(), ids[1])
		exec("UPDATE statuses SET created_at = created_at - ? WHERE id = ?", (12 * week).Microseconds(), ids[2])
		check := func(what string) {
			t.Helper()
			rows, err := s.DB.Activity(ctx, 12)
			if err != nil {
				t.Fatal(err)
			}
			monday := time.Now().UTC().Truncate(24 * time.Hour)
			for monday.Weekday() != time.Monday {
				monday = monday.AddDate(0, 0, -1)
			}
			want := make([]db.ActivityWeek, 12)
			for i := range want {
				want[i].Start = monday.Add(-time.Duration(i) * week)
			}
			want[0].Statuses, want[1].Statuses, want[0].Logins, want[0].Registrations = 1, 1, 2, 2
			if diff := cmp.Diff(want, rows); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
		check("counted from the rows")
		// All of it is old enough to be added up, and then more comes.
		back := (2 * time.Minute).Microseconds()
		exec("UPDATE tokens SET created_at = created_at - ?", back)
		exec("UPDATE accounts SET created_at = created_at - ?", back)
		for range 2 {
			if err := s.DB.CountActivity(ctx); err != nil {
				t.Fatal(err)
			}
		}
		check("kept in part")
		got, err := s.Anonymous().Instance.Activity(ctx)
		if err != nil || len(got) != 12 {
			t.Fatalf("%v %v", got, err)
		}
		if n, err := strconv.ParseInt(got[0].Week, 10, 64); err != nil || time.Unix(n, 0).UTC().Weekday() != time.Monday || got[0].Statuses != "1" || got[0].Logins != "2" || got[0].Registrations != "2" {
			t.Errorf("%+v %v", got[0], err)
		}
	})
}

func TestServersOutOfReachAreTold(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, now := t.Context(), s.DB.Now()
		for host, days := range map[string]int{"gone.example": 8, "slow.example": 6, "fine.example": 0} {
			if err := s.DB.AddInstance(ctx, host); err != nil {
				t.Fatal(err)
			}
			if days == 0 {
				continue
			}
			since := now.Add(-time.Duration(days) * 24 * time.Hour)
			if err := dbtest.Exec(t, s.DB, "UPDATE instances SET unreachable_since = ? WHERE host = ?", since.UnixMicro(), host); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Anonymous().Instance.FederationStatus(ctx)
		if err != nil {
			t.Fatal(err)
		}
		want := &api.FederationStatus{Unreachable: map[string]api.Time{"gone.example": {Time: now.Add(-8 * 24 * time.Hour).Truncate(time.Millisecond)}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		peers, err := s.Anonymous().Instance.Peers(ctx)
		if diff := cmp.Diff([]string{"fine.example", "gone.example", "slow.example"}, peers); diff != "" || err != nil {
			t.Errorf("%v %s", err, diff)
		}
	})
}

func TestTheServerTellsItsHealthWhereItMay(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		got, err := s.Anonymous().Instance.Health(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !got.Healthy || got.PoolSize < 1 || got.MemoryUsed < 1 || got.JobQueueStats == nil {
			t.Errorf("%+v", got)
		}
	}, func(c *config.Settings) { c.Instance.Healthcheck = true })
	s := servertest.Start(t)
	if a := call(t, s, "", "GET", "/api/svc/healthcheck", "", ""); a.text() != "503 {}" {
		t.Error(a.text())
	}
}

func TestFrontEndsFindTheirSettings(t *testing.T) {
	s := servertest.Start(t, func(c *config.Settings) {
		c.FrontendConfigurations = map[string]any{"svc_fe": map[string]any{"theme": "dark"}}
	})
	ctx, ann := t.Context(), s.Client("ann")
	got, err := s.Anonymous().Instance.FrontendConfigurations(ctx)
	if diff := cmp.Diff(map[string]any{"svc_fe": map[string]any{"theme": "dark"}}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if err := ann.Accounts.SetWebSettings(ctx, api.WebSettings{Data: json.RawMessage(`{"columns":[1]}`)}); err != nil {
		t.Fatal(err)
	}
	me, err := ann.Accounts.Verify(ctx)
	if err != nil || string(me.Svc.SettingsStore) != `{"masto_fe":{"columns":[1]}}` {
		t.Errorf("%s %v", me.Svc.SettingsStore, err)
	}
	for body, want := range map[string]int{`{}`: 400, `{"data":7}`: 422, `{"data":"x"}`: 422, `{"data":null}`: 400} {
		if a := call(t, s, s.Token("ann", servertest.AllScopes), "PUT", "/api/web/settings", asJSON, body); a.status != want {
			t.Errorf("%s: %s", body, a.text())
		}
	}
	prefs, err := ann.Accounts.Preferences(ctx)
	if diff := cmp.Diff(&api.Preferences{PostingVisibility: "public", ReadingMedia: "default"}, prefs); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
