package e2e

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest/peer"
)

// replyTo is a note by an actor in reply to an id, without a context.
func replyTo(by *peer.Actor, parent, text string) peer.Doc {
	return by.Note("<p>"+text+"</p>").With("inReplyTo", parent)
}

func tuple(of ...any) any { return map[string]any{"tuple": of} }

// sets has an admin change a setting.
func (v *village) sets(key, path string, value any) {
	v.Helper()
	_, err := v.home.Admin("root").Admin.Config.Set(v.ctx(), ":svc", key, []any{tuple(path, value)})
	must(v.T, err)
}

// contextOf is the plain text of the statuses above and below one.
func (v *village) contextOf(st *api.Status) (above, below []string) {
	v.Helper()
	around := good(v.bob.Statuses.Context(v.ctx(), st.ID))(v)
	for i := range around.Ancestors {
		above = append(above, content(&around.Ancestors[i]))
	}
	for i := range around.Descendants {
		below = append(below, content(&around.Descendants[i]))
	}
	return above, below
}

// TestThreadsAreFetchedUpwards sends replies to unknown statuses: their parents
// are fetched up to the top, each once, and all of them are one thread.
func TestThreadsAreFetchedUpwards(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		root := v.mallory.Note("<p>top</p>")
		one := replyTo(v.vera, root.Text("id"), "one")
		two := replyTo(v.mallory, one.Text("id"), "two")
		leaf := replyTo(v.vera, two.Text("id"), "leaf")
		other := replyTo(v.vera, two.Text("id"), "other leaf")
		v.evil.Publish(root, two)
		v.good.Publish(one, leaf, other)
		v.send(v.vera, v.vera.Create(leaf))
		v.until("the top arrives", func() bool { return v.known(root.Text("id")) != nil })
		v.until("the thread is joined", func() bool {
			above, _ := v.contextOf(v.known(leaf.Text("id")))
			return slices.Equal(above, []string{"top", "one", "two"})
		})
		v.send(v.vera, v.vera.Create(other))
		v.until("the other reply arrives", func() bool { return v.known(other.Text("id")) != nil })
		top := v.known(root.Text("id"))
		if _, below := v.contextOf(top); !slices.Equal(below, []string{"one", "two", "leaf", "other leaf"}) {
			v.Errorf("below the top stands %q", below)
		}
		if st := v.known(two.Text("id")); st.RepliesCount != 2 || st.InReplyToID == nil || *st.InReplyToID != v.known(one.Text("id")).ID {
			v.Errorf("the post between has %d replies and answers %v", st.RepliesCount, st.InReplyToID)
		}
		for _, doc := range []peer.Doc{root, one, two} {
			if n := v.good.Fetched(doc.Text("id")) + v.evil.Fetched(doc.Text("id")); n != 1 {
				v.Errorf("%s was asked for %d times", doc.Text("id"), n)
			}
		}
		// Two that answer each other end, too.
		a, b := v.mallory.Note("<p>a</p>"), v.mallory.Note("<p>b</p>")
		v.evil.Publish(a.With("inReplyTo", b.Text("id")), b.With("inReplyTo", a.Text("id")))
		v.send(v.vera, v.vera.Create(replyTo(v.vera, a.Text("id"), "what")))
		v.until("both arrive", func() bool { return v.known(a.Text("id")) != nil && v.known(b.Text("id")) != nil })
	})
}

// TestALateParentIsJoinedByItsReplies sends a reply before its parent, which
// its server does not show yet.
func TestALateParentIsJoinedByItsReplies(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		parent := v.vera.Note("<p>late</p>").With("context", v.good.URL("/contexts/late"))
		reply := replyTo(v.vera, parent.Text("id"), "early")
		v.send(v.vera, v.vera.Create(reply))
		v.until("the reply arrives", func() bool { return v.known(reply.Text("id")) != nil })
		if st := v.known(reply.Text("id")); st.InReplyToID != nil {
			v.Errorf("it answers %s, which is not here", *st.InReplyToID)
		}
		v.send(v.vera, v.vera.Create(parent))
		v.until("the parent arrives", func() bool { return v.known(parent.Text("id")) != nil })
		first, second := v.known(parent.Text("id")), v.known(reply.Text("id"))
		if second.InReplyToID == nil || *second.InReplyToID != first.ID || first.RepliesCount != 1 || *first.Svc.ConversationID != *second.Svc.ConversationID {
			v.Errorf("the reply answers %v in %d; the parent has %d replies in %d", second.InReplyToID, *second.Svc.ConversationID, first.RepliesCount, *first.Svc.ConversationID)
		}
	})
}

