package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc/client"
	"svc/client/api"
	"svc/client/settings"
	"svc/cmd/svcctl/cli"
)

// fourVisibilities are words in the names of apps that know the four visibilities of
// Mastodon alone: with another one the first loses a page, the second a post. Builds
// for tests and copies register with names of their own.
var fourVisibilities = []string{"icecubes", "ice cubes", "mastodon for android"}

// How many apps are looked at, the latest, and how many a page has.
const (
	appsLookedAt = 2000
	appsAPage    = 200
)

// apps tells which apps are known not to decode visibilities like local and are not
// among the strict ones. An app that nobody signed in with is removed after a while.
func (d *doctor) apps(ctx context.Context, conn *cli.Connection) {
	strict, err := strictClients(ctx, conn)
	if err != nil {
		d.fail("apps", err, "")
		return
	}
	var names []string
	seen := 0
	for number, last := 1, 1; number <= last; number++ {
		page, err := conn.Admin.Apps.List(api.AppQuery{Page: number, PageSize: appsAPage}).Page(ctx)
		switch {
		case errors.Is(err, client.ErrForbidden):
			d.ok("apps", "not looked at: the token may not read them")
			return
		case err != nil:
			d.fail("apps", err, "")
			return
		}
		for _, app := range page.Items {
			lower := strings.ToLower(app.Name)
			if slices.ContainsFunc(fourVisibilities, func(word string) bool { return strings.Contains(lower, word) }) &&
				!slices.Contains(strict, app.Name) && !slices.Contains(names, app.Name) {
				names = append(names, app.Name)
			}
		}
		seen += len(page.Items)
		if number == 1 {
			last = (page.Total + appsAPage - 1) / appsAPage
			if first := last - appsLookedAt/appsAPage; first > 1 {
				number = first
			}
		}
	}
	if len(names) == 0 || slices.Contains(strict, "*") {
		d.ok("apps", "%d looked at: those that know four visibilities alone are strict clients", seen)
		return
	}
	slices.Sort(names)
	value, err := json.Marshal(append(slices.Clone(strict), names...))
	if err != nil {
		d.fail("apps", err, "")
		return
	}
	d.warn("apps", fmt.Sprintf("%s may lose posts or pages with the visibility local or list", strings.Join(names, ", ")),
		"svcctl config set svc client_compatibility strict_clients '"+strings.ReplaceAll(string(value), "'", `'\''`)+"'")
}

// strictClients are the names of apps that are shown no other visibilities.
func strictClients(ctx context.Context, conn *cli.Connection) ([]string, error) {
	all, err := conn.Admin.Config.List(ctx, api.ConfigQuery{})
	switch {
	case errors.Is(err, client.ErrConfigDisabled): // what is built in acts
		return []string{"IceCubesApp", "Mastodon for Android"}, nil
	case err != nil:
		return nil, err
	}
	var names []string
	for _, setting := range all.Configs {
		if setting.Group != ":svc" || setting.Key != ":client_compatibility" {
			continue
		}
		value, err := settings.ParseJSON(setting.Value)
		if err != nil {
			return nil, err
		}
		list, _ := value.Get(":strict_clients")
		for _, item := range list.Items() {
			names = append(names, item.Text())
		}
	}
	return names, nil
}
