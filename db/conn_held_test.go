package db_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLocksAreTakenInOneOrder runs a transaction while another is open. Both
// must succeed at the first attempt: a second attempt means a deadlock.
func TestLocksAreTakenInOneOrder(t *testing.T) {
	type write = func(ctx context.Context, tx *db.DB) error
	for name, of := range map[string]func(t *testing.T, d *db.DB) (part string, first, second write){
		"deliveries done beside new ones": func(t *testing.T, d *db.DB) (string, write, write) {
			ctx := t.Context()
			a := &db.Activity{URI: "https://us.example/activities/1", AccountID: "a", Type: "Create", Body: "{}", Priority: db.PriorityPost}
			must(t, d.Tx(ctx, func(tx *db.DB) error { return tx.QueueActivity(ctx, a) }))
			chunk := func(from, to string) db.Chunk {
				c := db.Chunk{ActivityID: a.ID, From: from, To: to}
				for i := range 12 { // a host of two, then one of one, and so on
					host := fmt.Sprintf("h%d.example", i*2/3)
					c.Deliveries = append(c.Deliveries, db.Delivery{Inbox: fmt.Sprintf("https://%s/%s%d", host, to, i), Host: host, Priority: db.PriorityPost})
				}
				return c
			}
			_, err := d.Distribute(ctx, chunk("", "x"))
			must(t, err)
			hosts, err := d.ClaimHosts(ctx, "me", 10)
			must(t, err)
			rows, err := d.Deliveries(ctx, 0, 100)
			must(t, err)
			r := db.DeliveryResults{Release: []string{hosts[len(hosts)-1].Host, "h0.example"}}
			for i := range rows {
				if rows[i].Host != "h0.example" {
					r.Done = append(r.Done, rows[i].ID)
				}
			}
			return "delivery_hosts", func(ctx context.Context, tx *db.DB) error { return tx.StoreDeliveryResults(ctx, "me", r) },
				func(ctx context.Context, tx *db.DB) error { _, err := tx.Distribute(ctx, chunk("x", "y")); return err }
		},
		"accounts locked beside a change of one": func(t *testing.T, d *db.DB) (string, write, write) {
			ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
			return "FROM accounts", func(ctx context.Context, tx *db.DB) error {
					if err := tx.HoldAccounts(ctx, bob.ID); err != nil {
						return err
					}
					a, err := tx.Account(ctx, bob.ID)
					if err != nil {
						return err
					}
					a.Deactivated = true
					return tx.UpdateAccount(ctx, a, "deactivated")
				}, func(ctx context.Context, tx *db.DB) error {
					_, err := tx.LockAccounts(ctx, []string{ann.ID, bob.ID})
					return err
				}
		},
		"a favourite beside itself": func(t *testing.T, d *db.DB) (string, write, write) {
			ann := dbtest.Account(t, d, "ann")
			s := &db.Status{ID: d.NewID(), AccountID: ann.ID, Local: true, Visibility: db.Public, CreatedAt: d.Now()}
			must(t, d.CreateStatus(t.Context(), s))
			favour := func(ctx context.Context, tx *db.DB) error {
				_, err := tx.CreateFavourite(ctx, &db.Favourite{AccountID: ann.ID, StatusID: s.ID, ID: tx.NewID(), CreatedAt: tx.Now()})
				return err
			}
			return "INSERT INTO favourites", favour, func(ctx context.Context, tx *db.DB) error {
				if err := tx.HoldStatus(ctx, s.ID); err != nil {
					return err
				}
				return favour(ctx, tx)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, d *db.DB) {
				part, first, second := of(t, d)
				attempts := make([]int, 2)
				run := func(i int, do write) func(context.Context) error {
					return func(ctx context.Context) error {
						return d.Tx(ctx, func(tx *db.DB) error {
							attempts[i]++
							return do(ctx, tx)
						})
					}
				}
				if err := errors.Join(dbtest.Between(t, d, part, run(0, first), run(1, second))); err != nil {
					t.Error(err)
				}
				if attempts[0] != 1 || attempts[1] != 1 {
					t.Errorf("%d and %d attempts", attempts[0], attempts[1])
				}
			})
		})
	}
}

