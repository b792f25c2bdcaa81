// Package keys has the commands of the terminal program, the keys that give them, the
// screens on which they hold and the privileges that they need: one table, for matching,
// for help and for the palette. It knows no screen.
package keys

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc/client/action"
	"svc/tui/draw"
	"svc/tui/tables"
)

// Command is the order that a key gives.
type Command string

const (
	Up, Down, HalfUp, HalfDown    Command = "up", "down", "half-up", "half-down"
	PageUp, PageDown              Command = "page-up", "page-down"
	Top, Bottom                   Command = "top", "bottom"
	In, Back, Last                Command = "in", "back", "last-view"
	Earlier, Later                Command = "earlier-view", "later-view"
	Pane                          Command = "pane"
	Reports, Users, Log           Command = "reports", "users", "log"
	Mark, MarkRange, MarkAll      Command = "mark", "mark-range", "mark-all"
	Filter, Merge, Refresh        Command = "filter", "merge", "refresh"
	Group, Expand, Sort           Command = "group", "expand", "sort"
	ShowCW, HideCW, Media, Copy   Command = "show-cw", "hide-cw", "media", "copy"
	Resolve, Close, Reopen        Command = "resolve", "close", "reopen"
	Note, Message, Play           Command = "note", "message", "play"
	Person, Claim, Fold           Command = "person", "claim", "fold"
	Host, Thread                  Command = "host", "thread"
	Deactivate, Activate          Command = "deactivate", "activate"
	Delete, Sensitive, Visibility Command = "delete", "sensitive", "visibility"
	Undo, UndoAll, Outbox         Command = "undo", "undo-all", "outbox"
	Help, Actions, Demo           Command = "help", "actions", "demo"
	Menu, Save, Palette           Command = "menu", "save", "palette"
	Login, Contexts               Command = "login", "contexts"
	Suspend, Quit, Interrupt      Command = "suspend", "quit", "interrupt"
)

// Places are the screens where a binding holds.
type Places uint

const (
	OnReports Places = 1 << iota
	OnReport
	OnUser
	OnPage // help and the like: text to read
	onNoun // the first of package tables; the others follow

	onNouns = ^(onNoun - 1)
	OnLists = OnReports | onNouns
	onPosts = OnReports | OnReport | OnUser
	OnAll   = OnLists | OnReport | OnUser | OnPage
)

// Places of tables that bindings name.
var (
	OnUsers = placeOf("users")
	OnLog   = placeOf("log")

	onStatuses = placeOf("statuses") | placeOf("thread")
)

// NounPlace is where the bindings of a noun hold.
func NounPlace(i int) Places { return onNoun << i }

// placeOf is the place of a noun by its name.
func placeOf(noun string) Places {
	return NounPlace(slices.IndexFunc(tables.All(), func(n *tables.Noun) bool { return n.Name == noun }))
}

// Binding is a command, its keys, and where it holds. It is declared once, for
// matching and for help.
type Binding struct {
	Do      Command
	Keys    []string
	On      Places
	Help    string
	Changes bool               // it changes something on the server
	Needs   []tables.Privilege // without them a moderator cannot use it
	or      tables.Privilege   // or this one in their place, "" for none
	word    string             // in the bar at the bottom, where it is not the command
}

// DefaultBindings are those of the program, and of the nouns.
func DefaultBindings() []Binding {
	bindings := programBindings()
	for i, n := range tables.All() {
		open := Binding{Do: Command(n.Name), On: OnAll, Help: n.Help, Needs: NounNeeds(n), or: n.Part}
		if n.Key != "" {
			open.Keys = []string{n.Key}
		}
		if !slices.ContainsFunc(bindings, func(b Binding) bool { return b.Do == open.Do }) {
			bindings = append(bindings, open)
		}
		on := NounPlace(i)
		if n.Accounts {
			on |= OnUser
		}
		for _, v := range n.Verbs {
			bindings = append(bindings, Binding{
				Do: VerbCommand(n, v), Keys: []string{v.Key}, On: on, Help: v.Help, Changes: true, Needs: verbNeeds(n, v), or: partOf(n, v), word: v.Name,
			})
		}
	}
	return bindings
}

