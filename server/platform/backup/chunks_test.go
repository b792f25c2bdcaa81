package backup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestARowMoreMovesOneCut: the chunks around it stay what they were.
func TestARowMoreMovesOneCut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var rows []string
	for n := range 200_000 {
		rows = append(rows, fmt.Sprintf("%d\t%x", n, r.Uint64()))
	}
	cut := func(text string) map[string]bool {
		out := map[string]bool{}
		c := &chunker{emit: func(content []byte) error {
			if len(content) > most {
				t.Errorf("a chunk has %d bytes", len(content))
			}
			out[hashOf(content)] = true
			return nil
		}}
		for at := 0; at < len(text); at += 1000 {
			if _, err := c.Write([]byte(text[at:min(at+1000, len(text))])); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.flush(); err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := cut(strings.Join(rows, "\n"))
	rows[70_000] += "\nanother row"
	more := 0
	for hash := range cut(strings.Join(rows, "\n")) {
		if !before[hash] {
			more++
		}
	}
	if len(before) < 8 || more == 0 || more > 3 {
		t.Errorf("of %d chunks %d are new", len(before), more)
	}
}
