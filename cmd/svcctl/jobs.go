package main

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client/api"
	"svc/cmd/svcctl/output"
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
	var list listFlags
	cmd := &cobra.Command{
		Use:   "queues",
		Short: "List the kinds of work, and how much there is of each",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := list.check(cmd); err != nil {
				return err
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			return runList(cmd.Context(), a, list, source[api.Queue]{
				fetch: once(func(ctx context.Context) ([]api.Queue, error) { return conn.Admin.Jobs.Queues(ctx) }),
				id:    func(q api.Queue) string { return q.Queue },
			}, queueShape)
		},
	}
	list.add(cmd)
	return cmd
}

func jobsListCommand(a *app) *cobra.Command {
	var list listFlags
	var query api.JobQuery
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List jobs that failed, those that were made last first",
		Args:  exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := list.check(cmd); err != nil {
				return err
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			return runList(cmd.Context(), a, list, source[api.Job]{
				fetch: onwards(func(ctx context.Context, after string, size int) ([]api.Job, string, error) {
					before, _ := strconv.ParseInt(after, 10, 64)
					query.Before, query.Limit = api.Int(before), api.Int(size)
					l, err := conn.Admin.Jobs.List(ctx, query)
					if err != nil || l.Next == 0 {
						return jobsOf(l), "", err
					}
					return l.Jobs, count(l.Next), nil
				}),
				id: func(j api.Job) string { return count(j.ID) },
			}, jobShape)
		},
	}
	list.add(cmd)
	cmd.Flags().StringVar(&query.Queue, "queue", "", "only those of the queue `NAME`")
	return cmd
}

func jobsOf(l *api.Jobs) []api.Job {
	if l == nil {
		return nil
	}
	return l.Jobs
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
