package view

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"svc/client/api"
	"svc/db"
)

// evidence is the statuses that reports name, rendered.
type evidence struct {
	reports  map[string][][]byte  // those of a report, in its order
	statuses map[string][]byte    // the existing ones, by id, as they are
	copies   map[[2]string][]byte // those that are gone or edited, with their copy, by report and status
	accounts map[string]*api.ReportedAccount
	names    map[string]string // of the moderators that are named, by id
}

// evidenceOf renders the statuses of reports: as they are, with svc.reported if they
// changed since, or from the copy with svc.deleted. One that is gone without a copy is
// left out. It has the reported accounts that changed since, and the names of moderators, those of
// deciders among them. The number of statements has a bound.
func (v *View) evidenceOf(ctx context.Context, reportIDs []string, deciders map[string]bool) (*evidence, error) {
	named, err := v.db.ReportStatuses(ctx, reportIDs)
	if err != nil {
		return nil, err
	}
	out := &evidence{reports: map[string][][]byte{}, copies: map[[2]string][]byte{}, accounts: map[string]*api.ReportedAccount{}}
	about, compared, moderators := map[string]bool{}, map[string]bool{}, deciders
	copied := make([]*db.CopiedStatus, len(named))
	for i := range named {
		n := &named[i]
		if copied[i], err = n.Copied(); err != nil {
			return nil, err
		}
		switch {
		case !n.Gone:
			about[n.StatusID] = true
			if copied[i] != nil {
				compared[n.StatusID] = true
			}
		case n.DeletedBy != "":
			moderators[n.DeletedBy] = true
		}
	}
	if out.statuses, err = v.anyStatuses(ctx, about); err != nil {
		return nil, err
	}
	now, err := v.db.CurrentCopies(ctx, keys(compared))
	if err != nil {
		return nil, err
	}
	for i := range named {
		if is := now[named[i].StatusID]; !named[i].Gone && copied[i].Same(is) {
			copied[i] = nil // other changes than edits: counters, decisions
		}
	}
	if out.names, err = v.db.Nicknames(ctx, keys(moderators)); err != nil {
		return nil, err
	}
	accounts, err := v.db.ReportedAccounts(ctx, reportIDs)
	if err != nil {
		return nil, err
	}
	var fetched map[db.ReportFile]string
	if len(accounts) > 0 || slices.ContainsFunc(copied, func(c *db.CopiedStatus) bool { return c != nil }) {
		if fetched, err = v.db.FetchedFiles(ctx, reportIDs); err != nil {
			return nil, err
		}
	}
	for id, a := range accounts {
		out.accounts[id] = v.copiedAccount(a, db.ReportFile{ReportID: id}, fetched)
	}
	then, err := v.copiedStatuses(ctx, named, copied, fetched)
	if err != nil {
		return nil, err
	}
	for i := range named {
		n, raw := &named[i], out.statuses[named[i].StatusID]
		switch {
		case raw != nil && then[i] != nil:
			raw = inSvc(raw, "reported", then[i])
			out.copies[[2]string{n.ReportID, n.StatusID}] = raw
		case raw == nil && then[i] != nil:
			// A status that went between two statements is shown so, too.
			if raw, err = asDeleted(then[i], n, out.names); err != nil {
				return nil, err
			}
			out.copies[[2]string{n.ReportID, n.StatusID}] = raw
		}
		if raw != nil {
			out.reports[n.ReportID] = append(out.reports[n.ReportID], raw)
		}
	}
	return out, nil
}

