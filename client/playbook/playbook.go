// Package playbook has the ordered steps that moderators run on a reported account
// as one: shipped ones, and those of the configuration file (playbooks:). It turns
// a playbook and a case into actions, which package client/action carries out with
// Engine.Play. It sends and shows nothing.
//
//	playbooks:
//	  casino:
//	    - delete                         # the marked posts, else all that were reported
//	    - deactivate
//	    - tag: mrf_tag:sandbox
//	    - note: "casino spam of {{.nick}}"
//	    - message: {template: warning}   # one of templates:
//	    - resolve: all                   # all open reports about the account
package playbook

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"svc/client/action"
	"svc/client/api"
	"svc/client/canned"
)

// Playbook is a name and its steps.
type Playbook struct {
	Name  string
	Steps []Step
}

// Step is one step: a verb and its argument. Text is of notes and messages, a
// template over canned.Fields; it has been looked up where the file names one.
type Step struct {
	Do   string // one of the verbs
	Tag  string
	Text string
	All  bool // resolve and close: all open reports about the account
}

// MaxSteps bounds a playbook.
const MaxSteps = 20

// The verbs of steps, with their arguments as messages name them.
var verbs = []struct{ name, takes string }{
	{"delete", ""}, {"sensitive", ""}, {"deactivate", ""}, {"tag", "a tag"}, {"untag", "a tag"},
	{"note", "a text, or {template: NAME}"}, {"message", "a text, or {template: NAME}"},
	{"resolve", "all, or nothing"}, {"close", "all, or nothing"},
}

// shipped are the playbooks that come with the program.
func shipped() []Playbook {
	return []Playbook{
		{"spam", []Step{
			{Do: "delete"}, {Do: "deactivate"},
			{Do: "note", Text: "spam: reported posts deleted, account deactivated"}, {Do: "resolve", All: true},
		}},
		{"abuse", []Step{
			{Do: "delete"},
			{Do: "message", Text: "Hello {{.nick}}, moderators of {{.server}} deleted posts of yours, which were reported as abuse. Please keep to the rules; the next time the account may be closed."},
			{Do: "note", Text: "abuse: reported posts deleted, account warned"}, {Do: "resolve", All: true},
		}},
		{"dogpile", []Step{{Do: "note", Text: "dogpile: looked at, harmless"}, {Do: "close", All: true}}},
		{"impersonation", []Step{
			{Do: "deactivate"}, {Do: "note", Text: "impersonation: account deactivated"}, {Do: "resolve", All: true},
		}},
	}
}

// Load returns the shipped playbooks and those of a configuration file, which win
// over shipped ones of the same name, in this order. A wrong step is an error of
// one line that names playbook and step.
func Load(own map[string]any, templates map[string]string) ([]Playbook, error) {
	books := shipped()
	for _, name := range slices.Sorted(maps.Keys(own)) {
		book, err := parse(name, own[name], templates)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(books, func(b Playbook) bool { return b.Name == name })
		if at < 0 {
			books = append(books, book)
		} else {
			books[at] = book
		}
	}
	return books, nil
}

// Find is the playbook of a name; an unknown name is an error that lists them all.
func Find(books []Playbook, name string) (Playbook, error) {
	for _, b := range books {
		if b.Name == name {
			return b, nil
		}
	}
	names := make([]string, len(books))
	for i, b := range books {
		names[i] = b.Name
	}
	return Playbook{}, &action.UsageError{Message: fmt.Sprintf("there is no playbook %s; there are %s", action.Quote(name), strings.Join(names, ", "))}
}

func parse(name string, value any, templates map[string]string) (Playbook, error) {
	book := Playbook{Name: name}
	wrong := func(step int, format string, args ...any) (Playbook, error) {
		where := "playbook " + action.Quote(name)
		if step > 0 {
			where += ", step " + strconv.Itoa(step)
		}
		return book, &action.UsageError{Message: where + ": " + fmt.Sprintf(format, args...)}
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return wrong(0, "the name must be a word")
	}
	steps, ok := value.([]any)
	if !ok || len(steps) == 0 {
		return wrong(0, "it must be a list of steps")
	}
	if len(steps) > MaxSteps {
		return wrong(0, "%d steps, at most %d are accepted", len(steps), MaxSteps)
	}
	for i, one := range steps {
		var verb string
		var argument any
		switch one := one.(type) {
		case string:
			verb = one
		case map[string]any:
			if len(one) != 1 {
				return wrong(i+1, "a step is one verb, like deactivate, or one verb with its argument, like tag: NAME")
			}
			for verb, argument = range one {
			}
		default:
			return wrong(i+1, "a step is a verb, not %s", action.Quote(fmt.Sprint(one)))
		}
		at := slices.IndexFunc(verbs, func(v struct{ name, takes string }) bool { return v.name == verb })
		if at < 0 {
			all := make([]string, len(verbs))
			for i, v := range verbs {
				all[i] = v.name
			}
			return wrong(i+1, "there is no step %s; there are %s", action.Quote(verb), strings.Join(all, ", "))
		}
		step, err := parseStep(verb, argument, templates)
		if err != nil {
			if verbs[at].takes == "" {
				return wrong(i+1, "%s takes no argument", verb)
			}
			return wrong(i+1, "%s: %v", verb, err)
		}
		book.Steps = append(book.Steps, step)
	}
	return book, nil
}

var errArgument = errors.New("this argument is not accepted")

