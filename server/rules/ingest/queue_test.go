package ingest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/fault"
)

func TestNoHostAndNoSignerKeepsOthersWaiting(t *testing.T) {
	var l lanes
	id := int64(0)
	push := func(host, signer string) {
		id++
		l.push(&item{row: db.InboxItem{ID: id, Host: host, SignerID: signer}})
	}
	for range 5 {
		push("flood", "f1")
	}
	push("flood", "f2")
	push("flood", "f3")
	push("calm", "c1")
	push("calm", "c1")
	var order []string
	var running []*item
	begin := func() {
		for it := l.next(2); it != nil; it = l.next(2) {
			order = append(order, fmt.Sprint(it.row.SignerID, "-", it.row.ID))
			running = append(running, it)
		}
	}
	for begin(); len(running) > 0; begin() {
		order = append(order, "|")
		done := running
		running = nil
		for _, it := range done {
			l.done(it)
		}
	}
	// Hosts take turns with at most two activities running, and the activities
	// of one signer run in order.
	want := []string{
		"f1-1", "c1-8", "f2-6", "|", "f3-7", "c1-9", "f1-2", "|", "f1-3", "|", "f1-4", "|", "f1-5", "|",
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
	if len(l.known) != 0 || l.running != 0 || len(l.hosts) != 0 || len(l.ready) != 0 {
		t.Errorf("left are %d items, %d hosts", len(l.known), len(l.hosts))
	}
}

func TestAHostThatFloodsIsNotHeldInMemory(t *testing.T) {
	var l lanes
	for i := range ofHost {
		if !l.room("flood") {
			t.Fatalf("no room for the %dth", i)
		}
		l.push(&item{row: db.InboxItem{Host: "flood", SignerID: "f"}})
	}
	if l.room("flood") || !l.room("calm") {
		t.Error("a flood takes the room of others, or has too much")
	}
}

func TestBodiesThatWaitAreHeldInMemoryWithinABudget(t *testing.T) {
	var l lanes
	push := func(host string, id int64, size int) *item {
		it := &item{row: db.InboxItem{ID: id, Host: host, SignerID: host, Body: make([]byte, size), Size: size}, doc: activitypub.Object{}}
		l.push(it)
		return it
	}
	if it := push("small", 1, 1000); it.doc == nil || it.row.Body == nil {
		t.Error("a small activity is not kept as it is")
	}
	if it := push("large", 2, 1<<20); it.doc != nil || it.row.Body != nil {
		t.Error("a large body is kept in memory")
	}
	id := int64(2)
	fill := func(host string) (docs, bodies int) {
		for range ofHost {
			id++
			it := push(host, id, smallBody)
			if it.doc != nil {
				docs++
			}
			if it.row.Body != nil {
				bodies++
			}
		}
		return docs, bodies
	}
	if docs, bodies := fill("flood"); docs != hostWeight/(unpacked*smallBody) || bodies > docs+unpacked {
		t.Errorf("of one host %d documents and %d bodies are kept", docs, bodies)
	}
	for i := range 10 {
		fill(fmt.Sprint("flood", i))
	}
	if l.weight > mostWeight {
		t.Errorf("%d bytes are kept", l.weight)
	}
	for it := l.next(1000); it != nil; it = l.next(1000) {
		l.done(it)
	}
	if l.weight != 0 || l.bytes != 0 || len(l.known) != 0 {
		t.Errorf("at the end %d bytes, %d of what runs and %d activities count", l.weight, l.bytes, len(l.known))
	}
}

func TestLargeActivitiesRunFewAtATime(t *testing.T) {
	var l lanes
	for i := range 12 {
		l.push(&item{row: db.InboxItem{ID: int64(i + 1), Host: fmt.Sprint(i), SignerID: "s", Size: 1 << 20}})
	}
	l.push(&item{row: db.InboxItem{ID: 100, Host: "0", SignerID: "other", Size: 1 << 20}}, &item{row: db.InboxItem{ID: 101, Host: "z", SignerID: "s", Size: 100}})
	begin := func() (ids []int64) {
		for it := l.next(10); it != nil; it = l.next(10) {
			ids = append(ids, it.row.ID)
		}
		return ids
	}
	// Large activities of four hosts fill the bound; small ones do not wait for
	// them.
	if diff := cmp.Diff([]int64{1, 2, 3, 4, 101}, begin()); diff != "" {
		t.Error(diff)
	}
	l.done(&item{row: db.InboxItem{ID: 1, Host: "0", SignerID: "s", Size: 1 << 20}})
	if ids := begin(); len(ids) != 1 {
		t.Errorf("then begin %v, want a large one", ids)
	}
}

func TestTooMuchThatWaitsIsRefused(t *testing.T) {
	of := func(items, bytes int) db.Load { return db.Load{Items: items, Bytes: bytes} }
	for name, tt := range map[string]struct {
		rows []db.HostLoad
		want string
	}{
		"nothing waits":                  {nil, "nil"},
		"much of another":                {[]db.HostLoad{{Host: "flood", Load: of(mostOfHost, bytesOfHost)}}, "nil"},
		"as many as may be of one":       {[]db.HostLoad{{Host: "far", Load: of(mostOfHost, 1)}}, "rate limited"},
		"as many bytes as may be of one": {[]db.HostLoad{{Host: "far", Load: of(1, bytesOfHost-99)}}, "rate limited"},
		"room for this one":              {[]db.HostLoad{{Host: "far", Load: of(1, bytesOfHost-100)}}, "nil"},
		"as many as may be of all":       {[]db.HostLoad{{Host: "a", Load: of(mostOfAll/2, 1)}, {Host: "b", Load: of(mostOfAll/2, 1)}}, "unavailable"},
		"as many bytes as may be of all": {[]db.HostLoad{{Host: "a", Load: of(1, bytesOfAll/2)}, {Host: "b", Load: of(1, bytesOfAll/2-99)}}, "unavailable"},
	} {
		var l load
		l.set(tt.rows)
		got := "nil"
		var e *fault.Error
		if errors.As(l.refuse("far", 100), &e) {
			got = e.Kind.String()
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
	var l load
	l.add("far", 1, bytesOfHost)
	if l.refuse("far", 1) == nil {
		t.Error("what came since the last count does not count")
	}
	l.add("far", -1, -bytesOfHost)
	if l.refuse("far", 1) != nil || len(l.hosts) != 0 {
		t.Error("what ended since still counts")
	}
}
