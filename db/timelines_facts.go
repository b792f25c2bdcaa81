package db

import (
	"context"
	"database/sql"
)

// The functions of this file read lists of statuses without their authors and the
// viewer's follows, and judge each row by facts. A page asks for more rows in place of
// those that are left out.

// factJoins are refJoins without accounts.
const factJoins = `
	LEFT JOIN statuses r ON r.id = s.reblog_of_id
	LEFT JOIN statuses p ON p.id = COALESCE(r.in_reply_to_id, s.in_reply_to_id)`

// judged tells which rules of a list are left to facts, beside that of visibility.
type judged struct {
	home    bool // the author is followed, or the status came otherwise; the last column is why
	profile bool // local-only statuses are for followers and recipients
	alone   bool // there are no reblogs, and parents are rows of the list: r and p are not joined
}

// factsFor is refsFor with the rules of by left to facts, where v's relations allow
// that: those to whole domains need the accounts.
func (d *DB) factsFor(v Viewer, by judged) *selection {
	q := &selection{now: d.Now()}
	if d.tx == nil && v.ID != "" && !v.Relations.DomainBlocks && d.pool.facts.current() {
		q.facts = &by
	}
	q.refs(v)
	return q
}

// joins are the tables beside statuses s.
func (q *selection) joins() string {
	switch {
	case q.facts == nil:
		return refJoins
	case q.facts.alone:
		return ""
	}
	return factJoins
}

// placed is a row before it is judged.
type placed struct {
	StatusRef
	visibility, reblogVisibility   string
	parentVisibility, parentAuthor string
	why                            int
}

// forFollowers reports whether a home entry is only for who follows the author.
func (s *placed) forFollowers() bool { return s.why != homeAddressed && s.why != homeOwn }

// placed reads the rows of q, and returns how many there were: unreadable ones are left
// out.
func (d *DB) placed(ctx context.Context, q *selection, what string) (out []placed, n int, err error) {
	rows, err := d.rows(ctx, q)
	if err != nil {
		return nil, 0, wrap(err, "%s", what)
	}
	defer func() { _ = rows.Close() }()
	var (
		s                                                placed
		reblog, reblogAccount, parent                    sql.NullString
		reblogVersion                                    sql.NullInt64
		reblogVisibility, parentVisibility, parentAuthor sql.NullString
	)
	s.Viewer = q.viewer
	into := []any{&s.ID, &s.Version, &s.AccountID, &s.visibility, &parent, &s.Favourited, &s.Reblogged, &s.Muted, &s.ThreadMuted, &s.Bookmarked}
	if !q.facts.alone {
		into = append(into, &reblog, &reblogVersion, &reblogAccount, &reblogVisibility, &parentVisibility, &parentAuthor)
	}
	if q.facts.home {
		into = append(into, &s.why)
	}
	out = make([]placed, 0, q.expect)
	for ; rows.Next(); n++ {
		err := rows.Scan(into...)
		if isUnreadable(err) {
			d.LeaveOut(ctx, what, s.ID, err)
			continue
		}
		if err != nil {
			return nil, n, wrap(err, "%s", what)
		}
		s.InReplyToID = parent.String
		s.ReblogOfID, s.ReblogVersion, s.ReblogAccountID, s.reblogVisibility = reblog.String, reblogVersion.Int64, reblogAccount.String, reblogVisibility.String
		s.parentVisibility, s.parentAuthor = parentVisibility.String, parentAuthor.String
		s.Muted = s.Muted || s.ThreadMuted
		out = append(out, s)
	}
	return out, n, wrap(rows.Err(), "%s", what)
}

// judge returns the rows that the viewer is shown, with the versions of their authors:
// the rules of seen, of home and of profiles, in up to 3 statements.
func (d *DB) judge(ctx context.Context, q *selection, rows []placed) ([]StatusRef, error) {
	if len(rows) == 0 {
		return []StatusRef{}, nil
	}
	by := q.facts
	if by.alone {
		if err := d.findParents(ctx, rows); err != nil {
			return nil, err
		}
	}
	p, err := d.peopleOf(ctx, q, rows)
	if err != nil {
		return nil, err
	}
	if p.addressed, err = d.addressedTo(ctx, p, q.viewer.ID, rows, by); err != nil {
		return nil, err
	}
	out := make([]StatusRef, 0, len(rows))
	for i := range rows {
		s := &rows[i]
		author, known := p.authors[s.AccountID]
		if !known || author.deactivated || author.invisible || !p.sees(s.ID, s.visibility, s.AccountID) {
			continue
		}
		s.AccountVersion = author.version
		if s.ReblogOfID != "" {
			author, known = p.authors[s.ReblogAccountID]
			if known && author.deactivated || !p.sees(s.ReblogOfID, s.reblogVisibility, s.ReblogAccountID) {
				continue
			}
			s.ReblogAuthorVer = author.version
		}
		if follow := p.follows[s.AccountID]; by.home && s.forFollowers() && (!follow.follows || s.ReblogOfID != "" && !follow.reblogs) ||
			by.profile && s.visibility == Local && s.AccountID != p.viewer && !follow.follows && !p.addressed[s.ID] {
			continue
		}
		s.ParentVisible = s.parentVisibility != "" && p.sees(s.InReplyToID, s.parentVisibility, s.parentAuthor)
		out = append(out, s.StatusRef)
	}
	return out, nil
}

