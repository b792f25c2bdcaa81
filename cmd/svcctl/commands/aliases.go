package commands

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/shlex"
	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/login"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// alias is a command of one's own.
type alias struct {
	Name    string `json:"name"`
	Command string `json:"command"`
}

var aliasShape = output.Shape[alias]{
	Plural: "aliases",
	Name:   func(x alias) string { return x.Name },
	Raw:    output.JSON[alias],
	Columns: []output.Column[alias]{
		output.Text("NAME", func(x alias) string { return x.Name }),
		output.Text("COMMAND", func(x alias) string { return x.Command }),
	},
}

func aliasCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("alias", "Give commands short names of one's own", aliasListCommand(a), aliasSetCommand(a), aliasDeleteCommand(a)),
		"alias list",
		"alias set queue 'report list --state open --all'",
		"alias set about 'report list --account $1 --all'",
		"alias delete queue",
	)
}

func aliasListCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the aliases",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			config, err := login.LoadConfig(login.PathsFrom(a.Getenv).Config)
			if err != nil {
				return err
			}
			var items []alias
			for _, name := range slices.Sorted(maps.Keys(config.Aliases)) {
				items = append(items, alias{name, config.Aliases[name]})
			}
			if len(items) == 0 {
				a.SayNone(aliasShape.Plural)
			}
			return cli.PrintItems(a, aliasShape, items, false)
		},
	}
}

func aliasSetCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "set NAME COMMAND",
		Short: "Make NAME stand for a command of svcctl",
		Long: `Make NAME stand for a command of svcctl, which is one argument, in quotes, without
svcctl itself. $1 to $9 in it are the alias's arguments, $@ is all of them; without
either they come after it. Names of commands are taken.`,
		Args: cli.ExactArgs(2, "a name and a command in quotes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, text := args[0], strings.TrimSpace(args[1])
			if err := checkAlias(cmd.Root(), name, text); err != nil {
				return err
			}
			return changeConfig(a, func(c *login.Config) error {
				if c.Aliases == nil {
					c.Aliases = map[string]string{}
				}
				c.Aliases[name] = text
				return nil
			})
		},
	}
}

func checkAlias(root *cobra.Command, name, text string) error {
	if !extensionName.MatchString(name) {
		return cli.Usagef("alias %s: lower-case letters, digits, dash and underscore are accepted", action.Quote(name))
	}
	if builtIn(root, name) {
		return cli.Usagef("alias %s: there is a command of this name", name)
	}
	words, err := shlex.Split(text)
	if err != nil || len(words) == 0 {
		return cli.Usagef("%s is no command: quotes are open, or it is empty", action.Quote(text))
	}
	if words[0] == "svcctl" {
		return cli.Usagef("leave out svcctl: svcctl alias set %s %s", name, action.Quote(strings.TrimPrefix(text, "svcctl ")))
	}
	if !builtIn(root, words[0]) {
		return &cli.UsageError{Message: "there is no command " + action.Quote(words[0]), Hint: "svcctl --help"}
	}
	if called, _, err := root.Find(words); err != nil || called.HasSubCommands() && len(words) > 1 && !strings.HasPrefix(words[1], "-") && words[1] != "$1" && words[1] != "$@" {
		return &cli.UsageError{Message: "there is no command " + action.Quote(strings.Join(words[:2], " ")), Hint: "svcctl " + words[0] + " --help"}
	}
	return nil
}

func aliasDeleteCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "delete NAME",
		Short: "Forget an alias",
		Args:  cli.ExactArgs(1, "one alias"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return cli.StartingWith(slices.Sorted(maps.Keys(loadAliases(a))), typed), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return changeConfig(a, func(c *login.Config) error {
				if _, ok := c.Aliases[args[0]]; !ok {
					return &cli.About{What: "alias " + action.Quote(args[0]), Err: cli.ErrNotHere, Hint: "svcctl alias list"}
				}
				delete(c.Aliases, args[0])
				return nil
			})
		},
	}
}
