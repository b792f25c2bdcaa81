package tui

import (
	"fmt"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/api"
	"svc/client/safe"
	"svc/db/dbtest"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/grid"
	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/tables"
)

// pieces are the parts of hostile texts.
var pieces = []string{
	"a", "word ", "日本", "👩‍👩‍👧‍👦", "🏴\U000E0067\U000E0062\U000E007F", "e\u0301\u0301\u0301\u0301\u0301\u0301", "\x1b[2J", "\x1b]0;owned\a", "\x1b]52;c;cm0=\x1b\\",
	"\u009b31m", "\u202e", "\u2066", "\u2028", "\u200b", "\t", "\r\n", "\n", "\x00", "\x7f", "ﷺ", "क्षि", "مرحبا", "\u3000", "🇩🇪", "❤️", "ｗｉｄｅ", "<b>", "&#27;[1m",
	"<a href='https://bad.example/\x1b[1m'>example.bank</a>", strings.Repeat("x", 300), "\U0001F9D1\u200d\U0001F680", "\ufffd", "\xff\xfe", "﷽", "\u0600",
}

func hostile(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func hostileReport(n int, text func() string) api.AdminReport {
	content := text()
	account := func(nick string) api.MergedAccount {
		m := api.MergedAccount{}
		m.ID, m.AccountID, m.Nickname, m.DisplayName, m.Note = fmt.Sprintf("acc%d", n), fmt.Sprintf("acc%d", n), nick, text(), text()
		m.Tags = []string{text()}
		return m
	}
	alt := text()
	status := api.Status{
		ID: fmt.Sprintf("st%d", n), Content: text(), SpoilerText: text(), Visibility: text(),
		MediaAttachments: []api.Attachment{{Type: text(), URL: text(), Description: &alt}},
	}
	return api.AdminReport{
		ID: fmt.Sprintf("9x%010d", n), State: "open", Content: &content, Account: account(text()), Actor: account(text()),
		Statuses: []api.Status{status}, Notes: []api.ReportNote{{Content: text(), User: account(text())}},
	}
}

// checkFrame fails on a line that is too wide, on a control character, on a colour
// that is left on, and on anything that reorders text.
func checkFrame(t *testing.T, m *desk.Model) {
	t.Helper()
	for _, l := range strings.Split(m.View(), "\n") {
		on := ""
		for _, sequence := range sgr.FindAllString(l, -1) {
			if on = sequence; on != "\x1b[0m" && !writes(m.Theme, on) {
				t.Errorf("%q is none of %s, in %q", on, m.Theme.Name, l)
			}
		}
		if on != "" && on != "\x1b[0m" {
			t.Errorf("a colour is left on at the end of %q", l)
		}
		l = uncoloured(l)
		if w := safe.Width(l); w > m.Width {
			t.Errorf("%d cells of %d: %q", w, m.Width, l)
		}
		if !utf8.ValidString(l) {
			t.Errorf("not UTF-8: %q", l)
		}
		for _, r := range l {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r >= 0xE0000 && r <= 0xE007F {
				t.Errorf("%U in %q", r, l)
			}
		}
	}
}

// written are the sequences of colours that a theme writes, by its name.
var written sync.Map

// writes reports whether a sequence is that of an ink.
func writes(t draw.Theme, sequence string) bool {
	known, ok := written.Load(t.Name)
	if !ok {
		all := map[string]bool{}
		for i := range inkNames {
			all[opening(t, i)], all[opening(t, i|draw.InkUnder)] = true, true
		}
		known, _ = written.LoadOrStore(t.Name, all)
	}
	return known.(map[string]bool)[sequence]
}

func show(d *driver, reports []api.AdminReport) {
	var found []*shown.Report
	for _, r := range reports {
		found = append(found, shown.NewReport(r))
	}
	d.queue().Clear()
	d.run(d.queue().Show(d.m.Env, found))
	d.m.View()
}

func TestNoTextBreaksTheFrame(t *testing.T) {
	dbtest.Alone(t)
	r := rand.New(rand.NewPCG(1, 2))
	d := begin(t, newWorld(t), 80, 24)
	sizes := append(slices.Clone(sizes), tea.WindowSizeMsg{Width: 33, Height: 9})
	const names, each = 10_000, 100
	for n := 0; n < names; n += each {
		var reports []api.AdminReport
		for i := range each {
			reports = append(reports, hostileReport(n+i, func() string { return hostile(r) }))
		}
		show(d, reports)
		d.wears(draw.ThemeNames()[n/each%len(draw.ThemeNames())])
		for i := range 8 {
			d.m.Update(sizes[(n/each+i)%len(sizes)])
			d.m.Run([]keys.Command{keys.Down, keys.ShowCW, keys.PageDown, keys.Group, keys.Expand, keys.Down, keys.Sort, keys.ShowCW}[i])
			checkFrame(t, d.m)
		}
		for range 4 { // flat again
			d.m.Run(keys.Group)
		}
	}
}

func FuzzNoTextBreaksTheFrame(f *testing.F) {
	for _, piece := range pieces {
		f.Add(piece, 80)
	}
	d := begin(f, newWorld(f), 80, 24)
	f.Fuzz(func(t *testing.T, text string, width int) {
		d.m.Update(tea.WindowSizeMsg{Width: 1 + (width&0xffff)%200, Height: 24})
		show(d, []api.AdminReport{hostileReport(1, func() string { return text })})
		d.m.Run(keys.ShowCW)
		checkFrame(t, d.m)
		d.m.Say(draw.InkBad, shown.Wording(fmt.Errorf("%s", text)).String())
		d.m.OpenTarget("report/" + d.under())
		checkFrame(t, d.m)
		d.m.Back()
	})
}

// Only these files may touch text as the server sent it. Everywhere else
// strangers' text is Safe, which the compiler checks.
func TestOnlyLoadingSeesRawText(t *testing.T) {
	const allowed = "loading.go" // and what ends so, and package shown, which converts
	var files []string
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, allowed) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			if i.Path.Value == `"svc/client/api"` {
				t.Errorf("%s imports %s", name, i.Path.Value)
			}
		}
	}
}

