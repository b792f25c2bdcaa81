package playbook

import (
	"fmt"
	"slices"

	"svc/client/api"
	"svc/client/templates"
)

// Report is a report as far as playbooks look at it.
type Report struct {
	ID          string
	State       string
	About       string // the same for all reports about one account, "" where it is gone
	Nick        string // the account's nickname, "" where it is gone
	Deactivated bool
	By          string   // the reporter's nickname, "" where it is gone
	Posts       []string // those reported that still stand
	Fields      templates.Fields
}

// Case is the account that a playbook runs on, with the reports about it.
type Case struct {
	Nick        string // "" when the account is gone
	Deactivated bool
	Reports     []Report // the chosen ones, at least one
	All         []Report // all open ones about the account
	Fields      templates.Fields
	// Marked are the posts that the person chose; where there are none, a playbook is
	// about all that were reported.
	Marked []string
}

// Cases returns a case for each account of the chosen reports, in their order. Of the
// open reports those count that are about one of the accounts. Marked reports posts
// that the person chose; it may be nil.
func Cases(chosen, open []Report, marked func(post string) bool) []Case {
	var cases []Case
	at := map[string]int{}
	for _, r := range chosen {
		i, known := at[r.About]
		if !known || r.About == "" { // accounts that are gone cannot be told apart
			i = len(cases)
			at[r.About] = i
			cases = append(cases, Case{Nick: r.Nick, Deactivated: r.Deactivated, Fields: r.Fields})
		}
		cases[i].Reports = append(cases[i].Reports, r)
		for _, post := range r.Posts {
			if marked != nil && marked(post) && !slices.Contains(cases[i].Marked, post) {
				cases[i].Marked = append(cases[i].Marked, post)
			}
		}
	}
	for _, r := range open {
		if i, ok := at[r.About]; ok && r.About != "" && r.State == api.ReportOpen {
			cases[i].All = append(cases[i].All, r)
		}
	}
	return cases
}

// Scope is the part of a case that a playbook acts on.
type Scope struct {
	Posts   []string
	Left    int // posts of the reports that are not marked, and so stay
	Reports []Report
}

// Scope chooses the objects of a playbook: the reports that it decides, or the chosen
// ones where it decides none, and the posts of all of these, or those marked.
func (p Playbook) Scope(c Case) Scope {
	s := Scope{Reports: c.Reports}
	for _, step := range p.Steps {
		if step.All {
			s.Reports = union(c.Reports, c.All)
		}
	}
	var all []string
	for _, r := range s.Reports {
		for _, post := range r.Posts {
			if !slices.Contains(all, post) {
				all = append(all, post)
			}
		}
	}
	s.Posts = all
	if len(c.Marked) > 0 {
		s.Posts = c.Marked
	}
	s.Left = len(all) - len(s.Posts)
	return s
}

// Words counts the objects of scopes: "2 posts of 4 reports, by 3 reporters".
func Words(scopes ...Scope) string {
	posts, left, reports, gone := 0, 0, 0, 0
	reporters := map[string]bool{}
	for _, s := range scopes {
		posts, left, reports = posts+len(s.Posts), left+s.Left, reports+len(s.Reports)
		for _, r := range s.Reports {
			if r.By == "" {
				gone = 1 // one at least
			} else {
				reporters[r.By] = true
			}
		}
	}
	text := count(posts, "post") + " of " + count(reports, "report") + ", by " + count(len(reporters)+gone, "reporter")
	if left > 0 {
		text += fmt.Sprintf("; %d more reported stay", left)
	}
	return text
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func union(a, b []Report) []Report {
	all := slices.Clone(a)
	for _, r := range b {
		if !slices.ContainsFunc(all, func(other Report) bool { return other.ID == r.ID }) {
			all = append(all, r)
		}
	}
	return all
}
