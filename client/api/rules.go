package api

import "encoding/json"

// Rule is a rule of the house.
type Rule struct {
	ID           string   `json:"id" schema:"filled"`
	Text         string   `json:"text" schema:"filled"`
	Hint         string   `json:"hint"`
	Translations struct{} `json:"translations"`
}

// AdminRule is a rule of the house as admins see it. Rules are shown by priority, the
// least first.
type AdminRule struct {
	ID       string `json:"id"`
	Text     string `json:"text"`
	Hint     string `json:"hint"`
	Priority int64  `json:"priority"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a rule and keeps its bytes in Raw.
func (r *AdminRule) UnmarshalJSON(data []byte) error {
	type plain AdminRule
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return err
	}
	r.Raw = keep(data)
	return nil
}

// RuleForm is the form of POST /api/svc/admin/rules, which needs Text, and of PATCH
// /api/svc/admin/rules/:id, where nil keeps a value.
type RuleForm struct {
	Text     *string `json:"text,omitempty" form:"text"`
	Hint     *string `json:"hint,omitempty" form:"hint"`
	Priority *Int    `json:"priority,omitempty" form:"priority"`
}
