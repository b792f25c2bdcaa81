// Package socialtest posts as accounts of other servers do, for tests of any
// package that may import social.
package socialtest

import (
	"crypto/rand"
	"testing"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/rules/social"
)

// Post stores a post of a remote account as the inbox does, and returns its
// row. Its addresses and mentions follow from the visibility and the named
// accounts. A post without an id gets one.
func Post(t testing.TB, s *social.Service, by *db.Account, visibility string, p activitypub.Post, named ...*db.Account) *db.Status {
	t.Helper()
	if p.ID == "" {
		p.ID = by.URI + "/posts/" + rand.Text()
	}
	if p.URL == "" {
		p.URL = p.ID
	}
	p.Type, p.Author = "Note", by.URI
	known, uris := map[string]*db.Account{}, []string(nil)
	for _, a := range named {
		known[a.URI], uris = a, append(uris, a.URI)
		p.Mentions = append(p.Mentions, activitypub.Mention{Href: a.URI, Name: "@" + a.Nickname})
	}
	p.To, p.CC = social.Addresses(visibility, by.FollowersURI, uris)
	d, err := s.DraftRemote(t.Context(), by, social.RemoteStatus{Post: &p, Accounts: known, Wanted: true})
	if err != nil {
		t.Fatal(err)
	}
	status, err := s.KeepRemote(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return status
}
