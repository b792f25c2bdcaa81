package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/login"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/tui/draw"
)

func contextCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("context", "Choose between instances",
		contextListCommand(a), contextUseCommand(a), contextAddCommand(a), contextRemoveCommand(a)),
		"context list",
		"context use social.example",
		"context add staging https://staging.example --read-only --color amber",
		"context remove staging",
	)
}

// contextJSON is a context as context list prints it.
type contextJSON struct {
	Name      string `json:"name"`
	Current   bool   `json:"current"`
	URL       string `json:"url"`
	Account   string `json:"account"`
	ReadOnly  bool   `json:"read_only"`
	Protected bool   `json:"protected"`
	Theme     string `json:"theme"`
	Color     string `json:"color"`
}

var contextShape = output.Shape[contextJSON]{
	Plural: "contexts",
	Name:   func(c contextJSON) string { return c.Name },
	Raw:    output.JSON[contextJSON],
	Columns: []output.Column[contextJSON]{
		output.Text("CURRENT", func(c contextJSON) string { return map[bool]string{true: "*"}[c.Current] }),
		output.Text("NAME", func(c contextJSON) string { return c.Name }),
		output.Text("ACCOUNT", func(c contextJSON) string { return c.Account }),
		output.Text("FLAGS", func(c contextJSON) string {
			var flags []string
			if c.ReadOnly {
				flags = append(flags, "read_only")
			}
			if c.Protected {
				flags = append(flags, "protected")
			}
			return strings.Join(flags, ",")
		}),
		output.Text("URL", func(c contextJSON) string { return c.URL }),
	},
}

func contextListCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the known instances",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(*cobra.Command, []string) error {
			config, err := login.LoadConfig(login.PathsFrom(a.Getenv).Config)
			if err != nil {
				return err
			}
			var items []contextJSON
			for _, name := range config.Names() {
				c := config.Contexts[name]
				items = append(items, contextJSON{
					Name: name, Current: name == config.Current, URL: c.URL, Account: c.Account,
					ReadOnly: c.ReadOnly, Protected: c.Protected, Theme: c.Theme, Color: c.Color,
				})
			}
			return cli.PrintItems(a, contextShape, items, false)
		},
	}
}

// changeConfig loads the configuration, changes it and saves it.
func changeConfig(a *cli.App, change func(*login.Config) error) error {
	if a.Flags.DryRun {
		return cli.Usagef("--dry-run shows requests; this command sends none")
	}
	path := login.PathsFrom(a.Getenv).Config
	config, err := login.LoadConfig(path)
	if err != nil {
		return err
	}
	if err := change(config); err != nil {
		return err
	}
	return config.Save(path)
}

func noContext(name string) error {
	return &login.ConfigError{Message: "there is no context " + action.Quote(name), Hint: "svcctl context list"}
}

func contextUseCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "use NAME",
		Short:             "Make a context the current one",
		Args:              cli.ExactArgs(1, "one context"),
		ValidArgsFunction: completeContexts(a),
		RunE: func(_ *cobra.Command, args []string) error {
			return changeConfig(a, func(c *login.Config) error {
				if _, ok := c.Contexts[args[0]]; !ok {
					return noContext(args[0])
				}
				c.Current = args[0]
				return nil
			})
		},
	}
}

func contextAddCommand(a *cli.App) *cobra.Command {
	var readOnly, protected bool
	var theme, color string
	var tokenCommand []string
	cmd := &cobra.Command{
		Use:   "add NAME URL",
		Short: "Add an instance, or change its entry",
		Args:  cli.ExactArgs(2, "a name and an address"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := login.CheckContextName(args[0]); err != nil {
				return err
			}
			if err := checkLooks(theme, color); err != nil {
				return err
			}
			origin, err := login.ParseOrigin(args[1], a.Flags.InsecureHTTP)
			if err != nil {
				return cli.Usagef("%v", err)
			}
			flags := cmd.Flags()
			return changeConfig(a, func(c *login.Config) error {
				entry := c.Contexts[args[0]]
				if entry.URL != "" && entry.URL != origin.String() {
					entry.Account = ""
				}
				entry.URL = origin.String()
				entry.InsecureHTTP = a.Flags.InsecureHTTP
				if flags.Changed("read-only") {
					entry.ReadOnly = readOnly
				}
				if flags.Changed("protected") {
					entry.Protected = protected
				}
				if flags.Changed("theme") {
					entry.Theme = theme
				}
				if flags.Changed("color") {
					entry.Color = color
				}
				if flags.Changed("token-command") {
					entry.TokenCommand = tokenCommand
				}
				c.Contexts[args[0]] = entry
				if c.Current == "" {
					c.Current = args[0]
				}
				return nil
			})
		},
	}
	// Here the flag describes the context rather than this run.
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "refuse every write there")
	cmd.Flags().BoolVar(&protected, "protected", false, "ask one level more before every write there")
	cmd.Flags().StringVar(&theme, "theme", "", "the terminal UI's colours there: "+cli.AnyOf(draw.ThemeNames()))
	cmd.Flags().StringVar(&color, "color", "", "colour of the name in the terminal UI: "+cli.AnyOf(draw.ContextColours()))
	cmd.Flags().StringSliceVar(&tokenCommand, "token-command", nil, "run `PROGRAM,ARG,...` for the token")
	a.CompleteFlag(cmd, "theme", draw.ThemeNames()...)
	a.CompleteFlag(cmd, "color", draw.ContextColours()...)
	return cmd
}

// checkLooks refuses what the terminal UI would refuse of a context.
func checkLooks(theme, color string) error {
	if theme != "" && !slices.Contains(draw.ThemeNames(), theme) {
		return cli.Usagef("--theme %s: %s are accepted", action.Quote(theme), cli.AnyOf(draw.ThemeNames()))
	}
	if color != "" && !slices.Contains(draw.ContextColours(), color) {
		return cli.Usagef("--color %s: %s are accepted", action.Quote(color), cli.AnyOf(draw.ContextColours()))
	}
	return nil
}

func contextRemoveCommand(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "remove NAME",
		Short:             "Forget an instance and its login; the token stays valid there",
		Args:              cli.ExactArgs(1, "one context"),
		ValidArgsFunction: completeContexts(a),
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			err := changeConfig(a, func(c *login.Config) error {
				if _, ok := c.Contexts[name]; !ok {
					return noContext(name)
				}
				delete(c.Contexts, name)
				if c.Current == name {
					c.Current = ""
				}
				return nil
			})
			if err != nil {
				return err
			}
			if err := login.NewStore(login.PathsFrom(a.Getenv), a.UseKeyring).Delete(name); err != nil {
				return fmt.Errorf("context %s: %w", name, err)
			}
			return nil
		},
	}
}

func completeContexts(a *cli.App) cli.Completer {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		config, err := login.LoadConfig(login.PathsFrom(a.Getenv).Config)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return config.Names(), cobra.ShellCompDirectiveNoFileComp
	}
}
