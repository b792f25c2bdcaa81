package api

import "encoding/json"

// UserHistory answers GET /api/svc/admin/users/:nickname_or_id/history: what moderators
// need to know of an account. Lists have the newest entries; the rest is in the lists of
// reports and of the log, which take the account as a filter.
type UserHistory struct {
	AccountID string `json:"account_id"`
	Nickname  string `json:"nickname"`

	ReportsAbout ReportCounts `json:"reports_about"`
	ReportsBy    ReportCounts `json:"reports_by"`

	About List[AdminReport] `json:"about"`
	By    List[AdminReport] `json:"by"`
	// Log are the entries of the moderation log about the account. Log and MailHost are
	// nil for those who may not read the log, or accounts.
	Log   *List[LogEntry]   `json:"log"`
	Names List[AccountName] `json:"names"`
	// MailHost is nil for accounts without an address, too.
	MailHost *MailHost `json:"mail_host"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a history and keeps its bytes in Raw.
func (h *UserHistory) UnmarshalJSON(data []byte) error {
	type plain UserHistory
	if err := json.Unmarshal(data, (*plain)(h)); err != nil {
		return err
	}
	h.Raw = keep(data)
	return nil
}

// AccountName is a name that an account had until a moment.
type AccountName struct {
	Nickname    string `json:"nickname"`
	DisplayName string `json:"display_name"`
	Until       Time   `json:"until"`
}

// MailHost is the host of a local account's mail address, with other accounts that have
// one there. More says that there are more of them.
type MailHost struct {
	Host  string          `json:"host"`
	Users List[AdminUser] `json:"users"`
	More  bool            `json:"more"`
}
