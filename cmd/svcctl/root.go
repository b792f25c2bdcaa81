package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/login"
	"svc/cmd/svcctl/cli/output"
)

// globals are the flags every command takes.
type globals struct {
	output.Options
	context      string
	url          string
	insecureHTTP bool
	color        string
	debug        bool
	readOnly     bool
	dryRun       bool
	yes          bool
	max          int // -1: not given
	expect       int // -1: not given
	timeout      time.Duration
	deadline     time.Duration
	progress     string
}

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "svcctl",
		Short:         "Administer an instance of svc",
		Long:          longHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{message: "there is no command " + quote(args[0]), hint: "svcctl --help"}
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.start(cmd) },
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.errOut)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{message: err.Error(), hint: cmd.CommandPath() + " --help"}
	})
	f := root.PersistentFlags()
	f.StringVarP(&a.g.Format, "output", "o", "", "print as `FORMAT`: "+strings.Join(output.Formats(), ", "))
	f.StringVar(&a.g.JQ, "jq", "", "print what the jq `EXPRESSION` makes of json or jsonl")
	f.StringVar(&a.g.Template, "template", "", "print what the Go `TEMPLATE` makes of json or jsonl")
	f.StringVar(&a.g.Fields, "fields", "", "print these `FIELDS` only, joined by commas; ? lists them")
	f.StringVar(&a.g.Sort, "sort", "", "sort what is printed by `FIELD`; -FIELD for backwards")
	f.BoolVar(&a.g.Count, "count", false, "print only how many")
	f.BoolVar(&a.g.NoHeaders, "no-headers", false, "leave out the line of column names")
	f.BoolVar(&a.g.Envelope, "envelope", false, "wrap json and yaml as {total, complete, items}")
	f.BoolVar(&a.g.CSVRaw, "csv-raw", false, "do not quote csv cells that look like formulas")
	f.BoolVarP(&a.g.Quiet, "quiet", "q", false, "print nothing on success")
	f.StringVar(&a.g.color, "color", "auto", "colour: auto, always, never")
	f.StringVar(&a.g.context, "context", "", "use the context `NAME`")
	f.StringVar(&a.g.url, "url", "", "use the instance at `URL`")
	f.BoolVar(&a.g.insecureHTTP, "insecure-http", false, "allow plain http to other machines")
	f.BoolVar(&a.g.debug, "debug", false, "show requests and answers on standard error, secrets masked")
	f.BoolVar(&a.g.readOnly, "read-only", false, "refuse every write")
	f.BoolVar(&a.g.dryRun, "dry-run", false, "print the writes instead of sending them")
	f.BoolVarP(&a.g.yes, "yes", "y", false, "answer questions with yes")
	f.IntVar(&a.g.max, "max", -1, "refuse more than `N` targets (100 in scripts)")
	f.IntVar(&a.g.expect, "expect", -1, "refuse any other number of targets than `N`")
	f.StringVar(&a.g.progress, "progress", "auto", "progress on standard error: auto, never, jsonl")
	f.DurationVar(&a.g.timeout, "timeout", 30*time.Second, "limit for one request")
	f.DurationVar(&a.g.deadline, "deadline", 0, "limit for the whole command")
	completeFlag(root, "output", output.Formats()...)
	completeFlag(root, "progress", progressKinds...)
	completeFlag(root, "color", "auto", "always", "never")
	if err := root.RegisterFlagCompletionFunc("context", a.completeContexts); err != nil {
		panic(err) // the flag is not defined: a mistake in this program
	}
	root.AddCommand(
		reportCommand(a), userCommand(a), roleCommand(a), statusCommand(a), inviteCommand(a), chatCommand(a),
		configCommand(a), serverCommand(a), emojiCommand(a), mediaCommand(a), docCommand(a), appCommand(a), relayCommand(a),
		federationCommand(a), jobsCommand(a),
		statsCommand(a), logCommand(a),
		apiCommand(a), tuiCommand(a),
		authCommand(a), contextCommand(a), completionCommand(a), versionCommand(a),
	)
	addExamples(root)
	return root
}

// noun is a command that only groups verbs.
func noun(use, short string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return &usageError{
					message: fmt.Sprintf("there is no command %s %s", cmd.CommandPath(), quote(args[0])),
					hint:    cmd.CommandPath() + " --help",
				}
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(verbs...)
	return cmd
}

const longHelp = `Administer an instance of svc.

Targets are nick, nick@domain, id:123, or names like report/9xA and user/kim as
-o name prints them; - reads them from standard input, one per line.

Exit codes: 0 done or already so, 1 other failure, 2 usage, unconfirmed or limit
hit, 3 not logged in or not allowed, 4 not found, 5 conflict, 6 some items
failed, 7 server error, 8 network or timeout, 9 condition true, 10 declined,
11 database configuration off, 12 validation, 130 and 143 interrupted, 141 pipe
closed.

Environment: SVCCTL_URL, SVCCTL_TOKEN, SVCCTL_TOKEN_FILE, SVCCTL_CONTEXT,
SVCCTL_CONFIG, SVCCTL_OUTPUT, SVCCTL_READ_ONLY, SVCCTL_NO_KEYRING, NO_COLOR.`