// TestThreadsAreNotFetchedWhereTheSettingsSaySo has an admin turn that off.
func TestThreadsAreNotFetchedWhereTheSettingsSaySo(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		v.sets(":instance", ":federation_incoming_replies_max_depth", 0)
		root := v.mallory.Note("<p>top</p>")
		v.evil.Publish(root)
		reply := replyTo(v.vera, root.Text("id"), "reply")
		v.send(v.vera, v.vera.Create(reply))
		v.until("the reply arrives", func() bool { return v.known(reply.Text("id")) != nil })
		v.sets(":instance", ":federation_incoming_replies_max_depth", 1)
		// Fetches are made in order, so an earlier one would be done by then.
		next := v.mallory.Note("<p>another top</p>")
		v.evil.Publish(next)
		v.send(v.vera, v.vera.Create(replyTo(v.vera, next.Text("id"), "reply")))
		v.until("the other top arrives", func() bool { return v.known(next.Text("id")) != nil })
		v.nothingOf("nobody asked for it", root.Text("id"))
	}, func(s *config.Settings) { s.Queues.Fetcher = 1 })
}

// TestRepliesAreFetchedOfWhatPeopleLookUp looks a status up with a collection
// of replies, which also has objects that are none.
func TestRepliesAreFetchedOfWhatPeopleLookUp(t *testing.T) {
	among(t, func(v *village) {
		root := v.vera.Note("<p>root</p>")
		first, alien := replyTo(v.vera, root.Text("id"), "first"), v.mallory.Note("<p>alien</p>")
		far := replyTo(v.mallory, first.Text("id"), "far")
		page := root.Text("id") + "/replies?page=1"
		root["replies"] = peer.Doc{"id": root.Text("id") + "/replies", "type": "Collection", "first": peer.Doc{"type": "CollectionPage", "items": []string{alien.Text("id")}, "next": page}}
		first["replies"] = peer.Doc{"id": first.Text("id") + "/replies", "type": "Collection", "first": peer.Doc{"type": "CollectionPage", "items": []string{far.Text("id")}}}
		v.good.Publish(root, first, peer.Doc{"@context": "https://www.w3.org/ns/activitystreams", "id": root.Text("id") + "/replies", "type": "Collection", "first": page})
		v.good.Serve(page, peer.Page{Body: peer.Doc{"@context": "https://www.w3.org/ns/activitystreams", "id": page, "type": "CollectionPage", "items": []string{first.Text("id")}}.JSON()})
		v.evil.Publish(alien, far)
		if v.looksUp(root.Text("id")) != 1 {
			v.Fatal("the root is not found")
		}
		v.until("replies to replies arrive", func() bool { return v.known(far.Text("id")) != nil })
		if _, below := v.contextOf(v.known(root.Text("id"))); !slices.Equal(below, []string{"first", "far"}) {
			v.Errorf("below the root stands %q", below)
		}
		v.nothingOf("it answers nothing", alien.Text("id"))
	})
}

