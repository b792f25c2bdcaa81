package db

import (
	"context"
	"fmt"
)

// SettingsChanged is the topic of runtime settings: one was saved or deleted,
// or a restart was requested. The payload is the revision.
const SettingsChanged = "settings"

// Setting is a saved runtime setting, with its value as a term in tagged JSON.
type Setting struct {
	Grp       string `gorm:"primaryKey"`
	Key       string `gorm:"primaryKey"`
	Value     string
	CreatedAt Time `gorm:"autoCreateTime:false"`
	UpdatedAt Time `gorm:"autoUpdateTime:false"`
}

// SettingsState is the state of the runtime settings.
type SettingsState struct {
	// Revision counts the changes of settings and the restarts.
	Revision int64
	// Reboot is the revision of the last change that needs a restart; 0 after the
	// restart.
	Reboot int64
	// Restarts counts the restarts.
	Restarts int64
}

const settingsKey = "settings"

// Settings returns the saved settings by group and key.
func (d *DB) Settings(ctx context.Context) ([]Setting, error) {
	return list[Setting](ctx, d, "settings", "SELECT grp, key, value, created_at, updated_at FROM settings ORDER BY grp, key")
}

// SaveSetting saves a setting over an earlier value.
func (d *DB) SaveSetting(ctx context.Context, s *Setting) error {
	_, err := d.exec(ctx, "save setting", `INSERT INTO settings (grp, key, value, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (grp, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`, s.Grp, s.Key, s.Value, d.Now(), d.Now())
	return err
}

// DeleteSetting removes a saved setting; none is no error.
func (d *DB) DeleteSetting(ctx context.Context, group, key string) error {
	_, err := d.exec(ctx, "delete setting", "DELETE FROM settings WHERE grp = ? AND key = ?", group, key)
	return err
}

// SettingsState returns the state of the settings.
func (d *DB) SettingsState(ctx context.Context) (SettingsState, error) {
	var s SettingsState
	text, err := d.Meta(ctx, settingsKey)
	if err == nil && text != "" {
		_, err = fmt.Sscan(text, &s.Revision, &s.Reboot, &s.Restarts)
	}
	return s, wrap(err, "state of the settings")
}

// LockSettings is SettingsState with a lock: until the transaction ends, no
// other one changes settings.
func (d *DB) LockSettings(ctx context.Context) (SettingsState, error) {
	if _, err := d.exec(ctx, "lock settings", "INSERT INTO meta (key, value) VALUES (?, '0 0 0') ON CONFLICT (key) DO UPDATE SET value = meta.value", settingsKey); err != nil {
		return SettingsState{}, err
	}
	return d.SettingsState(ctx)
}

// HeldSetting returns the saved value of a setting, "" for none, which stays
// until the transaction ends.
func (d *DB) HeldSetting(ctx context.Context, group, key string) (string, error) {
	if d.pool.dialect == Postgres {
		if _, err := list[string](ctx, d.writing(), "hold settings", "SELECT key FROM meta WHERE key = ? FOR SHARE", settingsKey); err != nil {
			return "", err
		}
	}
	rows, err := list[string](ctx, d.writing(), "setting", "SELECT value FROM settings WHERE grp = ? AND key = ?", group, key)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0], nil
}

// SaveSettingsState stores the state of the settings and announces it.
func (d *DB) SaveSettingsState(ctx context.Context, s SettingsState) error {
	if err := d.SetMeta(ctx, settingsKey, fmt.Sprint(s.Revision, s.Reboot, s.Restarts)); err != nil {
		return err
	}
	return d.Announce(ctx, SettingsChanged, fmt.Sprint(s.Revision))
}
