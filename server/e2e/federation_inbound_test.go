package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/rules/social"
	"svc/server/servertest/peer"
)

// TestPeersPinByActivitiesAndByTheirCollection pins both ways (row 8).
func TestPeersPinByActivitiesAndByTheirCollection(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		one := v.publishes(v.vera, v.vera.Note("<p>one</p>"))
		two := v.publishes(v.vera, v.vera.Note("<p>two</p>"))
		pinned := func() []string {
			return uris(good(v.bob.Accounts.Statuses(v.account(v.vera).ID, api.AccountStatusQuery{Pinned: true}).Page(v.ctx()))(v).Items)
		}
		act := func(kind string, st *api.Status, target string) peer.Doc {
			return v.vera.Activity(kind, st.URI).With("target", target).With("id", nil).To([]string{peer.Public}, nil)
		}
		v.send(v.vera, act("Add", one, v.vera.ID+"/elsewhere"))
		v.send(v.vera, act("Add", one, v.vera.ID+"/featured"))
		v.until("one is pinned", func() bool { return slices.Equal(pinned(), []string{one.URI}) })
		v.send(v.vera, act("Remove", one, v.vera.ID+"/featured"))
		v.until("none is pinned", func() bool { return len(pinned()) == 0 })
		// The collection of an account is fetched when the account is first
		// met.
		pete := v.good.Actor("pete")
		shown := pete.Note("<p>shown</p>")
		v.good.Publish(shown)
		pete.Collect("featured", shown.Text("id"), two.URI)
		v.account(pete)
		v.until("the collection is read", func() bool {
			of := good(v.bob.Accounts.Statuses(v.account(pete).ID, api.AccountStatusQuery{Pinned: true}).Page(v.ctx()))(v).Items
			return slices.Equal(uris(of), []string{shown.Text("id")})
		})
	})
}

// TestActivitiesWinOverACollectionThatIsAnsweredLate asks for a collection and gets an
// answer that was true before an Add or a Remove, which came meanwhile.
func TestActivitiesWinOverACollectionThatIsAnsweredLate(t *testing.T) {
	among(t, func(v *village) {
		for _, kind := range []string{"Add", "Remove"} {
			actor := v.good.Actor(strings.ToLower(kind))
			at := actor.ID + "/featured"
			note := actor.Note("<p>pinned and not</p>")
			v.good.Publish(note)
			with := peer.Doc{"id": at, "type": "OrderedCollection", "orderedItems": []string{note.Text("id")}}
			without := with.With("orderedItems", []string{})
			shown, want := without, []string{note.Text("id")}
			if kind == "Remove" {
				shown, want = with, []string{}
			}
			asked, answer := make(chan struct{}, 10), make(chan struct{})
			v.good.Serve(at, peer.Page{Handler: func(w http.ResponseWriter, _ *http.Request) {
				asked <- struct{}{}
				<-answer
				w.Header().Set("Content-Type", peer.ActivityJSON)
				_, _ = w.Write(shown.JSON())
			}})
			release := sync.OnceFunc(func() { close(answer) })
			defer release() // the peer cannot stop before
			id := v.account(actor).ID
			<-asked
			v.send(actor, actor.Activity(kind, note.Text("id")).With("target", at).With("id", nil).To([]string{peer.Public}, nil))
			v.settle(actor)
			pinned := func() []string {
				return uris(good(v.bob.Accounts.Statuses(id, api.AccountStatusQuery{Pinned: true}).Page(v.ctx()))(v).Items)
			}
			expect := func(when string, want []string) {
				if got := pinned(); !slices.Equal(got, want) {
					v.Errorf("%s: %s %v are pinned, want %v", kind, when, got, want)
				}
			}
			expect("before the answer", want)
			release()
			v.until("the answer is read", func() (done bool) {
				must(v.T, v.home.DB.Writer().QueryRowContext(v.ctx(), "SELECT COUNT(*) > 0 FROM river_job WHERE kind = 'fetch_featured' AND state = 'completed' AND args ->> 'account_id' = '"+id+"'").Scan(&done))
				return done
			})
			expect("after the answer", want)
			// Minutes later the collection counts again.
			v.home.Advance(social.CollectionAge)
			must(v.T, dbtest.Exec(v.T, v.home.DB, "UPDATE river_job SET state = 'available', scheduled_at = CURRENT_TIMESTAMP WHERE kind = 'fetch_featured' AND state = 'scheduled'"))
			v.until("the collection is read again", func() bool { return !slices.Equal(pinned(), want) })
		}
	})
}

