package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/shlex"

	"svc/client/safe"
	"svc/tui/draw"
	"svc/tui/list"
	"svc/tui/tables"
)

// askPalette reads a command: a screen, a key's action on this screen, a person, a
// report, or a command of the command line. What matches is listed while it is typed.
func (m *env) askPalette() {
	p := &prompt{text: newTextField("", false), label: ":", accept: "enter", earlier: append([]string{}, m.commands...)}
	list := func(words []string) {
		p.title = []draw.Line{draw.Inked(draw.InkStrong, " a command   enter goes, tab completes, esc cancels")}
		lines := safe.Wrap(strings.Join(words, " "), max(1, m.width-2))
		const most = 4
		if len(lines) > most {
			lines = append(lines[:most-1], safe.Truncate(lines[most-1]+" ...", max(1, m.width-2), "~"))
		}
		for _, text := range lines {
			p.title = append(p.title, draw.Inked(draw.InkDim, " "+text))
		}
	}
	list(m.screenNames())
	p.onText = func(m *env, text string) tea.Cmd {
		if text == "" {
			list(m.screenNames())
		} else {
			list(m.paletteMatches(text))
		}
		return nil
	}
	p.complete = func(m *env, text string) tea.Cmd {
		own := m.paletteMatches(text)
		part, person := m.namesPerson(text)
		if m.complete == nil && !person || text == "" {
			p.completed(text, own, list)
			return nil
		}
		ask, load := m.complete, m.load
		return m.load.run(func(ctx context.Context) tea.Msg {
			var words []string
			if ask != nil {
				words = ask(text)
			}
			if person {
				words = append(words, load.people(ctx, part)...)
			}
			return completions{p, text, own, words, list}
		})
	}
	p.done = func(m *env, text string) tea.Cmd {
		text = strings.TrimSpace(text)
		m.commands = append(slices.DeleteFunc(m.commands, func(one string) bool { return one == text || text == "" }), text)
		m.commands = m.commands[max(0, len(m.commands)-mostCommands):]
		return m.command(text)
	}
	m.ask(p)
}

// mostCommands is how many commands the palette brings back.
const mostCommands = 50

// namesPerson reports whether the second word of a text, of which part is typed, is the
// name of an account.
func (m *env) namesPerson(text string) (part string, ok bool) {
	word, part, two := strings.Cut(text, " ")
	if !two || strings.Contains(part, " ") || !m.rights.has(tables.NeedsUsers) {
		return "", false
	}
	n := tables.Find(word)
	return part, word == "user" || n != nil && strings.HasSuffix(n.Of, "user")
}

// completions are the words that may stand in place of the last one of a text.
type completions struct {
	prompt *prompt
	text   string
	own    []string // names of the palette itself
	words  []string // of the command line
	list   func([]string)
}

// completions puts words in, unless the person typed on.
func (d *desk) completions(msg completions) {
	if d.prompt != msg.prompt || msg.prompt.text.String() != msg.text {
		return
	}
	words := msg.words
	if !strings.Contains(msg.text, " ") {
		words = append(msg.own, words...)
	}
	msg.prompt.completed(msg.text, words, msg.list)
}

// completed puts the common beginning of words in place of the last word, and lists
// them where there are several.
func (p *prompt) completed(text string, words []string, list func([]string)) {
	for i, word := range words {
		words[i] = safe.Line(word)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	at := strings.LastIndex(text, " ") + 1
	begin := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.HasPrefix(word, text[at:]) })
	switch {
	case len(begin) == 1:
		p.text = newTextField(text[:at]+begin[0]+" ", false)
	case len(begin) > 1:
		common := begin[0]
		for _, word := range begin {
			for !strings.HasPrefix(word, common) {
				common = common[:len(common)-1]
			}
		}
		p.text = newTextField(text[:at]+common, false)
	case len(words) == 1: // found by some of its letters
		p.text = newTextField(text[:at]+words[0]+" ", false)
	}
	list(words)
}

// screenNames are the names of the screens that there are.
func (d *desk) screenNames() []string {
	var names []string
	for _, t := range d.tabs {
		if d.keys.has(t.do) {
			names = append(names, string(t.do))
		}
	}
	return names
}

