package tui

import (
	"fmt"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/shown"
)

// postPane is how the posts of one object are looked at: which is selected,
// marked, and shown in spite of its warning.
type postPane struct {
	at     int // selected
	top    int // first line shown
	marks  map[string]bool
	opened map[string]bool // statuses with an opened warning, by id
	jump   bool            // bring the selected post into sight
}

func newPostPane() postPane {
	return postPane{marks: map[string]bool{}, opened: map[string]bool{}}
}

// reset goes to the first post of another object. Its marks are gone, its
// warnings stay read until they are closed.
func (p *postPane) reset() {
	p.at, p.top, p.jump = 0, 0, false
	clear(p.marks)
}

// run moves, marks and opens.
func (p *postPane) run(c keys.Command, posts []shown.Post) bool {
	switch c {
	case keys.Down:
		p.at = min(p.at+1, max(0, len(posts)-1))
	case keys.Up:
		p.at = max(0, p.at-1)
	case keys.Top:
		p.at = 0
	case keys.Bottom:
		p.at = max(0, len(posts)-1)
	case keys.HalfDown:
		p.top += 5
		return true
	case keys.PageDown:
		p.top += 10
		return true
	case keys.HalfUp:
		p.top = max(0, p.top-5)
		return true
	case keys.PageUp:
		p.top = max(0, p.top-10)
		return true
	case keys.Mark:
		if p.at < len(posts) {
			id := posts[p.at].ID
			p.marks[id] = !p.marks[id]
			p.at = min(p.at+1, len(posts)-1)
		}
	case keys.MarkAll:
		for _, one := range posts {
			p.marks[one.ID] = true
		}
	default:
		return false
	}
	p.jump = true
	return true
}

// chosen are the posts that a command is about: the marked ones; with focus
// the selected one; else the only one there is.
func (p *postPane) chosen(posts []shown.Post, focus bool) []shown.Post {
	var found []shown.Post
	for i, one := range posts {
		if p.marks[one.ID] && !one.Deleted {
			found = append(found, posts[i])
		}
	}
	switch {
	case len(found) > 0:
	case focus && p.at < len(posts) && !posts[p.at].Deleted:
		found = []shown.Post{posts[p.at]}
	case len(posts) == 1 && !posts[0].Deleted:
		found = []shown.Post{posts[0]}
	}
	return found
}

// open shows the next hidden text, from the selected post on.
func (p *postPane) open(posts []shown.Post) bool {
	for i := range posts {
		one := posts[(p.at+i)%len(posts)]
		if one.Hides() && !p.opened[one.ID] {
			p.opened[one.ID] = true
			return true
		}
	}
	return false
}

func (p *postPane) closeAll() { clear(p.opened) }

// draw is the lines of posts, and the line where the selected one begins. Rich
// heads stand on a line of their own, for wide panes.
func (p *postPane) draw(m *env, posts []shown.Post, width int, focus, rich bool) (lines []draw.Line, selected int) {
	for i, one := range posts {
		if i == p.at {
			selected = len(lines)
		}
		chosen := focus && i == p.at
		mark, ink, accent := "", draw.InkStrong, draw.InkAccent
		if chosen {
			ink, accent = draw.InkCursor, draw.InkChosen
		}
		if p.marks[one.ID] {
			mark = "[x] "
		}
		block := func(l ...draw.Span) draw.Line {
			lead := draw.Span{Text: " ", Ink: draw.InkPlain}
			if chosen {
				lead = draw.Span{Text: ">", Ink: draw.InkChosen}
				chosen = false // at its first line alone
			}
			return append(draw.Line{lead, {Text: m.theme.Glyphs.Bar, Ink: accent}}, l...)
		}
		count := fmt.Sprintf("%s%d of %d", mark, i+1, len(posts))
		if rich {
			lines = append(lines, block(append(draw.Line{{Text: " POST " + count + " ", Ink: ink}}, p.flags(m, one)...)...))
			lines = append(lines, block(draw.Span{Text: fmt.Sprintf(" %s  %s  %s  replies %d reblogs %d",
				safe.Line(one.ID), visibility(one), one.At.UTC().Format("2006-01-02T15:04Z"), one.Replies, one.Reblogs), Ink: draw.InkDim}))
		} else {
			head := draw.Line{{Text: " " + count + " ", Ink: ink}, {Text: " " + shown.ShortID(one.ID) + "  " + visibility(one), Ink: draw.InkDim}}
			if one.CW.String() == "" {
				head = append(head, draw.Span{Text: "  no CW", Ink: draw.InkDim})
			}
			head = append(head, p.flags(m, one)...)
			for _, medium := range one.Media {
				head = append(head, draw.Span{Text: "  " + medium.Label(m.keys.Key(keys.Media)), Ink: draw.InkDim})
			}
			lines = append(lines, block(head...))
		}
		if !one.Hides() || p.opened[one.ID] {
			for _, text := range m.wrap(one.ID, one.Text, width-4) {
				lines = append(lines, block(draw.Span{Text: " " + text, Ink: draw.InkPost}))
			}
			if one.Reported.String() != "" {
				lines = append(lines, block(draw.Span{Text: " when it was reported:", Ink: draw.InkDim}))
				for _, text := range m.wrap(one.ID+" reported", one.Reported, width-4) {
					lines = append(lines, block(draw.Span{Text: " " + text, Ink: draw.InkPost}))
				}
			}
		}
		if rich {
			for _, medium := range one.Media {
				lines = append(lines, block(draw.Span{Text: " " + medium.Label(m.keys.Key(keys.Media)), Ink: draw.InkDim}))
			}
			if i < len(posts)-1 {
				lines = append(lines, nil)
			}
		}
	}
	return lines, selected
}

