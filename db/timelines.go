package db

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

// StatusRef is a place in a list of statuses: the versions of the shown rows,
// and their relation to the viewer. A renderer that has these versions cached
// reads nothing else.
type StatusRef struct {
	ID             string
	Version        int64
	AccountID      string
	AccountVersion int64

	// The reblogged status and its author; "" and 0 for none.
	ReblogOfID      string
	ReblogVersion   int64
	ReblogAccountID string
	ReblogAuthorVer int64

	// Of the shown status: the reblogged one, or the status itself.
	InReplyToID   string
	Favourited    bool
	Reblogged     bool
	Muted         bool // the viewer mutes its author or its thread
	ThreadMuted   bool
	ParentVisible bool
	Bookmarked    bool

	// Viewer is the viewer of all this; nil for an anonymous one.
	Viewer *Viewer
	// Key is the place in lists that are not sorted by status id.
	Key string
	// DirectConversationID is set for a status shown by itself; 0 is none.
	DirectConversationID int64
}

// TimelineFilter narrows a timeline.
type TimelineFilter struct {
	Local               bool
	Remote              bool
	Host                string // of the public timeline: only statuses from there
	OnlyMedia           bool
	WithMuted           bool
	ExcludeVisibilities []string
	ReplyVisibility     string // "", "following" or "self"
}

// refsFor begins a statement that selects StatusRefs for v.
func (d *DB) refsFor(v Viewer) *selection {
	q := &selection{now: d.Now()}
	q.refs(v)
	return q
}

// refs selects the columns of StatusRef. The shown status is COALESCE(r, s).
// Most statuses have no favourites and reblogs, so theirs are not looked up.
func (q *selection) refs(v Viewer) {
	q.viewer = &v
	q.sql.Grow(3 << 10)
	shown := func(column string) string { return "COALESCE(r." + column + ", s." + column + ")" }
	shownID := "COALESCE(s.reblog_of_id, s.id)"
	switch {
	case q.facts == nil:
		q.add(`SELECT s.id, s.version, s.account_id, a.version,
	r.id, r.version, r.account_id, ra.version, ` + shown("in_reply_to_id"))
	case q.facts.alone:
		shown, shownID = func(column string) string { return "s." + column }, "s.id"
		fallthrough
	default:
		q.add(`SELECT s.id, s.version, s.account_id, s.visibility, ` + shown("in_reply_to_id"))
	}
	if v.ID == "" {
		q.add(`, FALSE, FALSE, FALSE, FALSE, FALSE`)
	} else {
		q.add(`,
	CASE WHEN `+shown("favourites_count")+` = 0 THEN FALSE ELSE
		EXISTS (SELECT 1 FROM favourites f WHERE f.account_id = ? AND f.status_id = `+shownID+existsOnce+`) END,
	CASE WHEN `+shown("reblogs_count")+` = 0 THEN FALSE ELSE
		EXISTS (SELECT 1 FROM statuses b WHERE b.reblog_of_id = `+shownID+` AND b.account_id = ?`+existsOnce+`) END`, v.ID, v.ID)
		if v.Relations.Mutes {
			q.add(`, EXISTS (SELECT 1 FROM mutes m WHERE m.account_id = ? AND m.target_id = `+shown("account_id")+`
				AND (m.expires_at IS NULL OR m.expires_at > ?)`+existsOnce+`)`, v.ID, q.now)
		} else {
			q.add(`, FALSE`)
		}
		if v.Relations.ThreadMutes {
			q.add(`, EXISTS (SELECT 1 FROM thread_mutes m WHERE m.account_id = ? AND m.conversation_id = `+shown("conversation_id")+`
				AND (m.expires_at IS NULL OR m.expires_at > ?)`+existsOnce+`)`, v.ID, q.now)
		} else {
			q.add(`, FALSE`)
		}
		if v.Relations.Bookmarks {
			q.add(`, EXISTS (SELECT 1 FROM bookmarks m WHERE m.account_id = ? AND m.status_id = `+shownID+existsOnce+`)`, v.ID)
		} else {
			q.add(`, FALSE`)
		}
	}
	switch {
	case q.facts == nil:
		q.add(`, CASE WHEN p.id IS NULL THEN FALSE ELSE `)
		q.visible("p", v)
		q.add(` END`)
	case !q.facts.alone:
		q.add(`, r.id, r.version, r.account_id, r.visibility, p.visibility, p.account_id`)
	}
	if q.facts != nil && q.facts.home {
		q.add(`, h.why`)
	}
}

