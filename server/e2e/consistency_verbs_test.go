package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest/peer"
)

// errRefused is the refusal of an activity.
var errRefused = errors.New("refused")

// do is an act on chosen objects, which may run twice at once.
type do = func(ctx context.Context) error

// A verb chooses its objects and returns the act on them, nil if there are none.
type verb struct {
	weight int
	of     func(c *crowd, r *rand.Rand) do
}

// by is a verb of a person.
func by(weight int, act func(c *crowd, p *citizen, r *rand.Rand) do) verb {
	return verb{weight, func(c *crowd, r *rand.Rand) do { return act(c, c.person(r), r) }}
}

// about is a verb of a person about a status.
func about(weight int, act func(ctx context.Context, p *citizen, s thing) error) verb {
	return by(weight, func(c *crowd, p *citizen, r *rand.Rand) do {
		s, ok := one(c, r, &c.statuses)
		if !ok {
			return nil
		}
		return func(ctx context.Context) error {
			err := act(ctx, p, s)
			if err == nil {
				s := s
				s.by = p
				note(c, &c.deeds, s)
			}
			return err
		}
	})
}

// undoing is a verb of a person about a status to which they did something.
func undoing(weight int, undo func(ctx context.Context, p *citizen, s thing) error) verb {
	return verb{weight, func(c *crowd, r *rand.Rand) do {
		s, ok := one(c, r, &c.deeds)
		if !ok {
			return nil
		}
		return func(ctx context.Context) error { return undo(ctx, s.by, s) }
	}}
}

// owning is a verb of the author of a status.
func owning(weight int, act func(ctx context.Context, p *citizen, s thing) error) verb {
	return about(weight, func(ctx context.Context, p *citizen, s thing) error {
		if s.by != nil {
			p = s.by
		}
		return act(ctx, p, s)
	})
}

// towards is a verb of a person towards an account of any server.
func towards(weight int, act func(ctx context.Context, p *citizen, id string) error) verb {
	return by(weight, func(c *crowd, p *citizen, r *rand.Rand) do {
		id := c.person(r).id
		if r.IntN(3) == 0 {
			id, _ = one(c, r, &c.foreign)
		}
		return func(ctx context.Context) error { return act(ctx, p, id) }
	})
}

// from is a verb of the other server.
func from(weight int, act func(c *crowd, a *peer.Actor, r *rand.Rand) (peer.Doc, bool)) verb {
	return verb{weight, func(c *crowd, r *rand.Rand) do {
		a := c.far.Actor(fmt.Sprint("far", r.IntN(len(c.foreign))))
		doc, ok := act(c, a, r)
		if !ok {
			return nil
		}
		return func(context.Context) error { return c.send(a, doc) }
	}}
}

// fromAuthor is a verb of the author of a note there.
func fromAuthor(weight int, act func(a *peer.Actor, note peer.Doc) peer.Doc) verb {
	return verb{weight, func(c *crowd, r *rand.Rand) do {
		n, ok := one(c, r, &c.notes)
		if !ok {
			return nil
		}
		author := n.Text("attributedTo")
		a := c.far.Actor(author[strings.LastIndex(author, "/")+1:])
		doc := act(a, n)
		return func(context.Context) error { return c.send(a, doc) }
	}}
}

// fromAbout is a verb of the other server about a status, which may be undone.
func fromAbout(weight int, act func(a *peer.Actor, s thing) peer.Doc) verb {
	return from(weight, func(c *crowd, a *peer.Actor, r *rand.Rand) (peer.Doc, bool) {
		s, ok := one(c, r, &c.statuses)
		if !ok {
			return nil, false
		}
		return c.remember(a, act(a, s)), true
	})
}

func (c *crowd) remember(a *peer.Actor, activity peer.Doc) peer.Doc {
	note(c, &c.undoable, undoable{a, activity})
	return activity
}

func (c *crowd) send(by *peer.Actor, doc peer.Doc) error {
	if got := by.Send(c.base+"/inbox", doc); got.Status != http.StatusAccepted {
		return errRefused
	}
	return nil
}

