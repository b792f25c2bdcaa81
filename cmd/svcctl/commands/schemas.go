package commands

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/api"
	"svc/client/nearest"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// schema is what the commands of one noun print.
type schema struct {
	name     string // the noun, with the verb where one prints something else
	command  string // one that prints it
	fields   []output.Field
	document func() json.RawMessage
}

func schemaOf[T any](name, command string, shape output.Shape[T]) schema {
	return schema{name, command, shape.Fields(), shape.Schema}
}

// schemas are all objects that commands print with -o json.
func schemas() []schema {
	return []schema{
		schemaOf("account", "account get kim", accountShape),
		schemaOf("alias", "alias list", aliasShape),
		schemaOf("app", "app list", appShape),
		schemaOf("chat", "chat list kim", chatShape),
		schemaOf("chat messages", "chat messages 1", messageShape),
		schemaOf("config", "config get", configShape),
		schemaOf("config describe", "config describe", output.Shape[api.ConfigDescription]{}),
		schemaOf("config history", "config history", pastShape),
		schemaOf("context", "context list", contextShape),
		schemaOf("digest", "digest", digestShape),
		schemaOf("doc", "doc get instance-panel", docShape),
		schemaOf("doctor", "doctor", checkShape),
		schemaOf("emoji", "emoji list", emojiShape),
		schemaOf("emoji pack", "emoji pack list", packShape),
		schemaOf("federation", "federation hosts", hostShape),
		schemaOf("instance", "instance show", instanceShape),
		schemaOf("instance get", "instance get far.example", knownShape),
		schemaOf("instance limits", "instance limits", limitedShape),
		schemaOf("instance restrictions", "instance restrictions", restrictionShape),
		schemaOf("invite", "invite list", inviteShape),
		schemaOf("announcement", "announcement list", announcementShape),
		schemaOf("rule", "rule list", ruleShape),
		schemaOf("jobs", "jobs list", jobShape),
		schemaOf("jobs queues", "jobs queues", queueShape),
		schemaOf("journal", "journal", journalShape),
		schemaOf("log", "log list", logShape),
		schemaOf("media cached", "media cached", cachedShape),
		schemaOf("relay", "relay list", relayShape),
		schemaOf("report", "report list", reportShape),
		schemaOf("report groups", "report groups --by account", groupShape),
		schemaOf("result", "", cli.ResultShape),
		schemaOf("role", "role get kim", roleShape),
		schemaOf("server", "server needs-reboot", rebootShape),
		schemaOf("ssh-key", "ssh-key list", sshKeyShape),
		schemaOf("stats", "stats", statsShape),
		schemaOf("status", "status list", statusShape),
		schemaOf("user", "user list", userShape),
		schemaOf("user credentials", "user credentials get kim", credentialsShape),
	}
}

func schemaNames() []string {
	var names []string
	for _, s := range schemas() {
		names = append(names, s.name)
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
			i := slices.IndexFunc(all, func(s schema) bool { return s.name == name })
			if i < 0 {
				e := &cli.UsageError{Message: "there is no schema " + name, Hint: "svcctl schema lists the names"}
				if near := nearest.Words(name, schemaNames()); len(near) > 0 {
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
				return a.PrintOne(nil, output.Record{Name: "schema/" + name, JSON: all[i].document()})
			}
			return schemaFieldShape.Print(p, all[i].fields, false)
		},
	}, "schema report", "schema user -o json", "schema report groups")
}

// completeFields offers the fields of what a command prints, after those that are
// typed already.
func completeFields(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := strings.Fields(cmd.CommandPath())[1:]
	var of *schema
	for _, s := range schemas() {
		if s.name == strings.Join(words, " ") || of == nil && len(words) > 0 && s.name == words[0] {
			of = &s
		}
	}
	if of == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var offers []cobra.Completion
	for _, f := range of.fields {
		offers = append(offers, before+f.Name)
	}
	return cli.StartingWith(offers, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
