package view

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/klauspost/compress/s2"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/hosts"
	"svc/server/platform/rights"
	"svc/server/platform/text"
	"svc/server/rules/auth"
)

// Viewer returns the caller as queries of statuses know them.
func (v *View) Viewer(id *auth.Identity) db.Viewer {
	if id == nil || id.Account == nil {
		s := v.settings.Load()
		return db.Viewer{
			NoLocal: s.Restricts(s.Restrict.ActivitiesLocal), NoRemote: s.Restricts(s.Restrict.ActivitiesRemote),
			NoLocalAccounts: s.Restricts(s.Restrict.ProfilesLocal), NoRemoteAccounts: s.Restricts(s.Restrict.ProfilesRemote),
		}
	}
	return db.Viewer{
		ID: id.Account.ID, Relations: id.Relations, Reports: v.rights.Check(id.Account, rights.Reports) == nil,
		SignUps: v.rights.Check(id.Account, rights.UsersRead) == nil,
	}
}

// Status renders the status with this id, ErrNotFound when the viewer may not
// see it.
func (v *View) Status(ctx context.Context, viewer *auth.Identity, id string) (json.RawMessage, error) {
	all, err := v.StatusesByID(ctx, viewer, []string{id})
	if err != nil {
		return nil, err
	}
	raw, ok := all[id]
	if !ok {
		return nil, fmt.Errorf("status %s: %w", id, db.ErrNotFound)
	}
	return raw, nil
}

// Posted renders a status for its author, just after it was posted. The
// relation of a reply or direct status to its thread is read. The rest comes
// from its row, without a statement if there are no files, poll or card.
func (v *View) Posted(ctx context.Context, id *auth.Identity, s *db.Status) (json.RawMessage, error) {
	viewer := v.Viewer(id)
	if s.Author == nil || s.Author.MovedTo != "" {
		return v.FullStatus(ctx, viewer, s.ID)
	}
	if err := v.renderRows(ctx, []db.Status{*s}, map[string]*statusJSON{}); err != nil {
		return nil, err
	}
	if _, err := v.accountJSON(s.Author, nil); err != nil {
		return nil, err
	}
	if s.InReplyToID != nil || s.Visibility == db.Direct {
		return v.FullStatus(ctx, viewer, s.ID)
	}
	all, err := v.byID(ctx, []db.StatusRef{{ID: s.ID, Version: s.Version, AccountID: s.AccountID, AccountVersion: s.Author.Version, Viewer: &viewer}})
	if err == nil && all[s.ID] == nil {
		err = fmt.Errorf("status %s: %w", s.ID, db.ErrNotFound)
	}
	return all[s.ID], err
}

// StatusesByID renders those of ids that the viewer may see.
func (v *View) StatusesByID(ctx context.Context, viewer *auth.Identity, ids []string) (map[string]json.RawMessage, error) {
	refs, err := v.db.StatusRefs(ctx, v.Viewer(viewer), ids)
	if err != nil {
		return nil, err
	}
	return v.byID(ctx, refs)
}

// byID renders refs, by their ids. Deleted statuses are left out.
func (v *View) byID(ctx context.Context, refs []db.StatusRef) (map[string]json.RawMessage, error) {
	p, err := v.prepare(ctx, refs)
	if err != nil {
		return nil, err
	}
	out := make(map[string]json.RawMessage, len(refs))
	var buf bytes.Buffer
	buf.Grow(p.size)
	for i := range refs {
		start := buf.Len()
		if p.write(&buf, &refs[i]) {
			out[refs[i].ID] = buf.Bytes()[start:buf.Len():buf.Len()]
		} else {
			buf.Truncate(start)
		}
	}
	return out, nil
}

// Statuses renders refs as an array, in their order. A status deleted since the
// refs were read is left out. The caller may Release the page once it is sent.
func (v *View) Statuses(ctx context.Context, refs []db.StatusRef) (json.RawMessage, error) {
	p, err := v.prepare(ctx, refs)
	if err != nil {
		return nil, err
	}
	out := v.page(2 + p.size)
	p.writeList(out, refs)
	return out.Bytes(), nil
}

// Context renders the context of a status, like two Statuses.
func (v *View) Context(ctx context.Context, ancestors, descendants []db.StatusRef) (json.RawMessage, error) {
	p, err := v.prepare(ctx, slices.Concat(ancestors, descendants))
	if err != nil {
		return nil, err
	}
	out := v.page(64 + p.size)
	out.WriteString(`{"ancestors":`)
	p.writeList(out, ancestors)
	out.WriteString(`,"descendants":`)
	p.writeList(out, descendants)
	out.WriteByte('}')
	return out.Bytes(), nil
}

