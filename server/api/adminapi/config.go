package adminapi

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/client/settings/term"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/rules/settings"
)

// Config answers requests about the settings.
type Config struct {
	Saved *settings.Store
}

// Config are the handlers of the settings.
func (p *Parts) Config() Config { return Config{p.Saved} }

// Show is GET /config. Secrets are masked unless the request has with_secrets,
// which needs the scope of POST: secrets give access beyond this API.
func (a Config) Show(c *gin.Context) error {
	onlyDB, secrets, err := configQuery(c)
	if err != nil {
		return err
	}
	if err := web.Scope(c); err != nil {
		return err
	}
	if secrets {
		if err := web.ScopeOf(c, "write"); err != nil {
			return err
		}
	}
	if err := a.Saved.Enabled(); err != nil {
		return err
	}
	shown := config.Redact
	if secrets {
		shown = func(_, _ string, value term.Term) term.Term { return value }
	}
	ctx := c.Request.Context()
	var out api.ConfigSettings
	if onlyDB {
		rows, err := a.Saved.Saved(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			out.Configs = append(out.Configs, setting(row.Group, row.Key, shown(row.Group, row.Key, row.Value), nil))
		}
	} else {
		list, err := a.Saved.List(ctx)
		if err != nil {
			return err
		}
		for _, l := range list {
			out.Configs = append(out.Configs, setting(l.Group, l.Key, shown(l.Group, l.Key, l.Value), l.Names))
		}
	}
	if out.NeedReboot, err = a.Saved.NeedReboot(ctx); err != nil {
		return err
	}
	return web.OK(c, out)
}

// configQuery reads only_db and with_secrets.
func configQuery(c *gin.Context) (onlyDB, secrets bool, err error) {
	var in struct {
		OnlyDB      bool `json:"only_db" binding:"exact"`
		WithSecrets bool `json:"with_secrets" binding:"exact"`
	}
	err = web.ReadQuery(c, &in)
	return in.OnlyDB, in.WithSecrets, err
}

func setting(group, key string, value term.Term, names []string) api.ConfigSetting {
	return api.ConfigSetting{Group: group, Key: key, Value: value.JSON(), DB: names}
}

// Update is POST /config. Its answer has the secrets of the request as sent,
// and earlier ones masked.
func (a Config) Update(c *gin.Context) error {
	_, secrets, err := configQuery(c)
	if err != nil {
		return err
	}
	changes, err := configChanges(c)
	if err != nil {
		return err
	}
	if err := web.Scope(c); err != nil {
		return err
	}
	web.Transient(c) // the answer may have secrets
	ctx := c.Request.Context()
	left, err := a.Saved.Update(ctx, web.Caller(c).Account, changes)
	var refused settings.Refused
	if errors.As(err, &refused) {
		s := &shape{}
		for _, p := range refused {
			s.item(p.Item, p.Field, p.Message)
		}
		return s.err()
	}
	if err != nil {
		return err
	}
	var out api.ConfigSettings
	for _, row := range left {
		value := row.Value
		if !secrets {
			value = config.RedactFrom(row.Group, row.Key, value, row.Sent)
		}
		out.Configs = append(out.Configs, setting(row.Group, row.Key, value, row.Names()))
		if row.Idle != "" {
			// The body has what is documented, and no more.
			c.Writer.Header().Add("Warning", fmt.Sprintf(`299 - "%s has no effect while %s is not in :mrf :policies"`, row.Key, row.Idle))
		}
	}
	if out.NeedReboot, err = a.Saved.NeedReboot(ctx); err != nil {
		return err
	}
	return web.OK(c, out)
}

// item refuses a field of one of the configs.
func (s *shape) item(i int, field, message string) {
	s.wrong = append(s.wrong, web.ShapeValue{Pointer: fmt.Sprintf("/configs/%d/%s", i, field), Message: message})
}

