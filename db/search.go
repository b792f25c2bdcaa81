package db

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// searchWithin bounds a search of texts.
const searchWithin = 10 * time.Second

// Words that stand for properties of a status. Every document has them beside
// the words of its text, so that a search for one author's statuses does not
// read everybody's.
const isLocal = "svclocal"

func isBy(accountID string) string { return "svcby" + hex.EncodeToString([]byte(accountID)) }

// IndexStatus indexes a status by the words of text, which is plain. Only
// public and unlisted statuses are indexed, and no reblogs.
func (d *DB) IndexStatus(ctx context.Context, s *Status, text string) error {
	if s.ReblogOfID != nil || s.Visibility != Public && s.Visibility != Unlisted {
		return nil
	}
	all := append(words(text), isBy(s.AccountID))
	if s.Local {
		all = append(all, isLocal)
	}
	if d.pool.dialect == Postgres {
		return d.execLater(ctx, "index status", `INSERT INTO status_search (status_id, words) VALUES (?, CAST(? AS tsvector))
			ON CONFLICT (status_id) DO UPDATE SET words = excluded.words`, s.ID, vector(all))
	}
	doc, err := value[int64](ctx, d.writing(), "index status "+s.ID, `INSERT INTO status_docs (status_id) VALUES (?)
		ON CONFLICT (status_id) DO UPDATE SET status_id = excluded.status_id RETURNING doc`, s.ID)
	if err != nil {
		return err
	}
	_, err = d.exec(ctx, "index status", "INSERT OR REPLACE INTO status_search (rowid, words) VALUES (?, ?)", doc, strings.Join(all, " "))
	return err
}

