package tables

import (
	"context"
	"fmt"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// hosts shows other servers by name: whether they accept deliveries, the number
// waiting, and the last error. state: narrows the list to failing, dead or
// waiting ones. R sends the waiting deliveries now; F drops them for good.
// Enter shows the server's statuses.
var hosts = &Noun{
	Name: "hosts", Key: "8", Help: "other servers, and how sending to them goes",
	Columns: []Column{
		{Head: "STATE", Width: 10, Tone: true}, {Head: "WAITING", Width: 7}, {Head: "SINCE", Width: 17, Wide: true},
		{Head: "HOST", Width: 28}, {Head: "ERROR"},
	},
	States: []string{api.HostsFailing, api.HostsDead, api.HostsWaiting},
	Into:   "statuses",
	Empty:  "no servers: nothing was sent to others yet",
	Rows: func(c *client.Client, q Query) Reader {
		if q.Scope != "" {
			return func(ctx context.Context) (Page, error) {
				h, err := c.Admin.Federation.Host(ctx, q.Scope)
				if err != nil {
					return Page{}, err
				}
				return Page{Rows: []Row{hostRow(*h)}, Total: 1}, nil
			}
		}
		return paged(c.Admin.Federation.Hosts(api.HostQuery{State: q.State, Limit: pageSize}), hostRow)
	},
	Verbs: []Verb{
		{Key: "R", Name: "retry", Help: "send what waits now", Kind: action.FederationRetry, Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
			_, err := c.Admin.Federation.Retry(ctx, row.ID)
			return safe.Own("is tried again"), err
		}},
		{Key: "F", Name: "forget", Help: "drop what waits, for good", Sure: true, Kind: action.FederationForget, Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
			dropped, err := c.Admin.Federation.Forget(ctx, row.ID)
			if err != nil {
				return safe.Safe{}, err
			}
			return raw(fmt.Sprintf("%d deliveries dropped", dropped.Dropped)), nil
		}},
	},
}

// delivers is how sending to a host goes, in a word, and whether badly.
func delivers(h api.Host) (state safe.Safe, bad bool) {
	switch {
	case h.GivenUp:
		return safe.Own("dead"), true
	case h.Failures > 0:
		return raw(fmt.Sprintf("failing %d", h.Failures)), true
	}
	return safe.Own("fine"), false
}

func hostRow(h api.Host) Row {
	state, bad := delivers(h)
	tone := Good
	if bad {
		tone = Bad
	}
	return Row{
		ID: h.Host, Target: "host/" + h.Host, Tone: tone, Copy: h.Host, More: hostDetails(h),
		Cells: []safe.Safe{state, number(h.Waiting), at(h.UnreachableSince), raw(h.Host), raw(h.LastError)},
	}
}

func hostDetails(h api.Host) []Detail {
	return details(
		Detail{"host", safe.Join("  ", raw(h.Host), raw(h.Software))},
		Detail{"last error", raw(h.LastError)},
		Detail{"failing since", at(h.UnreachableSince)},
		Detail{"next try", at(h.RetryAt)},
		Detail{"delivered", at(h.DeliveredAt)},
		Detail{"heard from", at(h.HeardAt)},
	)
}