// authorJoins add the author of a status, the status that it reblogs and the author of that.
const authorJoins = `
	JOIN accounts a ON a.id = s.account_id
	LEFT JOIN statuses r ON r.id = s.reblog_of_id
	LEFT JOIN accounts ra ON ra.id = r.account_id`

const refJoins = authorJoins + `
	LEFT JOIN statuses p ON p.id = COALESCE(r.in_reply_to_id, s.in_reply_to_id)`

// narrow applies f without Local and OnlyMedia, which belong to the timeline.
func (q *selection) narrow(f TimelineFilter, v Viewer) {
	if f.Remote {
		q.add(` AND NOT s.local`)
	}
	if len(f.ExcludeVisibilities) > 0 {
		q.add(` AND s.visibility NOT IN ?`, f.ExcludeVisibilities)
	}
	if v.ID == "" {
		return
	}
	const toMe = `s.in_reply_to_id IS NULL OR EXISTS (SELECT 1 FROM status_recipients rr WHERE rr.status_id = s.id AND rr.account_id = ?` + existsOnce + `)`
	switch f.ReplyVisibility {
	case "self":
		q.add(` AND (`+toMe+`)`, v.ID)
	case "following":
		q.add(` AND (`+toMe+` OR s.account_id = ? OR EXISTS (SELECT 1 FROM follows rf WHERE rf.follower_id = ? AND rf.target_id = s.in_reply_to_account_id AND NOT rf.pending`+existsOnce+`))`, v.ID, v.ID, v.ID)
	}
}

// page adds the bounds and returns the rows, newest first.
func (d *DB) page(ctx context.Context, q *selection, p Page, column, what string) ([]StatusRef, error) {
	if q.facts != nil {
		rows, _, err := d.filled(ctx, q, p, column, what, false)
		return rows, err
	}
	cond, order, args := p.where(column)
	q.add(cond, args...)
	q.add(order)
	q.expect = p.Limit
	rows, err := d.statusRefs(ctx, q, what)
	return newestFirst(p, rows), err
}

func (d *DB) statusRefs(ctx context.Context, q *selection, what string) ([]StatusRef, error) {
	if q.facts != nil {
		rows, _, err := d.placed(ctx, q, what)
		if err != nil {
			return nil, err
		}
		return d.judge(ctx, q, rows)
	}
	rows, err := d.rows(ctx, q)
	if err != nil {
		return nil, wrap(err, "%s", what)
	}
	defer func() { _ = rows.Close() }()
	var (
		out                             = make([]StatusRef, 0, q.expect)
		s                               StatusRef
		reblog, reblogAccount, parent   sql.NullString
		reblogVersion, reblogAccountVer sql.NullInt64
		thread                          bool
	)
	s.Viewer = q.viewer
	into := []any{
		&s.ID, &s.Version, &s.AccountID, &s.AccountVersion,
		&reblog, &reblogVersion, &reblogAccount, &reblogAccountVer, &parent,
		&s.Favourited, &s.Reblogged, &s.Muted, &thread, &s.Bookmarked, &s.ParentVisible,
	}
	if q.keyed {
		into = append(into, &s.Key)
	}
	for rows.Next() {
		err := rows.Scan(into...)
		if isUnreadable(err) {
			d.LeaveOut(ctx, what, s.ID, err)
			continue
		}
		if err != nil {
			return nil, wrap(err, "%s", what)
		}
		s.ReblogOfID, s.ReblogVersion = reblog.String, reblogVersion.Int64
		s.ReblogAccountID, s.ReblogAuthorVer = reblogAccount.String, reblogAccountVer.Int64
		s.InReplyToID, s.ThreadMuted = parent.String, thread
		s.Muted = s.Muted || thread
		out = append(out, s)
	}
	return out, wrap(rows.Err(), "%s", what)
}

