package view

import (
	"bytes"
	"context"
	"encoding/json"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/text"
)

// AdminReports renders rows with their accounts, statuses and notes, in their
// order. The number of statements is the same for any number of rows.
func (v *View) AdminReports(ctx context.Context, rows []db.Report) ([]json.RawMessage, error) {
	out, _, err := v.adminReports(ctx, rows)
	return out, err
}

func (v *View) adminReports(ctx context.Context, rows []db.Report) ([]json.RawMessage, *evidence, error) {
	ids := make([]string, len(rows))
	accounts, deciders, counted := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		ids[i] = r.ID
		accounts[r.AccountID], accounts[r.ReporterID] = true, true
		counted[db.ReportsAbout(r.AccountID)], counted[db.ReportsBy(r.ReporterID)] = true, true
		if r.DecidedBy != "" {
			deciders[r.DecidedBy] = true
		}
	}
	shown, err := v.evidenceOf(ctx, ids, deciders)
	if err != nil {
		return nil, nil, err
	}
	counts, err := v.db.ReportCounts(ctx, keys(counted))
	if err != nil {
		return nil, nil, err
	}
	written, err := v.db.ReportNotes(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	notes := map[string][]*db.ReportNote{}
	for i := range written {
		accounts[written[i].AccountID] = true
		notes[written[i].ReportID] = append(notes[written[i].ReportID], &written[i])
	}
	who, err := v.mergedOf(ctx, accounts, true)
	if err != nil {
		return nil, nil, err
	}
	out := make([]json.RawMessage, len(rows))
	for i := range rows {
		if out[i], err = v.report(&rows[i], who, shown, counts, notes[rows[i].ID]); err != nil {
			return nil, nil, err
		}
	}
	return out, shown, nil
}

// reportsByID renders those of ids that exist.
func (v *View) reportsByID(ctx context.Context, ids []string) (map[string]json.RawMessage, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := v.db.ReportsByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	raw, err := v.AdminReports(ctx, rows)
	if err != nil {
		return nil, err
	}
	out := make(map[string]json.RawMessage, len(rows))
	for i := range rows {
		out[rows[i].ID] = raw[i]
	}
	return out, nil
}

// report writes the shape of api.AdminReport.
func (v *View) report(r *db.Report, who people, shown *evidence, counts map[string]db.ReportCounts, notes []*db.ReportNote) ([]byte, error) {
	statuses := shown.reports[r.ID]
	content := ""
	if r.Content != "" {
		content = text.Format(r.Content, text.TypePlain, text.Options{BaseURL: v.base}).HTML
	}
	size := 512 + len(r.Content)*2 + len(who.of(r.AccountID)) + len(who.of(r.ReporterID))
	for _, raw := range statuses {
		size += len(raw) + 1
	}
	for _, n := range notes {
		size += 128 + len(n.Content)*2 + len(who.of(n.AccountID))
	}
	w := &objectWriter{}
	w.out.Grow(size)
	w.value(`{"id":`, r.ID)
	w.value(`,"state":`, r.State)
	w.value(`,"content":`, content)
	w.value(`,"created_at":`, api.Time{Time: r.CreatedAt.Time})
	w.raw(`,"account":`, who.of(r.AccountID))
	w.raw(`,"actor":`, who.of(r.ReporterID))
	w.out.WriteString(`,"statuses":[`)
	for i, raw := range statuses {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.out.Write(raw)
	}
	w.out.WriteString(`],"notes":[`)
	for i, n := range notes {
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.value(`{"id":`, n.ID)
		w.value(`,"content":`, n.Content)
		w.raw(`,"user":`, who.of(n.AccountID))
		w.value(`,"created_at":`, api.Time{Time: n.CreatedAt.Time})
		w.out.WriteByte('}')
	}
	about, by := ReportCounts(counts[db.ReportsAbout(r.AccountID)]), ReportCounts(counts[db.ReportsBy(r.ReporterID)])
	svc := api.AdminReportSvc{ReportedAccount: shown.accounts[r.ID], ReportsAbout: &about, ReportsBy: &by}
	if !r.DecidedAt.IsZero() {
		svc.Decided = &api.ReportDecision{At: api.At(r.DecidedAt.Time), Nickname: shown.names[r.DecidedBy]}
	}
	w.value(`],"category":`, r.Category)
	rules := make(api.List[api.ReportRule], len(r.Rules))
	for i, rule := range r.Rules {
		rules[i] = api.ReportRule{ID: itoa(rule.ID), Text: rule.Text}
	}
	w.value(`,"rules":`, rules)
	w.value(`,"svc":`, svc)
	w.out.WriteByte('}')
	return w.out.Bytes(), w.err
}