// paletteMatches are the names of commands of this screen in which the letters of a
// text stand in their order, the closest first.
func (d *desk) paletteMatches(text string) []string {
	type match struct {
		name  string
		score int
	}
	var found []match
	at := d.screen().on()
	for _, b := range d.keys.bindings {
		if b.on&at == 0 {
			continue
		}
		if score, ok := fuzzy(string(b.do), text); ok {
			found = append(found, match{string(b.do), score})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.score, b.score), strings.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range found {
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

// fuzzy reports whether the letters of text stand in name in their order, and how
// many others come before and between them: 0 is a beginning.
func fuzzy(name, text string) (score int, ok bool) {
	rest := name
	for i, r := range strings.ToLower(text) {
		at := strings.IndexRune(rest, r)
		if at < 0 {
			return 0, false
		}
		if i == 0 {
			at *= 2 // a beginning is meant more often than a middle
		}
		score += at
		rest = rest[strings.IndexRune(rest, r)+len(string(r)):]
	}
	return score, true
}

// command carries out a line of the palette.
func (m *env) command(text string) tea.Cmd {
	if cmd, ok := m.object(text); ok {
		return cmd
	}
	b, problem := m.keys.named(text, m.screen().on())
	switch {
	case problem == "":
		if why := m.unchangeable(); b.changes && why != "" {
			m.say(draw.InkWarn, why)
			return nil
		}
		return m.run(b.do)
	case problem != noCommand || text == "":
	case m.cli != nil && m.isCommand(text):
		return m.runCommand(text)
	default:
		if found := m.screenLike(text); found != "" {
			return m.run(found)
		}
		if m.cli != nil {
			return m.runCommand(text)
		}
	}
	if b, other := m.allKeys.named(text, onAll); problem == noCommand && other == "" {
		problem = b.notHere()
		if !m.keys.has(b.do) {
			problem = b.refusal()
		}
	}
	m.say(draw.InkBad, ":"+safe.Line(text)+": "+problem)
	return nil
}

// notHere says on which screens a command is.
func (b binding) notHere() string { return noCommand + ", but on " + b.on.String() }

// refusal says why a command is not open to the account, and what would open it.
func (b binding) refusal() string {
	text := string(b.do) + " is not among your privileges"
	if slices.Equal(b.needs, adminsAlone) {
		return text + ": for admins alone"
	}
	var names []string
	for _, p := range b.needs {
		names = append(names, string(p))
	}
	return text + ": " + strings.Join(names, ", ") + " in :instance :moderator_privileges"
}

// isCommand reports whether the command line has a command of the first word.
func (d *desk) isCommand(text string) bool {
	word, _, several := strings.Cut(text, " ")
	return several || d.complete != nil && slices.Contains(d.complete(word), word)
}

// screenLike is the one screen in which the letters of a text stand.
func (d *desk) screenLike(text string) command {
	const least = 3 // fewer letters stand in anything
	var found []string
	for _, name := range d.screenNames() {
		if _, ok := fuzzy(name, text); ok && len(text) >= least {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return command(found[0])
}

// object opens the screen of one object: user kim, report 9xA1, chats kim. It goes to
// another instance too: context staging.
func (m *env) object(text string) (tea.Cmd, bool) {
	words := strings.Fields(text)
	if len(words) != 2 {
		return nil, false
	}
	word, name := words[0], words[1]
	if (word == "context" || word == "ctx") && m.keys.has(doContexts) && !slices.Contains(contextVerbs, name) {
		return m.switchTo(name), true
	}
	name = strings.TrimPrefix(name, word+"/")
	if o, known := m.openers[word]; known && m.keys.has(o.needs) && (o.fits == nil || o.fits(name)) {
		return o.open(m, name), true
	}
	n := tables.Find(word)
	if n == nil || n.Of == "" || !m.keys.has(command(n.Name)) {
		return nil, false
	}
	return m.openNoun(n, name), true
}

// contextVerbs are those of svcctl context, which say themselves that they are for
// the shell.
var contextVerbs = []string{"list", "use", "add", "remove"}

// commandTime bounds a command of the command line, of which one may wait for ever.
const commandTime = time.Minute

// commandEnded is the end of a command of the command line.
type commandEnded struct {
	text, out string
	err       error
}

// runCommand carries out a command of the command line.
func (m *env) runCommand(text string) tea.Cmd {
	args, err := shlex.Split(text)
	if err != nil || len(args) == 0 {
		m.say(draw.InkBad, ":"+safe.Line(text)+": a quotation mark is missing")
		return nil
	}
	m.say(draw.InkDim, ":"+safe.Line(text)+" ...")
	run, width := m.cli, max(0, m.width-1) // a page begins with a space
	parent := m.load.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, commandTime)
		defer cancel()
		out, err := run(ctx, args, width)
		return commandEnded{text, out, err}
	}
}

// commandEnded shows the output of a command on a page, and has what it may have
// changed loaded again.
func (m *env) commandEnded(msg commandEnded) tea.Cmd {
	name := safe.Line(msg.text)
	switch {
	case errors.Is(msg.err, context.DeadlineExceeded):
		m.say(draw.InkBad, fmt.Sprintf(":%s: ended after %s", name, commandTime))
	case msg.err != nil:
		m.say(draw.InkBad, ":"+name+": "+wording(msg.err).String())
	default:
		m.say(draw.InkGood, ":"+name+": done")
	}
	for _, s := range m.nouns {
		s.outdated = true
	}
	cmd := m.pollNow()
	if text := strings.TrimRight(safe.Text(msg.out), "\n "); text != "" {
		out := &page{name: "COMMAND " + safe.Truncate(name, 40, "~"), text: func(width int, f list.Filter) []draw.Line {
			var lines []draw.Line
			for _, one := range safe.Wrap(text, max(1, width-1)) {
				lines = append(lines, draw.Plain(" "+one))
			}
			return matching(lines, f)
		}}
		return tea.Batch(cmd, m.open(out))
	}
	return tea.Batch(cmd, m.screen().renew(m))
}

// noCommand is the problem of a name that no command has.
const noCommand = "no such command here"

// named finds the command of a name, or of the only one that begins so. The
// noun before a verb may be left out.
func (m *keymap) named(name string, at places) (found binding, problem string) {
	if name == "" {
		return found, "no command"
	}
	var begin []binding
	for _, b := range m.bindings {
		if b.on&at == 0 {
			continue
		}
		_, verb, _ := strings.Cut(string(b.do), ".")
		switch {
		case string(b.do) == name || verb == name:
			return b, ""
		case strings.HasPrefix(string(b.do), name) || strings.HasPrefix(verb, name):
			begin = append(begin, b)
		}
	}
	switch len(begin) {
	case 0:
		return found, noCommand
	case 1:
		return begin[0], ""
	}
	var words []string
	for _, b := range begin {
		words = append(words, string(b.do))
	}
	slices.Sort(words)
	return found, "which? " + strings.Join(words, ", ")
}
