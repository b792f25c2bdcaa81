package instance

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var announcementShape = output.Shape[api.AdminAnnouncement]{
	Plural: "announcements",
	Name:   func(a api.AdminAnnouncement) string { return "announcement/" + a.ID },
	Raw:    func(a api.AdminAnnouncement) json.RawMessage { return a.Raw },
	Columns: []output.Column[api.AdminAnnouncement]{
		output.Text("ID", func(a api.AdminAnnouncement) string { return a.ID }),
		output.Minor(output.Bool("PUBLISHED", func(a api.AdminAnnouncement) bool { return a.Published })),
		output.Minor(output.Time("FROM", func(a api.AdminAnnouncement) time.Time { return cli.Deref(a.StartsAt).Time })),
		output.Minor(output.Time("UNTIL", func(a api.AdminAnnouncement) time.Time { return cli.Deref(a.EndsAt).Time })),
		output.Text("TEXT", func(a api.AdminAnnouncement) string { return a.Svc.RawContent }),
		output.Wide(output.Int("REACTIONS", reactedTo)),
	},
}

// reactedTo counts the reactions to an announcement.
func reactedTo(a api.AdminAnnouncement) (n int) {
	for _, r := range a.Reactions {
		n += r.Count
	}
	return n
}

func announcementCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("announcement", "Work on what everybody here is told",
		announcementListCommand(a), announcementGetCommand(a), announcementAddCommand(a), announcementEditCommand(a), announcementRemoveCommand(a)),
		"announcement list",
		"announcement get 3",
		"announcement add 'New rooms at https://example.org' --until 2026-12-31",
		"announcement edit 3 --draft",
		"announcement remove 3",
	)
}

func announcementListCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List announcements, the newest first",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	return cli.ListCommand(a, cmd, announcementShape, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.AdminAnnouncement], error) {
		return cli.Listed[api.AdminAnnouncement]{Listing: conn.Admin.Announcements.List(api.AdminAnnouncementQuery{})}, nil
	})
}

func announcementGetCommand(a *cli.App) *cobra.Command {
	return cli.GetCommand(a, "announcement", announcementShape, completeAnnouncements(a), func(ctx context.Context, conn *cli.Connection, t action.Target) (*api.AdminAnnouncement, error) {
		return conn.Admin.Announcements.Get(ctx, t.Name)
	})
}

// announcementFlags are the flags of an announcement beside its text.
func announcementFlags(cmd *cobra.Command) func(form *api.AnnouncementForm) error {
	f := cmd.Flags()
	from := f.String("from", "", "show it from this `TIME` on: RFC 3339, or a date in UTC")
	until := f.String("until", "", "show it until this `TIME`")
	allDay := f.Bool("all-day", false, "the two times mean days")
	draft := f.Bool("draft", false, "keep it unpublished")
	return func(form *api.AnnouncementForm) error {
		for _, t := range []struct {
			flag string
			in   *string
			out  **string
		}{{"from", from, &form.StartsAt}, {"until", until, &form.EndsAt}} {
			if !f.Changed(t.flag) {
				continue
			}
			if *t.in != "" {
				at, err := api.ParseTime(*t.in)
				if err != nil {
					return cli.Usagef("--%s: %v", t.flag, err)
				}
				*t.in = at.String()
			}
			*t.out = t.in
		}
		if f.Changed("all-day") {
			form.AllDay = (*api.Bool)(allDay)
		}
		if f.Changed("draft") {
			form.Published = new(api.Bool(!*draft))
		}
		return nil
	}
}

func announcementAddCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "add TEXT [--from TIME] [--until TIME] [--all-day] [--draft]",
		Short: "Announce something to everybody here",
		Args:  cli.ExactArgs(1, "the text"),
	}
	flags := announcementFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		form := api.AnnouncementForm{Content: &args[0]}
		if err := flags(&form); err != nil {
			return err
		}
		conn, err := a.Connect(cmd.Context())
		if err != nil {
			return err
		}
		var made *api.AdminAnnouncement
		sent, err := a.Perform(cmd.Context(), conn, cli.Write{
			Kind: action.AnnouncementAdd, What: "add an announcement", Token: "announcement",
			Done: func(context.Context) []action.Result {
				return cli.NewlyMade(action.AnnouncementAdd, "announcement/"+made.ID, nil)
			},
		}, func(ctx context.Context) (err error) {
			made, err = conn.Admin.Announcements.Create(ctx, form)
			return err
		})
		if !sent || err != nil {
			return err
		}
		return cli.PrintItems(a, announcementShape, []api.AdminAnnouncement{*made}, true)
	}
	return cmd
}

func announcementEditCommand(a *cli.App) *cobra.Command {
	var text string
	cmd := &cobra.Command{
		Use:               "edit ID [--text TEXT] [--from TIME] [--until TIME] [--all-day] [--draft]",
		Short:             "Change an announcement; who has read it is not told again",
		Long:              "Change an announcement; who has read it is not told again. An empty time takes one away, --draft=false publishes a draft.",
		Args:              cli.ExactArgs(1, "one id"),
		ValidArgsFunction: completeAnnouncements(a),
	}
	flags := announcementFlags(cmd)
	cmd.Flags().StringVar(&text, "text", "", "its new `TEXT`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := action.ParseTarget("announcement", args[0])
		if err != nil {
			return err
		}
		var form api.AnnouncementForm
		if err := flags(&form); err != nil {
			return err
		}
		if cmd.Flags().Changed("text") {
			form.Content = &text
		}
		if form == (api.AnnouncementForm{}) {
			return cli.Usagef("--text, --from, --until, --all-day or --draft is needed")
		}
		conn, err := a.Connect(cmd.Context())
		if err != nil {
			return err
		}
		w := cli.Write{Kind: action.AnnouncementEdit, Target: t.String(), What: "change " + cli.Spell(t.String()), Token: t.Name}
		return a.CarryOut(cmd.Context(), conn, w, func(ctx context.Context) error {
			_, err := conn.Admin.Announcements.Update(ctx, t.Name, form)
			return err
		})
	}
	return cmd
}

func announcementRemoveCommand(a *cli.App) *cobra.Command {
	return removeByIDCommand(a, action.AnnouncementRemove, "Remove an announcement with its reactions", completeAnnouncements(a),
		func(ctx context.Context, conn *cli.Connection, id string) error {
			return conn.Admin.Announcements.Delete(ctx, id)
		})
}

func completeAnnouncements(a *cli.App) cli.Completer {
	return a.Completing("announcement", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		page, err := c.Admin.Announcements.List(api.AdminAnnouncementQuery{}).Page(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, item := range page.Items {
			offers = append(offers, cli.Described(item.ID, item.Svc.RawContent), cli.Described("announcement/"+item.ID, item.Svc.RawContent))
		}
		return offers, nil
	})
}
