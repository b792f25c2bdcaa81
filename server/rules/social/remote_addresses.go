package social

import (
	"net/url"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/hosts"
)

// address derives the visibility and mentions of a remote status from its
// addresses. Recipients without a mention may see it and are not notified.
func (d *RemoteDraft) address(in RemoteStatus) {
	row := d.row
	all := slices.Concat(row.ToURIs, row.CCURIs)
	followers := d.author.FollowersURI
	switch {
	case slices.Contains(row.ToURIs, Public):
		row.Visibility = db.Public
	case slices.Contains(row.CCURIs, Public):
		row.Visibility = db.Unlisted
	case followers != "" && slices.Contains(all, followers):
		row.Visibility = db.Private
	default:
		row.Visibility = db.Direct
	}
	open := row.Visibility == db.Public || row.Visibility == db.Unlisted
	add := func(a *db.Account, mentioned bool) {
		if a == nil || a.ID == d.author.ID || slices.ContainsFunc(d.addressed, func(to db.Recipient) bool { return to.AccountID == a.ID }) {
			return
		}
		d.addressed = append(d.addressed, db.Recipient{AccountID: a.ID, Mentioned: mentioned})
		if !a.Local || a.Deactivated || a.Invisible {
			return
		}
		d.reached = append(d.reached, a.ID)
		if mentioned {
			d.told = append(d.told, a.ID)
		}
	}
	for _, m := range in.Post.Mentions {
		a := in.Accounts[m.Href]
		if a == nil {
			continue
		}
		if !slices.ContainsFunc(row.Mentions, func(known db.Mention) bool { return known.ID == a.ID }) {
			row.Mentions = append(row.Mentions, db.Mention{ID: a.ID, Username: a.Username(), URL: profileURL(a), Acct: a.Nickname, URI: a.URI})
		}
		if open || slices.Contains(all, a.URI) {
			add(a, true)
		}
	}
	for _, uri := range all {
		add(in.Accounts[uri], false)
	}
}

// isLocalURI reports whether an id is one of this server's.
func (s *Service) isLocalURI(uri string) bool {
	if strings.HasPrefix(uri, s.base+"/") {
		return true
	}
	u, err := url.Parse(uri)
	return err == nil && hosts.Same(u.Host, s.host)
}
