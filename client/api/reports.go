package api

import "encoding/json"

// States of a report.
const (
	ReportOpen     = "open"
	ReportClosed   = "closed"
	ReportResolved = "resolved"
)

// The categories of reports.
const (
	CategorySpam      = "spam"
	CategoryLegal     = "legal"
	CategoryViolation = "violation"
	CategoryOther     = "other"
)

// Report is a report as its author sees it.
type Report struct {
	ID            string       `json:"id" schema:"filled"`
	ActionTaken   bool         `json:"action_taken"`
	ActionTakenAt *Time        `json:"action_taken_at"`
	Category      string       `json:"category" schema:"enum=spam legal violation other"`
	Comment       string       `json:"comment"`
	Forwarded     bool         `json:"forwarded"`
	CreatedAt     Time         `json:"created_at"`
	StatusIDs     List[string] `json:"status_ids" schema:"filled"`
	RuleIDs       List[string] `json:"rule_ids" schema:"filled"`
	TargetAccount *Account     `json:"target_account" schema:"notnull"`
}

// NewReport is the form of POST /api/v1/reports. Of StatusIDs only those of
// the reported account count; Comment has 1000 characters at most. With RuleIDs the
// category is violation; "" is other.
type NewReport struct {
	AccountID string   `json:"account_id" form:"account_id"`
	StatusIDs []string `json:"status_ids,omitempty" form:"status_ids[]"`
	Comment   string   `json:"comment,omitempty" form:"comment"`
	Forward   Bool     `json:"forward,omitempty" form:"forward"`
	Category  string   `json:"category,omitempty" form:"category"`
	RuleIDs   []string `json:"rule_ids,omitempty" form:"rule_ids[]"`
}

// NewAdminReport is the form of POST /api/svc/admin/reports. Account and Reporter are
// nicknames or ids; Reporter "" is the caller. All of StatusIDs must be Account's.
type NewAdminReport struct {
	Account   string   `json:"account"`
	Reporter  string   `json:"reporter,omitempty"`
	StatusIDs []string `json:"status_ids,omitempty"`
	Comment   string   `json:"comment,omitempty"`
	Forward   bool     `json:"forward,omitempty"`
}

// AdminReport is a report as moderators see it: Actor reported Account.
// Content is HTML or null; of deleted statuses there are copies while the report is open
// and some time after; notes come oldest first.
type AdminReport struct {
	ID        string           `json:"id"`
	State     string           `json:"state"`   // open, closed, resolved
	Content   *string          `json:"content"` // "" for none; nil in older servers' answers
	CreatedAt Time             `json:"created_at"`
	Account   MergedAccount    `json:"account"`
	Actor     MergedAccount    `json:"actor"`
	Statuses  List[Status]     `json:"statuses" schema:"copy"`
	Notes     List[ReportNote] `json:"notes"`
	Category  string           `json:"category,omitempty"` // "" in older servers' answers
	Rules     List[ReportRule] `json:"rules,omitempty"`    // those that Actor named, as they were
	Svc       AdminReportSvc   `json:"svc,omitzero"`

	Raw json.RawMessage `json:"-"`
}

// ReportRule is a rule of the house as it was when a report named it.
type ReportRule struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// AdminReportSvc is what this server adds to a report.
type AdminReportSvc struct {
	// ReportedAccount is the reported account as it was, if it shows something else now.
	ReportedAccount *ReportedAccount `json:"reported_account,omitempty"`
	// Decided is the last change of the state, nil if there was none.
	Decided *ReportDecision `json:"decided,omitempty"`
	// How many reports there are about the reported account, this one among them, and
	// by the reporter; nil in older servers' answers.
	ReportsAbout *ReportCounts `json:"reports_about,omitempty"`
	ReportsBy    *ReportCounts `json:"reports_by,omitempty"`
}

// ReportDecision says who changed the state of a report, and when. Nickname is "" for an
// account that is gone, and for the operator.
type ReportDecision struct {
	At       *Time  `json:"at"`
	Nickname string `json:"nickname"`
}

// ReportCounts are numbers of reports by their state.
type ReportCounts struct {
	Open     int `json:"open"`
	Closed   int `json:"closed"`
	Resolved int `json:"resolved"`
}

// All is the number of reports in any state.
func (c ReportCounts) All() int { return c.Open + c.Closed + c.Resolved }

// ReportedAccount is an account as it was when it was reported. Note and the values of
// Fields are HTML.
type ReportedAccount struct {
	Acct        string      `json:"acct"`
	DisplayName string      `json:"display_name"`
	Note        string      `json:"note"`
	Fields      List[Field] `json:"fields"`
	Avatar      string      `json:"avatar"`
	Header      string      `json:"header"`
}

