package config

import (
	"fmt"
	"strings"
)

// A Problem is an invalid setting. Setting is its name as given (--listen,
// SVC_LISTEN, listen in a file), Value the given value ("(hidden)" for a
// secret), Accepted the valid values.
type Problem struct {
	Setting  string
	Value    string
	Accepted string
}

// String is the problem as one line.
func (p Problem) String() string {
	return fmt.Sprintf("%s: %q is not accepted; give %s", p.Setting, p.Value, p.Accepted)
}

// Problems is all faults of a configuration, in the order of reading.
type Problems []Problem

// Error has one line for each problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// err is p as an error, nil when there are no problems.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

func (p *Problems) add(setting, value string, secret bool, accepted string) {
	if secret && value != "" {
		value = "(hidden)"
	}
	*p = append(*p, Problem{Setting: setting, Value: value, Accepted: accepted})
}
