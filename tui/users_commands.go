package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client/action"
	"svc/client/safe"
	"svc/tui/shown"
)

// userVerb is the effect of a key on accounts, in the list and on the page of
// one.
type userVerb struct {
	do   command
	key  string
	help string
	// The kind that is staged; kinds are for a choice of them, by their words.
	kind  action.Kind
	kinds []userKind
	// A line is asked for and becomes the argument arg.
	ask, arg string
	choices  []string
	// fits reports accounts that the verb means something for; nil is all.
	fits func(shown.Person) bool
	sure bool
}

type userKind struct {
	key, word string
	kind      action.Kind
}

// kindsOf are the kinds to choose from.
func (v userVerb) kindsOf() []action.Kind {
	var kinds []action.Kind
	for _, k := range v.kinds {
		kinds = append(kinds, k.kind)
	}
	return kinds
}

// policyTags are the tags that the tag policy acts on.
var policyTags = []string{
	"mrf_tag:media-force-nsfw", "mrf_tag:media-strip", "mrf_tag:force-unlisted", "mrf_tag:sandbox",
	"mrf_tag:disable-remote-subscription", "mrf_tag:disable-any-subscription",
}

var userVerbs = []userVerb{
	{do: "approve", key: "a", help: "approve who waits", kind: action.UserApprove, fits: func(p shown.Person) bool { return p.Pending }},
	{do: "reject", key: "R", help: "reject who waits: deletes the pending account", kind: action.UserDelete, fits: func(p shown.Person) bool { return p.Pending }},
	{do: "confirm", key: "C", help: "take the address as confirmed", kind: action.UserConfirm, fits: func(p shown.Person) bool { return p.Unconfirmed }},
	{do: "resend-confirmation", key: "E", help: "mail another link to confirm the address", kind: action.UserResend, fits: func(p shown.Person) bool { return p.Unconfirmed }},
	{do: "tag", key: "t", help: "tag for the tag policy", kind: action.UserTag, ask: "tags: ", arg: "tags", choices: policyTags},
	{do: "untag", key: "T", help: "take a tag away", kind: action.UserUntag, ask: "tags: ", arg: "tags", choices: policyTags},
	{do: "promote", key: "p", help: "make a moderator or an admin", fits: isLocal, kinds: []userKind{
		{"m", "moderator", action.UserMakeModerator}, {"a", "admin", action.UserMakeAdmin},
	}},
	{do: "demote", key: "P", help: "take a role away", sure: true, fits: isLocal, kinds: []userKind{
		{"m", "moderator", action.UserUnmakeModerator}, {"a", "admin", action.UserUnmakeAdmin},
	}},
	{do: "force-reset", key: "K", help: "have a new password chosen", kind: action.UserForceReset, sure: true, fits: isLocal},
	{do: "disable-mfa", key: "M", help: "switch the second factor off", kind: action.UserDisableMFA, sure: true, fits: isLocal},
	{do: "follow", key: "F", help: "have it follow somebody", kind: action.UserFollow, ask: "follow: ", arg: "followed"},
	{do: "unfollow", key: "N", help: "have it unfollow somebody", kind: action.UserUnfollow, ask: "unfollow: ", arg: "followed"},
	{do: "delete-user", key: "X", help: "delete the account for good", kind: action.UserDelete},
}

func isLocal(p shown.Person) bool { return p.Local }

// userBindings are the keys of userVerbs, and those that answer at once.
func userBindings() []binding {
	var bindings []binding
	for _, v := range userVerbs {
		bindings = append(bindings, binding{do: v.do, keys: []string{v.key}, on: onUsers | onUser, help: v.help, changes: true, needs: needsOf(append(v.kindsOf(), v.kind)...)})
	}
	return append(bindings,
		binding{do: doResetLink, keys: []string{"L"}, on: onUsers | onUser, help: "a link to choose a new password, once", changes: true, needs: adminsAlone},
		binding{do: doBackup, keys: []string{"B"}, on: onUsers | onUser, help: "make an archive of the account", changes: true, needs: adminsAlone},
	)
}