// goneStatuses renders the copies of deleted statuses, by id.
func (v *View) goneStatuses(ctx context.Context, named []db.NamedStatus) (map[string][]byte, error) {
	if len(named) == 0 {
		return nil, nil
	}
	reports, moderators := map[string]bool{}, map[string]bool{}
	copied := make([]*db.CopiedStatus, len(named))
	for i := range named {
		var err error
		if copied[i], err = named[i].Copied(); err != nil {
			return nil, err
		}
		reports[named[i].ReportID], moderators[named[i].DeletedBy] = true, true
	}
	names, err := v.db.Nicknames(ctx, keys(moderators))
	if err != nil {
		return nil, err
	}
	fetched, err := v.db.FetchedFiles(ctx, keys(reports))
	if err != nil {
		return nil, err
	}
	then, err := v.copiedStatuses(ctx, named, copied, fetched)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(named))
	for i := range named {
		if then[i] == nil {
			continue
		}
		if out[named[i].StatusID], err = asDeleted(then[i], &named[i], names); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// asDeleted adds to a rendered copy who deleted the status, and when.
func asDeleted(status []byte, n *db.NamedStatus, names map[string]string) ([]byte, error) {
	gone, err := json.Marshal(api.StatusDeletion{At: api.At(n.DeletedAt.Time), By: orServer(n.Deletion), Nickname: names[n.DeletedBy]})
	if err != nil {
		return nil, err
	}
	return inSvc(status, "deleted", gone), nil
}

// orServer is who deleted a status: one that went without a word, as a reblog does with
// its original, was deleted by the server.
func orServer(by string) string {
	if by == "" {
		return db.DeletedByServer
	}
	return by
}

// inSvc adds a field to the svc of a rendered status, its last field.
func inSvc(status []byte, name string, value []byte) []byte {
	out := make([]byte, 0, len(status)+len(name)+len(value)+8)
	out = append(append(append(out, status[:len(status)-2]...), `,"`+name+`":`...), value...)
	return append(out, "}}"...)
}

// copiedAccount renders the copy of an account. of has the report, and fetched the files
// of other servers that it keeps.
func (v *View) copiedAccount(a *db.CopiedAccount, of db.ReportFile, fetched map[db.ReportFile]string) *api.ReportedAccount {
	out := &api.ReportedAccount{Acct: a.Nickname, DisplayName: a.DisplayName, Note: a.NoteHTML, Avatar: v.avatar(a.Avatar), Header: v.orDefault(a.Header, "/images/banner.png")}
	for _, f := range a.FieldsHTML {
		out.Fields = append(out.Fields, api.Field{Name: f.Name, Value: f.Value, VerifiedAt: api.At(f.VerifiedAt)})
	}
	for address, shown := range map[string]*string{a.Avatar: &out.Avatar, a.Header: &out.Header} {
		of.Source = address
		name := cmp.Or(db.FileAt(address), fetched[of])
		if name != "" {
			*shown = v.reported(name, v.db.Now().Time)
		}
	}
	return out
}

// copiedStatuses renders the copies of named, nil ones as nil, as statuses that a stranger
// could see, with the accounts of now and the files that the reports keep.
func (v *View) copiedStatuses(ctx context.Context, named []db.NamedStatus, copies []*db.CopiedStatus, fetched map[db.ReportFile]string) ([][]byte, error) {
	out := make([][]byte, len(copies))
	accounts, parents := map[string]int64{}, map[string]bool{}
	for _, c := range copies {
		for ; c != nil; c = c.Of {
			accounts[c.AccountID] = 0
			if c.InReplyToAccountID != nil {
				parents[*c.InReplyToAccountID] = true
			}
		}
	}
	if len(accounts) == 0 {
		return out, nil
	}
	stamps, err := v.db.UserStamps(ctx, slices.Collect(maps.Keys(accounts)))
	if err != nil {
		return nil, err
	}
	for i := range stamps {
		accounts[stamps[i].ID] = stamps[i].Version
	}
	people, err := v.accountsOf(ctx, accounts)
	if err != nil {
		return nil, err
	}
	names, err := v.db.Nicknames(ctx, keys(parents))
	if err != nil {
		return nil, err
	}
	for id := range accounts {
		if people[id] == nil {
			people[id] = []byte("{}")
		}
	}
	for i, c := range copies {
		if c == nil {
			continue
		}
		p := &prepared{statuses: map[string]*statusJSON{}, accounts: people, dict: v.dict}
		p.own.now = v.db.Now()
		ref := db.StatusRef{ID: c.ID, AccountID: c.AccountID}
		kept := db.ReportFile{ReportID: named[i].ReportID, StatusID: c.ID}
		files := map[string]api.List[api.Attachment]{c.ID: v.copiedFiles(c, kept, fetched)}
		made := v.post(&c.Status, files[c.ID], names)
		if of := c.Of; of != nil {
			ref.ReblogOfID, ref.ReblogAccountID = of.ID, of.AccountID
			files[of.ID] = v.copiedFiles(of, kept, fetched)
			made = v.reblog(&c.Status, &of.Status, files)
			if err := v.putCopy(p, of, v.post(&of.Status, files[of.ID], names)); err != nil {
				return nil, err
			}
		}
		if err := v.putCopy(p, c, made); err != nil {
			return nil, err
		}
		var raw bytes.Buffer
		if p.write(&raw, &ref) {
			out[i] = raw.Bytes()
		}
	}
	return out, nil
}

func (v *View) putCopy(p *prepared, c *db.CopiedStatus, made api.Status) error {
	cut, err := cutStatus(c.Version, &made, v.dict)
	if err != nil {
		return fmt.Errorf("copy of status %s: %w", c.ID, err)
	}
	if !cut.reblog && c.Poll != nil {
		cut.extras = v.extrasOf(&c.Status, map[int64]*db.Poll{c.Poll.ID: c.Poll})
	}
	p.statuses[c.ID] = cut
	return nil
}

// copiedFiles renders the files of a copy: those that the report keeps by an address for
// those alone who may see it, others by their own.
func (v *View) copiedFiles(c *db.CopiedStatus, kept db.ReportFile, fetched map[db.ReportFile]string) api.List[api.Attachment] {
	var out api.List[api.Attachment]
	for i := range c.Files {
		m := v.Attachment(&c.Files[i])
		kept.Source = c.Files[i].URL
		name := cmp.Or(c.Files[i].File, fetched[kept])
		if name != "" {
			m.URL = v.reported(name, v.db.Now().Time)
			m.PreviewURL, m.TextURL = m.URL, m.URL
		}
		out = append(out, m)
	}
	return out
}