// NounNeeds are the privileges to read a table.
func NounNeeds(n *tables.Noun) []tables.Privilege {
	if n.Needs == "" {
		return AdminsAlone
	}
	return []tables.Privilege{n.Needs}
}

// verbNeeds are the privileges for a verb on rows that the noun's own let one read.
func verbNeeds(n *tables.Noun, v tables.Verb) []tables.Privilege {
	needs := NounNeeds(n)
	for _, p := range needsOf(v.Stages()...) {
		if !slices.Contains(needs, p) {
			needs = append(needs, p)
		}
	}
	return needs
}

// partOf is the privilege for a part of the noun's rows, if a verb on them needs that alone.
func partOf(n *tables.Noun, v tables.Verb) tables.Privilege {
	if needs := needsOf(v.Stages()...); len(needs) == 1 && needs[0] == n.Part {
		return n.Part
	}
	return ""
}

// VerbCommand is the command of a verb of a table.
func VerbCommand(n *tables.Noun, v tables.Verb) Command {
	if n.Accounts {
		return Command(v.Name)
	}
	return Command(n.Name + "." + v.Name)
}

func programBindings() []Binding {
	reports, log := []tables.Privilege{tables.NeedsReports}, []tables.Privilege{tables.NeedsLog}
	users := []tables.Privilege{tables.NeedsUsers}
	return []Binding{
		{Do: Down, Keys: []string{"j", "down"}, On: OnAll, Help: "down"},
		{Do: Up, Keys: []string{"k", "up"}, On: OnAll, Help: "up"},
		{Do: HalfDown, Keys: []string{"ctrl+d"}, On: OnAll, Help: "half a page down"},
		{Do: HalfUp, Keys: []string{"ctrl+u"}, On: OnAll, Help: "half a page up"},
		{Do: PageDown, Keys: []string{"pgdown"}, On: OnAll, Help: "a page down"},
		{Do: PageUp, Keys: []string{"pgup"}, On: OnAll, Help: "a page up"},
		{Do: Top, Keys: []string{"gg", "home"}, On: OnAll, Help: "to the top"},
		{Do: Bottom, Keys: []string{"G", "end"}, On: OnAll, Help: "to the end"},
		{Do: In, Keys: []string{"enter", "l", "right"}, On: OnLists, Help: "open"},
		{Do: Back, Keys: []string{"esc", "h", "left"}, On: OnAll, Help: "back; in a list: drop marks, then the filter"},
		{Do: Last, Keys: []string{"-"}, On: OnAll, Help: "the view before"},
		{Do: Earlier, Keys: []string{"["}, On: OnAll, Help: "earlier view"},
		{Do: Later, Keys: []string{"]"}, On: OnAll, Help: "later view"},
		{Do: Pane, Keys: []string{"tab"}, On: OnReports, Help: "between list and evidence"},
		{Do: Reports, Keys: []string{"1"}, On: OnAll, Help: "reports", Needs: reports},
		{Do: Users, Keys: []string{"2"}, On: OnAll, Help: "users", Needs: users, or: tables.NeedsApprovals},
		{Do: Log, Keys: []string{"3"}, On: OnAll, Help: "moderation log", Needs: log},
		{Do: Mark, Keys: []string{" "}, On: OnLists | onPosts, Help: "mark and move on"},
		{Do: MarkRange, Keys: []string{"V"}, On: OnLists, Help: "mark up to here"},
		{Do: MarkAll, Keys: []string{"ctrl+a"}, On: OnLists, Help: "mark all that the filter shows"},
		{Do: Filter, Keys: []string{"/"}, On: OnLists | OnPage, Help: "filter: words, !regexp, @domain, state:"},
		{Do: Merge, Keys: []string{"."}, On: OnLists, Help: "show new rows, drop those that went"},
		{Do: Refresh, Keys: []string{"ctrl+r"}, On: OnAll, Help: "load again"},
		{Do: Group, Keys: []string{"b"}, On: OnReports, Help: "group by account, domain, status, reporter"},
		{Do: Expand, Keys: []string{"e"}, On: OnReports, Help: "open or close the group"},
		{Do: Fold, Keys: []string{"H"}, On: OnReports, Help: "fold later reports of these posts, or show them again"},
		{Do: Sort, Keys: []string{"z"}, On: OnLists, Help: "sort by another column; reports: age, oldest, number of reports"},
		{Do: Resolve, Keys: []string{"r"}, On: OnReports | OnReport, Help: "resolve", Changes: true, Needs: needsOf(action.ReportResolve)},
		{Do: Close, Keys: []string{"c"}, On: OnReports | OnReport, Help: "close", Changes: true, Needs: needsOf(action.ReportClose)},
		{Do: Reopen, Keys: []string{"o"}, On: OnReports | OnReport, Help: "reopen", Changes: true, Needs: needsOf(action.ReportReopen)},
		{Do: Note, Keys: []string{"n"}, On: OnReports | OnReport, Help: "note", Changes: true, Needs: needsOf(action.ReportNote)},
		{Do: Person, Keys: []string{"P"}, On: OnReports | OnReport | OnUsers | OnLog | onStatuses, Help: "the account: profile, reports about and by it, log, posts"},
		{Do: Host, Keys: []string{"I"}, On: OnAll, Help: "its server: facts and limits", Needs: reports},
		{Do: Thread, Keys: []string{"T"}, On: onPosts | OnLog | onStatuses, Help: "the thread of the post: what it answers, and its answers", Needs: []tables.Privilege{tables.NeedsStatuses}},
		{Do: Message, Keys: []string{"m"}, On: OnReports | OnReport | OnUsers | OnUser, Help: "message the account, for good", Changes: true, Needs: needsOf(action.UserMessage)},
		{Do: Claim, Keys: []string{"a"}, On: OnReports | OnReport, Help: "claim for half an hour, by a note", Changes: true, Needs: needsOf(action.ReportNote)},
		{Do: Play, Keys: []string{"p"}, On: OnReports | OnReport, Help: "a playbook: steps on the reported account", Changes: true, Needs: reports},
		{Do: Deactivate, Keys: []string{"d"}, On: OnReports | OnReport | OnUsers | OnUser, Help: "deactivate the account", Changes: true, Needs: needsOf(action.UserDeactivate)},
		{Do: Activate, Keys: []string{"A"}, On: OnReports | OnReport | OnUsers | OnUser, Help: "activate the account", Changes: true, Needs: needsOf(action.UserActivate)},
		{Do: Delete, Keys: []string{"D"}, On: onPosts, Help: "delete the marked posts", Changes: true, Needs: needsOf(action.StatusDelete)},
		{Do: Sensitive, Keys: []string{"s"}, On: onPosts, Help: "marked posts sensitive, or not", Changes: true, Needs: needsOf(action.StatusSensitive)},
		{Do: Visibility, Keys: []string{"v"}, On: onPosts, Help: "visibility of the marked posts", Changes: true, Needs: needsOf(action.StatusVisibility)},
		{Do: Undo, Keys: []string{"u"}, On: OnAll, Help: "cancel the last action, or undo it", Changes: true},
		{Do: UndoAll, Keys: []string{"U"}, On: OnAll, Help: "cancel all that wait", Changes: true},
		{Do: Outbox, Keys: []string{"ctrl+o"}, On: OnAll, Help: "outbox: look, send now"},
		{Do: ShowCW, Keys: []string{"w"}, On: onPosts | onStatuses, Help: "show the next hidden text"},
		{Do: HideCW, Keys: []string{"W"}, On: onPosts | onStatuses, Help: "hide all again"},
		{Do: Media, Keys: []string{"i"}, On: onPosts, Help: "media of the post"},
		{Do: Copy, Keys: []string{"y"}, On: onPosts | onNouns | OnPage, Help: "copy id, name or address"},
		{Do: Menu, Keys: []string{"x"}, On: OnReports | OnReport | OnUser | onNouns&^OnLog, Help: "all that can be done here"},
		{Do: Save, Keys: []string{"ctrl+s"}, On: OnLists, Help: "save the list as jsonl or csv"},
		{Do: Palette, Keys: []string{":"}, On: OnAll, Help: "a command by its name: screens, and what keys do here"},
		{Do: Login, On: OnAll, Help: "log in again"},
		{Do: Contexts, On: OnAll, Help: "switch to another instance of the configuration file"},
		{Do: Help, Keys: []string{"?", "f1"}, On: OnAll, Help: "this help"},
		{Do: Actions, Keys: []string{"@"}, On: OnAll, Help: "outbox and journal: what waits, and what was done from here"},
		{Do: Suspend, Keys: []string{"ctrl+z"}, On: OnAll, Help: "suspend"},
		{Do: Quit, Keys: []string{"q"}, On: OnAll, Help: "quit, or back from a detail"},
		{Do: Interrupt, Keys: []string{"ctrl+c"}, On: OnAll, Help: "quit"},
	}
}

