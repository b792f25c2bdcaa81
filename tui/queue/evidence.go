package queue

import (
	"fmt"
	"strings"

	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/shown"
)

// evidence is the material to judge a report by: accounts, comment, statuses,
// notes. It also returns the line where the statuses begin.
func (r *Reports) evidence(m *desk.Env, posts *postPane, id string, width int, focus, rich bool) (lines []draw.Line, head, selected int) {
	detail := r.detail(id)
	if detail == nil {
		return []draw.Line{draw.Inked(draw.InkDim, " loading "+safe.Line(id))}, 0, 0
	}
	r.viewed[id] = true
	for _, l := range r.personLines(m, &detail.About, rich) {
		lines = append(lines, l.Flow(width)...)
	}
	if history, scanned := r.reportsAbout(detail); history != "" {
		switch {
		case rich:
			lines = append(lines, draw.Plain(" HISTORY "+history+scanned))
		default:
			lines[0] = append(lines[0], draw.Span{Text: "  " + history, Ink: draw.InkPlain})
		}
	}
	if detail.Was.String() != "" {
		was := detail.Was
		if !rich && !focus {
			was = was.OneLine()
		}
		then := draw.IndentIn(draw.InkQuote, " when it was reported: ", was, width-1)
		if !rich && !focus && len(then) > 1 {
			then[0] = append(then[0].Truncate(width-5), draw.Span{Text: " ...", Ink: draw.InkDim})
			then = then[:1]
		}
		lines = append(lines, then...)
	}
	if rich {
		lines = append(lines, append(draw.Plain(" "), m.Rule(min(width-2, 60))...))
	}
	by := detail.By.Acct.String()
	if detail.By.Local {
		by += " (local)"
	}
	label := fmt.Sprintf(" by %s, %s ago: ", by, safe.Age(m.Now().Sub(detail.At)))
	if rich {
		label = fmt.Sprintf(" %s  %s  %s ago: ", shown.ShortID(detail.ID), by, safe.Age(m.Now().Sub(detail.At)))
	}
	text := detail.Text
	if text.String() == "" {
		text = safe.Own("(no comment)")
	}
	said := draw.IndentIn(draw.InkQuote, label, text, width-1)
	const mostSaid = 2 // a small pane needs its lines for statuses
	if !rich && len(said) > mostSaid && !focus {
		said = append(said[:mostSaid-1], append(said[mostSaid-1], draw.Span{Text: " ...", Ink: draw.InkDim}))
	}
	lines = append(lines, said...)
	if c := detail.Category.String(); c != "" {
		lines = append(lines, draw.Inked(draw.InkWarn, " category "+c))
	}
	for _, rule := range detail.Rules {
		lines = append(lines, draw.IndentIn(draw.InkQuote, " RULE ", rule, width-1)...)
	}
	if reason := m.Troubles["report/"+detail.ID]; reason != "" {
		lines = append(lines, draw.Inked(draw.InkBad, " ! "+reason))
	}
	if row, known := r.Row(detail.ID); known {
		if by, since := r.claim(m, row); by != "" {
			lines = append(lines, draw.Inked(draw.InkWarn, fmt.Sprintf(" claimed by %s, %s ago", by, safe.Age(since))))
		}
	}
	head = len(lines)
	drawn, selected := posts.draw(m, detail.Posts, width, focus, rich)
	lines = append(lines, drawn...)
	if len(detail.Posts) == 0 {
		none := " no posts"
		if focus {
			none = ">no posts"
		}
		lines = append(lines, draw.Inked(draw.InkDim, none))
	}
	for _, n := range detail.Notes {
		lines = append(lines, draw.IndentIn(draw.InkNote, fmt.Sprintf(" NOTE %s %s: ", n.By, shown.Stamp(n.At)), n.Text, width-1)...)
	}
	if draft := m.Staged.Drafts[detail.ID]; draft != "" {
		lines = append(lines, draw.IndentIn(draw.InkNote, " DRAFT: ", safe.Clean(safe.Raw(draft)).OneLine(), width-1)...)
	}
	return lines, head, selected
}

