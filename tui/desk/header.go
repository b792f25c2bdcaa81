package desk

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/staged"
	"svc/tui/tables"
)

// shortHeight is below which the header takes one line, and the footer two.
const shortHeight = 20

func (t *terminal) HeaderLines() int {
	if t.Height < shortHeight {
		return 1
	}
	return 2
}

// header says where one is: the screens with the one in front, the instance, and
// the connection. Below it is what the screen shows.
func (m *Env) header() []draw.Line {
	state := draw.Line{{Text: m.Theme.Glyphs.Dot + " ", Ink: m.livenessInk()}, {Text: m.liveness(), Ink: m.livenessInk()}}
	clock := draw.Inked(draw.InkDim, " "+m.Now().UTC().Format("15:04Z")+" ")
	if m.HeaderLines() == 1 {
		right := append(draw.Line{{Text: " ", Ink: draw.InkPlain}}, append(state, draw.Span{Text: " ", Ink: draw.InkPlain})...)
		tab := m.tabLine(tabAlone)
		return []draw.Line{draw.Spread(append(tab, m.detail(m.Width-tab.Width()-right.Width()-1, true)...), right, m.Width)}
	}
	name := draw.Line{{Text: safe.Truncate(m.Host, max(12, m.Width/4), "~"), Ink: m.HostInk()}, {Text: "  ", Ink: draw.InkPlain}}
	rights := []draw.Line{append(append(slices.Clone(name), state...), clock...), append(append(slices.Clone(name), state...), draw.Span{Text: " ", Ink: draw.InkPlain})}
	first := draw.Spread(m.tabLine(tabAlone), state, m.Width)
fits:
	for _, level := range []tabLevel{tabsWhole, tabsSome, tabsCounted, tabAlone} {
		tabs := m.tabLine(level)
		for _, right := range rights {
			if tabs.Width()+right.Width()+1 <= m.Width {
				first = draw.Spread(tabs, right, m.Width)
				break fits
			}
		}
	}
	me := draw.Line{}
	if m.Me.String() != "" {
		me = draw.Inked(draw.InkDim, m.Me.String()+" ")
	}
	return []draw.Line{first, draw.Spread(m.detail(m.Width-me.Width()-1, false), me, m.Width)}
}

// detail is the title of the screen with its filter, order and news, in width
// cells. The filter stays, shortened if it must be; others go. Short leaves out
// what the tab says.
func (m *Env) detail(width int, short bool) draw.Line {
	title := m.Screen().Title(m)
	if short {
		_, title, _ = strings.Cut(title, " ")
	}
	extras := m.Screen().Extras(m)
	for {
		whole := safe.Width(title) + 1
		worst := -1
		for i, e := range extras {
			whole += 2 + safe.Width(e.Text)
			if !e.Keep && (worst < 0 || e.Rank >= extras[worst].Rank) {
				worst = i
			}
		}
		if whole <= width || worst < 0 {
			break
		}
		extras = append(extras[:worst:worst], extras[worst+1:]...)
	}
	l := draw.Line{{Text: " " + title, Ink: draw.InkHeader}}
	for _, e := range extras {
		ink, text := draw.InkHeader, e.Text
		if e.Keep {
			ink = draw.InkStrong
			// Of a long title at least the filter's beginning is shown.
			const least = 8
			l = l.Shortened(max(1, width-2-min(least, safe.Width(text))))
			text = safe.Truncate(text, max(0, width-l.Width()-2), draw.More)
		}
		l = append(l, draw.Span{Text: "  ", Ink: draw.InkPlain}, draw.Span{Text: text, Ink: ink})
	}
	return l.Shortened(width)
}

// tabLevel is how much of the tabs is shown.
type tabLevel int

const (
	tabsWhole   tabLevel = iota // keys, names, counts
	tabsSome                    // of some the key alone
	tabsCounted                 // names only of the one in front
	tabAlone
)

// tabLine are the screens that have a key and need no object.
func (m *Env) tabLine(level tabLevel) draw.Line {
	l := draw.Line{}
	front, shown := m.Screen().Tab(), false
	for i, t := range m.Tabs {
		do, key := t.Do, m.Keys.Key(t.Do)
		n := tables.Find(string(do))
		if !m.Keys.Has(do) || (key == "" || n != nil && (n.Of != "" || n.Own)) && do != front {
			continue
		}
		count, name := t.counted(m), strings.ToUpper(string(do[:1]))+string(do[1:])
		if do == front {
			shown = true
			l = append(l, m.tab(key, name, count))
			continue
		}
		text := " " + key
		switch {
		case level == tabAlone:
			continue
		case level == tabsWhole, level == tabsSome && i < 3:
			text = " " + strings.TrimSpace(key+" "+name+" "+count) + " "
		case count != "":
			text = " " + key + ":" + count
		}
		l = append(l, draw.Span{Text: text, Ink: draw.InkHeader})
	}
	if !shown {
		l = append(draw.Line{m.tab("", strings.ToUpper(m.Screen().Title(m)[:1])+strings.ToLower(m.Screen().Title(m)[1:]), "")}, l...)
	}
	return l
}

// tab is the one in front.
func (d *desk) tab(parts ...string) draw.Span {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return draw.Span{Text: d.Theme.Glyphs.TabOpen + strings.Join(parts, " ") + d.Theme.Glyphs.TabClose, Ink: draw.InkTab}
}

// HostInk is the colour of the context: the one that was chosen, else one that
// stays with its name.
func (s *session) HostInk() draw.Ink {
	return draw.ContextInk(s.Host, s.colour)
}

func (s *session) liveness() string {
	switch {
	case s.Poll.LoggedOut:
		return "logged out"
	case !s.Poll.Offline.IsZero():
		return "offline"
	case s.Poll.backoff > 0:
		return "busy"
	case s.Poll.Good.IsZero():
		return "loading"
	}
	return "live"
}