// Map finds bindings by key.
type Map struct{ Bindings []Binding }

// New takes the default bindings with some commands on other keys. A key
// with two meanings on one screen, and a command that does not exist, are
// refused.
func New(rebound map[string][]string) (*Map, error) {
	m := &Map{DefaultBindings()}
	for _, name := range slices.Sorted(maps.Keys(rebound)) {
		i := slices.IndexFunc(m.Bindings, func(b Binding) bool { return string(b.Do) == name })
		if i < 0 {
			return nil, fmt.Errorf("keys: there is no command %q", name)
		}
		m.Bindings[i].Keys = rebound[name]
		if len(rebound[name]) == 0 && (name == string(Help) || name == string(Quit) || name == string(Palette)) {
			return nil, fmt.Errorf("keys: %s needs a key", name)
		}
	}
	for i, a := range m.Bindings {
		for _, b := range m.Bindings[:i] {
			if a.On&b.On == 0 {
				continue
			}
			for _, key := range a.Keys {
				if slices.Contains(b.Keys, key) {
					return nil, fmt.Errorf("keys: %q means both %s and %s", key, b.Do, a.Do)
				}
				for _, other := range b.Keys {
					if doubled(key) && other == key[:1] || doubled(other) && key == other[:1] {
						return nil, fmt.Errorf("keys: %q and %q cannot be told apart", other, key)
					}
				}
			}
		}
	}
	return m, nil
}

