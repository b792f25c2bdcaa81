package db

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// The functions of this file run the query of a timeline for one status and
// many viewers at once. They return the viewers with the status on that
// timeline.

// eachViewer stands for the id of a viewer in a selection for many.
const eachViewer = "\x00"

// expression is an argument that is written into a statement as it is.
type expression string

// everyRelation applies all rules of a timeline to each viewer.
var everyRelation = Relations{Blocks: true, Mutes: true, DomainBlocks: true, ThreadMutes: true, HidesReblogs: true, Languages: true, Bookmarks: true, Filters: true, FollowedTags: true, ExclusiveLists: true}

// ofEachViewer writes the column of the viewer in place of eachViewer.
func ofEachViewer(sql string, args []any) (string, []any) {
	var (
		out  strings.Builder
		rest []any
	)
	for _, arg := range args {
		before, after, _ := strings.Cut(sql, "?")
		out.WriteString(before)
		sql = after
		switch arg := arg.(type) {
		case expression:
			out.WriteString(string(arg))
			continue
		case string:
			if arg == eachViewer {
				out.WriteString("vw.id")
				continue
			}
		}
		out.WriteByte('?')
		rest = append(rest, arg)
	}
	out.WriteString(sql)
	return out.String(), rest
}

// from is FROM, with the viewers before tables if there are many.
func (q *selection) from(tables string, args ...any) {
	if q.many {
		q.add(` FROM vw CROSS JOIN `)
	} else {
		q.add(` FROM `)
	}
	q.add(tables, args...)
}

// refsForMany begins a statement for the viewers that the table vw has, by id,
// and, as the key of each place, key of them.
func (d *DB) refsForMany(vw, key string, args ...any) (*selection, Viewer) {
	v := Viewer{ID: eachViewer, Relations: everyRelation}
	q := &selection{now: d.Now(), keyed: true}
	q.add(`WITH vw AS (`+vw+`) `, args...)
	q.many = true
	q.refs(v)
	q.add(`, ` + key)
	return q, v
}

// viewers selects ids, given as a list in JSON: there may be more of them than
// a statement may have arguments.
func (d *DB) viewers(ids []string) (vw string, arg string) {
	text := Slice[string](ids).text()
	if d.pool.dialect == Postgres {
		return "SELECT value AS id FROM json_array_elements_text(CAST(? AS json))", text
	}
	return "SELECT value AS id FROM json_each(?)", text
}

// readers runs a statement for many viewers; each place has its viewer.
func (d *DB) readers(ctx context.Context, q *selection, v Viewer, statusID, what string) ([]StatusRef, error) {
	q.seen(v)
	q.unwanted(v, false, "")
	q.add(` AND s.id = ?`, statusID)
	refs, err := d.statusRefs(ctx, q, what)
	for i := range refs {
		refs[i].Viewer = &Viewer{ID: refs[i].Key, Relations: everyRelation}
	}
	return refs, err
}

