package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/cmd/svcctl/cli/output"
)

const (
	defaultLimit = 50
	// allPageSize is the page size of --all: fewer requests, still small answers.
	allPageSize = 100
)

// listFlags are the flags of every list.
type listFlags struct {
	limit        int
	all          bool
	pageSize     int
	failNonempty bool
}

func (f *listFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.limit, "limit", defaultLimit, "print at most `N`")
	cmd.Flags().BoolVar(&f.all, "all", false, "print all, over all pages")
	cmd.Flags().IntVar(&f.pageSize, "page-size", 0, "ask for `N` at a time")
	cmd.Flags().BoolVar(&f.failNonempty, "fail-nonempty", false, "exit 9 when anything matches")
}

func (f *listFlags) check(cmd *cobra.Command) error {
	switch {
	case f.all && cmd.Flags().Changed("limit"):
		return Usagef("--all and --limit exclude each other")
	case f.limit < 1:
		return Usagef("--limit %d: at least 1 is needed", f.limit)
	case cmd.Flags().Changed("page-size") && f.pageSize < 1:
		return Usagef("--page-size %d: at least 1 is needed", f.pageSize)
	}
	return nil
}

// size is the page size to ask for; filtered lists look at whole pages.
func (f *listFlags) size(filtered bool) int {
	switch {
	case f.pageSize > 0:
		return f.pageSize
	case f.all || filtered:
		return allPageSize
	}
	return min(f.limit, allPageSize)
}

// Listed are the objects that a list command prints: a list of the server, with
// a filter of our own where Keep is set.
type Listed[T any] struct {
	client.Listing[T]
	Keep  func(context.Context, T) (bool, error)
	About string // the object that errors of the server name
	// None is asked when nothing matches: its error says that what was asked for does
	// not exist at all. It may be nil.
	None func(context.Context) error
}

// ListCommand makes cmd print a list. Its PreRunE refuses flags and arguments
// before anything is asked; ask finds the rows.
func ListCommand[T any](a *App, cmd *cobra.Command, shape output.Shape[T], ask func(ctx context.Context, conn *Connection, args []string) (Listed[T], error)) *cobra.Command {
	var f listFlags
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		conn, err := a.Connect(cmd.Context())
		if err != nil {
			return err
		}
		r, err := ask(cmd.Context(), conn, args)
		if err != nil {
			return err
		}
		return runList(cmd.Context(), a, f, r, shape)
	}
	return cmd
}

// named is an error of the server with its object.
func (r Listed[T]) named(err error) error {
	if r.About == "" {
		return err
	}
	return &About{What: Spell(r.About), Err: err}
}

// walk visits the items of a list once each, as many as the flags ask for, and
// counts those it looked at.
func walk[T any](ctx context.Context, f listFlags, r Listed[T], visit func(T) error) (output.Listing, int, error) {
	l := output.Listing{Total: -1}
	atStart, seen, shown := -1, 0, 0
	first := true
	for page, err := range r.PageSize(f.size(r.Keep != nil)).Pages(ctx) {
		if err != nil {
			return l, seen, r.named(err)
		}
		if first {
			atStart, first = page.Total, false
		}
		l.Total = page.Total
		for _, item := range page.Items {
			if !f.all && shown == f.limit {
				return l, seen, nil
			}
			seen++
			keep := r.Keep == nil
			if !keep {
				if keep, err = r.Keep(ctx, item); err != nil {
					return l, seen, err
				}
			}
			if keep {
				if err := visit(item); err != nil {
					return l, seen, err
				}
				shown++
			}
		}
		// Another page is not worth a request when its content is known.
		known := l.Total >= 0 && l.Total == atStart
		if !f.all && known && (shown == f.limit || seen >= l.Total) {
			break
		}
	}
	l.Complete = l.Total < 0 || seen >= l.Total
	return l, seen, nil
}

// runList walks a list and prints it. A count is of all that match, not only of
// those that would be printed.
func runList[T any](ctx context.Context, a *App, f listFlags, r Listed[T], shape output.Shape[T]) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if done, err := shape.ShowFields(p); done || err != nil {
		return err
	}
	shape.Begin(p)
	if p.Counts() {
		f.all = true
		if r.Keep == nil {
			first, err := r.PageSize(1).Page(ctx)
			if err != nil {
				return r.named(err)
			}
			if first.Total > 0 { // else the server does not count, or has none
				return f.counted(first.Total, p.Count(first.Total))
			}
		}
	}
	l, scanned, err := walk(ctx, f, r, func(item T) error { return shape.Add(p, item) })
	if err == nil && p.Added() == 0 && r.None != nil {
		if err := r.None(ctx); err != nil {
			return err
		}
	}
	if endErr := p.End(l); err == nil {
		err = endErr
	}
	if err != nil {
		return err
	}
	switch {
	case r.Keep != nil && !a.Flags.Quiet:
		total := max(l.Total, scanned)
		fmt.Fprintf(a.ErrOut, "scanned %d of %d\n", scanned, total)
	case !l.Complete && !a.Flags.Quiet:
		if l.Total > p.Added() {
			fmt.Fprintf(a.ErrOut, "%d of %d; --all prints the rest\n", p.Added(), l.Total)
		} else if l.Total < 0 && p.Added() == f.limit {
			fmt.Fprintf(a.ErrOut, "%d printed, there may be more; --all prints the rest\n", p.Added())
		}
	case p.Added() == 0:
		a.SayNone(shape.Plural)
	}
	return f.counted(p.Added(), nil)
}

// counted is err, or the failure of a list that is to be empty.
func (f *listFlags) counted(n int, err error) error {
	if err == nil && f.failNonempty && n > 0 {
		return ErrCondition
	}
	return err
}

// SayNone tells a person that nothing is all there is.
func (a *App) SayNone(plural string) {
	if a.TTYErr && a.TTYOut && !a.Flags.Quiet {
		fmt.Fprintf(a.ErrOut, "no %s\n", plural)
	}
}