// TestVotesCountOnce votes in a poll of ours: in vain, twice, at once, and late
// (row 7, poll race).
func TestVotesCountOnce(t *testing.T) {
	among(t, func(v *village) {
		hour := api.Int(3600)
		single := good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: "which?", Poll: &api.NewPoll{Options: []string{"this", "that"}, ExpiresIn: &hour}}))(v)
		many := good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: "which ones?", Poll: &api.NewPoll{Options: []string{"a", "b", "c"}, ExpiresIn: &hour, Multiple: true}}))(v)
		v.settle(v.vera)
		vote := func(by *peer.Actor, st *api.Status, choice string) peer.Doc {
			return by.Vote(st.URI, v.bob.actor, choice)
		}
		v.send(v.vera, vote(v.vera, single, "neither"))
		v.send(v.vera, vote(v.vera, single, "THIS"))
		worded := vote(v.vera, single, "this")
		worded["object"] = worded.Object("object").With("content", "<p>this</p>").With("id", v.good.ID("notes"))
		v.send(v.vera, worded)
		// All at once, each its own activity.
		var wg sync.WaitGroup
		for i := range 8 {
			choice := []string{"this", "that"}[i%2]
			doc := vote(v.vera, single, choice)
			wg.Go(func() { v.send(v.vera, doc) })
		}
		for _, choice := range []string{"a", "c", "a"} {
			v.send(v.vera, vote(v.vera, many, choice))
		}
		wg.Wait()
		v.settle(v.vera)
		one := good(v.bob.Polls.Get(v.ctx(), single.Poll.ID))(v)
		if one.VotersCount != 1 || one.VotesCount != 1 || one.Options[0].VotesCount+one.Options[1].VotesCount != 1 {
			v.Errorf("one vote counts as %+v", one)
		}
		if p := good(v.bob.Polls.Get(v.ctx(), many.Poll.ID))(v); p.VotersCount != 1 || !slices.Equal(tally(p), []int{1, 0, 1}) {
			v.Errorf("two choices count as %+v", p)
		}
		for _, n := range v.notified(v.bob, "mention") {
			if strings.Contains(n.Status.URI, "/votes/") {
				v.Errorf("a vote is shown: %s", n.Status.URI)
			}
		}
		v.home.Advance(2 * time.Hour)
		at := peer.At(time.Now().Add(2 * time.Hour))
		v.send(v.mallory, vote(v.mallory, many, "b"), at)
		v.settle(v.mallory, at)
		if p := good(v.bob.Polls.Get(v.ctx(), many.Poll.ID))(v); p.VotersCount != 1 {
			v.Error("a late vote counts")
		}
	})
}

// TestPollsOfPeersAreKeptUpToDate takes their tallies, and votes there.
func TestPollsOfPeersAreKeptUpToDate(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		question := v.vera.Question("<p>which?</p>", inAnHour(), false, "this", "that")
		st := v.publishes(v.vera, question)
		counted := question.Clone()
		counted["oneOf"] = []any{
			peer.Doc{"type": "Note", "name": "this", "replies": peer.Doc{"type": "Collection", "totalItems": 3}},
			peer.Doc{"type": "Note", "name": "that", "replies": peer.Doc{"type": "Collection", "totalItems": 4}},
		}
		counted["votersCount"] = 7
		v.good.Publish(counted)
		v.send(v.vera, v.vera.Update(counted))
		v.until("the tally is taken", func() bool {
			p := good(v.bob.Polls.Get(v.ctx(), st.Poll.ID))(v)
			return slices.Equal(tally(p), []int{3, 4}) && p.VotersCount == 7
		})
		if got := v.known(st.URI); got.EditedAt != nil {
			v.Error("a tally is shown as an edit")
		}
		good(v.bob.Polls.Vote(v.ctx(), st.Poll.ID, 1))(v)
		closed := counted.With("closed", peer.Stamp(time.Now().Add(-time.Second))).With("endTime", peer.Stamp(time.Now().Add(-time.Second)))
		v.good.Publish(closed)
		v.send(v.vera, v.vera.Update(closed))
		v.until("it is over", func() bool { return good(v.bob.Polls.Get(v.ctx(), st.Poll.ID))(v).Expired })
		v.until("bob is notified that it is over", func() bool {
			rows := good(v.bob.Notifications.List(api.NotificationQuery{Types: []string{"poll"}}).Page(v.ctx()))(v).Items
			return len(rows) == 1 && rows[0].Account.Acct == v.vera.Handle() && rows[0].Status.ID == st.ID
		})
		if _, err := v.home.Client("late").Polls.Vote(v.ctx(), st.Poll.ID, 0); err == nil {
			v.Error("a vote after the end is taken")
		}
	})
}

