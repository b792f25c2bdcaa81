package e2e

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/server/servertest/peer"
)

// post is an activity that arrived at a peer, and its inbox.
type post struct {
	At  string
	Doc peer.Doc
}

// posts are the activities about an object that arrived at a peer, in a fixed
// order, each signed by its actor.
func (v *village) posts(p *peer.Peer, about string, types ...string) []post {
	v.Helper()
	var out []post
	for _, r := range p.Posts(types...) {
		if !strings.Contains(string(r.Body), `"`+about+`"`) {
			continue
		}
		if by, err := p.Signer(r); err != nil || by != r.Doc.Text("actor") {
			v.Errorf("signed by %s: %v: %s", by, err, r.Body)
		}
		delete(r.Doc, "@context")
		out = append(out, post{r.URI, r.Doc})
	}
	slices.SortFunc(out, func(a, b post) int { return cmp.Compare(a.At, b.At) })
	return out
}

func list(ids ...string) []string { return append([]string{}, ids...) }

// TestEachVisibilityReachesItsReadersAlone posts in every visibility and
// compares the activities of every peer with the specification.
func TestEachVisibilityReachesItsReadersAlone(t *testing.T) {
	among(t, func(v *village) {
		third, fourth := peer.Start(v, "127.0.0.5"), peer.Start(v, "127.0.0.6")
		fay, flo, ned, lea, sam := v.good.Actor("fay"), v.good.Actor("flo"), v.evil.Actor("ned"), third.Actor("lea"), fourth.Actor("sam")
		v.followsBob(fay)
		v.followsBob(flo)
		v.follows(lea)
		v.account(ned)
		v.account(sam)
		some := good(v.bob.Lists.Create(v.ctx(), api.NewList{Title: "some"}))(v)
		must(v.T, v.bob.Lists.Add(v.ctx(), some.ID, v.account(lea).ID))
		followers, everyone := v.bob.actor+"/followers", peer.Public
		type got struct {
			to, cc []string
			extra  peer.Doc
			at     map[*peer.Peer][]string
		}
		shared, ned1 := []string{"/inbox"}, []string{"/users/ned/inbox"}
		for visibility, want := range map[string]got{
			"public":          {list(everyone, ned.ID), list(followers), nil, map[*peer.Peer][]string{v.good: shared, v.evil: shared}},
			"unlisted":        {list(followers, ned.ID), list(everyone), nil, map[*peer.Peer][]string{v.good: shared, v.evil: shared}},
			"private":         {list(followers, ned.ID), list(), nil, map[*peer.Peer][]string{v.good: shared, v.evil: ned1}},
			"direct":          {list(ned.ID), list(), peer.Doc{"directMessage": true}, map[*peer.Peer][]string{v.evil: ned1}},
			"local":           {},
			"list:" + some.ID: {list(ned.ID), list(), nil, map[*peer.Peer][]string{v.evil: ned1, third: {"/users/lea/inbox"}}},
		} {
			text := "for @" + ned.Handle() + " & others"
			st := good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: text, Visibility: visibility, Language: "en"}))(v)
			marker := v.says(v.bob, "after "+visibility) // reaches the followers
			v.until("what was posted later arrives", func() bool { return len(v.posts(v.good, marker.URI)) == 1 })
			for _, p := range []*peer.Peer{v.good, v.evil, third, fourth} {
				v.until(fmt.Sprintf("%s arrives at %s", visibility, p.Host()), func() bool { return len(v.posts(p, st.URI)) >= len(want.at[p]) })
				all := v.posts(p, st.URI)
				var at []string
				for _, x := range all {
					at = append(at, x.At)
				}
				if !slices.Equal(at, want.at[p]) {
					v.Errorf("%s: %s got it at %v, want %v", visibility, p.Host(), at, want.at[p])
					continue
				}
				for _, x := range all {
					to, cc := want.to, want.cc
					if p == third {
						cc = list(lea.ID) // the members at that host, and no others
					}
					v.comparePost(visibility, st, x.Doc, to, cc, want.extra, peer.Doc{"type": "Mention", "href": ned.ID, "name": "@" + ned.Handle()})
				}
			}
		}
	})
}

