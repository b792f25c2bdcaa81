package instance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// maxPackArchive is the longest archive that servers accept, in bytes.
const maxPackArchive = 66 << 20

// namedPack is a pack of emoji with its name.
type namedPack struct {
	api.EmojiPack
	name string
}

var packShape = output.Shape[namedPack]{
	Plural: "packs",
	Name:   func(p namedPack) string { return "emoji-pack/" + p.name },
	Raw: func(p namedPack) json.RawMessage {
		return output.JSON(map[string]any{"name": p.name, "files": p.Files, "files_count": p.FilesCount, "pack": p.Pack})
	},
	Columns: []output.Column[namedPack]{
		output.Text("PACK", func(p namedPack) string { return p.name }),
		output.Int("EMOJI", func(p namedPack) int64 { return int64(p.FilesCount) }),
		output.Bool("SHARED", func(p namedPack) bool { return p.Pack.CanDownload }),
		output.Minor(output.Text("LICENSE", func(p namedPack) string { return p.Pack.License })),
		output.Text("DESCRIPTION", func(p namedPack) string { return p.Pack.Description }),
		output.Wide(output.Text("HOMEPAGE", func(p namedPack) string { return p.Pack.Homepage })),
	},
}

func packCommand(a *cli.App) *cobra.Command {
	return cli.Noun("pack", "Work on packs of emoji",
		packListCommand(a), packScanCommand(a), packCreateCommand(a), packEditCommand(a), packImportCommand(a), packExportCommand(a), packRemoveCommand(a))
}

func packListCommand(a *cli.App) *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List packs of emoji, by name",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	cmd.Flags().StringVar(&from, "from", "", "the packs of the server at this `URL`")
	return cli.ListCommand(a, cmd, packShape, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[namedPack], error) {
		return cli.Listed[namedPack]{Listing: client.Whole(func(ctx context.Context) ([]namedPack, error) { return packs(ctx, conn.Client, from) })}, nil
	})
}

func packScanCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scan",
		Short: "Have the server read its emoji from disk again, and list the packs that are new",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	return cli.ListCommand(a, cmd, packShape, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[namedPack], error) {
		return cli.Listed[namedPack]{Listing: client.Whole(func(ctx context.Context) ([]namedPack, error) {
			names, err := conn.Admin.Emojis.Scan(ctx)
			if err != nil || len(names) == 0 {
				return nil, err
			}
			all, err := packs(ctx, conn.Client, "")
			return slices.DeleteFunc(all, func(p namedPack) bool { return !slices.Contains(names, p.name) }), err
		})}, nil
	})
}

// packs reads all packs of the server, or of another.
func packs(ctx context.Context, c *client.Client, from string) ([]namedPack, error) {
	var out []namedPack
	for page := 1; ; page++ {
		var read *api.EmojiPacks
		var err error
		if from == "" {
			read, err = c.Emojis.Packs(ctx, api.EmojiPageQuery{Page: page, PageSize: api.MaxEmojiPage})
		} else {
			read, err = c.Admin.Emojis.RemotePacks(ctx, api.RemotePackQuery{URL: from, Page: page})
		}
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(read.Packs)) {
			out = append(out, namedPack{read.Packs[name], name})
		}
		if len(read.Packs) == 0 || len(out) >= read.Count {
			return out, nil
		}
	}
}

// onPack is a command on one pack, which must be confirmed at this level.
func onPack(a *cli.App, kind action.Kind, level action.Confirmation, use, short string, send func(ctx context.Context, conn *cli.Connection, name string) error) *cobra.Command {
	return &cobra.Command{
		Use:               use,
		Short:             short,
		Args:              cli.ExactArgs(1, "the name of a pack"),
		ValidArgsFunction: completePacks(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.TrimPrefix(args[0], "emoji-pack/")
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			w := cli.Write{Kind: kind, Target: "emoji-pack/" + name, Level: level, What: kind.Verb() + " " + action.Quote(name), Token: name}
			return a.CarryOut(cmd.Context(), conn, w, func(ctx context.Context) error { return send(ctx, conn, name) })
		},
	}
}

func packCreateCommand(a *cli.App) *cobra.Command {
	cmd := onPack(a, action.EmojiPackCreate, action.L0, "create NAME", "Make an empty pack", func(ctx context.Context, conn *cli.Connection, name string) error {
		return conn.Admin.Emojis.CreatePack(ctx, name)
	})
	cmd.ValidArgsFunction = nil
	return cmd
}

func packRemoveCommand(a *cli.App) *cobra.Command {
	return onPack(a, action.EmojiPackRemove, action.L2, "remove NAME", "Remove a pack with all its pictures, also from posts that have them", func(ctx context.Context, conn *cli.Connection, name string) error {
		return conn.Admin.Emojis.DeletePack(ctx, name)
	})
}

