package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/client/action"
	"svc/client/safe"
	"svc/client/suggest"
	"svc/cmd/svcctl/cli/output"
)

// globals are the flags every command takes.
type globals struct {
	output.Options
	Context      string
	URL          string
	InsecureHTTP bool
	color        string
	Debug        bool
	readOnly     bool
	DryRun       bool
	yes          bool
	max          int // -1: not given
	expect       int // -1: not given
	timeout      time.Duration
	deadline     time.Duration
	progress     string
}

// Root is the command that all others stand below, with the flags that
// every command takes.
func (a *App) Root() *cobra.Command {
	root := &cobra.Command{
		Use:           "svcctl",
		Short:         "Administer an instance of svc",
		Long:          longHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.start(cmd) },
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.ErrOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &UsageError{Message: err.Error(), Hint: flagHint(cmd, err)}
	})
	f := root.PersistentFlags()
	format := ""
	if a.Hosted() {
		format = "json" // also of errors in flags
	}
	f.StringVarP(&a.Flags.Format, "output", "o", format, "print as `FORMAT`: "+strings.Join(output.Formats(), ", "))
	if !a.Hosted() { // programs that run here, other servers
		f.StringVar(&a.Flags.JQ, "jq", "", "print the result of the jq `EXPRESSION` on json or jsonl")
		f.StringVar(&a.Flags.Template, "template", "", "print the result of the Go `TEMPLATE` on json or jsonl")
		f.StringVar(&a.Flags.Context, "context", "", "use the context `NAME`")
		f.StringVar(&a.Flags.URL, "url", "", "use the instance at `URL`")
		f.BoolVar(&a.Flags.InsecureHTTP, "insecure-http", false, "allow plain http to other machines")
	}
	f.StringVar(&a.Flags.Fields, "fields", "", "print these `FIELDS` only, joined by commas; ? lists them")
	f.StringVar(&a.Flags.Sort, "sort", "", "sort the printed objects by `FIELD`; -FIELD for backwards")
	f.BoolVar(&a.Flags.Count, "count", false, "print only how many")
	f.BoolVar(&a.Flags.NoHeaders, "no-headers", false, "leave out the line of column names")
	f.BoolVar(&a.Flags.Envelope, "envelope", false, "wrap json and yaml as {total, complete, items}")
	f.BoolVar(&a.Flags.CSVRaw, "csv-raw", false, "do not quote csv cells that look like formulas")
	f.BoolVarP(&a.Flags.Quiet, "quiet", "q", false, "print nothing on success")
	f.StringVar(&a.Flags.color, "color", "auto", "colour: auto, always, never")
	f.BoolVar(&a.Flags.Debug, "debug", false, "show requests and answers on standard error, secrets masked")
	f.BoolVar(&a.Flags.readOnly, "read-only", false, "refuse every write")
	f.BoolVar(&a.Flags.DryRun, "dry-run", false, "print the writes instead of sending them")
	f.BoolVarP(&a.Flags.yes, "yes", "y", false, "answer questions with yes")
	f.IntVar(&a.Flags.max, "max", -1, "refuse more than `N` targets (100 in scripts)")
	f.IntVar(&a.Flags.expect, "expect", -1, "refuse any other number of targets than `N`")
	f.StringVar(&a.Flags.progress, "progress", "auto", "progress on standard error: auto, never, jsonl")
	f.DurationVar(&a.Flags.timeout, "timeout", 30*time.Second, "limit for one request")
	f.DurationVar(&a.Flags.deadline, "deadline", 0, "limit for the whole command")
	a.CompleteFlag(root, "output", output.Formats()...)
	a.CompleteFlag(root, "progress", progressKinds...)
	a.CompleteFlag(root, "color", "auto", "always", "never")
	template := strings.Replace(root.UsageTemplate(), listOfGlobals, globalLines(root.PersistentFlags()), 1)
	root.SetUsageTemplate(strings.Replace(template, ".LocalFlags.FlagUsages", fmt.Sprintf(".LocalFlags.FlagUsagesWrapped %d", helpWidth), 1))
	neat(root)
	return root
}

// listOfGlobals is where cobra's template lists the flags that every command takes,
// twenty lines that push a command's own off the screen.
const listOfGlobals = "{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}"

// globalLines names the flags that every command takes, in a few lines.
func globalLines(flags *pflag.FlagSet) string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if value, _ := pflag.UnquoteUsage(f); value != "" {
			name += " " + strings.ToUpper(value)
		}
		names = append(names, name)
	})
	return "  " + strings.Join(safe.Wrap(strings.Join(names, "; ")+". svcctl --help explains them.", 76), "\n  ")
}

