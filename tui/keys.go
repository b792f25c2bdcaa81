package tui

import (
	"fmt"
	"slices"
	"strings"

	"svc/client/action"
	"svc/tui/draw"
	"svc/tui/tables"
)

// command is the order that a key gives.
type command string

const (
	doUp, doDown, doHalfUp, doHalfDown  command = "up", "down", "half-up", "half-down"
	doPageUp, doPageDown                command = "page-up", "page-down"
	doTop, doBottom                     command = "top", "bottom"
	doIn, doBack, doLast                command = "in", "back", "last-view"
	doEarlier, doLater                  command = "earlier-view", "later-view"
	doPane                              command = "pane"
	doReports, doUsers, doLog           command = "reports", "users", "log"
	doMark, doMarkRange, doMarkAll      command = "mark", "mark-range", "mark-all"
	doFilter, doMerge, doRefresh        command = "filter", "merge", "refresh"
	doGroup, doExpand, doSort           command = "group", "expand", "sort"
	doShowCW, doHideCW, doMedia, doCopy command = "show-cw", "hide-cw", "media", "copy"
	doResolve, doClose, doReopen        command = "resolve", "close", "reopen"
	doNote, doMessage, doPlay           command = "note", "message", "play"
	doPerson, doClaim, doFold           command = "person", "claim", "fold"
	doHost, doThread                    command = "host", "thread"
	doDeactivate, doActivate            command = "deactivate", "activate"
	doDelete, doSensitive, doVisibility command = "delete", "sensitive", "visibility"
	doUndo, doUndoAll, doOutbox         command = "undo", "undo-all", "outbox"
	doHelp, doActions, doDemo           command = "help", "actions", "demo"
	doMenu, doSave, doPalette           command = "menu", "save", "palette"
	doLogin, doContexts                 command = "login", "contexts"
	doSuspend, doQuit, doInterrupt      command = "suspend", "quit", "interrupt"
)

// places are the screens where a binding holds.
type places uint

const (
	onReports places = 1 << iota
	onReport
	onUser
	onPage // help and the like: text to read
	onNoun // the first of package tables; the others follow

	onNouns = ^(onNoun - 1)
	onLists = onReports | onNouns
	onPosts = onReports | onReport | onUser
	onAll   = onLists | onReport | onUser | onPage
)

// Places of tables that bindings name.
var (
	onUsers = placeOf("users")
	onLog   = placeOf("log")

	onStatuses = placeOf("statuses") | placeOf("thread")
)

// nounPlace is where the bindings of a noun hold.
func nounPlace(i int) places { return onNoun << i }

// placeOf is the place of a noun by its name.
func placeOf(noun string) places {
	return nounPlace(slices.IndexFunc(tables.All(), func(n *tables.Noun) bool { return n.Name == noun }))
}

// binding is a command, its keys, and where it holds. It is declared once, for
// matching and for help.
type binding struct {
	do      command
	keys    []string
	on      places
	help    string
	changes bool               // it changes something on the server
	needs   []tables.Privilege // without them a moderator cannot use it
	or      tables.Privilege   // or this one in their place, "" for none
	word    string             // in the bar at the bottom, where it is not the command
}

// defaultBindings are those of the program, and of the nouns.
func defaultBindings() []binding {
	bindings := programBindings()
	for i, n := range tables.All() {
		open := binding{do: command(n.Name), on: onAll, help: n.Help, needs: nounNeeds(n), or: n.Part}
		if n.Key != "" {
			open.keys = []string{n.Key}
		}
		if !slices.ContainsFunc(bindings, func(b binding) bool { return b.do == open.do }) {
			bindings = append(bindings, open)
		}
		on := nounPlace(i)
		if n.Accounts {
			on |= onUser
		}
		for _, v := range n.Verbs {
			bindings = append(bindings, binding{
				do: verbCommand(n, v), keys: []string{v.Key}, on: on, help: v.Help, changes: true, needs: verbNeeds(n, v), or: partOf(n, v), word: v.Name,
			})
		}
	}
	return bindings
}

func nounNeeds(n *tables.Noun) []tables.Privilege {
	if n.Needs == "" {
		return adminsAlone
	}
	return []tables.Privilege{n.Needs}
}

