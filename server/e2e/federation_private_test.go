package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"svc/client/api"
	"svc/server/platform/jobs"
	"svc/server/servertest/peer"
)

// TestWhatSomebodyMayNotSeeIsUnknown has mallory name bob's private statuses in
// every activity that names a status. mallory is a recipient of none: the
// activities have no effect, and nothing of the statuses is ever sent to
// mallory's server.
func TestWhatSomebodyMayNotSeeIsUnknown(t *testing.T) {
	among(t, func(v *village) {
		root := v.admin(v.home)
		fay := v.good.Actor("fay")
		v.followsBob(fay)
		hour := api.Int(3600)
		poll := &api.NewPoll{Options: []string{"this", "that"}, ExpiresIn: &hour}
		list := good(v.bob.Lists.Create(v.ctx(), api.NewList{Title: "friends"}))(v)
		v.follows(fay)
		must(v.T, v.bob.Lists.Add(v.ctx(), list.ID, v.account(fay).ID))
		asked := map[string]*api.Status{}
		for _, visibility := range []string{"private", "direct", "list:" + list.ID, "local"} {
			text := "which? " + visibility
			if visibility == "direct" {
				text += " @" + fay.Handle()
			}
			asked[visibility] = good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: text, Visibility: visibility, Poll: poll}))(v)
		}
		m := v.mallory
		var replies []string
		for _, st := range asked {
			reply := m.Note("<p>what is it?</p>").With("inReplyTo", st.URI).Mentioning(v.bob.actor, v.bob.handle)
			reply = reply.With("to", []string{peer.Public, v.bob.actor}).With("context", thread(fay, st.URI))
			replies = append(replies, reply.Text("id"))
			unheard := m.Note("<p>to nobody here</p>").With("inReplyTo", st.URI)
			replies = append(replies, unheard.Text("id"))
			like := m.Like(st.URI, v.bob.actor)
			for _, activity := range []peer.Doc{
				m.Create(reply), m.Create(unheard), like, m.Undo(like), m.Announce(st.URI),
				m.Activity("EmojiReact", st.URI).With("content", "☕").To([]string{v.bob.actor}, nil),
				m.Vote(st.URI, v.bob.actor, "this"), m.Update(m.Note("<p>x</p>").With("inReplyTo", st.URI)),
				m.Activity("Flag", []string{st.URI}).With("content", "only the post"),
				m.Activity("Flag", []string{v.bob.actor, st.URI}).With("content", "the account too"),
				m.Activity("Add", st.URI).With("target", m.ID+"/featured").To([]string{peer.Public}, nil),
			} {
				v.send(m, activity)
			}
		}
		v.settle(m)
		for visibility, st := range asked {
			got := good(v.bob.Statuses.Get(v.ctx(), st.ID))(v)
			p := good(v.bob.Polls.Get(v.ctx(), st.Poll.ID))(v)
			if got.RepliesCount+got.FavouritesCount+got.ReblogsCount+len(got.Svc.EmojiReactions)+p.VotesCount != 0 {
				v.Errorf("%s: %d replies, %d likes, %d boosts, %d reactions, %d votes", visibility,
					got.RepliesCount, got.FavouritesCount, got.ReblogsCount, len(got.Svc.EmojiReactions), p.VotesCount)
			}
			if all := good(v.bob.Statuses.Context(v.ctx(), st.ID))(v); len(all.Descendants) != 0 {
				v.Errorf("%s: the thread shows %v", visibility, uris(all.Descendants))
			}
		}
		for _, uri := range replies {
			st := v.known(uri)
			switch {
			case st == nil:
			case st.InReplyToID != nil || st.InReplyToAccountID != nil:
				v.Errorf("%s answers %v", uri, *st.InReplyToID)
			case inThread(st, asked):
				v.Errorf("%s is in the thread of what it may not see", uri)
			}
		}
		reports := good(root.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen}).Page(v.ctx()))(v).Items
		for _, r := range reports {
			if len(r.Statuses) != 0 {
				v.Errorf("a report shows %v", uris(r.Statuses))
			}
		}
		if len(reports) != len(asked) {
			v.Errorf("%d reports, want %d", len(reports), len(asked))
		}
		// A server reports on behalf of anonymous users: it may name statuses
		// that any of its users may see.
		instance := v.good.ActorAt("/actor", "127.0.0.3").Edit(func(d peer.Doc) { d["type"] = "Application" })
		v.send(instance, instance.Activity("Flag", []string{v.bob.actor, asked["private"].URI, asked["direct"].URI, asked["local"].URI}).With("content", "by a server"))
		v.settle(instance)
		var named []string
		for _, r := range good(root.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen}).Page(v.ctx()))(v).Items {
			named = append(named, uris(r.Statuses)...)
		}
		slices.Sort(named)
		want := []string{asked["direct"].URI, asked["private"].URI}
		slices.Sort(want)
		if !slices.Equal(named, want) {
			v.Errorf("a server reports %v, want %v", named, want)
		}
		// Counted votes are sent to the audience of the poll.
		v.evil.Forget()
		for _, st := range asked {
			v.send(fay, fay.Vote(st.URI, v.bob.actor, "that"))
		}
		v.settle(fay)
		for visibility, st := range asked {
			must(v.T, v.home.Server.Outbox.TellTally(v.ctx(), v.home.DB, jobs.TellTally{StatusID: st.ID}))
			if visibility != "local" {
				v.until("the tally of "+visibility+" arrives", func() bool {
					return slices.ContainsFunc(v.good.Received("Update"), func(d peer.Doc) bool { return d.Text("object", "id") == st.URI })
				})
			}
		}
		v.says(v.bob, "now for @"+m.Handle())
		v.until("something arrives at mallory's", func() bool { return len(v.evil.Received("Create")) > 0 })
		for _, r := range v.evil.Posts() {
			for visibility, st := range asked {
				if strings.Contains(string(r.Body), st.URI) {
					v.Errorf("mallory's server is told of the %s poll: %s", visibility, r.Body)
				}
			}
		}
	})
}

// thread returns the id of the conversation of a post, from the document for
// one of its readers.
func thread(reader *peer.Actor, uri string) string {
	var doc peer.Doc
	_ = json.Unmarshal(reader.Get(uri).Body, &doc)
	return doc.Text("context")
}

func inThread(st *api.Status, asked map[string]*api.Status) bool {
	for _, a := range asked {
		if *a.Svc.ConversationID == *st.Svc.ConversationID {
			return true
		}
	}
	return false
}
