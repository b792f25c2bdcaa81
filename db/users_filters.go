package db

import (
	"context"
	"slices"
	"strings"
)

// UserFilter selects accounts for admins by all its conditions; empty ones do
// not count. They are evaluated in the order of the fields.
type UserFilter struct {
	Query       string   // part of the nickname, in any case
	Name        string   // part of the display name, in any case
	Email       string   // the whole address, in any case
	MailDomain  string   // the domain of the address, in any case
	Tags        []string // any of them
	ActorTypes  []string // any of them
	Local       bool
	External    bool
	Active      bool // neither deactivated nor awaiting approval
	Deactivated bool
	NeedApprove bool
	Unconfirmed bool
	Admins      bool
	Moderators  bool
}

// The bits of accounts.mask.
const (
	maskLocal = 1 << iota
	maskDeactivated
	maskApproval
	maskUnconfirmed
	maskAdmin
	maskModerator
	maskUnlisted
)

// masks returns the bits of its mask that an account must have, and must not
// have.
func (f *UserFilter) masks() (have, lack int) {
	lack = maskUnlisted
	for _, c := range []struct {
		on         bool
		have, lack int
	}{
		{f.Local, maskLocal, 0},
		{f.External, 0, maskLocal},
		{f.Active, 0, maskDeactivated | maskApproval},
		{f.Deactivated, maskDeactivated, 0},
		{f.NeedApprove, maskApproval, 0},
		{f.Unconfirmed, maskUnconfirmed, 0},
		{f.Admins, maskAdmin, 0},
		{f.Moderators, maskModerator, 0},
	} {
		if c.on {
			have |= c.have
			lack |= c.lack
		}
	}
	return have, lack
}

// plain reports whether masks express the whole filter.
func (f *UserFilter) plain() bool {
	return f.Query == "" && f.Name == "" && f.Email == "" && f.MailDomain == "" && len(f.Tags) == 0 && len(f.ActorTypes) == 0
}

// rare reports whether the filter selects a rare kind.
func (f *UserFilter) rare() bool {
	return f.Admins || f.Moderators || f.NeedApprove || f.Unconfirmed || f.Deactivated
}

// where adds the conditions on accounts. A rare kind is named by its column,
// which has an index of that kind, and the mask gives the rest. Other kinds are
// named by columns, which are in an index.
func (f *UserFilter) where(q *selection, have, lack int) {
	rare := true
	switch {
	case f.Admins:
		q.add(` WHERE is_admin`)
	case f.Moderators:
		q.add(` WHERE is_moderator`)
	case f.NeedApprove:
		q.add(` WHERE approval_pending`)
	case f.Unconfirmed:
		q.add(` WHERE confirmation_pending`)
	case f.Deactivated:
		q.add(` WHERE deactivated`)
	default:
		rare = false
		q.add(` WHERE NOT invisible AND nickname_key <> '' AND nickname_key NOT LIKE 'internal.%'`)
		if f.Local {
			q.add(` AND local`)
		}
		if f.External {
			q.add(` AND NOT local`)
		}
		if f.Active {
			q.add(` AND NOT deactivated AND NOT approval_pending`)
		}
	}
	if rare {
		q.add(` AND `+mostly(`(mask & ?) = ?`), have|lack, have)
	}
}

// more adds the conditions that are not about masks.
func (w *userWay) more(q *selection, f *UserFilter) {
	if f.Query != "" {
		q.add(` AND `+mostly(`nickname_key LIKE ? ESCAPE '\'`), containing(f.Query))
	}
	if f.Name != "" {
		q.add(` AND `+mostly(`display_name_key LIKE ? ESCAPE '\'`), containing(f.Name))
	}
	if f.Email != "" {
		q.add(` AND id = (SELECT account_id FROM users WHERE email_key = ?)`, strings.ToLower(f.Email))
	}
	if f.MailDomain != "" {
		q.add(` AND id IN (SELECT account_id FROM users WHERE `+w.mailDomain+` = ?)`, strings.ToLower(f.MailDomain))
	}
	switch {
	case len(f.Tags) == 0:
	case w.ready:
		q.add(` AND EXISTS (SELECT 1 FROM account_facets t WHERE t.facet IN ? AND t.nickname_key = accounts.nickname_key)`, lowerFacets(facetTag, f.Tags))
	default:
		q.add(` AND id IN (SELECT account_id FROM account_tags WHERE tag IN ?)`, lower(f.Tags))
	}
	if len(f.ActorTypes) > 0 {
		q.add(` AND actor_type IN ?`, f.ActorTypes)
	}
}

