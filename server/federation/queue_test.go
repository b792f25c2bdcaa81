package federation

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
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
	// Hosts take turns, two at most run of one, and what one signer sent runs in
	// its order.
	want := []string{
		"f1-1", "c1-8", "f2-6", "|", "f3-7", "c1-9", "f1-2", "|", "f1-3", "|", "f1-4", "|", "f1-5", "|",
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
	if l.held != 0 || len(l.hosts) != 0 || len(l.ready) != 0 {
		t.Errorf("left are %d items, %d hosts", l.held, len(l.hosts))
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
