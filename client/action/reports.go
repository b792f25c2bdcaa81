package action

import (
	"context"
	"strconv"

	"svc/client/api"
)

const (
	adminPath   = "/api/svc/admin"
	pathReports = adminPath + "/reports"
)

func (e *Engine) reportStates(kind Kind) kindRules {
	state := kind.State()
	body := func(items []*item) api.ReportsPatch {
		var u api.ReportsPatch
		for _, it := range items {
			u.Reports = append(u.Reports, api.ReportUpdate{ID: it.id, State: state})
		}
		return u
	}
	return kindRules{
		read: e.readReport,
		wish: func(Action) map[string]string { return map[string]string{"state": state} },
		culprit: func(ctx context.Context, it *item) *Conflict {
			return e.lastLog(ctx, "report #"+it.id, func(entry api.LogEntry) bool {
				return entry.Data.Action == "report_update"
			})
		},
		send: func(ctx context.Context, items []*item) error {
			return e.client.Admin.Reports.Update(ctx, body(items).Reports...)
		},
		many:    true,
		partial: true,
		inverse: func(it *item) *Action {
			back, ok := KindForState(it.now["state"])
			if !ok {
				return nil
			}
			return &Action{Kind: back, Target: it.target.String(), Before: map[string]string{"state": state}}
		},
	}
}

func (e *Engine) readReport(ctx context.Context, it *item) error {
	report, err := e.client.Admin.Reports.Get(ctx, it.target.Name)
	if err != nil {
		return err
	}
	it.id = report.ID
	it.now = map[string]string{"state": report.State}
	it.notes = report.Notes
	return nil
}

func (e *Engine) addNote(Kind) kindRules {
	return kindRules{
		read: e.readReport,
		send: func(ctx context.Context, items []*item) error {
			return e.client.Admin.Reports.AddNote(ctx, items[0].id, items[0].action.Args["text"])
		},
		landed: func(ctx context.Context, it *item) (bool, error) {
			note, err := e.newNote(ctx, it)
			return note != 0, err
		},
		after: func(ctx context.Context, it *item) {
			// Without the note's number it cannot be taken back; the note itself is made.
			if note, err := e.newNote(ctx, it); err == nil && note != 0 {
				it.result.Inverse = &Action{
					Kind: ReportNoteDelete, Target: it.target.String(),
					Args: map[string]string{"note": strconv.FormatInt(note, 10)},
				}
			}
		},
	}
}

// newNote is the number of the note that was not there when it was read and has
// the wished text; 0 when there is none.
func (e *Engine) newNote(ctx context.Context, it *item) (int64, error) {
	again := &item{action: it.action, target: it.target}
	if err := e.readReport(ctx, again); err != nil {
		return 0, err
	}
	before := map[int64]bool{}
	for _, note := range it.notes {
		before[note.ID] = true
	}
	for _, note := range again.notes {
		if !before[note.ID] && note.Content == it.action.Args["text"] {
			return note.ID, nil
		}
	}
	return 0, nil
}

func (e *Engine) deleteNote(Kind) kindRules {
	number := func(it *item) (int64, error) {
		text := it.action.Args["note"]
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n <= 0 {
			return 0, &UsageError{"note " + Quote(text) + " is no number of a note"}
		}
		return n, nil
	}
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			n, err := number(it)
			if err != nil {
				return err
			}
			if err := e.readReport(ctx, it); err != nil {
				return err
			}
			it.now["note"] = "gone"
			for _, note := range it.notes {
				if note.ID == n {
					it.now["note"] = "there"
				}
			}
			return nil
		},
		wish: func(Action) map[string]string { return map[string]string{"note": "gone"} },
		send: func(ctx context.Context, items []*item) error {
			n, err := number(items[0])
			if err != nil {
				return err
			}
			return e.client.Admin.Reports.DeleteNote(ctx, items[0].id, n)
		},
		// Several notes of one report are several actions with one target.
		key: func(it *item) string { return it.target.String() + " " + it.action.Args["note"] },
	}
}