// userWay is the plan of reading a page of users: by accounts with one of some
// facets, with one of some masks, or all, in the order of the list; and whether
// each of them matches the filter.
type userWay struct {
	f          *UserFilter
	have, lack int
	mailDomain string   // SQL for that of a user
	ready      bool     // all accounts have facets
	facets     []string // any of them
	prefix     string   // facets with this prefix
	masks      []int    // any of them
	sure       string   // the kind of facet that expresses the whole condition
}

// userPath finds the shortest way to the accounts that f selects, and counts
// them: from tallies if they suffice (2 statements), else along that way (3).
func (d *DB) userPath(ctx context.Context, f *UserFilter, have, lack int) (*userWay, int64, error) {
	w := &userWay{f: f, have: have, lack: lack, mailDomain: d.mailDomain("email_key")}
	byMask, err := d.maskTallies(ctx)
	if err != nil {
		return nil, 0, err
	}
	var total int64
	rows := w.throughMasks(byMask, &total)
	if f.plain() || total == 0 {
		return w, total, nil
	}
	if f.Email != "" || f.MailDomain != "" {
		total, err = d.countUsers(ctx, w)
		return w, total, err
	}
	query, name := f.Query, strings.ToLower(f.Name)
	var wanted []string
	sets := map[string][]string{facetTag: lowerFacets(facetTag, f.Tags), facetType: facetsOf(facetType, f.ActorTypes)}
	for kind, text := range map[string]string{facetNickname: query, facetName: name} {
		if text != "" {
			for _, g := range grams(text) {
				sets[kind] = append(sets[kind], kind+g)
			}
			wanted = append(wanted, askedFacet(kind, text))
		}
	}
	for _, kind := range []string{facetNickname, facetName, facetTag, facetType} {
		wanted = append(wanted, sets[kind]...)
	}
	tallies, ready, err := d.facetTallies(ctx, wanted, have, lack)
	if err != nil {
		return nil, 0, err
	}
	if w.ready = ready; !ready {
		total, err = d.countUsers(ctx, w)
		return w, total, err
	}
	counted, conditions, ask := int64(-1), 0, ""
	for kind, text := range map[string]string{facetNickname: query, facetName: name} {
		if text == "" {
			continue
		}
		conditions++
		if isGram(text) {
			counted = tallies[kind+text].masked
		} else if t, ok := tallies[askedFacet(kind, text)]; ok {
			counted = t.masked
		} else {
			ask = askedFacet(kind, text)
		}
		for _, key := range sets[kind] {
			t := tallies[key]
			switch g := key[len(kind):]; {
			case t.all == 0:
				return w, 0, nil
			case listedGram(g) && t.all < rows/2:
				w.facets, w.prefix, w.masks, rows = []string{key}, "", nil, t.all
				w.sure = ""
				if isGram(text) {
					w.sure = kind
				}
			case !listedGram(g) && t.all < rows/2 && t.all < FewMatches:
				w.facets, w.prefix, w.masks, rows, w.sure = nil, key, nil, t.all, kind
			}
		}
	}
	for _, kind := range []string{facetTag, facetType} {
		if len(sets[kind]) == 0 {
			continue
		}
		conditions++
		var t tally
		for _, key := range sets[kind] {
			t.all, t.masked = t.all+tallies[key].all, t.masked+tallies[key].masked
		}
		if kind == facetType || len(sets[kind]) == 1 {
			counted = t.masked // no account has two types
		}
		if t.all == 0 {
			return w, 0, nil
		}
		if t.all < rows/2 && len(sets[kind]) <= maxFacets {
			w.facets, w.prefix, w.masks, w.sure, rows = sets[kind], "", nil, kind, t.all
		}
	}
	if conditions == 1 && counted >= 0 {
		return w, counted, nil
	}
	total, err = d.countUsers(ctx, w)
	if err == nil && conditions == 1 && ask != "" && rows > askedFrom && total > askedFrom/4 && !d.InTx() {
		err = d.wantCount(ctx, ask)
	}
	return w, total, err
}

// askedFacet is the facet of a part of names that a search asked for.
func askedFacet(kind, text string) string {
	if kind == facetNickname {
		return facetAskedNickname + text
	}
	return facetAskedName + text
}

// maxFacets bounds the facets, or masks, that are read side by side.
const maxFacets = 20

// FewMatches is the number of accounts below which matches of one or two
// letters are sorted for a page. With more, a page is found fast enough in the
// order of all.
const FewMatches = 5000

// facetsOf is lowerFacets without changing case.
func facetsOf(kind string, words []string) []string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		if !slices.Contains(out, kind+w) {
			out = append(out, kind+w)
		}
	}
	return out
}

