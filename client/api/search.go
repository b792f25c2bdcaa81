package api

import "encoding/json"

// SearchQuery is the query of a search. Type is accounts, hashtags, statuses or
// "" for all; Limit 0 is 20; AccountID selects statuses by their author, and
// Following accounts that the caller follows.
type SearchQuery struct {
	Q                 string `json:"q" form:"q"`
	Type              string `json:"type,omitempty" form:"type"`
	AccountID         string `json:"account_id,omitempty" form:"account_id"`
	Limit             int    `json:"limit,omitempty" form:"limit"`
	Offset            int    `json:"offset,omitempty" form:"offset"`
	MaxID             string `json:"max_id,omitempty" form:"max_id"` // of statuses: only older ones
	MinID             string `json:"min_id,omitempty" form:"min_id"` // and only newer ones
	Resolve           bool   `json:"resolve,omitempty" form:"resolve"`
	Following         bool   `json:"following,omitempty" form:"following"`
	WithRelationships bool   `json:"with_relationships,omitempty" form:"with_relationships"`
}

// Search is the part of a search's answer that both versions of it share, as
// the server renders it: arrays of Account and of Status.
type Search struct {
	Accounts json.RawMessage `json:"accounts"`
	Statuses json.RawMessage `json:"statuses"`
}

// SearchV1 is the answer of GET /api/v1/search.
type SearchV1 struct {
	Search
	Hashtags List[string] `json:"hashtags"`
}

// SearchV2 is the answer of GET /api/v2/search.
type SearchV2 struct {
	Search
	Hashtags List[Tag] `json:"hashtags"`
}

// Found is the result of a search, decoded.
type Found struct {
	Accounts List[Account] `json:"accounts"`
	Statuses List[Status]  `json:"statuses"`
	Hashtags List[Tag]     `json:"hashtags"`
}

// FoundV1 is Found with the names of hashtags alone.
type FoundV1 struct {
	Accounts List[Account] `json:"accounts"`
	Statuses List[Status]  `json:"statuses"`
	Hashtags List[string]  `json:"hashtags" schema:"filled"`
}
