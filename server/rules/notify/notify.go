// Package notify writes notifications, and the jobs that push them. Writing the
// rows, and the conditions on other rows, is left to one statement of db.
package notify

import (
	"context"
	"slices"

	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/platform/text"
)

// Notify notifies the accounts to of n, an act of n.From, in tx. No account is
// notified of its own acts, or of those of an invisible account. Only local and
// active accounts are notified, and not those who block strangers'
// notifications unless n.From follows them or n is a report. A recipient who
// blocks or mutes n.From, blocks their domain or mutes the thread gets a row
// that is never listed; a recipient whose irreversible filters match n.Text
// gets none. A repeated notification of one status is not written again. With
// the rows, jobs are stored that push them to the devices of their accounts.
func Notify(ctx context.Context, tx *db.DB, n db.News, to ...string) error {
	if n.From.Invisible {
		return nil
	}
	n.To = slices.DeleteFunc(slices.Clone(to), func(id string) bool { return id == n.From.ID })
	if len(n.To) == 0 {
		return nil
	}
	if n.Text != "" {
		if err := filter(ctx, tx, &n); err != nil || len(n.To) == 0 {
			return err
		}
	}
	n.Always = n.Type == db.NotifyReport || n.Type == db.NotifySignUp
	return write(ctx, tx, n)
}

// Own notifies n.From of the end of something of their own, such as a poll.
func Own(ctx context.Context, tx *db.DB, n db.News) error {
	n.To, n.Always = []string{n.From.ID}, true
	return write(ctx, tx, n)
}

func write(ctx context.Context, tx *db.DB, n db.News) error {
	pushes, err := tx.Notify(ctx, n)
	if err != nil || len(pushes) == 0 {
		return err
	}
	args := make([]jobs.Push, len(pushes))
	for i, p := range pushes {
		args[i] = jobs.Push{SubscriptionID: p.SubscriptionID, NotificationID: p.NotificationID}
	}
	return jobs.EnqueueAll(ctx, tx, args)
}

// filter removes accounts with an irreversible filter that matches n.Text, or
// the status that it is of, from n.To.
func filter(ctx context.Context, tx *db.DB, n *db.News) error {
	filters, err := tx.IrreversibleFilters(ctx, n.To, db.FilterNotifications)
	if err != nil || len(filters) == 0 {
		return err
	}
	readings := []*text.Reading{text.ReadText(n.Text)}
	if n.StatusID != "" {
		texts, err := tx.StatusTexts(ctx, []string{n.StatusID})
		if err != nil {
			return err
		}
		readings = Readings(texts[n.StatusID])
	}
	for i := range filters {
		if matches(&filters[i], n.StatusID, readings) {
			n.To = slices.DeleteFunc(n.To, func(id string) bool { return id == filters[i].AccountID })
		}
	}
	return nil
}

// matches reports whether a filter has a status, or a keyword in one of its texts.
func matches(f *db.Filter, statusID string, readings []*text.Reading) bool {
	return slices.ContainsFunc(f.Statuses, func(s db.FilterStatus) bool { return s.StatusID == statusID }) ||
		slices.ContainsFunc(f.Keywords, func(k db.FilterKeyword) bool {
			return slices.ContainsFunc(readings, text.NewPhrase(k.Keyword, k.WholeWord).In)
		})
}

// Readings returns the texts of a status that filters look at: its text and
// warning, the options of its poll and the descriptions of its files.
func Readings(t db.StatusText) []*text.Reading {
	out := []*text.Reading{text.ReadText(t.SpoilerText), text.ReadHTML(t.Content)}
	for _, o := range t.Options {
		out = append(out, text.ReadText(o.Title))
	}
	for _, d := range t.Descriptions {
		out = append(out, text.ReadText(d))
	}
	return out
}