// throughMasks makes w go by masks if it would skip many accounts otherwise. It
// returns the number of accounts on the way, and sets total to those that pass
// the filter of masks.
func (w *userWay) throughMasks(byMask map[int]int64, total *int64) (rows int64) {
	var masks []int
	for mask, n := range byMask {
		if mask&(w.have|w.lack) == w.have {
			masks = append(masks, mask)
			*total += n
		}
		if w.f.leads(mask) {
			rows += n
		}
	}
	if (*total < rows/4 || w.f.rare()) && len(masks) <= maxFacets {
		slices.Sort(masks)
		w.masks, rows = masks, *total
	}
	return rows
}

// leads reports whether accounts with a mask are on the way of where.
func (f *UserFilter) leads(mask int) bool {
	switch {
	case f.Admins:
		return mask&maskAdmin != 0
	case f.Moderators:
		return mask&maskModerator != 0
	case f.NeedApprove:
		return mask&maskApproval != 0
	case f.Unconfirmed:
		return mask&maskUnconfirmed != 0
	case f.Deactivated:
		return mask&maskDeactivated != 0
	case f.Local && !f.External:
		return mask&maskLocal != 0
	case f.External:
		return mask&maskLocal == 0
	}
	return true
}

// countUsers counts the accounts on the way.
func (d *DB) countUsers(ctx context.Context, w *userWay) (int64, error) {
	q := &selection{}
	q.add(`SELECT COUNT(*) FROM (`)
	w.all(q)
	q.add(`) p`)
	return value[int64](ctx, d, "count users", q.sql.String(), q.args...)
}

// all selects the nicknames of all accounts on the way.
func (w *userWay) all(q *selection) {
	switch {
	case w.facets != nil:
		if len(w.facets) == 1 {
			q.add(`SELECT x.nickname_key FROM account_facets x WHERE x.facet = ?`, w.facets[0])
		} else {
			q.add(`SELECT DISTINCT x.nickname_key FROM account_facets x WHERE x.facet IN ?`, w.facets)
		}
		w.rest(q)
	case w.prefix != "":
		w.prefixed(q)
	case w.masks != nil:
		q.add(`SELECT nickname_key FROM accounts WHERE mask IN ?`, w.masks)
		w.more(q, w.f)
	default:
		q.add(`SELECT nickname_key FROM accounts`)
		w.f.where(q, w.have, w.lack)
		w.more(q, w.f)
	}
}

func (w *userWay) prefixed(q *selection) {
	from, before := prefixRange(w.prefix)
	q.add(`SELECT DISTINCT x.nickname_key FROM account_facets x WHERE x.facet >= ? AND x.facet < ?`, from, before)
	w.rest(q)
}

// page selects the nicknames of a page.
func (w *userWay) page(q *selection, size, offset int64, backwards bool) {
	order := ` ORDER BY nickname_key`
	if backwards {
		order += ` DESC`
	}
	var branches []func()
	for _, facet := range w.facets {
		branches = append(branches, func() {
			q.add(`SELECT x.nickname_key FROM account_facets x WHERE x.facet = ?`, facet)
			w.rest(q)
		})
	}
	for _, mask := range w.masks {
		branches = append(branches, func() {
			q.add(`SELECT nickname_key FROM accounts WHERE mask = ?`, mask)
			w.more(q, w.f)
		})
	}
	switch len(branches) {
	case 0:
		if w.prefix != "" {
			w.prefixed(q)
		} else {
			q.add(`SELECT nickname_key FROM accounts`)
			w.f.where(q, w.have, w.lack)
			w.more(q, w.f)
		}
	case 1:
		branches[0]()
	default:
		// Each in order, and only as far as the page may need.
		q.add(`SELECT nickname_key FROM (`)
		for i, branch := range branches {
			if i > 0 {
				q.add(` UNION `)
			}
			q.add(`SELECT nickname_key FROM (`)
			branch()
			q.add(order + limit(size+offset, 0) + `) p`)
		}
		q.add(`) p`)
	}
	q.add(order + limit(size, offset))
}

// rest adds the conditions that a facet alone does not express, on the account
// x.nickname_key.
func (w *userWay) rest(q *selection) {
	f := *w.f
	switch w.sure {
	case facetNickname:
		f.Query = ""
	case facetName:
		f.Name = ""
	case facetTag:
		f.Tags = nil
	case facetType:
		f.ActorTypes = nil
	}
	if f.Query != "" {
		q.add(` AND `+mostly(`x.nickname_key LIKE ? ESCAPE '\'`), containing(f.Query))
		f.Query = ""
	}
	if f.plain() && w.have|w.lack == maskUnlisted {
		return // these are not in account_facets
	}
	q.add(` AND EXISTS (SELECT 1 FROM accounts WHERE accounts.nickname_key = x.nickname_key AND `+mostly(`(mask & ?) = ?`), w.have|w.lack, w.have)
	w.more(q, &f)
	q.add(`)`)
}
