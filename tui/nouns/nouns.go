// Package nouns has the screens of the terminal UI that are tables: for each
// noun its columns, the reading of a page of rows, and the effects of keys on a
// row. Package tui draws them, stages their changes, and asks where a change
// needs it.
//
// A noun is a file with a Noun, and a line in All. It does no I/O but in the
// functions that it gives to package tui, and hands out safe.Safe alone.
package nouns

import (
	"context"
	"fmt"
	"slices"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// Noun is a screen with a table.
type Noun struct {
	// Name is the word for the palette and the help: "relays".
	Name string
	// Key shows the screen from everywhere; "" leaves it to the palette.
	Key     string
	Help    string
	Needs   Privilege // without it a moderator does not see the screen; "" is for admins alone
	Columns []Column
	// States are the words that state: takes in a filter.
	States []string
	// Searches says that the server searches for the filter's first word.
	Searches bool
	// Of is the kind of object that the rows belong to, as the palette names one:
	// chats kim. "" is for nouns that show all rows without one.
	Of string
	// Empty is shown where there are no rows; {verb} stands for the key of a verb.
	Empty string
	Rows  func(c *client.Client, q Query) Reader
	Verbs []Verb
	// Into names the noun of the rows that enter shows, with the row's Scope as
	// theirs. Without it, enter shows the row's account, or else all of the row.
	Into string
	// Beside has all of the row beside the table where there is room, not below it.
	Beside bool
}

// Privilege is a part of the admin API that a moderator may use.
type Privilege = api.Privilege

// The privileges that screens and keys need.
const (
	NeedsReports    = api.PrivilegeReports
	NeedsStatuses   = api.PrivilegeStatuses
	NeedsUsers      = api.PrivilegeUsersRead
	NeedsActivation = api.PrivilegeUsersActivation
	NeedsLog        = api.PrivilegeLog
)

// Column is a column of the table. The last one takes the rest of the line.
type Column struct {
	Head  string
	Width int
	Wide  bool // only where there are 100 cells
	Tone  bool // drawn in the row's tone; shows staged changes
}

// Query selects rows: those of a scope, and of the filter's state and word.
type Query struct {
	Scope string
	State string
	Word  string
}

// Page is some rows. Total is -1 where the server does not count.
type Page struct {
	Rows  []Row
	Total int
	Next  Reader // nil on the last page
	// Banner stands above the details until it is gone.
	Banner safe.Safe
}

// Reader reads a page.
type Reader func(ctx context.Context) (Page, error)

// Row is one object.
type Row struct {
	ID     string
	Scope  string // of the rows that enter shows, the ID where it is ""
	Target string // of actions: relay/https://relay.example/actor
	Cells  []safe.Safe
	Tone   Tone
	More   []Detail          // shown below the table, and searched
	Before map[string]string // of actions
	Args   map[string]string // of actions
	Person string            // the nickname of its account, "" for none
	Copy   string            // its address
	Search string            // a filter finds these words too
	// Value and Options are the text to edit, and texts to choose from, for verbs
	// that ask.
	Value   string
	Options []string
	Secret  bool // typing shows asterisks
}

// Detail is a line or more about a row.
type Detail struct {
	Label string
	Text  safe.Safe
}

// Tone is how good the state of a row is. A word in a cell says the same.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Good
	Warn
	Bad
	Dim
)

// Verb is the effect of a key.
type Verb struct {
	Key  string
	Name string // its name for key bindings, with the noun before it: relays.follow
	Help string
	// Kind is staged for the chosen rows, with Args; Call is made at once for one
	// row or, with New, for none. A verb has one of both.
	Kind action.Kind
	Args map[string]string
	Call func(ctx context.Context, c *client.Client, row Row, text string) (safe.Safe, error)
	// Ask is the label of a line to type. The text becomes the argument Arg, or,
	// with New, the target.
	Ask   string
	Arg   string
	New   bool
	Check func(text string) error
	// Choices are offered instead of a line.
	Choices []string
	// Fits reports rows that the verb means something for; nil is all.
	Fits func(Row) bool
	// Sure asks also before one row is changed.
	Sure bool
	// Plan, in place of Kind and Call, shows the effect of a text on a row
	// before it is carried out. Its error, and that of the plan's Send, appear
	// at the field.
	Plan func(ctx context.Context, c *client.Client, row Row, text string) (*Plan, error)
}

// Plan is a change that is shown before it is sent.
type Plan struct {
	Title safe.Safe
	Lines []Detail
	Send  func(ctx context.Context, c *client.Client) (safe.Safe, error)
}

// All is every noun, in the order of the help.
func All() []*Noun { return all }

var all = []*Noun{relays, config, configFields, statuses, invites, hosts, queues, jobs, apps, bans, changes, chats, messages, documents, stats}

// Find returns the noun of a name, nil when there is none.
func Find(name string) *Noun {
	if i := slices.IndexFunc(all, func(n *Noun) bool { return n.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

// pageSize is how many rows are asked for at once.
const pageSize = 100

// paged reads a listing page by page.
func paged[T any](l client.Listing[T], row func(T) Row) Reader {
	return func(ctx context.Context) (Page, error) {
		found, err := l.Page(ctx)
		if err != nil {
			return Page{}, err
		}
		page := Page{Total: found.Total}
		for _, item := range found.Items {
			page.Rows = append(page.Rows, row(item))
		}
		if found.Next != nil {
			page.Next = paged(*found.Next, row)
		}
		return page, nil
	}
}

// raw is a stranger's text on one line.
func raw(text string) safe.Safe { return safe.Clean(safe.Raw(text)).OneLine() }

func number[N int | int64](n N) safe.Safe { return raw(fmt.Sprint(n)) }

// at is a time to the minute, "" for none.
func at(t *api.Time) safe.Safe {
	if t == nil || t.IsZero() {
		return safe.Safe{}
	}
	return raw(t.UTC().Format("2006-01-02 15:04Z"))
}

// details leaves empty ones out.
func details(all ...Detail) []Detail {
	return slices.DeleteFunc(all, func(d Detail) bool { return d.Text.String() == "" })
}
