package api

import "encoding/json"

// ConfigQuery is the query of GET /api/svc/admin/config. OnlyDB selects saved
// settings, without built-in values. WithSecrets shows secrets instead of
// masking them, and needs a token with the scope admin:write.
type ConfigQuery struct {
	OnlyDB      bool `json:"only_db,omitempty" form:"only_db"`
	WithSecrets bool `json:"with_secrets,omitempty" form:"with_secrets"`
}

// ConfigSetting is one runtime setting. Group and Key are atoms, with a colon,
// or names of modules. Value is a term in its JSON form, as the server sent it:
// objects with the single member tuple are tuples, strings with a colon atoms,
// arrays of pairs keyword lists. DB names the saved parts: subkeys, or Key if
// the value is saved whole; nil if nothing is saved.
type ConfigSetting struct {
	Group string          `json:"group" schema:"terms"`
	Key   string          `json:"key" schema:"terms"`
	Value json.RawMessage `json:"value" schema:"terms"`
	DB    List[string]    `json:"db,omitzero" schema:"terms"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a setting and keeps its bytes in Raw.
func (s *ConfigSetting) UnmarshalJSON(data []byte) error {
	type plain ConfigSetting
	if err := json.Unmarshal(data, (*plain)(s)); err != nil {
		return err
	}
	s.Raw = keep(data)
	return nil
}

// ConfigSettings is the answer to reads and writes of settings. NeedReboot is
// set if a change since the last restart needs a restart. Warnings are about saved
// values that have no effect yet; they are the answer's Warning headers.
type ConfigSettings struct {
	Configs    List[ConfigSetting] `json:"configs"`
	NeedReboot bool                `json:"need_reboot"`
	Warnings   []string            `json:"-"`
}

// ConfigChange is one change of POST /api/svc/admin/config: a Value to be
// merged into the saved one, or with Delete the removal of the saved value or
// of its Subkeys. Nil Subkeys are not sent; empty ones are, and delete nothing.
type ConfigChange struct {
	Group   string          `json:"group" schema:"terms"`
	Key     string          `json:"key" schema:"terms"`
	Value   json.RawMessage `json:"value,omitempty" schema:"terms"`
	Delete  bool            `json:"delete,omitempty"`
	Subkeys List[string]    `json:"subkeys,omitzero" schema:"terms"`
}

// ConfigChanges is the form of POST /api/svc/admin/config.
type ConfigChanges struct {
	Configs List[ConfigChange] `json:"configs"`
}

// ConfigHistoryQuery selects a page of the changes that were made, the latest
// first: of a Group, of one Key of it, or of all where those are ""; those below
// Before, at most Limit, 0 for 50.
type ConfigHistoryQuery struct {
	Group  string `json:"group,omitempty" form:"group" schema:"terms"`
	Key    string `json:"key,omitempty" form:"key" schema:"terms"`
	Before int64  `json:"before,omitempty" form:"before"`
	Limit  int    `json:"limit,omitempty" form:"limit"`
}

// ConfigPast is a change of a saved setting. Before and After are the saved values
// around it, null where there was none, with secrets masked; Secret says that a
// secret changed too. Actor is nil when the account is gone.
type ConfigPast struct {
	ID        int64           `json:"id"`
	Group     string          `json:"group" schema:"terms"`
	Key       string          `json:"key" schema:"terms"`
	Before    json.RawMessage `json:"before" schema:"terms"`
	After     json.RawMessage `json:"after" schema:"terms"`
	Secret    bool            `json:"secret"`
	Actor     *LogUser        `json:"actor"`
	CreatedAt Time            `json:"created_at"`
}

// ConfigHistory is the answer to a ConfigHistoryQuery. Next is the Before of the
// next page, 0 on the last.
type ConfigHistory struct {
	Changes List[ConfigPast] `json:"changes"`
	Next    int64            `json:"next"`
}

// ConfigReboot is the answer to GET /api/svc/admin/need_reboot.
type ConfigReboot struct {
	NeedReboot bool `json:"need_reboot"`
}