func (s *session) livenessInk() draw.Ink {
	switch s.liveness() {
	case "live":
		return draw.InkGood
	case "busy", "loading":
		return draw.InkWarn
	}
	return draw.InkBad
}

// footer is the number of lines at the bottom: outbox and news share one where
// lines are scarce.
func (t *terminal) footer() int {
	switch {
	case t.Height < 10:
		return 1
	case t.Height < 24:
		return 2
	}
	return 3
}

func (m *Env) footerLines() []draw.Line {
	unsent, news := m.outboxLine(), m.newsLine()
	keys := m.Keys.Bar(m.Screen().Bar(m), m.Width, m.Theme.Glyphs.Wall)
	switch m.footer() {
	case 1:
		if len(m.Staged.Items) > 0 { // no row may have room to say so
			return []draw.Line{unsent.Shortened(m.Width)}
		}
		return []draw.Line{keys}
	case 2:
		if len(unsent) == 0 {
			return []draw.Line{news.Shortened(m.Width), keys}
		}
		if len(news) > 0 {
			unsent = append(unsent, draw.Span{Text: "  ", Ink: draw.InkPlain})
			unsent = append(unsent, news...)
		}
		return []draw.Line{unsent.Shortened(m.Width), keys}
	}
	return []draw.Line{unsent, news.Shortened(m.Width), keys}
}

func (m *Env) outboxLine() draw.Line {
	items := m.Staged.Items
	if len(items) == 0 {
		if hint := m.Screen().Hint(m); hint != "" {
			return draw.Inked(draw.InkMark, " "+hint).Shortened(m.Width)
		}
		return nil
	}
	newest := items[len(items)-1]
	head, bar := fmt.Sprintf(" OUTBOX %d  ", len(items)), m.countdownBar(newest)
	text := newest.Label + m.countdown(newest)
	rest := ""
	if len(items) > 1 {
		second := items[len(items)-2]
		rest = ", " + second.Label + m.countdown(second)
		if len(items) > 2 {
			rest += ", " + draw.More
		}
	}
	// The names of objects go before the keys, and the time left before both. A label that
	// is longer than the line is shortened, so that its bar and the key that cancels stay.
	undo, all := m.Keys.Key(keys.Undo)+" cancel", m.Keys.Key(keys.UndoAll)+" cancel all"
	tails := []string{undo + "  " + all, undo, ""}
	const leastLabel, shortBar = 24, 9
	if room := m.Width - safe.Width(head+undo) - shortBar - 3; m.Height >= 24 && safe.Width(head+text) >= m.Width && room >= leastLabel {
		left := m.countdown(newest)
		bar = safe.Truncate(bar, shortBar, "")
		text = draw.Shortened(newest.Label, room-safe.Width(left)) + left
		tails = []string{undo}
		rest = ""
	}
	if m.Height < 24 {
		tails = []string{""} // the notice follows
	}
	for _, tail := range tails {
		gap := m.Width - safe.Width(head+text+bar+rest+tail) - 1
		switch {
		case gap < 2 && tail != "":
			continue
		case gap < 0 && m.Width-safe.Width(head+text+bar) > 0:
			rest = ""
		case gap < 0:
			left := m.countdown(newest)
			text, bar, rest = draw.Shortened(newest.Label, m.Width-safe.Width(head+left))+left, "", ""
		}
		if m.Height < 24 {
			gap = 0
		}
		return draw.Line{{Text: head, Ink: draw.InkStrong}, {Text: text, Ink: draw.InkWarn}, {Text: bar, Ink: draw.InkWarn}, {Text: rest, Ink: draw.InkDim}, {Text: strings.Repeat(" ", max(0, gap)), Ink: draw.InkPlain}, {Text: tail, Ink: draw.InkKey}}
	}
	return nil
}

// countdownBar shrinks with the time left, a cell for each half second.
func (m *Env) countdownBar(item *staged.Item) string {
	const cell = 500 * time.Millisecond
	if item.Phase != staged.Waiting {
		return ""
	}
	cells := (item.Due.Sub(m.Timer()) + cell - 1) / cell
	return " " + strings.Repeat(m.Theme.Glyphs.Bar, int(max(0, min(cells, 16))))
}

// nextTry says when the server is asked again that does not answer.
func (m *Env) nextTry() string {
	wait := m.Poll.due.Sub(m.Timer()).Round(time.Second)
	if m.Poll.running || wait <= 0 {
		return ": asking again now"
	}
	return fmt.Sprintf(": asks again in %s, now by %s", wait, m.Keys.Key(keys.Refresh))
}

// newsLine is the trouble with the connection, else the latest notice, else what
// was loaded of a long list.
func (m *Env) newsLine() draw.Line {
	switch {
	case m.Poll.LoggedOut:
		if m.renewal != nil {
			return draw.Inked(draw.InkBad, " NOT LOGGED IN: the server refuses the token. :login logs in again; the outbox is kept")
		}
		return draw.Inked(draw.InkBad, " NOT LOGGED IN: the server refuses the token. Log in with svcctl auth login; the outbox is kept")
	case !m.Poll.Offline.IsZero():
		return draw.Inked(draw.InkBad, " OFFLINE for "+safe.Age(m.Timer().Sub(m.Poll.Offline))+m.nextTry()+"; what you do waits")
	}
	if len(m.Notice) == 0 {
		if text := m.Screen().Progress(m); text != "" {
			return draw.Inked(draw.InkDim, " "+text)
		}
		if others := m.others(); others != "" {
			return draw.Inked(draw.InkDim, " "+others)
		}
	}
	return m.Notice
}