// selective reports whether v or f may leave out much of a timeline.
func (f TimelineFilter) selective(v Viewer) bool {
	r := v.Relations
	return r.ExclusiveLists || r.Blocks || r.Mutes || r.DomainBlocks || r.ThreadMutes || r.Languages || v.NoLocal || v.NoRemote ||
		f.Remote || f.ReplyVisibility != "" || len(f.ExcludeVisibilities) > 0
}

// HomeTimeline returns a page of the viewer's home timeline: statuses by the
// viewer, by accounts they follow, and addressed to them, public ones under hashtags they
// follow, without their own reblogs and without members of their exclusive lists. It sends
// one statement, a second if f or the viewer's blocks and mutes leave the page short, and
// up to 3 for facts that are not kept.
func (d *DB) HomeTimeline(ctx context.Context, v Viewer, f TimelineFilter, p Page) (Timeline, error) {
	var q *selection
	if r := v.Relations; r.FollowedTags || r.ExclusiveLists || r.Languages {
		q = d.refsFor(v)
	} else {
		q = d.factsFor(v, judged{home: true})
	}
	d.home(q, v)
	if f.Local {
		q.add(` AND COALESCE(r.local, s.local)`)
	}
	if f.OnlyMedia {
		q.add(` AND s.has_media`)
	}
	q.seen(v)
	q.unwanted(v, f.WithMuted, "")
	q.narrow(f, v)
	if !f.selective(v) && !f.Local && !f.OnlyMedia {
		return d.timeline(ctx, q, p, "h.status_id", "home timeline")
	}
	return d.windowed(ctx, q, p, "h.status_id", "home timeline", entriesOf(v.ID))
}

// home begins at the home entries of the viewer. Own statuses and those addressed to
// them stay; the others need what brought them here, an author or a hashtag that is
// followed still.
func (d *DB) home(q *selection, v Viewer) {
	if q.facts != nil {
		q.from(`home_entries h JOIN statuses s ON s.id = h.status_id`+factJoins+`
	WHERE h.account_id = ? AND (r.account_id IS NULL OR r.account_id <> ?)`, v.ID, v.ID)
		return
	}
	q.from(`home_entries h JOIN statuses s ON s.id = h.status_id`+refJoins+`
	WHERE h.account_id = ?
	AND (h.why IN (2, 3) OR ((EXISTS (SELECT 1 FROM follows hf WHERE hf.follower_id = ? AND hf.target_id = s.account_id
		AND NOT hf.pending AND (s.reblog_of_id IS NULL OR hf.reblogs)`+v.inLanguages()+existsOnce+`)`, v.ID, v.ID)
	if v.Relations.FollowedTags {
		q.add(` OR s.visibility = 'public' AND s.reblog_of_id IS NULL AND EXISTS (SELECT 1 FROM `+d.tagsOf("s")+` CROSS JOIN followed_tags tf
			WHERE tf.account_id = ? AND tf.tag = x.value`+existsOnce+`)`, v.ID)
	}
	q.add(`)`)
	if v.Relations.ExclusiveLists {
		q.add(` AND NOT EXISTS (SELECT 1 FROM list_accounts xm JOIN lists xl ON xl.id = xm.list_id
			WHERE xm.account_id = s.account_id AND xm.owner_id = ? AND xl.exclusive`+existsOnce+`)`, v.ID)
	}
	q.add(`))
	AND (r.account_id IS NULL OR r.account_id <> ?)`, v.ID)
}

// inLanguages returns the condition that a follower, in the follow hf, wants the language
// of s, by the language itself without a region; "" for a viewer who wants all.
func (v Viewer) inLanguages() string {
	if !v.Relations.Languages {
		return ""
	}
	return ` AND (hf.languages = '[]' OR s.reblog_of_id IS NOT NULL OR s.language = '' OR hf.languages LIKE '%"' || s.language || '"%'
		OR s.language LIKE '__-%' AND hf.languages LIKE '%"' || SUBSTR(s.language, 1, 2) || '"%')`
}

// entriesOf is the window of a timeline that is stored as home entries.
func entriesOf(timeline string) window {
	return window{" FROM home_entries w WHERE w.account_id = ?", []any{timeline}, "w.status_id"}
}

// publicStatuses are the statuses $ of the public timeline.
const publicStatuses = `statuses $ WHERE $.visibility = 'public' AND $.reblog_of_id IS NULL`

