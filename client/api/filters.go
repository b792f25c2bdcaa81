package api

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Filter is a keyword of a FilterV2, as the first version of the API has it. Its id is
// the keyword's. Clients hide matching statuses; with Irreversible the server leaves them
// out.
type Filter struct {
	ID           string       `json:"id" schema:"filled"`
	Phrase       string       `json:"phrase" schema:"filled"`
	Context      List[string] `json:"context" schema:"enum=home notifications public thread account"` // home, notifications, public, thread, account
	ExpiresAt    *Time        `json:"expires_at"`
	Irreversible bool         `json:"irreversible"`
	WholeWord    bool         `json:"whole_word"`
}

// NewFilter is the form of POST /api/v1/filters, which needs Phrase and
// Context, and of PUT /api/v1/filters/:id, where nil stays as it is. ExpiresIn
// is in seconds, 0 is never; WholeWord is true where a new filter has none.
type NewFilter struct {
	Phrase       *string  `json:"phrase,omitempty" form:"phrase"`
	Context      []string `json:"context,omitempty" form:"context[]"`
	Irreversible *Bool    `json:"irreversible,omitempty" form:"irreversible"`
	WholeWord    *Bool    `json:"whole_word,omitempty" form:"whole_word"`
	ExpiresIn    *Int     `json:"expires_in,omitempty" form:"expires_in"`
}

// FilterV2 is what its owner does not want to read in some places: statuses with any of
// its keywords, and its statuses. Clients do with them as FilterAction says, "warn" or
// "blur"; with "hide" the server leaves them out.
type FilterV2 struct {
	FilterHead

	Keywords List[FilterKeyword] `json:"keywords"`
	Statuses List[FilterStatus]  `json:"statuses"`
}

// FilterHead is a filter without its keywords and statuses.
type FilterHead struct {
	ID           string       `json:"id" schema:"filled"`
	Title        string       `json:"title" schema:"filled"`
	Context      List[string] `json:"context" schema:"enum=home notifications public thread account"` // home, notifications, public, thread, account
	ExpiresAt    *Time        `json:"expires_at"`
	FilterAction string       `json:"filter_action" schema:"enum=warn hide blur"`
}

// FilterKeyword is a text that a filter looks for.
type FilterKeyword struct {
	ID        string `json:"id" schema:"filled"`
	Keyword   string `json:"keyword" schema:"filled"`
	WholeWord bool   `json:"whole_word"`
}

// FilterStatus is a status of a filter.
type FilterStatus struct {
	ID       string `json:"id" schema:"filled"`
	StatusID string `json:"status_id" schema:"filled"`
}

// FilterResult has the keywords and statuses by which a filter matches a status. A part
// without a match is null.
type FilterResult struct {
	Filter         FilterHead `json:"filter"`
	KeywordMatches []string   `json:"keyword_matches" schema:"filled,nullable"`
	StatusMatches  []string   `json:"status_matches" schema:"filled,nullable"`
}

// FilterV2Form is the form of POST /api/v2/filters, which needs Title and Context, and
// of PUT /api/v2/filters/:id, where nil stays as it is.
type FilterV2Form struct {
	Title        *string              `json:"title,omitempty" form:"title"`
	Context      []string             `json:"context,omitempty" form:"context[]"`
	FilterAction *string              `json:"filter_action,omitempty" form:"filter_action"`
	ExpiresIn    *Seconds             `json:"expires_in,omitempty" form:"expires_in" schema:"type=integer string"`
	Keywords     []FilterKeywordEntry `json:"keywords_attributes,omitempty" form:"keywords_attributes[]"`
}

// FilterKeywordEntry is a keyword of a FilterV2Form: a new one, or with ID a change of an
// existing one, which Destroy removes.
type FilterKeywordEntry struct {
	ID        Int     `json:"id,omitempty" form:"id" schema:"type=integer string"`
	Keyword   *string `json:"keyword,omitempty" form:"keyword"`
	WholeWord *Bool   `json:"whole_word,omitempty" form:"whole_word"`
	Destroy   Bool    `json:"_destroy,omitempty" form:"_destroy"`
}

// FilterKeywordForm is the form of POST /api/v2/filters/:id/keywords, which needs
// Keyword, and of PUT /api/v2/filters/keywords/:id, where nil stays as it is.
type FilterKeywordForm struct {
	Keyword   *string `json:"keyword,omitempty" form:"keyword"`
	WholeWord *Bool   `json:"whole_word,omitempty" form:"whole_word"`
}

// FilterStatusForm is the form of POST /api/v2/filters/:id/statuses.
type FilterStatusForm struct {
	StatusID string `json:"status_id" form:"status_id" binding:"required"`
}

// Seconds is a span in a form, as digits; "" is 0.
type Seconds string

// UnmarshalJSON reads a number or a text of digits, which may be empty.
func (s *Seconds) UnmarshalJSON(data []byte) error {
	text := string(data)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	if text = strings.TrimSpace(text); text != "" {
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[int64]()}
		}
	}
	*s = Seconds(text)
	return nil
}

// Int returns the number of seconds.
func (s Seconds) Int() Int {
	n, _ := strconv.ParseInt(string(s), 10, 64)
	return Int(n)
}