// doubled reports a key that is pressed twice, such as gg.
func doubled(key string) bool { return len(key) == 2 && key[0] == key[1] }

// Of leaves the bindings that somebody with these rights may use.
func (m *Map) Of(r Rights) *Map {
	return &Map{slices.DeleteFunc(slices.Clone(m.Bindings), func(b Binding) bool { return !r.Has(b.Needs...) && (b.or == "" || !r.Has(b.or)) })}
}

// Without leaves out commands.
func (m *Map) Without(commands ...Command) *Map {
	return &Map{slices.DeleteFunc(slices.Clone(m.Bindings), func(b Binding) bool { return slices.Contains(commands, b.Do) })}
}

// Has reports whether a command is there.
func (m *Map) Has(do Command) bool {
	return slices.ContainsFunc(m.Bindings, func(b Binding) bool { return b.Do == do })
}

// Find returns the binding of a key at a place. With begins the key is the
// first of a doubled one.
func (m *Map) Find(key string, at Places) (b Binding, found, begins bool) {
	for _, b := range m.Bindings {
		if b.On&at == 0 {
			continue
		}
		if slices.Contains(b.Keys, key) {
			return b, true, false
		}
		for _, k := range b.Keys {
			begins = begins || doubled(k) && k[:1] == key
		}
	}
	return Binding{}, false, begins
}

