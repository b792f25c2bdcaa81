package db

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Finding is a row that contradicts the rest of the database.
type Finding struct {
	Area     string `json:"area"`  // one of CheckAreas
	Check    string `json:"check"` // a table and a column
	Row      string `json:"row"`   // its key
	Fault    string `json:"fault"` // in words
	Repaired bool   `json:"repaired"`
	// Unmendable is the reason why no repair is possible, "" if there is one.
	Unmendable string `json:"unmendable,omitempty"`
}

// The areas of Check. A repair in one area may change the counts of a later
// one.
const (
	CheckRows     = "rows"     // references lead to existing rows
	CheckParts    = "parts"    // rows agree with the parts of them in other tables
	CheckReblogs  = "reblogs"  // reblogs are of statuses that may be reblogged
	CheckThreads  = "threads"  // replies stand below their parents, messages in chats
	CheckHome     = "home"     // home timelines have the statuses of followed accounts, and no others
	CheckCounters = "counters" // counters equal the counted rows
	CheckFiles    = "files"    // rows and files name each other
	CheckQueues   = "queues"   // deliveries, their hosts, and the numbers of events
)

// CheckAreas returns the areas in the order in which they are checked.
func CheckAreas() []string {
	return []string{CheckRows, CheckParts, CheckReblogs, CheckThreads, CheckHome, CheckCounters, CheckFiles, CheckQueues}
}

// CheckOptions narrow a check.
type CheckOptions struct {
	Repair bool
	Areas  []string // nil is all
	Chunk  int      // the most rows of one statement, 0 for 500; those that count read fewer

	// HomeTime bounds the time for the area CheckHome, 0 for none. With HomePlace the
	// check goes on there, and leaves where the next one goes on.
	HomeTime  time.Duration
	HomePlace *CheckPlace

	// Text is the text by which a status is found; without it, none is indexed again.
	Text func(*Status) string
	// FollowsOfBlocked and FollowsToBlocked say that the settings allow follows by those
	// whom the followed account blocks, and of those whom the follower blocks.
	FollowsOfBlocked, FollowsToBlocked bool
}

// A fault is a contradiction that rows of one table may have.
type fault struct {
	column string
	wrong  string // a condition on the row, as t
	says   string // the fault in words, unless it is a counter
	// kept and counted are the numbers of a counter that differ.
	kept, counted string
	// excused is a condition for rows with pending work, such as a job that
	// will end the contradiction. It is tested once the row is held.
	excused string
	// mend is a statement without its condition on the key; repair is used in
	// its place. If both are missing, cannot is the reason.
	mend   string
	repair func(ctx context.Context, tx *DB, key []any) error
	cannot string
}

// checked is a table, with its rows in the order of the key.
type checked struct {
	area   string
	table  string
	key    []string
	chunk  int // rows of one statement, 0 for checkChunk
	faults []fault
}

const (
	// checkChunk bounds the rows that one statement of a check reads.
	checkChunk = 500
	// countChunk is checkChunk for statements that count rows of other tables
	// for each row.
	countChunk = 50
	// checkTime bounds a statement of a check.
	checkTime = time.Minute
)

// Check compares the tables with each other and calls found for every
// contradiction; an error of found ends it. It reads all tables in chunks, and
// others may write meanwhile: a row is held and read again before it is
// reported. With o.Repair, a contradiction with one right answer is repaired in
// the same transaction.
func (d *DB) Check(ctx context.Context, o CheckOptions, found func(Finding) error) error {
	for _, s := range d.checkSteps(o) {
		if o.Areas != nil && !slices.Contains(o.Areas, s.area) {
			continue
		}
		if o.HomeTime > 0 && s.area == CheckHome {
			if err := s.bounded(ctx, o, found); err != nil {
				return err
			}
			continue
		}
		for after, more := []any(nil), true; more; {
			var err error
			if after, err = s.chunk(ctx, o, after, found); err != nil {
				return err
			}
			more = after != nil
		}
	}
	return nil
}

// CheckPlace is where a bounded check goes on, by table, and whether it left rows out.
type CheckPlace struct {
	After      map[string][]string `json:"after"`
	Unfinished bool                `json:"-"`
}

