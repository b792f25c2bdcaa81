package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc/client/settings/term"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/rights"
)

// most bounds the saved settings, far above the number of settings.
const most = 2000

// A Change saves a value under Group and Key or, with Delete, deletes the saved
// value: all of it, or with non-nil Subkeys those alone. Names and Value are in
// wire form.
type Change struct {
	Group, Key string
	Value      json.RawMessage
	Delete     bool
	Subkeys    []string
}

// A Problem is the fault of one change. Item is its index, Field the part that
// is wrong: group, key, value or subkeys. The message never quotes a value that
// may be secret.
type Problem struct {
	Item    int
	Field   string
	Message string
}

// Refused lists all faults of a request; none of its changes was made.
type Refused []Problem

// Error joins the messages.
func (r Refused) Error() string {
	lines := make([]string, len(r))
	for i, p := range r {
		lines[i] = p.Message
	}
	return strings.Join(lines, " ")
}

func (r *Refused) add(item int, field, message string) {
	*r = append(*r, Problem{Item: item, Field: field, Message: field + " - " + message + "."})
}

// wanted is a parsed change.
type wanted struct {
	item       int
	group, key string
	value      term.Term
	delete     bool
	subkeys    []string
}

// Left is the saved state after a change. Sent is the value of the change, null
// for a deletion of subkeys.
type Left struct {
	config.Saved
	Sent term.Term
	// Idle is the module of a policy that must be switched on before anything
	// comes of the change, "" for none.
	Idle string
}

// Update makes changes in order, all or none, and returns the saved state after
// each; changes without one are left out. Faults are Refused. When it returns,
// this process uses the new settings; other processes follow.
func (s *Store) Update(ctx context.Context, by *db.Account, changes []Change) ([]Left, error) {
	if err := rights.Administer(by); err != nil {
		return nil, err
	}
	if err := s.Enabled(); err != nil {
		return nil, err
	}
	all, err := s.understand(changes)
	if err != nil {
		return nil, err
	}
	hold := func(ctx context.Context, tx *db.DB) error { return rights.HoldAdmin(ctx, tx, by) }
	return s.save(ctx, by, hold, func(context.Context, *db.DB, *batch) ([]wanted, error) { return all, nil })
}

// Edit is Update with changes that plan derives from the settings in effect, in the
// same transaction: no other change comes between. What plan writes belongs to it. The
// caller checks the right before, and hold checks it again and holds it.
func (s *Store) Edit(ctx context.Context, by *db.Account, hold func(ctx context.Context, tx *db.DB) error, plan func(ctx context.Context, tx *db.DB, now *config.Settings) ([]Change, error)) ([]Left, error) {
	if err := s.Enabled(); err != nil {
		return nil, err
	}
	return s.save(ctx, by, hold, func(ctx context.Context, tx *db.DB, b *batch) ([]wanted, error) {
		acting, _ := s.unlocked.Acting(b.saved())
		now, _ := s.live.Base().With(acting)
		changes, err := plan(ctx, tx, &now)
		if err != nil {
			return nil, err
		}
		return s.understand(changes)
	})
}

// save makes the changes that understood returns once the settings are held and read.
//
// The account and the settings are held for the change before hold reads either: two
// moderators who first read which privileges they have would wait for each other.
func (s *Store) save(ctx context.Context, by *db.Account, hold func(context.Context, *db.DB) error, understood func(context.Context, *db.DB, *batch) ([]wanted, error)) ([]Left, error) {
	var left []Left
	written := false
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		if by.ID != "" {
			if err := tx.HoldAccounts(ctx, by.ID); err != nil {
				return err
			}
		}
		state, err := tx.LockSettings(ctx)
		if err != nil {
			return err
		}
		if err := hold(ctx, tx); err != nil {
			return err
		}
		b := &batch{}
		if err := b.read(ctx, tx); err != nil {
			return err
		}
		all, err := understood(ctx, tx, b)
		if err != nil {
			return err
		}
		for _, w := range all {
			s.apply(b, w)
		}
		s.together(b)
		if len(b.wrong) > 0 {
			return b.wrong
		}
		left, written = b.left, len(b.touched) > 0
		if !written {
			return nil
		}
		if err := b.write(ctx, tx, by); err != nil {
			return err
		}
		state.Revision++
		if b.reboot {
			state.Reboot = state.Revision
		}
		return tx.SaveSettingsState(ctx, state)
	})
	if err != nil || !written {
		return left, err
	}
	// The answer promises settings in effect.
	if err := s.Reload(context.WithoutCancel(ctx)); err != nil {
		return left, err
	}
	now := s.live.Load()
	for i, l := range left {
		left[i].Idle = now.Idle(l.Group, l.Key, l.Sent)
	}
	return left, nil
}