// corrupt puts hostile text before every text of an answer, but times.
func corrupt(r *rand.Rand, value any) any {
	switch v := value.(type) {
	case string:
		return hostile(r) + v
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = corrupt(r, item)
		}
		return out
	case object:
		out := object{}
		for key, item := range v {
			if strings.HasSuffix(key, "_at") || strings.HasSuffix(key, "_since") || key == "next" {
				out[key] = item
				continue
			}
			out[key] = corrupt(r, item)
		}
		return out
	}
	return value
}

func TestNoTextBreaksATable(t *testing.T) {
	dbtest.Alone(t)
	r := rand.New(rand.NewPCG(5, 6))
	w := newWorld(t)
	d := begin(t, w, 80, 24)
	sizes := append(slices.Clone(sizes), tea.WindowSizeMsg{Width: 33, Height: 9})
	const rounds = 40
	clean := w.Answers
	for round := range rounds {
		d.wears(draw.ThemeNames()[round%len(draw.ThemeNames())])
		w.change(func() { w.Answers = corrupt(r, clean).(object) })
		for _, n := range tables.All() {
			d.run(d.m.OpenTable(keys.Command(n.Name), map[string]string{"chats": "kim", "messages": "9xC1"}[n.Name]))
			d.run(d.m.Run(keys.Refresh))
			s := d.m.Screen().(*grid.Screen)
			if s.Len() == 0 {
				t.Fatalf("%s has no rows: %s", n.Name, s.Nothing(d.m.Env)[0].Text)
			}
			for _, size := range sizes {
				d.m.Update(size)
				checkFrame(t, d.m)
			}
			for _, v := range n.Verbs {
				d.run(d.m.Run(keys.VerbCommand(n, v)))
				checkFrame(t, d.m)
				d.m.Prompt = nil
				d.m.Staged.CancelAll()
			}
			d.run(d.m.Run(keys.In))
			checkFrame(t, d.m)
			d.m.Back()
		}
	}
}

// hostileWorld has hostile text in every object, but what objects are found by.
func hostileWorld(t *testing.T, r *rand.Rand) *world {
	t.Helper()
	w := newWorld(t)
	kept := map[string]bool{"id": true, "state": true, "action": true, "type": true, "subject_id": true}
	var spoil func(value any, key string) any
	spoil = func(value any, key string) any {
		switch v := value.(type) {
		case object:
			out := object{}
			for key, item := range v {
				out[key] = spoil(item, key)
			}
			return out
		case []any:
			out := make([]any, len(v))
			for i, item := range v {
				out[i] = spoil(item, key)
			}
			return out
		case string:
			if kept[key] || strings.HasSuffix(key, "_at") {
				return v
			}
			return hostile(r) + v
		}
		return value
	}
	for _, list := range []*[]object{&w.Reports, &w.Users, &w.Log, &w.Statuses} {
		for i, one := range *list {
			(*list)[i] = spoil(one, "").(object)
		}
	}
	w.Me = spoil(w.Me, "").(object)
	w.Answers = corrupt(r, w.Answers).(object)
	return w
}

// TestNoTextBreaksAnyScreen opens every kind of screen and of question.
func TestNoTextBreaksAnyScreen(t *testing.T) {
	dbtest.Alone(t)
	scripts := []string{
		"", "j<tab>w", "<tab>w w", "b", "be", "bb", "bbb", "bbbbe", "<enter>w", "<enter>n", "n", "<tab>v", "v", "yi", "y", "<tab>i", "x", "ctrl", "rq",
		"bbbbr", "bd", "   d", "/", "/@", "/foo:bar", ":", ":re<enter>", "?", "@", "r<ctrl+o>", "2", "2x", "2t", "2jX", "2jjj<enter>", "2<enter>w",
		"3", "3j", "3<enter>", "4f", "5<enter>e", "6v", "7n", "8F", "9<enter>", "D", "s",
		"P", "2jjjP", "p", "m", "a", "H", "W", "d", "3P", ":user kim<enter>", ":messages 9xC1<enter>D", ":changes<enter>B", ":report list<enter>",
	}
	for _, n := range tables.All() {
		scripts = append(scripts, ":"+n.Name+"<enter>", ":"+n.Name+"<enter><enter>", ":"+n.Name+"<enter>x")
	}
	sizes := append(slices.Clone(sizes), tea.WindowSizeMsg{Width: 33, Height: 9}, tea.WindowSizeMsg{Width: 10, Height: 3}, tea.WindowSizeMsg{Width: 7, Height: 4})
	r := rand.New(rand.NewPCG(7, 8))
	kinds := map[string]bool{}
	for i, script := range scripts {
		d := begin(t, hostileWorld(t, r), 120, 40)
		if d.queue().Len() == 0 || d.m.Me.String() == "" {
			t.Fatal("the world is empty")
		}
		d.press(script)
		kinds[fmt.Sprintf("%T", d.m.Screen())] = true
		for j, size := range sizes {
			d.m.Update(size)
			d.wears(draw.ThemeNames()[(i+j)%len(draw.ThemeNames())]) // each theme at each size, over all scripts
			checkFrame(t, d.m)
		}
		if t.Failed() {
			t.Fatalf("after %q", script)
		}
	}
	if len(kinds) < 5 {
		t.Errorf("only %v were seen", kinds)
	}
}
