package tables

// actions shows what this program and svcctl did from this machine, the newest first:
// what waits to be sent, what was done since the start, and what the journal has from
// before. Its rows are the program's own, so package tui reads them.
var actions = &Noun{
	Name: "actions", Things: "the journal", Help: "outbox and journal: what waits, and what was done from here", Own: true, Counted: true,
	Columns: []Column{
		{Head: "TIME", Width: 20, Look: Faint}, {Head: "STATE", Width: 16, Tone: true}, {Head: "UNDO", Width: 8}, {Head: "WHAT"},
	},
	Empty: "nothing was done from here yet",
	Bar:   []string{"undo", "outbox", "filter", "save", "copy", "back"},
}
