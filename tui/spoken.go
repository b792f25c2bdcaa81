package tui

import (
	"fmt"

	"svc/tui/list"
)

// rows is the list in front, nil where there is none.
func (p *dialogue) rows() *list.List { return p.m.screen().rows(p.m.layout()).list }

// list tells rows from the cursor on, with their numbers.
func (p *dialogue) list() {
	l := p.rows()
	if l == nil {
		p.hear("there is no list here")
		return
	}
	for i := l.Cursor(); i < min(l.Len(), l.Cursor()+plainRows); i++ {
		p.tell(fmt.Sprintf("%d: %s", i+1, p.m.screen().spokenRow(p.m.env, i)))
	}
	if l.Len() == 0 {
		p.tell("The list is empty.")
	}
}
