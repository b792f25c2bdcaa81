package desk

import (
	"context"
	"io"

	"svc/client"
	"svc/client/playbook"
)

// Options are the dependencies and preferences of Run.
type Options struct {
	Client *client.Client
	// Context names the instance in the header and the outbox's file; "" is
	// the server's host.
	Context string
	// Colour is one of ContextColours for the context's name, "" for one by the name.
	Colour string
	// Theme is one of ThemeNames, or "" to choose by the terminal.
	Theme string
	// Getenv is the environment of the terminal, for its colours and its locale;
	// nil is this process's.
	Getenv func(string) string
	// StateDir holds outbox, drafts and the journal. It is made when missing.
	StateDir string
	// In and Out are the terminal; nil is standard input and output. Without
	// Remote they are files.
	In  io.Reader
	Out io.Writer
	// Remote, when set, is a terminal on another machine.
	Remote  *Remote
	NoMouse bool
	// Plain is a dialogue of lines without a screen; In and Out may be pipes.
	Plain bool
	// Command carries out a command of the command line for the palette, and returns
	// its output for a screen of a width; nil is for none. Complete offers the words
	// that may stand in place of the last one of a line.
	Command  func(ctx context.Context, args []string, width int) (string, error)
	Complete func(line string) []string
	// Trace gets a JSON object a line for each key, answer and first frame, with the
	// time that it took; nil is for none.
	Trace io.Writer
	// ReadOnly refuses every key that would change something.
	ReadOnly bool
	// Playbooks are offered for reports, as far as the account may do their steps.
	Playbooks []playbook.Playbook
	// Templates are texts for notes and messages, by name; package templates fills them.
	Templates map[string]string
	// Renewal logs in again where the server refuses the token; nil leaves it to the
	// command line.
	Renewal *Renewal
	// Demo says how to reach the server, on :demo; nil where there is no such
	// command.
	Demo []string
	// Instances are others to switch to; nil where there are none.
	Instances *Instances
	// Keys puts commands, by the names that help shows, on other keys; Read
	// checks them.
	Keys map[string][]string
	// Filters are offered by name where a filter is typed; CheckFilters checks them.
	Filters map[string]string
}

// Remote is a terminal on another machine, as a server has it. This machine is not
// the person's then: the program saves no lists here, opens no browser, does not
// suspend, and leaves environment and signals of the process alone.
type Remote struct {
	// Getenv is the environment of the terminal.
	Getenv func(string) string
	// Sizes has the size of the terminal, and then each new one. Plain mode needs
	// none.
	Sizes <-chan Size
}

// Size is a terminal's, in cells.
type Size struct{ Width, Height int }
