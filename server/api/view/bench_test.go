package view

import (
	"fmt"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
)

// BenchmarkPage renders a page of 20 statuses that are kept, as most pages of
// timelines are.
func BenchmarkPage(b *testing.B) {
	d := dbtest.New(b)
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		b.Fatal(err)
	}
	v, err := newView(d, live)
	if err != nil {
		b.Fatal(err)
	}
	ann := dbtest.Account(b, d, "ann")
	var ids []string
	for i := range 20 {
		id := d.NewID()
		uri := fmt.Sprintf("%s/objects/%d", dbtest.Base, i)
		err := d.CreateStatus(b.Context(), &db.Status{ID: id, AccountID: ann.ID, URI: &uri, Local: true, Visibility: db.Public,
			Content: "words of a status that somebody has posted, about rivers and lanterns", CreatedAt: d.Now()})
		if err != nil {
			b.Fatal(err)
		}
		ids = append(ids, id)
	}
	refs, err := d.StatusRefs(b.Context(), db.Viewer{ID: ann.ID}, ids)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		page, err := v.Statuses(b.Context(), refs)
		if err != nil {
			b.Fatal(err)
		}
		v.Release(page)
	}
}
