package e2e

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

func TestPostsReachTheOtherServerAsTheyAre(t *testing.T) {
	t.Parallel()
	between(t, map[string]func(*scene){
		"visibilities": visibilities,
		"a full post":  fullPost,
		"threads":      threads,
		"acts":         acts,
		"boosts":       boosts,
		"deletions":    deletions,
		"pins":         pins,
		"polls":        polls,
		"many choices": manyChoices,
		"chats":        chatting,
		"no chats":     noChats,
		"reports":      reportsForwarded,
	})
}

// readable reports whether p may read a status at their own server.
func (s *scene) readable(p *person, uri string) bool {
	s.Helper()
	found := good(p.Search.Find(s.ctx(), api.SearchQuery{Q: uri, Type: "statuses", Resolve: true}))(s)
	return len(found.Statuses) == 1
}

// Row 3: the servers that get a status, and its addressing.
func visibilities(s *scene) {
	ann := s.person(s.home, "ann")
	fay, ned, lea, sam := s.person(s.away, "fay"), s.person(s.away, "ned"), s.person(s.away, "lea"), s.person(s.away, "sam")
	s.follow(fay, ann)
	s.follow(ann, lea)
	list := good(ann.Lists.Create(s.ctx(), api.NewList{Title: "some"}))(s)
	must(s.T, ann.Lists.Add(s.ctx(), list.ID, s.sees(ann, lea)))
	want := []struct {
		visibility, as string // at home, and away
		reads          []*person
		home           []*person // readers with it on their home timelines
		told           bool      // ned
	}{
		{"public", "public", []*person{fay, ned, lea, sam}, []*person{fay, ned}, true},
		{"unlisted", "unlisted", []*person{fay, ned, lea, sam}, []*person{fay, ned}, true},
		{"private", "private", []*person{fay, ned}, []*person{fay, ned}, true},
		{"direct", "direct", []*person{ned}, []*person{ned}, true},
		{"list:" + list.ID, "", []*person{lea, ned}, []*person{lea, ned}, true},
		{"local", "", nil, nil, false},
	}
	mentions := 0
	uris := make([]string, len(want))
	for i, w := range want {
		st := s.post(ann, api.NewStatus{Status: "so " + w.visibility + " for @" + ned.handle, Visibility: w.visibility})
		uris[i] = st.URI
		if w.told {
			mentions++
		}
	}
	last := s.says(ann, "the end") // when this is there, so is all before
	s.arrives(fay, last.URI)
	for _, n := range s.tells(ned, "mention", mentions) {
		i := slices.Index(uris, n.Status.URI)
		if i < 0 || want[i].as != "" && n.Status.Visibility != want[i].as {
			s.Errorf("ned is told of %s, %s", n.Status.Content, n.Status.Visibility)
		}
	}
	for i, w := range want {
		for _, p := range []*person{fay, ned, lea, sam} {
			if got := s.readable(p, uris[i]); got != slices.Contains(w.reads, p) {
				s.Errorf("%s: %s may read it: %t", w.visibility, p.nick, got)
			}
			if got := byURI(s.timeline(p), uris[i]); (got != nil) != slices.Contains(w.home, p) {
				s.Errorf("%s: on the timeline of %s: %t", w.visibility, p.nick, got != nil)
			} else if got != nil && w.as != "" && got.Visibility != w.as {
				s.Errorf("%s is %s", w.visibility, got.Visibility)
			}
		}
	}
	// The timeline of the whole known network shows public statuses only.
	public := good(sam.Timelines.Public(api.TimelineQuery{Remote: true, PageQuery: api.PageQuery{Limit: 40}}).Page(s.ctx()))(s).Items
	for i, w := range want {
		if got := byURI(public, uris[i]) != nil; got != (w.visibility == "public") {
			s.Errorf("%s: on the federated timeline: %t", w.visibility, got)
		}
	}
}

func picture() []byte { return pictureOf(30) }