// verbNeeds are the privileges for a verb on rows that the noun's own let one read.
func verbNeeds(n *tables.Noun, v tables.Verb) []tables.Privilege {
	needs := nounNeeds(n)
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

func verbCommand(n *tables.Noun, v tables.Verb) command {
	if n.Accounts {
		return command(v.Name)
	}
	return command(n.Name + "." + v.Name)
}

func programBindings() []binding {
	reports, log := []tables.Privilege{tables.NeedsReports}, []tables.Privilege{tables.NeedsLog}
	users := []tables.Privilege{tables.NeedsUsers}
	return []binding{
		{do: doDown, keys: []string{"j", "down"}, on: onAll, help: "down"},
		{do: doUp, keys: []string{"k", "up"}, on: onAll, help: "up"},
		{do: doHalfDown, keys: []string{"ctrl+d"}, on: onAll, help: "half a page down"},
		{do: doHalfUp, keys: []string{"ctrl+u"}, on: onAll, help: "half a page up"},
		{do: doPageDown, keys: []string{"pgdown"}, on: onAll, help: "a page down"},
		{do: doPageUp, keys: []string{"pgup"}, on: onAll, help: "a page up"},
		{do: doTop, keys: []string{"gg", "home"}, on: onAll, help: "to the top"},
		{do: doBottom, keys: []string{"G", "end"}, on: onAll, help: "to the end"},
		{do: doIn, keys: []string{"enter", "l", "right"}, on: onLists, help: "open"},
		{do: doBack, keys: []string{"esc", "h", "left"}, on: onAll, help: "back; in a list: drop marks, then the filter"},
		{do: doLast, keys: []string{"-"}, on: onAll, help: "the view before"},
		{do: doEarlier, keys: []string{"["}, on: onAll, help: "earlier view"},
		{do: doLater, keys: []string{"]"}, on: onAll, help: "later view"},
		{do: doPane, keys: []string{"tab"}, on: onReports, help: "between list and evidence"},
		{do: doReports, keys: []string{"1"}, on: onAll, help: "reports", needs: reports},
		{do: doUsers, keys: []string{"2"}, on: onAll, help: "users", needs: users, or: tables.NeedsApprovals},
		{do: doLog, keys: []string{"3"}, on: onAll, help: "moderation log", needs: log},
		{do: doMark, keys: []string{" "}, on: onLists | onPosts, help: "mark and move on"},
		{do: doMarkRange, keys: []string{"V"}, on: onLists, help: "mark up to here"},
		{do: doMarkAll, keys: []string{"ctrl+a"}, on: onLists, help: "mark all that the filter shows"},
		{do: doFilter, keys: []string{"/"}, on: onLists | onPage, help: "filter: words, !regexp, @domain, state:"},
		{do: doMerge, keys: []string{"."}, on: onLists, help: "show new rows, drop those that went"},
		{do: doRefresh, keys: []string{"ctrl+r"}, on: onAll, help: "load again"},
		{do: doGroup, keys: []string{"b"}, on: onReports, help: "group by account, domain, status, reporter"},
		{do: doExpand, keys: []string{"e"}, on: onReports, help: "open or close the group"},
		{do: doFold, keys: []string{"H"}, on: onReports, help: "fold later reports of these posts, or show them again"},
		{do: doSort, keys: []string{"z"}, on: onLists, help: "sort by another column; reports: age, oldest, number of reports"},
		{do: doResolve, keys: []string{"r"}, on: onReports | onReport, help: "resolve", changes: true, needs: needsOf(action.ReportResolve)},
		{do: doClose, keys: []string{"c"}, on: onReports | onReport, help: "close", changes: true, needs: needsOf(action.ReportClose)},
		{do: doReopen, keys: []string{"o"}, on: onReports | onReport, help: "reopen", changes: true, needs: needsOf(action.ReportReopen)},
		{do: doNote, keys: []string{"n"}, on: onReports | onReport, help: "note", changes: true, needs: needsOf(action.ReportNote)},
		{do: doPerson, keys: []string{"P"}, on: onReports | onReport | onUsers | onLog | onStatuses, help: "the account: profile, reports about and by it, log, posts"},
		{do: doHost, keys: []string{"I"}, on: onAll, help: "its server: facts and limits", needs: reports},
		{do: doThread, keys: []string{"T"}, on: onPosts | onLog | onStatuses, help: "the thread of the post: what it answers, and its answers", needs: []tables.Privilege{tables.NeedsStatuses}},
		{do: doMessage, keys: []string{"m"}, on: onReports | onReport | onUsers | onUser, help: "message the account, for good", changes: true, needs: needsOf(action.UserMessage)},
		{do: doClaim, keys: []string{"a"}, on: onReports | onReport, help: "claim for half an hour, by a note", changes: true, needs: needsOf(action.ReportNote)},
		{do: doPlay, keys: []string{"p"}, on: onReports | onReport, help: "a playbook: steps on the reported account", changes: true, needs: reports},
		{do: doDeactivate, keys: []string{"d"}, on: onReports | onReport | onUsers | onUser, help: "deactivate the account", changes: true, needs: needsOf(action.UserDeactivate)},
		{do: doActivate, keys: []string{"A"}, on: onReports | onReport | onUsers | onUser, help: "activate the account", changes: true, needs: needsOf(action.UserActivate)},
		{do: doDelete, keys: []string{"D"}, on: onPosts, help: "delete the marked posts", changes: true, needs: needsOf(action.StatusDelete)},
		{do: doSensitive, keys: []string{"s"}, on: onPosts, help: "marked posts sensitive, or not", changes: true, needs: needsOf(action.StatusSensitive)},
		{do: doVisibility, keys: []string{"v"}, on: onPosts, help: "visibility of the marked posts", changes: true, needs: needsOf(action.StatusVisibility)},
		{do: doUndo, keys: []string{"u"}, on: onAll, help: "cancel the last action, or undo it", changes: true},
		{do: doUndoAll, keys: []string{"U"}, on: onAll, help: "cancel all that wait", changes: true},
		{do: doOutbox, keys: []string{"ctrl+o"}, on: onAll, help: "outbox: look, send now"},
		{do: doShowCW, keys: []string{"w"}, on: onPosts | onStatuses, help: "show the next hidden text"},
		{do: doHideCW, keys: []string{"W"}, on: onPosts | onStatuses, help: "hide all again"},
		{do: doMedia, keys: []string{"i"}, on: onPosts, help: "media of the post"},
		{do: doCopy, keys: []string{"y"}, on: onPosts | onNouns | onPage, help: "copy id, name or address"},
		{do: doMenu, keys: []string{"x"}, on: onReports | onReport | onUser | onNouns&^onLog, help: "all that can be done here"},
		{do: doSave, keys: []string{"ctrl+s"}, on: onLists, help: "save the list as jsonl or csv"},
		{do: doPalette, keys: []string{":"}, on: onAll, help: "a command by its name: screens, and what keys do here"},
		{do: doLogin, on: onAll, help: "log in again"},
		{do: doContexts, on: onAll, help: "switch to another instance of the configuration file"},
		{do: doHelp, keys: []string{"?", "f1"}, on: onAll, help: "this help"},
		{do: doActions, keys: []string{"@"}, on: onAll, help: "outbox and journal: what waits, and what was done from here"},
		{do: doSuspend, keys: []string{"ctrl+z"}, on: onAll, help: "suspend"},
		{do: doQuit, keys: []string{"q"}, on: onAll, help: "quit, or back from a detail"},
		{do: doInterrupt, keys: []string{"ctrl+c"}, on: onAll, help: "quit"},
	}
}

// keymap finds bindings by key.
type keymap struct{ bindings []binding }

// newKeymap takes the default bindings with some commands on other keys. A key
// with two meanings on one screen, and a command that does not exist, are
// refused.
func newKeymap(rebound map[string][]string) (*keymap, error) {
	m := &keymap{defaultBindings()}
	for _, name := range slices.Sorted(mapKeys(rebound)) {
		i := slices.IndexFunc(m.bindings, func(b binding) bool { return string(b.do) == name })
		if i < 0 {
			return nil, fmt.Errorf("keys: there is no command %q", name)
		}
		m.bindings[i].keys = rebound[name]
		if len(rebound[name]) == 0 && (name == string(doHelp) || name == string(doQuit) || name == string(doPalette)) {
			return nil, fmt.Errorf("keys: %s needs a key", name)
		}
	}
	for i, a := range m.bindings {
		for _, b := range m.bindings[:i] {
			if a.on&b.on == 0 {
				continue
			}
			for _, key := range a.keys {
				if slices.Contains(b.keys, key) {
					return nil, fmt.Errorf("keys: %q means both %s and %s", key, b.do, a.do)
				}
				for _, other := range b.keys {
					if doubled(key) && other == key[:1] || doubled(other) && key == other[:1] {
						return nil, fmt.Errorf("keys: %q and %q cannot be told apart", other, key)
					}
				}
			}
		}
	}
	return m, nil
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key := range m {
			if !yield(key) {
				return
			}
		}
	}
}

