package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var docNames = client.Documents()

// namedDocument is where a document is, with its name.
type namedDocument struct {
	api.Document
	name string
}

var docShape = output.Shape[namedDocument]{
	Plural: "documents",
	Name:   func(d namedDocument) string { return "doc/" + d.name },
	Raw:    func(d namedDocument) json.RawMessage { return output.JSON(d.Document) },
	Columns: []output.Column[namedDocument]{
		output.Text("NAME", func(d namedDocument) string { return d.name }),
		output.Text("URL", func(d namedDocument) string { return d.URL }),
	},
}

func docCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("doc", "Work on the documents by which the instance presents itself: "+cli.AnyOf(docNames),
		docGetCommand(a), docPutCommand(a), docDeleteCommand(a)),
		"doc get instance-panel",
		"doc put instance-panel panel.html",
		"doc delete instance-panel",
	)
}

func docGetCommand(a *cli.App) *cobra.Command {
	return oneDocCommand(a, "get NAME", "Tell where a document is", func(ctx context.Context, conn *cli.Connection, t action.Target) error {
		d, err := conn.Admin.Documents.Get(ctx, t.Name)
		if err != nil {
			return &cli.About{What: cli.Spell(t.String()), Err: err}
		}
		return cli.PrintItems(a, docShape, []namedDocument{{*d, t.Name}}, true)
	})
}

// oneDocCommand is a command on one document.
func oneDocCommand(a *cli.App, use, short string, run func(ctx context.Context, conn *cli.Connection, t action.Target) error) *cobra.Command {
	return &cobra.Command{
		Use:               use,
		Short:             short,
		Args:              cli.ExactArgs(1, "one name"),
		ValidArgsFunction: completeDocs,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, conn, err := docTarget(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			return run(cmd.Context(), conn, t)
		},
	}
}

func docTarget(ctx context.Context, a *cli.App, arg string) (action.Target, *cli.Connection, error) {
	t, err := action.ParseTarget("doc", arg)
	if err != nil {
		return t, nil, err
	}
	if err := cli.OneOf("document", t.Name, docNames); err != nil {
		return t, nil, err
	}
	conn, err := a.Connect(ctx)
	return t, conn, err
}

func docPutCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "put NAME FILE",
		Short: "Put a file of HTML in place of a document; - for standard input",
		Args:  cli.ExactArgs(2, "a name and a file"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return completeDocs(cmd, args, typed)
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.MayAdminister(true); err != nil {
				return err
			}
			data, err := a.ReadInput("file", args[1])
			if err != nil {
				return err
			}
			t, conn, err := docTarget(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			w := cli.Write{
				Kind: action.DocumentPut, Target: t.String(), What: "replace " + cli.Spell(t.String()), Token: t.Name,
			}
			if now, err := conn.Admin.Documents.Get(cmd.Context(), t.Name); err == nil && shows(cmd.Context(), conn, now.URL, data) {
				return a.ShowResults([]action.Result{{Action: action.Action{Kind: w.Kind, Target: w.Target}, Outcome: action.Unchanged}})
			}
			return a.CarryOut(cmd.Context(), conn, w, func(ctx context.Context) error {
				_, err := conn.Admin.Documents.Set(ctx, t.Name, client.File{Name: filepath.Base(args[1]), Content: bytes.NewReader(data)})
				return err
			})
		},
	}
}

// shows tells whether an address of the instance answers with exactly data.
func shows(ctx context.Context, conn *cli.Connection, address string, data []byte) bool {
	resp, err := conn.Do(ctx, client.Request{Method: http.MethodGet, Path: address}, nil)
	return err == nil && bytes.Equal(resp.Body, data)
}

func docDeleteCommand(a *cli.App) *cobra.Command {
	return oneDocCommand(a, "delete NAME", "Go back to the document that comes with the server", func(ctx context.Context, conn *cli.Connection, t action.Target) error {
		w := cli.Write{
			Kind: action.DocumentDelete, Target: t.String(), Level: action.L1,
			What: "delete the instance's own " + cli.Spell(t.String()), Token: t.Name,
		}
		sent, err := a.Perform(ctx, conn, w, func(ctx context.Context) error {
			_, err := conn.Admin.Documents.Delete(ctx, t.Name)
			return err
		})
		if !sent {
			return err
		}
		r := cli.ResultOf(w.Kind, w.Target, err)
		if errors.Is(err, client.ErrNotFound) { // the instance has none of its own
			r.Outcome, r.Err = action.Unchanged, nil
		}
		return a.ShowResults([]action.Result{r})
	})
}

// completeDocs offers the names of documents where the first argument stands.
func completeDocs(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return cli.StartingWith(docNames, typed), cobra.ShellCompDirectiveNoFileComp
}
