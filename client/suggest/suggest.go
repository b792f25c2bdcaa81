// Package suggest finds the word that a mistyped one most likely means: a command, a
// field, a setting, a queue.
package suggest

import (
	"slices"
	"strings"
)

// Words are the words of a list that a mistyped one most likely means, three at
// most.
func Words(word string, words []string) []string {
	type scored struct {
		word string
		away int
	}
	word = strings.ToLower(word)
	var near []scored
	for _, w := range words {
		away := distance(word, strings.ToLower(w))
		if strings.HasPrefix(strings.ToLower(w), word) || strings.HasSuffix(strings.ToLower(w), "."+word) {
			away = min(away, 1)
		}
		if away <= max(1, (len(word)+1)/3) && away < len(word) {
			near = append(near, scored{w, away})
		}
	}
	slices.SortStableFunc(near, func(a, b scored) int { return a.away - b.away })
	var best []string
	for _, n := range near {
		if n.away == near[0].away && len(best) < 3 {
			best = append(best, n.word)
		}
	}
	return best
}

// distance is how many letters are to be put in, taken out or changed between two
// words, or pairs of neighbours to be swapped (optimal string alignment).
func distance(a, b string) int {
	var above, row []int // of the letters of a before this one, by letters of b
	for j := range len(b) + 1 {
		row = append(row, j)
	}
	for i := range len(a) {
		next := []int{i + 1}
		for j := range len(b) {
			changed := row[j]
			if a[i] != b[j] {
				changed++
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				changed = min(changed, above[j-1]+1)
			}
			next = append(next, min(changed, row[j+1]+1, next[j]+1))
		}
		above, row = row, next
	}
	return row[len(b)]
}
