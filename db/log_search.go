package db

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	logBlock = 64 // entries in a block of log_grams
	// Clocks of several processes differ, so that an entry may be a little younger
	// than the one before it. This many entries around the ends of a time span are
	// searched too.
	logSlack = 1024
	// commonBlocks is the number of blocks above which a part of a message is
	// common.
	commonBlocks = 200
	// newestEntries are searched directly for one or two letters.
	newestEntries = 1000
	// logConds bounds the parts that a block must have to be searched.
	logConds = 5
)

const reindexLog = "reindex_log" // how far ReindexLog has come down

// ReindexLog indexes up to limit entries that are older than log_grams, and
// reports whether there are more.
func (d *DB) ReindexLog(ctx context.Context, limit int) (more bool, err error) {
	place, ok, err := d.walkPosition(ctx, reindexLog)
	if err != nil || !ok {
		return false, err
	}
	last, err := strconv.ParseInt(place, 10, 64)
	if err != nil {
		return false, fmt.Errorf("how far the log was gone through: %w", err)
	}
	first := max(last-int64(limit)+1, 1) / logBlock * logBlock
	_, err = d.exec(ctx, "go through the log", `INSERT INTO log_grams SELECT DISTINCT gram, block FROM log_gram_list
		WHERE id BETWEEN ? AND ? ORDER BY gram, block ON CONFLICT (gram, block) DO NOTHING`, first, last)
	if err != nil {
		return false, err
	}
	return first > 0, d.saveWalkPosition(ctx, reindexLog, strconv.FormatInt(first-1, 10), first <= 0)
}

// searchLog returns the ids of a page of the log for a filter with a text. It
// searches the blocks with all parts of the text, newest first (3 statements, 4
// with a time span). One or two letters occur in most entries, so the newest
// entries are searched first.
func (d *DB) searchLog(ctx context.Context, f LogFilter, p NumberedPage) ([]int64, error) {
	text := strings.ToLower(f.Search)
	short := len([]rune(text)) < gramSize
	if _, older, err := d.walkPosition(ctx, reindexLog); err != nil || older {
		if err != nil {
			return nil, err
		}
		return d.readLog(ctx, f, p)
	}
	if short {
		q := &selection{}
		q.add(`SELECT id FROM (SELECT id, search_key FROM moderation_log WHERE TRUE`)
		f.where(q, "")
		q.add(` ORDER BY created_at DESC, id DESC`+limit(newestEntries, 0)+`) p WHERE `+mostly(`search_key LIKE ? ESCAPE '\'`)+p.limit(), containing(text))
		ids, err := list[int64](ctx, d, "moderation log", q.sql.String(), q.args...)
		if err != nil || len(ids) == p.Size {
			return ids, err
		}
	}
	from, to, err := d.logSpan(ctx, f)
	if err != nil || to < from {
		return nil, err
	}
	q := &selection{}
	q.add(`SELECT l.id FROM (`)
	if short {
		first, before := prefixRange(text)
		q.add(`SELECT DISTINCT g.block FROM log_grams g WHERE g.gram >= ? AND g.gram < ?`, first, before)
		if f.ActorID != "" {
			q.add(` AND EXISTS (SELECT 1 FROM log_grams o WHERE o.gram = ? AND o.block = g.block)`, "@"+f.ActorID)
		}
		q.add(` AND g.block BETWEEN ? AND ?`, from/logBlock, to/logBlock)
	} else {
		parts, blocks, err := d.rarest(ctx, grams(text))
		if err != nil || parts == nil {
			return nil, err
		}
		if f.ActorID != "" {
			if blocks == commonBlocks {
				return d.readLog(ctx, f, p) // few entries to search
			}
			parts = slices.Insert(parts, 1, "@"+f.ActorID)
		}
		q.add(`SELECT g.block FROM log_grams g WHERE g.gram = ? AND g.block BETWEEN ? AND ?`, parts[0], from/logBlock, to/logBlock)
		for _, part := range parts[1:min(len(parts), logConds)] {
			q.add(` AND EXISTS (SELECT 1 FROM log_grams o WHERE o.gram = ? AND o.block = g.block)`, part)
		}
	}
	within := `l.id >= p.block * 64 AND l.id < p.block * 64 + 64 AND ` + mostly(`l.search_key LIKE ? ESCAPE '\'`)
	if d.Dialect() == Postgres {
		// PostgreSQL expects few blocks and would sort all their entries. So each block
		// is read by itself, newest first.
		q.add(` ORDER BY g.block DESC OFFSET 0) p CROSS JOIN LATERAL (SELECT l.id FROM moderation_log l WHERE `+within, containing(text))
		f.where(q, "l.")
		q.add(` ORDER BY l.id DESC LIMIT 64) l` + p.limit())
	} else {
		q.add(` ORDER BY g.block DESC) p CROSS JOIN moderation_log l WHERE `+within, containing(text))
		f.where(q, "l.")
		q.add(` ORDER BY p.block DESC, l.id DESC` + p.limit())
	}
	return list[int64](ctx, d, "moderation log", q.sql.String(), q.args...)
}

