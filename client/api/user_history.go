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
	// Log are the entries of the moderation log about the account. Log, MailDomain and
	// Invite are nil for those who may not read the log, or accounts.
	Log   *List[LogEntry]   `json:"log"`
	Names List[AccountName] `json:"names"`
	// MailDomain is nil for accounts without an address, too, Invite for those that
	// registered without one.
	MailDomain *SameMailDomain `json:"mail_domain"`
	Invite     *SameInvite     `json:"invite"`

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

// SameMailDomain is the domain of a local account's mail address, with other accounts
// that have one there, the newest first. More says that there are more of them.
type SameMailDomain struct {
	Domain string          `json:"domain"`
	Users  List[AdminUser] `json:"users"`
	More   bool            `json:"more"`
}

// SameInvite is the invite that a local account registered with, with others that did.
type SameInvite struct {
	ID    int64           `json:"id"`
	Users List[AdminUser] `json:"users"`
	More  bool            `json:"more"`
}
