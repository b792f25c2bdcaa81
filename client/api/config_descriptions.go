package api

import (
	"encoding/json"
	"fmt"
)

// ConfigDescription describes a form for settings: those of one key, or without
// a Key the whole keys of a group. Group and Key are atoms, with a colon, or
// names of modules. A form with a RelatedPolicy matters only while that policy
// is on.
type ConfigDescription struct {
	Group         string            `json:"group" schema:"terms"`
	Key           string            `json:"key,omitempty" schema:"terms"`
	Label         string            `json:"label" schema:"terms"`
	Type          ConfigType        `json:"type"` // always group
	Description   string            `json:"description,omitempty"`
	Tab           string            `json:"tab,omitempty"` // mrf, or empty
	RelatedPolicy string            `json:"related_policy,omitempty" schema:"terms"`
	Children      List[ConfigField] `json:"children"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a description and keeps its bytes in Raw.
func (d *ConfigDescription) UnmarshalJSON(data []byte) error {
	type plain ConfigDescription
	if err := json.Unmarshal(data, (*plain)(d)); err != nil {
		return err
	}
	d.Raw = keep(data)
	return nil
}

// ConfigField is one setting of a form, or a map or keyword list of Children.
// Group, if set, is :subgroup and the module that alone has the setting.
// Answers mask a Secret field.
type ConfigField struct {
	Key         string            `json:"key" schema:"terms"`
	Label       string            `json:"label" schema:"terms"`
	Type        ConfigType        `json:"type"`
	Description string            `json:"description"`
	Suggestions List[string]      `json:"suggestions" schema:"terms"` // values as they are written
	Children    List[ConfigField] `json:"children,omitzero"`
	Group       List[string]      `json:"group,omitzero" schema:"terms"`
	Secret      bool              `json:"secret,omitempty"`
}

// ConfigType is a word such as integer, or an array: the types inside a
// container, or several types of which a value has one, as in ["list","string"]
// and ["boolean","tuple"].
type ConfigType struct {
	Name string       // empty for an array
	Of   []ConfigType // of an array
}

// MarshalJSON renders a word or an array.
func (t ConfigType) MarshalJSON() ([]byte, error) {
	if t.Of != nil {
		return json.Marshal(t.Of)
	}
	return json.Marshal(t.Name)
}

// UnmarshalJSON reads a word or an array.
func (t *ConfigType) UnmarshalJSON(data []byte) error {
	*t = ConfigType{}
	if err := json.Unmarshal(data, &t.Name); err == nil {
		return nil
	}
	if err := json.Unmarshal(data, &t.Of); err != nil {
		return fmt.Errorf("type of a setting: %w", err)
	}
	return nil
}

// String is the type as on the wire.
func (t ConfigType) String() string {
	raw, err := json.Marshal(t)
	if err != nil {
		return t.Name
	}
	return string(raw)
}