// understand parses names and values. It leaves out blank values, and settings
// that the whitelist excludes.
func (s *Store) understand(changes []Change) ([]wanted, error) {
	var wrong Refused
	var out []wanted
	for i, c := range changes {
		group, err := term.Name(c.Group)
		if err != nil {
			wrong.add(i, "group", err.Error())
		}
		key, err2 := term.Name(c.Key)
		if err2 != nil {
			wrong.add(i, "key", err2.Error())
		}
		if err != nil || err2 != nil {
			continue
		}
		w := wanted{item: i, group: group.Wire(), key: key.Wire(), delete: c.Delete, subkeys: c.Subkeys}
		if config.BootOnly(w.group, w.key) {
			wrong.add(i, "key", w.key+" is set where the server is started")
			continue
		}
		if !s.Allows(w.group, w.key) {
			continue
		}
		if !c.Delete {
			if w.value, err = term.FromJSON(c.Value); err != nil {
				wrong.add(i, "value", readable(w.group, w.key, err))
				continue
			}
			if w.value.IsNil() {
				wrong.add(i, "value", "Invalid value. Got: null")
				continue
			}
			if text, ok := w.value.Text(); ok && text == "" {
				continue
			}
		}
		out = append(out, w)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return out, nil
}

// readable returns an error about a value without quoting the value, which may
// be secret.
func readable(group, key string, err error) string {
	if config.HasSecrets(group, key) {
		return "the value cannot be read"
	}
	return err.Error()
}

// batch is the rows during an update.
type batch struct {
	rows    map[config.Named]term.Term
	before  map[config.Named]term.Term // the rows as they were
	touched map[config.Named]bool
	left    []Left
	reboot  bool
	wrong   Refused
	// activation is the change that requires confirmation by mail, -1 for none.
	activation int
	directory  int // the last change that saved :ldap, -1 for none
	last       int // the last change that saved something, -1 for none
}

func (b *batch) read(ctx context.Context, tx *db.DB) error {
	rows, err := tx.Settings(ctx)
	if err != nil {
		return err
	}
	b.rows, b.touched, b.activation = map[config.Named]term.Term{}, map[config.Named]bool{}, -1
	b.before = map[config.Named]term.Term{}
	b.directory, b.last = -1, -1
	for _, row := range rows {
		// An unreadable one counts as absent, and may be overwritten.
		if value, err := term.Decode(row.Value); err == nil {
			name := config.Named{Group: row.Grp, Key: row.Key}
			b.rows[name], b.before[name] = value, value
		}
	}
	return nil
}

func (s *Store) apply(b *batch, w wanted) {
	name := config.Named{Group: w.group, Key: w.key}
	saved, found := b.rows[name]
	switch {
	case !w.delete:
		value, ok := config.Unmask(w.group, w.key, w.value, saved)
		if !ok {
			return
		}
		if !b.check(w, value, saved) {
			return
		}
		if wrong := s.unlocked.Refuses(w.group, w.key, s.live.Base(), saved, value); len(wrong) > 0 {
			for _, err := range wrong {
				b.wrong.add(w.item, "value", err.Error())
			}
			return
		}
		b.needs(name, value.Keys())
		if found {
			value = term.SaveFor(w.group, w.key, saved, value)
		}
		b.save(w, name, value)
	case w.subkeys == nil:
		// An unreadable row is deleted too.
		b.touched[name] = true
		if found {
			b.needs(name, saved.Keys())
			delete(b.rows, name)
		}
	case found:
		value, err := saved.Without(w.subkeys)
		if err != nil {
			b.wrong.add(w.item, "subkeys", err.Error())
			return
		}
		rest := value.Keys()
		b.needs(name, slices.DeleteFunc(saved.Keys(), func(key string) bool { return slices.Contains(rest, key) }))
		if len(rest) == 0 {
			b.touched[name] = true
			delete(b.rows, name)
			return
		}
		b.save(w, name, value)
	}
}

func (b *batch) check(w wanted, value, saved term.Term) bool {
	wrong := append(config.Check(w.group, w.key, value), config.CheckHosts(w.group, w.key, value, saved)...)
	for _, err := range wrong {
		b.wrong.add(w.item, "value", err.Error())
	}
	if w.group == ":svc" && w.key == ":instance" {
		if on, ok := value.Get(":account_activation_required"); ok && on.Equal(term.Bool(true)) {
			b.activation = w.item
		}
	}
	if w.group == ":svc" && w.key == ":ldap" {
		b.directory = w.item
	}
	return len(wrong) == 0
}

func (b *batch) needs(name config.Named, subkeys []string) {
	b.reboot = b.reboot || term.NeedsReboot(name.Group, name.Key, subkeys...)
}

func (b *batch) save(w wanted, name config.Named, value term.Term) {
	b.last = w.item
	b.rows[name] = value
	b.touched[name] = true
	b.left = append(b.left, Left{Saved: config.Saved{Group: name.Group, Key: name.Key, Value: value}, Sent: w.value})
}

// together checks the changed settings as a whole.
func (s *Store) together(b *batch) {
	if len(b.rows) > most && b.last >= 0 {
		b.wrong.add(b.last, "key", fmt.Sprintf("at most %d settings are saved", most))
	}
	if b.activation < 0 && b.directory < 0 {
		return
	}
	acting, _ := s.unlocked.Acting(b.saved())
	after, _ := s.live.Base().With(acting)
	if b.directory >= 0 && after.Directory.Twice() {
		b.wrong.add(b.directory, "value", ":ldap :tls takes true only where :ssl is false")
	}
	if b.activation >= 0 && after.Unconfirmable() {
		b.wrong.add(b.activation, "value", ":instance :account_activation_required takes true only where mail is sent")
	}
}

func (b *batch) saved() []config.Saved {
	out := make([]config.Saved, 0, len(b.rows))
	for name, value := range b.rows {
		out = append(out, config.Saved{Group: name.Group, Key: name.Key, Value: value})
	}
	return out
}

// order is the touched settings by group and key.
func (b *batch) order() []config.Named {
	return slices.SortedFunc(maps.Keys(b.touched), func(x, y config.Named) int {
		return cmp.Or(strings.Compare(x.Group, y.Group), strings.Compare(x.Key, y.Key))
	})
}

func (b *batch) write(ctx context.Context, tx *db.DB, by *db.Account) error {
	for _, name := range b.order() {
		value, kept := b.rows[name]
		var err error
		if kept {
			err = tx.SaveSetting(ctx, &db.Setting{Grp: name.Group, Key: name.Key, Value: value.Encode()})
		} else {
			err = tx.DeleteSetting(ctx, name.Group, name.Key)
		}
		if err == nil {
			err = b.record(ctx, tx, by, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