// TestReportsOfPeersReachModerators files reports by users and by instance
// actors (row 10).
func TestReportsOfPeersReachModerators(t *testing.T) {
	among(t, func(v *village) {
		root := v.admin(v.home)
		st := v.says(v.bob, "something")
		instance := v.evil.ActorAt("/actor", "127.0.0.4").Edit(func(d peer.Doc) { d["type"] = "Application" })
		flag := func(by *peer.Actor, content string, object any) peer.Doc {
			return by.Activity("Flag", object).With("content", content).To([]string{v.bob.actor}, nil)
		}
		v.send(v.vera, flag(v.vera, "<b>bad</b> & long "+strings.Repeat("x", 6000), []string{v.bob.actor, st.URI, v.good.URL("/notes/none")}))
		v.send(v.vera, flag(v.vera, "about nobody here", []string{v.mallory.ID}))
		v.send(v.mallory, flag(v.vera, "forged", []string{v.bob.actor}))
		reports := func() []api.AdminReport {
			var out []api.AdminReport
			for _, r := range good(root.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen}).Page(v.ctx()))(v).Items {
				if r.Account.ID == v.bob.id {
					out = append(out, r)
				}
			}
			return out
		}
		v.until("a report is there", func() bool { return len(reports()) > 0 })
		v.settle(v.vera)
		all := reports()
		if len(all) != 1 || all[0].Actor.Acct != v.vera.Handle() || !slices.Equal(uris(all[0].Statuses), []string{st.URI}) || running(*all[0].Content) != "" || len(*all[0].Content) > 5100 {
			v.Fatalf("%d reports, the first %s", len(all), all[0].Raw)
		}
		v.send(instance, flag(instance, "by a server", v.bob.actor))
		v.until("one by a server is there", func() bool { return len(reports()) == 2 })
		// The number of reports of one account is bounded.
		for i := range 100 {
			_ = v.mallory.Send(v.bob.actor+"/inbox", flag(v.mallory, fmt.Sprintf("flood %d", i), v.bob.actor))
		}
		v.settle(v.mallory)
		if n := len(reports()); n > 60 {
			v.Errorf("%d reports of a flood", n)
		}
	})
}

