package server_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
	"svc/server/servertest"
)

// servers are the other servers, by the relation of the one account of each to
// Ann, and the statuses of hers that they get.
var servers = []struct {
	name, relation string
	gets           []string
}{
	{"fox", "a follower", only(db.Public, db.Unlisted, db.Private)},
	{"nia", "somebody named", only(db.Public, db.Unlisted, db.Private, db.Direct, db.List)},
	{"max", "a member of the list", only(db.List)},
	{"zed", "a stranger", nil},
	{"bud", "a follower she then blocked", nil},
}

// mayRead reports whether an account of another server may see a status of
// hers.
func mayRead(gets []string, visibility string) bool {
	return slices.Contains(seen(""), visibility) || slices.Contains(gets, visibility)
}

// Activities go to servers with a recipient, and a reply from an account that
// may not see the status is no reply to it.
func (w *visibilityWorld) elsewhere(t *testing.T) {
	ctx, s := t.Context(), w.s
	ann := must(s.DB.Account(ctx, w.ids["ann"]))(t)
	accounts, hosts := map[string]*db.Account{}, map[string]string{}
	for i, x := range servers {
		host := fmt.Sprintf("127.0.0.9:%d", i+1) // without a server
		a := db.NewAccount("http://"+host, x.name+"@"+host)
		a.Local, a.Domain, a.FetchedAt = false, host, s.DB.Now()
		must(0, s.DB.CreateAccount(ctx, a))(t)
		must(0, s.DB.AddInstance(ctx, host))(t)
		accounts[x.name], hosts[host] = a, x.name
	}
	for _, name := range only("fox", "bud") {
		must(s.Social.TakeFollow(ctx, accounts[name], ann.ID, accounts[name].URI+"/follows/1"))(t)
	}
	must(s.Client("ann").Accounts.Block(ctx, accounts["bud"].ID))(t)
	members := must(s.Client("ann").Lists.Create(ctx, api.NewList{Title: "members elsewhere"}))(t)
	follow(t, s.Client("ann"), accounts["max"].ID)
	must(0, s.Social.TakeAccept(ctx, accounts["max"], "", ann.URI))(t)
	must(0, s.Client("ann").Lists.Add(ctx, members.ID, accounts["max"].ID))(t)

	posts := map[string]*db.Status{}
	week := int64(7 * 24 * 3600)
	for _, visibility := range everyVisibility {
		in := social.NewStatus{
			Text: "@" + accounts["nia"].Nickname + " which?", Visibility: visibility,
			Poll: &db.PollParams{Options: []string{"this", "that"}, ExpiresIn: &week},
		}
		if visibility == db.List {
			in.Visibility = "list:" + members.ID
		}
		posts[visibility] = must(s.Social.PostStatus(ctx, ann, in))(t)
	}
	for _, x := range servers {
		for visibility, hosts := range w.sentTo(t, "Create", posts, hosts) {
			if got := slices.Contains(hosts, x.name); got != slices.Contains(x.gets, visibility) {
				t.Errorf("the server of %s gets %s: %v", x.relation, visibility, got)
			}
		}
	}

	for _, x := range servers {
		for _, visibility := range everyVisibility {
			by, post := accounts[x.name], posts[visibility]
			draft := must(s.Social.DraftRemote(ctx, by, social.RemoteStatus{Wanted: true, Walked: true, Post: &activitypub.Post{
				ID: by.URI + "/answers/" + visibility, Type: "Note", Author: by.URI, Content: "an answer",
				To: []string{activitypub.Public}, InReplyTo: *post.URI,
			}}))(t)
			answer := must(s.Social.KeepRemote(ctx, draft))(t)
			may := mayRead(x.gets, visibility)
			if (answer.InReplyToID != nil) != may || (*answer.ConversationID == *post.ConversationID) != may {
				t.Errorf("%s, by %s: it answers %v, in the thread: %v", visibility, x.relation, answer.InReplyToID != nil, *answer.ConversationID == *post.ConversationID)
			}
			vote := s.Social.TakeVote(ctx, by, post.ID, "this", by.URI+"/votes/"+visibility)
			if (vote == nil) != may {
				t.Errorf("%s, by %s: a vote: %v", visibility, x.relation, vote)
			}
		}
	}
	for visibility, post := range posts {
		answers := must(w.s.Client("ann").Statuses.Context(ctx, post.ID))(t).Descendants
		may, hidden := 0, 0
		for _, x := range servers {
			if mayRead(x.gets, visibility) {
				may++
				if x.name == "bud" { // Ann does not see bud
					hidden++
				}
			}
		}
		shown := must(w.s.Client("ann").Statuses.Get(ctx, post.ID))(t)
		if diff := cmp.Diff([]int{may - hidden, may, may}, []int{len(answers), shown.RepliesCount, shown.Poll.VotesCount}); diff != "" {
			t.Errorf("answers to %s in its thread and counted, and votes: %s", visibility, diff)
		}
		must(0, s.Server.Outbox.TellTally(ctx, s.DB, jobs.TellTally{StatusID: post.ID, Closed: true}))(t)
	}
	for visibility, told := range w.sentTo(t, "Update", posts, hosts) {
		want := []string{}
		for _, x := range servers {
			if visibility != db.Local && mayRead(x.gets, visibility) {
				want = append(want, x.name)
			}
		}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("of votes in %s are told: %s", visibility, diff)
		}
	}
}

// sentTo lists the servers that get activities of a type, by the visibility of
// their status.
func (w *visibilityWorld) sentTo(t *testing.T, kind string, posts map[string]*db.Status, hosts map[string]string) map[string][]string {
	t.Helper()
	pool := w.s.DB.Writer()
	servertest.Eventually(t, "activities have their recipients", func() bool {
		var n int
		err := pool.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM activities WHERE distributed_at IS NULL").Scan(&n)
		return err == nil && n == 0
	})
	out, about := map[string][]string{}, map[string]string{}
	for visibility, post := range posts {
		out[visibility], about[*post.URI] = []string{}, visibility
	}
	rows, err := pool.QueryContext(t.Context(), "SELECT DISTINCT a.object_uri, x.host FROM deliveries x JOIN activities a ON a.id = x.activity_id WHERE a.type = '"+
		kind+"' ORDER BY x.host")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var uri, host string
		if err := rows.Scan(&uri, &host); err != nil {
			t.Fatal(err)
		}
		if visibility, ok := about[uri]; ok {
			out[visibility] = append(out[visibility], hosts[host])
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
