package tables

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// relays shows the relays that pass posts on: whether each accepted, and how
// sending to its server goes. f asks another relay, d leaves the chosen ones; u
// takes both back. Enter shows the relay's server among the hosts.
var relays = &Noun{
	Name: "relays", Key: "4", Help: "relays, and how sending to them goes",
	Columns: []Column{
		{Head: "STATE", Width: 12, Tone: true}, {Head: "DELIVERY", Width: 12}, {Head: "WAITING", Width: 7},
		{Head: "DELIVERED", Width: 17, Wide: true}, {Head: "RELAY"},
	},
	Empty: "no relays: posts reach only servers that somebody follows. {follow} follows one",
	Into:  "hosts",
	Rows: func(c *client.Client, _ Query) Reader {
		return func(ctx context.Context) (Page, error) { return readRelays(ctx, c) }
	},
	Verbs: []Verb{
		{
			Key: "f", Name: "follow", Help: "follow a relay", Kind: action.RelayFollow,
			Ask: "relay: ", New: true,
			Check: func(text string) error { _, err := action.ParseTarget("relay", text); return err },
		},
		{Key: "d", Name: "unfollow", Help: "leave the relay", Kind: action.RelayUnfollow, Sure: true},
	},
}

// mostHosts bounds the requests for the states of hosts.
const mostHosts = 25

func readRelays(ctx context.Context, c *client.Client) (Page, error) {
	all, err := c.Admin.Relays.List(ctx)
	if err != nil {
		return Page{}, err
	}
	servers := map[string]*api.Host{}
	page := Page{Total: len(all)}
	for _, r := range all {
		name := hostOf(r.Actor)
		if _, known := servers[name]; !known && name != "" && len(servers) < mostHosts {
			host, err := c.Admin.Federation.Host(ctx, name)
			if err != nil && !errors.Is(err, client.ErrNotFound) {
				return Page{}, err
			}
			servers[name] = host
		}
		page.Rows = append(page.Rows, relayRow(r, servers[name]))
	}
	return page, nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

func relayRow(r api.Relay, host *api.Host) Row {
	state, tone := safe.Own("asked"), Warn
	if r.FollowedBack {
		state, tone = safe.Own("accepted"), Good
	}
	row := Row{
		ID: r.Actor, Scope: hostOf(r.Actor), Domain: hostOf(r.Actor), Target: "relay/" + r.Actor, Tone: tone, Copy: r.Actor, Before: map[string]string{"followed": "true"},
		More: []Detail{{"warning", raw(r.Warning)}},
	}
	delivery, waiting, delivered := safe.Own("-"), safe.Safe{}, safe.Safe{}
	if host != nil {
		var bad bool
		delivery, bad = delivers(*host)
		if bad {
			row.Tone = Bad
		}
		waiting, delivered = number(host.Waiting), at(host.DeliveredAt)
		row.More = append(row.More, hostDetails(*host)...)
	}
	row.More = details(row.More...)
	row.Cells = []safe.Safe{state, delivery, waiting, delivered, raw(r.Actor)}
	return row
}
