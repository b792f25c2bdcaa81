package settings

import (
	"context"

	"svc/client/settings/term"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/rights"
)

// Past is a change that was made. Before and After are the saved values around it
// with secrets masked, nil where nothing was saved.
type Past struct {
	ID            int64
	Group, Key    string
	Before, After *term.Term
	Secret        bool        // a secret changed too
	By            *db.Account // nil when the account is gone
	At            db.Time
}

// History returns up to limit changes with ids below before (0 for all), newest
// first: of all settings, of a group, or of one key. Names are in wire form.
func (s *Store) History(ctx context.Context, by *db.Account, group, key string, before int64, limit int) ([]Past, error) {
	if err := rights.Administer(by); err != nil {
		return nil, err
	}
	if err := s.Enabled(); err != nil {
		return nil, err
	}
	rows, err := s.db.SettingChanges(ctx, group, key, before, limit)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, row := range rows {
		ids = append(ids, row.ActorID)
	}
	accounts, err := s.db.Accounts(ctx, ids)
	if err != nil {
		return nil, err
	}
	actors := map[string]*db.Account{}
	for i := range accounts {
		actors[accounts[i].ID] = &accounts[i]
	}
	out := make([]Past, len(rows))
	for i, row := range rows {
		out[i] = Past{ID: row.ID, Group: row.Grp, Key: row.Key, Secret: row.Secret, By: actors[row.ActorID], At: row.CreatedAt}
		for _, v := range []struct {
			from *string
			into **term.Term
		}{{row.Before, &out[i].Before}, {row.After, &out[i].After}} {
			if v.from == nil {
				continue
			}
			value, err := term.Decode(*v.from)
			if err != nil {
				return nil, err
			}
			*v.into = &value
		}
	}
	return out, nil
}

// record keeps what a batch changes under the name of an admin.
func (b *batch) record(ctx context.Context, tx *db.DB, by *db.Account, name config.Named) error {
	c := &db.SettingChange{Grp: name.Group, Key: name.Key, ActorID: by.ID}
	before, had := b.before[name]
	after, has := b.rows[name]
	if had == has && (!had || before.Equal(after)) {
		return nil
	}
	masked := func(v term.Term) *string {
		text := config.Redact(name.Group, name.Key, v).Encode()
		return &text
	}
	if had {
		c.Before = masked(before)
		// Whether the masked value and the secrets there are now make up the value.
		again, ok := config.Unmask(name.Group, name.Key, config.Redact(name.Group, name.Key, before), after)
		c.Secret = !ok || !again.Equal(before)
	}
	if has {
		c.After = masked(after)
	}
	return tx.AddSettingChange(ctx, c)
}
