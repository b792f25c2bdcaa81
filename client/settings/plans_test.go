package settings

import (
	"math/rand/v2"
	"testing"

	"svc/client/settings/term"
)

// TestPostingThePlanSavesTheFile applies the plan for random files as the
// server does. The result is that of posting the whole file, and a second plan
// is empty.
func TestPostingThePlanSavesTheFile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	keys := [][2]string{{":svc", ":mrf_keyword"}, {":svc", ":instance"}, {":cors_plug", ":methods"}, {":mime", ":types"}, {":svc", ":workers"}}
	names := []string{":replace", ":retries", ":a", ":b", "Oban"}
	entries := func() Value {
		v := ListOf()
		for _, name := range names {
			if r.IntN(2) == 0 {
				v.items = append(v.items, Pair(name, random(r, 3)))
			}
		}
		return v
	}
	planned, none := 0, 0
	for range 3000 {
		key, saved, file := keys[r.IntN(len(keys))], entries(), entries()
		switch r.IntN(4) {
		case 0:
			file = random(r, 4)
		case 1:
			file = saved
		}
		row, err1 := saved.term()
		posted, err2 := file.term()
		if err1 != nil || err2 != nil {
			continue
		}
		want := term.SaveFor(key[0], key[1], row, posted)
		plan := func() []Setting {
			saved = value(t, string(row.JSON()))
			changes, err := Plan([]Setting{{Group: key[0], Key: key[1], Value: &saved}}, []Setting{{Group: key[0], Key: key[1], Value: &file}}, false)
			if err != nil {
				t.Fatal(err)
			}
			return Request(changes)
		}
		request := plan()
		if sends := len(request) > 0; sends == want.Same(row) {
			t.Fatalf("%s %s: for %s over %s is sent %s", key[0], key[1], wire(t, file), row, wire(t, request))
		}
		for _, item := range request {
			sent, err := item.Value.term()
			if err != nil {
				t.Fatal(err)
			}
			row = term.SaveFor(key[0], key[1], row, sent)
		}
		if !row.Same(want) {
			t.Fatalf("%s %s: the plan for %s saves\n%s, posting it\n%s", key[0], key[1], wire(t, file), row, want)
		}
		// Lists with a name twice may change again when they are posted again.
		if again := plan(); len(again) > 0 && term.SaveFor(key[0], key[1], row, posted).Same(row) {
			t.Fatalf("%s %s: the plan for %s leaves %s", key[0], key[1], wire(t, file), wire(t, again))
		}
		if planned++; len(request) == 0 {
			none++
		}
	}
	if planned < 1500 || none < 300 {
		t.Errorf("only %d plans were made, of which %d sent nothing", planned, none)
	}
}
