package moderation

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"svc/client/settings/term"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
	"svc/server/rules/settings"
)

// HostLimits are changes of the limits of another server; see api.HostLimitChange.
type HostLimits struct {
	Host        string // or *.host
	Add, Remove []string
	Reason      *string // nil keeps the reason
}

// maxReason is the length of a reason in characters.
const maxReason = 500

// LimitHosts changes the limits of servers, all or none, and returns their names as
// the settings have them. The limits are lists of settings, so that every change of
// them, by whatever door, is in force and in the history of settings.
func (s *Service) LimitHosts(ctx context.Context, by *db.Account, changes []HostLimits, own string) ([]string, error) {
	if err := s.rights.Check(by, HostLimited.right); err != nil {
		return nil, err
	}
	names := make([]string, len(changes))
	for i, c := range changes {
		name, err := checkLimits(c, own)
		if err != nil {
			return nil, err
		}
		names[i] = name
	}
	for _, key := range []string{":mrf_simple", ":instance"} {
		if !s.saved.Allows(":svc", key) {
			return nil, fault.Forbidden("The operator does not let " + key + " be changed here.")
		}
	}
	hold := func(ctx context.Context, tx *db.DB) error { return s.rights.Hold(ctx, tx, by, HostLimited.right) }
	_, err := s.saved.Edit(ctx, by, hold, func(ctx context.Context, tx *db.DB, now *config.Settings) ([]settings.Change, error) {
		lists := newLimitLists(now)
		for i, c := range changes {
			added, removed, changed := lists.apply(names[i], c)
			data := Data{Target: names[i], Text: lists.reasons[names[i]]}
			if len(added) > 0 || changed && len(removed) == 0 {
				if data.Limits = added; len(added) == 0 {
					data.Limits = lists.limits(names[i]) // for another reason
				}
				if err := s.Log(ctx, tx, by, HostLimited, data); err != nil {
					return nil, err
				}
			}
			if len(removed) > 0 {
				data.Limits = removed
				if err := s.Log(ctx, tx, by, HostUnlimited, data); err != nil {
					return nil, err
				}
			}
		}
		return lists.changes(), nil
	})
	return names, err
}

// checkLimits returns the host of a change in stored form, or why it is refused.
func checkLimits(c HostLimits, own string) (string, error) {
	name, ok := config.ListedHost(c.Host)
	if !ok {
		return "", fault.Malformedf("%.200q is no host such as far.example or *.far.example", c.Host)
	}
	if hosts.Among([]string{name}, own) {
		return "", fault.Malformedf("%s is this server", name)
	}
	for _, limit := range slices.Concat(c.Add, c.Remove) {
		if _, ok := config.LimitPlace(limit); !ok {
			return "", fault.Malformedf("%.50q is no limit", limit)
		}
	}
	if c.Reason != nil {
		// Settings have expressions as texts that begin so.
		if utf8.RuneCountInString(*c.Reason) > maxReason || strings.HasPrefix(strings.TrimSpace(*c.Reason), "~r") || strings.ContainsRune(*c.Reason, 0) {
			return "", fault.Malformedf("A reason is a text of up to %d characters, and no pattern", maxReason)
		}
	}
	return name, nil
}

// limitLists are the lists of the settings while changes are applied.
type limitLists struct {
	lists   map[string][]string // by limit, as they are written
	at      map[string]map[string]bool
	reasons map[string]string
	order   []string // of reasons
	touched map[string]bool
	said    bool // reasons are touched
}

func newLimitLists(now *config.Settings) *limitLists {
	l := &limitLists{lists: map[string][]string{}, at: map[string]map[string]bool{}, reasons: map[string]string{}, touched: map[string]bool{}}
	for _, place := range config.LimitPlaces() {
		limit := string(place.Limit)
		l.lists[limit], l.at[limit] = slices.Clone(now.HostsOf(place)), map[string]bool{}
		for _, text := range l.lists[limit] {
			l.at[limit][config.HostKey(text)] = true
		}
	}
	for _, r := range now.Policies.Simple.Reasons {
		l.reason(config.HostKey(r.Host), r.Reason)
	}
	return l
}

// reason sets a reason, "" for none, and reports whether it was another one.
func (l *limitLists) reason(host, reason string) bool {
	was, known := l.reasons[host]
	if was == reason {
		return false
	}
	if !known {
		l.order = append(l.order, host)
	}
	if l.reasons[host] = reason; reason == "" {
		delete(l.reasons, host)
		l.order = slices.DeleteFunc(l.order, func(h string) bool { return h == host })
	}
	return true
}

// limits are those of a host, in their order.
func (l *limitLists) limits(host string) []string {
	var out []string
	for _, place := range config.LimitPlaces() {
		if l.at[string(place.Limit)][host] {
			out = append(out, string(place.Limit))
		}
	}
	return out
}

// apply makes one change. The reason goes with the last limit.
func (l *limitLists) apply(host string, c HostLimits) (added, removed []string, reasoned bool) {
	for _, limit := range c.Add {
		if !l.at[limit][host] && !slices.Contains(c.Remove, limit) {
			l.at[limit][host], l.touched[limit] = true, true
			l.lists[limit] = append(l.lists[limit], host)
			added = append(added, limit)
		}
	}
	for _, limit := range c.Remove {
		if l.at[limit][host] {
			delete(l.at[limit], host)
			l.touched[limit] = true
			l.lists[limit] = slices.DeleteFunc(l.lists[limit], func(text string) bool { return config.HostKey(text) == host })
			removed = append(removed, limit)
		}
	}
	reason := l.reasons[host]
	if c.Reason != nil {
		reason = strings.TrimSpace(*c.Reason)
	}
	if len(l.limits(host)) == 0 {
		reason = ""
	}
	reasoned = l.reason(host, reason)
	l.said = l.said || reasoned
	return added, removed, reasoned
}

// changes are the lists that were touched, as changes of settings.
func (l *limitLists) changes() []settings.Change {
	pairs := map[string][]term.Pair{}
	for _, place := range config.LimitPlaces() {
		if l.touched[string(place.Limit)] {
			pairs[place.Key] = append(pairs[place.Key], term.Entry(place.Sub, term.Strings(l.lists[string(place.Limit)]...)))
		}
	}
	if l.said {
		items := make([]term.Term, len(l.order))
		for i, host := range l.order {
			items[i] = term.TupleOf(term.String(host), term.String(l.reasons[host]))
		}
		pairs[":mrf_simple"] = append(pairs[":mrf_simple"], term.Entry(":reasons", term.ListOf(items...)))
	}
	var out []settings.Change
	for _, key := range []string{":mrf_simple", ":instance"} {
		if len(pairs[key]) == 0 {
			continue
		}
		out = append(out, settings.Change{Group: ":svc", Key: key, Value: term.Keyword(pairs[key]...).JSON()})
	}
	return out
}