func parseStep(verb string, argument any, templates map[string]string) (Step, error) {
	step := Step{Do: verb}
	text, _ := argument.(string)
	switch verb {
	case "tag", "untag":
		step.Tag = strings.TrimSpace(text)
		if step.Tag == "" || strings.ContainsAny(step.Tag, ", \n") {
			return step, errors.New("one tag is wanted, like mrf_tag:sandbox")
		}
	case "note", "message":
		if choice, ok := argument.(map[string]any); ok {
			name, named := choice["template"].(string)
			if !named || len(choice) != 1 {
				return step, errors.New("a text or {template: NAME} is wanted")
			}
			if text, named = templates[name]; !named {
				return step, fmt.Errorf("there is no template %s", action.Quote(name))
			}
		}
		if step.Text = text; strings.TrimSpace(text) == "" {
			return step, errors.New("a text or {template: NAME} is wanted")
		}
		// All fields are there, so that only a wrong text or field is refused.
		if _, err := canned.Fill(verb, text, canned.Sample()); err != nil {
			return step, err
		}
	case "resolve", "close":
		if step.All = text == "all"; argument != nil && !step.All {
			return step, errors.New("all, or nothing, is wanted")
		}
	default:
		if argument != nil {
			return step, errArgument
		}
	}
	return step, nil
}

// Case is the account that a playbook runs on, with its reports and posts.
type Case struct {
	Nick    string   // "" when the account is gone
	Reports []string // ids of the reports at hand
	All     []string // ids of all open reports about the account, with those of Reports
	Posts   []string // ids of the posts to delete
	Fields  canned.Fields
	// Before holds the state of each object as the moderator saw it, by typed
	// name; see action.Action. Objects may be missing.
	Before map[string]map[string]string
}

// Plan is the actions of a playbook on a case, in order: neighbours of one kind
// are one step. Steps without an object, such as delete where there is no post,
// are left out. The error is one line: a missing field, an account that is gone.
func (p Playbook) Plan(c Case) ([]action.Action, error) {
	var plan []action.Action
	add := func(kind action.Kind, noun, name string, args map[string]string) {
		target := noun + "/" + name
		plan = append(plan, action.Action{Kind: kind, Target: target, Args: args, Before: c.Before[target]})
	}
	for _, step := range p.Steps {
		switch step.Do {
		case "delete", "sensitive":
			for _, id := range c.Posts {
				if step.Do == "delete" {
					add(action.StatusDelete, "status", id, nil)
				} else {
					add(action.StatusSensitive, "status", id, map[string]string{"sensitive": "true"})
				}
			}
			continue
		case "resolve", "close":
			kind, reports := action.ReportResolve, c.Reports
			if step.Do == "close" {
				kind = action.ReportClose
			}
			if step.All {
				reports = union(c.Reports, c.All)
			}
			for _, id := range reports {
				add(kind, "report", id, nil)
				// A decision assumes that the report is still open.
				if a := &plan[len(plan)-1]; a.Before == nil {
					a.Before = map[string]string{"state": api.ReportOpen}
				}
			}
			continue
		case "note":
			for _, id := range c.Reports[:min(1, len(c.Reports))] {
				text, err := canned.Fill(p.Name, step.Text, c.Fields)
				if err != nil {
					return nil, &action.UsageError{Message: err.Error()}
				}
				add(action.ReportNote, "report", id, map[string]string{"text": text})
			}
			continue
		}
		if c.Nick == "" {
			return nil, &action.UsageError{Message: fmt.Sprintf("playbook %s: %s needs an account, and this one is gone", p.Name, step.Do)}
		}
		switch step.Do {
		case "deactivate":
			add(action.UserDeactivate, "user", c.Nick, nil)
		case "tag":
			add(action.UserTag, "user", c.Nick, map[string]string{"tags": step.Tag})
		case "untag":
			add(action.UserUntag, "user", c.Nick, map[string]string{"tags": step.Tag})
		case "message":
			text, err := canned.Fill(p.Name, step.Text, c.Fields)
			if err != nil {
				return nil, &action.UsageError{Message: err.Error()}
			}
			add(action.UserMessage, "user", c.Nick, map[string]string{"text": text})
		}
	}
	return plan, nil
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, id := range b {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// Consequences are the steps of a plan in words, with their objects: "delete 2
// posts 9xPq1, 9xPq4". What cannot be taken back says so. short makes an object's
// name shorter, and printable.
func Consequences(plan []action.Action, short func(kind action.Kind, target string) string) []string {
	var steps []string
	for start := 0; start < len(plan); {
		end := start + 1
		for end < len(plan) && plan[end].Kind == plan[start].Kind {
			end++
		}
		kind := plan[start].Kind
		names := make([]string, end-start)
		for i, a := range plan[start:end] {
			names[i] = short(kind, a.Target)
		}
		steps = append(steps, consequence(kind, names, plan[start].Args))
		start = end
	}
	return steps
}

func consequence(kind action.Kind, names []string, args map[string]string) string {
	const few = 3
	some := strings.Join(names[:min(few, len(names))], ", ")
	if len(names) > few {
		some += fmt.Sprintf(" +%d", len(names)-few)
	}
	nouns := func(one string) string {
		if len(names) == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %ss", len(names), one)
	}
	switch kind {
	case action.StatusDelete:
		return "delete " + nouns("post") + " " + some + " (for good)"
	case action.StatusSensitive:
		return "mark " + nouns("post") + " " + some + " as sensitive"
	case action.UserDeactivate:
		return "deactivate @" + some + " (ends follows for good)"
	case action.UserTag:
		return "tag @" + some + " with " + args["tags"]
	case action.UserUntag:
		return "take " + args["tags"] + " from @" + some
	case action.UserMessage:
		return "message @" + some + " (for good)"
	case action.ReportNote:
		return "note on " + some
	}
	return kind.Verb() + " " + nouns("report") + " " + some
}
