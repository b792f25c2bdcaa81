package db

import (
	"context"
	"slices"
)

// FavouriteByURI returns the favourite with this activity id.
func (d *DB) FavouriteByURI(ctx context.Context, uri string) (*Favourite, error) {
	return one[Favourite](ctx, d, "favourite "+uri, "SELECT * FROM favourites WHERE uri = ? AND uri <> ''", uri)
}

// ReactionByURI returns the reaction with this activity id.
func (d *DB) ReactionByURI(ctx context.Context, uri string) (*EmojiReaction, error) {
	return one[EmojiReaction](ctx, d, "reaction "+uri, "SELECT * FROM emoji_reactions WHERE uri = ? AND uri <> ''", uri)
}

// ChatMessageByURI returns the chat message with this id.
func (d *DB) ChatMessageByURI(ctx context.Context, uri string) (*ChatMessage, error) {
	return one[ChatMessage](ctx, d, "chat message "+uri, "SELECT * FROM chat_messages WHERE uri = ?", uri)
}

// TakeVote counts a remote account's vote for one option of p, with the id of
// the vote, and reports whether it counts: an account votes once for each
// option, and once at all unless p is Multiple. The status of p must be held,
// see HoldStatus; its version changes.
func (d *DB) TakeVote(ctx context.Context, p *Poll, accountID string, choice int, uri string) (bool, error) {
	votes, err := d.OwnVotes(ctx, accountID, []int64{p.ID})
	if err != nil {
		return false, err
	}
	own := votes[p.ID]
	if slices.Contains(own, choice) || len(own) > 0 && !p.Multiple {
		return false, nil
	}
	if _, err := d.exec(ctx, "take vote", "INSERT INTO poll_votes (poll_id, account_id, choice, uri, created_at) VALUES (?, ?, ?, ?, ?)",
		p.ID, accountID, choice, uri, d.Now()); err != nil {
		return false, err
	}
	p.Options[choice].Votes++
	if len(own) == 0 {
		p.VotersCount++
	}
	if _, err := d.exec(ctx, "count votes", "UPDATE polls SET options = ?, voters_count = ? WHERE id = ?", p.Options, p.VotersCount, p.ID); err != nil {
		return false, err
	}
	return true, d.TouchStatus(ctx, p.StatusID)
}

// PinnedIDs returns the statuses pinned by an account.
func (d *DB) PinnedIDs(ctx context.Context, accountID string) ([]string, error) {
	return list[string](ctx, d, "pinned statuses of "+accountID, "SELECT id FROM statuses WHERE account_id = ? AND pinned_at IS NOT NULL ORDER BY id", accountID)
}
