package db

import (
	"cmp"
	"context"
	"slices"
)

// AppFilter selects apps for admins; empty conditions do not count.
type AppFilter struct {
	Name     string // the whole name
	ClientID string
	Trusted  *bool
}

func (f *AppFilter) where(q *selection) {
	q.add(` WHERE TRUE`)
	if f.Name != "" {
		q.add(` AND name = ?`, f.Name)
	}
	if f.ClientID != "" {
		q.add(` AND client_id = ?`, f.ClientID)
	}
	if f.Trusted != nil {
		q.add(` AND trusted = ?`, *f.Trusted)
	}
}

// Apps returns a page of the apps that f selects, the oldest first, and the
// number of all of them (2 statements).
func (d *DB) Apps(ctx context.Context, f AppFilter, p NumberedPage) ([]App, int64, error) {
	q := &selection{}
	if f.Name == "" && f.ClientID == "" {
		q.add(`SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM app_tallies`)
	} else {
		q.add(`SELECT COUNT(*) FROM apps`)
	}
	f.where(q)
	total, err := value[int64](ctx, d, "count apps", q.sql.String(), q.args...)
	if err != nil {
		return nil, 0, err
	}
	offset, size, backwards := p.window(total)
	if size <= 0 {
		return nil, total, nil
	}
	q = &selection{}
	q.add(`SELECT a.* FROM (SELECT id FROM apps`)
	f.where(q)
	q.add(` ORDER BY id`)
	if backwards {
		q.add(` DESC`)
	}
	q.add(limit(size, offset) + `) p JOIN apps a ON a.id = p.id`)
	rows, err := list[App](ctx, d, "apps", q.sql.String(), q.args...)
	slices.SortFunc(rows, func(a, b App) int { return cmp.Compare(a.ID, b.ID) })
	return rows, total, err
}

// UpdateApp writes the named columns of a and announces the change. An app that
// is gone is ErrNotFound.
func (d *DB) UpdateApp(ctx context.Context, a *App, columns ...string) error {
	res := d.writer(ctx).Model(&App{}).Where("id = ?", a.ID).Select(columns).Updates(a)
	if res.Error == nil && res.RowsAffected == 0 {
		return notFound("update app %d", a.ID)
	}
	if res.Error != nil {
		return wrap(res.Error, "update app %d", a.ID)
	}
	return d.Announce(ctx, AppChanged, "")
}

// DeleteApp removes an app, which ends its tokens, and up to limit each of its
// tokens, codes and challenges. It reports whether ForgetApp has more to do. An app
// that is gone is ErrNotFound.
func (d *DB) DeleteApp(ctx context.Context, id int64, limit int) (more bool, err error) {
	n, err := d.exec(ctx, "delete app", "DELETE FROM apps WHERE id = ?", id)
	if err == nil && n == 0 {
		err = notFound("app %d", id)
	}
	if err != nil {
		return false, err
	}
	if err := d.Announce(ctx, AppChanged, ""); err != nil {
		return false, err
	}
	return d.ForgetApp(ctx, id, limit)
}

// ForgetApp removes up to limit each of the tokens, codes and challenges of an app
// that is gone. It reports whether there may be more.
func (d *DB) ForgetApp(ctx context.Context, id int64, limit int) (more bool, err error) {
	for _, of := range loginsOfApps {
		// In no order, since nothing else writes them any more.
		n, err := d.exec(ctx, "forget app", "DELETE FROM "+of.table+" WHERE "+of.key+" IN (SELECT "+of.key+" FROM "+of.table+" WHERE app_id = ?"+limitOf(limit)+")", id)
		if err != nil {
			return false, err
		}
		more = more || n >= int64(limit)
	}
	return more, nil
}

// loginsOfApps are the tables of tokens, codes and challenges, with their keys.
var loginsOfApps = []struct{ table, key string }{{"tokens", "id"}, {"authorisations", "code_hash"}, {"mfa_tokens", "token_hash"}}

// MarkAppUsed marks an app as used, so that it is not swept.
func (d *DB) MarkAppUsed(ctx context.Context, id int64) error {
	_, err := d.exec(ctx, "use app", "UPDATE apps SET used = TRUE WHERE id = ? AND NOT used", id)
	return err
}

// SweepApps removes up to limit apps that were registered before a moment and
// never used, with their tokens and codes. It returns their number.
func (d *DB) SweepApps(ctx context.Context, before Time, limit int) (int, error) {
	ids, err := list[int64](ctx, d.writing(), "sweep apps", `DELETE FROM apps WHERE NOT used AND id IN (
		SELECT id FROM apps WHERE NOT used AND created_at < ? ORDER BY created_at LIMIT ?) RETURNING id`, before, limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	for _, of := range loginsOfApps { // few, since no app was used
		if _, err := d.exec(ctx, "delete logins of apps", "DELETE FROM "+of.table+" WHERE app_id IN ?", ids); err != nil {
			return 0, err
		}
	}
	return len(ids), d.Announce(ctx, AppChanged, "")
}

// AppsWithPlainSecrets returns up to limit apps with secrets that are not
// sealed yet.
func (d *DB) AppsWithPlainSecrets(ctx context.Context, limit int) ([]App, error) {
	return list[App](ctx, d, "apps with clear secrets", "SELECT * FROM apps WHERE NOT sealed ORDER BY id LIMIT ?", limit)
}

// SealApp replaces the plain secret of an app by a sealed one.
func (d *DB) SealApp(ctx context.Context, id int64, sealed string) error {
	_, err := d.exec(ctx, "seal app", "UPDATE apps SET client_secret = ?, sealed = TRUE WHERE id = ? AND NOT sealed", sealed, id)
	return err
}
