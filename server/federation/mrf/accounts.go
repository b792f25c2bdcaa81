package mrf

import (
	"cmp"

	"svc/db"
)

// ActorOf returns an account in the form of the policies; host is our own, with
// its port.
func ActorOf(a *db.Account, host string) Actor {
	return Actor{
		URI: a.URI, Host: cmp.Or(a.Domain, host), Nickname: a.Nickname, Name: a.DisplayName, Local: a.Local,
		Bot: a.ActorType == "Service" || a.ActorType == "Application", Tags: a.Tags, Followers: a.FollowersURI,
		Posts: a.StatusesCount, FollowersCount: a.FollowersCount,
	}
}