func (c *crowd) person(r *rand.Rand) *citizen {
	p, _ := one(c, r, &c.people)
	return p
}

func (c *crowd) actor(p *citizen) string { return c.base + "/users/" + p.nickname }

// one is any of a list, or the one that many act on now.
func one[T any](c *crowd, r *rand.Rand, list *[]T) (some T, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(*list) == 0 {
		return some, false
	}
	at := r.IntN(2 * len(*list))
	if at >= len(*list) {
		at = int(c.focus.Load()) % len(*list)
	}
	return (*list)[at], true
}

// note remembers something, in the place of the oldest where there are enough.
func note[T any](c *crowd, list *[]T, what T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(*list) < fewThings {
		*list = append(*list, what)
		return
	}
	c.noted++
	(*list)[c.noted%fewThings] = what
}

func (c *crowd) posted(by *citizen, s *api.Status) {
	k := thing{id: s.ID, uri: s.URI, by: by}
	if s.Poll != nil {
		k.poll = s.Poll.ID
	}
	note(c, &c.statuses, k)
}

func (c *crowd) post(p *citizen, r *rand.Rand) do {
	n := c.made.Add(1)
	form := api.NewStatus{Status: fmt.Sprintf("%d #tag%d", n, r.IntN(3))}
	form.Visibility = []string{"public", "public", "public", "unlisted", "private", "private", "local", "direct"}[r.IntN(8)]
	if form.Visibility == "direct" || r.IntN(4) == 0 {
		form.Status += " @" + c.person(r).nickname + " @" + c.far.Actor("far0").Handle()
	}
	if parent, ok := one(c, r, &c.statuses); ok && r.IntN(2) == 0 {
		form.InReplyToID = parent.id
	}
	if r.IntN(8) == 0 {
		hour := api.Int(3600)
		form.Poll = &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: &hour}
	} else if file, ok := one(c, r, &c.files); ok && r.IntN(6) == 0 {
		form.MediaIDs = []string{file}
	}
	var key []client.CallOption
	if r.IntN(2) == 0 {
		key = append(key, client.IdempotencyKey(fmt.Sprint("key", n)))
	}
	return func(ctx context.Context) error {
		s, err := p.Statuses.Post(ctx, form, key...)
		if err == nil {
			c.posted(p, s)
		}
		return err
	}
}

