package instance

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

func count(n int64) string { return strconv.FormatInt(n, 10) }

var queueShape = output.Shape[api.Queue]{
	Plural: "queues",
	Name:   func(q api.Queue) string { return "queue/" + q.Queue },
	Raw:    output.JSON[api.Queue],
	Columns: []output.Column[api.Queue]{
		output.Text("QUEUE", func(q api.Queue) string { return q.Queue }),
		output.Int("AVAILABLE", func(q api.Queue) int64 { return q.Available }),
		output.Int("RUNNING", func(q api.Queue) int64 { return q.Running }),
		output.Int("SCHEDULED", func(q api.Queue) int64 { return q.Scheduled }),
		output.Int("RETRYABLE", func(q api.Queue) int64 { return q.Retryable }),
		output.Int("DISCARDED", func(q api.Queue) int64 { return q.Discarded }),
		output.Minor(output.Time("OLDEST", func(q api.Queue) time.Time { return cli.Deref(q.OldestAt).Time })),
	},
}

var jobShape = output.Shape[api.Job]{
	Plural: "failed jobs",
	Name:   func(j api.Job) string { return "job/" + count(j.ID) },
	Raw:    output.JSON[api.Job],
	Columns: []output.Column[api.Job]{
		output.Int("ID", func(j api.Job) int64 { return j.ID }),
		output.Text("QUEUE", func(j api.Job) string { return j.Queue }),
		output.Text("KIND", func(j api.Job) string { return j.Kind }),
		output.Text("STATE", func(j api.Job) string { return j.State }),
		output.Minor(output.Text("TRIED", func(j api.Job) string {
			return strconv.Itoa(j.Attempt) + "/" + strconv.Itoa(j.MaxAttempts)
		})),
		output.Wide(output.Time("CREATED", func(j api.Job) time.Time { return cli.Deref(j.CreatedAt).Time })),
		output.Wide(output.Time("RETRY", func(j api.Job) time.Time { return cli.Deref(j.RetryAt).Time })),
		output.Text("ERROR", func(j api.Job) string { return j.Error }),
	},
}

func jobsCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("jobs", "See what work waits, and what failed", jobsListCommand(a), jobsQueuesCommand(a), jobsRetryCommand(a)),
		"jobs list --queue mailer",
		"jobs queues",
		"jobs retry 17",
		"jobs retry --queue federator_outgoing",
	)
}

func jobsQueuesCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queues",
		Short: "List the kinds of work, and how much there is of each",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	return cli.WatchedListCommand(a, cmd, queueShape, nil, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.Queue], error) {
		return cli.Listed[api.Queue]{Listing: client.Whole(conn.Admin.Jobs.Queues)}, nil
	})
}

func jobsListCommand(a *cli.App) *cobra.Command {
	var query api.JobQuery
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List jobs that failed, those that were made last first",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	cmd.Flags().StringVar(&query.Queue, "queue", "", "only those of the queue `NAME`")
	a.CompleteFlagWith(cmd, "queue", completeQueues(a))
	return cli.WatchedListCommand(a, cmd, jobShape, []string{api.EventJob}, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.Job], error) {
		l := cli.Listed[api.Job]{Listing: conn.Admin.Jobs.List(query)}
		if query.Queue != "" {
			l.None = func(ctx context.Context) error { return names.MustHaveQueue(ctx, conn, query.Queue) }
		}
		return l, nil
	})
}

func jobsRetryCommand(a *cli.App) *cobra.Command {
	var queue string
	cmd := &cobra.Command{
		Use:   "retry ID | --queue NAME",
		Short: "Do a failed job again, or all of a queue; federator_outgoing stands for deliveries to other servers",
		Args:  cli.AtMost(1, "one job"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 0) == (queue == "") {
				return cli.Usagef("either the number of a job or --queue is needed")
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			if queue != "" {
				if err := names.MustHaveQueue(cmd.Context(), conn, queue); err != nil {
					return err
				}
				return a.CarryOut(cmd.Context(), conn, cli.Write{
					Kind: action.JobsRetry, Target: "queue/" + queue, What: "do all that failed in " + queue + " again", Token: queue,
				}, func(ctx context.Context) error {
					_, err := conn.Admin.Jobs.RetryQueue(ctx, queue)
					return err
				})
			}
			number := strings.TrimPrefix(args[0], "job/")
			id, err := strconv.ParseInt(number, 10, 64)
			if err != nil {
				return cli.Usagef("%s is no number of a job", action.Quote(args[0]))
			}
			return a.CarryOut(cmd.Context(), conn, cli.Write{
				Kind: action.JobsRetry, Target: "job/" + number, What: "do job " + number + " again", Token: number,
			}, func(ctx context.Context) error { return conn.Admin.Jobs.Retry(ctx, id) })
		},
	}
	cmd.Flags().StringVar(&queue, "queue", "", "all that failed in the queue `NAME`")
	a.CompleteFlagWith(cmd, "queue", completeQueues(a))
	return cmd
}

func completeQueues(a *cli.App) cli.Completer {
	return a.Completing("queue", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		queues, err := c.Admin.Jobs.Queues(ctx)
		if err != nil {
			return nil, err
		}
		offers := make([]cobra.Completion, len(queues))
		for i, q := range queues {
			offers[i] = cli.Described(q.Queue, "")
		}
		return offers, nil
	})
}
