package db

import "context"

// Related is the rows of other tables that belong to a page of statuses, for
// rendering them as documents.
type Related struct {
	Others  map[string]Status // parents and reblogged statuses, of any visibility
	Files   map[string][]MediaAttachment
	Polls   map[int64]*Poll
	Threads map[int64]string
}

// RelatedTo returns the rows that belong to these statuses, in one statement
// for each kind that occurs.
func (d *DB) RelatedTo(ctx context.Context, rows []Status) (*Related, error) {
	b := &Related{Others: map[string]Status{}, Files: map[string][]MediaAttachment{}}
	var withFiles, others []string
	var polls, threads []int64
	for i := range rows {
		r := &rows[i]
		if r.HasMedia {
			withFiles = append(withFiles, r.ID)
		}
		for _, other := range []*string{r.ReblogOfID, r.InReplyToID} {
			if other != nil {
				others = append(others, *other)
			}
		}
		if r.PollID != nil {
			polls = append(polls, *r.PollID)
		}
		if r.ConversationID != nil {
			threads = append(threads, *r.ConversationID)
		}
	}
	known, err := d.StatusesByID(ctx, others)
	if err != nil {
		return nil, err
	}
	for _, o := range known {
		b.Others[o.ID] = o
		if o.ConversationID != nil {
			threads = append(threads, *o.ConversationID)
		}
	}
	files, err := d.Attachments(ctx, withFiles)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		b.Files[*f.StatusID] = append(b.Files[*f.StatusID], f)
	}
	if b.Polls, err = d.Polls(ctx, polls); err != nil {
		return nil, err
	}
	b.Threads, err = d.ConversationURIs(ctx, threads)
	return b, err
}

// URI returns the ActivityPub id of another status; empty if unknown.
func (b *Related) URI(id *string) string {
	if id != nil {
		if s, ok := b.Others[*id]; ok && s.URI != nil {
			return *s.URI
		}
	}
	return ""
}

// Thread returns the URI of a status's conversation, or of the reblogged
// status's; empty if there is none.
func (b *Related) Thread(s *Status) string {
	if s.ReblogOfID != nil {
		of := b.Others[*s.ReblogOfID]
		s = &of
	}
	if s.ConversationID == nil {
		return ""
	}
	return b.Threads[*s.ConversationID]
}

// Poll returns the poll of a status, or nil.
func (b *Related) Poll(s *Status) *Poll {
	if s.PollID == nil {
		return nil
	}
	return b.Polls[*s.PollID]
}
