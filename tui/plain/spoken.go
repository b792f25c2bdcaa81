package plain

import (
	"fmt"

	"svc/tui/list"
)

// rows is the list in front, nil where there is none.
func (p *Dialogue) rows() *list.List { return p.m.Screen().Rows(p.m.Layout()).List }

// list tells rows from the cursor on, with their numbers.
func (p *Dialogue) list() {
	l := p.rows()
	if l == nil {
		p.hear("there is no list here")
		return
	}
	for i := l.Cursor(); i < min(l.Len(), l.Cursor()+plainRows); i++ {
		p.tell(fmt.Sprintf("%d: %s", i+1, p.m.Screen().SpokenRow(p.m.Env, i)))
	}
	if l.Len() == 0 {
		p.tell("The list is empty.")
	}
}
