package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/api"
	"svc/client/settings"
	"svc/client/suggest"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var fieldShape = output.Shape[settings.Field]{
	Plural: "descriptions",
	Name: func(f settings.Field) string {
		return settings.Name(f.Entry.Group, f.Key(), f.Sub()...)
	},
	Raw: func(f settings.Field) json.RawMessage { return output.JSON(f.ConfigField) },
	Columns: []output.Column[settings.Field]{
		output.Text("GROUP", func(f settings.Field) string { return f.Entry.Group }),
		output.Text("KEY", func(f settings.Field) string { return f.Key() }),
		output.Text("SUBKEY", func(f settings.Field) string { return strings.Join(f.Sub(), " ") }),
		output.Text("TYPE", func(f settings.Field) string { return settings.TypeWords(f.Type) }),
		output.Wide(output.Text("LABEL", func(f settings.Field) string { return f.Label })),
		output.Wide(output.Text("SECRET", func(f settings.Field) string {
			if f.Secret {
				return "secret"
			}
			return ""
		})),
		output.Wide(output.Text("SUGGESTIONS", func(f settings.Field) string {
			if len(f.Suggestions) == 0 {
				return ""
			}
			return string(output.JSON(f.Suggestions))
		})),
		output.Text("DESCRIPTION", func(f settings.Field) string { return f.Description }),
	},
}

func configDescribeCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "describe [GROUP [KEY [SUBKEY]]]",
		Short:             "List all settings, with their types and effects",
		ValidArgsFunction: completeConfig(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			all, err := conn.Admin.Config.Descriptions(cmd.Context())
			if err != nil {
				return err
			}
			path := make([]string, len(args))
			for i, arg := range args {
				path[i] = settings.AtomName(arg)
			}
			var found []settings.Field
			for _, f := range settings.Fields(all) {
				if startsWith(f.Path(), path) {
					found = append(found, f)
				}
			}
			if len(found) == 0 && len(path) > 0 {
				return &cli.About{What: "setting " + strings.Join(path, " "), Err: cli.ErrNotFound, Hint: "svcctl config describe"}
			}
			p, err := a.Printer()
			if err != nil {
				return err
			}
			if done, err := fieldShape.ShowFields(p); done || err != nil {
				return err
			}
			if p.Format() == "json" || p.Format() == "jsonl" || p.Format() == "yaml" {
				return showEntries(a, all, found, len(path))
			}
			return cli.PrintItems(a, fieldShape, found, false)
		},
	}
}

func startsWith(path, start []string) bool {
	if len(path) < len(start) {
		return false
	}
	for i, name := range start {
		if path[i] != name {
			return false
		}
	}
	return true
}

// showEntries prints the server's objects: whole entries, or with a subkey the
// fields.
func showEntries(a *cli.App, all []api.ConfigDescription, found []settings.Field, depth int) error {
	if depth > 2 {
		return cli.PrintItems(a, fieldShape, found, len(found) == 1)
	}
	var entries []api.ConfigDescription
	for i := range all {
		for _, f := range found {
			if f.Entry == &all[i] {
				entries = append(entries, all[i])
				break
			}
		}
	}
	return cli.PrintItems(a, output.Shape[api.ConfigDescription]{
		Plural: "descriptions",
		Name:   func(d api.ConfigDescription) string { return settings.Name(d.Group, d.Key) },
		Raw:    func(d api.ConfigDescription) json.RawMessage { return d.Raw },
	}, entries, depth == 2)
}

// typingAt is the typing of the value at a path, nil when nothing describes it.
func typingAt(ctx context.Context, conn *cli.Connection, path []string) *settings.Typing {
	all, err := conn.Admin.Config.Descriptions(ctx)
	if err != nil {
		return nil // then the value there is tells, or else the text
	}
	for _, f := range settings.Fields(all) {
		have := f.Path()
		if len(have) == len(path) && startsWith(have, path) {
			return f.Typing()
		}
	}
	return nil
}

// mustKnow refuses to save a setting that nothing reads: a place that has no value and no
// description, nor lies in one that has, is a slip.
func mustKnow(ctx context.Context, conn *cli.Connection, e *configEdit) error {
	if e.current != nil {
		return nil
	}
	all, err := conn.Admin.Config.Descriptions(ctx)
	if err != nil {
		return nil //nolint:nilerr // without descriptions nothing is a slip
	}
	group := false
	var near []string // names that may stand where the first unknown one does
	deepest := 0
	for _, f := range settings.Fields(all) {
		have := f.Path()
		depth := 0
		for depth < min(len(have), len(e.path)) && have[depth] == e.path[depth] {
			depth++
		}
		if depth > deepest {
			near, deepest = nil, depth
		}
		if depth == deepest && depth < min(len(have), len(e.path)) && !slices.Contains(near, have[depth]) {
			near = append(near, have[depth])
		}
		if startsWith(have, e.path) || startsWith(e.path, have) {
			return nil
		}
		group = group || f.Entry.Group == e.path[0]
	}
	hint := "see svcctl config describe, or add --new to save it all the same"
	if !group && e.path[0] != ":svc" {
		hint = "a group comes first, mostly svc: svcctl config set svc " + strings.TrimPrefix(e.path[0], ":") + " ...; --new saves it all the same"
	}
	if meant := suggest.Words(e.path[min(deepest, len(e.path)-1)], near); len(meant) > 0 {
		hint = "did you mean " + strings.Join(slices.Concat(e.path[:deepest], meant[:1]), " ") + "? --new saves it all the same"
	}
	return cli.Refused("there is no setting "+strings.Join(e.path, " "), hint)
}

// mustFit refuses values of a file that no setting takes, each by its name. With
// anew, only values of a wrong type are refused.
func mustFit(ctx context.Context, conn *cli.Connection, what string, wanted []settings.Setting, anew bool) error {
	all, err := conn.Admin.Config.Descriptions(ctx)
	if err != nil {
		return nil //nolint:nilerr // without descriptions the server judges alone
	}
	effective, err := compareConfig(ctx, conn, false)
	if err != nil {
		return err
	}
	var details []string
	hint := "see svcctl config describe"
	for _, r := range settings.Check(all, effective, wanted) {
		if r.Unknown && anew {
			continue
		}
		if r.Unknown {
			hint = "see svcctl config describe, or add --new to save unknown settings all the same"
		}
		details = append(details, r.String())
	}
	if len(details) == 0 {
		return nil
	}
	return cli.Refused(fmt.Sprintf("%s: %s refused; nothing was sent", what, cli.CountOf(len(details), "value")), hint, details...)
}

// mistyped makes text of a wrong type a refused value.
func mistyped(path []string, err error) error {
	var wrong *settings.TypeError
	if errors.As(err, &wrong) {
		return cli.Refused(err.Error(), "svcctl config describe "+strings.Join(path, " "))
	}
	return err
}