func packEditCommand(a *cli.App) *cobra.Command {
	said := map[string]any{}
	cmd := onPack(a, action.EmojiPackEdit, action.L0, "edit NAME [--share] [--license TEXT] ...", "Change what a pack says of itself, and whether others may download it",
		func(ctx context.Context, conn *cli.Connection, name string) error {
			_, err := conn.Admin.Emojis.DescribePack(ctx, api.EmojiPackForm{Name: name, Metadata: said})
			return err
		})
	f := cmd.Flags()
	share := f.Bool("share", false, "let everybody download it; --share=false ends that")
	license := f.String("license", "", "its license: `TEXT`")
	description := f.String("description", "", "a `TEXT` about it")
	homepage := f.String("homepage", "", "the `URL` of its page")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		for flag, value := range map[string]any{"share": *share, "license": *license, "description": *description, "homepage": *homepage} {
			if cmd.Flags().Changed(flag) {
				said[strings.Replace(flag, "share", "share-files", 1)] = value
			}
		}
		if len(said) == 0 {
			return cli.Usagef("--share, --license, --description or --homepage is needed")
		}
		return nil
	}
	return cmd
}

func packImportCommand(a *cli.App) *cobra.Command {
	var from, as string
	cmd := &cobra.Command{
		Use:   "import NAME FILE | NAME --from URL",
		Short: "Make a pack of a zip archive, or of a pack that another server shares",
		Long: `Make a pack of a zip archive, or of a pack that another server shares.

FILE is an archive with a pack.json, an emoji.txt or pictures alone, of at most 66 MiB;
- is standard input, and the archive at a URL is fetched by the server. --from names
another server like https://far.example, whose pack NAME is imported. Files that can
be no emoji are left out, and named.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 2 && from == "" || len(args) == 1 && from != "" {
				return nil
			}
			return cli.Usagef("a name and a file are needed, or a name and --from")
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the server that shares the pack, at this `URL`")
	cmd.Flags().StringVar(&as, "as", "", "its `NAME` here, with --from")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if as != "" && from == "" {
			return cli.Usagef("--as is for --from")
		}
		if err := a.MayAdminister(true); err != nil {
			return err
		}
		name, address := args[0], ""
		var archive []byte
		if from == "" {
			if strings.HasPrefix(args[1], "https://") || strings.HasPrefix(args[1], "http://") {
				address = args[1]
			} else {
				var err error
				if archive, err = a.ReadShort("file", args[1], maxPackArchive); err != nil {
					return err
				}
			}
		} else if as != "" {
			name = as
		}
		conn, err := a.Connect(cmd.Context())
		if err != nil {
			return err
		}
		var done *api.ImportedPack
		w := cli.Write{Kind: action.EmojiPackImport, Target: "emoji-pack/" + name, What: "import pack " + action.Quote(name), Token: name}
		sent, err := a.Perform(cmd.Context(), conn, w, func(ctx context.Context) (err error) {
			switch {
			case from != "":
				done, err = conn.Admin.Emojis.DownloadPack(ctx, api.PackDownload{URL: from, Name: args[0], As: as})
			case address != "":
				done, err = conn.Admin.Emojis.ImportPackFrom(ctx, api.PackArchive{Name: name, URL: address})
			default:
				done, err = conn.Admin.Emojis.ImportPack(ctx, name, client.File{Name: filepath.Base(args[1]), Content: bytes.NewReader(archive)})
			}
			return err
		})
		if !sent {
			return err
		}
		if err == nil {
			for i, file := range slices.Sorted(maps.Keys(done.Skipped)) {
				if i == 20 {
					fmt.Fprintf(a.ErrOut, "left out %d more files\n", done.SkippedCount-i)
					break
				}
				fmt.Fprintf(a.ErrOut, "left out %s: %s\n", action.Quote(file), safe.Line(done.Skipped[file]))
			}
		}
		return a.ShowResults([]action.Result{cli.ResultOf(w.Kind, w.Target, err)})
	}
	return cmd
}

func packExportCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "export NAME",
		Short: "Write the zip archive of a shared pack to standard output",
		Long: `Write the zip archive of a shared pack to standard output.

"emoji pack edit NAME --share" lets everybody download a pack.`,
		Args:              cli.ExactArgs(1, "the name of a pack"),
		ValidArgsFunction: completePacks(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.TTYOut {
				return cli.Usagef("an archive is no text: write it to a file with > %s.zip", args[0])
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			archive, err := conn.Emojis.Archive(cmd.Context(), strings.TrimPrefix(args[0], "emoji-pack/"))
			if err != nil {
				return err
			}
			_, err = a.Out.Write(archive)
			return err
		},
	}
}

func completePacks(a *cli.App) cli.Completer {
	return a.Completing("emoji-pack", func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
		found, err := packs(ctx, c, "")
		var offers []cobra.Completion
		for _, p := range found {
			offers = append(offers, cli.Described(p.name, p.Pack.Description))
		}
		return offers, err
	})
}
