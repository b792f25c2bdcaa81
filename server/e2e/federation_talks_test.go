package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// tally is how many chose each option.
func tally(p *api.Poll) []int {
	out := []int{}
	for _, o := range p.Options {
		out = append(out, o.VotesCount)
	}
	return out
}

// Row 7: one choice, once.
func polls(s *scene) {
	ann, bob, cat := s.person(s.home, "ann"), s.person(s.away, "bob"), s.person(s.away, "cat")
	s.follow(bob, ann)
	s.follow(cat, ann)
	hour := api.Int(3600)
	st := s.post(ann, api.NewStatus{Status: "which?", Poll: &api.NewPoll{Options: []string{"this", "that"}, ExpiresIn: &hour}})
	got := s.arrives(bob, st.URI)
	if got.Poll == nil || got.Poll.Multiple || got.Poll.Expired || len(got.Poll.Options) != 2 || got.Poll.Options[1].Title != "that" {
		s.Fatalf("away it is %+v", got.Poll)
	}
	if d := got.Poll.ExpiresAt.Sub(st.Poll.ExpiresAt.Time).Abs(); d > time.Second {
		s.Errorf("it ends %s apart", d)
	}
	poll := good(bob.Polls.Vote(s.ctx(), got.Poll.ID, 1))(s)
	if !poll.Voted || !slices.Equal(poll.OwnVotes, []int{1}) {
		s.Errorf("after the vote: %+v", poll)
	}
	home := func() *api.Poll { return good(ann.Polls.Get(s.ctx(), st.Poll.ID))(s) }
	s.until("the vote is counted", func() bool { return slices.Equal(tally(home()), []int{0, 1}) })
	if _, err := bob.Polls.Vote(s.ctx(), got.Poll.ID, 0); err == nil {
		s.Error("somebody votes twice")
	}
	if p := home(); p.VotersCount != 1 || p.VotesCount != 1 {
		s.Errorf("at home %+v", p)
	}
	must(s.T, err1(cat.Polls.Vote(s.ctx(), s.arrives(cat, st.URI).Poll.ID, 0)))
	s.until("both are counted", func() bool { return slices.Equal(tally(home()), []int{1, 1}) })
	// The tally is told of a little later, all at once.
	s.home.Advance(5 * time.Minute)
	s.until("the tally arrives", func() bool {
		return slices.Equal(tally(good(bob.Polls.Get(s.ctx(), got.Poll.ID))(s)), []int{1, 1})
	})
}

// TestPollsEndOnBothServers votes after the end (row 7), which comes without
// waiting: both clocks are set forward.
func TestPollsEndOnBothServers(t *testing.T) {
	t.Parallel()
	servertest.EachPair(t, func(t *testing.T, a, b *servertest.Server) {
		logsOf(t, a, b)
		s := &scene{T: t, home: a, away: b, people: new(atomic.Int64)}
		ann, bob, cat := s.person(a, "ann"), s.person(b, "bob"), s.person(b, "cat")
		s.follow(bob, ann)
		hour := api.Int(3600)
		st := s.post(ann, api.NewStatus{Status: "quick", Poll: &api.NewPoll{Options: []string{"this", "that"}, ExpiresIn: &hour}})
		got := s.arrives(bob, st.URI).Poll
		must(t, err1(bob.Polls.Vote(s.ctx(), got.ID, 1)))
		s.until("the vote is counted", func() bool {
			return slices.Equal(tally(good(ann.Polls.Get(s.ctx(), st.Poll.ID))(s)), []int{0, 1})
		})
		a.Advance(2 * time.Hour)
		b.Advance(2 * time.Hour)
		if _, err := cat.Polls.Vote(s.ctx(), got.ID, 0); err == nil {
			t.Error("somebody votes after the end")
		}
		for who, p := range map[string]*api.Poll{"at home": good(ann.Polls.Get(s.ctx(), st.Poll.ID))(t), "away": good(bob.Polls.Get(s.ctx(), got.ID))(t)} {
			if !p.Expired || !slices.Equal(tally(p), []int{0, 1}) {
				t.Errorf("%s it is %+v", who, p)
			}
		}
	})
}

// Row 7: several choices of one voter are one voter's.
func manyChoices(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	s.follow(bob, ann)
	hour := api.Int(36000)
	st := s.post(ann, api.NewStatus{Status: "which ones?", Poll: &api.NewPoll{Options: []string{"a", "b", "c"}, ExpiresIn: &hour, Multiple: true}})
	got := s.arrives(bob, st.URI)
	if got.Poll == nil || !got.Poll.Multiple {
		s.Fatalf("away it is %+v", got.Poll)
	}
	must(s.T, err1(bob.Polls.Vote(s.ctx(), got.Poll.ID, 0, 2)))
	s.until("both choices are counted", func() bool {
		p := good(ann.Polls.Get(s.ctx(), st.Poll.ID))(s)
		return slices.Equal(tally(p), []int{1, 0, 1}) && p.VotersCount == 1
	})
}