// comparePost compares a whole Create with the expected one.
func (v *village) comparePost(visibility string, st *api.Status, create peer.Doc, to, cc []string, extra peer.Doc, mention peer.Doc) {
	v.Helper()
	object := create.Object("object")
	if strings.HasPrefix(visibility, "list:") {
		// How lists are told of is left to the sender, but not the list's members.
		for _, d := range []peer.Doc{create, object} {
			delete(d, "listMessage")
		}
	}
	note := peer.Doc{
		"id": st.URI, "type": "Note", "actor": v.bob.actor, "attributedTo": v.bob.actor, "to": to, "cc": cc, "content": st.Content,
		"contentMap": peer.Doc{"en": st.Content}, "summary": nil, "sensitive": false, "inReplyTo": nil, "url": st.URL,
		"source": peer.Doc{"content": object.Text("source", "content"), "mediaType": "text/plain"}, "published": object.Text("published"),
		"context": object.Text("context"), "conversation": object.Text("context"), "attachment": []any{}, "tag": []peer.Doc{mention},
		"likes": peer.Doc{"type": "Collection", "totalItems": 0}, "shares": peer.Doc{"type": "Collection", "totalItems": 0},
	}
	want := peer.Doc{"id": create.Text("id"), "type": "Create", "actor": v.bob.actor, "published": object.Text("published"), "to": to, "cc": cc,
		"context": object.Text("context"), "object": note}
	for k, x := range extra {
		want[k] = x
	}
	for _, k := range []string{"replies", "directMessage", "interactionPolicy"} { // where a server offers them
		delete(object, k)
	}
	if d := gocmp.Diff(want.Clone(), create.Clone()); d != "" {
		v.Errorf("%s: want, got: %s", visibility, d)
	}
	if id := create.Text("id"); !strings.HasPrefix(id, v.url("/activities/")) {
		v.Errorf("the activity is %s", id)
	}
	if !strings.HasPrefix(object.Text("context"), v.url("/contexts/")) {
		v.Errorf("the context is %s", object.Text("context"))
	}
}

