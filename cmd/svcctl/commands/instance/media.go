package instance

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var mediaShape = output.Shape[string]{
	Plural: "banned files",
	Name:   func(address string) string { return "media/" + address },
	Raw:    output.JSON[string],
	Columns: []output.Column[string]{
		output.Wide(output.Text("ORIGINAL", action.Proxied)),
		output.Text("URL", func(address string) string { return address }),
	},
}

func mediaCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("media", "Work on files that go through the media proxy",
		mediaListCommand(a), mediaCachedCommand(a), mediaPurgeCommand(a),
		a.KindCommand(action.MediaUnban, "unban URL...", "Give files out again", nil)),
		"media list evil.example",
		"media cached --older-than 2d",
		"media purge --ban https://evil.example/a.png",
		"media purge --host '*.evil.example'",
		"media unban https://evil.example/a.png",
	)
}

func mediaListCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [QUERY]",
		Short: "List files that are banned; QUERY is part of an address",
		Args:  cli.AtMost(1, "one query"),
	}
	return cli.ListCommand(a, cmd, mediaShape, func(_ context.Context, conn *cli.Connection, args []string) (cli.Listed[string], error) {
		query := api.MediaBanQuery{Query: strings.Join(args, "")}
		return cli.Listed[string]{Listing: conn.Admin.Media.Bans(query)}, nil
	})
}

func mediaPurgeCommand(a *cli.App) *cobra.Command {
	var ban bool
	var cached cachedFlags
	cmd := &cobra.Command{
		Use:   "purge [--ban] URL... | - | --host HOST --older-than AGE",
		Short: "Have caches drop their copies of files, and perhaps ban the files",
		Long: `Have caches drop their copies of files, and perhaps ban the files.

With --host or --older-than, the files of other servers that this server keeps to show
them leave its cache: those from one host, those fetched before a time, or both. It is
said first how many these are. They are fetched again when somebody looks at them.
The host is that of the files, which many servers have apart from their posts: media
cached lists it. Caches in front of the server are not told of these.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cached.given() {
				if len(args) > 0 || ban {
					return cli.Usagef("--host and --older-than select cached files; addresses and --ban do not go with them")
				}
				return purgeCached(cmd.Context(), a, cached)
			}
			return a.ActOn(cmd.Context(), cli.Deed{
				Kind: action.MediaPurge, Args: map[string]string{"ban": strconv.FormatBool(ban)},
			}, args)
		},
	}
	cmd.Flags().BoolVar(&ban, "ban", false, "give the files to nobody any more")
	cached.add(cmd)
	return cmd
}

// cachedFlags select cached files of other servers.
type cachedFlags struct{ host, olderThan string }

func (f *cachedFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.host, "host", "", "only files from this `HOST`, or from *.HOST for it and all below it")
	cmd.Flags().StringVar(&f.olderThan, "older-than", "", "only files fetched before an `AGE`: 36h, 7d, a date")
}

func (f *cachedFlags) given() bool { return f.host != "" || f.olderThan != "" }

func (f *cachedFlags) query(now time.Time) (api.CachedMediaQuery, error) {
	query := api.CachedMediaQuery{Host: f.host}
	if f.olderThan != "" {
		before, err := cli.ParseTime(f.olderThan, now)
		if err != nil {
			return query, cli.Usagef("--older-than %v", err)
		}
		query.Before = before.Format(time.RFC3339)
	}
	return query, nil
}

var cachedShape = output.Shape[api.CachedMediaHost]{
	Plural: "cached files",
	Name:   func(h api.CachedMediaHost) string { return "host/" + h.Host },
	Raw:    output.JSON[api.CachedMediaHost],
	Columns: []output.Column[api.CachedMediaHost]{
		output.Int("FILES", func(h api.CachedMediaHost) int { return h.Files }),
		output.Int("BYTES", func(h api.CachedMediaHost) int64 { return h.Bytes }),
		output.Time("OLDEST", func(h api.CachedMediaHost) time.Time { return h.OldestAt.Time }),
		output.Text("HOST", func(h api.CachedMediaHost) string { return h.Host }),
	},
}

func mediaCachedCommand(a *cli.App) *cobra.Command {
	var flags cachedFlags
	cmd := &cobra.Command{
		Use:   "cached",
		Short: "Count the files of other servers in the cache, by host, the largest first",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	flags.add(cmd)
	return cli.ListCommand(a, cmd, cachedShape, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.CachedMediaHost], error) {
		query, err := flags.query(a.Now())
		return cli.Listed[api.CachedMediaHost]{Listing: client.Whole(func(ctx context.Context) ([]api.CachedMediaHost, error) {
			found, err := conn.Admin.Media.Cached(ctx, query)
			if err != nil {
				return nil, err
			}
			return found.Hosts, nil
		})}, err
	})
}

// purgeCached says how many files it is about before it asks.
func purgeCached(ctx context.Context, a *cli.App, flags cachedFlags) error {
	query, err := flags.query(a.Now())
	if err != nil {
		return err
	}
	conn, err := a.Connect(ctx)
	if err != nil {
		return err
	}
	found, err := conn.Admin.Media.Cached(ctx, query)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s, %d bytes, of %s", cli.CountOf(found.Files, "cached file"), found.Bytes, cmp.Or(flags.host, "all hosts"))
	if query.Before != "" {
		what += " from before " + query.Before
	}
	if !a.Flags.Quiet {
		fmt.Fprintln(a.ErrOut, what)
	}
	return a.CarryOut(ctx, conn, cli.Write{
		Kind: action.MediaPurgeCached, Target: "media/" + cmp.Or(flags.host, "all"), Level: action.L1, What: "purge " + what, Token: "purge", Whole: true,
	}, func(ctx context.Context) error {
		_, err := conn.Admin.Media.PurgeCached(ctx, query)
		return err
	})
}