// TestProfilesShowWhatTheirServersFeature reads the featured statuses of a new
// actor, and follows their Add and Remove.
func TestProfilesShowWhatTheirServersFeature(t *testing.T) {
	among(t, func(v *village) {
		shown, later, foreign := v.vera.Note("<p>shown</p>"), v.vera.Note("<p>later</p>"), v.mallory.Note("<p>foreign</p>")
		v.good.Publish(shown, later)
		v.evil.Publish(foreign)
		v.vera.Collect("featured", shown.Text("id"), foreign.Text("id"))
		account := v.account(v.vera)
		pinned := func() []string {
			var out []string
			for _, st := range good(v.bob.Accounts.Statuses(account.ID, api.AccountStatusQuery{Pinned: true}).Page(v.ctx()))(v).Items {
				out = append(out, content(&st))
			}
			slices.Sort(out)
			return out
		}
		v.until("what is featured is pinned", func() bool { return slices.Equal(pinned(), []string{"shown"}) })
		featured := v.vera.Doc().Text("featured")
		v.send(v.vera, v.vera.Activity("Add", later.Text("id")).With("target", featured).To([]string{peer.Public}, nil))
		v.until("another is pinned", func() bool { return slices.Equal(pinned(), []string{"later", "shown"}) })
		v.send(v.mallory, v.mallory.Activity("Remove", later.Text("id")).With("target", featured).To([]string{peer.Public}, nil))
		v.send(v.vera, v.vera.Activity("Add", foreign.Text("id")).With("target", featured).To([]string{peer.Public}, nil))
		v.send(v.vera, v.vera.Activity("Remove", shown.Text("id")).With("target", featured).With("id", nil).To([]string{peer.Public}, nil))
		v.until("one is pinned no more", func() bool { return slices.Equal(pinned(), []string{"later"}) })
		v.nothingOf("it is another's", foreign.Text("id"))
	})
}

// TestEditsKeepWhatWasThere edits a post twice, and sends the first version once
// more; and moves a poll on without an edit.
func TestEditsKeepWhatWasThere(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		written := time.Now().Add(-time.Hour)
		note := v.vera.Note("<p>zero</p>").With("published", peer.Stamp(written)).With("tag", []any{peer.Doc{"type": "Hashtag", "name": "#before"}})
		v.publishes(v.vera, note)
		edit := func(n int, text string) peer.Doc {
			return v.vera.Update(note.With("content", "<p>"+text+"</p>").With("updated", peer.Stamp(written.Add(time.Duration(n)*time.Minute))).With("tag", []any{peer.Doc{"type": "Hashtag", "name": "#after"}}))
		}
		v.send(v.vera, edit(1, "one"))
		v.send(v.vera, edit(2, "two"))
		v.send(v.vera, edit(1, "one again"))
		v.send(v.vera, edit(2, "two again"))
		v.settle(v.vera)
		st := v.known(note.Text("id"))
		if content(st) != "two" || st.EditedAt == nil || peer.Stamp(st.EditedAt.Time) != peer.Stamp(written.Add(2*time.Minute)) || peer.Stamp(st.CreatedAt.Time) != peer.Stamp(written) || len(st.Tags) != 1 || st.Tags[0].Name != "after" {
			v.Errorf("it says %q, written %v, edited %v, under %v", content(st), st.CreatedAt, st.EditedAt, st.Tags)
		}
		edits, err := v.home.DB.StatusEdits(v.ctx(), st.ID)
		if err != nil || len(edits) != 2 || edits[0].Content != "<p>zero</p>" || edits[1].Content != "<p>one</p>" {
			v.Errorf("its history is %+v, %v", edits, err)
		}
		poll := v.vera.Question("<p>?</p>", inAnHour(), false, "a", "b")
		asked := v.publishes(v.vera, poll)
		counted := poll.With("votersCount", 5).With("oneOf", []any{
			peer.Doc{"type": "Note", "name": "a", "replies": peer.Doc{"totalItems": 2}}, peer.Doc{"type": "Note", "name": "b", "replies": peer.Doc{"totalItems": 3}},
		})
		v.send(v.vera, v.vera.Update(counted))
		v.until("the votes are counted", func() bool { return v.known(poll.Text("id")).Poll.VotesCount == 5 })
		if st := v.known(poll.Text("id")); st.EditedAt != nil || st.Poll.Options[1].VotesCount != 3 {
			v.Errorf("the poll is edited %v, %+v", st.EditedAt, st.Poll)
		}
		// A later reader sees the server's later figures.
		v.good.Publish(counted.With("votersCount", 9))
		v.home.Advance(2 * time.Minute)
		if p := good(v.bob.Polls.Get(v.ctx(), asked.Poll.ID))(v); p.VotersCount != 9 {
			v.Errorf("the poll has %v voters", p.VotersCount)
		}
	})
}