// page is an empty buffer with room for size bytes, one that was given back
// where there is one.
func (v *View) page(size int) *bytes.Buffer {
	kept, _ := v.pages.Get().([]byte)
	out := bytes.NewBuffer(kept)
	out.Grow(size)
	return out
}

// maxKeptPage is the largest page that Release keeps, in bytes.
const maxKeptPage = 256 << 10

// Release returns the memory of a page that was rendered here, for the next
// one. Pages are most of the memory that a busy server allocates. The page must
// not be used afterwards.
func (v *View) Release(page json.RawMessage) {
	if cap(page) <= maxKeptPage {
		v.pages.Put([]byte(page[:0])) //nolint:staticcheck // a slice's header is nothing beside the page
	}
}

// prepared is all that a page's refs are made of.
type prepared struct {
	statuses map[string]*statusJSON
	accounts map[string][]byte
	size     int
	dict     *s2.Dict
	scratch  [2][]byte // the status unpacked last, and a reblog around it
	own      own
	filtered map[string][]byte // by ref; most have none
	quotes   quotes
}

// prepare finds the pieces of a page: a fixed number of statements for those
// that are not cached, and for the viewer's votes, reactions and filters. If everything
// is cached and no status has a poll or reactions, it takes none.
func (v *View) prepare(ctx context.Context, refs []db.StatusRef) (*prepared, error) {
	return v.prepareWith(ctx, refs, true)
}

// prepareWith is prepare; the statuses that others quote are prepared with whole, and else
// only looked up.
func (v *View) prepareWith(ctx context.Context, refs []db.StatusRef, whole bool) (*prepared, error) {
	cache := v.cache()
	p := &prepared{statuses: make(map[string]*statusJSON, len(refs)), dict: v.dict}
	accounts := make(map[string]int64, len(refs))
	var missing []string
	want := func(id string, version int64, account string, accountVersion int64) {
		accounts[account] = accountVersion
		if kept, ok := cache.statuses.Get(id); ok && kept.version >= version {
			p.statuses[id] = kept
		} else {
			missing = append(missing, id)
		}
	}
	for i := range refs {
		r := &refs[i]
		want(r.ID, r.Version, r.AccountID, r.AccountVersion)
		if r.ReblogOfID != "" {
			want(r.ReblogOfID, r.ReblogVersion, r.ReblogAccountID, r.ReblogAuthorVer)
		}
	}
	if err := v.render(ctx, missing, p.statuses); err != nil {
		return nil, err
	}
	var err error
	if p.accounts, err = v.accountsOf(ctx, accounts); err != nil {
		return nil, err
	}
	if p.own, err = v.ownOf(ctx, refs, p.statuses); err != nil {
		return nil, err
	}
	if p.filtered, err = v.filteredOf(ctx, refs); err != nil {
		return nil, err
	}
	if p.quotes, err = v.quotesOf(ctx, refs, p.statuses, whole); err != nil {
		return nil, err
	}
	longest := 0
	for _, s := range p.statuses {
		n := s.size()
		p.size += n + 2048
		longest = max(longest, n)
	}
	p.scratch[0] = make([]byte, 0, longest)
	return p, nil
}

// writeList writes refs as an array, without those of which a piece is gone.
func (p *prepared) writeList(out *bytes.Buffer, refs []db.StatusRef) {
	out.WriteByte('[')
	first := out.Len()
	for i := range refs {
		mark := out.Len()
		if mark > first {
			out.WriteByte(',')
		}
		if !p.write(out, &refs[i]) {
			out.Truncate(mark)
		}
	}
	out.WriteByte(']')
}

// write puts a ref's status together; false when a piece is gone.
func (p *prepared) write(out *bytes.Buffer, r *db.StatusRef) bool {
	return p.writeFiltered(out, r, p.filtered[r.ID])
}

// writeFiltered writes the field filtered as it is given; a reblog has it in both its
// parts.
func (p *prepared) writeFiltered(out *bytes.Buffer, r *db.StatusRef, filtered []byte) bool {
	s, account := p.statuses[r.ID], p.accounts[r.AccountID]
	if s == nil || account == nil {
		return false
	}
	// A reblog is still needed while the status inside it is written.
	scratch := &p.scratch[0]
	if s.reblog {
		scratch = &p.scratch[1]
	}
	parts, ok := s.unpack(p.dict, scratch)
	if !ok {
		return false
	}
	if s.reblog {
		return p.writeReblog(out, parts, account, r, filtered)
	}
	out.Write(parts[0])
	out.Write(account)
	out.Write(parts[1])
	out.WriteString(`"poll":`)
	p.writePoll(out, r, s.extras)
	out.WriteString(`,"quote":`)
	p.writeQuote(out, r, s.extras)
	out.WriteByte(',')
	writeFlags(out, r, r.Muted)
	out.Write(parts[2])
	writeResults(out, filtered)
	out.Write(parts[3])
	p.writeSvc(out, r, s.extras)
	out.Write(parts[4])
	return true
}

