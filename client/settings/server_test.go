package settings

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"svc/client/settings/term"
)

// TestTheServerAgrees gives random values to the server's own language: what it
// gives back counts as the same, and saving makes the same of them.
func TestTheServerAgrees(t *testing.T) {
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
	parse := func(v Value) (term.Term, bool) {
		parsed, err := term.FromJSON(json.RawMessage(wire(t, v)))
		return parsed, err == nil
	}
	merged := 0
	for range 3000 {
		v, key := random(r, 4), keys[r.IntN(len(keys))]
		if parsed, ok := parse(v); ok {
			if again := value(t, string(parsed.JSON())); !v.Equal(again) {
				t.Fatalf("%s comes back as %s, which counts as another", wire(t, v), wire(t, again))
			}
		}
		old, posted := entries(), entries()
		if r.IntN(4) == 0 {
			posted = v
		}
		row, ok1 := parse(old)
		submitted, ok2 := parse(posted)
		if !ok1 || !ok2 {
			continue
		}
		merged++
		want := value(t, string(term.SaveFor(key[0], key[1], row, submitted).JSON()))
		got := Merge(key[0], key[1], value(t, string(row.JSON())), value(t, string(submitted.JSON())))
		if !got.Equal(want) {
			t.Fatalf("%s %s: saving %s over %s makes\n%s, the server makes\n%s",
				key[0], key[1], wire(t, posted), wire(t, old), wire(t, got), wire(t, want))
		}
	}
	if merged < 1000 {
		t.Errorf("only %d merges were compared", merged)
	}
}