// PublicTimeline returns a page of the public statuses of all known servers, of
// this one, or of f.Host, without reblogs. It sends statements as HomeTimeline
// does.
func (d *DB) PublicTimeline(ctx context.Context, v Viewer, f TimelineFilter, p Page) (Timeline, error) {
	base, args := publicStatuses, []any(nil)
	if f.Host != "" {
		base, args = base+` AND $.host = ? AND NOT $.local`, append(args, f.Host)
	}
	if f.Local {
		base += ` AND $.local`
	}
	if f.OnlyMedia {
		base += ` AND $.has_media`
	}
	q := d.factsFor(v, judged{})
	q.from(strings.Replace(strings.ReplaceAll(base, "$", "s"), " WHERE", q.joins()+" WHERE", 1), args...)
	q.seen(v)
	q.unwanted(v, f.WithMuted, "")
	q.narrow(f, v)
	if !f.selective(v) {
		return d.timeline(ctx, q, p, "s.id", "public timeline")
	}
	return d.windowed(ctx, q, p, "s.id", "public timeline", window{" FROM " + strings.ReplaceAll(base, "$", "w"), args, "w.id"})
}

// AccountFilter narrows an account's statuses.
type AccountFilter struct {
	ExcludeReblogs      bool
	ExcludeReplies      bool // but for those to the account itself
	OnlyMedia           bool
	Pinned              bool
	Tagged              string // in lower case
	ExcludeVisibilities []string
	WithMuted           bool
}

// AccountStatuses returns a page of an account's statuses that the viewer may
// see; local-only ones only if they follow the account, or are recipients. The
// viewer opened the profile, so that their blocks and mutes of this account do
// not count; those of reblogged authors and recipients do.
func (d *DB) AccountStatuses(ctx context.Context, v Viewer, accountID string, f AccountFilter, p Page) ([]StatusRef, error) {
	q := d.factsFor(v, judged{profile: true})
	q.add(` FROM statuses s`+q.joins()+` WHERE s.account_id = ?`, accountID)
	q.seen(v)
	if q.facts != nil && v.ID != accountID {
		// Facts decide in the end, but many rows may be for others.
		with, err := d.people(ctx, v.ID, nil, map[string]bool{accountID: true})
		if err != nil {
			return nil, err
		}
		open := []string{Public, Unlisted}
		if with.follows[accountID].follows {
			open = append(open, Private, Local)
		}
		q.add(` AND (s.visibility IN ? OR EXISTS (SELECT 1 FROM status_recipients lr WHERE lr.status_id = s.id AND lr.account_id = ?`+existsOnce+`))`, open, v.ID)
	}
	if q.facts == nil && v.ID != "" && v.ID != accountID {
		q.add(` AND (s.visibility <> 'local' OR EXISTS (SELECT 1 FROM follows lf WHERE lf.follower_id = ? AND lf.target_id = s.account_id AND NOT lf.pending`+existsOnce+`)
			OR EXISTS (SELECT 1 FROM status_recipients lr WHERE lr.status_id = s.id AND lr.account_id = ?`+existsOnce+`))`, v.ID, v.ID)
	}
	q.unwanted(v, f.WithMuted, accountID)
	if f.ExcludeReblogs {
		q.add(` AND s.reblog_of_id IS NULL`)
	}
	if f.ExcludeReplies {
		// A parent that is not stored is another's until it comes.
		q.add(` AND (s.in_reply_to_id IS NULL AND s.in_reply_to_uri = '' OR s.in_reply_to_account_id = s.account_id)`)
	}
	if f.OnlyMedia {
		q.add(` AND s.has_media`)
	}
	if f.Pinned {
		q.add(` AND s.pinned_at IS NOT NULL`)
	}
	if f.Tagged != "" {
		q.add(` AND EXISTS (SELECT 1 FROM status_tags st WHERE st.tag = ? AND st.status_id = s.id)`, f.Tagged)
	}
	if len(f.ExcludeVisibilities) > 0 {
		q.add(` AND s.visibility NOT IN ?`, f.ExcludeVisibilities)
	}
	return d.page(ctx, q, p, "s.id", "account statuses")
}

