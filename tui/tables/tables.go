// Package tables has the screens of the terminal UI that are tables: for each
// noun its columns, the reading of a page of rows, and the effects of keys on a
// row. Package tui draws them, stages their changes, and asks where a change
// needs it.
//
// A noun is a file with a Noun, and a line in All. It does no I/O but in the
// functions that it gives to package tui, and hands out safe.Safe alone.
package tables

import (
	"context"
	"fmt"
	"slices"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/tui/shown"
)

// Noun is a screen with a table.
type Noun struct {
	// Name is the word for the palette and the help: "relays".
	Name string
	// Things are the rows in sentences, where the name does not fit.
	Things string
	// Key shows the screen from everywhere; "" leaves it to the palette.
	Key   string
	Help  string
	Needs Privilege // without it a moderator does not see the screen; "" is for admins alone
	// Part is a privilege that opens the rows in the state PartState alone, "" for none.
	Part      Privilege
	PartState string
	Columns   []Column
	// States are the words that state: takes in a filter.
	States []string
	// Accounts says that the rows are accounts: the verbs are named without the noun,
	// and hold on the page of one account too.
	Accounts bool
	// Counted has the title say of how many rows there are, also where all are shown.
	Counted bool
	// Searches says that the server searches for the filter's first word.
	Searches bool
	// Of is the kind of object that the rows belong to, as the palette names one:
	// chats kim. "" is for nouns that show all rows without one.
	Of string
	// Empty is shown where there are no rows; {verb} stands for the key of a verb.
	Empty string
	Rows  func(c *client.Client, q Query) Reader
	// One reads the row of an object again that was changed. Without it, the whole
	// table is read again.
	One   func(ctx context.Context, c *client.Client, row Row) (Row, error)
	Verbs []Verb
	// Bar are the commands in the bar at the bottom; nil is for enter, the verbs, and
	// what every table has.
	Bar []string
	// Waiting counts the work that waits here, for the tab; nil is for none.
	Waiting func(ctx context.Context, c *client.Client) (int, error)
	// Own says that the rows are what the program itself did, and that undo is about the
	// one under the cursor; Rows is nil then.
	Own bool
	// Logged is the row of a new entry in the moderation log, which comes in by itself.
	Logged func(e shown.Entry) Row
	// Into names the noun of the rows that enter shows, with the row's Scope as
	// theirs. Without it, enter shows the row's account, or else all of the row.
	Into string
	// Beside has all of the row beside the table where there is room, not below it.
	Beside bool
	// Below is how many lines below the table have all of the row: 0 for some, -1 for
	// none.
	Below int
	// BelowIn is the state of a filter in which all of the row is below the table too.
	BelowIn string
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
	NeedsApprovals  = api.PrivilegeApprovals
)

// Column is a column of the table. The last one takes the rest of the line.
type Column struct {
	Head  string
	Width int
	Least int  // where it gives way to the columns behind it
	Wide  bool // only where there are 100 cells
	Tone  bool // drawn in the row's tone; shows staged changes
	Look  Look
	// Saved columns are in saved lists alone, Unsaved ones on the screen alone.
	Saved, Unsaved bool
}

// Look is how a column is drawn.
type Look int

// The looks.
const (
	Text    Look = iota
	Account      // with its server, and a label where it looks like one of the staff
	Chip         // tags and roles
	Faint        // metadata
	Name
	Outcome // the first word is the state of a report
)

// Query selects rows: those of a scope, and of the filter's state and word.
type Query struct {
	Scope  string
	State  string
	Word   string
	Domain string
}

