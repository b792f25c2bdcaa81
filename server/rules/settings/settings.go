// Package settings keeps the runtime settings that admins save: rows of the
// database over the operator's own settings. A Store reads them before anything
// else starts, puts them into the process's config.Live, and reads them again
// soon after a change by any process.
//
// The meaning of settings is in config, their values in client/settings/term.
package settings

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"svc/client/settings/term"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/guard"
	"svc/server/platform/rights"
)

// The pauses between the checks for changes by other processes.
const (
	// look is how often SQLite is asked for changes by other processes, such as
	// svcd's own commands, which announce nothing. PostgreSQL announces changes,
	// and is asked in case an announcement was lost.
	look       = 500 * time.Millisecond
	lookAnyway = 10 * time.Second
)

// off refuses an endpoint that needs settings in the database.
var off = fault.Malformed("To use this endpoint you need to enable configuration from database.")

// Options restrict the settings that may be saved. A nil Whitelist allows all.
type Options struct {
	FromDatabase bool
	Whitelist    config.Whitelist
	Unlocked     config.Unlocked
	Log          *slog.Logger // nil discards
}

// Store holds the saved settings of one process.
type Store struct {
	db        *db.DB
	live      *config.Live
	log       *slog.Logger
	on        bool
	whitelist config.Whitelist
	unlocked  config.Unlocked
	started   int64 // the revision at the start of this process
	changed   chan struct{}

	mu       sync.Mutex
	revision int64 // the revision in live
	restarts int64 // restarts that this process has done
}

// Open reads the saved settings into live. Without FromDatabase there are none.
func Open(ctx context.Context, d *db.DB, live *config.Live, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Store{db: d, live: live, log: o.Log, on: o.FromDatabase, whitelist: o.Whitelist, unlocked: o.Unlocked, changed: make(chan struct{}, 1)}
	d.Subscribe(func(topic, _ string) {
		if topic == db.SettingsChanged || topic == db.AnythingMissed {
			s.wake()
		}
	})
	state, err := d.SettingsState(ctx)
	if err != nil {
		return nil, err
	}
	s.started, s.restarts = state.Revision, state.Restarts
	locked, err := s.reload(ctx)
	if len(locked) > 0 {
		s.log.WarnContext(ctx, "saved settings are locked: SVC_CONFIG_UNLOCK does not name them", "settings", locked)
	}
	return s, err
}

func (s *Store) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Enabled returns a refusal unless settings are kept in the database.
func (s *Store) Enabled() error {
	if s.on {
		return nil
	}
	return off
}

// Allows reports whether a setting may be saved; see config.Whitelist.
func (s *Store) Allows(group, key string) bool { return s.whitelist.Allows(group, key) }

// Reload reads the saved settings into the process's settings.
func (s *Store) Reload(ctx context.Context) error {
	_, err := s.reload(ctx)
	return err
}

// reload is Reload. It returns the names of saved settings that are locked.
func (s *Store) reload(ctx context.Context) (locked []string, err error) {
	if !s.on {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// The state is read first: later changes lead to another reload.
	state, err := s.db.SettingsState(ctx)
	if err != nil {
		return nil, err
	}
	saved, err := s.saved(ctx)
	if err != nil {
		return nil, err
	}
	acting, locked := s.unlocked.Acting(saved)
	for _, err := range s.live.Save(acting) {
		s.log.WarnContext(ctx, "cannot use a saved setting", "err", err)
	}
	s.revision = state.Revision
	return locked, nil
}

// saved reads the rows. An unreadable one is logged by name, and left out.
func (s *Store) saved(ctx context.Context) ([]config.Saved, error) {
	rows, err := s.db.Settings(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]config.Saved, 0, len(rows))
	for _, row := range rows {
		value, err := term.Decode(row.Value)
		if err != nil {
			s.log.WarnContext(ctx, "cannot read a saved setting", "group", row.Grp, "key", row.Key)
			continue
		}
		out = append(out, config.Saved{Group: row.Grp, Key: row.Key, Value: value})
	}
	return out, nil
}

// List returns every setting in effect, by group and key.
func (s *Store) List(ctx context.Context) ([]config.Listed, error) {
	var saved []config.Saved
	if s.on {
		var err error
		if saved, err = s.saved(ctx); err != nil {
			return nil, err
		}
	}
	return s.live.Base().List(saved, s.unlocked), nil
}

// Saved returns the saved settings by group and key.
func (s *Store) Saved(ctx context.Context) ([]config.Saved, error) { return s.saved(ctx) }

// NeedReboot reports whether a changed setting needs a restart that has not
// happened since, in this process's lifetime and by any process.
func (s *Store) NeedReboot(ctx context.Context) (bool, error) {
	state, err := s.db.SettingsState(ctx)
	return state.Reboot > s.started, err
}

// Restart makes every watching process restart its parts.
func (s *Store) Restart(ctx context.Context, by *db.Account) error {
	if err := rights.Administer(by); err != nil {
		return err
	}
	if err := s.Enabled(); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := rights.HoldAdmin(ctx, tx, by); err != nil {
			return err
		}
		state, err := tx.LockSettings(ctx)
		if err != nil {
			return err
		}
		state.Revision++
		state.Restarts++
		state.Reboot = 0
		return tx.SaveSettingsState(ctx, state)
	})
}

// Watch follows changes by other processes until ctx ends: it reloads, and
// calls restart if one was requested.
func (s *Store) Watch(ctx context.Context, restart func(context.Context)) {
	if !s.on {
		return
	}
	again := time.NewTimer(look)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
		case <-again.C:
		}
		if err := guard.Run(func() error { return s.follow(ctx, restart) }); err != nil {
			if ctx.Err() != nil {
				return
			}
			s.log.WarnContext(ctx, "cannot read settings", "err", err)
			again.Reset(look)
			continue
		}
		if s.db.Dialect() == db.SQLite {
			again.Reset(look)
		} else {
			again.Reset(lookAnyway)
		}
	}
}

func (s *Store) follow(ctx context.Context, restart func(context.Context)) error {
	state, err := s.db.SettingsState(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	old, wished := state.Revision != s.revision, state.Restarts > s.restarts
	s.restarts = max(s.restarts, state.Restarts)
	s.mu.Unlock()
	if old {
		if err := s.Reload(ctx); err != nil {
			return fmt.Errorf("reload settings: %w", err)
		}
	}
	if wished {
		restart(ctx)
	}
	return nil
}
