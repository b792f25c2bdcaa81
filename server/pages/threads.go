package pages

import "svc/db"

// around splits a thread, oldest first, into the parents of a status, the root
// first, and the replies below it, each followed by its own.
func around(thread []db.StatusRef, of db.StatusRef) (above, below []db.StatusRef) {
	byID := make(map[string]int, len(thread))
	children := make(map[string][]int, len(thread))
	for i, r := range thread {
		byID[r.ID] = i
		if r.InReplyToID != "" {
			children[r.InReplyToID] = append(children[r.InReplyToID], i)
		}
	}
	seen := map[string]bool{of.ID: true}
	for parent := of.InReplyToID; parent != "" && !seen[parent]; {
		seen[parent] = true
		i, ok := byID[parent]
		if !ok {
			break
		}
		above = append(above, thread[i])
		parent = thread[i].InReplyToID
	}
	for i, j := 0, len(above)-1; i < j; i, j = i+1, j-1 {
		above[i], above[j] = above[j], above[i]
	}
	// A stack, newest on the bottom: a reply, then all below it, then its sibling.
	stack := reversed(children[of.ID])
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[thread[i].ID] {
			continue
		}
		seen[thread[i].ID] = true
		below = append(below, thread[i])
		stack = append(stack, reversed(children[thread[i].ID])...)
	}
	return above, below
}

func reversed(in []int) []int {
	out := make([]int, len(in))
	for i, n := range in {
		out[len(in)-1-i] = n
	}
	return out
}
