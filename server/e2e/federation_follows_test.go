package e2e

import (
	"strings"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
)

func TestPeopleOfTwoServersFindAndFollowEachOther(t *testing.T) {
	t.Parallel()
	between(t, map[string]func(*scene){
		"discovery":            discovery,
		"an open account":      followOpen,
		"a locked account":     followLocked,
		"a request taken back": followCancelled,
		"a profile":            profile,
		"blocks":               blocks,
		"a domain block":       domainBlock,
	})
}

// Rows 1: every form of an account's address leads to it, and an unknown
// address to none.
func discovery(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	for _, name := range []string{ann.handle, "@" + ann.handle, strings.ToUpper(ann.nick) + "@" + s.home.Host(), ann.actor, s.home.Base() + "/@" + ann.nick} {
		if got := s.away.Find(s, bob.Client, name); got.Acct != ann.handle || *got.Svc.APID != ann.actor {
			s.Errorf("%s finds %s, %v", name, got.Acct, *got.Svc.APID)
		}
	}
	for _, name := range []string{s.home.Handle("nobody"), s.home.Actor("nobody")} {
		found := good(bob.Search.Find(s.ctx(), api.SearchQuery{Q: name, Resolve: true}))(s)
		if len(found.Accounts)+len(found.Statuses) != 0 {
			s.Errorf("%s finds %+v", name, found)
		}
	}
	home := s.home.Anonymous()
	for _, resource := range []string{"acct:" + ann.handle, ann.handle, "@" + ann.handle, ann.actor, s.home.Base() + "/@" + ann.nick} {
		if got := good(home.Instance.WebFinger(s.ctx(), resource))(s); got.Subject != "acct:"+ann.handle {
			s.Errorf("%s is %s", resource, got.Subject)
		}
	}
	for resource, status := range map[string]int{"acct:nobody@" + s.home.Host(): 404, "acct:" + ann.nick + "@elsewhere.example": 404, "": 400} {
		if _, err := home.Instance.WebFinger(s.ctx(), resource); client.Status(err) != status {
			s.Errorf("webfinger of %q: %v, want %d", resource, err, status)
		}
	}
	if info := good(home.Instance.NodeInfo(s.ctx()))(s); len(info.Protocols) != 1 || info.Protocols[0] != "activitypub" {
		s.Errorf("protocols %v", info.Protocols)
	}
	s.away.Advance(2 * time.Minute) // documents of servers are cached for a while
	s.until("the server is known", func() bool {
		return contains(good(s.away.Anonymous().Instance.Peers(s.ctx()))(s), s.home.Host())
	})
}

func contains(list []string, text string) bool {
	for _, x := range list {
		if x == text {
			return true
		}
	}
	return false
}

// Row 2: following, twice, and no longer.
func followOpen(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	s.follow(ann, bob)
	must(s.T, err1(ann.Accounts.Follow(s.ctx(), s.sees(ann, bob), api.Follow{})))
	if got := s.tells(bob, "follow", 1)[0]; got.Account.Acct != ann.handle {
		s.Errorf("told of %s", got.Account.Acct)
	}
	them := good(bob.Accounts.Get(s.ctx(), bob.id))(s)
	if them.FollowersCount != 1 {
		s.Errorf("%d followers", them.FollowersCount)
	}
	list := good(bob.Accounts.Followers(bob.id, api.AccountQuery{}).Page(s.ctx()))(s).Items
	if len(list) != 1 || list[0].Acct != ann.handle {
		s.Errorf("followers %+v", list)
	}
	must(s.T, err1(ann.Accounts.Unfollow(s.ctx(), s.sees(ann, bob))))
	s.until("nobody follows", func() bool { return !s.rel(bob, ann).FollowedBy })
	if them = good(bob.Accounts.Get(s.ctx(), bob.id))(s); them.FollowersCount != 0 {
		s.Errorf("%d followers are left", them.FollowersCount)
	}
	s.follow(ann, bob)
}

// lock makes an account ask before it is followed.
func (s *scene) lock(p *person) {
	s.Helper()
	yes := api.Bool(true)
	must(s.T, err1(p.Accounts.UpdateCredentials(s.ctx(), api.UpdateCredentials{Locked: &yes})))
}

// decide answers the request of somebody to follow p.
func (s *scene) decide(p, somebody *person, verdict string) {
	s.Helper()
	_, err := p.Do(s.ctx(), client.Request{Method: "POST", Path: "/api/v1/follow_requests/" + s.sees(p, somebody) + "/" + verdict}, nil)
	must(s.T, err)
}

// asks waits until a request to follow p stands there.
func (s *scene) asks(p, somebody *person) {
	s.Helper()
	s.until(somebody.nick+" asks", func() bool { return s.asked(p, somebody) })
}

func (s *scene) asked(p, somebody *person) bool {
	s.Helper()
	var list []api.Account
	_, err := p.Do(s.ctx(), client.Request{Method: "GET", Path: "/api/v1/follow_requests"}, &list)
	must(s.T, err)
	for _, a := range list {
		if a.Acct == somebody.handle {
			return true
		}
	}
	return false
}

