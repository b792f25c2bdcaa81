package db

import "context"

// maxAncestors bounds how far up a thread containment looks.
const maxAncestors = 50

// Uncontained returns those of these statuses that reply, directly or through
// others, to a status that the viewer may not see, up to maxAncestors above.
// Unknown ancestors do not count.
func (d *DB) Uncontained(ctx context.Context, v Viewer, ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := &selection{now: d.Now()}
	q.add(`WITH RECURSIVE chain (leaf, id, depth) AS (
			SELECT s.id, s.in_reply_to_id, 1 FROM statuses s WHERE s.id IN ? AND s.in_reply_to_id IS NOT NULL
			UNION ALL
			SELECT c.leaf, p.in_reply_to_id, c.depth + 1 FROM chain c JOIN statuses p ON p.id = c.id
			WHERE p.in_reply_to_id IS NOT NULL AND c.depth < ?)
		SELECT c.leaf FROM chain c JOIN statuses x ON x.id = c.id WHERE NOT (`, ids, maxAncestors)
	q.visible("x", v)
	q.add(`)`)
	leaves, err := list[string](ctx, d, "ancestors", q.sql.String(), q.args...)
	out := map[string]bool{}
	for _, id := range leaves {
		out[id] = true
	}
	return out, err
}