// pictureOf is a picture of this height, another file for each.
func pictureOf(height int) []byte {
	var buf bytes.Buffer
	if err := png.Encode(&buf, image.NewRGBA(image.Rect(0, 0, 40, height))); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

// Row 3: all that can be in a post.
func fullPost(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	s.follow(bob, ann)
	text := "a grey picture"
	file := good(ann.Media.Upload(s.ctx(), client.File{Name: "grey.png", Content: bytes.NewReader(picture())}, api.MediaForm{Description: &text}))(s)
	st := s.post(ann, api.NewStatus{
		Status: "look @" + bob.handle + ", **this** is #Nice & so is https://example.org/x?a=1&b=2", SpoilerText: "careful & slow", Sensitive: new(api.Bool(true)),
		Language: "nl", ContentType: "text/markdown", MediaIDs: []string{file.ID},
	})
	got := s.arrives(bob, st.URI)
	type seen struct {
		Plain, Warning, WarningPlain, Language string
		Sensitive                              bool
		Tags, Mentions                         []string
		Description, Type                      string
	}
	of := func(st *api.Status) seen {
		out := seen{Plain: content(st), Warning: st.SpoilerText, WarningPlain: st.Svc.SpoilerText.Plain, Sensitive: st.Sensitive}
		if st.Language != nil {
			out.Language = *st.Language
		}
		for _, tag := range st.Tags {
			out.Tags = append(out.Tags, strings.ToLower(tag.Name))
		}
		for _, m := range st.Mentions {
			out.Mentions = append(out.Mentions, m.URL)
		}
		for _, m := range st.MediaAttachments {
			out.Type = m.Type
			if m.Description != nil {
				out.Description = *m.Description
			}
		}
		return out
	}
	if diff := cmp.Diff(of(st), of(got)); diff != "" {
		s.Errorf("at home, away: %s", diff)
	}
	for _, part := range []string{"<strong>this</strong>", `class="u-url mention"`, `rel="tag`, "https://example.org/x?a=1&amp;b=2"} {
		if !strings.Contains(got.Content, part) {
			s.Errorf("%s is not in %s", part, got.Content)
		}
	}
	if tagged := good(bob.Timelines.Tag("nice", api.TagTimelineQuery{}).Page(s.ctx()))(s).Items; byURI(tagged, st.URI) == nil {
		s.Error("the tag's timeline does not show it")
	}
	if len(got.Mentions) != 1 || got.Mentions[0].ID != bob.id {
		s.Errorf("mentions %+v", got.Mentions)
	}
}

// Row 4: a reply brings its parent.
func threads(s *scene) {
	eve, ann, bob := s.person(s.home, "eve"), s.person(s.home, "ann"), s.person(s.away, "bob")
	s.follow(bob, ann)
	root := s.says(eve, "the root")
	middle := s.post(eve, api.NewStatus{Status: "the middle", InReplyToID: root.ID})
	reply := s.post(ann, api.NewStatus{Status: "a reply", InReplyToID: middle.ID})
	var got *api.Status
	s.until("the reply arrives", func() bool {
		got = byURI(good(bob.Accounts.Statuses(s.sees(bob, ann), api.AccountStatusQuery{}).Page(s.ctx()))(s).Items, reply.URI)
		return got != nil
	})
	s.until("its parents arrive", func() bool {
		all := good(bob.Statuses.Context(s.ctx(), got.ID))(s)
		return slices.Equal(uris(all.Ancestors), []string{root.URI, middle.URI})
	})
	// Bob answers at their own server; at home it joins the thread.
	answer := s.post(bob, api.NewStatus{Status: "an answer @" + ann.handle, InReplyToID: got.ID})
	told := s.tells(ann, "mention", 1)[0]
	if told.Status.URI != answer.URI || told.Status.InReplyToID == nil || *told.Status.InReplyToID != reply.ID {
		s.Errorf("told of %s in reply to %v", told.Status.URI, told.Status.InReplyToID)
	}
	all := good(eve.Statuses.Context(s.ctx(), root.ID))(s)
	if diff := cmp.Diff([]string{middle.URI, reply.URI, answer.URI}, uris(all.Descendants)); diff != "" {
		s.Error(diff)
	}
	if st := good(ann.Statuses.Get(s.ctx(), reply.ID))(s); st.RepliesCount != 1 {
		s.Errorf("%d replies are counted", st.RepliesCount)
	}
}

func uris(list []api.Status) []string {
	out := []string{}
	for _, st := range list {
		out = append(out, st.URI)
	}
	return out
}

// Row 5: likes and reactions are counted and told of where they were meant to
// go, and undone.
func acts(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	s.follow(ann, bob)
	st := s.says(bob, "like me")
	here := s.arrives(ann, st.URI)
	count := func() (likes int, reactions []api.EmojiReaction) {
		got := good(bob.Statuses.Get(s.ctx(), st.ID))(s)
		return got.FavouritesCount, got.Svc.EmojiReactions
	}
	must(s.T, err1(ann.Statuses.Favourite(s.ctx(), here.ID)))
	must(s.T, err1(ann.Statuses.React(s.ctx(), here.ID, "☕")))
	s.until("both are counted", func() bool { n, r := count(); return n == 1 && len(r) == 1 && r[0].Name == "☕" && r[0].Count == 1 })
	if got := s.tells(bob, "favourite", 1)[0]; got.Account.Acct != ann.handle || got.Status.ID != st.ID {
		s.Errorf("told of %s", got.Account.Acct)
	}
	if got := s.tells(bob, "svc:emoji_reaction", 1)[0]; got.Account.Acct != ann.handle || got.Emoji != "☕" {
		s.Errorf("told of %s by %s", got.Emoji, got.Account.Acct)
	}
	by := good(bob.Statuses.FavouritedBy(st.ID, api.PageQuery{}).Page(s.ctx()))(s).Items
	if len(by) != 1 || by[0].Acct != ann.handle {
		s.Errorf("favourited by %+v", by)
	}
	must(s.T, err1(ann.Statuses.Unfavourite(s.ctx(), here.ID)))
	must(s.T, err1(ann.Statuses.Unreact(s.ctx(), here.ID, "☕")))
	s.until("both are undone", func() bool { n, r := count(); return n == 0 && len(r) == 0 })
}

// Row 5: a reblog is counted, notified, shown to the followers of its author,
// and undone; others cannot reblog a private status.
func boosts(s *scene) {
	ann, bob, fay := s.person(s.home, "ann"), s.person(s.away, "bob"), s.person(s.away, "fay")
	s.follow(ann, bob)
	s.follow(fay, ann)
	st := s.says(bob, "boost me")
	private := s.post(bob, api.NewStatus{Status: "do not", Visibility: "private"})
	here := s.arrives(ann, st.URI)
	must(s.T, err1(ann.Statuses.Reblog(s.ctx(), here.ID, api.NewReblog{})))
	if got := s.tells(bob, "reblog", 1)[0]; got.Account.Acct != ann.handle || got.Status.ID != st.ID {
		s.Errorf("told of %s", got.Account.Acct)
	}
	boosted := func(p *person) bool {
		return slices.ContainsFunc(s.timeline(p), func(got api.Status) bool {
			return got.Reblog != nil && got.Reblog.URI == st.URI && got.Account.Acct == ann.handle
		})
	}
	s.until("it is shown to a follower", func() bool { return boosted(fay) })
	if got := good(bob.Statuses.Get(s.ctx(), st.ID))(s); got.ReblogsCount != 1 {
		s.Errorf("%d boosts", got.ReblogsCount)
	}
	must(s.T, err1(ann.Statuses.Unreblog(s.ctx(), here.ID)))
	s.until("it is undone", func() bool { return good(bob.Statuses.Get(s.ctx(), st.ID))(s).ReblogsCount == 0 && !boosted(fay) })
	hidden := s.arrives(ann, private.URI)
	if _, err := ann.Statuses.Reblog(s.ctx(), hidden.ID, api.NewReblog{}); err == nil {
		s.Error("a private post is boosted by another")
	}
}

// Row 6: a deleted status is gone on both sides, and answered with a Tombstone.
func deletions(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	s.follow(bob, ann)
	st, kept := s.says(ann, "soon gone"), s.says(ann, "kept")
	got := s.arrives(bob, st.URI)
	s.arrives(bob, kept.URI)
	must(s.T, err1(ann.Statuses.Delete(s.ctx(), st.ID)))
	s.until("it is gone", func() bool {
		_, err := bob.Statuses.Get(s.ctx(), got.ID)
		return errors.Is(err, client.ErrNotFound)
	})
	if list := s.timeline(bob); byURI(list, st.URI) != nil || byURI(list, kept.URI) == nil {
		s.Errorf("the timeline shows %v", uris(list))
	}
	// The account follows.
	there := s.sees(bob, ann)
	must(s.T, ann.Security.DeleteAccount(s.ctx(), servertest.Password))
	s.until("what he wrote is gone", func() bool { return byURI(s.timeline(bob), kept.URI) == nil })
	s.until("nobody follows him", func() bool {
		list := good(bob.Accounts.Following(bob.id, api.AccountQuery{}).Page(s.ctx()))(s).Items
		return len(list) == 0
	})
	_ = there
}

// Row 8: pins are seen away.
func pins(s *scene) {
	ann, bob := s.person(s.home, "ann"), s.person(s.away, "bob")
	s.follow(bob, ann)
	st := s.says(ann, "pinned")
	s.arrives(bob, st.URI)
	pinned := func() []string {
		return uris(good(bob.Accounts.Statuses(s.sees(bob, ann), api.AccountStatusQuery{Pinned: true}).Page(s.ctx()))(s).Items)
	}
	must(s.T, err1(ann.Statuses.Pin(s.ctx(), st.ID)))
	s.until("it is pinned", func() bool { return slices.Equal(pinned(), []string{st.URI}) })
	must(s.T, err1(ann.Statuses.Unpin(s.ctx(), st.ID)))
	s.until("it is not pinned", func() bool { return len(pinned()) == 0 })
}