// StatusRefs returns those of ids that the viewer may see, in no order. A single status is
// read without facts: who changed it or its author at another process sees that at once.
func (d *DB) StatusRefs(ctx context.Context, v Viewer, ids []string) ([]StatusRef, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := d.refsFor(v)
	if len(ids) > 1 {
		q = d.factsFor(v, judged{})
	}
	q.add(` FROM statuses s` + q.joins() + ` WHERE `)
	if len(ids) == 1 {
		q.add(`s.id = ?`, ids[0])
	} else {
		q.add(`s.id IN ?`, ids)
	}
	q.seen(v)
	q.expect = len(ids)
	return d.statusRefs(ctx, q, "statuses")
}

// VisibleStatus returns a status that the viewer may see; any other one is
// ErrNotFound.
func (d *DB) VisibleStatus(ctx context.Context, v Viewer, id string) (*Status, error) {
	var q selection
	q.add(`SELECT s.* FROM statuses s`+authorJoins+` WHERE s.id = ?`, id)
	q.seen(v)
	return one[Status](ctx, d, "status "+id, q.sql.String(), q.args...)
}

// VisibleIDs returns those of these statuses that the viewer may see, in their order.
func (d *DB) VisibleIDs(ctx context.Context, v Viewer, ids []string) ([]string, error) {
	shown := make(map[string]bool, len(ids))
	for some := range slices.Chunk(ids, 500) {
		var q selection
		q.add(`SELECT s.id FROM statuses s`+authorJoins+` WHERE s.id IN ?`, some)
		q.seen(v)
		found, err := list[string](ctx, d, "visible statuses", q.sql.String(), q.args...)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			shown[id] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !shown[id] }), nil
}

// RebloggedBy returns up to limit accounts that reblogged a status publicly,
// newest first, without those that the viewer blocks.
func (d *DB) RebloggedBy(ctx context.Context, v Viewer, statusID string, limit int) ([]Account, error) {
	return d.who(ctx, `SELECT a.* FROM statuses x JOIN accounts a ON a.id = x.account_id
		WHERE x.reblog_of_id = ? AND x.visibility IN ('public', 'unlisted', 'local')`, v, statusID, limit)
}

// FavouritedBy returns up to limit accounts that favourited a status, newest
// first, without those that the viewer blocks.
func (d *DB) FavouritedBy(ctx context.Context, v Viewer, statusID string, limit int) ([]Account, error) {
	return d.who(ctx, `SELECT a.* FROM favourites x JOIN accounts a ON a.id = x.account_id WHERE x.status_id = ?`, v, statusID, limit)
}

func (d *DB) who(ctx context.Context, query string, v Viewer, statusID string, most int) ([]Account, error) {
	return list[Account](ctx, d, "who acted on a status", query+` AND NOT a.deactivated`+v.accounts("a")+`
		AND a.id NOT IN (SELECT target_id FROM blocks WHERE account_id = ?) ORDER BY x.id DESC`+limit(int64(most), 0), statusID, v.ID)
}

// Attachments returns the files of these statuses, in order.
func (d *DB) Attachments(ctx context.Context, statusIDs []string) ([]MediaAttachment, error) {
	if len(statusIDs) == 0 {
		return nil, nil
	}
	return list[MediaAttachment](ctx, d, "attachments", "SELECT * FROM media_attachments WHERE status_id IN ? AND NOT former ORDER BY status_id, position", statusIDs)
}

// Nicknames returns the nicknames of accounts by id.
func (d *DB) Nicknames(ctx context.Context, ids []string) (map[string]string, error) {
	out := map[string]string{}
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := list[struct{ ID, Nickname string }](ctx, d, "nicknames", "SELECT id, nickname FROM accounts WHERE id IN ?", ids)
	for _, r := range rows {
		out[r.ID] = r.Nickname
	}
	return out, err
}

// AccountVersions returns the versions of accounts by id; unknown ids are left
// out.
func (d *DB) AccountVersions(ctx context.Context, ids []string) (map[string]int64, error) {
	out := map[string]int64{}
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := list[AccountRef](ctx, d, "account versions", "SELECT id, version FROM accounts WHERE id IN ?", ids)
	for _, r := range rows {
		out[r.ID] = r.Version
	}
	return out, err
}
