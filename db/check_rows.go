package db

import (
	"context"
	"strings"
)

// checkedRows returns the checks of all references, with one pass over each
// table.
func (d *DB) checkedRows() []checked {
	var out []checked
	for _, r := range d.References() {
		if len(out) == 0 || out[len(out)-1].table != r.Table {
			out = append(out, checked{area: CheckRows, table: r.Table, key: strings.Split(r.key, ", ")})
		}
		wrong := "t." + r.Column + " IS NOT NULL"
		if r.when != "" {
			wrong = r.when
		}
		for _, to := range r.To {
			wrong += " AND NOT EXISTS (SELECT 1 FROM " + to + " o WHERE o.id = t." + r.Column + ")"
		}
		f := fault{column: r.Column, wrong: wrong, says: "names none of " + strings.Join(r.To, " or "), mend: "DELETE FROM " + r.Table, repair: r.repair}
		if r.set != "" {
			f.mend = "UPDATE " + r.Table + " SET " + r.set
		}
		for _, rest := range restOf {
			if rest.table != r.Table || rest.column != r.Column {
				continue
			}
			of := "status_id"
			if r.Column == "poll_id" {
				of = r.Column
			}
			f.excused = underWay("delete_rest", "j.args ->> '"+of+"' = CAST(t."+r.Column+" AS TEXT)")
		}
		if r.Column == "app_id" {
			f.excused = underWay("forget_app", "CAST(j.args ->> 'app_id' AS BIGINT) = t.app_id")
		}
		c := &out[len(out)-1]
		c.faults = append(c.faults, f)
	}
	return out
}

// removeOrphan deletes a status without an author, with its dependent rows.
func removeOrphan(ctx context.Context, tx *DB, key []any) error {
	s, err := one[Status](ctx, tx, "status without an author", "SELECT * FROM statuses WHERE id = ?", key...)
	if err != nil {
		return err
	}
	_, err = tx.DeleteStatus(ctx, s, checkChunk)
	return err
}

// removeDoc removes the indexed words of a deleted status.
func removeDoc(ctx context.Context, tx *DB, key []any) error {
	if _, err := tx.exec(ctx, "forget words", "DELETE FROM status_search WHERE rowid = ?", key...); err != nil {
		return err
	}
	_, err := tx.exec(ctx, "forget document", "DELETE FROM status_docs WHERE doc = ?", key...)
	return err
}