// Row 2: a follow request is refused, repeated, accepted, and removed.
func followLocked(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	s.lock(bob)
	must(s.T, err1(ann.Accounts.Follow(s.ctx(), s.sees(ann, bob), api.Follow{})))
	s.asks(bob, ann)
	if got := s.rel(ann, bob); !got.Requested || got.Following {
		s.Errorf("before the answer: %+v", got)
	}
	s.decide(bob, ann, "reject")
	s.until("the request is refused", func() bool { return !s.rel(ann, bob).Requested })
	if got := s.rel(ann, bob); got.Following {
		s.Errorf("after the refusal: %+v", got)
	}
	must(s.T, err1(ann.Accounts.Follow(s.ctx(), s.sees(ann, bob), api.Follow{})))
	s.asks(bob, ann)
	s.decide(bob, ann, "authorize")
	s.until("the request is granted", func() bool { return s.rel(ann, bob).Following })
	if got := s.rel(bob, ann); !got.FollowedBy {
		s.Errorf("after the grant: %+v", got)
	}
	private := s.post(bob, api.NewStatus{Status: "for followers", Visibility: "private"})
	s.arrives(ann, private.URI)
	// A block takes the follower away, and unblocking does not bring them back.
	must(s.T, err1(bob.Accounts.Block(s.ctx(), s.sees(bob, ann))))
	must(s.T, err1(bob.Accounts.Unblock(s.ctx(), s.sees(bob, ann))))
	s.until("ann is no follower any more", func() bool { return !s.rel(ann, bob).Following })
	later := s.post(bob, api.NewStatus{Status: "for followers again", Visibility: "private"})
	public := s.says(ann, "hello @"+bob.handle)
	s.tells(bob, "mention", 1)
	if byURI(s.timeline(ann), later.URI) != nil {
		s.Errorf("somebody who was a follower gets %s", later.URI)
	}
	_ = public
}

// Row 2: a request that is taken back is gone.
func followCancelled(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	s.lock(bob)
	must(s.T, err1(ann.Accounts.Follow(s.ctx(), s.sees(ann, bob), api.Follow{})))
	s.asks(bob, ann)
	must(s.T, err1(ann.Accounts.Unfollow(s.ctx(), s.sees(ann, bob))))
	s.until("the request is gone", func() bool { return !s.asked(bob, ann) })
	if got := s.rel(ann, bob); got.Requested || got.Following {
		s.Errorf("%+v", got)
	}
}

// Row 12: a profile is the same away, and follows its changes.
func profile(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	s.follow(bob, ann)
	name, note, yes := "Ann <script>", "I write **things** & more", api.Bool(true)
	must(s.T, err1(ann.Accounts.UpdateCredentials(s.ctx(), api.UpdateCredentials{DisplayName: &name, Note: &note, Locked: &yes, Bot: &yes,
		FieldsAttributes: []api.SourceField{{Name: "Where", Value: "at home"}}})))
	mine := good(ann.Accounts.Get(s.ctx(), ann.id))(s)
	var got *api.Account
	s.home.Advance(2 * time.Minute) // changes are sent after a pause
	s.until("the name arrives", func() bool {
		got = good(bob.Accounts.Get(s.ctx(), s.sees(bob, ann)))(s)
		return got.DisplayName == mine.DisplayName
	})
	if got.Note != mine.Note || !got.Locked || !got.Bot || len(got.Fields) != 1 || got.Fields[0].Name != "Where" || got.Fields[0].Value != mine.Fields[0].Value {
		s.Errorf("away it is %+v, at home %+v", got, mine)
	}
}

// Row 9: a blocked account loses its follow, and cannot follow again.
func blocks(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	s.follow(bob, ann)
	s.follow(ann, bob)
	must(s.T, err1(ann.Accounts.Block(s.ctx(), s.sees(ann, bob))))
	s.until("bob knows that he is blocked", func() bool {
		r := s.rel(bob, ann)
		return r.BlockedBy && !r.Following && !r.FollowedBy
	})
	if r := s.rel(ann, bob); !r.Blocking || r.Following || r.FollowedBy {
		s.Errorf("at home %+v", r)
	}
	must(s.T, err1(ann.Accounts.Unblock(s.ctx(), s.sees(ann, bob))))
	s.until("bob knows that he is free", func() bool { return !s.rel(bob, ann).BlockedBy })
	s.follow(bob, ann)
}

// Row 9: a user's domain block hides that domain from them alone.
func domainBlock(s *scene) {
	ann, bob, cat := s.person(s.home, "ann"), s.person(s.away, "bob"), s.person(s.away, "cat")
	must(s.T, bob.DomainBlocks.Block(s.ctx(), s.home.Host()))
	st := s.says(ann, "to @"+bob.handle+" and @"+cat.handle)
	s.tells(cat, "mention", 1)
	if got := s.notified(bob, "mention"); len(got) != 0 {
		s.Errorf("told of %s", got[0].Status.URI)
	}
	must(s.T, bob.DomainBlocks.Unblock(s.ctx(), s.home.Host()))
	if s.away.FindStatus(s, bob.Client, st.URI).Account.Acct != ann.handle {
		s.Error("unblocking does not show it")
	}
}
