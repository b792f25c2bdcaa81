package tables

import (
	"context"
	"fmt"
	"strconv"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// queues shows the amount of background work of each kind. R repeats all failed
// jobs of a queue; enter shows them.
var queues = &Noun{
	Name: "queues", Key: "9", Help: "background work",
	Columns: []Column{
		{Head: "QUEUE", Width: 22}, {Head: "WAITING", Width: 8}, {Head: "SCHEDULED", Width: 9}, {Head: "RUNNING", Width: 8},
		{Head: "RETRIED", Width: 8, Tone: true}, {Head: "GIVEN UP"},
	},
	Empty: "no work",
	Into:  "jobs",
	Rows: func(c *client.Client, _ Query) Reader {
		return paged(client.Whole(c.Admin.Jobs.Queues), func(q api.Queue) Row {
			tone := Good
			if q.Retryable > 0 {
				tone = Warn
			}
			if q.Discarded > 0 {
				tone = Bad
			}
			return Row{
				ID: q.Queue, Target: "queue/" + q.Queue, Tone: tone, More: details(Detail{"the oldest waits since", at(q.OldestAt)}),
				Cells: []safe.Safe{raw(q.Queue), number(q.Available), number(q.Scheduled), number(q.Running), number(q.Retryable), number(q.Discarded)},
			}
		})
	},
	Verbs: []Verb{
		{Key: "R", Name: "retry", Help: "do all again that failed", Sure: true, Kind: action.JobsRetry, Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
			n, err := c.Admin.Jobs.RetryQueue(ctx, row.ID)
			return raw(fmt.Sprintf("%d done again", n)), err
		}},
	},
}

// jobs shows the work that failed, of one queue or of all. R has one done again.
var jobs = &Noun{
	Name: "jobs", Help: "background work that failed",
	Columns: []Column{{Head: "STATE", Width: 10, Tone: true}, {Head: "TRIES", Width: 6}, {Head: "KIND", Width: 22}, {Head: "ERROR"}},
	Empty:   "nothing failed",
	Rows: func(c *client.Client, q Query) Reader {
		return paged(c.Admin.Jobs.List(api.JobQuery{Queue: q.Scope, Limit: pageSize}), jobRow)
	},
	Verbs: []Verb{
		{Key: "R", Name: "retry", Help: "do it again", Kind: action.JobsRetry, Call: func(ctx context.Context, c *client.Client, row Row, _ string) (safe.Safe, error) {
			id, err := strconv.ParseInt(row.ID, 10, 64)
			if err != nil {
				return safe.Safe{}, err
			}
			return safe.Own("is done again"), c.Admin.Jobs.Retry(ctx, id)
		}},
	},
}

func jobRow(j api.Job) Row {
	id, tone := strconv.FormatInt(j.ID, 10), Warn
	if j.State == "discarded" {
		tone = Bad
	}
	return Row{
		ID: id, Target: "job/" + id, Tone: tone,
		Cells: []safe.Safe{raw(j.State), raw(fmt.Sprintf("%d/%d", j.Attempt, j.MaxAttempts)), raw(j.Kind), raw(j.Error)},
		More:  details(Detail{"job", safe.Join(" ", raw(id), raw(j.Queue))}, Detail{"error", raw(j.Error)}, Detail{"made", at(j.CreatedAt)}, Detail{"next try", at(j.RetryAt)}),
	}
}