// reportsAbout are the numbers of reports about who was reported, as the server counts
// them, else as they were loaded; scanned is which part of all reports that is.
func (r *Reports) reportsAbout(detail *shown.Report) (history, scanned string) {
	if detail.Counts != nil {
		return inStates(detail.Counts.Of), ""
	}
	if t := r.tallies[detail.About.Nick]; t != nil {
		return inStates(t.count), r.scanned()
	}
	return "", ""
}

// inStates is "3 open, 1 closed".
func inStates(count func(state string) int) string {
	var parts []string
	for _, state := range []string{"open", "closed", "resolved"} {
		if n := count(state); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(parts) == 0 {
		return "no reports"
	}
	return strings.Join(parts, ", ")
}

// scanned is the part of all reports that the history covers.
func (r *Reports) scanned() string {
	if r.all < 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d loaded)", min(r.Columns.Len(), r.all), r.all)
}

// personLines describe an account.
func (r *Reports) personLines(m *desk.Env, p *shown.Person, rich bool) []draw.Line {
	where := "remote"
	switch {
	case p.Gone:
		return []draw.Line{draw.Inked(draw.InkDim, " account is gone")}
	case p.Local:
		where = "local"
	}
	first := append(draw.Plain(" "), draw.Account(p.Acct.String(), draw.InkStrong)...)
	if label := m.LikeStaff(p.Nick); label != "" {
		first = append(first, draw.Span{Text: label, Ink: draw.InkWarn})
	}
	first = append(first, draw.Span{Text: "  " + where, Ink: draw.InkPlain})
	if p.Roles != "" {
		first = append(first, draw.Span{Text: "  ", Ink: draw.InkPlain}, draw.Span{Text: "[" + p.Roles + "]", Ink: draw.InkChip})
	}
	wish := m.Wish("user/" + p.Nick)
	var joined string
	if !p.Joined.IsZero() {
		joined = "  joined " + shown.Date(p.Joined)
	}
	if !rich {
		switch {
		case wish != "":
			first = append(first, draw.Span{Text: "  [" + wish + "]", Ink: draw.InkWarn})
		case p.Deactivated:
			first = append(first, draw.Span{Text: "  [off]", Ink: draw.InkWarn})
		}
		first = append(first, draw.Span{Text: fmt.Sprintf("%s  posts %d", joined, p.Posts), Ink: draw.InkPlain})
		if tags := p.Tags.String(); tags != "" {
			first = append(first, draw.Span{Text: "  tags: ", Ink: draw.InkDim}, draw.Span{Text: "[" + tags + "]", Ink: draw.InkChip})
		}
		return append([]draw.Line{first}, personTrouble(m, p)...)
	}
	off, tags := "no", p.Tags.String()
	if p.Deactivated {
		off = "yes"
	}
	if wish != "" {
		off += ", " + wish
	}
	if tags == "" {
		tags = "none"
	}
	first = append(first, draw.Span{Text: "   deactivated: ", Ink: draw.InkDim}, draw.Span{Text: off, Ink: inkOff(p.Deactivated)}, draw.Span{Text: "   tags: ", Ink: draw.InkDim})
	if tags == "none" {
		first = append(first, draw.Span{Text: tags, Ink: draw.InkDim})
	} else {
		first = append(first, draw.Span{Text: "[" + strings.ReplaceAll(tags, ", ", "] [") + "]", Ink: draw.InkChip})
	}
	second := strings.TrimLeft(joined+"  ", " ")
	second = " " + second + fmt.Sprintf("followers %d  posts %d", p.Followers, p.Posts)
	if p.Domain != "" {
		second += fmt.Sprintf("  domain: %d open", r.openAt(p.Domain))
	}
	lines := []draw.Line{first, draw.Inked(draw.InkDim, second)}
	if name := p.Name.String(); name != "" {
		lines = append(lines, draw.Line{{Text: " name ", Ink: draw.InkDim}, {Text: name, Ink: draw.InkPlain}})
	}
	return append(lines, personTrouble(m, p)...)
}

func personTrouble(m *desk.Env, p *shown.Person) []draw.Line {
	if reason := m.Troubles["user/"+p.Nick]; reason != "" {
		return []draw.Line{draw.Inked(draw.InkBad, " ! "+reason)}
	}
	return nil
}

// inkOff is the ink of whether an account is deactivated.
func inkOff(off bool) draw.Ink {
	if off {
		return draw.InkWarn
	}
	return draw.InkPlain
}
