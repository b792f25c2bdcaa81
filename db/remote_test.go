package db_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// TestInboxQueriesUseIndexes holds the queries of every signed request to
// indexes.
func TestInboxQueriesUseIndexes(t *testing.T) {
	askedFacet := map[string]func(ctx context.Context, d *db.DB) error{
		"key": func(ctx context.Context, d *db.DB) error { _, err := d.Key(ctx, "a"); return err },
		"key's owner": func(ctx context.Context, d *db.DB) error {
			_, err := d.AccountByKey(ctx, "https://p.example/9#k")
			return err
		},
		"gone key": func(ctx context.Context, d *db.DB) error {
			_, err := d.IsKeyGone(ctx, "https://p.example/9#k", d.Now())
			return err
		},
		"gone keys": func(ctx context.Context, d *db.DB) error { _, err := d.ForgetGoneKeys(ctx, d.Now(), 10); return err },
		"instance":  func(ctx context.Context, d *db.DB) error { _, err := d.Instance(ctx, "9.example"); return err },
		"icons":     func(ctx context.Context, d *db.DB) error { _, err := d.Favicons(ctx, 100); return err },
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		if err := d.Tx(ctx, func(tx *db.DB) error {
			for i := range 60 {
				n := strconv.Itoa(i)
				a := &db.Account{URI: "https://p.example/" + n, Nickname: n + "@p.example", Domain: "p.example", KeyID: "https://p.example/" + n + "#k"}
				if err := errors.Join(tx.CreateAccount(ctx, a), tx.MarkKeyGone(ctx, "https://q.example/"+n+"#k"), tx.HostSeen(ctx, n+".example")); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for name, ask := range askedFacet {
			for query, plan := range dbtest.Plans(t, d, func(ctx context.Context) {
				if err := ask(ctx, d); err != nil && !errors.Is(err, db.ErrNotFound) {
					t.Errorf("%s: %v", name, err)
				}
			}) {
				for _, step := range dbtest.Wasteful(plan) {
					t.Errorf("%s: %s\n%s", name, query, step)
				}
			}
		}
	})
}

func TestRemoteAccountsAreStoredByTheirURI(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		bob := func(uri string) *db.Account {
			return &db.Account{URI: uri, Nickname: "Bob@p.example", Domain: "p.example", ActorType: "Person", DisplayName: "Bob", FollowersCount: -1, FetchedAt: db.At(time.Unix(5, 0))}
		}
		first := bob("https://p.example/1")
		if err := d.StoreRemote(ctx, first); err != nil {
			t.Fatal(err)
		}
		again := bob("https://p.example/1")
		again.DisplayName, again.FollowersCount = "Robert", 7
		if err := d.StoreRemote(ctx, again); err != nil {
			t.Fatal(err)
		}
		late := bob("https://p.example/1")
		late.DisplayName, late.PublicKey, late.FetchedAt = "Late", "old", db.At(time.Unix(4, 0))
		if err := d.StoreRemote(ctx, late); err != nil || late.DisplayName != "Robert" || late.PublicKey != "" {
			t.Errorf("a document that was fetched before: %+v, %v", late, err)
		}
		other := bob("https://p.example/2")
		if err := d.StoreRemote(ctx, other); err != nil {
			t.Fatal(err)
		}
		local := db.NewAccount("https://h.example", "ann")
		if err := d.CreateAccount(ctx, local); err != nil {
			t.Fatal(err)
		}
		for name, a := range map[string]*db.Account{
			"one of ours":   {URI: local.URI, Nickname: "x@p.example"},
			"a handle here": {URI: "https://p.example/3", Nickname: "ann"},
		} {
			if err := d.StoreRemote(ctx, a); !errors.Is(err, db.ErrDuplicate) {
				t.Errorf("%s: %v", name, err)
			}
		}
		type shown struct {
			Nickname, Name string
			Followers      int64
			Same           bool
		}
		was, err := d.AccountByURI(ctx, "https://p.example/1")
		if err != nil {
			t.Fatal(err)
		}
		now, err := d.AccountByNickname(ctx, "bob@P.example")
		if err != nil {
			t.Fatal(err)
		}
		got := []shown{
			{was.Nickname, was.DisplayName, was.FollowersCount, was.ID == first.ID && first.ID == again.ID},
			{now.Nickname, now.DisplayName, now.FollowersCount, now.ID == other.ID},
		}
		want := []shown{{first.ID + ".Bob@p.example", "Robert", 7, true}, {"Bob@p.example", "Bob", 0, true}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