// unknownCommand names the commands below cmd that a mistyped word may mean.
func unknownCommand(cmd *cobra.Command, word string) error {
	e := &UsageError{Message: "there is no command " + action.Quote(word), Hint: cmd.CommandPath() + " --help"}
	if cmd.HasParent() {
		e.Message = "there is no command " + cmd.CommandPath() + " " + action.Quote(word)
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near := suggest.Words(word, names); len(near) > 0 {
		e.Hint = "did you mean " + cmd.CommandPath() + " " + strings.Join(near, ", or "+cmd.CommandPath()+" ") + "?"
	}
	return e
}

// flagHint names the flags of cmd that a mistyped one may mean, or else its help.
func flagHint(cmd *cobra.Command, err error) string {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := suggest.Words(unknown.GetSpecifiedName(), names); len(near) > 0 {
			return "did you mean --" + strings.Join(near, ", or --") + "?"
		}
	}
	return cmd.CommandPath() + " --help"
}

// Noun is a command that only groups verbs.
func Noun(use, short string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(verbs...)
	return cmd
}

// Examples shows lines, as they are typed after svcctl, in the help of cmd or of
// the verbs below it that they call.
func Examples(cmd *cobra.Command, lines ...string) *cobra.Command {
	for _, line := range lines {
		called, _, err := cmd.Find(strings.Fields(line)[1:])
		if err != nil {
			panic(err) // no such command: a mistake in this program
		}
		if called.Example != "" {
			called.Example += "\n"
		}
		called.Example += "  svcctl " + line
	}
	return cmd
}

const longHelp = `Administer an instance of svc.

Targets are nick, nick@domain, id:123, or names like report/9xA and user/kim as
-o name prints them; - reads them from standard input, one per line.

Exit codes: 0 done or already so, 1 other failure, 2 usage, unconfirmed or limit
hit, 3 not logged in or not allowed, 4 not found, 5 conflict, 6 some items
failed, 7 server error, 8 network, timeout or too many requests, 9 condition
true, 10 declined, 11 database configuration off, 12 validation, 130 and 143
interrupted, 141 pipe closed.

Environment: SVCCTL_URL, SVCCTL_TOKEN, SVCCTL_TOKEN_FILE, SVCCTL_CONTEXT,
SVCCTL_CONFIG, SVCCTL_OUTPUT, SVCCTL_READ_ONLY, SVCCTL_NO_KEYRING, NO_COLOR.`

// start checks the flags that every command shares and sets the deadline.
func (a *App) start(cmd *cobra.Command) error {
	// A flag that implies json beats the environment's choice of a format.
	if !cmd.Flags().Changed("output") && a.Flags.JQ == "" && a.Flags.Template == "" && !a.Flags.Envelope {
		a.Flags.Format = a.Getenv("SVCCTL_OUTPUT")
		if a.Flags.Format != "" && !slices.Contains(output.Formats(), a.Flags.Format) {
			return Usagef("SVCCTL_OUTPUT is %s: %s are accepted", action.Quote(a.Flags.Format), AnyOf(output.Formats()))
		}
	}
	switch a.Flags.color {
	case "auto", "always", "never":
	default:
		return Usagef("--color %s: auto, always, never are accepted", action.Quote(a.Flags.color))
	}
	if !slices.Contains(progressKinds, a.Flags.progress) {
		return Usagef("--progress %s: %s are accepted", action.Quote(a.Flags.progress), AnyOf(progressKinds))
	}
	for _, count := range []struct {
		name  string
		value int
	}{{"max", a.Flags.max}, {"expect", a.Flags.expect}} {
		if cmd.Flags().Changed(count.name) && count.value < 0 {
			return Usagef("--%s %d: 0 or more is needed", count.name, count.value)
		}
	}
	if a.Flags.timeout <= 0 {
		return Usagef("--timeout %s: it must be above zero", a.Flags.timeout)
	}
	if cmd.Flags().Changed("deadline") && a.Flags.deadline <= 0 {
		return Usagef("--deadline %s: it must be above zero", a.Flags.deadline)
	}
	if a.Flags.deadline > 0 {
		ctx, cancel := context.WithTimeoutCause(cmd.Context(), a.Flags.deadline, errDeadline)
		a.cleanup = cancel
		a.overtime = func() bool { return errors.Is(context.Cause(ctx), errDeadline) }
		cmd.SetContext(ctx)
	}
	return nil
}

// Timeout is the limit for one request.
func (a *App) Timeout() time.Duration { return a.Flags.timeout }

// Colored tells whether a stream that is or is not a terminal gets colour.
func (a *App) Colored(tty bool) bool {
	switch a.Flags.color {
	case "always":
		return true
	case "never":
		return false
	}
	return tty && a.Getenv("NO_COLOR") == "" && a.Getenv("TERM") != "dumb"
}
