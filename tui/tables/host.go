package tables

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// host shows what is known of one other server: a fact in each row, then each limit
// with its meaning, and whether it is on. L limits the server by the chosen rows, O
// lifts these limits.
var host = &Noun{
	Name: "host", Help: "what is known of a server, and its limits: host NAME", Needs: api.PrivilegeReports, Of: "a server",
	Columns: []Column{{Head: "FACT", Width: 24}, {Head: "STATE", Width: 12, Tone: true}, {Head: "MEANING"}},
	Empty:   "nothing is known of it",
	Rows: func(c *client.Client, q Query) Reader {
		return func(ctx context.Context) (Page, error) {
			known, err := c.Admin.Federation.Known(ctx, action.HostName(q.Scope))
			if err != nil {
				return Page{}, err
			}
			rows := append(hostFacts(known), limitRows(known)...)
			return Page{Rows: rows, Total: len(rows)}, nil
		}
	},
	Verbs: []Verb{
		{
			Key: "L", Name: "limit", Help: "limit this server", Kind: action.HostLimit, Sure: true,
			Target: limitedTarget, Joined: "limits", Fits: func(r Row) bool { return r.Before["on"] == "false" },
			Ask: "reason, which is kept: ", Arg: "reason", Optional: true, Means: func(r Row) string { return r.Cells[2].String() },
		},
		{
			Key: "O", Name: "lift", Help: "lift a limit of this server", Kind: action.HostUnlimit, Sure: true,
			Target: limitedTarget, Joined: "limits", Fits: func(r Row) bool { return r.Before["on"] == "true" },
		},
		{
			Key: "E", Name: "enable", Help: "switch on the policy without which the limit does nothing", Kind: action.ConfigRestore,
			Fits: func(r Row) bool { return r.Before["idle"] != "" }, Plan: planPolicy,
		},
	},
}

// limitedTarget is the server of a limit's row.
func limitedTarget(r Row) string { return "host/" + r.Domain }

func hostFacts(k *api.KnownHost) []Row {
	count := func(n int64) safe.Safe {
		if n > api.CountMost {
			return raw(fmt.Sprintf("%d+", api.CountMost))
		}
		return number(n)
	}
	fact := func(name string, state safe.Safe, means ...safe.Safe) Row {
		meaning := safe.Join("; ", means...)
		return Row{
			ID: name, Target: "fact/" + name, Copy: k.Host, Domain: k.Host, Cells: []safe.Safe{raw(name), state, meaning},
			More: details(Detail{name, safe.Join("  ", state, meaning)}),
		}
	}
	rows := []Row{
		fact("accounts known", count(k.Accounts)),
		fact("followed from here", count(k.Followed), safe.Own("accounts here that follow somebody there")),
		fact("followers here", count(k.Followers), safe.Own("accounts there that follow somebody here")),
		fact("reports open", count(k.Reports.Open)),
		fact("reports resolved", count(k.Reports.Resolved)),
		fact("reports closed", count(k.Reports.Closed)),
		fact("settings that name it", number(len(k.Settings)), raw(strings.Join(k.Settings, ", "))),
	}
	if d := k.Delivery; d != nil {
		state, bad := delivers(*d)
		one := fact("deliveries", state, raw(fmt.Sprintf("%d waiting", d.Waiting)), raw(d.LastError))
		if bad {
			one.Tone = Bad
		}
		return append(rows, one)
	}
	return append(rows, fact("deliveries", safe.Own("never called")))
}

// limitRows are all limits, the gravest first. One of a pattern that the server is in
// is lifted where the pattern is, by its name.
func limitRows(k *api.KnownHost) []Row {
	var rows []Row
	for _, place := range api.HostLimits() {
		on, state, tone, reason := "false", safe.Own("off"), Dim, safe.Safe{}
		for _, l := range k.Limits {
			if !slices.Contains(l.Limits, place.Limit) {
				continue
			}
			reason, tone = raw(l.Reason), Warn
			if l.Host == k.Host {
				on, state = "true", safe.Own("on")
				break
			}
			on, state = "by "+l.Host, safe.Join(" ", safe.Own("by"), raw(l.Host))
		}
		idle, off := safe.Safe{}, ""
		if place.Policy != "" && on != "false" && slices.Contains(k.Idle, place.Policy) {
			off, tone = place.Policy, Bad
			idle = raw("nothing, until the policy " + lastPart(off) + " is in mrf.policies; E puts it there")
		}
		rows = append(rows, Row{
			ID: "limit " + string(place.Limit), Target: "limit/" + string(place.Limit), Tone: tone, Copy: k.Host, Domain: k.Host, Name: k.Host,
			Cells: []safe.Safe{raw("limit " + string(place.Limit)), state, raw(place.Means)},
			More: details(
				Detail{"limit " + string(place.Limit), safe.Join(": ", state, raw(place.Means))},
				Detail{"reason", reason}, Detail{"does", idle},
			),
			Args: map[string]string{"limits": string(place.Limit)}, Before: map[string]string{"on": on, "idle": off},
		})
	}
	return rows
}

func lastPart(policy string) string { return policy[strings.LastIndexByte(policy, '.')+1:] }

// planPolicy switches on the policy of a limit.
func planPolicy(ctx context.Context, c *client.Client, row Row, _ string) (*Plan, error) {
	name := lastPart(row.Before["idle"])
	enable, err := action.EnablePolicy(ctx, c, row.Before["idle"])
	if err != nil {
		return nil, err
	}
	if enable == nil {
		return nil, fmt.Errorf("the policy %s is on already", name)
	}
	return &Plan{
		Title: raw("switch on the policy " + name),
		Lines: []Detail{{"", safe.Own("for all limits that are kept, of every server; it acts on what comes from now on")}},
		Send: func(ctx context.Context, c *client.Client) (safe.Safe, []action.Result, error) {
			results := action.New(c, action.Options{}).Do(ctx, []action.Action{*enable})
			return raw("the policy " + name + " is on"), results, results[0].Err
		},
	}, nil
}