// bounded checks rows of the step from a place on, and from the beginning after the
// end, until all are checked or the time is over. There are two steps in the area,
// which share the time.
func (s *checkStep) bounded(ctx context.Context, o CheckOptions, found func(Finding) error) error {
	place := o.HomePlace
	if place == nil {
		place = &CheckPlace{}
	}
	if place.After == nil {
		place.After = map[string][]string{}
	}
	after, err := keyOf(place.After[s.table])
	if err != nil {
		after = nil
	}
	whole := after == nil
	for until := time.Now().Add(o.HomeTime / 2); ; {
		if after, err = s.chunk(ctx, o, after, found); err != nil {
			return err
		}
		switch {
		case after == nil && whole:
			delete(place.After, s.table)
			return nil
		case after == nil: // and from the beginning
			whole = true
		}
		if time.Now().After(until) {
			place.Unfinished = true
			place.After[s.table], err = keyNames(after)
			return err
		}
	}
}

// checkPlaceKey is the CheckPlace in meta.
const checkPlaceKey = "check_place"

// CheckPlace returns where the next bounded check goes on.
func (d *DB) CheckPlace(ctx context.Context) (*CheckPlace, error) {
	p := &CheckPlace{}
	raw, err := d.Meta(ctx, checkPlaceKey)
	if err == nil && raw != "" {
		err = json.Unmarshal([]byte(raw), p)
	}
	return p, err
}

// SaveCheckPlace stores where the next bounded check goes on.
func (d *DB) SaveCheckPlace(ctx context.Context, p *CheckPlace) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return d.SetMeta(ctx, checkPlaceKey, string(raw))
}

// A checkStep is a part of a check: a table in an area, or the tallies.
type checkStep struct {
	area, table string
	next        func(ctx context.Context, o CheckOptions, after []any, found func(Finding) error) ([]any, error)
}

// chunk checks the next rows of the step, after a key, and returns their last key,
// nil at the end.
func (s *checkStep) chunk(ctx context.Context, o CheckOptions, after []any, found func(Finding) error) ([]any, error) {
	last, err := s.next(Within(ctx, checkTime), o, after, found)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", s.table, err)
	}
	return last, nil
}

// checkSteps returns the steps of a check, in their order.
func (d *DB) checkSteps(o CheckOptions) []checkStep {
	var steps []checkStep
	tables := d.checkedTables(o)
	for _, area := range CheckAreas() {
		for _, c := range tables {
			if c.area != area {
				continue
			}
			steps = append(steps, checkStep{area, c.table, func(ctx context.Context, o CheckOptions, after []any, found func(Finding) error) ([]any, error) {
				return d.checkRows(ctx, c, o, after, found)
			}})
		}
		if area == CheckCounters {
			steps = append(steps, checkStep{area, "tallies", func(ctx context.Context, o CheckOptions, _ []any, found func(Finding) error) ([]any, error) {
				return nil, d.checkTallies(ctx, o, found)
			}})
		}
	}
	return steps
}

func (d *DB) checkedTables(o CheckOptions) []checked {
	var out []checked
	for _, c := range slices.Concat(d.checkedRows(), d.checkedParts(), d.checkedShown(o), checkedReblogs(), checkedThreads(), d.checkedHome(), d.checkedCounters(), checkedFiles(), d.checkedQueues()) {
		// A table is read once in an area.
		if i := slices.IndexFunc(out, func(have checked) bool { return have.area == c.area && have.table == c.table }); i >= 0 {
			out[i].faults = append(out[i].faults, c.faults...)
			continue
		}
		out = append(out, c)
	}
	return out
}

