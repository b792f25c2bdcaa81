package tui

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"svc/client/safe"
	"svc/tui/staged"
	"svc/tui/tables"
)

// shortHeight is below which the header takes one line, and the footer two.
const shortHeight = 20

func (t *terminal) headerLines() int {
	if t.height < shortHeight {
		return 1
	}
	return 2
}

// header says where one is: the screens with the one in front, the instance, and
// the connection. Below it is what the screen shows.
func (m *env) header() []line {
	state := line{{m.theme.glyphs.dot + " ", m.livenessInk()}, {m.liveness(), m.livenessInk()}}
	clock := inked(inkDim, " "+m.now().UTC().Format("15:04Z")+" ")
	if m.headerLines() == 1 {
		right := append(line{{" ", inkPlain}}, append(state, span{" ", inkPlain})...)
		tab := m.tabLine(tabAlone)
		return []line{spread(append(tab, m.detail(m.width-tab.width()-right.width()-1, true)...), right, m.width)}
	}
	name := line{{safe.Truncate(m.host, max(12, m.width/4), "~"), m.hostInk()}, {"  ", inkPlain}}
	rights := []line{append(append(slices.Clone(name), state...), clock...), append(append(slices.Clone(name), state...), span{" ", inkPlain})}
	first := spread(m.tabLine(tabAlone), state, m.width)
fits:
	for _, level := range []tabLevel{tabsWhole, tabsSome, tabsCounted, tabAlone} {
		tabs := m.tabLine(level)
		for _, right := range rights {
			if tabs.width()+right.width()+1 <= m.width {
				first = spread(tabs, right, m.width)
				break fits
			}
		}
	}
	me := line{}
	if m.me.String() != "" {
		me = inked(inkDim, m.me.String()+" ")
	}
	return []line{first, spread(m.detail(m.width-me.width()-1, false), me, m.width)}
}

// spread puts right at the end of a line of this width.
func spread(left, right line, width int) line {
	left = left.truncate(max(0, width-right.width()))
	gap := width - left.width() - right.width()
	return append(append(slices.Clone(left), span{strings.Repeat(" ", max(0, gap)), inkPlain}), right...)
}