// vector writes words as a tsvector. Source: PostgreSQL 8.11.1. Words are
// letters and digits, so that quoting suffices.
func vector(all []string) string {
	at := make(map[string][]int, len(all))
	order := make([]string, 0, len(all))
	for i, w := range all {
		if len(at[w]) == 0 {
			order = append(order, w)
		}
		if len(at[w]) < 250 { // 255 are kept
			at[w] = append(at[w], i+1)
		}
	}
	var b strings.Builder
	for _, w := range order {
		b.WriteString("'" + w + "':")
		for i, n := range at[w] {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(n))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// match writes terms in the syntax of the database's full text search.
func match(all []term, dialect Dialect) string {
	parts := make([]string, len(all))
	for i, t := range all {
		if dialect == SQLite {
			parts[i] = `"` + strings.Join(t.words, " ") + `"`
			if t.prefix {
				parts[i] += "*"
			}
			continue
		}
		parts[i] = "'" + strings.Join(t.words, "' <-> '") + "'"
		if t.prefix {
			parts[i] += ":*"
		}
		if len(t.words) > 1 {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	if dialect == SQLite {
		return strings.Join(parts, " ")
	}
	return strings.Join(parts, " & ")
}

// StatusSearch is the query of SearchStatuses.
type StatusSearch struct {
	Query     string // words that all must occur; some "in quotes", one after the other
	AccountID string // of this author only
	Local     bool   // made here only
	// Unindexed are also statuses of authors who do not want to be found by others: for
	// staff. UnindexedRemote are those of remote ones.
	Unindexed, UnindexedRemote bool
	MaxID, MinID               string // only those with a lower, and a higher id; "" for all
	Limit                      int
	Offset                     int
}

// SearchStatuses returns the public and unlisted statuses with all words of the
// query that the viewer may and wants to see, newest first.
func (d *DB) SearchStatuses(ctx context.Context, v Viewer, s StatusSearch) ([]StatusRef, error) {
	all := terms(s.Query)
	if len(all) == 0 {
		return nil, nil
	}
	if s.AccountID != "" {
		all = append(all, term{words: []string{isBy(s.AccountID)}})
	}
	if s.Local {
		all = append(all, term{words: []string{isLocal}})
	}
	ctx, cancel := context.WithTimeout(ctx, searchWithin)
	defer cancel()
	if d.pool.dialect == Postgres {
		return d.searchRounds(ctx, v, s, match(all, Postgres))
	}
	q := &selection{now: d.Now(), expect: s.Limit}
	q.refs(v)
	q.add(` FROM status_search x CROSS JOIN status_docs o ON o.doc = x.rowid CROSS JOIN statuses s ON s.id = o.status_id`+refJoins+
		` WHERE x.status_search MATCH ?`, match(all, SQLite))
	q.searchable(v, s)
	q.add(` ORDER BY x.rowid DESC` + limit(int64(s.Limit), int64(s.Offset)))
	return d.statusRefs(ctx, q, "search statuses")
}

// searchable is the condition of statuses that a search may show.
func (q *selection) searchable(v Viewer, s StatusSearch) {
	q.add(` AND s.visibility IN ('public', 'unlisted')`)
	switch {
	case s.Unindexed:
	case s.UnindexedRemote:
		q.add(` AND (NOT a.unindexed OR NOT a.local OR a.id = ?)`, v.ID)
	default:
		q.add(` AND (NOT a.unindexed OR a.id = ?)`, v.ID)
	}
	if s.MaxID != "" {
		q.add(` AND s.id < ?`, s.MaxID)
	}
	if s.MinID != "" {
		q.add(` AND s.id > ?`, s.MinID)
	}
	q.seen(v)
	q.unwanted(v, false, "")
}

const (
	searchNewest = 5000 // statuses that are searched one by one
	searchRounds = 5    // how often more are fetched in place of invisible ones
	searchGrows  = 4    // times as many in each round: of up to 5,000 most may be invisible
)

// searchRounds searches on PostgreSQL. Its text index has no order: for common
// words it would return everything. So the newest statuses are searched first.
// Words that are rare among them are rare altogether, and the index is used for
// the rest.
func (d *DB) searchRounds(ctx context.Context, v Viewer, s StatusSearch, query string) ([]StatusRef, error) {
	want := s.Offset + s.Limit
	most := want + want/2 + 20
	var out []StatusRef
	before, newest := s.MaxID, true
	for range searchRounds {
		ids, end, err := d.candidates(ctx, query, before, most, newest)
		if err != nil {
			return nil, err
		}
		if len(ids) > 0 {
			q := &selection{now: d.Now(), expect: len(ids)}
			q.refs(v)
			q.add(` FROM statuses s`+refJoins+` WHERE s.id IN ?`, ids)
			q.searchable(v, s)
			q.add(` ORDER BY s.id DESC` + limit(int64(want-len(out)), 0))
			refs, err := d.statusRefs(ctx, q, "search statuses")
			if err != nil {
				return nil, err
			}
			out = append(out, refs...)
		}
		if len(out) >= want || end == "" || end <= s.MinID {
			break
		}
		before, newest = end, newest && len(ids) == most
		most = max(most, min(searchGrows*most, searchNewest))
	}
	return out[min(s.Offset, len(out)):min(want, len(out))], nil
}

// candidates returns up to most matching ids, newest first, and the id below
// which to continue; "" at the end.
func (d *DB) candidates(ctx context.Context, query, before string, most int, newest bool) (ids []string, end string, err error) {
	if before == "" {
		before = "~" // above every id
	}
	if newest {
		ids, err = list[string](ctx, d, "search the newest statuses", `SELECT w.status_id FROM (
				SELECT status_id, words FROM status_search WHERE status_id < ? ORDER BY status_id DESC LIMIT ?) w
			WHERE w.words @@ CAST(? AS tsquery) ORDER BY w.status_id DESC LIMIT ?`, before, searchNewest, query, most)
		if err != nil {
			return nil, "", err
		}
		if len(ids) == most {
			return ids, ids[most-1], nil
		}
		end, _, err = optional(value[string](ctx, d, "search the newest statuses",
			`SELECT status_id FROM status_search WHERE status_id < ? ORDER BY status_id DESC LIMIT 1 OFFSET ?`, before, searchNewest-1))
		return ids, end, err
	}
	err = d.Tx(ctx, func(tx *DB) error {
		_, err := tx.exec(ctx, "plan a search", `SELECT set_config('enable_bitmapscan', 'on', TRUE), set_config('enable_indexscan', 'off', TRUE),
			set_config('enable_seqscan', 'off', TRUE)`)
		if err != nil {
			return err
		}
		ids, err = list[string](ctx, tx, "search statuses", `SELECT status_id FROM status_search WHERE words @@ CAST(? AS tsquery) AND status_id < ?
			ORDER BY status_id DESC LIMIT ?`, query, before, most)
		return err
	})
	if err == nil && len(ids) == most {
		end = ids[most-1]
	}
	return ids, end, err
}

// atAddress selects the id of the status at an address: its URI or the URL of its
// page. The page of a local one has its id.
const atAddress = `SELECT id FROM statuses WHERE uri = ? UNION ALL
	SELECT id FROM statuses WHERE url = ? AND url <> '' AND NOT local UNION ALL
	SELECT id FROM statuses WHERE id = ? AND local AND url IN (?, '') LIMIT 1`

func addressed(address string) []any {
	_, id, _ := strings.Cut(address, "/notice/")
	return []any{address, address, id, address}
}

// StatusByAddress returns the id of the status with this URI or URL, without
// regard to its visibility.
func (d *DB) StatusByAddress(ctx context.Context, address string) (string, error) {
	return value[string](ctx, d, "status at "+address, atAddress, addressed(address)...)
}

// StatusAt returns the status with this URI or URL, without regard to its
// visibility.
func (d *DB) StatusAt(ctx context.Context, address string) (*Status, error) {
	return one[Status](ctx, d, "status at "+address, "SELECT * FROM statuses WHERE id = ("+atAddress+")", addressed(address)...)
}