// TestChatsOfPeersAreBetweenTwo sends messages to people other than the
// recipient (row 17).
func TestChatsOfPeersAreBetweenTwo(t *testing.T) {
	among(t, func(v *village) {
		cat := v.person(v.home, "cat")
		create := func(m peer.Doc) peer.Doc {
			out := v.vera.Activity("Create", m)
			out["to"] = m["to"]
			return out
		}
		first := v.vera.ChatMessage(v.bob.actor, "<p>hello</p>")
		v.send(v.vera, create(first))
		v.send(v.vera, create(first))
		v.send(v.vera, create(v.vera.ChatMessage(v.bob.actor, "<p>to many</p>").With("to", []string{v.bob.actor, cat.actor})))
		v.send(v.vera, create(v.vera.ChatMessage(v.bob.actor, "<p>to all</p>").With("to", []string{peer.Public})))
		v.send(v.vera, create(v.vera.ChatMessage(v.bob.actor, "<p>unlike its activity</p>")).With("to", []string{cat.actor}))
		v.send(v.vera, create(v.vera.ChatMessage(v.bob.actor, "<p>in her name</p>").With("attributedTo", v.mallory.ID).With("actor", v.mallory.ID)))
		v.send(v.vera, create(v.vera.ChatMessage(v.bob.actor, "").With("content", nil)))
		v.settle(v.vera)
		texts := func(p *person) []string {
			out := []string{}
			for _, c := range good(p.Chats.List(api.ChatQuery{}).Page(v.ctx()))(v).Items {
				for _, m := range good(p.Chats.Messages(c.ID, api.PageQuery{}).Page(v.ctx()))(v).Items {
					if m.Content != nil && *m.Content != "" {
						out = append(out, *m.Content)
					}
				}
			}
			return out
		}
		if got := texts(v.bob); len(got) != 1 || !strings.Contains(got[0], "hello") {
			v.Errorf("bob reads %q", got)
		}
		if got := texts(cat); len(got) != 0 {
			v.Errorf("cat reads %q", got)
		}
		v.send(v.mallory, v.mallory.Delete(first.Text("id")))
		v.settle(v.mallory)
		if len(texts(v.bob)) != 1 {
			v.Error("somebody else deletes it")
		}
		v.send(v.vera, v.vera.Delete(first.Text("id")).To([]string{v.bob.actor}, nil))
		v.until("it is deleted", func() bool { return len(texts(v.bob)) == 0 })
		// An account that accepts no chat messages gets none.
		no := api.Bool(false)
		must(v.T, err1(cat.Accounts.UpdateCredentials(v.ctx(), api.UpdateCredentials{AcceptsChatMessages: &no})))
		v.send(v.vera, create(v.vera.ChatMessage(cat.actor, "<p>hello</p>")))
		v.settle(v.vera)
		if got := texts(cat); len(got) != 0 {
			v.Errorf("cat, who wants none, reads %q", got)
		}
	})
}

// TestWhatIsPrivateIsServedToItsReadersAlone asks for posts of each visibility
// with and without a signature; secure mode asks for one always.
func TestWhatIsPrivateIsServedToItsReadersAlone(t *testing.T) {
	among(t, func(v *village) {
		fay, ned, sam := v.good.Actor("fay"), v.good.Actor("ned"), v.evil.Actor("sam")
		v.followsBob(fay)
		v.account(ned)
		get := func(by *peer.Actor, address string) int {
			v.Helper()
			options := []peer.Option{}
			if by == nil {
				by, options = sam, append(options, peer.Unsigned())
			}
			got := by.Get(address, options...)
			if cache := got.Header.Get("Cache-Control"); got.Status == 200 && strings.Contains(string(got.Body), "secret") && !strings.Contains(cache, "no-store") {
				v.Errorf("%s may be kept: %q", address, cache)
			}
			if vary := strings.Join(got.Header.Values("Vary"), ","); got.Status == 200 && (!strings.Contains(vary, "Signature") || !strings.Contains(vary, "Accept")) {
				v.Errorf("%s varies by %q", address, vary)
			}
			return got.Status
		}
		check := func(when string, want map[string][4]int) {
			v.Helper()
			for visibility, w := range want {
				text := visibility
				if visibility == "private" || visibility == "direct" {
					text = "secret"
				}
				st := good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: text + " for @" + ned.Handle(), Visibility: visibility}))(v)
				got := [4]int{get(nil, st.URI), get(sam, st.URI), get(fay, st.URI), get(ned, st.URI)}
				if got != w {
					v.Errorf("%s, %s: nobody, a stranger, a follower, somebody named: %v, want %v", when, visibility, got, w)
				}
			}
		}
		check("open", map[string][4]int{"public": {200, 200, 200, 200}, "unlisted": {200, 200, 200, 200}, "private": {404, 404, 200, 200}, "direct": {404, 404, 404, 200}})
		must(v.T, err1(v.bob.Accounts.Block(v.ctx(), v.account(sam).ID)))
		st := v.says(v.bob, "not for sam")
		if n := get(sam, st.URI); n/100 != 4 {
			v.Errorf("who is blocked is answered %d", n)
		}
		root := v.admin(v.home)
		must(v.T, err1(root.Admin.Config.Set(v.ctx(), ":svc", ":activitypub", []any{map[string]any{"tuple": []any{":authorized_fetch_mode", true}}})))
		check("secure, a stranger blocked", map[string][4]int{"public": {401, 404, 200, 200}, "private": {401, 404, 200, 200}})
		// A signature over the path alone counts where the query is.
		page := v.bob.actor + "/outbox?page=true"
		if got := fay.Get(page); got.Status != 200 {
			v.Errorf("a page signed with its query: %d", got.Status)
		}
		if got := fay.Get(page, peer.Target("/users/"+v.bob.nick+"/outbox")); got.Status != 200 {
			v.Errorf("a page signed without its query: %d", got.Status)
		}
		// Keys must be had without one.
		got := sam.Get(v.bob.actor, peer.Unsigned())
		for _, part := range []string{"publicKeyPem", `"inbox"`, `"outbox"`, `"preferredUsername"`} {
			if got.Status != 200 || !strings.Contains(string(got.Body), part) {
				v.Errorf("unsigned, the actor is %d %s", got.Status, got.Body)
			}
		}
		for _, options := range [][]peer.Option{{peer.WithKey(peer.FreshKey())}, {peer.At(time.Now().Add(-3 * time.Hour))}, {peer.Covering("date")}, {peer.Covering("(request-target)", "date")}} {
			if got := fay.Get(st.URI, options...); got.Status != 401 {
				v.Errorf("a false signature: %d", got.Status)
			}
		}
	})
}

