package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
)

// Target is one object to act on, and the rest of its line of input.
type Target struct {
	action.Target
	before map[string]string
}

// Targets reads the objects a command names: its arguments, and one per line
// of standard input where an argument is a dash. Input is read to its end
// before anything else happens, so that a pipe from a list cannot shift the
// pages under itself. Repeats count once.
func (a *App) Targets(noun string, args []string) ([]Target, error) {
	if slices.Contains(args, "-") {
		if err := a.mayDo(readBy[noun], false); err != nil {
			return nil, err
		}
	}
	return a.targets(noun, args, func(n int) error {
		if a.Hosted() && n > hostedReads {
			return Usagef("more than %d names are not read over SSH at a time", hostedReads)
		}
		return nil
	})
}

// readBy are the privileges that moderators need to read objects by name, where they
// are not for admins alone.
var readBy = map[string]api.Privilege{
	"report": api.PrivilegeReports, "user": api.PrivilegeUsersRead, "status": api.PrivilegeStatuses,
}

// toChange are the targets of a kind of change, no more than --max allows. Who may
// not make it is refused before standard input is read.
func (a *App) toChange(kind action.Kind, args []string) ([]Target, error) {
	if slices.Contains(args, "-") {
		if err := a.MayChange(kind); err != nil {
			return nil, err
		}
	}
	return a.targets(kind.Noun(), args, a.checkRead)
}

// targetSize is more than a target takes in memory beside its texts.
const targetSize = 400

// targets reads targets; fits refuses the first too many.
func (a *App) targets(noun string, args []string, fits func(n int) error) ([]Target, error) {
	if len(args) == 0 {
		return nil, Usagef("name a %s, or - to read their names from standard input", noun)
	}
	var all []Target
	seen := map[string]bool{}
	read := false
	add := func(t Target) error {
		name := t.String()
		if seen[name] {
			return nil
		}
		if err := a.Keep(targetSize + 4*len(name)); err != nil {
			return err
		}
		seen[name] = true
		all = append(all, t)
		return fits(len(all))
	}
	for _, arg := range args {
		if arg != "-" {
			t, err := action.ParseTarget(noun, arg)
			if err != nil {
				return nil, err
			}
			if err := add(Target{Target: t}); err != nil {
				return nil, err
			}
			continue
		}
		if read {
			return nil, Usagef("- stands twice")
		}
		read = true
		if err := a.EachLine("names", arg, func(n int, line []byte) error {
			t, err := lineTarget(noun, line)
			if err != nil {
				return Usagef("line %d: %v", n, err)
			}
			return add(t)
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// lineTarget reads a name, or the target out of an object as lists and results
// print it.
func lineTarget(noun string, line []byte) (Target, error) {
	text := string(line)
	if line[0] != '{' && line[0] != '"' {
		t, err := action.ParseTarget(noun, text)
		return Target{Target: t}, err
	}
	if line[0] == '"' { // jq prints strings like this
		if err := json.Unmarshal(line, &text); err != nil {
			return Target{}, fmt.Errorf("%s is not JSON", action.Quote(text))
		}
		t, err := action.ParseTarget(noun, text)
		return Target{Target: t}, err
	}
	var object struct {
		Target      string          `json:"target"`
		ID          json.RawMessage `json:"id"`
		State       string          `json:"state"`
		Nickname    string          `json:"nickname"`
		Deactivated *bool           `json:"deactivated"`
		Visibility  string          `json:"visibility"`
		Sensitive   *bool           `json:"sensitive"`
		Token       string          `json:"token"`
		InviteType  string          `json:"invite_type"`
		ClientID    string          `json:"client_id"`
		Receiver    json.RawMessage `json:"receiver"`
		Host        string          `json:"host"`
	}
	if err := json.Unmarshal(line, &object); err != nil {
		return Target{}, fmt.Errorf("not a JSON object: %w", err)
	}
	if object.Target != "" {
		t, err := action.ParseTarget(noun, object.Target)
		return Target{Target: t}, err
	}
	before := map[string]string{}
	var name string
	switch noun {
	case "report":
		if object.State != "" {
			before["state"] = object.State
			name = output.CellOf(object.ID)
		}
	case "user":
		name = object.Nickname
		if object.Deactivated != nil {
			before["deactivated"] = strconv.FormatBool(*object.Deactivated)
		}
	case "status":
		if object.Visibility != "" {
			before["visibility"] = object.Visibility
			name = output.CellOf(object.ID)
		}
		if object.Sensitive != nil {
			before["sensitive"] = strconv.FormatBool(*object.Sensitive)
		}
	}
	switch {
	case noun == "host":
		name = object.Host
	case noun == "invite" && object.InviteType != "":
		name = object.Token
	case noun == "app" && object.ClientID != "", noun == "chat" && object.Receiver != nil:
		name = output.CellOf(object.ID)
	}
	if name == "" {
		return Target{}, fmt.Errorf("the object is not a %s", noun)
	}
	t, err := action.ParseTarget(noun, name)
	return Target{Target: t, before: before}, err
}

// Words are arguments of a kind of change that are no targets, with lines of standard
// input in place of a dash. Typed names, and objects as lists print them, count by
// their ids.
func (a *App) Words(kind action.Kind, noun string, args []string) ([]string, error) {
	if slices.Contains(args, "-") {
		if err := a.MayChange(kind); err != nil {
			return nil, err
		}
	}
	var all []string
	for _, arg := range args {
		if arg != "-" {
			all = append(all, strings.TrimPrefix(arg, noun+"/"))
			continue
		}
		if err := a.EachLine("names", arg, func(n int, line []byte) error {
			word := string(line)
			if line[0] == '{' {
				var object struct {
					ID string `json:"id"`
				}
				if err := json.Unmarshal(line, &object); err != nil || object.ID == "" {
					return Usagef("line %d: the object has no id", n)
				}
				word = object.ID
			}
			all = append(all, strings.TrimPrefix(word, noun+"/"))
			return a.CheckRead(len(all), len(word))
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// NeedArgs wants at least n arguments, called by their names in the message.
func NeedArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return &UsageError{Message: what + " is missing", Hint: cmd.UseLine()}
		}
		return nil
	}
}

// AtMost wants no more than n arguments.
func AtMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return &UsageError{Message: fmt.Sprintf("no more than %s is wanted, got %d arguments", what, len(args)), Hint: cmd.UseLine()}
		}
		return nil
	}
}

// ExactArgs wants n arguments.
func ExactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return &UsageError{Message: fmt.Sprintf("%s is wanted, got %d arguments", what, len(args)), Hint: cmd.UseLine()}
		}
		return nil
	}
}

// AnyOf joins the words that a flag accepts.
func AnyOf(words []string) string { return strings.Join(words, ", ") }