// readLog searches the entries one by one, by the index of the other
// conditions.
func (d *DB) readLog(ctx context.Context, f LogFilter, p NumberedPage) ([]int64, error) {
	q := &selection{}
	q.add(`SELECT id FROM moderation_log WHERE `+mostly(`search_key LIKE ? ESCAPE '\'`), containing(f.Search))
	f.where(q, "")
	q.add(` ORDER BY created_at DESC, id DESC` + p.limit())
	return list[int64](ctx, d, "moderation log", q.sql.String(), q.args...)
}

// logSpan returns the ids between which the entries of a time span are; to <
// from if there are none.
func (d *DB) logSpan(ctx context.Context, f LogFilter) (from, to int64, err error) {
	from, to = 0, math.MaxInt64/2
	if f.Since.IsZero() && f.Before.IsZero() {
		return from, to, nil
	}
	type end struct{ last, id int64 }
	cells := func(e *end) []any { return []any{&e.last, &e.id} }
	q, askedFacet := &selection{}, 0
	if !f.Since.IsZero() {
		q.add(`SELECT 0, id FROM (SELECT id FROM moderation_log WHERE created_at >= ? ORDER BY created_at, id LIMIT 1) p`, f.Since)
		askedFacet++
	}
	if !f.Before.IsZero() {
		if askedFacet > 0 {
			q.add(` UNION ALL `)
		}
		q.add(`SELECT 1, id FROM (SELECT id FROM moderation_log WHERE created_at < ? ORDER BY created_at DESC, id DESC LIMIT 1) p`, f.Before)
		askedFacet++
	}
	ends, err := scanAll(ctx, d, "moderation log", cells, q.sql.String(), q.args...)
	if err != nil || len(ends) < askedFacet {
		return 1, 0, err
	}
	for _, e := range ends {
		if e.last == 0 {
			from = max(e.id-logSlack, 0)
		} else {
			to = e.id + logSlack
		}
	}
	return from, to, nil
}

// rarest sorts the parts of a message by the number of their blocks, fewest
// first, and returns that number for the first, up to commonBlocks; nil if a
// part occurs nowhere.
func (d *DB) rarest(ctx context.Context, parts []string) ([]string, int, error) {
	type found struct{ i, n int }
	cells := func(f *found) []any { return []any{&f.i, &f.n} }
	q := &selection{}
	for i, part := range parts {
		if i > 0 {
			q.add(` UNION ALL `)
		}
		q.add(`SELECT CAST(? AS BIGINT), COUNT(*) FROM (SELECT 1 FROM log_grams WHERE gram = ?`+limit(commonBlocks, 0)+`) p`, i, part)
	}
	counts, err := scanAll(ctx, d, "parts of messages", cells, q.sql.String(), q.args...)
	if err != nil {
		return nil, 0, err
	}
	slices.SortStableFunc(counts, func(a, b found) int { return cmp.Compare(a.n, b.n) })
	out := make([]string, 0, len(parts))
	for _, c := range counts {
		if c.n == 0 {
			return nil, 0, nil
		}
		out = append(out, parts[c.i])
	}
	return out, counts[0].n, nil
}