// TestUploadsAreNoDocuments uploads an actor as a file, which must not be served
// as one.
func TestUploadsAreNoDocuments(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		doc := string(v.mallory.Doc().With("id", v.url("/media/x")).JSON())
		file, err := v.bob.Media.Upload(v.ctx(), fileOf("actor.json", doc), api.MediaForm{})
		if err != nil {
			return // refused altogether
		}
		for _, accept := range []string{peer.ActivityJSON, "*/*"} {
			req, err := http.NewRequest(http.MethodGet, file.URL, nil)
			must(v.T, err)
			req.Header.Set("Accept", accept)
			resp, err := http.DefaultClient.Do(req)
			must(v.T, err)
			_ = resp.Body.Close()
			if kind := resp.Header.Get("Content-Type"); strings.Contains(kind, "activity") || strings.Contains(kind, "ld+json") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
				v.Errorf("it is served as %s, %v", kind, resp.Header)
			}
		}
	})
}

// TestActorsBeyondASCIIAreServedBothWays has an actor whose id is no ASCII URI, as its
// documents and signatures have it. Here it is one everywhere.
func TestActorsBeyondASCIIAreServedBothWays(t *testing.T) {
	among(t, func(v *village) {
		ida := v.good.ActorAt("/@ídä/пользователь", "ida")
		uri := v.good.Base() + "/@%C3%ADd%C3%A4/%D0%BF%D0%BE%D0%BB%D1%8C%D0%B7%D0%BE%D0%B2%D0%B0%D1%82%D0%B5%D0%BB%D1%8C"
		v.followsBob(ida)
		follow := v.bob.Accounts.Follow
		there := v.account(ida)
		if *there.Svc.APID != uri || there.Acct != ida.Handle() {
			v.Errorf("she is %s at %s", there.Acct, *there.Svc.APID)
		}
		must(v.T, err1(follow(v.ctx(), there.ID, api.Follow{})))
		v.until("the follow arrives", func() bool { return len(ida.Received("Follow")) == 1 })
		asked := ida.Received("Follow")[0]
		if asked.Text("object") != uri {
			v.Errorf("followed is %s", asked["object"])
		}
		v.send(ida, ida.Accept(asked))
		v.until("the follow is accepted", func() bool { return v.relation(v.bob, ida).Following })
		note := ida.Note("<p>hello</p>")
		said := v.publishes(ida, note)
		if *said.Account.Svc.APID != uri {
			v.Errorf("the author is %s", *said.Account.Svc.APID)
		}
		edited := note.Clone().With("content", "<p>hello again</p>").With("updated", peer.Stamp(time.Now().Add(time.Second)))
		v.send(ida, ida.Update(edited))
		v.until("the edit arrives", func() bool { return strings.Contains(v.known(said.URI).Content, "again") })
		v.send(ida, ida.Update(ida.Edit(func(d peer.Doc) { d["name"] = "Ida" }).Doc()))
		v.until("the profile arrives", func() bool { return v.account(ida).DisplayName == "Ida" })
		v.send(ida, ida.Delete(said.URI))
		v.until("the status is gone", func() bool { return v.known(said.URI) == nil })
	})
}