// TestActsGoToWhomTheyConcern does everything that others are told of, and
// compares where it arrives and how it is addressed.
func TestActsGoToWhomTheyConcern(t *testing.T) {
	among(t, func(v *village) {
		fay := v.evil.Actor("fay")
		follow := v.followsBob(fay)
		v.follows(v.vera)
		hers := v.publishes(v.vera, v.vera.Note("<p>hers</p>"))
		poll := v.publishes(v.vera, v.vera.Question("<p>which?</p>", inAnHour(), true, "this", "that"))
		me, followers, everyone := v.bob.actor, v.bob.actor+"/followers", peer.Public
		// expect waits for one activity at a peer's, and compares it.
		expect := func(what string, p *peer.Peer, at string, want peer.Doc) peer.Doc {
			v.Helper()
			var found *post
			var all []post
			v.until(what+" arrives at "+at, func() bool {
				all = v.posts(p, me, want.Text("type"))
				for _, x := range all {
					if x.At == at {
						found = &x
					}
				}
				return found != nil
			})
			for _, k := range []string{"id", "published", "context"} {
				if want[k] == nil {
					if k != "context" && found.Doc[k] == nil {
						v.Errorf("%s has no %s", what, k)
					}
					delete(found.Doc, k)
				}
			}
			if d := gocmp.Diff(want.Clone(), found.Doc.Clone()); d != "" {
				v.Errorf("%s: want, got: %s", what, d)
			}
			p.Forget()
			return found.Doc
		}
		vera, fays := "/users/vera/inbox", "/users/fay/inbox"
		// The handshake.
		v.until("an Accept arrives", func() bool { return len(fay.Received("Accept")) == 1 })
		accept := fay.Received("Accept")[0]
		inner := peer.Doc{"id": follow["id"], "type": "Follow", "actor": fay.ID, "object": me}
		if d := gocmp.Diff(inner.Clone(), accept.Object("object").Clone()); d != "" {
			v.Errorf("the accepted follow: %s", d)
		}
		if d := gocmp.Diff([]string{fay.ID}, accept.Texts("to")); d != "" {
			v.Errorf("the Accept is to %s", d)
		}
		ourFollow := v.vera.Received("Follow")[0]
		v.good.Forget()
		v.evil.Forget()

		must(v.T, err1(v.bob.Statuses.Favourite(v.ctx(), hers.ID)))
		expect("a like", v.good, vera, peer.Doc{"type": "Like", "actor": me, "object": hers.URI, "to": list(v.vera.ID), "cc": list()})
		must(v.T, err1(v.bob.Statuses.Unfavourite(v.ctx(), hers.ID)))
		undo := func(kind string, to, cc []string, extra peer.Doc) peer.Doc {
			object := peer.Doc{"type": kind, "actor": me, "object": hers.URI}
			for k, x := range extra {
				object[k] = x
			}
			return peer.Doc{"type": "Undo", "actor": me, "to": to, "cc": cc, "object": object}
		}
		v.undone(v.good, vera, undo("Like", list(v.vera.ID), list(), nil))
		must(v.T, err1(v.bob.Statuses.React(v.ctx(), hers.ID, "☕")))
		expect("a reaction", v.good, vera, peer.Doc{"type": "EmojiReact", "actor": me, "object": hers.URI, "content": "☕", "to": list(v.vera.ID), "cc": list()})
		must(v.T, err1(v.bob.Statuses.Unreact(v.ctx(), hers.ID, "☕")))
		v.undone(v.good, vera, undo("EmojiReact", list(v.vera.ID), list(), peer.Doc{"content": "☕"}))

		must(v.T, err1(v.bob.Statuses.Reblog(v.ctx(), hers.ID, api.NewReblog{})))
		v.until("a boost arrives at both", func() bool { return len(v.good.Received("Announce")) > 0 && len(v.evil.Received("Announce")) > 0 })
		for _, p := range []*peer.Peer{v.good, v.evil} {
			all := p.Received("Announce")
			to := all[0].Texts("to")
			to = append(to, all[0].Texts("cc")...)
			slices.Sort(to)
			want := list(followers, v.vera.ID, everyone)
			slices.Sort(want)
			if len(all) != 1 || all[0].Text("object") != hers.URI || !slices.Equal(to, want) {
				v.Errorf("%s got %v", p.Host(), all)
			}
		}
		must(v.T, err1(v.bob.Statuses.Unreblog(v.ctx(), hers.ID)))
		v.until("the boost is undone at both", func() bool { return len(v.good.Received("Undo")) > 0 && len(v.evil.Received("Undo")) > 0 })
		if got := v.evil.Received("Undo")[0].Object("object"); got.Text("type") != "Announce" || got.Text("object") != hers.URI || got.Text("actor") != me {
			v.Errorf("undone is %v", got)
		}
		v.good.Forget()
		v.evil.Forget()

		must(v.T, err1(v.bob.Polls.Vote(v.ctx(), poll.Poll.ID, 0, 1)))
		v.until("two votes arrive", func() bool { return len(v.good.Received("Create")) == 2 })
		names := []string{}
		for _, c := range v.vera.Received("Create") {
			o := c.Object("object")
			names = append(names, o.Text("name"))
			if d := gocmp.Diff(peer.Doc{"id": o["id"], "type": "Note", "name": o["name"], "attributedTo": me, "inReplyTo": poll.URI, "to": list(v.vera.ID)}.Clone(), lacking(o, "actor", "published", "cc", "@context")); d != "" {
				v.Errorf("a vote: %s", d)
			}
			if !slices.Equal(c.Texts("to"), list(v.vera.ID)) {
				v.Errorf("a vote is to %v", c.Texts("to"))
			}
		}
		slices.Sort(names)
		if !slices.Equal(names, []string{"that", "this"}) {
			v.Errorf("voted for %v", names)
		}
		v.good.Forget()

		st := v.says(v.bob, "pinned and deleted")
		must(v.T, err1(v.bob.Statuses.Pin(v.ctx(), st.ID)))
		expect("a pin", v.evil, "/inbox", peer.Doc{"type": "Add", "actor": me, "object": st.URI, "target": me + "/collections/featured", "to": list(everyone), "cc": list(followers)})
		must(v.T, err1(v.bob.Statuses.Unpin(v.ctx(), st.ID)))
		expect("an unpin", v.evil, "/inbox", peer.Doc{"type": "Remove", "actor": me, "object": st.URI, "target": me + "/collections/featured", "to": list(everyone), "cc": list(followers)})
		must(v.T, err1(v.bob.Statuses.Delete(v.ctx(), st.ID)))
		v.until("a deletion arrives", func() bool { return len(v.evil.Received("Delete")) == 1 })
		d := v.evil.Received("Delete")[0]
		if o := d.Object("object"); o.Text("id") != st.URI || o.Text("type") != "Tombstone" || !slices.Equal(d.Texts("to"), list(everyone)) || !slices.Equal(d.Texts("cc"), list(followers)) {
			v.Errorf("the deletion is %v", d)
		}
		if got := fay.Get(st.URI); got.Status != 410 {
			v.Errorf("the deleted post is answered %d", got.Status)
		}
		v.evil.Forget()

		there := v.account(v.vera)
		must(v.T, err1(v.bob.Accounts.Unfollow(v.ctx(), there.ID)))
		v.undone(v.good, vera, peer.Doc{"type": "Undo", "actor": me, "to": list(v.vera.ID), "cc": list(), "object": peer.Doc{"type": "Follow", "id": ourFollow["id"], "actor": me, "object": v.vera.ID}})
		must(v.T, err1(v.bob.Accounts.Block(v.ctx(), v.account(fay).ID)))
		expect("a block", v.evil, fays, peer.Doc{"type": "Block", "actor": me, "object": fay.ID, "to": list(fay.ID), "cc": list()})
		must(v.T, err1(v.bob.Reports.Create(v.ctx(), api.NewReport{AccountID: there.ID, StatusIDs: []string{hers.ID}, Comment: "bad", Forward: true})))
		v.until("a report arrives", func() bool { return len(v.vera.Received("Flag")) == 1 })
		flag := v.vera.Received("Flag")[0]
		if flag.Text("actor") != v.url("/internal/fetch") || flag.Text("content") != "bad" || !slices.Equal(flag.Texts("object"), list(v.vera.ID, hers.URI)) || !slices.Equal(flag.Texts("to"), list(v.vera.ID)) {
			v.Errorf("the report is %v", flag)
		}
		if strings.Contains(string(flag.JSON()), v.bob.nick) {
			v.Error("the report says who made it")
		}
	})
}