// UnmarshalJSON decodes a report and keeps its bytes in Raw.
func (r *AdminReport) UnmarshalJSON(data []byte) error {
	type plain AdminReport
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return err
	}
	r.Account.Raw, r.Actor.Raw = nil, nil
	for i := range r.Statuses {
		r.Statuses[i].Raw = nil
	}
	for i := range r.Notes {
		r.Notes[i].User.Raw = nil
	}
	r.Raw = keep(data)
	return nil
}

// ReportNote is a moderator's note under a report. Its id is an integer.
type ReportNote struct {
	ID        int64         `json:"id"`
	Content   string        `json:"content"`
	User      MergedAccount `json:"user"`
	CreatedAt Time          `json:"created_at"`
}

// NewReportNote is the form of POST /api/svc/admin/reports/:id/notes.
type NewReportNote struct {
	Content string `json:"content" form:"content"`
}

// ReportList answers GET /api/svc/admin/reports: a page, newest first, and the
// number of all matches. Counts are the numbers of reports that match but for the state,
// nil in older servers' answers.
type ReportList struct {
	Reports List[AdminReport] `json:"reports"`
	Total   int               `json:"total"`
	Counts  *ReportCounts     `json:"counts,omitempty"`
}

// UnmarshalJSON also reads totalReports, the older name of total.
func (l *ReportList) UnmarshalJSON(data []byte) error {
	type plain ReportList
	list := struct {
		*plain
		TotalReports *int `json:"totalReports"`
	}{plain: (*plain)(l)}
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	if list.TotalReports != nil && l.Total == 0 {
		l.Total = *list.TotalReports
	}
	return nil
}

// GroupedReports answers GET /api/svc/admin/grouped_reports.
type GroupedReports struct {
	Reports List[GroupedReport] `json:"reports"`
}

// GroupedReport is all reports of one status: Date is the newest one's, Actors
// are the distinct reporters.
type GroupedReport struct {
	Date    Time                `json:"date"`
	Account MergedAccount       `json:"account"`
	Status  GroupedStatus       `json:"status"`
	Actors  List[MergedAccount] `json:"actors"`
	Reports List[AdminReport]   `json:"reports"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a group and keeps its bytes in Raw.
func (g *GroupedReport) UnmarshalJSON(data []byte) error {
	type plain GroupedReport
	if err := json.Unmarshal(data, (*plain)(g)); err != nil {
		return err
	}
	g.Account.Raw, g.Status.Raw = nil, nil
	for i := range g.Actors {
		g.Actors[i].Raw = nil
	}
	for i := range g.Reports {
		g.Reports[i].Raw = nil
	}
	g.Raw = keep(data)
	return nil
}

// GroupedStatus is a status with "deleted":false. With "deleted":true ID is the
// ActivityPub id, and Status has what a report copied of it, or nothing else.
type GroupedStatus struct {
	Status
	Deleted bool `json:"deleted"`
}

// MarshalJSON renders the status with deleted, or only id and deleted if there is no copy.
func (s GroupedStatus) MarshalJSON() ([]byte, error) {
	if s.Deleted && s.Svc.Deleted == nil {
		return json.Marshal(struct {
			ID      string `json:"id"`
			Deleted bool   `json:"deleted"`
		}{s.ID, true})
	}
	type plain GroupedStatus
	return json.Marshal(plain(s))
}

// UnmarshalJSON decodes both forms.
func (s *GroupedStatus) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &s.Status); err != nil {
		return err
	}
	return json.Unmarshal(data, &struct {
		Deleted *bool `json:"deleted"`
	}{&s.Deleted})
}

// ReportQuery selects a page of reports. Page counts from 1; PageSize 0 is 50,
// and Limit stands in for it. AccountID is the id of the reported account, ActorID that
// of the reporter, and Domain the host of the reported account.
type ReportQuery struct {
	State     string `json:"state,omitempty" form:"state"`
	AccountID string `json:"account_id,omitempty" form:"account_id"`
	ActorID   string `json:"actor_id,omitempty" form:"actor_id"`
	Domain    string `json:"domain,omitempty" form:"domain"`
	Limit     int    `json:"limit,omitempty" form:"limit"`
	Page      int    `json:"page,omitempty" form:"page"`
	PageSize  int    `json:"page_size,omitempty" form:"page_size"`
}

// ReportUpdate sets one report's state.
type ReportUpdate struct {
	ID    string `json:"id" form:"id"`
	State string `json:"state" form:"state"`
	// Was, if it is given, is the state that the report must have: if somebody gave it
	// another one, be it State, the item is refused as "state_changed". An extension of
	// svc, which other servers do not heed.
	Was string `json:"was,omitempty" form:"was"`
}

// ReportsPatch is the form of PATCH /api/svc/admin/reports. Refused items are
// answered as a list of ItemError; the others took effect.
type ReportsPatch struct {
	Reports []ReportUpdate `json:"reports" form:"-"`
}
