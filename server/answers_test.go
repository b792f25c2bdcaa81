package server_test

import (
	"slices"
	"strings"
	"testing"

	"svc/server"
	"svc/server/api/apitest"
	"svc/server/servertest"
)

// TestEveryRouteOfTheClientAPIHasAShape: what answers are decoded by, in every test, is
// there for every route of the client API, and for nothing else.
func TestEveryRouteOfTheClientAPIHasAShape(t *testing.T) {
	var routes []string
	for _, r := range servertest.Start(t).Routes() {
		if slices.Contains([]server.Access{server.Page, server.Federation, server.Admin, server.Stream}, r.Access) {
			continue
		}
		for _, part := range []string{"/api/", "/oauth/", "/nodeinfo/", "/.well-known/"} {
			if strings.HasPrefix(r.Path, part) {
				routes = append(routes, r.Method+" "+r.Path)
			}
		}
	}
	if left := apitest.Unshaped(routes); len(left) > 0 {
		t.Errorf("apitest.answers lacks %q", left)
	}
	for _, shaped := range apitest.Shaped() {
		if !slices.Contains(routes, shaped) {
			t.Errorf("apitest.answers has %s, which is no route", shaped)
		}
	}
}