func (p *prepared) writeReblog(out *bytes.Buffer, parts [5][]byte, account []byte, r *db.StatusRef, filtered []byte) bool {
	inner := *r
	inner.ID, inner.AccountID, inner.ReblogOfID = r.ReblogOfID, r.ReblogAccountID, ""
	if of := p.statuses[inner.ID]; of == nil || of.reblog {
		return false
	}
	out.Write(parts[0])
	out.Write(account)
	out.Write(parts[1])
	if !p.writeFiltered(out, &inner, filtered) {
		return false
	}
	out.Write(parts[2])
	writeFlags(out, r, false)
	out.Write(parts[3])
	writeResults(out, filtered)
	out.Write(parts[4])
	return true
}

func writeResults(out *bytes.Buffer, filtered []byte) {
	if filtered == nil {
		filtered = []byte("[]")
	}
	out.Write(filtered)
}

func writeFlags(out *bytes.Buffer, r *db.StatusRef, muted bool) {
	writeBool(out, `"favourited":`, r.Favourited)
	writeBool(out, `,"reblogged":`, r.Reblogged)
	writeBool(out, `,"muted":`, muted)
	writeBool(out, `,"bookmarked":`, r.Bookmarked)
	out.WriteByte(',')
}

// writeSvc writes the end of svc: the fields that depend on the viewer.
func (p *prepared) writeSvc(out *bytes.Buffer, r *db.StatusRef, a *extras) {
	out.WriteString(`"direct_conversation_id":`)
	if r.DirectConversationID == 0 {
		out.WriteString("null")
	} else {
		out.WriteString(itoa(r.DirectConversationID))
	}
	out.WriteString(`,"expires_at":`)
	p.writeExpiry(out, r, a)
	out.WriteString(`,"emoji_reactions":`)
	p.writeReactions(out, r, a)
	writeBool(out, `,"thread_muted":`, r.ThreadMuted)
	writeBool(out, `,"parent_visible":`, r.ParentVisible)
}

func writeBool(out *bytes.Buffer, name string, b bool) {
	out.WriteString(name)
	if b {
		out.WriteString("true")
	} else {
		out.WriteString("false")
	}
}

// render makes the statuses with these ids (up to 6 statements) and keeps them.
func (v *View) render(ctx context.Context, ids []string, into map[string]*statusJSON) error {
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	rows, err := v.db.StatusesByID(ctx, slices.Compact(ids))
	if err != nil {
		return err
	}
	return v.renderRows(ctx, rows, into)
}

// renderRows is render for rows at hand (up to 5 statements).
func (v *View) renderRows(ctx context.Context, rows []db.Status, into map[string]*statusJSON) error {
	cache := v.cache()
	made, err := v.statusesOf(ctx, rows)
	if err != nil {
		return err
	}
	polls, err := v.polls(ctx, rows)
	if err != nil {
		return err
	}
	for i := range rows {
		if made[i].ID == "" {
			continue
		}
		s, err := cutStatus(rows[i].Version, &made[i], v.dict)
		if err != nil {
			return fmt.Errorf("status %s: %w", rows[i].ID, err)
		}
		if rows[i].ReblogOfID == nil {
			s.extras = v.extrasOf(&rows[i], polls)
		}
		cache.statuses.Add(rows[i].ID, s)
		into[rows[i].ID] = s
	}
	return nil
}

