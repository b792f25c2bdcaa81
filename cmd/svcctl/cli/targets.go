package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/cmd/svcctl/cli/output"
)

// maxLine bounds a line of standard input, which may be a whole object.
const maxLine = 16 << 20

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
	if len(args) == 0 {
		return nil, Usagef("name a %s, or - to read their names from standard input", noun)
	}
	var all []Target
	seen := map[string]bool{}
	read := false
	add := func(t Target) {
		if !seen[t.String()] {
			seen[t.String()] = true
			all = append(all, t)
		}
	}
	for _, arg := range args {
		if arg != "-" {
			t, err := action.ParseTarget(noun, arg)
			if err != nil {
				return nil, err
			}
			add(Target{Target: t})
			continue
		}
		if read {
			return nil, Usagef("- stands twice")
		}
		read = true
		if err := readTargets(noun, a.In, add); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func readTargets(noun string, in io.Reader, add func(Target)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		t, err := lineTarget(noun, line)
		if err != nil {
			return Usagef("line %d: %v", n, err)
		}
		add(t)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read standard input: %w", err)
	}
	return nil
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

// Words are arguments that are no targets, with lines of standard input in place
// of a dash. Typed names, and objects as lists print them, count by their ids.
func (a *App) Words(noun string, args []string) ([]string, error) {
	var all []string
	for _, arg := range args {
		if arg != "-" {
			all = append(all, strings.TrimPrefix(arg, noun+"/"))
			continue
		}
		lines := bufio.NewScanner(a.In)
		lines.Buffer(make([]byte, 64<<10), maxLine)
		for n := 1; lines.Scan(); n++ {
			line := strings.TrimSpace(lines.Text())
			if strings.HasPrefix(line, "{") {
				var object struct {
					ID string `json:"id"`
				}
				if err := json.Unmarshal([]byte(line), &object); err != nil || object.ID == "" {
					return nil, Usagef("line %d: the object has no id", n)
				}
				line = object.ID
			}
			if line != "" {
				all = append(all, strings.TrimPrefix(line, noun+"/"))
			}
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
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
