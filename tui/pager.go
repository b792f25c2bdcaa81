package tui

import (
	"svc/client/safe"
	"svc/tui/list"
)

// pager is where a screen stands in a list that is loaded page by page. The
// answer to a query counts as long as its gen is the current one.
type pager struct {
	gen      int
	page     int // last one asked for
	loading  bool
	complete bool
	failed   safe.Safe // why the last page is missing
}

// begun reports whether anything was asked for.
func (p *pager) begun() bool { return p.page > 0 || p.loading }

// restart asks for the first page.
func (p *pager) restart() {
	p.gen++
	p.page, p.loading, p.complete = 1, true, false
}

// open reports whether there may be a next page to ask for.
func (p *pager) open() bool { return p.page > 0 && !p.loading && !p.complete }

// next asks for it.
func (p *pager) next() {
	p.loading = true
	p.page++
}

// took notes the answer to a page. One that failed is asked for again.
func (p *pager) took(page, rows int, err error) {
	p.loading = false
	if err != nil {
		p.failed, p.page = wording(err), page-1
		return
	}
	p.failed, p.complete = safe.Safe{}, rows < pageSize
}

// nothing says why a table has no rows: of things, empty where there are none.
func (d *desk) nothing(things, empty string, loading bool, failed safe.Safe, f list.Filter) line {
	again := "; " + d.keys.key(doRefresh) + " tries again"
	switch {
	case failed.String() != "":
		return inked(inkBad, "    "+things+" could not be loaded: "+failed.String()+again)
	case loading:
		return inked(inkDim, "    loading "+things)
	case f.Text != "":
		return plain("    nothing matches /" + safe.Line(f.Text) + "; " + d.keys.key(doBack) + " shows all")
	}
	return plain("    " + empty)
}