// TestOldPostsAreAskedForAgain looks posts up that are here for long: one changed,
// one is gone.
func TestOldPostsAreAskedForAgain(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		changed, gone, hidden := v.vera.Note("<p>old</p>"), v.vera.Note("<p>gone</p>"), v.vera.Note("<p>hidden</p>").To([]string{v.vera.Followers()}, nil)
		for _, n := range []peer.Doc{changed, gone, hidden} {
			v.publishes(v.vera, n)
		}
		v.good.Publish(changed.With("content", "<p>new</p>").With("updated", peer.Stamp(time.Now().Add(time.Hour))))
		v.good.Gone(gone.Text("id"))
		v.good.Gone(hidden.Text("id"))
		if v.looksUp(changed.Text("id")) != 1 || content(v.known(changed.Text("id"))) != "old" {
			v.Error("it was asked for again at once")
		}
		v.home.Advance(3 * time.Hour)
		for _, n := range []peer.Doc{changed, gone, hidden} {
			_ = v.looksUp(n.Text("id"))
		}
		if st := v.known(changed.Text("id")); st == nil || content(st) != "new" {
			v.Errorf("it is %+v", st)
		}
		v.nothingOf("its server says that it is gone", gone.Text("id"))
		if v.known(hidden.Text("id")) == nil {
			v.Error("what is not shown to everybody was taken for gone")
		}
	})
}

// TestOnlyWhatConcernsSomebodyIsKept sends posts without local interest, and
// posts that address a local account.
func TestOnlyWhatConcernsSomebodyIsKept(t *testing.T) {
	among(t, func(v *village) {
		mine := good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: "mine"}))(v)
		idle := v.vera.Note("<p>idle</p>")
		silent := v.vera.Note("<p>silent</p>").To([]string{peer.Public, v.bob.actor}, nil)
		answer := replyTo(v.vera, mine.URI, "answer")
		v.send(v.vera, v.vera.Create(idle))
		v.send(v.vera, v.vera.Create(silent))
		v.send(v.vera, v.vera.Create(answer))
		v.settle(v.vera)
		v.nothingOf("it concerns nobody", idle.Text("id"))
		if v.known(silent.Text("id")) == nil || v.known(answer.Text("id")) == nil {
			v.Error("what concerns bob is not kept")
		}
		for _, n := range good(v.bob.Notifications.List(api.NotificationQuery{}).Page(v.ctx()))(v).Items {
			if n.Status != nil && content(n.Status) == "silent" {
				v.Error("bob is told of a post that does not name him")
			}
		}
	})
}

// TestPoliciesJudgeWhateverIsKept refuses a word in posts that are sent, fetched
// and edited.
func TestPoliciesJudgeWhateverIsKept(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		v.sets(":mrf", ":policies", []string{"Svc.Web.ActivityPub.MRF.KeywordPolicy"})
		v.sets(":mrf_keyword", ":reject", []string{"forbidden"})
		v.sets(":mrf_keyword", ":replace", []any{tuple("plain", "fancy")})
		sent, looked, edited, replaced := v.vera.Note("<p>forbidden 1</p>"), v.mallory.Note("<p>forbidden 2</p>"), v.vera.Note("<p>fine</p>"), v.mallory.Note("<p>plain</p>")
		v.send(v.vera, v.vera.Create(sent))
		v.evil.Publish(looked, replaced)
		v.publishes(v.vera, edited)
		v.send(v.vera, v.vera.Update(edited.With("content", "<p>forbidden 3</p>").With("updated", peer.Stamp(time.Now().Add(time.Minute)))))
		v.settle(v.vera)
		if n := v.looksUp(looked.Text("id")); n != 0 {
			v.Error("it is found: " + strconv.Itoa(n))
		}
		v.nothingOf("its word is forbidden", sent.Text("id"), looked.Text("id"))
		if st := v.known(edited.Text("id")); content(st) != "fine" {
			v.Errorf("it was edited to %q", content(st))
		}
		if v.looksUp(replaced.Text("id")) != 1 || content(v.known(replaced.Text("id"))) != "fancy" {
			v.Error("the word of a fetched post was not replaced")
		}
	})
}
