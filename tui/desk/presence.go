package desk

import (
	"slices"
	"strings"
	"time"

	"svc/client/safe"
	"svc/tui/shown"
)

// presentTime is how long somebody counts as here after their last action.
const presentTime = 5 * time.Minute

// presence is the last that somebody else did.
type presence struct {
	at  time.Time
	did string
}

// saw notes that somebody else is at work.
func (s *session) saw(e shown.Entry) {
	if e.Actor == s.Me.String() || e.Actor == "" || s.present[e.Actor].at.After(e.At) {
		return
	}
	did := strings.ReplaceAll(e.Action, "_", " ")
	switch {
	case e.Report != "" && e.Action == "report_update":
		did = e.State + " " + shown.ShortID(e.Report)
		if e.State == "open" {
			did = "reopened " + shown.ShortID(e.Report)
		}
	case e.Report != "":
		did = "noted " + shown.ShortID(e.Report)
	case len(e.Users) == 1:
		did += " " + shown.Acct(e.Users[0]).String()
	}
	s.present[e.Actor] = presence{e.At, did}
}

// others says who else is here: "tess here; resolved 9x8fw 20s ago".
func (m *Env) others() string {
	var names []string
	for name, p := range m.present {
		if m.Now().Sub(p.at) < presentTime {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := m.present[b].at.Compare(m.present[a].at); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	last := m.present[names[0]]
	who := names[0] + " here; "
	if len(names) > 1 {
		who = strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " here; " + names[0] + " "
	}
	return who + last.did + " " + safe.Age(max(0, m.Now().Sub(last.at))) + " ago"
}