// detail is the title of the screen with its filter, order and news, in width
// cells. The filter stays, shortened if it must be; others go. Short leaves out
// what the tab says.
func (m *env) detail(width int, short bool) line {
	title := m.screen().title(m)
	if short {
		_, title, _ = strings.Cut(title, " ")
	}
	extras := m.screen().extras(m)
	for {
		whole := safe.Width(title) + 1
		worst := -1
		for i, e := range extras {
			whole += 2 + safe.Width(e.text)
			if !e.keep && (worst < 0 || e.rank >= extras[worst].rank) {
				worst = i
			}
		}
		if whole <= width || worst < 0 {
			break
		}
		extras = append(extras[:worst:worst], extras[worst+1:]...)
	}
	l := line{{" " + title, inkHeader}}
	for _, e := range extras {
		ink, text := inkHeader, e.text
		if e.keep {
			ink = inkStrong
			// Of a long title at least the filter's beginning is shown.
			const least = 8
			l = l.shortened(max(1, width-2-min(least, safe.Width(text))))
			text = safe.Truncate(text, max(0, width-l.width()-2), more)
		}
		l = append(l, span{"  ", inkPlain}, span{text, ink})
	}
	return l.shortened(width)
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
func (m *env) tabLine(level tabLevel) line {
	l := line{}
	front, shown := m.screen().tab(), false
	for i, t := range m.tabs {
		do, key := t.do, m.keys.key(t.do)
		n := tables.Find(string(do))
		if !m.keys.has(do) || (key == "" || n != nil && (n.Of != "" || n.Own)) && do != front {
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
		l = append(l, span{text, inkHeader})
	}
	if !shown {
		l = append(line{m.tab("", strings.ToUpper(m.screen().title(m)[:1])+strings.ToLower(m.screen().title(m)[1:]), "")}, l...)
	}
	return l
}

// tab is the one in front.
func (d *desk) tab(parts ...string) span {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return span{d.theme.glyphs.tabOpen + strings.Join(parts, " ") + d.theme.glyphs.tabClose, inkTab}
}

// hostInk is the colour of the context: the one that was chosen, else one that
// stays with its name.
func (s *session) hostInk() ink {
	return contextInk(s.host, s.colour)
}

func contextInk(name, colour string) ink {
	hues := ContextColours()
	if i := slices.Index(hues, colour); i >= 0 {
		return inkBlue + ink(i)
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return inkBlue + ink(h.Sum32()%uint32(len(hues)))
}

func (s *session) liveness() string {
	switch {
	case s.poll.loggedOut:
		return "logged out"
	case !s.poll.offline.IsZero():
		return "offline"
	case s.poll.backoff > 0:
		return "busy"
	case s.poll.good.IsZero():
		return "loading"
	}
	return "live"
}

func (s *session) livenessInk() ink {
	switch s.liveness() {
	case "live":
		return inkGood
	case "busy", "loading":
		return inkWarn
	}
	return inkBad
}

// footer is the number of lines at the bottom: outbox and news share one where
// lines are scarce.
func (t *terminal) footer() int {
	switch {
	case t.height < 10:
		return 1
	case t.height < 24:
		return 2
	}
	return 3
}

func (m *env) footerLines() []line {
	unsent, news := m.outboxLine(), m.newsLine()
	keys := m.keys.bar(m.screen().bar(m), m.width, m.theme.glyphs.wall)
	switch m.footer() {
	case 1:
		if len(m.staged.Items) > 0 { // no row may have room to say so
			return []line{unsent.shortened(m.width)}
		}
		return []line{keys}
	case 2:
		if len(unsent) == 0 {
			return []line{news.shortened(m.width), keys}
		}
		if len(news) > 0 {
			unsent = append(unsent, span{"  ", inkPlain})
			unsent = append(unsent, news...)
		}
		return []line{unsent.shortened(m.width), keys}
	}
	return []line{unsent, news.shortened(m.width), keys}
}

func (m *env) outboxLine() line {
	items := m.staged.Items
	if len(items) == 0 {
		if hint := m.screen().hint(m); hint != "" {
			return inked(inkMark, " "+hint).shortened(m.width)
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
			rest += ", " + more
		}
	}
	// The names of objects go before the keys, and the time left before both. A label that
	// is longer than the line is shortened, so that its bar and the key that cancels stay.
	undo, all := m.keys.key(doUndo)+" cancel", m.keys.key(doUndoAll)+" cancel all"
	tails := []string{undo + "  " + all, undo, ""}
	const leastLabel, shortBar = 24, 9
	if room := m.width - safe.Width(head+undo) - shortBar - 3; m.height >= 24 && safe.Width(head+text) >= m.width && room >= leastLabel {
		left := m.countdown(newest)
		bar = safe.Truncate(bar, shortBar, "")
		text = shortened(newest.Label, room-safe.Width(left)) + left
		tails = []string{undo}
		rest = ""
	}
	if m.height < 24 {
		tails = []string{""} // the notice follows
	}
	for _, tail := range tails {
		gap := m.width - safe.Width(head+text+bar+rest+tail) - 1
		switch {
		case gap < 2 && tail != "":
			continue
		case gap < 0 && m.width-safe.Width(head+text+bar) > 0:
			rest = ""
		case gap < 0:
			left := m.countdown(newest)
			text, bar, rest = shortened(newest.Label, m.width-safe.Width(head+left))+left, "", ""
		}
		if m.height < 24 {
			gap = 0
		}
		return line{{head, inkStrong}, {text, inkWarn}, {bar, inkWarn}, {rest, inkDim}, {strings.Repeat(" ", max(0, gap)), inkPlain}, {tail, inkKey}}
	}
	return nil
}

// countdownBar shrinks with the time left, a cell for each half second.
func (m *env) countdownBar(item *staged.Item) string {
	const cell = 500 * time.Millisecond
	if item.Phase != staged.Waiting {
		return ""
	}
	cells := (item.Due.Sub(m.timer()) + cell - 1) / cell
	return " " + strings.Repeat(m.theme.glyphs.bar, int(max(0, min(cells, 16))))
}

// nextTry says when the server is asked again that does not answer.
func (m *env) nextTry() string {
	wait := m.poll.due.Sub(m.timer()).Round(time.Second)
	if m.poll.running || wait <= 0 {
		return ": asking again now"
	}
	return fmt.Sprintf(": asks again in %s, now by %s", wait, m.keys.key(doRefresh))
}

// newsLine is the trouble with the connection, else the latest notice, else what
// was loaded of a long list.
func (m *env) newsLine() line {
	switch {
	case m.poll.loggedOut:
		if m.renewal != nil {
			return inked(inkBad, " NOT LOGGED IN: the server refuses the token. :login logs in again; the outbox is kept")
		}
		return inked(inkBad, " NOT LOGGED IN: the server refuses the token. Log in with svcctl auth login; the outbox is kept")
	case !m.poll.offline.IsZero():
		return inked(inkBad, " OFFLINE for "+safe.Age(m.timer().Sub(m.poll.offline))+m.nextTry()+"; what you do waits")
	}
	if len(m.notice) == 0 {
		if text := m.screen().progress(m); text != "" {
			return inked(inkDim, " "+text)
		}
		if others := m.others(); others != "" {
			return inked(inkDim, " "+others)
		}
	}
	return m.notice
}
