package action

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"svc/client"
	"svc/client/api"
	"svc/client/settings"
)

// PastChanges are the changes that a past one made, turned round: from what it
// saved to what was saved before.
func PastChanges(past api.ConfigPast) ([]settings.Change, error) {
	before, after, err := pastValues(past)
	if err != nil {
		return nil, err
	}
	return restoring(before, after)
}

// PastWords describes a past change by subkeys where it has them: "limit: 5000 to
// 3000".
func PastWords(past api.ConfigPast) string {
	changes, err := PastChanges(past)
	if err != nil {
		return err.Error()
	}
	short := func(v *settings.Value) string {
		if v == nil {
			return "(not saved)"
		}
		return v.Short()
	}
	var parts []string
	for _, d := range changes {
		name := strings.TrimPrefix(d.Sub, ":")
		if name != "" {
			name += ": "
		}
		parts = append(parts, name+short(d.New)+" to "+short(d.Old))
	}
	if past.Secret {
		parts = append(parts, "a secret")
	}
	return strings.Join(parts, ", ")
}

// pastValues are the saved settings before and after a change, nil for none.
func pastValues(c api.ConfigPast) (before, after *settings.Setting, err error) {
	read := func(raw json.RawMessage) (*settings.Setting, error) {
		if len(raw) == 0 || string(raw) == "null" {
			return nil, nil
		}
		v, err := settings.Listed(c.Group, c.Key, raw)
		return &settings.Setting{Group: c.Group, Key: c.Key, Value: &v}, err
	}
	if before, err = read(c.Before); err != nil {
		return nil, nil, err
	}
	after, err = read(c.After)
	return before, after, err
}

// restoring are the changes that lead from the saved setting, nil for none, to the
// wanted one.
func restoring(wanted, saved *settings.Setting) ([]settings.Change, error) {
	var have, want []settings.Setting
	if saved != nil {
		have = append(have, *saved)
	}
	if wanted != nil {
		want = append(want, *wanted)
	}
	return settings.Plan(have, want, true)
}

// SecretChangeError is a past change of a secret, which no history keeps.
type SecretChangeError struct{ ID int64 }

func (e *SecretChangeError) Error() string {
	return "change " + strconv.FormatInt(e.ID, 10) + " changed a secret, which the history does not keep; nothing was sent"
}

// Rollback plans to take a past change back, and returns the saved settings that the
// plan is for. Where the setting was changed since, it fails with a *Conflict, but
// with force; a change of a secret is a *SecretChangeError.
func Rollback(ctx context.Context, c *client.Client, past api.ConfigPast, force bool) (changes []settings.Change, saved []settings.Setting, err error) {
	if past.Secret {
		return nil, nil, &SecretChangeError{past.ID}
	}
	before, after, err := pastValues(past)
	if err != nil {
		return nil, nil, err
	}
	masked, _, err := ReadSettings(ctx, c, true, false)
	if err != nil {
		return nil, nil, err
	}
	now := settings.Find(masked, past.Group, past.Key)
	if same := now == nil && after == nil || now != nil && after != nil && now.Value.Equal(*after.Value); !same && !force {
		return nil, nil, &Conflict{Target: settings.Name(past.Group, past.Key), Now: "changed"}
	}
	if saved, err = CompareSettings(ctx, c, true); err != nil {
		return nil, nil, err
	}
	changes, err = restoring(before, settings.Find(saved, past.Group, past.Key))
	return changes, saved, err
}
