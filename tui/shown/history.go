package shown

import (
	"strconv"
	"time"

	"svc/client/api"
	"svc/client/safe"
)

// Counts are numbers of reports by state; nil where the server does not say.
type Counts map[string]int

// NewCounts converts numbers of reports.
func NewCounts(c *api.ReportCounts) Counts {
	if c == nil {
		return nil
	}
	return Counts{api.ReportOpen: c.Open, api.ReportClosed: c.Closed, api.ReportResolved: c.Resolved}
}

// Of is the number of reports in a state.
func (c Counts) Of(state string) int { return c[state] }

// All is the number of reports in any state.
func (c Counts) All() int {
	sum := 0
	for _, n := range c {
		sum += n
	}
	return sum
}

// History is what the server knows of an account beside its profile. Lists have the
// newest entries alone, numbers count all.
type History struct {
	About, By  Counts
	Reports    []PastReport // about the account
	Filed      []PastReport // by it
	Log        []Entry
	Names      []safe.Safe // earlier ones, the newest first
	MailDomain Shared
	Invite     Shared
}

// PastReport is a report of a history.
type PastReport struct {
	ID        string
	State     string
	At        time.Time
	With      safe.Safe // the other account
	Text      safe.Safe
	Decided   bool
	DecidedBy safe.Safe // empty for an account that is gone
	DecidedAt time.Time
}

// Shared are other accounts that share something with an account.
type Shared struct {
	What  safe.Safe // empty if there is nothing to share
	Accts []safe.Safe
	More  bool
}

// NewHistory converts a history.
func NewHistory(h api.UserHistory) *History {
	out := &History{About: NewCounts(&h.ReportsAbout), By: NewCounts(&h.ReportsBy)}
	for i := range h.About {
		out.Reports = append(out.Reports, newPastReport(h.About[i], h.About[i].Actor))
	}
	for i := range h.By {
		out.Filed = append(out.Filed, newPastReport(h.By[i], h.By[i].Account))
	}
	if h.Log != nil {
		for _, e := range *h.Log {
			out.Log = append(out.Log, NewEntry(e))
		}
	}
	for _, n := range h.Names {
		name := "until " + n.Until.UTC().Format(time.DateOnly) + "  " + n.Nickname + "  " + n.DisplayName
		out.Names = append(out.Names, safe.Clean(safe.Raw(name)).OneLine())
	}
	if m := h.MailDomain; m != nil {
		out.MailDomain = newShared(safe.Clean(safe.Raw(m.Domain)).OneLine(), m.Users, m.More)
	}
	if i := h.Invite; i != nil {
		out.Invite = newShared(safe.Clean(safe.Raw(strconv.FormatInt(i.ID, 10))), i.Users, i.More)
	}
	return out
}

func newPastReport(r api.AdminReport, with api.MergedAccount) PastReport {
	out := PastReport{ID: r.ID, State: r.State, At: r.CreatedAt.Time, With: NewPerson(with).Acct}
	if r.Content != nil {
		out.Text = safe.HTML(*r.Content).OneLine()
	}
	if d := r.Svc.Decided; d != nil {
		out.Decided, out.DecidedBy = true, Acct(d.Nickname)
		if d.At != nil {
			out.DecidedAt = d.At.Time
		}
	}
	return out
}

func newShared(what safe.Safe, users []api.AdminUser, more bool) Shared {
	out := Shared{What: what, More: more}
	for _, u := range users {
		out.Accts = append(out.Accts, NewUser(u).Acct)
	}
	return out
}
