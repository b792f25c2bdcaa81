package config

import (
	"cmp"
	"slices"
	"strings"

	"svc/client/api"
	"svc/server/platform/hosts"
)

// LimitedHost is a host with its limits, as api.LimitedHost.
type LimitedHost struct {
	Host   string // or *.host, in stored form
	Limits []string
	Reason string
}

// LimitPlaces are the limits that one can set, in their order.
func LimitPlaces() []api.HostLimitPlace { return api.HostLimits() }

// LimitPlace returns where a limit stands; ok is false for unknown ones.
func LimitPlace(limit string) (place api.HostLimitPlace, ok bool) {
	all := api.HostLimits()
	i := slices.IndexFunc(all, func(p api.HostLimitPlace) bool { return string(p.Limit) == limit })
	if i < 0 {
		return api.HostLimitPlace{}, false
	}
	return all[i], true
}

// HostsOf returns the hosts of a limit's list as they are written there.
func (s *Settings) HostsOf(place api.HostLimitPlace) []string {
	for _, row := range about(registry(), ":svc", place.Key) {
		if len(row.Path) == 1 && row.Path[0] == place.Sub {
			list, _ := row.Value(s).([]string)
			return list
		}
	}
	return nil
}

// ListedHost returns a host or *.host in stored form; ok is false for others.
func ListedHost(text string) (name string, ok bool) {
	above, pattern := strings.CutPrefix(strings.TrimSpace(text), "*.")
	name, ok = hosts.Name(above)
	if pattern {
		name = "*." + name
	}
	return name, ok
}

// HostKey is ListedHost for comparisons: other texts are in lower case.
func HostKey(text string) string {
	if name, ok := ListedHost(text); ok {
		return name
	}
	return strings.ToLower(strings.TrimSpace(text))
}

// LimitedHosts returns the hosts with limits by name, each with its limits in the
// order of api.HostLimits.
func (s *Settings) LimitedHosts() []LimitedHost {
	places, at := []LimitedHost{}, map[string]int{}
	for _, place := range api.HostLimits() {
		for _, text := range s.HostsOf(place) {
			host := HostKey(text)
			i, known := at[host]
			if !known {
				i = len(places)
				at[host] = i
				places = append(places, LimitedHost{Host: host})
			}
			if limit := string(place.Limit); !slices.Contains(places[i].Limits, limit) {
				places[i].Limits = append(places[i].Limits, limit)
			}
		}
	}
	for _, r := range s.Policies.Simple.Reasons {
		if i, known := at[HostKey(r.Host)]; known {
			places[i].Reason = r.Reason
		}
	}
	slices.SortFunc(places, func(a, b LimitedHost) int { return cmp.Compare(a.Host, b.Host) })
	return places
}

// LimitsOf returns those entries of LimitedHosts that are about a host: its own, and
// those of the domains it is in.
func (s *Settings) LimitsOf(host string) []LimitedHost {
	return slices.DeleteFunc(s.LimitedHosts(), func(l LimitedHost) bool { return !hosts.Among([]string{l.Host}, host) })
}

// Naming returns the names of the settings whose lists of hosts name a host, such as
// mrf_simple.reject. Reasons are none.
func (s *Settings) Naming(host string) []string {
	var out []string
	for _, row := range registry() {
		if row.hosts && row.Kind != HostReasons && hosts.Among(namesIn(row.Value(s)), host) {
			out = append(out, row.Name())
		}
	}
	return out
}

// IdlePolicies returns the modules that some of these limits need and that are in no
// chain.
func (s *Settings) IdlePolicies(limited []LimitedHost) []string {
	var idle []string
	for _, l := range limited {
		for _, limit := range l.Limits {
			if place, _ := LimitPlace(limit); place.Policy != "" && !s.chained(place.Policy) && !slices.Contains(idle, place.Policy) {
				idle = append(idle, place.Policy)
			}
		}
	}
	return idle
}
