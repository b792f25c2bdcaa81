package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"svc/client/api"
)

// AdminConfig is the runtime settings that are kept in the database.
type AdminConfig struct{ c *Client }

// List returns all settings as they act, or with OnlyDB those that were saved,
// by group and key. Secrets are masked but with WithSecrets. GET /api/svc/admin/config.
func (s *AdminConfig) List(ctx context.Context, query api.ConfigQuery) (*api.ConfigSettings, error) {
	return get[api.ConfigSettings](ctx, s.c, values(query), adminPath+"/config")
}

// Change makes changes in order, all or none. It returns the settings that they
// saved, except removed ones; secrets from before are masked. POST
// /api/svc/admin/config.
func (s *AdminConfig) Change(ctx context.Context, changes ...api.ConfigChange) (*api.ConfigSettings, error) {
	in := Request{Method: http.MethodPost, Body: api.ConfigChanges{Configs: changes}}
	out := new(api.ConfigSettings)
	resp, err := run(ctx, s.c, in, []string{adminPath + "/config"}, out)
	if err != nil {
		return nil, err
	}
	for _, line := range resp.Header.Values("Warning") {
		if _, quoted, ok := strings.Cut(line, ` - `); ok {
			out.Warnings = append(out.Warnings, strings.Trim(quoted, `"`))
		}
	}
	return out, nil
}

// Set saves value, which is a term as bytes of JSON or anything that becomes
// one, under group and key. POST /api/svc/admin/config.
func (s *AdminConfig) Set(ctx context.Context, group, key string, value any) (*api.ConfigSettings, error) {
	raw, err := encodeJSON(value)
	if err != nil {
		return nil, fmt.Errorf("value of %s %s: %w", group, key, err)
	}
	return s.Change(ctx, api.ConfigChange{Group: group, Key: key, Value: raw})
}

// Delete removes the saved value of group and key, or only the named subkeys of
// it. POST /api/svc/admin/config.
func (s *AdminConfig) Delete(ctx context.Context, group, key string, subkeys ...string) (*api.ConfigSettings, error) {
	return s.Change(ctx, api.ConfigChange{Group: group, Key: key, Delete: true, Subkeys: subkeys})
}

// History is the changes that were made, the latest first. GET
// /api/svc/admin/config/history.
func (s *AdminConfig) History(query api.ConfigHistoryQuery) Listing[api.ConfigPast] {
	return listing(s.c, query, "limit", func(a api.ConfigHistory, _ *Response) part[api.ConfigPast] {
		p := part[api.ConfigPast]{items: a.Changes, total: -1}
		if a.Next != 0 {
			p.next = url.Values{"before": {strconv.FormatInt(a.Next, 10)}}
		}
		return p
	}, adminPath+"/config/history")
}

// NeedReboot reports whether something was changed for which clients are to ask
// for a restart. GET /api/svc/admin/need_reboot.
func (s *AdminConfig) NeedReboot(ctx context.Context) (bool, error) {
	answer, err := get[api.ConfigReboot](ctx, s.c, nil, adminPath+"/need_reboot")
	if err != nil {
		return false, err
	}
	return answer.NeedReboot, nil
}

// Restart has every process of the service set itself up anew, while it goes on
// answering. It is never retried. GET /api/svc/admin/restart.
func (s *AdminConfig) Restart(ctx context.Context) error {
	return perform(ctx, s.c, Request{Method: http.MethodGet}, []string{adminPath + "/restart"})
}

// Keyword is a keyword list in JSON, for values of settings: names, which are
// atoms with a colon or modules, and values in turn.
func Keyword(pairs ...any) json.RawMessage {
	list := make([]any, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, Tuple(pairs[i], pairs[i+1]))
	}
	raw, err := encodeJSON(list)
	if err != nil {
		raw = []byte("null") // which no server takes
	}
	return raw
}

// Tuple is a tuple of a setting's value.
func Tuple(items ...any) map[string]any {
	if items == nil {
		items = []any{}
	}
	return map[string]any{"tuple": items}
}
