package main

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
	"svc/cmd/svcctl/cli/output"
)

var docNames = []string{client.InstancePanel, client.TermsOfService}

// namedDocument is where a document is, with its name.
type namedDocument struct {
	api.Document
	name string
}

var docShape = output.Shape[namedDocument]{
	Plural: "documents",
	Name:   func(d namedDocument) string { return "doc/" + d.name },
	Raw:    func(d namedDocument) json.RawMessage { return asJSON(d.Document) },
	Columns: []output.Column[namedDocument]{
		output.Text("NAME", func(d namedDocument) string { return d.name }),
		output.Text("URL", func(d namedDocument) string { return d.URL }),
	},
}

func docCommand(a *app) *cobra.Command {
	return noun("doc", "Work on the documents by which the instance presents itself: "+anyOf(docNames),
		docGetCommand(a), docPutCommand(a), docDeleteCommand(a))
}

func docGetCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "get NAME",
		Short:             "Tell where a document is",
		Args:              exactArgs(1, "one name"),
		ValidArgsFunction: completeWords(docNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, conn, err := a.docTarget(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			d, err := conn.Admin.Documents.Get(cmd.Context(), t.Name)
			if err != nil {
				return &about{what: spell(t.String()), err: err}
			}
			return printItems(a, docShape, []namedDocument{{*d, t.Name}}, true)
		},
	}
}

func (a *app) docTarget(ctx context.Context, arg string) (action.Target, *connection, error) {
	t, err := single("doc", arg)
	if err != nil {
		return t, nil, err
	}
	if err := oneOf("document", t.Name, docNames); err != nil {
		return t, nil, err
	}
	conn, err := a.connect(ctx)
	return t, conn, err
}

func docPutCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "put NAME FILE",
		Short: "Put a file of HTML in place of a document; - for standard input",
		Args:  exactArgs(2, "a name and a file"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return completeWords(docNames)(cmd, args, typed)
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := a.readInput("file", args[1])
			if err != nil {
				return err
			}
			t, conn, err := a.docTarget(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			w := write{
				kind: "doc.put", target: t.String(), what: "replace " + spell(t.String()), token: t.Name,
			}
			if now, err := conn.Admin.Documents.Get(cmd.Context(), t.Name); err == nil && shows(cmd.Context(), conn, now.URL, data) {
				return a.showResults([]action.Result{{Action: action.Action{Kind: w.kind, Target: w.target}, Outcome: action.Unchanged}})
			}
			return a.carryOut(cmd.Context(), conn, w, func(ctx context.Context) error {
				_, err := conn.Admin.Documents.Set(ctx, t.Name, client.File{Name: filepath.Base(args[1]), Content: bytes.NewReader(data)})
				return err
			})
		},
	}
}

// shows tells whether an address of the instance answers with exactly data.
func shows(ctx context.Context, conn *connection, address string, data []byte) bool {
	resp, err := conn.Do(ctx, client.Request{Method: http.MethodGet, Path: address}, nil)
	return err == nil && bytes.Equal(resp.Body, data)
}

func docDeleteCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:               "delete NAME",
		Short:             "Go back to the document that comes with the server",
		Args:              exactArgs(1, "one name"),
		ValidArgsFunction: completeWords(docNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, conn, err := a.docTarget(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			w := write{
				kind: "doc.delete", target: t.String(), level: action.L1,
				what: "delete the instance's own " + spell(t.String()), token: t.Name,
			}
			sent, err := a.perform(cmd.Context(), conn, w, func(ctx context.Context) error {
				_, err := conn.Admin.Documents.Delete(ctx, t.Name)
				return err
			})
			if !sent {
				return err
			}
			r := resultOf(w.kind, w.target, err)
			if errors.Is(err, client.ErrNotFound) { // the instance has none of its own
				r.Outcome, r.Err = action.Unchanged, nil
			}
			return a.showResults([]action.Result{r})
		},
	}
}
