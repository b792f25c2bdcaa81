package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
)

// column is one column of a noun's table.
type column[T any] struct {
	title string
	wide  bool
	cell  func(p *printer, item T) string
}

// shape is how one noun is shown.
type shape[T any] struct {
	plural  string
	name    func(T) string // typed name
	raw     func(T) json.RawMessage
	columns []column[T]
}

func (s shape[T]) heads() []head {
	heads := make([]head, len(s.columns))
	for i, c := range s.columns {
		heads[i] = head{title: c.title, wide: c.wide}
	}
	return heads
}

func (s shape[T]) record(p *printer, item T) record {
	r := record{name: s.name(item), json: s.raw(item)}
	switch p.format {
	case "json", "jsonl", "yaml", "name":
		return r
	}
	r.cells = make([]string, len(s.columns))
	for i, c := range s.columns {
		r.cells[i] = c.cell(p, item)
	}
	return r
}

// showFields answers --fields '?'.
func showFields[T any](a *app, p *printer, _ shape[T]) (bool, error) {
	if p.fields != "?" {
		return false, nil
	}
	_, err := fmt.Fprintln(a.out, strings.Join(fieldsOf(reflect.TypeFor[T]()), "\n"))
	return true, err
}

// printItems prints what was read one by one. A single object that was asked
// for by its name is printed as itself, not as a list.
func printItems[T any](a *app, shape shape[T], items []T, one bool) error {
	p, err := a.printer()
	if err != nil {
		return err
	}
	p.one = one
	if err := p.begin(shape.heads()); err != nil {
		return err
	}
	for _, item := range items {
		if err := p.add(shape.record(p, item)); err != nil {
			return err
		}
	}
	return p.end(listing{total: len(items), complete: true})
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
