package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/login"
	"svc/client/playbook"
	"svc/cmd/svcctl/cli"
	"svc/tui"
	"svc/tui/draw"
	"svc/tui/keys"
)

func tuiCommand(a *cli.App) *cobra.Command {
	var look looks
	var trace string
	cmd := &cobra.Command{
		Use:   "tui",
		Short: "Triage reports in the terminal",
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if v := a.Getenv("ACCESSIBLE"); v != "" && v != "0" {
				look.plain = true
			}
			switch {
			case look.theme != "" && !slices.Contains(draw.ThemeNames(), look.theme):
				return cli.Usagef("--theme %s: %s are accepted", action.Quote(look.theme), cli.AnyOf(draw.ThemeNames()))
			case !look.plain && (!a.TTYIn || !a.TTYOut):
				return cli.Usagef("tui needs a terminal on standard input and output, or --plain")
			case !look.plain && a.Flags.Debug && a.TTYErr:
				return cli.Usagef("--debug would write over the screen; send standard error to a file")
			case look.plain && trace != "":
				return cli.Usagef("--trace measures frames, and --plain draws none")
			case a.Flags.DryRun:
				return cli.Usagef("--dry-run does not go with tui; --read-only keeps it from sending")
			}
			if trace != "" {
				file, err := createTrace(trace)
				if err != nil {
					return err
				}
				defer func() { err = errors.Join(err, file.Close()) }()
				look.trace = file
			}
			o, err := look.options(cmd.Context(), a)
			if err != nil {
				return err
			}
			boundMemory(a)
			return tui.Run(cmd.Context(), o)
		},
	}
	cmd.Flags().StringVar(&look.theme, "theme", "", "colours: "+cli.AnyOf(draw.ThemeNames()))
	cmd.Flags().BoolVar(&look.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	cmd.Flags().BoolVar(&look.plain, "plain", false, "a dialogue of lines, for screen readers and bad lines; also with ACCESSIBLE=1")
	cmd.Flags().StringVar(&trace, "trace", "", "write the times of keys, frames and answers to `FILE`, a JSON object a line")
	a.CompleteFlag(cmd, "theme", draw.ThemeNames()...)
	return cli.Examples(cmd, "tui --theme light", "tui --plain")
}

// looks are the flags of the terminal UI.
type looks struct {
	theme          string
	noMouse, plain bool
	trace          io.Writer
}

// boundMemory has the collector keep the program small, also with all of a long queue
// loaded. GOMEMLIMIT says otherwise.
func boundMemory(a *cli.App) {
	const most = 150 << 20
	if a.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(most)
	}
}

// createTrace makes the file of a trace, which its owner alone reads: it has keys.
func createTrace(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, cli.Usagef("--trace: %v", err)
	}
	return file, nil
}

// options are those of the terminal UI on a's instance.
func (l looks) options(ctx context.Context, a *cli.App) (tui.Options, error) {
	keys, filters, err := tuiConfig(a)
	if err != nil {
		return tui.Options{}, err
	}
	conn, err := a.Connect(ctx)
	if err != nil {
		return tui.Options{}, err
	}
	books, err := playbook.Load(conn.Config.Playbooks, conn.Config.Templates)
	if err != nil {
		return tui.Options{}, err
	}
	theme := cmp.Or(l.theme, conn.Context.Theme)
	if !a.Colored(true) {
		theme = "mono"
	}
	return tui.Options{
		Client:    conn.Client,
		Context:   conn.Name,
		Theme:     theme,
		Colour:    conn.Context.Color,
		Getenv:    a.Getenv,
		StateDir:  login.PathsFrom(a.Getenv).State,
		NoMouse:   l.noMouse,
		Trace:     l.trace,
		Plain:     l.plain,
		ReadOnly:  conn.ReadOnly,
		Keys:      keys,
		Filters:   filters,
		Playbooks: books,
		Templates: conn.Config.Templates,
		Renewal: &tui.Renewal{
			Begin: func() (*login.Login, error) { return a.LogInAgain(conn) },
			Keep:  func(c login.Credential) (*client.Client, error) { return a.Renew(conn, c) },
		},
		Instances: l.instances(a),
		Command:   paletteCommand(a),
		Complete:  paletteWords(a),
	}, nil
}

// instances are the contexts of the configuration file, to which the terminal UI
// switches.
func (l looks) instances(a *cli.App) *tui.Instances {
	return &tui.Instances{
		List: func() ([]tui.Instance, error) {
			config, err := login.LoadConfig(login.PathsFrom(a.Getenv).Config)
			if err != nil {
				return nil, err
			}
			var all []tui.Instance
			for _, name := range config.Names() {
				c := config.Contexts[name]
				all = append(all, tui.Instance{Name: name, URL: c.URL, Colour: c.Color, ReadOnly: c.ReadOnly})
			}
			return all, nil
		},
		Open: func(ctx context.Context, name string) (tui.Options, error) { return l.options(ctx, a.OnContext(name)) },
	}
}

// tuiConfig reads what the configuration file says of the terminal UI.
func tuiConfig(a *cli.App) (bound map[string][]string, filters map[string]string, err error) {
	path := login.PathsFrom(a.Getenv).Config
	config, err := login.LoadConfig(path)
	if err != nil {
		return nil, nil, err
	}
	if bound, err = keys.Read(config.Keys); err == nil {
		err = tui.CheckFilters(config.Filters)
	}
	for _, name := range config.Names() {
		c := config.Contexts[name]
		switch {
		case err != nil:
		case c.Theme != "" && !slices.Contains(draw.ThemeNames(), c.Theme):
			err = fmt.Errorf("context %s: theme %s: %s are accepted", name, action.Quote(c.Theme), cli.AnyOf(draw.ThemeNames()))
		case c.Color != "" && !slices.Contains(draw.ContextColours(), c.Color):
			err = fmt.Errorf("context %s: color %s: %s are accepted", name, action.Quote(c.Color), cli.AnyOf(draw.ContextColours()))
		}
	}
	if err != nil {
		return nil, nil, &cli.UsageError{Message: fmt.Sprintf("%s: %v", path, err), Hint: "mend the file; svcctl doctor looks at the rest of it"}
	}
	return bound, config.Filters, nil
}
