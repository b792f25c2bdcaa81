package social

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"svc/db"
	"svc/server/config"
	"svc/server/mrf"
)

// AdmitRemote refuses an activity of a remote account that a policy does not
// take, with *mrf.Rejection. Posts and chat messages are judged with what is in
// them, by DraftRemote and package chats; follows and reports where they are
// carried out.
func (s *Service) AdmitRemote(by *db.Account, kind string) error {
	_, err := mrf.Filter(&s.settings.Load().Policies, s.here(), mrf.Activity{Type: kind, Actor: mrf.ActorOf(by, s.host)})
	return err
}

// judgeRemote has a remote account's draft pass the policies: they refuse it, or
// change whom it is addressed to and what is in it.
func (s *Service) judgeRemote(ctx context.Context, settings *config.Settings, d *RemoteDraft, in RemotePost) error {
	row := d.row
	object := mrf.Object{
		Type: in.Post.Type, Content: row.Content, Source: row.Text, Summary: row.SpoilerText, Name: in.Post.Name, Attachments: row.HasMedia,
		Sensitive: row.Sensitive, Tags: row.Tags, Published: row.CreatedAt.Time, Reply: d.parentURI != "",
	}
	if in.Edit {
		object.Published = s.now() // what is said now is new, however old the post is
	}
	if d.parent != nil {
		object.ParentSummary = d.parent.SpoilerText
	}
	a := mrf.Activity{Type: mrf.Create, Actor: mrf.ActorOf(d.author, s.host), Object: &object, To: row.ToURIs, CC: row.CCURIs}
	if mrf.AsksFollowers(&settings.Policies, a.Actor) {
		var named []db.Account
		for _, account := range in.Accounts {
			named = append(named, *account)
		}
		var err error
		if a.Following, err = s.following(ctx, d.author, named); err != nil {
			return err
		}
	}
	a, err := mrf.Filter(&settings.Policies, s.here(), a)
	if err != nil {
		return err
	}
	after := a.Object
	if after.Content != object.Content {
		row.Content = s.settings.Texts().Sanitize(after.Content)
	}
	if after.Name != object.Name && in.Post.Titled() {
		// The title stands in the text: it is written anew.
		retitled := *in.Post
		retitled.Name = after.Name
		if after.Content == object.Content {
			row.Content = remoteHTML(&retitled)
		}
	}
	if !after.Attachments {
		row.HasMedia, d.files = false, nil
	}
	if after.Source != object.Source {
		row.Text = after.Source
	}
	if after.Summary != object.Summary {
		row.SpoilerText = spoiler(after.Summary)
	}
	row.Sensitive, row.Tags = after.Sensitive, after.Tags
	row.ToURIs, row.CCURIs = a.To, a.CC
	return nil
}

// address finds out from the addresses that policies left who may see a post, and
// whom it names. Who is addressed without being named may see it and is not told.
func (d *RemoteDraft) address(in RemotePost) {
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
		if a == nil || a.ID == d.author.ID || slices.ContainsFunc(d.addressed, func(to db.AddressedTo) bool { return to.AccountID == a.ID }) {
			return
		}
		d.addressed = append(d.addressed, db.AddressedTo{AccountID: a.ID, Mentioned: mentioned})
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

// isOurs tells whether an id is one of this server's.
func (s *Service) isOurs(uri string) bool {
	if strings.HasPrefix(uri, s.base+"/") {
		return true
	}
	u, err := url.Parse(uri)
	return err == nil && strings.EqualFold(u.Host, s.host)
}