// statusesOf renders rows without account and viewer, in up to 4 statements. What reblogs
// a row that is gone or cannot be read is left empty.
func (v *View) statusesOf(ctx context.Context, rows []db.Status) ([]api.Status, error) {
	var withMedia, parents, reblogged []string
	for i := range rows {
		if id := rows[i].InReplyToAccountID; id != nil {
			parents = append(parents, *id)
		}
		if id := rows[i].ReblogOfID; id != nil {
			reblogged = append(reblogged, *id)
		}
	}
	originals, err := v.originals(ctx, reblogged)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].HasMedia {
			withMedia = append(withMedia, rows[i].ID)
		}
	}
	for id, s := range originals {
		if s.HasMedia {
			withMedia = append(withMedia, id)
		}
	}
	files, err := v.db.Attachments(ctx, withMedia)
	if err != nil {
		return nil, err
	}
	attachments := map[string]api.List[api.Attachment]{}
	for i := range files {
		attachments[*files[i].StatusID] = append(attachments[*files[i].StatusID], v.Attachment(&files[i]))
	}
	names, err := v.db.Nicknames(ctx, parents)
	if err != nil {
		return nil, err
	}
	cards, err := v.cards(ctx, rows)
	if err != nil {
		return nil, err
	}
	out := make([]api.Status, len(rows))
	for i := range rows {
		if of := rows[i].ReblogOfID; of != nil {
			if originals[*of] != nil {
				out[i] = v.reblog(&rows[i], originals[*of], attachments)
			}
			continue
		}
		out[i] = v.post(&rows[i], attachments[rows[i].ID], names)
		if id := rows[i].CardID; id != nil {
			out[i].Card = v.card(cards[*id])
		}
	}
	return out, nil
}

func (v *View) originals(ctx context.Context, ids []string) (map[string]*db.Status, error) {
	rows, err := v.db.StatusesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*db.Status, len(rows))
	for i := range rows {
		out[rows[i].ID] = &rows[i]
	}
	return out, nil
}

func (v *View) post(s *db.Status, files api.List[api.Attachment], names map[string]string) api.Status {
	out := api.Status{
		ID: s.ID, URL: hosts.URI(s.URL), InReplyToID: s.InReplyToID, InReplyToAccountID: s.InReplyToAccountID,
		Content: v.content(s), CreatedAt: api.Time{Time: s.CreatedAt.Time}, EditedAt: api.At(s.EditedAt.Time),
		ReblogsCount: int(s.ReblogsCount), RepliesCount: int(s.RepliesCount), FavouritesCount: int(s.FavouritesCount),
		Sensitive: s.Sensitive, SpoilerText: s.SpoilerText, Visibility: s.Visibility, MediaAttachments: files,
		Mentions: mentions(s.Mentions), Tags: v.tags(s.Tags), Emojis: v.emojis(s.Emojis),
		Language: optional(text.Language(s.Language)), Pinned: !s.PinnedAt.IsZero(),
		Svc: api.StatusSvc{
			Local: s.Local, ConversationID: s.ConversationID,
			Content: api.PlainText{Plain: text.Plain(s.Content)}, SpoilerText: api.PlainText{Plain: s.SpoilerText},
		},
	}
	if s.URI != nil {
		out.URI = *s.URI
	}
	if out.URL == "" {
		out.URL = out.URI
	}
	if s.ApplicationName != "" {
		out.Application = &api.Application{Name: s.ApplicationName, Website: optional(s.ApplicationWebsite)}
	}
	if s.InReplyToAccountID != nil {
		out.Svc.InReplyToAccountAcct = optional(names[*s.InReplyToAccountID])
	}
	return out
}

// content is the HTML of s as the settings have it now.
func (v *View) content(s *db.Status) string {
	if s.Local {
		return v.settings.Texts().Again(s.Content)
	}
	return v.settings.Texts().Sanitize(s.Content)
}

// reblog is the wrapper around a reblogged status: its content, tags and media are
// copied, counts are zero, and uri and url are the reblogged object's id.
func (v *View) reblog(s, of *db.Status, attachments map[string]api.List[api.Attachment]) api.Status {
	out := api.Status{
		ID: s.ID, CreatedAt: api.Time{Time: s.CreatedAt.Time}, Visibility: s.Visibility,
		Reblog: &api.Status{}, Svc: api.StatusSvc{Local: s.Local},
	}
	if of.URI != nil {
		out.URI, out.URL = *of.URI, *of.URI
	}
	out.InReplyToID, out.InReplyToAccountID = of.InReplyToID, of.InReplyToAccountID
	out.Content, out.Language = v.content(of), optional(text.Language(of.Language))
	out.Mentions, out.Tags, out.Emojis = mentions(of.Mentions), v.tags(of.Tags), v.emojis(of.Emojis)
	out.MediaAttachments = attachments[of.ID]
	return out
}

func mentions(rows []db.Mention) api.List[api.Mention] {
	out := make(api.List[api.Mention], 0, len(rows))
	for _, m := range rows {
		out = append(out, api.Mention{ID: m.ID, Username: m.Username, URL: hosts.URI(m.URL), Acct: m.Acct})
	}
	return out
}

func (v *View) tags(names []string) api.List[api.Tag] {
	out := make(api.List[api.Tag], 0, len(names))
	for _, name := range names {
		out = append(out, api.Tag{Name: name, URL: v.base + "/tag/" + hosts.URI(name)})
	}
	return out
}
