package db

import (
	"context"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

// searchWithin is the most that a search of texts may take.
const searchWithin = 10 * time.Second

// Words that stand for what a post is. They are in every document beside those
// of its text, so that a search for one author's posts does not walk through
// everybody's.
const isLocal = "svclocal"

func isBy(accountID string) string { return "svcby" + hex.EncodeToString([]byte(accountID)) }

// IndexStatus makes a post found by the words of text, which is plain. Only
// public and unlisted posts are found; a boost is not a post.
func (d *DB) IndexStatus(ctx context.Context, s *Status, text string) error {
	if s.ReblogOfID != nil || s.Visibility != Public && s.Visibility != Unlisted {
		return nil
	}
	all := append(words(text), isBy(s.AccountID))
	if s.Local {
		all = append(all, isLocal)
	}
	if d.pool.dialect == Postgres {
		_, err := d.exec(ctx, "index status", `INSERT INTO status_search (status_id, words) VALUES (?, CAST(? AS tsvector))
			ON CONFLICT (status_id) DO UPDATE SET words = excluded.words`, s.ID, vector(all))
		return err
	}
	var doc int64
	err := d.writer(ctx).Raw(`INSERT INTO status_docs (status_id) VALUES (?)
		ON CONFLICT (status_id) DO UPDATE SET status_id = excluded.status_id RETURNING doc`, s.ID).Scan(&doc).Error
	if err != nil {
		return wrap(err, "index status %s", s.ID)
	}
	_, err = d.exec(ctx, "index status", "INSERT OR REPLACE INTO status_search (rowid, words) VALUES (?, ?)", doc, strings.Join(all, " "))
	return err
}

// vector writes words as a tsvector. Source: PostgreSQL 8.11.1. Words are
// letters and digits, so quotes are all they need.
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

// match writes terms as the database's full text search reads them.
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

// StatusSearch says what SearchStatuses looks for.
type StatusSearch struct {
	Query     string // words that all must occur; some "in quotes", one after the other
	AccountID string // of this author only
	Local     bool   // made here only
	Limit     int
	Offset    int
}

// SearchStatuses returns the public and unlisted posts with all words of the
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
	var out []StatusRef
	err := d.searching(ctx, func(d *DB) error {
		q := &selection{now: d.Now(), expect: s.Limit}
		q.refs(v)
		order := `x.status_id`
		if d.pool.dialect == SQLite {
			order = `x.rowid`
			q.add(` FROM status_search x CROSS JOIN status_docs o ON o.doc = x.rowid CROSS JOIN statuses s ON s.id = o.status_id`+refJoins+
				` WHERE x.status_search MATCH ?`, match(all, SQLite))
		} else {
			q.add(` FROM status_search x JOIN statuses s ON s.id = x.status_id`+refJoins+
				` WHERE x.words @@ CAST(? AS tsquery)`, match(all, Postgres))
		}
		q.add(` AND s.visibility IN ('public', 'unlisted')` + shown + ` AND `)
		q.visible("s", v)
		q.unwanted(v, false, "")
		q.add(` ORDER BY ` + order + ` DESC` + limit(int64(s.Limit), int64(s.Offset)))
		var err error
		out, err = d.statusRefs(ctx, q, "search statuses")
		return err
	})
	return out, err
}

// searching runs fn where the database may plan as a search of texts needs: by
// the words that are asked for, which may be rare or everywhere, and by the kind
// of index that only bitmaps read.
func (d *DB) searching(ctx context.Context, fn func(d *DB) error) error {
	if d.pool.dialect == SQLite {
		return fn(d)
	}
	return d.Tx(ctx, func(tx *DB) error {
		_, err := tx.exec(ctx, "plan a search", `SELECT set_config('enable_bitmapscan', 'on', TRUE), set_config('plan_cache_mode', 'force_custom_plan', TRUE)`)
		if err != nil {
			return err
		}
		return fn(tx)
	})
}

// StatusByAddress returns the id of the post with this URI or URL.
func (d *DB) StatusByAddress(ctx context.Context, address string) (string, error) {
	var id string
	err := d.reader(ctx).Raw(`SELECT id FROM statuses WHERE uri = ? UNION ALL
		SELECT id FROM statuses WHERE url = ? AND url <> '' AND NOT local LIMIT 1`, address, address).Take(&id).Error
	return id, wrap(err, "status at %s", address)
}

// AccountByAddress returns the account with this URI or URL, shown to anybody.
func (d *DB) AccountByAddress(ctx context.Context, address string) (AccountRef, error) {
	var ref AccountRef
	err := d.reader(ctx).Raw(`SELECT id, version FROM accounts WHERE uri = ? AND `+present+` UNION ALL
		SELECT id, version FROM accounts WHERE url = ? AND url <> '' AND NOT local AND `+present+` LIMIT 1`, address, address).Take(&ref).Error
	return ref, wrap(err, "account at %s", address)
}
