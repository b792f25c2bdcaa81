package action

import (
	"context"
	"fmt"
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
			update := api.ReportUpdate{ID: it.id, State: state}
			if !e.opts.Force {
				update.Was = it.now["state"]
			}
			u.Reports = append(u.Reports, update)
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
		// The answer does not name the new note: it is the next one with this text.
		inverse: func(it *item) *Action {
			last := int64(0)
			for _, note := range it.notes {
				last = max(last, note.ID)
			}
			return &Action{
				Kind: ReportNoteDelete, Target: it.target.String(),
				Args: map[string]string{"text": it.action.Args["text"], "after": strconv.FormatInt(last, 10)},
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
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			if _, err := noteNumber(it); err != nil {
				return err // a mistake is no reason to ask the server
			}
			if err := e.readReport(ctx, it); err != nil {
				return err
			}
			n, err := noteNumber(it)
			it.now["note"], it.now["number"] = "gone", strconv.FormatInt(n, 10)
			for _, note := range it.notes {
				if note.ID == n {
					it.now["note"] = "there"
				}
			}
			return err
		},
		wish: func(Action) map[string]string { return map[string]string{"note": "gone"} },
		send: func(ctx context.Context, items []*item) error {
			n, err := strconv.ParseInt(items[0].now["number"], 10, 64)
			if err != nil {
				return err
			}
			return e.client.Admin.Reports.DeleteNote(ctx, items[0].id, n)
		},
		// Several notes of one report are several actions with one target.
		key: func(it *item) string { return fmt.Sprint(it.target, it.action.Args) },
	}
}

// noteNumber is the number of the note to delete: the one given, or that of the
// first note with the given text after a number; 0 when there is none.
func noteNumber(it *item) (int64, error) {
	if text, byText := it.action.Args["text"]; byText {
		after, err := strconv.ParseInt(it.action.Args["after"], 10, 64)
		if err != nil {
			return 0, &UsageError{"after " + Quote(it.action.Args["after"]) + " is no number of a note"}
		}
		found := int64(0)
		for _, note := range it.notes {
			if note.ID > after && note.Content == text && (found == 0 || note.ID < found) {
				found = note.ID
			}
		}
		return found, nil
	}
	text := it.action.Args["note"]
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return 0, &UsageError{"note " + Quote(text) + " is no number of a note"}
	}
	return n, nil
}