// look opens the stream of a person's chats. The function that it returns reads the
// next chat that is told of.
func (s *scene) look(p *person) func() api.Chat {
	s.Helper()
	conn, _, err := websocket.Dial(s.ctx(), p.at.URL+"/api/v1/streaming?stream=user:svc_chat", &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + p.at.Token(p.nick, servertest.AllScopes)}},
	})
	must(s.T, err)
	s.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	return func() (chat api.Chat) {
		s.Helper()
		ctx, cancel := context.WithTimeout(s.ctx(), time.Minute)
		defer cancel()
		_, text, err := conn.Read(ctx)
		must(s.T, err)
		var e struct{ Event, Payload string }
		must(s.T, json.Unmarshal(text, &e))
		if e.Event != "svc:chat_update" {
			s.Fatalf("told %s", text)
		}
		must(s.T, json.Unmarshal([]byte(e.Payload), &chat))
		return chat
	}
}

// Row 17: messages and their deletion, while both look on: each hears of every change
// once, in its order, with the count that the list of chats has.
func chatting(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	lookers := map[*person]func() api.Chat{ann: s.look(ann), bob: s.look(bob)}
	chats := func(p *person) []api.Chat { return good(p.Chats.List(api.ChatQuery{}).Page(s.ctx()))(s).Items }
	told := func(p *person, what string, unread int, last string) {
		s.Helper()
		got := lookers[p]()
		said := ""
		if got.LastMessage != nil {
			said = *got.LastMessage.Content
		}
		listed := chats(p)
		if got.Unread != unread || said != last || len(listed) != 1 || listed[0].ID != got.ID || listed[0].Unread != unread {
			s.Errorf("%s, %s hears: %d unread, last %q; want %d, %q; listed are %+v", what, p.nick, got.Unread, said, unread, last, listed)
		}
	}
	chat := good(ann.Chats.Open(s.ctx(), s.sees(ann, bob)))(s)
	sent := good(ann.Chats.Send(s.ctx(), chat.ID, api.NewChatMessage{Content: "hello <b>bob</b> & all"}))(s)
	told(ann, "hello was sent", 0, *sent.Content)
	told(bob, "hello came", 1, *sent.Content)
	theirs := chats(bob)[0]
	if theirs.Account.Acct != ann.handle {
		s.Errorf("with %s", theirs.Account.Acct)
	}
	messages := func(p *person, id string) []api.ChatMessage {
		return good(p.Chats.Messages(id, api.PageQuery{}).Page(s.ctx()))(s).Items
	}
	got := messages(bob, theirs.ID)
	if len(got) != 1 || got[0].Content == nil || *got[0].Content != *sent.Content {
		s.Fatalf("bob reads %+v, ann wrote %s", got, *sent.Content)
	}
	must(s.T, err1(bob.Chats.Read(s.ctx(), theirs.ID, got[0].ID)))
	told(bob, "hello was read", 0, *sent.Content)
	must(s.T, err1(bob.Chats.Send(s.ctx(), theirs.ID, api.NewChatMessage{Content: "hello ann"})))
	told(bob, "the answer was sent", 0, "hello ann")
	told(ann, "the answer came", 1, "hello ann")
	must(s.T, err1(ann.Chats.Delete(s.ctx(), chat.ID, sent.ID)))
	told(ann, "hello was deleted", 1, "hello ann")
	told(bob, "hello was deleted", 0, "hello ann")
	if got := messages(bob, theirs.ID); len(got) != 1 || *got[0].Content != "hello ann" {
		s.Errorf("left are %+v", got)
	}
}

// Row 17: an account that accepts no messages gets none, and its server tells
// others so.
func noChats(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	no := api.Bool(false)
	must(s.T, err1(bob.Accounts.UpdateCredentials(s.ctx(), api.UpdateCredentials{AcceptsChatMessages: &no})))
	there := s.home.Find(s, ann.Client, bob.handle)
	if there.Svc.AcceptsChatMessages == nil || *there.Svc.AcceptsChatMessages {
		s.Errorf("it is said that he accepts them: %v", there.Svc.AcceptsChatMessages)
	}
	chat, err := ann.Chats.Open(s.ctx(), there.ID)
	if err == nil {
		_, err = ann.Chats.Send(s.ctx(), chat.ID, api.NewChatMessage{Content: "hello"})
	}
	if client.Status(err)/100 != 4 {
		s.Errorf("a message to somebody who takes none: %v", err)
	}
	if got := good(bob.Chats.List(api.ChatQuery{}).Page(s.ctx()))(s).Items; len(got) != 0 {
		s.Errorf("%d chats", len(got))
	}
}

// Row 10: a report is forwarded to the moderators of its target. They are not
// told its author.
func reportsForwarded(s *scene) {
	ann, bob, root := s.person(s.home, "ann"), s.person(s.away, "bob"), s.admin(s.away)
	s.follow(ann, bob)
	st := s.says(bob, "something bad")
	here := s.arrives(ann, st.URI)
	must(s.T, err1(ann.Reports.Create(s.ctx(), api.NewReport{AccountID: s.sees(ann, bob), StatusIDs: []string{here.ID}, Comment: "look <at> this", Forward: true})))
	var found *api.AdminReport
	s.until("the report is there", func() bool {
		list := good(root.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen}).Page(s.ctx()))(s)
		for _, r := range list.Items {
			if r.Account.ID == bob.id {
				found = &r
			}
		}
		return found != nil
	})
	if found.Content == nil || *found.Content != "look &lt;at&gt; this" || len(found.Statuses) != 1 || found.Statuses[0].ID != st.ID {
		s.Errorf("it says %s of %s, wanted is %s", found.Raw, uris(found.Statuses), st.ID)
	}
	if found.Actor.Acct == ann.handle {
		s.Errorf("it is said to be by %s", found.Actor.Acct)
	}
}
