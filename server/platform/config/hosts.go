package config

import (
	"fmt"
	"slices"
	"strings"

	"svc/client/settings/term"
	"svc/server/platform/hosts"
)

// ofHosts marks a list of hosts. It is checked when it is saved, not when it is
// read: an old list with a wrong name goes on acting on the other hosts.
func (s Setting) ofHosts() Setting { s.hosts = true; return s }

// CheckHosts reports names in the lists of hosts in value that name no host, the
// first of each list. Names that stand in the saved value already are left out.
func CheckHosts(group, key string, value, saved term.Term) []error {
	var wrong []error
	for _, row := range about(registry(), group, key) {
		if !row.hosts {
			continue
		}
		before := row.hostsIn(saved)
		for _, name := range row.hostsIn(value) {
			if !hosts.Listable(name) && !slices.Contains(before, name) {
				wrong = append(wrong, fmt.Errorf("%s takes hosts such as far.example or *.far.example, and %.200q is none", row.wireName(), name))
				break
			}
		}
	}
	return wrong
}

// hostsIn returns the hosts that a value of s.Key names, none if it cannot be read.
func (s Setting) hostsIn(value term.Term) []string {
	decoded, found, err := s.read(value)
	if !found || err != nil {
		return nil
	}
	return namesIn(decoded)
}

// namesIn are the hosts in the value of a setting.
func namesIn(value any) []string {
	switch v := value.(type) {
	case []string:
		return v
	case []Allowed:
		names := make([]string, len(v))
		for i := range v {
			names[i] = v[i].Host
		}
		return names
	case []HostReason:
		names := make([]string, len(v))
		for i := range v {
			names[i] = v[i].Host
		}
		return names
	}
	return nil
}

// Idle returns the module of the policy that reads a key, if value says anything
// and that policy is in no chain, so that nothing comes of it; else "".
func (s *Settings) Idle(group, key string, value term.Term) string {
	module := policies[key]
	if group != ":svc" || module == "" || !says(value) {
		return ""
	}
	if s.chained(module) {
		return ""
	}
	return module
}

// chained reports whether a policy is in the chain, or in one for some actors.
func (s *Settings) chained(module string) bool {
	in := func(chain []string, module string) bool {
		return slices.ContainsFunc(chain, func(m string) bool { return PolicyName(m) == PolicyName(module) })
	}
	return in(s.Policies.Chain, module) || in(s.Policies.Chain, policyModule+"SubchainPolicy") &&
		slices.ContainsFunc(s.Policies.Subchains, func(c Subchain) bool { return in(c.Policies, module) })
}

// says reports whether a value has more than empty lists.
func says(value term.Term) bool {
	if pairs, ok := value.Pairs(); ok {
		return slices.ContainsFunc(pairs, func(p term.Pair) bool { return says(p.Value) })
	}
	if list, ok := value.Items(); ok {
		return len(list) > 0
	}
	return !value.IsNil()
}

// MailDomainBlocked reports whether a mail domain is one of those that are blocked, or
// below one.
func MailDomainBlocked(blocked []string, domain string) bool {
	domain = "." + hosts.Clean(domain)
	return slices.ContainsFunc(blocked, func(bad string) bool { return strings.HasSuffix(domain, "."+hosts.Clean(bad)) })
}
