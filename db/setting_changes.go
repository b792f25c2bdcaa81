package db

import "context"

// maxSettingChanges is how many changes of settings are kept, the latest.
const maxSettingChanges = 1000

// SettingChange is a change of a saved setting. Before and After are terms in
// tagged JSON with secrets masked, nil where nothing was or is saved.
type SettingChange struct {
	ID            int64
	Grp, Key      string
	Before, After *string
	Secret        bool   // a secret changed too
	ActorID       string // the account of the admin
	CreatedAt     Time   `gorm:"autoCreateTime:false"`
}

// AddSettingChange keeps a change and forgets those beyond the latest 1000. It
// belongs in the transaction of the change.
func (d *DB) AddSettingChange(ctx context.Context, c *SettingChange) error {
	if _, err := d.exec(ctx, "keep a change of settings", `INSERT INTO setting_changes (grp, key, before, after, secret, actor_id, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, c.Grp, c.Key, c.Before, c.After, c.Secret, c.ActorID, d.Now()); err != nil {
		return err
	}
	_, err := d.exec(ctx, "trim changes of settings", `DELETE FROM setting_changes WHERE id <= (
		SELECT id FROM setting_changes ORDER BY id DESC LIMIT 1 OFFSET ?)`, maxSettingChanges)
	return err
}

// SettingChanges returns up to limit changes with ids below before (0 for all),
// newest first: of all settings, of a group, or of one key.
func (d *DB) SettingChanges(ctx context.Context, group, key string, before int64, limit int) ([]SettingChange, error) {
	cond, args := "", []any{}
	for _, c := range []struct {
		cond, value string
	}{{" AND grp = ?", group}, {" AND key = ?", key}} {
		if c.value != "" {
			cond, args = cond+c.cond, append(args, c.value)
		}
	}
	if before > 0 {
		cond, args = cond+" AND id < ?", append(args, before)
	}
	return list[SettingChange](ctx, d, "changes of settings", "SELECT * FROM setting_changes WHERE TRUE"+cond+" ORDER BY id DESC"+limitOf(limit), args...)
}
