package db

import (
	"context"
	"slices"
)

// ThreadLimit bounds the statuses that are read of one conversation.
const ThreadLimit = 2000

// Thread returns the statuses of a conversation, including the given one, that
// the viewer may and wants to see, oldest first, without reblogs. A mute of the
// thread does not count, since the viewer opened it.
func (d *DB) Thread(ctx context.Context, v Viewer, statusID string) ([]StatusRef, error) {
	ignoring := v.Relations.Blocks || v.Relations.Mutes
	q := d.factsFor(v, judged{alone: !ignoring})
	q.add(` FROM statuses s`+q.joins()+` WHERE s.conversation_id = `+conversationOf+` AND s.reblog_of_id IS NULL`, statusID)
	q.seen(v)
	v.Relations.ThreadMutes = false
	q.unwanted(v, false, "")
	q.add(` ORDER BY s.id` + limit(ThreadLimit, 0))
	return d.statusRefs(ctx, q, "thread")
}

// SplitThread splits a thread, as Thread returns it or a part of that, into the
// ancestors of a status, root first, and its descendants, each followed by its
// own. Replies to a hidden status keep their place, which takes one more
// statement.
func (d *DB) SplitThread(ctx context.Context, thread []StatusRef, of StatusRef) (above, below []StatusRef, err error) {
	places, whole := shape(thread, of)
	if !whole {
		if places, err = d.threadPlaces(ctx, conversationOf, of.ID); err != nil {
			return nil, nil, err
		}
	}
	above, below = splitThread(places, thread, of)
	return above, below, nil
}

// shape returns the places of the shown statuses in their thread. It is whole
// unless one of them replies to a status that is not among them.
func shape(thread []StatusRef, of StatusRef) (places []threadPlace, whole bool) {
	known := make(map[string]bool, len(thread)+2)
	for i := range thread {
		known[thread[i].ID] = true
	}
	known[of.ID], known[""] = true, true
	whole = known[of.InReplyToID]
	places = make([]threadPlace, len(thread))
	for i := range thread {
		places[i] = threadPlace{id: thread[i].ID, inReplyToID: thread[i].InReplyToID}
		whole = whole && known[thread[i].InReplyToID]
	}
	return places, whole
}

// threadPlace is the place of a status in its thread.
type threadPlace struct{ id, inReplyToID string }

// conversationOf is SQL for the conversation of a status.
const conversationOf = `(SELECT o.conversation_id FROM statuses o WHERE o.id = ?)`

// threadPlaces returns the places of all statuses of a conversation, SQL with one
// value, without regard to visibility and without reblogs, oldest first.
func (d *DB) threadPlaces(ctx context.Context, conversation string, of any) ([]threadPlace, error) {
	cells := func(p *threadPlace) []any { return []any{&p.id, &p.inReplyToID} }
	return scanAll(ctx, d, "shape of a thread", cells, `SELECT s.id, COALESCE(s.in_reply_to_id, '') FROM statuses s
		WHERE s.conversation_id = `+conversation+` AND s.reblog_of_id IS NULL
		ORDER BY s.id`+limit(ThreadLimit, 0), of)
}

// splitThread is SplitThread for a thread with known places.
func splitThread(places []threadPlace, shown []StatusRef, of StatusRef) (above, below []StatusRef) {
	parents := make(map[string]string, len(places))
	children := make(map[string][]string, len(places))
	for _, p := range places {
		parents[p.id] = p.inReplyToID
		if p.inReplyToID != "" {
			children[p.inReplyToID] = append(children[p.inReplyToID], p.id)
		}
	}
	refs := make(map[string]*StatusRef, len(shown))
	for i := range shown {
		refs[shown[i].ID] = &shown[i]
	}
	seen := map[string]bool{of.ID: true}
	for id := of.InReplyToID; id != "" && !seen[id]; id = parents[id] {
		seen[id] = true
		if r := refs[id]; r != nil {
			above = append(above, *r)
		}
	}
	slices.Reverse(above)
	// A stack with the newest at the bottom: a reply, then all below it, then its
	// sibling.
	stack := reversed(children[of.ID])
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[id] {
			continue
		}
		seen[id] = true
		if r := refs[id]; r != nil {
			below = append(below, *r)
		}
		stack = append(stack, reversed(children[id])...)
	}
	return above, below
}

func reversed(in []string) []string {
	out := slices.Clone(in)
	slices.Reverse(out)
	return out
}
