package view

import (
	"strings"
	"sync"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestWhatBeganUnderOlderSettingsIsNotKept changes the settings, and renders
// something under them, while a status is rendered.
func TestWhatBeganUnderOlderSettingsIsNotKept(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		var once sync.Once
		ctx := db.WatchStatements(t.Context(), func(statement string) {
			if !strings.Contains(statement, "FROM polls") {
				return
			}
			once.Do(func() {
				s := *w.settings.Load()
				s.Upload.BaseURL = "https://files.example/"
				w.do(t, w.settings.Swap(s))
				_, err := w.FullStatus(t.Context(), db.Viewer{}, "9pQtDGXuq4p3VlcJEm")
				if err == nil {
					t.Error("there is such a status")
				}
				_, err = w.AccountsAt(t.Context(), []db.AccountRef{{ID: w.ann.ID}})
				w.do(t, err)
			})
		})
		for range 2 {
			_, err := w.FullStatus(ctx, db.Viewer{}, w.status)
			w.do(t, err)
		}
		raw, err := w.FullStatus(ctx, db.Viewer{}, w.status)
		w.do(t, err)
		if !strings.Contains(string(raw), "https://files.example/a.png") {
			t.Errorf("the files are where they were: %s", raw)
		}
	})
}
