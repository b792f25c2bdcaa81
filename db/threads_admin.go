package db

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// maxGoneParents bounds the deleted statuses that are looked up one above the other.
const maxGoneParents = 10

// AdminContext is the thread of a status for admins. Gone has those of its statuses that
// were deleted and are known from reports.
type AdminContext struct {
	Above  []StatusRef // the chain of its parents, root first
	Status StatusRef
	Below  []StatusRef // its answers, each followed by its own
	Gone   []NamedStatus
}

// AdminContext returns the thread of a status of any visibility, or of what a reblog
// shows: of the others, those that are public or unlisted, or all. With copies, deleted
// statuses that a report names stand where they stood, as far as answers to them lead
// there, and a deleted one has a thread too. There are no reblogs and none of invisible
// accounts in it, and at most ThreadLimit of the conversation's statuses, the oldest.
func (d *DB) AdminContext(ctx context.Context, id string, all, copies bool) (*AdminContext, error) {
	out := &AdminContext{}
	shown := func(visibility string) bool { return all || visibility == Public || visibility == Unlisted }
	of, err := d.AdminStatusRef(ctx, id)
	if err == nil && of.ReblogOfID != "" {
		of, err = d.AdminStatusRef(ctx, of.ReblogOfID)
	}
	conversation := conversationOf
	var in any
	switch {
	case err == nil:
		out.Status = *of
		in = of.ID
	case copies && errors.Is(err, ErrNotFound):
		found, missing := d.GoneStatuses(ctx, []string{id})
		if missing != nil {
			return nil, missing
		}
		if len(found) == 0 {
			return nil, err
		}
		copied, bad := found[0].Copied()
		if bad != nil {
			return nil, bad
		}
		if copied.ReblogOfID != nil {
			return d.AdminContext(ctx, *copied.ReblogOfID, all, copies)
		}
		out.Status, out.Gone = goneRef(copied), found
		conversation, in = "?", copied.ConversationID
	default:
		return nil, err
	}
	q := &selection{}
	q.refs(Viewer{})
	q.add(` FROM statuses s`+refJoins+` WHERE s.conversation_id = `+conversation+` AND s.reblog_of_id IS NULL AND NOT a.invisible`, in)
	if !all {
		q.add(` AND s.visibility IN ('public', 'unlisted')`)
	}
	q.add(` ORDER BY s.id` + limit(ThreadLimit, 0))
	thread, err := d.statusRefs(ctx, q, "thread for admins")
	if err != nil {
		return nil, err
	}
	var hidden []threadPlace // answers to deleted statuses that are not shown keep their place
	known := map[string]bool{out.Status.ID: true}
	for i := range thread {
		known[thread[i].ID] = true
	}
	for at := append([]StatusRef{out.Status}, thread...); copies && len(at) > 0 && len(out.Gone) < maxGoneParents; {
		var missing []string
		for i := range at {
			if parent := at[i].InReplyToID; parent != "" && !known[parent] {
				missing, known[parent] = append(missing, parent), true
			}
		}
		found, err := d.GoneStatuses(ctx, missing)
		if err != nil {
			return nil, err
		}
		at = nil
		for i := range found {
			copied, err := found[i].Copied()
			if err != nil {
				return nil, err
			}
			ref := goneRef(copied)
			if !shown(copied.Visibility) {
				hidden = append(hidden, threadPlace{ref.ID, ref.InReplyToID})
				continue
			}
			at, out.Gone = append(at, ref), append(out.Gone, found[i])
		}
		thread = append(thread, at...)
	}
	slices.SortFunc(thread, func(a, b StatusRef) int { return strings.Compare(a.ID, b.ID) })
	places, whole := shape(thread, out.Status)
	if !whole {
		if places, err = d.threadPlaces(ctx, conversation, in); err != nil {
			return nil, err
		}
		places = append(places, hidden...)
		for i := range thread { // deleted ones have no place there
			places = append(places, threadPlace{thread[i].ID, thread[i].InReplyToID})
		}
		slices.SortFunc(places, func(a, b threadPlace) int { return strings.Compare(a.id, b.id) })
		places = slices.Compact(places)
	}
	out.Above, out.Below = splitThread(places, thread, out.Status)
	return out, nil
}

// goneRef is the place of a deleted status.
func goneRef(c *CopiedStatus) StatusRef {
	ref := StatusRef{ID: c.ID, AccountID: c.AccountID}
	if c.InReplyToID != nil {
		ref.InReplyToID = *c.InReplyToID
	}
	return ref
}