// onPeople carries a command on accounts out; false is none of its commands.
func (m *model) onPeople(c command, people []shown.Person) (tea.Cmd, bool) {
	switch c {
	case doDeactivate, doActivate:
		return m.stagePeople(c, people), true
	case doMessage:
		m.writeMessage(people, m.fieldsOf)
		return nil, true
	case doResetLink, doBackup:
		m.callPerson(c, people)
		return nil, true
	}
	for _, v := range userVerbs {
		if v.do == c {
			return m.stageUserVerb(v, people), true
		}
	}
	return nil, false
}

func (m *model) stageUserVerb(v userVerb, people []shown.Person) tea.Cmd {
	var nicks, means []string
	for _, p := range people {
		if p.Nick == "" || v.fits != nil && !v.fits(p) {
			continue
		}
		nicks = append(nicks, p.Nick)
		if one := action.Deletion(p.Local, p.Deactivated); v.kind == action.UserDelete && !slices.Contains(means, one) {
			means = append(means, one)
		}
	}
	if len(nicks) == 0 {
		m.say(inkDim, "nobody here to "+string(v.do))
		return nil
	}
	head := line{{" " + v.help, inkStrong}, {": " + someOf(accts(nicks)), inkPlain}}
	stage := func(kind action.Kind, args map[string]string) tea.Cmd {
		var actions []action.Action
		for _, nick := range nicks {
			actions = append(actions, action.Action{Kind: kind, Target: "user/" + nick, Args: args})
		}
		if v.do == "reject" {
			label := strings.Replace(stagedLabel(kind, actions), kind.Verb(), "reject", 1) + ", which deletes the pending account"
			m.askNames("reject, which deletes the pending account", accts(nicks), func(m *model) tea.Cmd { return m.stage(actions, label) })
			return nil
		}
		return m.stageSurely(actions, v.sure, means...)
	}
	var choices []choice
	for _, k := range v.kinds {
		choices = append(choices, choice{k.key, k.word, func(*model) tea.Cmd { return stage(k.kind, nil) }})
	}
	typed := func(m *model) tea.Cmd {
		m.ask(&prompt{title: []line{head}, text: newTextField("", false), label: v.ask, accept: "enter", done: func(m *model, text string) tea.Cmd {
			if text = strings.TrimSpace(text); text == "" {
				return nil
			}
			if v.arg == "followed" {
				target, err := action.ParseTarget("user", text)
				if err != nil {
					m.say(inkBad, wording(err).String())
					return nil
				}
				text = target.String()
			}
			return stage(v.kind, map[string]string{v.arg: text})
		}})
		return nil
	}
	for i, text := range v.choices {
		choices = append(choices, choice{fmt.Sprint(i + 1), text, func(*model) tea.Cmd { return stage(v.kind, map[string]string{v.arg: text}) }})
	}
	switch {
	case len(choices) == 0 && v.ask == "":
		return stage(v.kind, nil)
	case len(choices) == 0:
		return typed(m)
	case v.ask != "":
		choices = append(choices, choice{"t", "type it", typed})
	}
	m.ask(&prompt{title: []line{head}, choices: append(choices, choice{"esc", "cancel", stay})})
	return nil
}

func accts(nicks []string) []string {
	out := make([]string, len(nicks))
	for i, nick := range nicks {
		out[i] = shown.Acct(nick).String()
	}
	return out
}

// callPerson carries out an immediate command for one account.
func (m *model) callPerson(c command, people []shown.Person) {
	if len(people) != 1 {
		m.say(inkDim, string(c)+" works on one account at a time")
		return
	}
	p := people[0]
	if !p.Local {
		m.say(inkDim, string(c)+" works on local accounts")
		return
	}
	label := string(c) + " " + p.Acct.String()
	if p.Acct.String() == "" {
		label = string(c) + " " + shown.Acct(p.Nick).String()
	}
	m.askNames(m.keys.help(c), accts([]string{p.Nick}), func(m *model) tea.Cmd {
		load := m.load
		m.say(inkDim, label+" ...")
		return load.run(func(ctx context.Context) tea.Msg {
			answer, err := safe.Own("asked for; a mail follows"), error(nil)
			if c == doResetLink {
				answer, err = load.resetLink(ctx, p.Nick)
			} else {
				err = load.c.Admin.Users.Backup(ctx, p.Nick)
			}
			return called{nil, label, answer, err}
		})
	})
}