// Page is some rows. Total is -1 where the server does not count.
type Page struct {
	Rows  []Row
	Total int
	Next  Reader // nil on the last page
	// At is the ID of the row where the cursor begins, "" for the first.
	At string
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
	Behind safe.Safe         // a text behind a warning, shown on demand above More
	Before map[string]string // of actions
	Args   map[string]string // of actions
	Person string            // the nickname of its account, "" for none
	Copy   string            // its address
	Search string            // a filter finds these words too
	Domain string            // what @ in a filter matches
	Sort   string            // rows stand in the order of these, where there are any
	Name   string            // for labels, the address or the ID where it is ""
	// Opens are the objects that enter shows, and People those that lead to its
	// accounts: report/9xA1, user/kim. Of several, one is chosen.
	Opens, People []string
	// Account is the account that the row is, as far as it is known here.
	Account shown.Person
	// CopyID and CopyName are copied in place of the ID and the Person.
	CopyID, CopyName string
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
	// Kind is staged for the chosen rows, with Args; of several Kinds one is chosen.
	// Call is made at once for one row or, with New, for none; Kind is its name in the
	// journal then.
	Kind  action.Kind
	Kinds []KindChoice
	Args  map[string]string
	// Target is the object that Kind is about, where that is not the row.
	Target func(Row) string
	// Joined is the argument in which rows of one Target come together, by commas.
	Joined string
	Call   func(ctx context.Context, c *client.Client, row Row, text string) (safe.Safe, error)
	// Once says that the answer of a Call is shown nowhere else: it gets a page, where it
	// stands whole until somebody leaves it, and no line that goes by.
	Once bool
	// Made is what a Call changed, with what undoes it, where that is not a change of
	// the row that nothing takes back.
	Made func(row Row, text string, answer safe.Safe) action.Result
	// Ask is the label of a line to type. The text becomes the argument Arg, or,
	// with New, the target.
	Ask   string
	Arg   string
	New   bool
	Check func(text string) error
	// Optional has an empty text count.
	Optional bool
	// Names says that the text names an object of this noun.
	Names string
	// Choices are offered instead of a line.
	Choices []string
	// Fits reports rows that the verb means something for; nil is all.
	Fits func(Row) bool
	// Sure asks also before one row is changed.
	Sure bool
	// Means is the consequence for a row, shown before the change.
	Means func(Row) string
	// Says is the label in place of the kind's verb, where the verb goes by another
	// name here; its name is then not typed but asked about.
	Says string
	// Plan, for one row, shows the effect of a text before it is carried out; Kind is
	// what it does then. Its error, and that of the plan's Send, appear
	// at the field.
	Plan func(ctx context.Context, c *client.Client, row Row, text string) (*Plan, error)
}

// KindChoice is one of the kinds that a verb offers.
type KindChoice struct {
	Key, Word string
	Kind      action.Kind
}

// Stages are the kinds that v stages.
func (v Verb) Stages() []action.Kind {
	var kinds []action.Kind
	if v.Kind != "" {
		kinds = append(kinds, v.Kind)
	}
	for _, k := range v.Kinds {
		kinds = append(kinds, k.Kind)
	}
	return kinds
}

// Result is what a Call of v changed.
func (v Verb) Result(row Row, text string, answer safe.Safe) action.Result {
	if v.Made != nil {
		return v.Made(row, text, answer)
	}
	return action.Result{Action: action.Action{Kind: v.Kind, Target: row.Target}, Outcome: action.Changed}
}

// About reports whether a kind of change is of the rows.
func (n *Noun) About(kind action.Kind) bool {
	return slices.ContainsFunc(n.Verbs, func(v Verb) bool {
		return slices.ContainsFunc(v.Stages(), func(k action.Kind) bool { return k.Noun() == kind.Noun() })
	})
}

// Plan is a change that is shown before it is sent.
type Plan struct {
	Title safe.Safe
	Lines []Detail
	// Send returns the results too, for undo.
	Send func(ctx context.Context, c *client.Client) (safe.Safe, []action.Result, error)
}

// All is every noun, in the order of the help.
func All() []*Noun { return all }

var all = []*Noun{users, log, relays, config, configFields, statuses, invites, hosts, host, queues, jobs, apps, bans, changes, actions, thread, chats, messages, documents, announcements, rules, stats}

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
