package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
)

func count(n int64) string { return strconv.FormatInt(n, 10) }

var queueShape = output.Shape[api.Queue]{
	Plural: "queues",
	Name:   func(q api.Queue) string { return "queue/" + q.Queue },
	Raw:    asJSON[api.Queue],
	Columns: []output.Column[api.Queue]{
		output.Text("QUEUE", func(q api.Queue) string { return q.Queue }),
		output.Int("AVAILABLE", func(q api.Queue) int64 { return q.Available }),
		output.Int("RUNNING", func(q api.Queue) int64 { return q.Running }),
		output.Int("SCHEDULED", func(q api.Queue) int64 { return q.Scheduled }),
		output.Int("RETRYABLE", func(q api.Queue) int64 { return q.Retryable }),
		output.Int("DISCARDED", func(q api.Queue) int64 { return q.Discarded }),
		output.Time("OLDEST", func(q api.Queue) time.Time { return deref(q.OldestAt).Time }),
	},
}

var jobShape = output.Shape[api.Job]{
	Plural: "failed jobs",
	Name:   func(j api.Job) string { return "job/" + count(j.ID) },
	Raw:    asJSON[api.Job],
	Columns: []output.Column[api.Job]{
		output.Int("ID", func(j api.Job) int64 { return j.ID }),
		output.Text("QUEUE", func(j api.Job) string { return j.Queue }),
		output.Text("KIND", func(j api.Job) string { return j.Kind }),
		output.Text("STATE", func(j api.Job) string { return j.State }),
		output.Text("TRIED", func(j api.Job) string {
			return strconv.Itoa(j.Attempt) + "/" + strconv.Itoa(j.MaxAttempts)
		}),
		output.Wide(output.Time("CREATED", func(j api.Job) time.Time { return deref(j.CreatedAt).Time })),
		output.Wide(output.Time("RETRY", func(j api.Job) time.Time { return deref(j.RetryAt).Time })),
		output.Text("ERROR", func(j api.Job) string { return j.Error }),
	},
}

func jobsCommand(a *app) *cobra.Command {
	return noun("jobs", "See what work waits, and what failed", jobsListCommand(a), jobsQueuesCommand(a), jobsRetryCommand(a))
}

func jobsQueuesCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "queues",
		Short: "List the kinds of work, and how much there is of each",
		Args:  exactArgs(0, "no argument"),
	}
	return listCommand(a, cmd, queueShape, func(_ context.Context, conn *connection, _ []string) (listed[api.Queue], error) {
		return listed[api.Queue]{Listing: client.Whole(conn.Admin.Jobs.Queues)}, nil
	})
}

func jobsListCommand(a *app) *cobra.Command {
	var query api.JobQuery
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List jobs that failed, those that were made last first",
		Args:  exactArgs(0, "no argument"),
	}
	cmd.Flags().StringVar(&query.Queue, "queue", "", "only those of the queue `NAME`")
	return listCommand(a, cmd, jobShape, func(_ context.Context, conn *connection, _ []string) (listed[api.Job], error) {
		return listed[api.Job]{Listing: conn.Admin.Jobs.List(query)}, nil
	})
}

func jobsRetryCommand(a *app) *cobra.Command {
	var queue string
	cmd := &cobra.Command{
		Use:   "retry ID | --queue NAME",
		Short: "Do a job that failed again, or all of a queue; federator_outgoing stands for what other servers wait for",
		Args:  atMost(1, "one job"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(args) == 0) == (queue == "") {
				return usagef("either the number of a job or --queue is needed")
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			if queue != "" {
				return a.carryOut(cmd.Context(), conn, write{
					kind: "jobs.retry", target: "queue/" + queue, what: "do all that failed in " + queue + " again", token: queue,
				}, func(ctx context.Context) error {
					_, err := conn.Admin.Jobs.RetryQueue(ctx, queue)
					return err
				})
			}
			number := strings.TrimPrefix(args[0], "job/")
			id, err := strconv.ParseInt(number, 10, 64)
			if err != nil {
				return usagef("%s is no number of a job", quote(args[0]))
			}
			return a.carryOut(cmd.Context(), conn, write{
				kind: "jobs.retry", target: "job/" + number, what: "do job " + number + " again", token: number,
			}, func(ctx context.Context) error { return conn.Admin.Jobs.Retry(ctx, id) })
		},
	}
	cmd.Flags().StringVar(&queue, "queue", "", "all that failed in the queue `NAME`")
	return cmd
}
