package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// seedFiles creates a hundred accounts with pictures. Each has a file in a
// status, one in a scheduled status, and a mascot.
func seedFiles(t *testing.T, d *db.DB) {
	t.Helper()
	seedMany(t, d)
	ctx := t.Context()
	err := d.Tx(ctx, func(tx *db.DB) error {
		for i := range 100 {
			a, err := tx.AccountBySerial(ctx, int64(i+1))
			if err != nil {
				return err
			}
			a.Avatar = fmt.Sprintf("/media/avatar%d", i)
			if err := tx.UpdateAccount(ctx, a, "avatar"); err != nil {
				return err
			}
			status := fmt.Sprint("status", i)
			files := []db.MediaAttachment{
				{AccountID: a.ID, StatusID: &status, File: fmt.Sprint("shown", i)}, {AccountID: a.ID, File: fmt.Sprint("waits", i)},
				{AccountID: a.ID, File: fmt.Sprint("mascot", i), Mascot: true},
			}
			if err := tx.CreateAttachments(ctx, files); err != nil {
				return err
			}
			if _, err := tx.HoldFile(ctx, fmt.Sprint("loose", i), 7, ""); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreFoundByIndexes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		seedFiles(t, d)
		later := d.Now().Add(time.Hour)
		for name, ask := range map[string]func(ctx context.Context) error{
			"a file": func(ctx context.Context) error { return err1(d.Attachment(ctx, 7)) },
			"a mascot": func(ctx context.Context) error {
				if _, err := d.Mascot(ctx, "nobody"); !errors.Is(err, db.ErrNotFound) {
					return fmt.Errorf("nobody's mascot: %w", err)
				}
				return nil
			},
			"loose files":  func(ctx context.Context) error { return err1(d.OrphanedFiles(ctx, later, true, 20)) },
			"to doom one":  func(ctx context.Context) error { return err1(d.BeginFileRemoval(ctx, "loose7", later)) },
			"to hold one":  func(ctx context.Context) error { return err1(d.HoldFile(ctx, "loose8", 7, "")) },
			"unused ones":  func(ctx context.Context) error { return err1(d.DeleteUnusedMedia(ctx, later.Add(-24*time.Hour), 20)) },
			"a banned one": func(ctx context.Context) error { return err1(d.MediaBanned(ctx, "https://far.example/x")) },
			"one that is shown": func(ctx context.Context) error {
				return err1(d.ShownFile(ctx, "loose6"))
			},
			"to forget one": func(ctx context.Context) error { return d.EndFileRemoval(ctx, "loose9") },
		} {
			plans := dbtest.Plans(t, d, func(ctx context.Context) {
				if err := ask(ctx); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			if len(plans) == 0 {
				t.Errorf("%s sent no statement", name)
			}
			for sql, plan := range plans {
				if waste := dbtest.Wasteful(plan); len(waste) > 0 {
					t.Errorf("%s: %q\n%q\n%s", name, waste, plan, sql)
				}
			}
		}
	})
}

func err1[T any](_ T, err error) error { return err }

func TestFilesBecomeLooseWithTheRowsThatNamedThem(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		a := dbtest.Account(t, d, "ann")
		now := func(withStatuses bool) []string {
			t.Helper()
			names, err := d.OrphanedFiles(ctx, d.Now().Add(-time.Hour), withStatuses, 10)
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(names)
			return names
		}
		picture := func(avatar, header, background string) {
			t.Helper()
			a.Avatar, a.Header, a.Background = avatar, header, background
			if err := d.UpdateAccount(ctx, a, "avatar", "header", "background"); err != nil {
				t.Fatal(err)
			}
		}
		picture("/media/one", "/media/two", "https://far.example/media/three")
		picture("/media/two", "/media/two", "") // two is still named
		if diff := cmp.Diff([]string{"one"}, now(true)); diff != "" {
			t.Error("pictures:", diff)
		}
		status := "status"
		files := []db.MediaAttachment{{AccountID: a.ID, File: "waits"}, {AccountID: a.ID, File: "shown", StatusID: &status}}
		if err := d.CreateAttachments(ctx, files); err != nil {
			t.Fatal(err)
		}
		if err := dbtest.Exec(t, d, "DELETE FROM media_attachments"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"one", "waits"}, now(false)); diff != "" {
			t.Error("files:", diff)
		}
		if diff := cmp.Diff([]string{"one", "shown", "waits"}, now(true)); diff != "" {
			t.Error("with statuses:", diff)
		}
		// A file that is held again stays for a while. A file under removal
		// cannot be held.
		held, err := d.HoldFile(ctx, "one", 7, "")
		if err != nil || !held {
			t.Errorf("held %v, %v", held, err)
		}
		for name, want := range map[string]bool{"one": false, "waits": true, "unknown": false} {
			doomed := false
			err := d.Tx(ctx, func(tx *db.DB) (err error) {
				doomed, err = tx.BeginFileRemoval(ctx, name, d.Now().Add(-time.Hour))
				return err
			})
			if err != nil || doomed != want {
				t.Errorf("%s is doomed %v, %v", name, doomed, err)
			}
		}
		if held, err := d.HoldFile(ctx, "waits", 7, ""); err != nil || held {
			t.Errorf("a doomed file is held, %v", err)
		}
		if err := d.EndFileRemoval(ctx, "waits"); err != nil {
			t.Fatal(err)
		}
		if held, err := d.HoldFile(ctx, "waits", 7, ""); err != nil || !held {
			t.Errorf("held %v, %v", held, err)
		}
	})
}

func TestASecretIsDrawnOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		n := 0
		draw := func() string { n++; return fmt.Sprint("secret", n) }
		for range 2 {
			if got, err := d.Secret(t.Context(), "x", draw); err != nil || got != "secret1" {
				t.Errorf("%q, %v", got, err)
			}
		}
	})
}