// HomeAudience returns the accounts with a status on their home timelines, and
// some more: its author, its recipients, and the followers of the author and of its
// hashtags. It returns nil if there are limit or more.
func (d *DB) HomeAudience(ctx context.Context, statusID string, limit int) ([]string, error) {
	ids, err := list[string](ctx, d, "audience of a status", `SELECT id FROM (SELECT account_id AS id FROM statuses WHERE id = ?
		UNION ALL SELECT account_id FROM status_recipients WHERE status_id = ?
		UNION ALL SELECT f.follower_id FROM statuses s JOIN follows f ON f.target_id = s.account_id WHERE s.id = ?
		UNION ALL SELECT tf.account_id FROM statuses s CROSS JOIN `+d.tagsOf("s")+` CROSS JOIN followed_tags tf WHERE s.id = ? AND tf.tag = x.value) a LIMIT ?`,
		statusID, statusID, statusID, statusID, limit)
	if err != nil || len(ids) >= limit {
		return nil, err
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// HomePart are some of the places of a status on home timelines.
type HomePart int

// All places; those of its author and of who is addressed; those of followers alone.
const (
	AllHomes HomePart = iota
	ConcernedHomes
	FollowersHomes
)

// HomeReaders returns the places of a status on the home timelines of viewers.
func (d *DB) HomeReaders(ctx context.Context, statusID string, viewers []string, part HomePart) ([]StatusRef, error) {
	vw, ids := d.viewers(viewers)
	q, v := d.refsForMany(vw, "vw.id", ids)
	d.home(q, v)
	q.add(` AND h.status_id = ?`, statusID)
	switch part {
	case ConcernedHomes:
		q.add(` AND h.why <> ?`, homeFollowed)
	case FollowersHomes:
		q.add(` AND h.why = ?`, homeFollowed)
	}
	return d.readers(ctx, q, v, statusID, "home timelines with a status")
}

// DirectReaders returns the places of a status on the direct timelines of
// viewers.
func (d *DB) DirectReaders(ctx context.Context, statusID string, viewers []string) ([]StatusRef, error) {
	vw, ids := d.viewers(viewers)
	q, v := d.refsForMany(vw, "vw.id", ids)
	q.direct(expression("'" + directPrefix + "' || vw.id"))
	q.add(` AND h.status_id = ?`, statusID)
	return d.readers(ctx, q, v, statusID, "direct timelines with a status")
}

// PublicReaders returns the places of a status on the public timeline, as
// viewers see it.
func (d *DB) PublicReaders(ctx context.Context, statusID string, viewers []string) ([]StatusRef, error) {
	vw, ids := d.viewers(viewers)
	q, v := d.refsForMany(vw, "vw.id", ids)
	q.from(strings.Replace(strings.ReplaceAll(publicStatuses, "$", "s"), " WHERE", refJoins+" WHERE", 1))
	return d.readers(ctx, q, v, statusID, "public timeline with a status")
}

// PublicPlace returns the place of a status on the public timeline as v sees it,
// nil for none.
func (d *DB) PublicPlace(ctx context.Context, v Viewer, statusID string) (*StatusRef, error) {
	q := d.refsFor(v)
	q.from(strings.Replace(strings.ReplaceAll(publicStatuses, "$", "s"), " WHERE", refJoins+" WHERE", 1))
	q.seen(v)
	q.unwanted(v, false, "")
	q.add(` AND s.id = ?`, statusID)
	refs, err := d.statusRefs(ctx, q, "public timeline with a status")
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	return &refs[0], nil
}

// ListReaders returns the places of a status on the timelines of lists, by list,
// as their owners see them.
func (d *DB) ListReaders(ctx context.Context, statusID string, lists []int64) (map[int64]StatusRef, error) {
	q, v := d.refsForMany("SELECT l.account_id AS id, l.id AS list_id FROM lists l WHERE l.id IN ?",
		"vw.id || ' ' || CAST(vw.list_id AS TEXT)", lists)
	q.ofList(v, expression("'"+listPrefix+"' || CAST(vw.list_id AS TEXT)"), expression("vw.list_id"))
	q.add(` AND h.status_id = ?`, statusID)
	refs, err := d.readers(ctx, q, v, statusID, "lists with a status")
	out := make(map[int64]StatusRef, len(refs))
	for _, r := range refs {
		owner, list, _ := strings.Cut(r.Key, " ")
		id, err := strconv.ParseInt(list, 10, 64)
		if err != nil {
			return nil, wrap(err, "list of a status")
		}
		r.Viewer = &Viewer{ID: owner, Relations: everyRelation}
		out[id] = r
	}
	return out, err
}

// GoneReaders returns those of viewers who may have had a deleted status on
// their home timelines, or with onLists on a list. They follow the author or,
// for home timelines, a hashtag of the status, wrote the status or were addressed by it;
// and they neither block nor mute the author.
func (d *DB) GoneReaders(ctx context.Context, gone *GoneStatus, viewers []string, onLists bool) ([]string, error) {
	var q selection
	vw, ids := d.viewers(viewers)
	q.add(`WITH vw AS (`+vw+`) SELECT vw.id FROM vw WHERE (FALSE`, ids)
	if gone.Visibility != Direct && gone.Visibility != List {
		q.add(` OR EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = vw.id AND f.target_id = ? AND NOT f.pending`, gone.AccountID)
		if gone.Reblog {
			q.add(` AND f.reblogs`)
		}
		q.add(`)`)
	}
	if !onLists {
		recipients, of := d.viewers(gone.Recipients)
		if gone.Visibility == Public && !gone.Reblog && len(gone.Tags) > 0 {
			q.add(` OR EXISTS (SELECT 1 FROM followed_tags tf WHERE tf.account_id = vw.id AND tf.tag IN ?)`, gone.Tags)
		}
		q.add(` OR vw.id = ? OR vw.id IN (`+strings.Replace(recipients, " AS id", "", 1)+`)`, gone.AccountID, of)
	}
	q.add(`) AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = vw.id AND b.target_id = ?)
		AND NOT EXISTS (SELECT 1 FROM mutes m WHERE m.account_id = vw.id AND m.target_id = ? AND (m.expires_at IS NULL OR m.expires_at > ?))`,
		gone.AccountID, gone.AccountID, d.Now())
	return list[string](ctx, d, "readers of a deleted status", q.sql.String(), q.args...)
}

// ListsOf returns those of lists that an account is on, with their owners.
func (d *DB) ListsOf(ctx context.Context, accountID string, lists []int64) (map[int64]string, error) {
	rows, err := list[AccountList](ctx, d, "lists with an account",
		"SELECT l.id, l.account_id FROM list_accounts m JOIN lists l ON l.id = m.list_id WHERE m.account_id = ? AND m.list_id IN ?", accountID, lists)
	out := make(map[int64]string, len(rows))
	for _, l := range rows {
		out[l.ID] = l.AccountID
	}
	return out, err
}

// Touched returns those of viewers who voted in the poll of a status, or
// reacted to it.
func (d *DB) Touched(ctx context.Context, statusID string, viewers []string) ([]string, error) {
	vw, ids := d.viewers(viewers)
	return list[string](ctx, d, "who touched a status", `WITH vw AS (`+vw+`) SELECT vw.id FROM vw WHERE
		EXISTS (SELECT 1 FROM emoji_reactions e WHERE e.status_id = ? AND e.account_id = vw.id)
		OR EXISTS (SELECT 1 FROM polls p JOIN poll_votes v ON v.poll_id = p.id WHERE p.status_id = ? AND v.account_id = vw.id)`, ids, statusID, statusID)
}