// doubled reports a key that is pressed twice, such as gg.
func doubled(key string) bool { return len(key) == 2 && key[0] == key[1] }

// of leaves the bindings that somebody with these rights may use.
func (m *keymap) of(r rights) *keymap {
	return &keymap{slices.DeleteFunc(slices.Clone(m.bindings), func(b binding) bool { return !r.has(b.needs...) && (b.or == "" || !r.has(b.or)) })}
}

// without leaves out commands.
func (m *keymap) without(commands ...command) *keymap {
	return &keymap{slices.DeleteFunc(slices.Clone(m.bindings), func(b binding) bool { return slices.Contains(commands, b.do) })}
}

// has reports whether a command is there.
func (m *keymap) has(do command) bool {
	return slices.ContainsFunc(m.bindings, func(b binding) bool { return b.do == do })
}

// find returns the binding of a key at a place. With begins the key is the
// first of a doubled one.
func (m *keymap) find(key string, at places) (b binding, found, begins bool) {
	for _, b := range m.bindings {
		if b.on&at == 0 {
			continue
		}
		if slices.Contains(b.keys, key) {
			return b, true, false
		}
		for _, k := range b.keys {
			begins = begins || doubled(k) && k[:1] == key
		}
	}
	return binding{}, false, begins
}

// key is the first key of a command, as help shows it.
func (m *keymap) key(do command) string {
	for _, b := range m.bindings {
		if b.do == do && len(b.keys) > 0 {
			return keyName(b.keys[0])
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

// groups are in the order of the help.
var groups = []group{groupJudge, groupPosts, groupAccount, groupRow, groupList, groupMove, groupSent, groupScreens, groupProgram}

func groupOf(do command) group {
	switch do {
	case doResolve, doClose, doReopen, doNote, doClaim, doPlay:
		return groupJudge
	case doDelete, doSensitive, doVisibility, doShowCW, doHideCW, doMedia, doThread:
		return groupPosts
	case doDeactivate, doActivate, doMessage, doPerson, doHost:
		return groupAccount
	case doMark, doMarkRange, doMarkAll, doFilter, doMerge, doRefresh, doGroup, doExpand, doFold, doSort, doSave:
		return groupList
	case doUp, doDown, doHalfUp, doHalfDown, doPageUp, doPageDown, doTop, doBottom, doIn, doBack, doLast, doEarlier, doLater, doPane:
		return groupMove
	case doUndo, doUndoAll, doOutbox, doActions:
		return groupSent
	case doReports, doUsers, doLog, doPalette, doHelp, doDemo:
		return groupScreens
	case doLogin, doContexts, doSuspend, doQuit, doInterrupt:
		return groupProgram
	}
	for _, n := range tables.All() {
		if n.Accounts && slices.ContainsFunc(n.Verbs, func(v tables.Verb) bool { return verbCommand(n, v) == do }) {
			return groupAccount
		}
	}
	if tables.Find(string(do)) != nil {
		return groupScreens
	}
	return groupRow
}

func keyName(key string) string {
	switch {
	case key == " ":
		return "space"
	case len(key) > 1 && key[0] == 'f' && strings.Trim(key[1:], "0123456789") == "":
		return strings.ToUpper(key)
	}
	return strings.ReplaceAll(key, "ctrl+", "ctrl-")
}

// bar is the line of keys at the bottom: as many as there is room for, with a
// wall between groups, and help at the end.
func (m *keymap) bar(commands []command, width int, wall string) draw.Line {
	help := draw.Line{{Text: " " + m.key(doHelp), Ink: draw.InkKey}, {Text: " help", Ink: draw.InkPlain}}
	room := width - help.Width() - 2
	var l draw.Line
	var before group
	for _, do := range commands {
		if !m.has(do) {
			continue
		}
		var next draw.Line
		if before != "" && groupOf(do) != before {
			next = append(next, draw.Span{Text: " " + wall, Ink: draw.InkRule})
		}
		next = append(next, draw.Span{Text: " " + m.key(do), Ink: draw.InkKey}, draw.Span{Text: " " + m.word(do), Ink: draw.InkPlain})
		if room -= next.Width(); room < 0 {
			break
		}
		l, before = append(l, next...), groupOf(do)
	}
	if len(l) > 0 {
		l = append(l, draw.Span{Text: " " + wall, Ink: draw.InkRule})
	}
	return append(l, help...)
}

// word is a command in the bar.
func (m *keymap) word(do command) string {
	for _, b := range m.bindings {
		if b.do == do && b.word != "" {
			return b.word
		}
	}
	switch do {
	case doUndoAll:
		return "cancel all"
	case doMark:
		return "mark"
	case doShowCW:
		return "show CW"
	}
	return string(do)
}