var verbs = map[string]verb{
	"post":        by(30, (*crowd).post),
	"delete":      owning(25, func(ctx context.Context, p *citizen, s thing) error { return err1(p.Statuses.Delete(ctx, s.id)) }),
	"favourite":   about(25, func(ctx context.Context, p *citizen, s thing) error { return err1(p.Statuses.Favourite(ctx, s.id)) }),
	"unfavourite": undoing(20, func(ctx context.Context, p *citizen, s thing) error { return err1(p.Statuses.Unfavourite(ctx, s.id)) }),
	"reblog": about(20, func(ctx context.Context, p *citizen, s thing) error {
		return err1(p.Statuses.Reblog(ctx, s.id, api.NewReblog{}))
	}),
	"unreblog":   undoing(12, func(ctx context.Context, p *citizen, s thing) error { return err1(p.Statuses.Unreblog(ctx, s.id)) }),
	"bookmark":   about(4, func(ctx context.Context, p *citizen, s thing) error { return err1(p.Statuses.Bookmark(ctx, s.id)) }),
	"unbookmark": undoing(2, func(ctx context.Context, p *citizen, s thing) error { return err1(p.Statuses.Unbookmark(ctx, s.id)) }),
	"pin":        owning(8, func(ctx context.Context, p *citizen, s thing) error { return err1(p.Statuses.Pin(ctx, s.id)) }),
	"unpin":      owning(4, func(ctx context.Context, p *citizen, s thing) error { return err1(p.Statuses.Unpin(ctx, s.id)) }),
	"react":      about(10, func(ctx context.Context, p *citizen, s thing) error { return err1(p.Statuses.React(ctx, s.id, "🎉")) }),
	"unreact": undoing(6, func(ctx context.Context, p *citizen, s thing) error {
		return err1(p.Statuses.Unreact(ctx, s.id, "🎉"))
	}),
	"vote": about(10, func(ctx context.Context, p *citizen, s thing) error {
		if s.poll == "" {
			return errRefused
		}
		return err1(p.Polls.Vote(ctx, s.poll, 0))
	}),
	"mute thread": about(3, func(ctx context.Context, p *citizen, s thing) error {
		return err1(p.Statuses.MuteThread(ctx, s.id, api.ThreadMute{}))
	}),
	"follow": towards(25, func(ctx context.Context, p *citizen, id string) error {
		return err1(p.Accounts.Follow(ctx, id, api.Follow{}))
	}),
	"unfollow": towards(12, func(ctx context.Context, p *citizen, id string) error { return err1(p.Accounts.Unfollow(ctx, id)) }),
	"block":    towards(3, func(ctx context.Context, p *citizen, id string) error { return err1(p.Accounts.Block(ctx, id)) }),
	"unblock":  towards(12, func(ctx context.Context, p *citizen, id string) error { return err1(p.Accounts.Unblock(ctx, id)) }),
	"mute": towards(3, func(ctx context.Context, p *citizen, id string) error {
		return err1(p.Accounts.Mute(ctx, id, api.Mute{}))
	}),
	"subscribe": towards(3, func(ctx context.Context, p *citizen, id string) error { return err1(p.Accounts.Subscribe(ctx, id)) }),
	"report": by(2, func(c *crowd, p *citizen, r *rand.Rand) do {
		s, _ := one(c, r, &c.statuses)
		form := api.NewReport{AccountID: c.person(r).id, Comment: "x"}
		if s.id != "" {
			form.StatusIDs = []string{s.id}
		}
		return func(ctx context.Context) error { return err1(p.Reports.Create(ctx, form)) }
	}),
	"list": by(4, func(c *crowd, p *citizen, r *rand.Rand) do {
		other := c.person(r)
		return func(ctx context.Context) error {
			l, err := p.Lists.Create(ctx, api.NewList{Title: "x"})
			if err != nil {
				return err
			}
			note(c, &c.lists, thing{id: l.ID, by: p})
			return p.Lists.Add(ctx, l.ID, other.id)
		}
	}),
	"add to list": {6, func(c *crowd, r *rand.Rand) do {
		l, ok := one(c, r, &c.lists)
		if !ok {
			return nil
		}
		other := c.person(r)
		return func(ctx context.Context) error { return l.by.Lists.Add(ctx, l.id, other.id) }
	}},
	"delete list": {3, func(c *crowd, r *rand.Rand) do {
		l, ok := one(c, r, &c.lists)
		if !ok {
			return nil
		}
		return func(ctx context.Context) error { return l.by.Lists.Delete(ctx, l.id) }
	}},
	"profile": by(3, func(c *crowd, p *citizen, r *rand.Rand) do {
		name := fmt.Sprint("name ", r.IntN(100))
		return func(ctx context.Context) error {
			return err1(p.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: &name, Note: &name}))
		}
	}),
	"upload": by(4, func(c *crowd, p *citizen, r *rand.Rand) do {
		content := fmt.Sprint("file ", r.IntN(4))
		return func(ctx context.Context) error {
			m, err := p.Media.Upload(ctx, fileOf("x.txt", content), api.MediaForm{})
			if err == nil {
				note(c, &c.files, m.ID)
			}
			return err
		}
	}),
	"describe": by(3, func(c *crowd, p *citizen, r *rand.Rand) do {
		id, ok := one(c, r, &c.files)
		if !ok {
			return nil
		}
		text := fmt.Sprint(r.IntN(100))
		return func(ctx context.Context) error {
			return err1(p.Media.Update(ctx, id, api.MediaForm{Description: &text}))
		}
	}),
	"chat": by(8, func(c *crowd, p *citizen, r *rand.Rand) do {
		other := c.person(r)
		return func(ctx context.Context) error {
			chat, err := p.Chats.Open(ctx, other.id)
			if err != nil {
				return err
			}
			m, err := p.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "x"})
			if err == nil {
				note(c, &c.chats, thing{id: chat.ID, uri: m.ID, by: p})
			}
			return err
		}
	}),
	"delete message": by(5, func(c *crowd, p *citizen, r *rand.Rand) do {
		m, ok := one(c, r, &c.chats)
		if !ok {
			return nil
		}
		return func(ctx context.Context) error { return err1(m.by.Chats.Delete(ctx, m.id, m.uri)) }
	}),
	"read": by(6, func(c *crowd, p *citizen, r *rand.Rand) do {
		m, ok := one(c, r, &c.chats)
		if !ok {
			return nil
		}
		return func(ctx context.Context) error {
			return errors.Join(err1(p.Conversations.ReadAll(ctx)), err1(m.by.Chats.Read(ctx, m.id, m.uri)))
		}
	}),
	"look": by(6, func(c *crowd, p *citizen, _ *rand.Rand) do {
		return func(ctx context.Context) error {
			page, err := p.Timelines.Public(api.TimelineQuery{Remote: true}).Page(ctx)
			if err == nil && len(page.Items) > 0 {
				c.posted(nil, &page.Items[0])
			}
			return err
		}
	}),

	"set visibility": {12, func(c *crowd, r *rand.Rand) do {
		s, ok := one(c, r, &c.statuses)
		if !ok {
			return nil
		}
		visibility := []string{"public", "unlisted", "private", "direct"}[r.IntN(4)]
		return func(ctx context.Context) error {
			return err1(c.root.Admin.Statuses.Update(ctx, s.id, api.StatusUpdate{Visibility: &visibility}))
		}
	}},
	"remove": {4, func(c *crowd, r *rand.Rand) do {
		s, ok := one(c, r, &c.statuses)
		if !ok {
			return nil
		}
		return func(ctx context.Context) error { return c.root.Admin.Statuses.Delete(ctx, s.id) }
	}},
	"deactivate": {3, func(c *crowd, r *rand.Rand) do {
		p := c.person(r)
		return func(ctx context.Context) error { return err1(c.root.Admin.Users.Deactivate(ctx, p.nickname)) }
	}},
	"activate": {20, func(c *crowd, r *rand.Rand) do {
		p := c.person(r)
		return func(ctx context.Context) error { return err1(c.root.Admin.Users.Activate(ctx, p.nickname)) }
	}},
	"tag": {2, func(c *crowd, r *rand.Rand) do {
		p, tags := c.person(r), []string{"mrf_tag:force-unlisted"}
		return func(ctx context.Context) error {
			if err := c.root.Admin.Users.Tag(ctx, []string{p.nickname}, tags); err != nil {
				return err
			}
			return c.root.Admin.Users.Untag(ctx, []string{p.nickname}, tags)
		}
	}},
	"promote": {2, func(c *crowd, r *rand.Rand) do {
		p := c.person(r)
		return func(ctx context.Context) error {
			if err := err1(c.root.Admin.Users.AddRole(ctx, "moderator", p.nickname)); err != nil {
				return err
			}
			return err1(c.root.Admin.Users.RemoveRole(ctx, "moderator", p.nickname))
		}
	}},
	"delete account": {1, func(c *crowd, r *rand.Rand) do {
		c.mu.Lock()
		defer c.mu.Unlock()
		i := r.IntN(len(c.people))
		p := c.people[i]
		return func(ctx context.Context) error {
			fresh, err := c.settle()
			if err != nil {
				return err
			}
			c.mu.Lock()
			c.people[i] = fresh
			c.mu.Unlock()
			return err1(c.root.Admin.Users.Delete(ctx, p.nickname))
		}
	}},

	"far note": from(25, func(c *crowd, a *peer.Actor, r *rand.Rand) (peer.Doc, bool) {
		p := c.person(r)
		n := a.Note(fmt.Sprint("note ", c.made.Add(1)))
		switch r.IntN(4) {
		case 0:
			n = n.Mentioning(c.actor(p), p.nickname).To([]string{c.actor(p)}, nil)
		case 1:
			n = n.To([]string{a.Followers()}, []string{c.actor(p)}).Mentioning(c.actor(p), p.nickname)
		}
		if parent, ok := one(c, r, &c.statuses); ok && r.IntN(2) == 0 {
			n["inReplyTo"] = parent.uri
		} else if parent, ok := one(c, r, &c.notes); ok && r.IntN(2) == 0 {
			n["inReplyTo"] = parent.Text("id")
		}
		c.far.Publish(n)
		note(c, &c.notes, n)
		return a.Create(n), true
	}),
	"far question": from(4, func(c *crowd, a *peer.Actor, _ *rand.Rand) (peer.Doc, bool) {
		n := a.Question("which?", inAnHour(), false, "a", "b")
		c.far.Publish(n)
		note(c, &c.notes, n)
		return a.Create(n), true
	}),
	"far edit": fromAuthor(6, func(a *peer.Actor, n peer.Doc) peer.Doc {
		return a.Update(n.With("content", "changed").With("updated", peer.Stamp(time.Now())))
	}),
	"far delete": fromAuthor(12, func(a *peer.Actor, n peer.Doc) peer.Doc { return a.Delete(n.Text("id")) }),
	"far like":   fromAbout(15, func(a *peer.Actor, s thing) peer.Doc { return a.Like(s.uri, a.ID) }),
	"far react": fromAbout(6, func(a *peer.Actor, s thing) peer.Doc {
		return a.Activity("EmojiReact", s.uri).With("content", "🔥").To([]string{peer.Public}, nil)
	}),
	"far announce": fromAbout(12, func(a *peer.Actor, s thing) peer.Doc { return a.Announce(s.uri) }),
	"far follow": from(10, func(c *crowd, a *peer.Actor, r *rand.Rand) (peer.Doc, bool) {
		return c.remember(a, a.Follow(c.actor(c.person(r)))), true
	}),
	"far block": from(2, func(c *crowd, a *peer.Actor, r *rand.Rand) (peer.Doc, bool) {
		target := c.actor(c.person(r))
		return c.remember(a, a.Activity("Block", target).To([]string{target}, nil)), true
	}),
	"far undo": {20, func(c *crowd, r *rand.Rand) do {
		u, ok := one(c, r, &c.undoable)
		if !ok {
			return nil
		}
		undo := u.by.Undo(u.activity)
		return func(context.Context) error { return c.send(u.by, undo) }
	}},
	"far answer": {15, func(c *crowd, r *rand.Rand) do {
		follows := c.far.Received("Follow")
		c.far.Forget()
		if len(follows) == 0 {
			return nil
		}
		f := follows[r.IntN(len(follows))]
		a, answer := c.far.Actor(f.Text("object")[strings.LastIndex(f.Text("object"), "/")+1:]), (*peer.Actor).Accept
		if r.IntN(5) == 0 {
			answer = (*peer.Actor).Reject
		}
		doc := answer(a, f)
		return func(context.Context) error { return c.send(a, doc) }
	}},
	"far chat": from(4, func(c *crowd, a *peer.Actor, r *rand.Rand) (peer.Doc, bool) {
		target := c.actor(c.person(r))
		return a.Activity("Create", a.ChatMessage(target, "x")).To([]string{target}, nil), true
	}),
	"far vote": fromAbout(4, func(a *peer.Actor, s thing) peer.Doc { return a.Vote(s.uri, a.ID, "a") }),
	"far profile": from(3, func(c *crowd, a *peer.Actor, _ *rand.Rand) (peer.Doc, bool) {
		return a.Update(a.Edit(func(d peer.Doc) { d["name"] = fmt.Sprint("name ", c.made.Add(1)) }).Doc()), true
	}),
}
