package main

import "svc/cmd/svcctl/cli/output"

// printer is the printer that the flags ask for.
func (a *app) printer() (*output.Printer, error) {
	screen := output.Screen{Terminal: a.ttyOut, Color: a.colored(a.ttyOut), Width: a.width}
	return output.New(a.out, a.g.Options, screen, a.now())
}

// printItems prints what was read one by one. A single object that was asked
// for by its name is printed as itself, not as a list.
func printItems[T any](a *app, shape output.Shape[T], items []T, one bool) error {
	p, err := a.printer()
	if err != nil {
		return err
	}
	return shape.Print(p, items, one)
}

// printOne prints a single object.
func (a *app) printOne(heads []output.Head, r output.Record) error {
	p, err := a.printer()
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
