// Package playbook has the ordered steps that moderators run on a reported account
// as one: shipped ones, and those of the configuration file (playbooks:). It turns
// a playbook and a case into actions, which package client/action carries out with
// Engine.Play. It sends and shows nothing.
//
//	playbooks:
//	  casino:
//	    - delete                         # the marked posts, else those of all reports it decides
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
	"svc/client/templates"
)

// Playbook is a name and its steps.
type Playbook struct {
	Name  string
	Steps []Step
}

// Step is one step: a verb and its argument. Text is of notes and messages, a
// template over templates.Fields; it has been looked up where the file names one.
type Step struct {
	Kind action.Kind // one with a step
	Tag  string
	Text string
	All  bool // resolve and close: all open reports about the account
}

// MaxSteps bounds a playbook.
const MaxSteps = 20

// shipped are the playbooks that come with the program.
func shipped() []Playbook {
	return []Playbook{
		{"spam", []Step{
			{Kind: action.StatusDelete}, {Kind: action.UserDeactivate},
			{Kind: action.ReportNote, Text: "spam: reported posts deleted, account deactivated"}, {Kind: action.ReportResolve, All: true},
		}},
		{"abuse", []Step{
			{Kind: action.StatusDelete},
			{Kind: action.UserMessage, Text: "Hello {{.nick}}, moderators of {{.server}} deleted posts of yours, which were reported as abuse. Please keep to the rules; the next time the account may be closed."},
			{Kind: action.ReportNote, Text: "abuse: reported posts deleted, account warned"}, {Kind: action.ReportResolve, All: true},
		}},
		{"dogpile", []Step{{Kind: action.ReportNote, Text: "dogpile: looked at, harmless"}, {Kind: action.ReportClose, All: true}}},
		{"impersonation", []Step{
			{Kind: action.UserDeactivate}, {Kind: action.ReportNote, Text: "impersonation: account deactivated"}, {Kind: action.ReportResolve, All: true},
		}},
	}
}

// Load returns the shipped playbooks and those of a configuration file, which win
// over shipped ones of the same name, in this order. A wrong step is an error of
// one line that names playbook and step.
func Load(own map[string]any, texts map[string]string) ([]Playbook, error) {
	books := shipped()
	for _, name := range slices.Sorted(maps.Keys(own)) {
		book, err := parse(name, own[name], texts)
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

func parse(name string, value any, texts map[string]string) (Playbook, error) {
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
	listed, ok := value.([]any)
	if !ok || len(listed) == 0 {
		return wrong(0, "it must be a list of steps")
	}
	if len(listed) > MaxSteps {
		return wrong(0, "%d steps, at most %d are accepted", len(listed), MaxSteps)
	}
	for i, one := range listed {
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
		kind, known := action.KindOfStep(verb)
		if !known {
			return wrong(i+1, "there is no step %s; there are %s", action.Quote(verb), strings.Join(steps(), ", "))
		}
		step, err := parseStep(kind, argument, texts)
		if errors.Is(err, errArgument) {
			return wrong(i+1, "%s takes no argument", verb)
		}
		if err != nil {
			return wrong(i+1, "%s: %v", verb, err)
		}
		book.Steps = append(book.Steps, step)
	}
	return book, nil
}

var errArgument = errors.New("this argument is not accepted")

// steps are the names of all steps.
func steps() []string {
	var names []string
	for _, kind := range action.Kinds() {
		if name, _ := kind.Step(); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func parseStep(kind action.Kind, argument any, texts map[string]string) (Step, error) {
	step := Step{Kind: kind}
	name, takes := kind.Step()
	text, _ := argument.(string)
	switch {
	case takes == "tags":
		step.Tag = strings.TrimSpace(text)
		if step.Tag == "" || strings.ContainsAny(step.Tag, ", \n") {
			return step, errors.New("one tag is wanted, like mrf_tag:sandbox")
		}
	case takes == "text":
		if choice, ok := argument.(map[string]any); ok {
			name, named := choice["template"].(string)
			if !named || len(choice) != 1 {
				return step, errors.New("a text or {template: NAME} is wanted")
			}
			if text, named = texts[name]; !named {
				return step, fmt.Errorf("there is no template %s", action.Quote(name))
			}
		}
		if step.Text = text; strings.TrimSpace(text) == "" {
			return step, errors.New("a text or {template: NAME} is wanted")
		}
		// All fields are there, so that only a wrong text or field is refused.
		if _, err := templates.Fill(name, text, templates.Sample()); err != nil {
			return step, err
		}
	case kind.State() != "":
		if step.All = text == "all"; argument != nil && !step.All {
			return step, errors.New("all, or nothing, is wanted")
		}
	case argument != nil:
		return step, errArgument
	}
	return step, nil
}

// Plan is the actions of a playbook on a case, in order: neighbours of one kind
// are one step. Steps without an object, such as delete where there is no post,
// are left out. The error is one line: a missing field, an account that is gone.
func (p Playbook) Plan(c Case) ([]action.Action, error) {
	var plan []action.Action
	add := func(kind action.Kind, noun, name string, args, before map[string]string) {
		plan = append(plan, action.Action{Kind: kind, Target: noun + "/" + name, Args: args, Before: before})
	}
	scope := p.Scope(c)
	for _, step := range p.Steps {
		args, err := p.arguments(step, c.Fields)
		if err != nil {
			return nil, err
		}
		switch step.Kind.Noun() {
		case "status":
			for _, id := range scope.Posts {
				add(step.Kind, "status", id, args, nil)
			}
		case "report":
			reports := c.Reports
			switch {
			case step.Kind.State() == "": // a note stands under one report
				reports = reports[:min(1, len(reports))]
			case step.All:
				reports = union(c.Reports, c.All)
			}
			for _, r := range reports {
				before := map[string]string{"state": r.State}
				if step.Kind.State() == "" {
					before = nil
				}
				add(step.Kind, "report", r.ID, args, before)
			}
		default:
			if c.Nick == "" {
				name, _ := step.Kind.Step()
				return nil, &action.UsageError{Message: fmt.Sprintf("playbook %s: %s needs an account, and this one is gone", p.Name, name)}
			}
			add(step.Kind, "user", c.Nick, args, map[string]string{"deactivated": strconv.FormatBool(c.Deactivated)})
		}
	}
	return plan, nil
}

// arguments are those of a step's actions, nil for none.
func (p Playbook) arguments(step Step, fields templates.Fields) (map[string]string, error) {
	switch _, takes := step.Kind.Step(); {
	case takes == "tags":
		return map[string]string{"tags": step.Tag}, nil
	case takes == "text":
		text, err := templates.Fill(p.Name, step.Text, fields)
		if err != nil {
			return nil, &action.UsageError{Message: err.Error()}
		}
		return map[string]string{"text": text}, nil
	case step.Kind == action.StatusSensitive:
		return map[string]string{"sensitive": "true"}, nil
	}
	return nil, nil
}

// Messages are the texts that a plan sends to people, each once.
func Messages(plan []action.Action) []string {
	var texts []string
	for _, a := range plan {
		if text := a.Args["text"]; a.Kind == action.UserMessage && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
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
	objects := "@" + some
	if noun, posts := kind.Noun(), kind.Noun() == "status"; noun != "user" {
		if posts {
			noun = "post"
		}
		objects = count(len(names), noun) + " " + some
	}
	text := strings.NewReplacer("{objects}", objects, "{names}", some, "{tags}", args["tags"]).Replace(kind.Phrase())
	if warning := kind.Warning(); warning != "" {
		text += " (" + warning + ")"
	}
	return text
}