// configChanges reads the body. Null counts as absent, but not as the value of
// a setting, where it is refused.
func configChanges(c *gin.Context) ([]settings.Change, error) {
	var in struct {
		Configs []struct {
			Group   string `json:"group" binding:"required"`
			Key     string `json:"key" binding:"required"`
			Value   any    `json:"value"`
			Delete  any    `json:"delete"`
			Subkeys any    `json:"subkeys"`
		} `json:"configs" binding:"required"`
	}
	s := &shape{}
	if err := s.bind(web.Read(c, &in)); err != nil {
		return nil, err
	}
	// Unreadable items are missing from the changes, so indexes of later faults
	// would be wrong.
	if err := s.err(); err != nil {
		return nil, err
	}
	out := make([]settings.Change, len(in.Configs))
	for i, item := range in.Configs {
		change := settings.Change{Group: item.Group, Key: item.Key}
		switch item.Delete {
		case nil, false, "false":
			if item.Value == nil {
				s.item(i, "value", "Missing field: value.")
			}
		case true, "true":
			change.Delete = true
		default:
			s.item(i, "delete", "delete - Invalid boolean. Got: "+web.KindOf(item.Delete)+".")
		}
		raw, err := json.Marshal(item.Value)
		if err != nil {
			return nil, err
		}
		change.Value = raw
		if change.Subkeys, err = subkeys(item.Subkeys); err != nil {
			s.item(i, "subkeys", err.Error())
		}
		out[i] = change
	}
	return out, s.err()
}

func subkeys(v any) ([]string, error) {
	if v == nil {
		return nil, nil
	}
	items, ok := v.([]any)
	if !ok {
		return nil, errors.New("subkeys - Invalid array. Got: " + web.KindOf(v) + ".")
	}
	out := make([]string, len(items))
	for i, item := range items {
		if out[i], ok = item.(string); !ok {
			return nil, errors.New("subkeys - Invalid string. Got: " + web.KindOf(item) + ".")
		}
	}
	return out, nil
}

// History is GET /config/history.
func (a Config) History(c *gin.Context) error {
	var in struct {
		Group  string `json:"group"`
		Key    string `json:"key"`
		Before *int64 `json:"before"`
		Limit  *int64 `json:"limit"`
	}
	if err := web.BindQuery(c, &in); err != nil {
		return err
	}
	limit, before := sized(in.Limit), int64(0)
	if in.Before != nil {
		before = *in.Before
	}
	rows, err := a.Saved.History(c.Request.Context(), web.Caller(c).Account, in.Group, in.Key, before, limit)
	if err != nil {
		return err
	}
	out := api.ConfigHistory{}
	for _, row := range rows {
		past := api.ConfigPast{ID: row.ID, Group: row.Group, Key: row.Key, Secret: row.Secret, CreatedAt: api.Time{Time: row.At.Time}}
		if row.Before != nil {
			past.Before = row.Before.JSON()
		}
		if row.After != nil {
			past.After = row.After.JSON()
		}
		if by := row.By; by != nil {
			past.Actor = &api.LogUser{ID: by.Serial, AccountID: by.ID, Nickname: by.Nickname}
		}
		out.Changes = append(out.Changes, past)
	}
	if len(rows) == limit {
		out.Next = rows[limit-1].ID
	}
	return web.OK(c, out)
}

// NeedReboot is GET /need_reboot.
func (a Config) NeedReboot(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	needed, err := a.Saved.NeedReboot(c.Request.Context())
	if err != nil {
		return err
	}
	return web.OK(c, api.ConfigReboot{NeedReboot: needed})
}

// Restart is GET /restart.
func (a Config) Restart(c *gin.Context) error {
	if err := web.Scope(c); err != nil {
		return err
	}
	if err := a.Saved.Restart(c.Request.Context(), web.Caller(c).Account); err != nil {
		return err
	}
	return web.OK(c, struct{}{})
}
