package api

import "encoding/json"

// AdminStatus is a status in the admin's lists, with the author's merged
// account. The account inside a reblog is a plain one.
type AdminStatus struct {
	Status
	Account MergedAccount `json:"account"`
}

// UnmarshalJSON decodes a status and keeps its bytes in Raw.
func (s *AdminStatus) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &s.Status); err != nil {
		return err
	}
	err := json.Unmarshal(data, &struct {
		Account *MergedAccount `json:"account"`
	}{&s.Account})
	s.Account.Raw = nil
	return err
}

// AdminContext is the thread of a status, each part in the order to show: its parents,
// root first, and its answers, each followed by its own. A deleted status that a report
// names is there as it was, with Svc.Deleted.
type AdminContext struct {
	Ancestors   List[AdminStatus] `json:"ancestors" schema:"copy"`
	Status      AdminStatus       `json:"status" schema:"copy"`
	Descendants List[AdminStatus] `json:"descendants" schema:"copy"`
}

// AdminContextQuery selects statuses of a thread: Godmode also shows private and direct
// ones.
type AdminContextQuery struct {
	Godmode bool `json:"godmode,omitempty" form:"godmode"`
}

// StatusQuery selects a page of an admin's status list, newest first. Godmode
// also shows private and direct statuses; LocalOnly is for the list of all.
// Page counts from 1; PageSize 0 is 20.
type StatusQuery struct {
	Page        int  `json:"page,omitempty" form:"page"`
	PageSize    int  `json:"page_size,omitempty" form:"page_size"`
	LocalOnly   bool `json:"local_only,omitempty" form:"local_only"`
	Godmode     bool `json:"godmode,omitempty" form:"godmode"`
	WithReblogs bool `json:"with_reblogs,omitempty" form:"with_reblogs"`
}

// StatusUpdate is the form of PUT /api/svc/admin/statuses/:id. Visibility is
// public, unlisted or private; absent fields keep their values.
type StatusUpdate struct {
	Sensitive  *bool   `json:"sensitive,omitempty" form:"sensitive"`
	Visibility *string `json:"visibility,omitempty" form:"visibility"`
}