// checkRows checks the next rows of a table, as checkStep.chunk does.
func (d *DB) checkRows(ctx context.Context, c checked, o CheckOptions, after []any, found func(Finding) error) ([]any, error) {
	c.chunk = cmp.Or(c.chunk, checkChunk)
	if o.Chunk > 0 {
		c.chunk = min(c.chunk, o.Chunk)
	}
	rows, err := d.suspects(ctx, c, after)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	for _, r := range rows {
		for i := range c.faults {
			if r.faults&(1<<i) == 0 {
				continue
			}
			f, err := d.lookAgain(ctx, c, &c.faults[i], r.key, o.Repair)
			if err == nil && f != nil {
				err = found(*f)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	if len(rows) < c.chunk {
		return nil, nil
	}
	return rows[len(rows)-1].key, nil
}

type suspect struct {
	key    []any
	faults int64 // bits, by the place in checked.faults
}

// suspects reads the next chunk of a table: its keys, and the faults of each row.
func (d *DB) suspects(ctx context.Context, c checked, after []any) ([]suspect, error) {
	bits := make([]string, len(c.faults))
	for i, f := range c.faults {
		bits[i] = fmt.Sprintf("CASE WHEN %s THEN %d ELSE 0 END", f.wrong, 1<<i)
	}
	key := "t." + strings.Join(c.key, ", t.")
	query := "SELECT " + key + ", CAST(" + strings.Join(bits, " + ") + " AS BIGINT) FROM " + c.table + " t"
	if after != nil {
		query += " WHERE (" + key + ") > (?" + strings.Repeat(", ?", len(after)-1) + ")"
	}
	scan := func(rows *sql.Rows, s *suspect) error {
		s.key = make([]any, len(c.key))
		into := make([]any, 0, len(c.key)+1)
		for i := range s.key {
			into = append(into, &s.key[i])
		}
		return rows.Scan(append(into, &s.faults)...)
	}
	return read(ctx, d, "next rows", scan, query+" ORDER BY "+key+limitOf(c.chunk), after...)
}

// lookAgain holds a row and checks it again. It repairs a remaining fault and
// returns it, nil for none.
func (d *DB) lookAgain(ctx context.Context, c checked, f *fault, key []any, repair bool) (*Finding, error) {
	var out *Finding
	err := d.Tx(ctx, func(tx *DB) error {
		out = nil
		row := strings.Join(c.key, " = ? AND ") + " = ?"
		if _, err := tx.exec(ctx, "hold row", "SELECT 1 FROM "+c.table+" WHERE "+row+tx.hold(), key...); err != nil {
			return err
		}
		type seen struct{ Wrong, Kept, Counted int64 }
		excused, kept, counted := "FALSE", "0", "0"
		if f.excused != "" {
			excused = f.excused
		}
		if f.counted != "" {
			kept, counted = f.kept, f.counted
		}
		now, there, err := optional(value[seen](ctx, tx, "row", "SELECT CASE WHEN ("+f.wrong+") AND NOT ("+excused+") THEN 1 ELSE 0 END AS wrong, CAST("+
			kept+" AS BIGINT) AS kept, CAST("+counted+" AS BIGINT) AS counted FROM "+c.table+" t WHERE t."+strings.Join(c.key, " = ? AND t.")+" = ?", key...))
		if err != nil || !there || now.Wrong == 0 {
			return err
		}
		out = &Finding{Area: c.area, Check: c.table + "." + f.column, Row: keyText(key), Fault: f.says}
		if f.counted != "" {
			out.Fault = fmt.Sprintf("is %d, counted %d", now.Kept, now.Counted)
		}
		switch {
		case f.repair == nil && f.mend == "":
			out.Unmendable = f.cannot
		case !repair:
		case f.repair != nil:
			out.Repaired = true
			err = f.repair(ctx, tx, key)
		default:
			out.Repaired = true
			_, err = tx.exec(ctx, "repair", f.mend+" WHERE "+row, key...)
		}
		if err == nil && out.Repaired && (c.table == "accounts" || c.table == "follows") {
			err = tx.Announce(ctx, AccountChanged, fmt.Sprint(key[0])) // processes keep both
		}
		return err
	})
	return out, err
}

func keyText(key []any) string {
	parts := make([]string, len(key))
	for i, k := range key {
		parts[i] = fmt.Sprint(k)
	}
	return strings.Join(parts, " ")
}

// underWay is the condition that a job of a kind is pending.
func underWay(kind, cond string) string {
	return "EXISTS (SELECT 1 FROM river_job j WHERE j.kind = '" + kind +
		"' AND j.state IN ('available', 'pending', 'retryable', 'running', 'scheduled') AND " + cond + ")"
}