// Key is the first key of a command, as help shows it.
func (m *Map) Key(do Command) string {
	for _, b := range m.Bindings {
		if b.Do == do && len(b.Keys) > 0 {
			return Name(b.Keys[0])
		}
	}
	return ""
}

// group is the purpose of a command, by which help and the bar put keys together.
type group string

const (
	groupJudge   group = "the report"
	groupPosts   group = "its posts"
	groupAccount group = "the account"
	groupRow     group = "the row"
	groupList    group = "the list"
	groupMove    group = "moving"
	groupSent    group = "what was done"
	groupScreens group = "screens"
	groupProgram group = "the program"
)

// Groups are in the order of the help.
var Groups = []group{groupJudge, groupPosts, groupAccount, groupRow, groupList, groupMove, groupSent, groupScreens, groupProgram}

// GroupOf is the purpose of a command.
func GroupOf(do Command) group {
	switch do {
	case Resolve, Close, Reopen, Note, Claim, Play:
		return groupJudge
	case Delete, Sensitive, Visibility, ShowCW, HideCW, Media, Thread:
		return groupPosts
	case Deactivate, Activate, Message, Person, Host:
		return groupAccount
	case Mark, MarkRange, MarkAll, Filter, Merge, Refresh, Group, Expand, Fold, Sort, Save:
		return groupList
	case Up, Down, HalfUp, HalfDown, PageUp, PageDown, Top, Bottom, In, Back, Last, Earlier, Later, Pane:
		return groupMove
	case Undo, UndoAll, Outbox, Actions:
		return groupSent
	case Reports, Users, Log, Palette, Help, Demo:
		return groupScreens
	case Login, Contexts, Suspend, Quit, Interrupt:
		return groupProgram
	}
	for _, n := range tables.All() {
		if n.Accounts && slices.ContainsFunc(n.Verbs, func(v tables.Verb) bool { return VerbCommand(n, v) == do }) {
			return groupAccount
		}
	}
	if tables.Find(string(do)) != nil {
		return groupScreens
	}
	return groupRow
}

// Name is a key as help shows it.
func Name(key string) string {
	switch {
	case key == " ":
		return "space"
	case len(key) > 1 && key[0] == 'f' && strings.Trim(key[1:], "0123456789") == "":
		return strings.ToUpper(key)
	}
	return strings.ReplaceAll(key, "ctrl+", "ctrl-")
}

// Bar is the line of keys at the bottom: as many as there is room for, with a
// wall between groups, and help at the end.
func (m *Map) Bar(commands []Command, width int, wall string) draw.Line {
	help := draw.Line{{Text: " " + m.Key(Help), Ink: draw.InkKey}, {Text: " help", Ink: draw.InkPlain}}
	room := width - help.Width() - 2
	var l draw.Line
	var before group
	for _, do := range commands {
		if !m.Has(do) {
			continue
		}
		var next draw.Line
		if before != "" && GroupOf(do) != before {
			next = append(next, draw.Span{Text: " " + wall, Ink: draw.InkRule})
		}
		next = append(next, draw.Span{Text: " " + m.Key(do), Ink: draw.InkKey}, draw.Span{Text: " " + m.word(do), Ink: draw.InkPlain})
		if room -= next.Width(); room < 0 {
			break
		}
		l, before = append(l, next...), GroupOf(do)
	}
	if len(l) > 0 {
		l = append(l, draw.Span{Text: " " + wall, Ink: draw.InkRule})
	}
	return append(l, help...)
}

// word is a command in the bar.
func (m *Map) word(do Command) string {
	for _, b := range m.Bindings {
		if b.Do == do && b.word != "" {
			return b.word
		}
	}
	switch do {
	case UndoAll:
		return "cancel all"
	case Mark:
		return "mark"
	case ShowCW:
		return "show CW"
	}
	return string(do)
}
