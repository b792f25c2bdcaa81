package config

import (
	"strings"

	"svc/client/settings/term"
)

// Modern renames settings of earlier versions. Values under old names come
// first, so that values under present names lie over them.
func Modern(settings []Saved) []Saved {
	var moved, kept []Saved
	for _, s := range settings {
		if s.Group != ":svc" {
			kept = append(kept, s)
			continue
		}
		switch s.Key {
		case "Svc.ActivityExpiration":
			moved = append(moved, Saved{s.Group, "Svc.Workers.PurgeExpiredActivity", s.Value})
			continue
		case "Svc.Plugs.RemoteIp":
			moved = append(moved, Saved{s.Group, "Svc.Web.Plugs.RemoteIp", s.Value})
			continue
		case ":instance":
			var from []Saved
			from, s.Value = fromInstance(s.Value)
			moved = append(moved, from...)
			if len(from) > 0 && len(s.Value.Keys()) == 0 {
				continue // nothing else was said
			}
		case ":connections_pool":
			s.Value = rename(s.Value, ":await_up_timeout", ":connect_timeout")
		case ":mrf_hellthread":
			s.Value = rename(s.Value, ":threshold", ":reject_threshold")
		case ":pools":
			for _, pool := range s.Value.Keys() {
				s.Value = s.Value.Update(func(t term.Term) term.Term { return rename(t, ":timeout", ":recv_timeout") }, pool)
			}
		case ":media_proxy":
			s.Value = s.Value.Update(withSchemes, ":whitelist")
		}
		kept = append(kept, s)
	}
	return append(moved, kept...)
}

// fromInstance takes the settings that moved elsewhere out of :instance.
func fromInstance(value term.Term) (moved []Saved, rest term.Term) {
	var policies, welcome []term.Pair
	for _, names := range [][2]string{
		{":rewrite_policy", ":policies"}, {":mrf_transparency", ":transparency"}, {":mrf_transparency_exclusions", ":transparency_exclusions"},
	} {
		if v, ok := take(&value, names[0]); ok {
			policies = append(policies, term.Entry(names[1], v))
		}
	}
	if len(policies) > 0 {
		moved = append(moved, Saved{":svc", ":mrf", term.Keyword(policies...)})
	}
	if v, ok := take(&value, ":welcome_user_nickname"); ok {
		welcome = append(welcome, term.Entry(":sender_nickname", v))
	}
	if v, ok := take(&value, ":welcome_message"); ok {
		// A text used to switch it on.
		welcome = append([]term.Pair{term.Entry(":enabled", term.Bool(!v.IsNil()))}, append(welcome, term.Entry(":message", v))...)
	}
	if len(welcome) > 0 {
		moved = append(moved, Saved{":svc", ":welcome", term.Keyword(term.Entry(":direct_message", term.Keyword(welcome...)))})
	}
	return moved, value
}

// take removes a pair from a keyword list, and returns its value.
func take(list *term.Term, key string) (term.Term, bool) {
	value, ok := list.Get(key)
	if !ok || !list.IsKeyword() {
		return term.Term{}, false
	}
	rest, err := list.Without([]string{key})
	if err != nil {
		return term.Term{}, false
	}
	*list = rest
	return value, true
}

// rename changes the key of a pair in a keyword list, unless the new key
// exists.
func rename(list term.Term, old, name string) term.Term {
	pairs, ok := list.Pairs()
	if _, both := list.Get(name); !ok || !list.IsKeyword() || both {
		return list
	}
	for i, p := range pairs {
		if p.Key.Wire() == old {
			pairs[i] = term.Entry(name, p.Value)
		}
	}
	return term.Keyword(pairs...)
}

// withSchemes turns bare hosts into addresses.
func withSchemes(list term.Term) term.Term {
	items, ok := list.Items()
	if !ok {
		return list
	}
	for i, item := range items {
		if host, ok := item.Text(); ok && item.Kind() == term.KindString && !strings.Contains(host, "://") {
			items[i] = term.String("https://" + host)
		}
	}
	return term.ListOf(items...)
}
