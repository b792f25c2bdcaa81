package instance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// maxEmojiFile is the longest picture that servers accept, in bytes. A longer one is
// refused by them.
const maxEmojiFile = 1 << 20

var emojiShape = output.Shape[api.AdminEmoji]{
	Plural: "emoji",
	Name:   func(e api.AdminEmoji) string { return "emoji/" + e.Shortcode },
	Raw:    func(e api.AdminEmoji) json.RawMessage { return e.Raw },
	Columns: []output.Column[api.AdminEmoji]{
		output.Text("SHORTCODE", func(e api.AdminEmoji) string { return e.Shortcode }),
		output.Text("STATE", func(e api.AdminEmoji) string { return e.State }),
		output.Text("PACK", func(e api.AdminEmoji) string { return e.Pack }),
		output.Minor(output.Text("FILE", func(e api.AdminEmoji) string { return e.File })),
		output.Wide(output.Text("HOST", func(e api.AdminEmoji) string { return e.Host })),
		output.Wide(output.Text("URL", func(e api.AdminEmoji) string { return e.URL })),
	},
}

func emojiCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("emoji", "Work on custom emoji",
		emojiListCommand(a), emojiAddCommand(a),
		emojiRenameCommand(a),
		a.KindCommand(action.EmojiEnable, "enable SHORTCODE...", "Offer emoji again, and find them in new texts", completeEmojis(a, api.EmojiDisabled)),
		emojiDisableCommand(a),
		a.KindCommand(action.EmojiRemove, "remove SHORTCODE...", "Remove emoji with their pictures, also from posts that have them", completeEmojis(a, "")),
		packCommand(a), emojiReloadCommand(a)),
		"emoji list",
		"emoji list --host far.example",
		"emoji add blob blob.png",
		"emoji add blobcat@far.example",
		"emoji rename blob blob_old",
		"emoji disable blob",
		"emoji enable blob",
		"emoji remove blob",
		"emoji pack list",
		"emoji pack create cats",
		"emoji pack edit cats --share --license CC0",
		"emoji pack import cats cats.zip",
		"emoji pack import cats --from https://far.example",
		"emoji pack export cats",
		"emoji pack remove cats",
		"emoji pack scan",
		"emoji reload",
	)
}

func emojiListCommand(a *cli.App) *cobra.Command {
	var query api.AdminEmojiQuery
	cmd := &cobra.Command{
		Use:   "list [QUERY]",
		Short: "List custom emoji by shortcode; QUERY is a part of it",
		Long: `List custom emoji by shortcode; QUERY is a part of it.

--host lists those of another server, as they stand in the latest 1000 of its posts
that this server knows. "emoji add SHORTCODE@HOST" copies one.`,
		Args: cli.AtMost(1, "one query"),
	}
	f := cmd.Flags()
	f.StringVar(&query.Pack, "pack", "", "only emoji of this `PACK`")
	disabled := f.Bool("disabled", false, "only disabled emoji")
	f.StringVar(&query.Host, "host", "", "the emoji of another server, `HOST`")
	return cli.ListCommand(a, cmd, emojiShape, func(_ context.Context, conn *cli.Connection, args []string) (cli.Listed[api.AdminEmoji], error) {
		if query.Query = strings.Join(args, ""); *disabled {
			query.State = api.EmojiDisabled
		}
		return cli.Listed[api.AdminEmoji]{Listing: conn.Admin.Emojis.List(query)}, nil
	})
}

