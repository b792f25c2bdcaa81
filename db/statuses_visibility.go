package db

import "strings"

// Viewer is the reader of a list.
type Viewer struct {
	ID        string // "" for strangers
	Relations Relations
	WithMuted bool // count reactions of muted accounts too
	Reports   bool // may read reports, so that notifications of them are listed
	SignUps   bool // and accounts, for those of sign-ups

	// NoLocal and NoRemote hide local and remote statuses from anonymous viewers,
	// and the other two local and remote accounts.
	NoLocal, NoRemote                 bool
	NoLocalAccounts, NoRemoteAccounts bool
}

// visible adds the rule of visibility for the status at alias.
func (q *selection) visible(alias string, v Viewer) {
	at := func(sql string) string { return strings.ReplaceAll(sql, "$", alias) }
	if v.ID == "" {
		q.add(at(`$.visibility IN ('public', 'unlisted')`))
		if v.NoLocal {
			q.add(at(` AND NOT $.local`))
		}
		if v.NoRemote {
			q.add(at(` AND $.local`))
		}
		return
	}
	q.add(at(`($.visibility IN ('public', 'unlisted', 'local') OR $.account_id = ?
		OR EXISTS (SELECT 1 FROM status_recipients sr WHERE sr.status_id = $.id AND sr.account_id = ?`+existsOnce+`)
		OR $.visibility = 'private' AND EXISTS (SELECT 1 FROM follows vf WHERE vf.follower_id = ? AND vf.target_id = $.account_id AND NOT vf.pending`+existsOnce+`))`),
		v.ID, v.ID, v.ID)
}

// sees is visible by facts, for a viewer with an account. addressed must have those of
// the statuses whose recipients decide.
func (p *people) sees(id, visibility, author string) bool {
	switch visibility {
	case Public, Unlisted, Local:
		return true
	}
	return author == p.viewer || p.addressed[id] || visibility == Private && p.follows[author].follows
}

// seen adds the rule of every list of statuses: the viewer may see s, and the
// status r that s reblogs, and neither is by an invisible account. A status may
// have been narrowed after it was reblogged or put on a timeline, so that
// neither a reblog nor an entry of a timeline proves the right to see it.
//
// The rule is one CASE, for the reason given at unwanted.
func (q *selection) seen(v Viewer) {
	if q.facts != nil { // judge does
		return
	}
	q.add(` AND CASE WHEN NOT a.deactivated AND NOT a.invisible AND (ra.id IS NULL OR NOT ra.deactivated) AND `)
	q.visible("s", v)
	q.add(` AND (s.reblog_of_id IS NULL OR `)
	q.visible("r", v)
	q.add(`) THEN TRUE ELSE FALSE END`)
}

// accounts returns the condition that the viewer may be shown the account at
// alias; "" if nothing is hidden.
func (v Viewer) accounts(alias string) string {
	if v.ID != "" {
		return ""
	}
	cond := ""
	if v.NoLocalAccounts {
		cond += ` AND NOT ` + alias + `.local`
	}
	if v.NoRemoteAccounts {
		cond += ` AND ` + alias + `.local`
	}
	return cond
}

// unwanted leaves out statuses that the viewer blocks or mutes: by their
// author, by the reblogged author, or by a recipient; and those from, or
// addressed to, a domain that the viewer blocks, unless they follow the author.
// The viewer's own statuses stay, with any recipients. The account except,
// whose profile is open, is never left out.
//
// All of it is one CASE: PostgreSQL assumes that each condition keeps half of
// the rows, and all of them so few that it would sort them.
func (q *selection) unwanted(v Viewer, withMuted bool, except string) {
	q.viewer.WithMuted = withMuted
	sets := v.ignoredSets(withMuted, except, q.now)
	threads := v.Relations.ThreadMutes && !withMuted
	if v.ID == "" || len(sets) == 0 && !threads && !v.Relations.DomainBlocks {
		return
	}
	q.add(` AND CASE WHEN TRUE`)
	for _, set := range sets {
		q.add(` AND s.account_id NOT IN (`+set.sql+`)`, set.args...)
	}
	if v.Relations.DomainBlocks {
		q.unwantedDomain("a", v, except)
	}
	q.add(` AND (COALESCE(r.account_id, s.account_id) = ? OR TRUE`, v.ID)
	for _, set := range sets {
		q.add(` AND (r.account_id IS NULL OR r.account_id NOT IN (`+set.sql+`))`, set.args...)
		q.add(` AND NOT EXISTS (SELECT 1 FROM status_recipients ur WHERE ur.status_id = COALESCE(s.reblog_of_id, s.id) AND ur.account_id IN (`+set.sql+`)`+existsOnce+`)`, set.args...)
	}
	if threads {
		q.add(` AND NOT EXISTS (SELECT 1 FROM thread_mutes ut WHERE ut.account_id = ? AND ut.conversation_id = COALESCE(r.conversation_id, s.conversation_id)
			AND (ut.expires_at IS NULL OR ut.expires_at > ?)`+existsOnce+`)`, v.ID, q.now)
	}
	if v.Relations.DomainBlocks {
		q.unwantedDomain("ra", v, except)
		q.add(` AND NOT EXISTS (SELECT 1 FROM status_recipients dr JOIN accounts da ON da.id = dr.account_id
			WHERE dr.status_id = COALESCE(s.reblog_of_id, s.id) AND da.id <> ? AND `, except)
		q.domainBlocked("da", v.ID)
		q.add(existsOnce + `)`)
	}
	q.add(`) THEN TRUE ELSE FALSE END`)
}

// accountSet selects accounts.
type accountSet struct {
	sql  string
	args []any
}

// ignoredSets returns the accounts that the viewer blocks, and those that they
// mute unless withMuted, without the account except.
func (v Viewer) ignoredSets(withMuted bool, except string, now Time) []accountSet {
	var sets []accountSet
	add := func(sql string, args ...any) {
		if except != "" {
			sql, args = sql+` AND target_id <> ?`, append(args, except)
		}
		sets = append(sets, accountSet{sql, args})
	}
	if v.Relations.Blocks {
		add(`SELECT target_id FROM blocks WHERE account_id = ?`, v.ID)
	}
	if v.Relations.Mutes && !withMuted {
		add(`SELECT target_id FROM mutes WHERE account_id = ? AND (expires_at IS NULL OR expires_at > ?)`, v.ID, now)
	}
	return sets
}

// unwantedDomain leaves out an account of a domain that the viewer blocks,
// unless they follow it.
func (q *selection) unwantedDomain(alias string, v Viewer, except string) {
	q.add(` AND NOT (`)
	q.domainBlocked(alias, v.ID)
	q.add(` AND `+alias+`.id <> ? AND NOT EXISTS (SELECT 1 FROM follows df WHERE df.follower_id = ? AND df.target_id = `+alias+`.id AND NOT df.pending`+existsOnce+`))`, except, v.ID)
}
