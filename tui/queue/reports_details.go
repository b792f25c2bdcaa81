package queue

import (
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client"
	"svc/client/action"
	"svc/tui/desk"
	"svc/tui/shown"
)

// reported takes one report that was read again.
func (r *Reports) reported(m *desk.Env, msg reportLoaded) tea.Cmd {
	delete(r.asked, msg.id)
	row, known := r.Row(msg.id)
	if errors.Is(msg.err, client.ErrNotFound) {
		if known {
			r.setState(row, "gone", "gone", true)
		}
		return r.Sync()
	}
	if msg.err != nil {
		return m.ReportsTrouble(msg.err)
	}
	r.keep(m, msg.report)
	var more tea.Cmd
	if len(r.asked) == 0 {
		more = r.wantGroup(m)
	}
	if known {
		by, at := claimOf(msg.report)
		r.SetText(row, colClaim, by)
		r.SetNum(row, numClaim, at.Unix())
	}
	if known && !m.SettledRow(msg.id) {
		if state := msg.report.State; state != r.Text(row, colState) {
			r.setState(row, state, state, true)
		}
		fresh := reportRow(msg.report)
		r.SetText(row, colMessage, fresh.Texts[colMessage])
		r.SetNum(row, numPosts, fresh.Nums[numPosts])
		r.SetNum(row, numFlags, fresh.Nums[numFlags])
	}
	return tea.Batch(more, r.Sync())
}

// readAgain fetches reports that got or lost a note, by which they may be claimed.
func (r *Reports) readAgain(m *desk.Env, results []action.Result) tea.Cmd {
	var cmds []tea.Cmd
	for _, res := range results {
		if res.Outcome == action.Changed && (res.Action.Kind == action.ReportNote || res.Action.Kind == action.ReportNoteDelete) {
			cmds = append(cmds, r.readOne(m, strings.TrimPrefix(res.Action.Target, "report/")))
		}
	}
	return tea.Batch(cmds...)
}

// readOne fetches a report of the list again.
func (r *Reports) readOne(m *desk.Env, id string) tea.Cmd {
	const atOnce = 20
	if _, known := r.Row(id); !known || r.asked[id] || len(r.asked) >= atOnce {
		return nil
	}
	return r.readReport(m, id)
}

// keep stores a report, unless a fresher one is known.
func (r *Reports) keep(m *desk.Env, found *shown.Report) {
	busy := m.Staged.Busy("report/"+found.ID) || m.Staged.Busy("user/"+found.About.Nick)
	if detail, known := r.details.Peek(found.ID); known {
		for _, p := range detail.Posts {
			busy = busy || m.Staged.Busy("status/"+p.ID)
		}
		if busy {
			return
		}
	}
	r.noted = r.noted || found.Noted
	r.details.Add(found.ID, found)
}

// detail is the report with this id, nil while it is not loaded.
func (r *Reports) detail(id string) *shown.Report {
	found, _ := r.details.Get(id)
	return found
}

// detailWait is how long the cursor rests before a report is fetched for it.
const detailWait = 80 * time.Millisecond

type detailDue struct {
	queue *Reports
	id    string
}

func (msg detailDue) Deliver(m *desk.Env) tea.Cmd { return msg.queue.detailDue(m, msg.id) }

// wantDetail fetches the report under the cursor when it is not here and the
// cursor stays.
func (r *Reports) wantDetail(m *desk.Env) tea.Cmd {
	id := r.UnderID()
	if _, grouped := r.groupUnder(); !grouped && (id == "" || r.detail(id) != nil || r.asked[id]) {
		return nil
	}
	return m.After(detailWait, func() tea.Msg { return detailDue{r, id} })
}

func (r *Reports) detailDue(m *desk.Env, id string) tea.Cmd {
	if id != r.UnderID() {
		return nil
	}
	if _, grouped := r.groupUnder(); grouped {
		return r.wantGroup(m)
	}
	if r.detail(id) != nil || r.asked[id] {
		return nil
	}
	return r.readReport(m, id)
}
