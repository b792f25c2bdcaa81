package db

// Page bounds a list by ids, newest first. MinID asks for the oldest page above
// it, which is returned newest first like all others.
type Page struct {
	MaxID   string // ids below
	SinceID string // ids above, the newest
	MinID   string // ids above, the oldest
	Limit   int
}

// where renders the bounds as SQL: a condition that begins with AND, and an
// ORDER BY with LIMIT, which needs no argument.
func (p Page) where(column string) (cond, order string, args []any) {
	if p.MaxID != "" {
		cond += " AND " + column + " < ?"
		args = append(args, p.MaxID)
	}
	if p.SinceID != "" {
		cond += " AND " + column + " > ?"
		args = append(args, p.SinceID)
	}
	if p.MinID != "" {
		cond += " AND " + column + " > ?"
		args = append(args, p.MinID)
		return cond, " ORDER BY " + column + limit(int64(p.Limit), 0), args
	}
	return cond, " ORDER BY " + column + " DESC" + limit(int64(p.Limit), 0), args
}

// newestFirst reverses a page that was read upwards.
func newestFirst[T any](p Page, rows []T) []T {
	if p.MinID != "" {
		for i, j := 0, len(rows)-1; i < j; i, j = i+1, j-1 {
			rows[i], rows[j] = rows[j], rows[i]
		}
	}
	return rows
}

// NumberedPage is a page of the admin lists, from 1.
type NumberedPage struct{ Number, Size int }

// Offset is the number of rows before the page.
func (p NumberedPage) Offset() int { return (p.Number - 1) * p.Size }

// limit renders the page as SQL.
func (p NumberedPage) limit() string { return limit(int64(p.Size), int64(p.Offset())) }
