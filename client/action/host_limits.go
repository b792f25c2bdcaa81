package action

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"svc/client"
	"svc/client/api"
	"svc/client/settings"
)

// limitBatch is how many hosts go in one request: each request saves the settings,
// with all hosts in them.
const limitBatch = api.MaxLimitChanges

// LimitsIn are the limits that the Args of an action name.
func LimitsIn(args map[string]string) ([]api.HostLimit, error) {
	var limits []api.HostLimit
	for word := range strings.SplitSeq(args["limits"], ",") {
		limit := api.HostLimit(strings.TrimSpace(word))
		if !slices.ContainsFunc(api.HostLimits(), func(p api.HostLimitPlace) bool { return p.Limit == limit }) {
			return nil, &UsageError{Quote(word) + " is no limit of a host"}
		}
		if !slices.Contains(limits, limit) {
			limits = append(limits, limit)
		}
	}
	return limits, nil
}

// LimitArgs are the Args of an action on a host. A nil reason keeps the one there is.
func LimitArgs(limits []api.HostLimit, reason *string) map[string]string {
	words := make([]string, len(limits))
	for i, limit := range limits {
		words[i] = string(limit)
	}
	args := map[string]string{"limits": strings.Join(words, ",")}
	if reason != nil {
		args["reason"] = *reason
	}
	return args
}

// ReadLimits reads all servers with limits, by name.
func ReadLimits(ctx context.Context, c *client.Client) (map[string]api.LimitedHost, error) {
	all := map[string]api.LimitedHost{}
	for host, err := range c.Admin.Federation.Limits(api.LimitedQuery{Limit: 500}).All(ctx) {
		if err != nil {
			return nil, err
		}
		all[host.Host] = host
	}
	return all, nil
}

// LimitState is a host's limits as Before has them: each limit, and the reason.
func LimitState(host api.LimitedHost) map[string]string {
	state := map[string]string{"reason": host.Reason}
	for _, place := range api.HostLimits() {
		state[string(place.Limit)] = strconv.FormatBool(slices.Contains(host.Limits, place.Limit))
	}
	return state
}

// limitHost limits hosts, or lifts limits. What else is known of the lists stays: the
// server adds to them and takes from them.
func (e *Engine) limitHost(kind Kind) kindRules {
	on := strconv.FormatBool(kind == HostLimit)
	read := once(func(ctx context.Context) (map[string]api.LimitedHost, error) { return ReadLimits(ctx, e.client) })
	state := func(it *item, all map[string]api.LimitedHost) { it.now = LimitState(all[it.target.Name]) }
	rules := kindRules{
		many: true,
		size: limitBatch,
		read: func(ctx context.Context, it *item) error {
			if _, err := LimitsIn(it.action.Args); err != nil {
				return err
			}
			all, err := read(ctx)
			state(it, all)
			return err
		},
		wish: func(a Action) map[string]string {
			wish := map[string]string{}
			limits, err := LimitsIn(a.Args)
			if err != nil {
				return wish
			}
			for _, limit := range limits {
				wish[string(limit)] = on
			}
			if reason, given := a.Args["reason"]; given {
				wish["reason"] = reason
			}
			return wish
		},
		landed: func(ctx context.Context, it *item) (bool, error) {
			all, err := ReadLimits(ctx, e.client)
			if err != nil {
				return false, err
			}
			return e.limited(it, LimitState(all[it.target.Name]), on), nil
		},
		culprit: func(ctx context.Context, it *item) *Conflict {
			return e.lastLog(ctx, "host "+it.target.Name, func(entry api.LogEntry) bool {
				return entry.Data.Action == HostLimit.facts().log || entry.Data.Action == HostUnlimit.facts().log
			})
		},
		send: func(ctx context.Context, items []*item) error {
			changes := make([]api.HostLimitChange, len(items))
			for i, it := range items {
				limits, err := LimitsIn(it.action.Args)
				if err != nil {
					return err
				}
				changes[i].Host = it.target.Name
				if kind == HostLimit {
					changes[i].Add = limits
				} else {
					changes[i].Remove = limits
				}
				if reason, given := it.action.Args["reason"]; given {
					changes[i].Reason = &reason
				}
				it.result.Means = meaningOf(kind, it.changed(limits, on))
			}
			_, err := e.client.Admin.Federation.Limit(ctx, changes...)
			return err
		},
		inverse: func(it *item) *Action { return e.unlimit(kind, it, on) },
	}
	return rules
}

// changed are those of some limits that are not as wished yet.
func (it *item) changed(limits []api.HostLimit, on string) []api.HostLimit {
	return slices.DeleteFunc(slices.Clone(limits), func(limit api.HostLimit) bool { return it.now[string(limit)] == on })
}

// limited reports whether a host's limits are as an action asks. Its reason goes with
// the last limit.
func (e *Engine) limited(it *item, now map[string]string, on string) bool {
	limits, err := LimitsIn(it.action.Args)
	if err != nil {
		return false
	}
	for _, limit := range limits {
		if now[string(limit)] != on {
			return false
		}
	}
	reason, given := it.action.Args["reason"]
	return !given || now["reason"] == reason || on == "false"
}

// unlimit is the action that takes a change of limits back, with its reason. It is
// about the limits that changed alone.
func (e *Engine) unlimit(kind Kind, it *item, on string) *Action {
	limits, err := LimitsIn(it.action.Args)
	if err != nil {
		return nil
	}
	changed, back := it.changed(limits, on), kind.facts().back
	if len(changed) == 0 { // another reason alone
		changed, back = limits, kind
	}
	before := map[string]string{}
	for _, limit := range changed {
		before[string(limit)] = on
	}
	var reason *string
	said, given := it.action.Args["reason"]
	if was := it.now["reason"]; was != "" && (given || kind == HostUnlimit) {
		if reason = &was; given {
			before["reason"] = said
		}
	}
	return &Action{Kind: back, Target: it.target.String(), Args: LimitArgs(changed, reason), Before: before}
}

// meaningOf says what limits do, or what ends with them.
func meaningOf(kind Kind, limits []api.HostLimit) string {
	var words []string
	for _, place := range api.HostLimits() {
		if slices.Contains(limits, place.Limit) {
			words = append(words, string(place.Limit)+": "+place.Means)
		}
	}
	text := strings.Join(words, "; ")
	if kind == HostUnlimit && text != "" {
		text = "no longer " + text
	}
	return text
}

// EnablePolicy is the action that puts a policy into the chain, before the others; nil
// where it is there.
func EnablePolicy(ctx context.Context, c *client.Client, module string) (*Action, error) {
	const group, key, sub = ":svc", ":mrf", ":policies"
	now, _, err := ReadSettings(ctx, c, false, false)
	if err != nil {
		return nil, err
	}
	saved, _, err := ReadSettings(ctx, c, true, false)
	if err != nil {
		return nil, err
	}
	chain := []settings.Value{settings.Textual(module)}
	if found := SavedAt(now, settings.Change{Group: group, Key: key, Sub: sub}); found != nil {
		items := found.Items()
		if found.Kind() == settings.Text { // one alone
			items = []settings.Value{*found}
		}
		for _, item := range items {
			if item.Text() == module {
				return nil, nil
			}
		}
		chain = append(chain, items...)
	}
	wanted := settings.ListOf(chain...)
	change := settings.Change{Group: group, Key: key, Sub: sub, New: &wanted}
	return &Action{
		Kind: ConfigRestore, Target: change.Name(),
		Args: map[string]string{"value": wire(&wanted)}, Before: map[string]string{"value": wire(SavedAt(saved, change))},
	}, nil
}
