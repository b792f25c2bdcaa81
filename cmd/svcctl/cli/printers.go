package cli

import (
	"fmt"

	"svc/cmd/svcctl/cli/output"
)

// Printer is the printer that the flags ask for.
func (a *App) Printer() (*output.Printer, error) {
	screen := output.Screen{Terminal: a.TTYOut, Color: a.Colored(a.TTYOut), Width: a.Width, Keep: a.Keep}
	if !a.Flags.Quiet {
		screen.Note = func(text string) { fmt.Fprintln(a.ErrOut, text) }
	}
	return output.New(a.Out, a.Flags.Options, screen, a.Now())
}

// PrintItems prints objects that were read one by one. A single object that was asked
// for by its name is printed as itself, not as a list.
func PrintItems[T any](a *App, shape output.Shape[T], items []T, one bool) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	return shape.Print(p, items, one)
}

// PrintOne prints a single object.
func (a *App) PrintOne(heads []output.Head, r output.Record) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	p.One = true
	p.Begin(heads)
	if err := p.Add(r); err != nil {
		return err
	}
	return p.End(output.Listing{Total: 1, Complete: true})
}