// peopleOf returns the facts that judge rows.
func (d *DB) peopleOf(ctx context.Context, q *selection, rows []placed) (people, error) {
	authors, targets := make(map[string]bool, len(rows)), make(map[string]bool, len(rows))
	private := func(visibility, author string) {
		if visibility == Private && author != q.viewer.ID {
			targets[author] = true
		}
	}
	for i := range rows {
		s := &rows[i]
		authors[s.AccountID] = true
		if s.ReblogOfID != "" {
			authors[s.ReblogAccountID] = true
		}
		if q.facts.home && s.forFollowers() || q.facts.profile && s.visibility == Local {
			targets[s.AccountID] = true
		}
		private(s.visibility, s.AccountID)
		private(s.reblogVisibility, s.ReblogAccountID)
		private(s.parentVisibility, s.parentAuthor)
	}
	return d.people(ctx, q.viewer.ID, authors, targets)
}

// addressedTo returns those of the statuses of rows that are addressed to the viewer,
// as far as that decides.
func (d *DB) addressedTo(ctx context.Context, p people, viewerID string, rows []placed, by *judged) (map[string]bool, error) {
	var ids []string
	doubt := func(id, visibility, author string) {
		if id != "" && visibility != "" && !p.sees(id, visibility, author) {
			ids = append(ids, id)
		}
	}
	for i := range rows {
		s := &rows[i]
		doubt(s.ID, s.visibility, s.AccountID)
		doubt(s.ReblogOfID, s.reblogVisibility, s.ReblogAccountID)
		doubt(s.InReplyToID, s.parentVisibility, s.parentAuthor)
		if by.profile && s.visibility == Local && s.AccountID != viewerID && !p.follows[s.AccountID].follows {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := inChunks(ids, func(some []string) ([]string, error) {
		return list[string](ctx, d, "statuses addressed to "+viewerID, "SELECT status_id FROM status_recipients WHERE account_id = ? AND status_id IN ?", viewerID, some)
	})
	out := make(map[string]bool, len(found))
	for _, id := range found {
		out[id] = true
	}
	return out, err
}

// findParents finds what rows reply to among them, and reads what is not there.
func (d *DB) findParents(ctx context.Context, rows []placed) error {
	type post struct{ id, visibility, author string }
	known := make(map[string]post, len(rows))
	for i := range rows {
		known[rows[i].ID] = post{rows[i].ID, rows[i].visibility, rows[i].AccountID}
	}
	var elsewhere []string
	for i := range rows {
		if id := rows[i].InReplyToID; id != "" && known[id].id == "" {
			elsewhere = append(elsewhere, id)
		}
	}
	if len(elsewhere) > 0 {
		cells := func(p *post) []any { return []any{&p.id, &p.visibility, &p.author} }
		found, err := inChunks(elsewhere, func(some []string) ([]post, error) {
			return scanAll(ctx, d, "parents", cells, "SELECT id, visibility, account_id FROM statuses WHERE id IN ?", some)
		})
		if err != nil {
			return err
		}
		for _, p := range found {
			known[p.id] = p
		}
	}
	for i := range rows {
		p := known[rows[i].InReplyToID]
		rows[i].parentVisibility, rows[i].parentAuthor = p.visibility, p.author
	}
	return nil
}

// filled is page for rows that are judged by facts: it reads on until the page is full
// or the list ends. With pause it ends after windowSize rows too, and next is where to
// continue.
func (d *DB) filled(ctx context.Context, q *selection, p Page, column, what string, pause bool) (out []StatusRef, next string, err error) {
	for read, size := 0, p.Limit; ; size = min(4*size, windowSize) {
		step := p
		step.Limit = size
		cond, order, bounds := step.where(column)
		one := &selection{facts: q.facts, viewer: q.viewer, expect: size}
		one.add(q.sql.String()+cond+order, append(q.args[:len(q.args):len(q.args)], bounds...)...)
		rows, n, err := d.placed(ctx, one, what)
		if err != nil {
			return nil, "", err
		}
		shown, err := d.judge(ctx, q, rows)
		if err != nil {
			return nil, "", err
		}
		if out == nil {
			out = shown
		} else {
			out = append(out, shown...)
		}
		read += n
		switch {
		case len(out) >= p.Limit:
			return newestFirst(p, out[:p.Limit]), "", nil
		case n < size || len(rows) == 0:
			return newestFirst(p, out), "", nil
		case pause && read >= windowSize:
			return newestFirst(p, out), rows[len(rows)-1].ID, nil
		case p.MinID != "":
			p.MinID = rows[len(rows)-1].ID
		default:
			p.MaxID = rows[len(rows)-1].ID
		}
	}
}