// start checks the flags that every command shares and sets the deadline.
func (a *app) start(cmd *cobra.Command) error {
	// What asks for json beats the environment's choice of a format.
	if !cmd.Flags().Changed("output") && a.g.JQ == "" && a.g.Template == "" && !a.g.Envelope {
		a.g.Format = a.getenv("SVCCTL_OUTPUT")
		if a.g.Format != "" && !slices.Contains(output.Formats(), a.g.Format) {
			return usagef("SVCCTL_OUTPUT is %s: %s are accepted", quote(a.g.Format), anyOf(output.Formats()))
		}
	}
	switch a.g.color {
	case "auto", "always", "never":
	default:
		return usagef("--color %s: auto, always, never are accepted", quote(a.g.color))
	}
	if !slices.Contains(progressKinds, a.g.progress) {
		return usagef("--progress %s: %s are accepted", quote(a.g.progress), anyOf(progressKinds))
	}
	for _, count := range []struct {
		name  string
		value int
	}{{"max", a.g.max}, {"expect", a.g.expect}} {
		if cmd.Flags().Changed(count.name) && count.value < 0 {
			return usagef("--%s %d: 0 or more is needed", count.name, count.value)
		}
	}
	if a.g.timeout <= 0 {
		return usagef("--timeout %s: it must be above zero", a.g.timeout)
	}
	if cmd.Flags().Changed("deadline") && a.g.deadline <= 0 {
		return usagef("--deadline %s: it must be above zero", a.g.deadline)
	}
	if a.g.deadline > 0 {
		ctx, cancel := context.WithTimeoutCause(cmd.Context(), a.g.deadline, errDeadline)
		a.cleanup = cancel
		a.overtime = func() bool { return errors.Is(context.Cause(ctx), errDeadline) }
		cmd.SetContext(ctx)
	}
	return nil
}

// colored tells whether a stream that is or is not a terminal gets colour.
func (a *app) colored(tty bool) bool {
	switch a.g.color {
	case "always":
		return true
	case "never":
		return false
	}
	return tty && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

// connection is a session with its client.
type connection struct {
	*login.Session
	*client.Client
}

// openSession finds the session that the flags ask for.
func (a *app) openSession() (*login.Session, error) {
	return login.Open(login.PathsFrom(a.getenv), a.getenv, login.Wanted{
		Context: a.g.context, URL: a.g.url, InsecureHTTP: a.g.insecureHTTP, ReadOnly: a.g.readOnly,
	}, a.useKeyring)
}

// connect opens the session and makes its client. A missing login is noticed
// here, before anything is sent.
func (a *app) connect(ctx context.Context) (*connection, error) {
	if a.conn != nil {
		return a.conn, nil
	}
	s, err := a.openSession()
	if err != nil {
		return nil, err
	}
	if _, err := s.Token(ctx); err != nil {
		return nil, err
	}
	c, err := a.newClient(s)
	if err != nil {
		return nil, err
	}
	a.conn = &connection{Session: s, Client: c}
	return a.conn, nil
}

// mayWrite refuses early what the transport would refuse one by one.
func (c *connection) mayWrite(a *app, what string) error {
	if !c.ReadOnly || a.g.dryRun {
		return nil
	}
	return &usageError{
		message: what + ": only reading is allowed here; nothing was sent",
		hint:    "leave out --read-only, or use a context without read_only",
	}
}

// act carries actions out, or shows what would be sent, and prints the results.
func (a *app) act(ctx context.Context, conn *connection, opts action.Options, actions []action.Action) error {
	if len(actions) > 0 {
		if err := conn.mayWrite(a, actions[0].Kind.Noun()+" "+actions[0].Kind.Verb()); err != nil {
			return err
		}
	}
	opts.Progress = a.progress()
	results := action.New(conn.Client, opts).Do(ctx, actions)
	if a.g.dryRun {
		return a.showDryRun(results)
	}
	return a.showResults(results)
}

// instanceURL is where a command that logs in goes.
func (a *app) instanceURL(args []string) (*url.URL, error) {
	address := a.g.url
	if len(args) > 0 {
		address = args[0]
	}
	if address == "" {
		address = a.getenv("SVCCTL_URL")
	}
	if address == "" {
		return nil, &usageError{message: "which instance?", hint: "svcctl auth login https://example.social"}
	}
	u, err := login.ParseOrigin(address, a.g.insecureHTTP)
	if err != nil {
		return nil, usagef("%v", err)
	}
	return u, nil
}

func usagef(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...)}
}
