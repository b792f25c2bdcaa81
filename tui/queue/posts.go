package queue

import (
	"fmt"
	"net/url"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/safe"
	"svc/tui/desk"
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
func (p *postPane) draw(m *desk.Env, posts []shown.Post, width int, focus, rich bool) (lines []draw.Line, selected int) {
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
			return append(draw.Line{lead, {Text: m.Theme.Glyphs.Bar, Ink: accent}}, l...)
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
				head = append(head, draw.Span{Text: "  " + medium.Label(m.Keys.Key(keys.Media)), Ink: draw.InkDim})
			}
			lines = append(lines, block(head...))
		}
		if !one.Hides() || p.opened[one.ID] {
			for _, text := range m.Wrap(one.ID, one.Text, width-4) {
				lines = append(lines, block(draw.Span{Text: " " + text, Ink: draw.InkPost}))
			}
			if one.Reported.String() != "" {
				lines = append(lines, block(draw.Span{Text: " when it was reported:", Ink: draw.InkDim}))
				for _, text := range m.Wrap(one.ID+" reported", one.Reported, width-4) {
					lines = append(lines, block(draw.Span{Text: " " + text, Ink: draw.InkPost}))
				}
			}
		}
		if rich {
			for _, medium := range one.Media {
				lines = append(lines, block(draw.Span{Text: " " + medium.Label(m.Keys.Key(keys.Media)), Ink: draw.InkDim}))
			}
			if i < len(posts)-1 {
				lines = append(lines, nil)
			}
		}
	}
	return lines, selected
}

// flags are the warnings and staged actions after the head of a status.
func (p *postPane) flags(m *desk.Env, one shown.Post) draw.Line {
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
		l = append(l, draw.Span{Text: "  [CW \"" + safe.Truncate(one.CW.String(), 30, "~") + "\" hidden: " + m.Keys.Key(keys.ShowCW) + "]", Ink: draw.InkWarn})
	case one.CW.String() != "":
		l = append(l, draw.Span{Text: "  [CW \"" + safe.Truncate(one.CW.String(), 30, "~") + "\"]", Ink: draw.InkWarn})
	}
	if one.Sensitive {
		l = append(l, draw.Span{Text: "  sensitive", Ink: draw.InkWarn})
	}
	if wish := m.Wish("status/" + one.ID); wish != "" {
		l = append(l, draw.Span{Text: "  " + wish, Ink: draw.InkWarn})
	}
	if reason := m.Troubles["status/"+one.ID]; reason != "" {
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
func (r *Reports) lookAt(m *desk.Env, c keys.Command, pane *postPane, posts []shown.Post, id string, who shown.Person) {
	switch c {
	case keys.ShowCW:
		if !pane.open(posts) {
			m.Say(draw.InkDim, "no hidden text here")
		}
	case keys.HideCW:
		r.posts.closeAll()
		pane.closeAll()
	case keys.Media:
		askMedia(m, pane, posts)
	case keys.Copy:
		var address string
		if pane.at < len(posts) {
			address = posts[pane.at].URL
		}
		m.AskCopy(id, who.Nick, address)
	}
}

// threadOf shows the thread of the post in front.
func threadOf(m *desk.Env, pane *postPane, posts []shown.Post) tea.Cmd {
	if pane.at >= len(posts) {
		return m.OpenThread("")
	}
	return m.OpenThread(posts[pane.at].ID)
}

// askMedia offers commands on media, which are never fetched here.
func askMedia(m *desk.Env, pane *postPane, posts []shown.Post) {
	var media []shown.Medium
	if pane.at < len(posts) {
		media = posts[pane.at].Media
	}
	if len(media) == 0 {
		m.Say(draw.InkDim, "this post has no media")
		return
	}
	title := []draw.Line{draw.Plain(" media; nothing was fetched")}
	var choices []desk.Choice
	for i, one := range media[:min(len(media), 4)] {
		title = append(title, draw.Plain(fmt.Sprintf("   %d  %s  %s", i+1, one.Label(m.Keys.Key(keys.Media)), safe.Truncate(safe.Line(one.URL), 60, "~"))))
		choices = append(choices, desk.Choice{Key: fmt.Sprint(i + 1), Label: "", Do: func(m *desk.Env) tea.Cmd { return askMedium(m, one) }})
	}
	m.Ask(&desk.Prompt{Title: title, Choices: append(choices, desk.Choice{Key: "esc", Label: "back", Do: desk.Stay})})
}

func askMedium(m *desk.Env, one shown.Medium) tea.Cmd {
	choices := []desk.Choice{{Key: "a", Label: "the alt text, whole", Do: func(m *desk.Env) tea.Cmd {
		if one.Alt.String() == "" {
			m.Say(draw.InkDim, "it has no alt text")
			return nil
		}
		return m.OpenWhole("alt text", one.Alt.String())
	}}, {Key: "c", Label: "copy the address", Do: func(m *desk.Env) tea.Cmd { return m.Copy(one.URL) }}}
	target, err := url.Parse(one.URL)
	if !m.Remote && err == nil && (target.Scheme == "https" || target.Scheme == "http") && target.Host != "" {
		host := safe.Line(target.Host)
		choices = append(choices, desk.Choice{Key: "o", Label: "open in a browser", Do: func(m *desk.Env) tea.Cmd {
			m.Ask(&desk.Prompt{
				Title:   []draw.Line{draw.Inked(draw.InkWarn, " open "+host+" in a browser? It will learn your address.")},
				Choices: []desk.Choice{{Key: "y", Label: "open " + host, Do: func(m *desk.Env) tea.Cmd { return m.Browse(one.URL) }}, {Key: "esc", Label: "back", Do: desk.Stay}},
			})
			return nil
		}})
	}
	m.Ask(&desk.Prompt{Title: []draw.Line{draw.Plain(" " + one.Label(m.Keys.Key(keys.Media)))}, Choices: append(choices, desk.Choice{Key: "esc", Label: "back", Do: desk.Stay})})
	return nil
}
