package action

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"svc/client"
	"svc/client/api"
	"svc/client/settings"
)

// ReadSettings reads the settings in force, or those that are saved, with their
// secrets or masked.
func ReadSettings(ctx context.Context, c *client.Client, saved, secrets bool) ([]settings.Setting, *api.ConfigSettings, error) {
	answer, err := c.Admin.Config.List(ctx, api.ConfigQuery{OnlyDB: saved, WithSecrets: secrets})
	if err != nil {
		return nil, nil, err
	}
	all := make([]settings.Setting, len(answer.Configs))
	for i, s := range answer.Configs {
		v, err := settings.Listed(s.Group, s.Key, s.Value)
		if err != nil {
			return nil, nil, fmt.Errorf("%s %s: %w", s.Group, s.Key, err)
		}
		all[i] = settings.Setting{Group: s.Group, Key: s.Key, Value: &v}
	}
	return all, answer, nil
}

// CompareSettings reads settings to compare them: with their secrets where the
// token may see them, else masked. A mask equals any secret.
func CompareSettings(ctx context.Context, c *client.Client, saved bool) ([]settings.Setting, error) {
	all, _, err := ReadSettings(ctx, c, saved, true)
	if status := client.Status(err); status == http.StatusForbidden || status == http.StatusUnauthorized {
		all, _, err = ReadSettings(ctx, c, saved, false)
	}
	return all, err
}

// SettingsRequest is the body of the request that makes changes.
func SettingsRequest(changes []settings.Change) ([]api.ConfigChange, error) {
	var body []api.ConfigChange
	for _, s := range settings.Request(changes) {
		change := api.ConfigChange{Group: s.Group, Key: s.Key, Delete: s.Delete}
		if s.Value != nil {
			value, err := s.Value.MarshalJSON()
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", s.Group, s.Key, err)
			}
			change.Value = value
		}
		if s.Subkeys != nil {
			change.Subkeys = s.Subkeys
		}
		body = append(body, change)
	}
	return body, nil
}

// ChangeSettings posts changes, all or none, that were planned when the saved
// settings were as in seen. It fails with a *Conflict where somebody changed one
// of them since. A lost answer is made up for by reading.
func ChangeSettings(ctx context.Context, c *client.Client, changes []settings.Change, seen []settings.Setting) (*api.ConfigSettings, error) {
	now, err := CompareSettings(ctx, c, true)
	if err != nil {
		return nil, err
	}
	for _, change := range changes {
		was, is := SavedAt(seen, change), SavedAt(now, change)
		if (was == nil) != (is == nil) || was != nil && !was.Equal(*is) {
			return nil, &Conflict{Target: change.Name(), Now: "changed"}
		}
	}
	body, err := SettingsRequest(changes)
	if err != nil {
		return nil, err
	}
	answer, err := c.Admin.Config.Change(ctx, body...)
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(err, client.ErrNetwork) && settingsLanded(ctx, c, changes):
		return &api.ConfigSettings{}, nil
	}
	return nil, err
}

// settingsLanded reports whether changes are saved, after their answer was
// lost.
func settingsLanded(ctx context.Context, c *client.Client, changes []settings.Change) bool {
	saved, err := CompareSettings(ctx, c, true)
	if err != nil {
		return false
	}
	left, err := settings.Plan(saved, settings.Request(changes), false)
	return err == nil && len(left) == 0
}

// SavedAt is the saved value that a change is about, nil for none.
func SavedAt(saved []settings.Setting, c settings.Change) *settings.Value {
	found := settings.Find(saved, c.Group, c.Key)
	if found == nil {
		return nil
	}
	if c.Sub == "" {
		return found.Value
	}
	if v, ok := found.Value.Get(c.Sub); ok {
		return &v
	}
	return nil
}

// RestoreSetting is the action that takes a change back once it is saved, nil where
// a secret is part of it: those are in no file. The change has its secrets masked.
func RestoreSetting(c settings.Change) *Action {
	for _, v := range []*settings.Value{c.Old, c.New} {
		if v != nil && settings.HasMask(*v) {
			return nil
		}
	}
	return &Action{
		Kind: ConfigRestore, Target: c.Name(),
		Args: map[string]string{"value": wire(c.Old)}, Before: map[string]string{"value": wire(c.New)},
	}
}

// wire is a value in the API's JSON, "" for none.
func wire(v *settings.Value) string {
	if v == nil {
		return ""
	}
	doc, err := v.MarshalJSON()
	if err != nil {
		return ""
	}
	return string(doc)
}

// restoreSetting saves a setting or a subkey as it was once.
func (e *Engine) restoreSetting(Kind) kindRules {
	change := func(it *item) (settings.Change, error) {
		path, err := settings.ParseName(it.target.String())
		if err != nil || len(path) > 3 {
			return settings.Change{}, &UsageError{Quote(it.action.Target) + " is neither a setting nor a subkey of one"}
		}
		c := settings.Change{Group: path[0], Key: path[1]}
		if len(path) == 3 {
			c.Sub = path[2]
		}
		if text := it.action.Args["value"]; text != "" {
			v, err := settings.ParseJSON([]byte(text))
			if err != nil {
				return c, &UsageError{it.action.Target + ": " + err.Error()}
			}
			c.New = &v
		}
		return c, nil
	}
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			c, err := change(it)
			if err != nil {
				return err
			}
			saved, _, err := ReadSettings(ctx, e.client, true, false)
			it.now = map[string]string{"value": wire(SavedAt(saved, c))}
			return err
		},
		wish: func(a Action) map[string]string { return map[string]string{"value": a.Args["value"]} },
		send: func(ctx context.Context, items []*item) error {
			c, err := change(items[0])
			if err != nil {
				return err
			}
			saved, err := CompareSettings(ctx, e.client, true)
			if err != nil {
				return err
			}
			c.Old = SavedAt(saved, c)
			_, err = ChangeSettings(ctx, e.client, []settings.Change{c}, saved)
			return err
		},
		inverse: func(it *item) *Action {
			return &Action{
				Kind: ConfigRestore, Target: it.action.Target,
				Args: map[string]string{"value": it.now["value"]}, Before: map[string]string{"value": it.action.Args["value"]},
			}
		},
	}
}

// ConfigSet and ConfigUnset name changes of settings in the journal. They are sent by
// ChangeSettings and taken back by a ConfigRestore.
const (
	ConfigSet   Kind = "config.set"
	ConfigUnset Kind = "config.unset"
)

// SettingsResults are the results of changes that were made, with what takes them
// back. now are the saved settings as the server shows them: their secrets are masked,
// and changes of those cannot be taken back. nil is for settings that are not known.
func SettingsResults(changes []settings.Change, now []settings.Setting) []Result {
	results := make([]Result, len(changes))
	for i, change := range changes {
		kind := ConfigSet
		if change.New == nil {
			kind = ConfigUnset
		}
		results[i] = Result{Action: Action{Kind: kind, Target: change.Name()}, Outcome: Changed}
		if now != nil {
			shown := change.Hidden()
			shown.New = SavedAt(now, change)
			results[i].Inverse = RestoreSetting(shown)
		}
	}
	return results
}