// ReportCounts renders numbers of reports.
func ReportCounts(c db.ReportCounts) api.ReportCounts {
	return api.ReportCounts{Open: int(c.Open), Closed: int(c.Closed), Resolved: int(c.Resolved)}
}

// objectWriter puts an object together from values and from finished JSON.
type objectWriter struct {
	out bytes.Buffer
	err error
}

func (w *objectWriter) raw(name string, json []byte) {
	w.out.WriteString(name)
	w.out.Write(json)
}

func (w *objectWriter) value(name string, v any) {
	raw, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.raw(name, plainHTML(raw))
}

// ReportGroups renders groups in their order, each with its status or, when that is
// deleted, its URI and a copy.
func (v *View) ReportGroups(ctx context.Context, groups []db.ReportGroup) (json.RawMessage, error) {
	var rows []db.Report
	accounts := map[string]bool{}
	seen := map[string]int{}
	for i := range groups {
		for _, r := range groups[i].Reports {
			accounts[r.ReporterID], accounts[r.AccountID] = true, true
			if _, ok := seen[r.ID]; !ok {
				seen[r.ID] = len(rows)
				rows = append(rows, r)
			}
		}
	}
	reports, shown, err := v.adminReports(ctx, rows)
	if err != nil {
		return nil, err
	}
	who, err := v.mergedOf(ctx, accounts, true)
	if err != nil {
		return nil, err
	}
	w := &objectWriter{}
	w.out.WriteByte('[')
	for i := range groups {
		g := &groups[i]
		if len(g.Reports) == 0 {
			continue // gone since the groups were read
		}
		if w.out.Len() > 1 {
			w.out.WriteByte(',')
		}
		w.value(`{"date":`, api.Time{Time: g.Reports[0].CreatedAt.Time})
		w.raw(`,"account":`, who.of(g.Reports[0].AccountID))
		w.groupStatus(g, shown)
		w.out.WriteString(`,"actors":[`)
		comma, once := "", map[string]bool{}
		for _, r := range g.Reports {
			if !once[r.ReporterID] {
				w.raw(comma, who.of(r.ReporterID))
				comma, once[r.ReporterID] = ",", true
			}
		}
		w.out.WriteString(`],"reports":[`)
		for j, r := range g.Reports {
			if j > 0 {
				w.out.WriteByte(',')
			}
			w.out.Write(reports[seen[r.ID]])
		}
		w.out.WriteString(`]}`)
	}
	w.out.WriteByte(']')
	return w.out.Bytes(), w.err
}

// groupStatus writes the status of a group: as it is, or under its URI from a copy. With
// several copies the newest report counts that shows something else than there is now.
func (w *objectWriter) groupStatus(g *db.ReportGroup, shown *evidence) {
	var kept []byte
	for i := 0; i < len(g.Reports) && kept == nil; i++ {
		kept = shown.copies[[2]string{g.Reports[i].ID, g.StatusID}]
	}
	if now := shown.statuses[g.StatusID]; now != nil {
		if kept == nil {
			kept = now
		}
		w.raw(`,"status":`, kept[:len(kept)-1])
		w.out.WriteString(`,"deleted":false}`)
		return
	}
	w.value(`,"status":{"id":`, g.StatusURI)
	if kept != nil {
		_, rest, _ := bytes.Cut(kept, []byte(`,`)) // all behind the id, which has none
		w.raw(`,`, rest[:len(rest)-1])
	}
	w.out.WriteString(`,"deleted":true}`)
}
