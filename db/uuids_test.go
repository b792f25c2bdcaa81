package db

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

func TestUUIDsCarryTheirTimeAndAreTheSameForOneWorker(t *testing.T) {
	at := time.UnixMilli(0x017f22e279b0) // RFC 9562, A.6
	some := func(worker uint64) (out []string) {
		var u uuids
		u.init(worker)
		for range 3 {
			out = append(out, u.next(at))
		}
		return out
	}
	for _, text := range some(0) {
		id, err := uuid.Parse(text)
		if err != nil || id.Version() != 7 || id.Variant() != uuid.RFC4122 || !strings.HasPrefix(text, "017f22e2-79b0-7") {
			t.Errorf("%s: version %d, error %v", text, id.Version(), err)
		}
	}
	if diff := cmp.Diff(some(5), some(5)); diff != "" {
		t.Error(diff)
	}
	seen := map[string]bool{}
	for _, text := range append(append(some(0), some(0)...), append(some(5), some(6)...)...) {
		if seen[text] {
			t.Errorf("%s came twice", text)
		}
		seen[text] = true
	}
}
