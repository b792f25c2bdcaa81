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
func ChangeSettings(ctx context.Context, c *client.Client, changes []settings.Change, seen []settings.Setting) (reboot bool, err error) {
	now, err := CompareSettings(ctx, c, true)
	if err != nil {
		return false, err
	}
	for _, change := range changes {
		was, is := SavedAt(seen, change), SavedAt(now, change)
		if (was == nil) != (is == nil) || was != nil && !was.Equal(*is) {
			return false, &Conflict{Target: change.Name(), Now: "changed"}
		}
	}
	body, err := SettingsRequest(changes)
	if err != nil {
		return false, err
	}
	answer, err := c.Admin.Config.Change(ctx, body...)
	switch {
	case err == nil:
		return answer.NeedReboot, nil
	case errors.Is(err, client.ErrNetwork) && settingsLanded(ctx, c, changes):
		return false, nil
	}
	return false, err
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