// TestAListOfAccountsWaitsForNoChange reads the list that admins search while
// an account is changed. SQLite has one writer, which the list does not need.
func TestAListOfAccountsWaitsForNoChange(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		must(t, d.Tx(t.Context(), func(tx *db.DB) error {
			for i := range 1200 {
				if err := tx.CreateAccount(t.Context(), db.NewAccount(dbtest.Base, fmt.Sprintf("person%04d", i))); err != nil {
					return err
				}
			}
			return nil
		}))
		bob := dbtest.Account(t, d, "bob")
		if d.Dialect() == db.SQLite {
			return
		}
		must(t, d.Tx(t.Context(), func(tx *db.DB) error {
			bob.Deactivated = true
			must(t, tx.UpdateAccount(t.Context(), bob, "deactivated"))
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, _, err := d.AdminUsers(ctx, db.UserFilter{Query: "Person"}, db.NumberedPage{Number: 1, Size: 10})
			return err
		}))
	})
}

// TestWhatIsShownStays runs operations that show a row, such as a card or a file,
// beside operations that remove or change the row.
func TestWhatIsShownStays(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx, ann := t.Context(), dbtest.Account(t, d, "ann")
		status := func() *db.Status {
			s := &db.Status{ID: d.NewID(), AccountID: ann.ID, Local: true, Visibility: db.Public, CreatedAt: d.Now()}
			must(t, d.CreateStatus(ctx, s))
			return s
		}
		one, two := status(), status()
		card := &db.Card{Link: "https://page.example/", FetchedAt: d.Now()}
		must(t, d.CreateCard(ctx, card))
		must(t, d.AttachCard(ctx, one.ID, card.ID))
		one.CardID = &card.ID
		err, other := dbtest.Between(t, d, "card_id", func(ctx context.Context) error {
			return d.Tx(ctx, func(tx *db.DB) error { return tx.AttachCard(ctx, two.ID, card.ID) })
		}, func(ctx context.Context) error {
			return d.Tx(ctx, func(tx *db.DB) error { _, err := tx.DeleteStatus(ctx, one, 10); return err })
		})
		must(t, errors.Join(err, other))
		if cards, err := d.Cards(ctx, []int64{card.ID}); err != nil || len(cards) != 1 {
			t.Errorf("the card is gone: %v", err)
		}

		files := []db.MediaAttachment{{AccountID: ann.ID, Type: "image", URL: "/media/a.png", CreatedAt: d.Now()}}
		must(t, d.CreateAttachments(ctx, files))
		before, err := d.StatusByID(ctx, two.ID)
		must(t, err)
		err, other = dbtest.Between(t, d, "SELECT * FROM media_attachments", func(ctx context.Context) error {
			m, err := d.Attachment(ctx, files[0].ID)
			if err != nil {
				return err
			}
			m.Description = "a picture"
			return d.Tx(ctx, func(tx *db.DB) error { return tx.DescribeAttachment(ctx, m) })
		}, func(ctx context.Context) error {
			return d.Tx(ctx, func(tx *db.DB) error { return tx.AttachMedia(ctx, ann.ID, two.ID, []int64{files[0].ID}) })
		})
		must(t, errors.Join(err, other))
		after, err := d.StatusByID(ctx, two.ID)
		must(t, err)
		if after.Version == before.Version {
			t.Error("the status is rendered as before")
		}
	})
}

// TestADeadlockIsTriedAgain has two transactions wait for each other. The database
// ends one of them, which runs again, and both take effect once.
func TestADeadlockIsTriedAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ann, bob := dbtest.Account(t, d, "ann"), dbtest.Account(t, d, "bob")
		attempts := 0
		count := func(ids ...string) func(context.Context) error {
			return func(ctx context.Context) error {
				return d.Tx(ctx, func(tx *db.DB) error {
					attempts++
					for _, id := range ids {
						if err := tx.AddCounts(ctx, id, db.Counts{Statuses: 1}); err != nil {
							return err
						}
					}
					return nil
				})
			}
		}
		// Both have one account, and want the other's, once the first goes on.
		must(t, errors.Join(dbtest.Between(t, d, "statuses_count", count(ann.ID, bob.ID), count(bob.ID, ann.ID))))
		// On a slow machine the second attempt may meet the other transaction once more.
		if least := map[db.Dialect]int{db.SQLite: 2, db.Postgres: 3}[d.Dialect()]; attempts < least || d.Dialect() == db.SQLite && attempts > least {
			t.Errorf("%d attempts, want %d", attempts, least)
		}
		for _, a := range []*db.Account{ann, bob} {
			now, err := d.Account(t.Context(), a.ID)
			must(t, err)
			if now.StatusesCount != 2 {
				t.Errorf("%d statuses of %s, want 2", now.StatusesCount, a.Nickname)
			}
		}
	})
}
