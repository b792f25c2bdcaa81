package view

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/text"
	"svc/server/rules/auth"
)

// extras are the parts of a status that few have and that differ by viewer: a poll,
// reactions, an expiry, a quote.
type extras struct {
	quote     string // what it quotes
	stamped   bool   // with a permission
	poll      *db.Poll
	emojis    api.List[api.Emoji] // in the poll's options
	reactions []db.ReactionCount
	expires   db.Time
}

// extrasOf is nil for a status that has nothing of the kind.
func (v *View) extrasOf(s *db.Status, polls map[int64]*db.Poll) *extras {
	expires := s.ExpiresAt
	if !s.PinnedAt.IsZero() {
		expires = db.Time{} // it outlives its end
	}
	if s.PollID == nil && len(s.Reactions) == 0 && expires.IsZero() && s.QuoteURI == "" {
		return nil
	}
	a := &extras{reactions: s.Reactions, expires: expires, quote: s.QuoteURI, stamped: s.QuoteStamped}
	if s.PollID != nil && polls[*s.PollID] != nil {
		a.poll = polls[*s.PollID]
		a.emojis = v.pollEmojis(s, a.poll)
	}
	return a
}

// polls reads the polls of rows, if there are any.
func (v *View) polls(ctx context.Context, rows []db.Status) (map[int64]*db.Poll, error) {
	var ids []int64
	for i := range rows {
		if id := rows[i].PollID; id != nil {
			ids = append(ids, *id)
		}
	}
	return v.db.Polls(ctx, ids)
}

// pollEmojis are those custom emoji of s that its poll's options use.
func (v *View) pollEmojis(s *db.Status, p *db.Poll) api.List[api.Emoji] {
	titles := make([]string, len(p.Options))
	for i, o := range p.Options {
		titles[i] = o.Title
	}
	byCode := make(map[string]db.Emoji, len(s.Emojis))
	for _, e := range s.Emojis {
		byCode[e.Shortcode] = e
	}
	var used []db.Emoji
	for _, code := range text.Emojis(strings.Join(titles, "\n"), func(code string) bool { _, ok := byCode[code]; return ok }) {
		used = append(used, byCode[code])
	}
	return v.emojis(used)
}

// own holds the votes and reactions of the viewer of a page.
type own struct {
	viewer    string // "" for strangers
	votes     map[int64][]int
	reactions map[string]db.OwnReactions
	now       db.Time
}

// ownOf reads the viewer's votes and reactions of those refs with a poll or
// reactions, in up to 3 statements; none if there are no such refs.
func (v *View) ownOf(ctx context.Context, refs []db.StatusRef, statuses map[string]*statusJSON) (own, error) {
	var o own
	var polls []int64
	var reacted []string
	for id, s := range statuses {
		if s.extras == nil {
			continue
		}
		if s.extras.poll != nil {
			polls = append(polls, s.extras.poll.ID)
		}
		if len(s.extras.reactions) > 0 {
			reacted = append(reacted, id)
		}
	}
	if len(polls) > 0 {
		o.now = v.db.Now()
	}
	if len(refs) == 0 || refs[0].Viewer == nil || refs[0].Viewer.ID == "" {
		return o, nil
	}
	o.viewer = refs[0].Viewer.ID
	var err error
	if o.votes, err = v.db.OwnVotes(ctx, o.viewer, polls); err != nil {
		return o, err
	}
	o.reactions, err = v.db.OwnReactions(ctx, *refs[0].Viewer, reacted)
	return o, err
}

func (p *prepared) writePoll(out *bytes.Buffer, r *db.StatusRef, a *extras) {
	if a == nil || a.poll == nil {
		out.WriteString("null")
		return
	}
	author := p.own.viewer != "" && p.own.viewer == r.AccountID
	raw, err := json.Marshal(poll(a.poll, a.emojis, author, p.own.votes[a.poll.ID], p.own.now))
	if err != nil { // numbers, texts and times always can be written
		raw = []byte("null")
	}
	out.Write(raw)
}

func (p *prepared) writeExpiry(out *bytes.Buffer, r *db.StatusRef, a *extras) {
	if a == nil || a.expires.IsZero() || p.own.viewer == "" || p.own.viewer != r.AccountID {
		out.WriteString("null")
		return
	}
	out.WriteByte('"')
	out.WriteString(api.Time{Time: a.expires.Time}.String())
	out.WriteByte('"')
}

func (p *prepared) writeReactions(out *bytes.Buffer, r *db.StatusRef, a *extras) {
	if a == nil || len(a.reactions) == 0 {
		out.WriteString("[]")
		return
	}
	raw, err := json.Marshal(reactions(a.reactions, p.own.reactions[r.ID]))
	if err != nil {
		raw = []byte("[]")
	}
	out.Write(raw)
}

// reactions are the counts as the viewer sees them.
func reactions(counts []db.ReactionCount, o db.OwnReactions) api.List[api.EmojiReaction] {
	out := make(api.List[api.EmojiReaction], 0, len(counts))
	for _, c := range counts {
		if n := c.Count - o.Unseen[c.Emoji]; n > 0 {
			out = append(out, api.EmojiReaction{Name: c.Emoji, Count: n, Me: o.Mine[c.Emoji]})
		}
	}
	return out
}

func poll(p *db.Poll, emojis api.List[api.Emoji], author bool, votes []int, now db.Time) api.Poll {
	out := api.Poll{
		ID: itoa(p.ID), ExpiresAt: api.At(p.ExpiresAt.Time), Expired: p.Closed(now), Multiple: p.Multiple,
		VotersCount: p.VotersCount, Voted: author || len(votes) > 0, OwnVotes: votes, Emojis: emojis,
	}
	for _, o := range p.Options {
		out.Options = append(out.Options, api.PollOption{Title: o.Title, VotesCount: o.Votes})
		out.VotesCount += o.Votes
	}
	return out
}

// Poll renders the poll of s for a viewer (1 statement, none for strangers).
func (v *View) Poll(ctx context.Context, viewer *auth.Identity, s *db.Status, p *db.Poll) (api.Poll, error) {
	me := ""
	if a := auth.AccountOf(viewer); a != nil {
		me = a.ID
	}
	votes, err := v.db.OwnVotes(ctx, me, []int64{p.ID})
	return poll(p, v.pollEmojis(s, p), me == s.AccountID, votes[p.ID], v.db.Now()), err
}

// Reactions renders the accounts that reacted to a status: counts in their
// order, with the known accounts of who (up to 3 statements, more for accounts
// that are not cached).
func (v *View) Reactions(ctx context.Context, viewer db.Viewer, statusID string, counts []db.ReactionCount, who map[string][]db.AccountRef) (json.RawMessage, error) {
	all, err := v.db.OwnReactions(ctx, viewer, []string{statusID})
	if err != nil {
		return nil, err
	}
	versions := map[string]int64{}
	for _, refs := range who {
		for _, r := range refs {
			versions[r.ID] = r.Version
		}
	}
	accounts, err := v.accountsOf(ctx, versions)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.WriteByte('[')
	for _, r := range reactions(counts, all[statusID]) {
		raw, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.Write(raw[:len(raw)-1])
		out.WriteString(`,"accounts":[`)
		first := true
		for _, by := range who[r.Name] {
			account := accounts[by.ID]
			if account == nil {
				continue
			}
			if !first {
				out.WriteByte(',')
			}
			first = false
			out.Write(account)
		}
		out.WriteString(`]}`)
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}
