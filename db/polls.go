package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Poll is the poll of a status.
type Poll struct {
	ID          int64 `gorm:"primaryKey;autoIncrement"`
	StatusID    string
	Multiple    bool
	Options     Slice[PollOption]
	VotersCount int
	ExpiresAt   Time // zero is never
	CreatedAt   Time `gorm:"autoCreateTime:false"`
	ToldClosed  bool // other servers got the final result
	NotifyAt    Time // the end that a job waits for, to notify of it; zero for none
}

// PollOption is one answer and its votes. Title is its shown form, plain text on one
// line. Votes of other servers are for its name, which its author wrote: Name, where
// that is not the title.
type PollOption struct {
	Title string `json:"title"`
	Name  string `json:"name,omitempty"`
	Votes int    `json:"votes"`
}

// Named returns the name of the option, character by character.
func (o PollOption) Named() string { return cmp.Or(o.Name, o.Title) }

// PollVote is an account's choice of an option, by its place from 0.
type PollVote struct {
	PollID    int64  `gorm:"primaryKey"`
	AccountID string `gorm:"primaryKey"`
	Choice    int    `gorm:"primaryKey"`
	URI       string `gorm:"column:uri"`
	CreatedAt Time   `gorm:"autoCreateTime:false"`
}

// Closed reports whether voting has ended.
func (p *Poll) Closed(now Time) bool { return !p.ExpiresAt.IsZero() && !p.ExpiresAt.After(now.Time) }

// CreatePoll inserts p and sets its number. Its status need not exist yet.
func (d *DB) CreatePoll(ctx context.Context, p *Poll) error {
	var err error
	p.ID, err = value[int64](ctx, d.writing(), "create poll", `INSERT INTO polls (status_id, multiple, options, voters_count, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING id`,
		p.StatusID, p.Multiple, p.Options, p.VotersCount, p.ExpiresAt, p.CreatedAt)
	return err
}

// Poll returns a poll, without regard to the visibility of its status.
func (d *DB) Poll(ctx context.Context, id int64) (*Poll, error) {
	return one[Poll](ctx, d, fmt.Sprintf("poll %d", id), "SELECT * FROM polls WHERE id = ?", id)
}

// Polls returns the polls with these numbers, by number.
func (d *DB) Polls(ctx context.Context, ids []int64) (map[int64]*Poll, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := list[Poll](ctx, d, "polls", "SELECT * FROM polls WHERE id IN ?", ids)
	out := make(map[int64]*Poll, len(rows))
	for i := range rows {
		out[rows[i].ID] = &rows[i]
	}
	return out, err
}

// OwnVotes returns an account's choices by poll, in the order of the options.
func (d *DB) OwnVotes(ctx context.Context, accountID string, pollIDs []int64) (map[int64][]int, error) {
	if accountID == "" || len(pollIDs) == 0 {
		return nil, nil
	}
	rows, err := list[PollVote](ctx, d, "votes of "+accountID, "SELECT poll_id, choice FROM poll_votes WHERE poll_id IN ? AND account_id = ?", pollIDs, accountID)
	out := make(map[int64][]int, len(rows))
	for _, r := range rows {
		out[r.PollID] = append(out[r.PollID], r.Choice)
	}
	for id := range out {
		slices.Sort(out[id])
	}
	return out, err
}

// Vote inserts an account's votes for the options at choices and counts them on
// p. The status of p must be held, see HoldStatus; its version changes.
func (d *DB) Vote(ctx context.Context, p *Poll, accountID string, choices []int) error {
	for _, choice := range choices {
		if _, err := d.exec(ctx, "vote", "INSERT INTO poll_votes (poll_id, account_id, choice, created_at) VALUES (?, ?, ?, ?)",
			p.ID, accountID, choice, d.Now()); err != nil {
			return err
		}
		p.Options[choice].Votes++
	}
	p.VotersCount++
	if _, err := d.exec(ctx, "count votes", "UPDATE polls SET options = ?, voters_count = ? WHERE id = ?", p.Options, p.VotersCount, p.ID); err != nil {
		return err
	}
	return d.TouchStatus(ctx, p.StatusID)
}

// DeletePoll removes a poll that its status lost. Its votes are left to ForgetVotes.
func (d *DB) DeletePoll(ctx context.Context, id int64) error {
	_, err := d.exec(ctx, "delete poll", "DELETE FROM polls WHERE id = ?", id)
	return err
}

// ClosePoll stores that the final result was sent, and reports whether that is
// new.
func (d *DB) ClosePoll(ctx context.Context, id int64) (bool, error) {
	n, err := d.exec(ctx, "close poll", "UPDATE polls SET told_closed = TRUE WHERE id = ? AND NOT told_closed", id)
	return n > 0, err
}

// AwaitEnd stores that a job is to notify of the end of a poll, if it has an end and
// votes of accounts that are known here. It reports whether that is new.
func (d *DB) AwaitEnd(ctx context.Context, id int64) (bool, error) {
	n, err := d.exec(ctx, "await the end of a poll", `UPDATE polls SET notify_at = expires_at WHERE id = ? AND expires_at IS NOT NULL
		AND (notify_at IS NULL OR notify_at <> expires_at) AND EXISTS (SELECT 1 FROM poll_votes v WHERE v.poll_id = polls.id)`, id)
	return n > 0, err
}

// NotifiedOfEnd stores that the notifications of a poll's end are written.
func (d *DB) NotifiedOfEnd(ctx context.Context, id int64) error {
	_, err := d.exec(ctx, "notified of the end of a poll", "UPDATE polls SET notify_at = NULL WHERE id = ?", id)
	return err
}

// LocalVoters returns up to limit ids, above after, of the local accounts that voted.
func (d *DB) LocalVoters(ctx context.Context, id int64, after string, limit int) ([]string, error) {
	return list[string](ctx, d.writing(), fmt.Sprintf("voters of poll %d", id), `SELECT DISTINCT v.account_id FROM poll_votes v JOIN accounts a ON a.id = v.account_id
		WHERE v.poll_id = ? AND v.account_id > ? AND a.local ORDER BY v.account_id LIMIT ?`, id, after, limit)
}

// TouchStatus changes the version of a status after a change in other tables. A
// status that is gone is ErrNotFound.
func (d *DB) TouchStatus(ctx context.Context, id string) error {
	n, err := d.exec(ctx, "touch status", "UPDATE statuses SET version = version + 1 WHERE id = ?", id)
	if err == nil && n == 0 {
		err = notFound("status %s", id)
	}
	return err
}
