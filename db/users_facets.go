package db

import (
	"context"
	"slices"
	"strings"
)

// The kinds of facets: the first letter of each facet. See the migration that
// makes them.
const (
	facetNickname = "n"
	facetName     = "d"
	facetTag      = "t"
	facetType     = "a"
	// Parts of any length that a search asked for.
	facetAskedNickname = "N"
	facetAskedName     = "D"
)

const (
	gramSize = 3 // the longest facet
	maxGrams = 8 // the most facets that a longer text is searched by
)

// grams returns the parts that find a lower-case text: the text itself if it is
// no longer than a part, else some of its parts.
func grams(text string) []string {
	letters := []rune(text)
	if len(letters) <= gramSize {
		return []string{text}
	}
	all := len(letters) - gramSize + 1
	n := min(all, maxGrams)
	out := make([]string, n)
	for i := range out {
		at := i * (all - 1) / max(n-1, 1)
		out[i] = string(letters[at : at+gramSize])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// isGram reports whether a text is a facet itself, so that its accounts are
// counted already.
func isGram(text string) bool { return len([]rune(text)) <= gramSize }

// listedGram reports whether the accounts of a gram are listed: those of full
// size are.
func listedGram(gram string) bool { return len([]rune(gram)) == gramSize }

// tally is the number of accounts with a facet, and of those that pass a filter
// of masks.
type tally struct{ all, masked int64 }

// facetTallies reads the tallies of facets. It is not ready while accounts that
// are older than facets wait for theirs.
func (d *DB) facetTallies(ctx context.Context, facets []string, have, lack int) (tallies map[string]tally, ready bool, err error) {
	type row struct {
		facet string
		tally
	}
	cells := func(r *row) []any { return []any{&r.facet, &r.all, &r.masked} }
	rows, err := scanAll(ctx, d, "tallies of facets", cells, `SELECT facet, CAST(SUM(n) AS BIGINT) AS everybody,
			CAST(SUM(CASE WHEN (mask & ?) = ? THEN n ELSE 0 END) AS BIGINT) AS masked
		FROM account_facet_tallies_now WHERE facet IN ? GROUP BY facet
		UNION ALL SELECT '', COALESCE(MIN(serial), 0), 0 FROM account_facets_due`, have|lack, have, facets)
	tallies = make(map[string]tally, len(rows))
	ready = true
	for _, r := range rows {
		if r.facet == "" {
			ready = r.all == 0
			continue
		}
		tallies[r.facet] = r.tally
	}
	return tallies, ready, err
}

// maskTallies returns the numbers of listed accounts by mask.
func (d *DB) maskTallies(ctx context.Context) (map[int]int64, error) {
	type row struct {
		mask int
		n    int64
	}
	cells := func(r *row) []any { return []any{&r.mask, &r.n} }
	rows, err := scanAll(ctx, d, "count users", cells, `SELECT mask, CAST(SUM(n) AS BIGINT) AS n FROM account_tallies_now GROUP BY mask HAVING SUM(n) > 0`)
	out := make(map[int]int64, len(rows))
	for _, r := range rows {
		if r.mask&maskUnlisted == 0 {
			out[r.mask] = r.n
		}
	}
	return out, err
}

// ReindexFacets adds facets to the next limit accounts that are older than
// facets, and reports whether there are more.
func (d *DB) ReindexFacets(ctx context.Context, limit int) (more bool, err error) {
	ids, err := list[string](ctx, d, "accounts without facets", `SELECT a.id FROM
		(SELECT serial FROM account_facets_due ORDER BY serial LIMIT ?) p JOIN accounts a ON a.serial = p.serial`, limit)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	if _, err := d.LockAccounts(ctx, ids); err != nil {
		return false, err
	}
	// Another process may have done some already.
	serials, err := list[int64](ctx, d, "accounts without facets", `SELECT a.serial FROM accounts a
		JOIN account_facets_due f ON f.serial = a.serial WHERE a.id IN ?`, ids)
	if err != nil || len(serials) == 0 {
		return err == nil, err
	}
	for _, step := range []string{
		`INSERT INTO account_facets SELECT facet, nickname_key FROM account_facet_list WHERE serial IN ? AND posted`,
		`INSERT INTO account_facet_tallies SELECT facet, mask, COUNT(*) FROM account_facet_list WHERE serial IN ?
			GROUP BY facet, mask ORDER BY facet, mask ON CONFLICT (facet, mask) DO UPDATE SET n = account_facet_tallies.n + excluded.n`,
		`DELETE FROM account_facets_due WHERE serial IN ?`,
	} {
		if _, err := d.exec(ctx, "give accounts facets", step, serials); err != nil {
			return false, err
		}
	}
	return len(ids) == limit, nil
}

// lowerFacets returns the facets of words in lower case, each once.
func lowerFacets(kind string, words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = kind + strings.ToLower(w)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// prefixRange returns the range of texts that begin with s.
func prefixRange(s string) (from, before string) { return s, s + "\U0010ffff" }

const (
	askedParts = 64 // counts that are kept
	// askedFrom is the number of accounts that a count must have read to be kept.
	askedFrom = 1000
)

// wantCount asks KeepCounts to keep the count of a part of names: a search only
// reads.
func (d *DB) wantCount(ctx context.Context, facet string) error {
	_, err := d.exec(ctx, "ask for a count", `INSERT INTO wanted_counts (facet)
		SELECT CAST(? AS TEXT) WHERE (SELECT COUNT(*) FROM wanted_counts) < ? ON CONFLICT DO NOTHING`, facet, askedParts)
	return err
}

// KeepCounts keeps the counts of the parts of names that searches asked for
// since it ran last.
func (d *DB) KeepCounts(ctx context.Context) error {
	facets, err := list[string](ctx, d, "wanted counts", "SELECT facet FROM wanted_counts WHERE NOT EXISTS (SELECT 1 FROM account_facets_due) ORDER BY facet")
	for _, facet := range facets {
		if err == nil {
			err = d.keepCount(ctx, facet)
		}
	}
	return err
}

// keepCount keeps the count of a part of names from now on, and drops the count
// that was unused for longest. Accounts are locked meanwhile.
func (d *DB) keepCount(ctx context.Context, facet string) error {
	column, kind := "nickname_key", facetNickname
	if facet[:1] == facetAskedName {
		column, kind = "display_name_key", facetName
	}
	var parts []string
	for _, g := range grams(facet[1:]) {
		parts = append(parts, kind+g)
	}
	changes := func(query string) string { // which SQLite does not write down
		if d.Dialect() != Postgres {
			return ""
		}
		return query
	}
	return d.Tx(ctx, func(tx *DB) error {
		if tx.Dialect() == Postgres {
			if _, err := tx.exec(ctx, "keep a count", `LOCK TABLE account_tally_changes, account_facet_changes IN EXCLUSIVE MODE`); err != nil {
				return err
			}
		}
		for _, s := range []struct {
			query string
			args  []any
		}{
			{`DELETE FROM wanted_counts WHERE facet = ?`, []any{facet}},
			{`INSERT INTO asked_parts (facet) VALUES (?) ON CONFLICT (facet) DO NOTHING`, []any{facet}},
			{`DELETE FROM account_facet_tallies WHERE facet = ?`, []any{facet}},
			{changes(`DELETE FROM account_facet_changes WHERE facet = ?`), []any{facet}},
			// Only those with the rarest part are read.
			{`INSERT INTO account_facet_tallies (facet, mask, n) SELECT CAST(? AS TEXT), a.mask, COUNT(*)
				FROM account_facets x JOIN accounts a ON a.nickname_key = x.nickname_key
				WHERE x.facet = (SELECT facet FROM account_facet_tallies_now WHERE facet IN ? GROUP BY facet ORDER BY SUM(n) LIMIT 1)
				AND a.` + column + ` LIKE ? ESCAPE '\' AND a.mask & 64 = 0 GROUP BY a.mask`, []any{facet, parts, containing(facet[1:])}},
			{`DELETE FROM account_facet_tallies WHERE facet IN (SELECT facet FROM asked_parts ORDER BY id DESC LIMIT 1000 OFFSET ?)`, []any{askedParts}},
			{changes(`DELETE FROM account_facet_changes WHERE facet IN (SELECT facet FROM asked_parts ORDER BY id DESC LIMIT 1000 OFFSET ?)`), []any{askedParts}},
			{`DELETE FROM asked_parts WHERE facet IN (SELECT facet FROM asked_parts ORDER BY id DESC LIMIT 1000 OFFSET ?)`, []any{askedParts}},
		} {
			if s.query == "" {
				continue
			}
			if _, err := tx.exec(ctx, "keep a count", s.query, s.args...); err != nil {
				return err
			}
		}
		return nil
	})
}