// flags are the warnings and staged actions after the head of a status.
func (p *postPane) flags(m *env, one shown.Post) draw.Line {
	var l draw.Line
	switch {
	case one.Deleted && one.DeletedBy.String() != "":
		l = append(l, draw.Span{Text: "  [deleted: " + one.DeletedBy.String() + "]", Ink: draw.InkGone})
	case one.Deleted:
		l = append(l, draw.Span{Text: "  [deleted]", Ink: draw.InkGone})
	case one.Reported.String() != "":
		l = append(l, draw.Span{Text: "  [edited since]", Ink: draw.InkWarn})
	}
	switch {
	case one.Hides() && !p.opened[one.ID]:
		l = append(l, draw.Span{Text: "  [CW \"" + safe.Truncate(one.CW.String(), 30, "~") + "\" hidden: " + m.keys.Key(keys.ShowCW) + "]", Ink: draw.InkWarn})
	case one.CW.String() != "":
		l = append(l, draw.Span{Text: "  [CW \"" + safe.Truncate(one.CW.String(), 30, "~") + "\"]", Ink: draw.InkWarn})
	}
	if one.Sensitive {
		l = append(l, draw.Span{Text: "  sensitive", Ink: draw.InkWarn})
	}
	if wish := m.wish("status/" + one.ID); wish != "" {
		l = append(l, draw.Span{Text: "  " + wish, Ink: draw.InkWarn})
	}
	if reason := m.troubles["status/"+one.ID]; reason != "" {
		l = append(l, draw.Span{Text: "  ! " + reason, Ink: draw.InkBad})
	}
	return l
}

func visibility(one shown.Post) string { return safe.Line(one.Visibility) }

// window cuts lines to a height. It keeps the selected status in sight after a
// move to it, and counts the statuses below.
func (p *postPane) window(lines []draw.Line, head, selected, height int) []draw.Line {
	selected += head
	if p.jump {
		if selected < p.top || selected >= p.top+height {
			p.top = max(0, selected-head)
		}
		if p.at == 0 {
			p.top = 0
		}
		p.jump = false
	}
	p.top = max(0, min(p.top, len(lines)-height))
	if p.top >= len(lines) {
		return nil
	}
	out := lines[p.top:min(len(lines), p.top+height)]
	if rest := len(lines) - p.top - height; rest > 0 && height > 1 {
		out = append(append([]draw.Line{}, out[:len(out)-1]...), draw.Inked(draw.InkDim, fmt.Sprintf("   (%d more lines)", rest+1)))
	}
	return out
}

// lookAt carries out commands on statuses that change nothing on the server.
func (r *reports) lookAt(m *env, c keys.Command, pane *postPane, posts []shown.Post, id string, who shown.Person) {
	switch c {
	case keys.ShowCW:
		if !pane.open(posts) {
			m.say(draw.InkDim, "no hidden text here")
		}
	case keys.HideCW:
		r.posts.closeAll()
		pane.closeAll()
	case keys.Media:
		m.askMedia(pane, posts)
	case keys.Copy:
		var address string
		if pane.at < len(posts) {
			address = posts[pane.at].URL
		}
		m.askCopy(id, who.Nick, address)
	}
}