// lacking is a copy without some keys.
func lacking(d peer.Doc, keys ...string) peer.Doc {
	out := d.Clone()
	for _, k := range keys {
		delete(out, k)
	}
	return out
}

// undone waits for an Undo at a peer's, and compares the embedded activity.
func (v *village) undone(p *peer.Peer, at string, want peer.Doc) {
	v.Helper()
	v.until("an Undo arrives", func() bool { return len(p.Received("Undo")) > 0 })
	all := p.Posts("Undo")
	got := lacking(all[0].Doc, "@context", "id", "published", "context")
	inner := lacking(got.Object("object"), "@context", "published", "to", "cc", "context")
	if want.Object("object")["id"] == nil {
		if inner.Text("id") == "" {
			v.Error("what is undone has no id")
		}
		delete(inner, "id")
	}
	got["object"] = inner
	if d := gocmp.Diff(want.Clone(), got.Clone()); d != "" || all[0].URI != at {
		v.Errorf("undone at %s: %s", all[0].URI, d)
	}
	p.Forget()
}

// TestHiddenRecipientsStayHidden posts to lists and looks through all that was
// ever sent and served (bto and bcc).
func TestHiddenRecipientsStayHidden(t *testing.T) {
	among(t, func(v *village) {
		third := peer.Start(v, "127.0.0.5")
		lea, leo := v.good.Actor("lea"), third.Actor("leo")
		v.follows(lea)
		v.follows(leo)
		some := good(v.bob.Lists.Create(v.ctx(), api.NewList{Title: "secret title"}))(v)
		must(v.T, v.bob.Lists.Add(v.ctx(), some.ID, v.account(lea).ID, v.account(leo).ID))
		st := good(v.bob.Statuses.Post(v.ctx(), api.NewStatus{Status: "for some", Visibility: "list:" + some.ID}))(v)
		for _, a := range []*peer.Actor{lea, leo} {
			v.until("it arrives at "+a.ID, func() bool { return len(a.Received("Create")) == 1 })
		}
		for who, other := range map[*peer.Actor]*peer.Actor{lea: leo, leo: lea} {
			for _, r := range who.Peer.Posts() {
				if body := string(r.Body); strings.Contains(body, other.ID) && r.Doc.Text("type") == "Create" {
					v.Errorf("%s is told of %s: %s", who.ID, other.ID, body)
				}
			}
			got := who.Get(st.URI)
			if strings.Contains(string(got.Body), other.ID) {
				v.Errorf("%s is served %s", who.ID, got.Body)
			}
		}
		for _, p := range []*peer.Peer{v.good, third} {
			for _, r := range p.Posts() {
				for _, word := range []string{`"bcc"`, `"bto"`, "secret title"} {
					if strings.Contains(string(r.Body), word) {
						v.Errorf("%s is sent: %s", word, r.Body)
					}
				}
			}
		}
	})
}