func emojiAddCommand(a *cli.App) *cobra.Command {
	var pack, as string
	cmd := &cobra.Command{
		Use:   "add SHORTCODE FILE | SHORTCODE URL | SHORTCODE@HOST",
		Short: "Add an emoji from a picture, or copy one of another server",
		Long: `Add an emoji from a picture, or copy one of another server.

FILE is a PNG, GIF or WebP of at most 256 KiB and 1024 × 1024 pixels; - is standard
input. The picture at a URL is fetched by the server. SHORTCODE@HOST is one that
"emoji list --host HOST" shows; --as gives it another shortcode here.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 2 || len(args) == 1 && strings.Contains(args[0], "@") {
				return nil
			}
			return cli.Usagef("a shortcode and a file are needed, or SHORTCODE@HOST alone")
		},
	}
	cmd.Flags().StringVar(&pack, "pack", "", "the `PACK` that it is added to, by default custom")
	cmd.Flags().StringVar(&as, "as", "", "its `SHORTCODE` here, of one that is copied")
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 1 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if as != "" && len(args) == 2 {
			return cli.Usagef("--as is for SHORTCODE@HOST")
		}
		if err := a.MayAdminister(true); err != nil {
			return err
		}
		code, host, remote := strings.Cut(args[0], "@")
		if remote = remote && len(args) == 1; !remote {
			code, host = args[0], ""
		}
		t, err := action.ParseTarget("emoji", code)
		if err != nil {
			return err
		}
		form := api.NewEmoji{Name: pack, Shortcode: t.Name}
		var picture []byte
		switch {
		case remote:
		case strings.HasPrefix(args[1], "https://") || strings.HasPrefix(args[1], "http://"):
			form.File = args[1]
		default:
			if picture, err = a.ReadShort("file", args[1], maxEmojiFile); err != nil {
				return err
			}
		}
		conn, err := a.Connect(cmd.Context())
		if err != nil {
			return err
		}
		if remote {
			if form.File, err = remoteEmoji(cmd.Context(), conn, t.Name, host); err != nil {
				return err
			}
			if as != "" {
				form.Shortcode = as
			}
		}
		target := "emoji/" + form.Shortcode
		w := cli.Write{
			Kind: action.EmojiAdd, Target: target, What: "add " + cli.Spell(target), Token: form.Shortcode,
			Undo: action.EmojiAdd.Back(target, nil),
		}
		return a.CarryOut(cmd.Context(), conn, w, func(ctx context.Context) error {
			if picture == nil {
				_, err = conn.Admin.Emojis.AddFrom(ctx, form)
			} else {
				_, err = conn.Admin.Emojis.Add(ctx, form, client.File{Name: filepath.Base(args[1]), Content: bytes.NewReader(picture)})
			}
			return err
		})
	}
	return cmd
}

func emojiRenameCommand(a *cli.App) *cobra.Command {
	form := api.EmojiRenaming{}
	cmd := &cobra.Command{
		Use:   "rename SHORTCODE NEW",
		Short: "Give an emoji another shortcode",
		Long: `Give an emoji another shortcode.

Its picture keeps its name, unless emoji of its folder are named by their files, or
--filename names it anew. Posts that have the emoji show no picture any more once the
picture has another name.`,
		Args: cli.ExactArgs(2, "a shortcode and a new one"),
	}
	cmd.ValidArgsFunction = completeEmojis(a, "")
	cmd.Flags().StringVar(&form.NewFilename, "filename", "", "the `NAME` of its picture from now on")
	cmd.Flags().BoolVar(&form.Force, "force", false, "also when another emoji has the new shortcode")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		t, err := action.ParseTarget("emoji", args[0])
		if err != nil {
			return err
		}
		form.Shortcode, form.NewShortcode = t.Name, args[1]
		conn, err := a.Connect(cmd.Context())
		if err != nil {
			return err
		}
		known, err := ownEmoji(cmd.Context(), conn, t.Name)
		if err != nil {
			return err
		}
		form.Name = known.Pack
		target := "emoji/" + form.Shortcode
		w := cli.Write{Kind: action.EmojiRename, Target: target, What: "rename " + cli.Spell(target) + " to " + action.Quote(args[1]), Token: form.Shortcode}
		return a.CarryOut(cmd.Context(), conn, w, func(ctx context.Context) error {
			_, err := conn.Admin.Emojis.Rename(ctx, form)
			return err
		})
	}
	return cmd
}

// ownEmoji is an emoji of the server.
func ownEmoji(ctx context.Context, conn *cli.Connection, code string) (api.AdminEmoji, error) {
	for e, err := range conn.Admin.Emojis.List(api.AdminEmojiQuery{Query: code, PageSize: api.MaxEmojiPage}).All(ctx) {
		if err != nil || e.Shortcode == code {
			return e, err
		}
	}
	return api.AdminEmoji{}, &cli.About{What: "emoji/" + code, Err: client.ErrNotFound}
}

// remoteEmoji is the address of the picture of another server's emoji.
func remoteEmoji(ctx context.Context, conn *cli.Connection, code, host string) (string, error) {
	for e, err := range conn.Admin.Emojis.List(api.AdminEmojiQuery{Query: code, Host: host}).All(ctx) {
		if err != nil {
			return "", err
		}
		if e.Shortcode == code {
			return e.URL, nil
		}
	}
	return "", &cli.About{What: fmt.Sprintf(":%s: of %s", code, host), Err: client.ErrNotFound}
}

func emojiDisableCommand(a *cli.App) *cobra.Command {
	cmd := a.KindCommand(action.EmojiDisable, "disable SHORTCODE...", "Offer emoji no more; posts keep those that they have", completeEmojis(a, api.EmojiEnabled))
	cmd.Long = cmd.Short + `.

Nobody sees them in the list of emoji any more, and :SHORTCODE: in new texts stays a
text.`
	return cmd
}

func emojiReloadCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: "Have the server read its custom emoji from disk again",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			return a.CarryOut(cmd.Context(), conn, cli.Write{
				Kind: action.EmojiReload, Target: "server/" + conn.Origin.Host, What: "reload emoji", Token: "emoji",
			}, func(ctx context.Context) error { return conn.Admin.Emojis.Reload(ctx) })
		},
	}
}

// completeEmojis offers shortcodes of a state, "" for all.
func completeEmojis(a *cli.App, state string) cli.Completer {
	return a.Completing("emoji", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		page, err := c.Admin.Emojis.List(api.AdminEmojiQuery{State: state, PageSize: api.MaxEmojiPage}).Page(ctx)
		if err != nil {
			return nil, err
		}
		var offers []cobra.Completion
		for _, e := range page.Items {
			offers = append(offers, cli.Described(e.Shortcode, e.Pack))
		}
		return offers, nil
	})
}
