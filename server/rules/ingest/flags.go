package ingest

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"svc/db"
	"svc/server/rules/moderation"
)

// The bounds of reports: of one host at once, and then one in each reportEvery;
// the addresses in one report; and the hosts that are counted.
const (
	reportsAtOnce = 20
	reportEvery   = time.Minute
	maxFlagged    = 100
	maxHosts      = 10000
)

// onFlag files a report about a local account, with copies of its named
// statuses. The reporter is often a server actor.
func (s *Service) onFlag(ctx context.Context, in *Incoming) error {
	named := in.Activity.IDs("object")
	if len(named) > maxFlagged {
		named = named[:maxFlagged]
	}
	// Servers for links write the reason in summary, and some in both.
	content := cmp.Or(textOf(in.Activity, "content"), textOf(in.Activity, "summary"), textOf(in.Activity, "name"))
	named = append(named, noted(content)...)
	if len(named) > 2*maxFlagged {
		named = named[:2*maxFlagged]
	}
	report := moderation.RemoteReport{URI: in.ID, Comment: content}
	author := ""
	for _, id := range named {
		account, status, err := s.flagged(ctx, in.Actor, id)
		switch {
		case err != nil:
			return err
		case account != nil && report.TargetID == "":
			report.TargetID = account.ID
		case status != nil:
			report.StatusIDs = append(report.StatusIDs, status.ID)
			if author == "" && status.Local {
				author = status.AccountID
			}
		}
	}
	if report.TargetID == "" {
		report.TargetID = author
	}
	if report.TargetID == "" {
		return errDrop("it reports nobody here")
	}
	if !s.reports.take(in.Signer.Domain, s.now()) {
		return errDrop("its server files too many reports")
	}
	return in.Commit(ctx, func(tx *db.DB) error {
		_, err := s.moderation.In(tx).TakeReport(ctx, in.Actor, report)
		return err
	})
}

// flagged returns the local account and status of an id, as far as the reporter
// may see them: by ids, or by addresses of pages.
func (s *Service) flagged(ctx context.Context, by *db.Account, id string) (*db.Account, *db.Status, error) {
	if !s.ours(id) {
		return nil, nil, nil
	}
	account, err := s.db.AccountByURI(ctx, id)
	if err == nil && account.Local && !account.Invisible {
		return account, nil, nil
	}
	if err != nil && !isNotFound(err) {
		return nil, nil, err
	}
	statusID, err := s.flaggedStatus(ctx, id)
	if isNotFound(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	status, err := s.reportable(ctx, by, statusID)
	if isNotFound(err) {
		return nil, nil, nil
	}
	return nil, status, err
}

// flaggedStatus returns the id of the status at an address, or of the one that the
// activity with this id is about: Pleroma reports activities.
func (s *Service) flaggedStatus(ctx context.Context, address string) (string, error) {
	id, err := s.db.StatusByAddress(ctx, address)
	if !isNotFound(err) {
		return id, err
	}
	activity, err := s.db.ActivityByURI(ctx, address)
	if err != nil {
		return "", err
	}
	return s.db.StatusByAddress(ctx, activity.ObjectURI)
}

// reportable returns a status that an account may see. A server reports for an
// undisclosed person: it may name every status visible to any account there.
func (s *Service) reportable(ctx context.Context, by *db.Account, id string) (*db.Status, error) {
	status, err := s.social.VisibleToRemote(ctx, by, id)
	if !isNotFound(err) || by.ActorType != "Application" {
		return status, err
	}
	if status, err = s.db.StatusByID(ctx, id); err != nil {
		return nil, err
	}
	seen, err := s.db.VisibleToDomain(ctx, status, by.Domain)
	if err == nil && !seen {
		err = db.ErrNotFound
	}
	return status, err
}

// noted returns the addresses on lines of their own in a report's text, as
// Misskey writes them.
func noted(content string) []string {
	var out []string
	for line := range strings.Lines(content) {
		if address, ok := strings.CutPrefix(strings.TrimSpace(line), "Note: "); ok && len(out) < maxFlagged {
			out = append(out, strings.TrimSpace(address))
		}
	}
	return out
}

// floods limits the rate of each host: some at once, then one at a time.
type floods struct {
	mu    sync.Mutex
	until map[string]time.Time // when a host has used up its allowance
}

func (f *floods) take(host string, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.until == nil || len(f.until) > maxHosts {
		f.until = map[string]time.Time{}
	}
	until := f.until[host]
	if until.Before(now) {
		until = now
	}
	if until.Sub(now) > (reportsAtOnce-1)*reportEvery {
		return false
	}
	f.until[host] = until.Add(reportEvery)
	return true
}
