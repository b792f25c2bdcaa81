package commands

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/suggest"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/instance"
	"svc/cmd/svcctl/commands/moderation"
	"svc/cmd/svcctl/commands/settings"
)

// schemas are all objects that commands print with -o json.
func schemas() []cli.Schema {
	all := slices.Concat(settings.Schemas(), moderation.Schemas(), instance.Schemas(), []cli.Schema{
		cli.SchemaOf("alias", "alias list", aliasShape),
		cli.SchemaOf("context", "context list", contextShape),
		cli.SchemaOf("doc", "doc get instance-panel", docShape),
		cli.SchemaOf("doctor", "doctor", checkShape),
		cli.SchemaOf("result", "", cli.ResultShape),
	})
	slices.SortFunc(all, func(a, b cli.Schema) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func schemaNames() []string {
	var names []string
	for _, s := range schemas() {
		names = append(names, s.Name)
	}
	return names
}

var schemaFieldShape = output.Shape[output.Field]{
	Plural: "fields",
	Name:   func(f output.Field) string { return f.Name },
	Raw:    output.JSON[output.Field],
	Columns: []output.Column[output.Field]{
		output.Text("FIELD", func(f output.Field) string { return f.Name }),
		output.Text("TYPE", func(f output.Field) string { return f.Type }),
	},
}

func schemaCommand(a *cli.App) *cobra.Command {
	return cli.Examples(&cobra.Command{
		Use:   "schema [NOUN [VERB]]",
		Short: "Show the fields of what commands print, or its JSON Schema with -o json",
		Long: `Show the fields that --fields, --sort, --jq and --template find in the objects of a
noun. With -o json or yaml it is the JSON Schema of one object, as -o jsonl prints
them. Writes print results: svcctl schema result. Without a noun the names are listed.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 2 {
				return cli.Usagef("a noun and a verb are wanted, got %d arguments", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			start := strings.Join(append(slices.Clone(args), ""), " ")
			var words []cobra.Completion
			for _, name := range schemaNames() {
				if rest, ok := strings.CutPrefix(name, start); ok && !strings.Contains(rest, " ") {
					words = append(words, rest)
				}
			}
			return cli.StartingWith(words, typed), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := a.Out.Write([]byte(strings.Join(schemaNames(), "\n") + "\n"))
				return err
			}
			name := strings.Join(args, " ")
			all := schemas()
			i := slices.IndexFunc(all, func(s cli.Schema) bool { return s.Name == name })
			if i < 0 {
				e := &cli.UsageError{Message: "there is no schema " + name, Hint: "svcctl schema lists the names"}
				if near := suggest.Words(name, schemaNames()); len(near) > 0 {
					e.Hint = "did you mean svcctl schema " + strings.Join(near, ", or svcctl schema ") + "?"
				}
				return e
			}
			p, err := a.Printer()
			if err != nil {
				return err
			}
			switch p.Format() {
			case "json", "jsonl", "yaml":
				return a.PrintOne(nil, output.Record{Name: "schema/" + name, JSON: all[i].Document()})
			}
			return schemaFieldShape.Print(p, all[i].Fields, false)
		},
	}, "schema report", "schema user -o json", "schema report groups")
}

// completeFields offers the fields of what a command prints, after those that are
// typed already.
func completeFields(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := strings.Fields(cmd.CommandPath())[1:]
	var of *cli.Schema
	for _, s := range schemas() {
		if s.Name == strings.Join(words, " ") || of == nil && len(words) > 0 && s.Name == words[0] {
			of = &s
		}
	}
	if of == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var offers []cobra.Completion
	for _, f := range of.Fields {
		offers = append(offers, before+f.Name)
	}
	return cli.StartingWith(offers, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
