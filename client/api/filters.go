package api

// Filter is a phrase that its owner does not want to read, in some places. Its
// id counts the owner's own filters, printed as a string. Clients hide matching
// statuses; with Irreversible the server leaves them out.
type Filter struct {
	ID           string       `json:"id"`
	Phrase       string       `json:"phrase"`
	Context      List[string] `json:"context"` // home, notifications, public, thread, account
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
