package server_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/rules/social"
)

const assumed, public = "http://127.0.0.1:8080", "https://social.example"

// addresses returns the columns of an account with the base URL.
func addresses(a *db.Account) []string {
	return []string{a.URI, a.URL, a.Inbox, a.SharedInbox, a.Outbox, a.FollowersURI, a.FollowingURI, a.FeaturedURI, a.KeyID}
}

// settle creates local accounts under the assumed base URL.
func settle(t *testing.T, d *db.DB, nicknames ...string) {
	t.Helper()
	for _, nickname := range nicknames {
		base, err := server.AssumeBaseURL(t.Context(), d, assumed)
		if err == nil && base != assumed {
			t.Errorf("assumed %s", base)
		}
		if err == nil {
			err = d.CreateAccount(t.Context(), db.NewAccount(base, nickname))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAccountsOfBeforeTheFirstStartDoNotFixTheBaseURL(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settle(t, d, "ann", "bob")
		if err := server.KeepBaseURL(t.Context(), d, public); err != nil {
			t.Fatal(err)
		}
		for _, nickname := range []string{"ann", "bob"} {
			got, err := d.AccountByNickname(t.Context(), nickname)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(addresses(db.NewAccount(public, nickname)), addresses(got)); diff != "" {
				t.Error(diff)
			}
		}
		// From then on it is fixed for every command.
		if base, err := server.AssumeBaseURL(t.Context(), d, assumed); err != nil || base != public {
			t.Errorf("assumed %s, %v", base, err)
		}
		var wrong config.Problems
		if err := server.KeepBaseURL(t.Context(), d, assumed); !errors.As(err, &wrong) {
			t.Errorf("changed later: %v", err)
		}
		if err := server.KeepBaseURL(t.Context(), d, public); err != nil {
			t.Error(err)
		}
	})
}

func TestWhatWasPostedFixesTheBaseURL(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settle(t, d, "ann")
		ann, err := d.AccountByNickname(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		live, err := config.NewLive(config.DefaultSettings())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := social.New(social.Parts{DB: d, Settings: live, Site: config.NewSite(assumed, false), Now: time.Now}).PostStatus(t.Context(), ann, social.NewStatus{Text: "welcome"}); err != nil {
			t.Fatal(err)
		}
		var wrong config.Problems
		if err := server.KeepBaseURL(t.Context(), d, public); !errors.As(err, &wrong) {
			t.Errorf("%v", err)
		}
		if err := server.KeepBaseURL(t.Context(), d, assumed); err != nil {
			t.Error(err)
		}
	})
}

func TestOfTwoFirstStartsOneFixesTheBaseURL(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		settle(t, d, "ann")
		var wg sync.WaitGroup
		var mu sync.Mutex
		refused := 0
		for _, base := range []string{public, "https://other.example", assumed} {
			wg.Go(func() {
				err := server.KeepBaseURL(t.Context(), d, base)
				var wrong config.Problems
				if err != nil && !errors.As(err, &wrong) {
					t.Error(err)
				}
				if err != nil {
					mu.Lock()
					refused++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		fixed, err := d.Meta(t.Context(), db.BaseURL)
		if err != nil || refused != 2 {
			t.Errorf("%d are refused; %s, %v", refused, fixed, err)
		}
		ann, err := d.AccountByNickname(t.Context(), "ann")
		if err != nil || ann.URI != fixed+"/users/ann" {
			t.Errorf("%s at %s, %v", ann.URI, fixed, err)
		}
	})
}
