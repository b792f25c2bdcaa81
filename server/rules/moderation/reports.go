package moderation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"svc/db"
	"svc/server/federation/mrf"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/mail"
	"svc/server/platform/media"
	"svc/server/platform/rights"
	"svc/server/rules/notify"
)

// NewReport is a request to file a report.
type NewReport struct {
	TargetID  string // the reported account
	StatusIDs []string
	Comment   string
	Forward   bool // tell the target's server too
	Category  string
	RuleIDs   []string // with them the category is violation
	// IdempotencyKey makes a repeated report return the first one. It must be
	// unique to the caller.
	IdempotencyKey string
}

// FileReport files a report and notifies admins and moderators. Only the
// target's statuses that the reporter may see are stored, each with a copy of its present
// state: others are as good as unknown, and no id shows them to moderators. With a
// key that was used before, the first report is returned.
func (s *Service) FileReport(ctx context.Context, by *db.Account, in NewReport) (*db.Report, error) {
	return s.fileOnce(ctx, by, nil, in)
}

// FileReportFor files a report in the name of a local account, as a moderator does for
// somebody who wrote a mail, and logs who did. Every status must be the target's. A
// reporter who is remote or deactivated is refused.
func (s *Service) FileReportFor(ctx context.Context, by, reporter *db.Account, in NewReport) (*db.Report, error) {
	if err := s.rights.Check(by, ReportFiled.right); err != nil {
		return nil, err
	}
	return s.fileOnce(ctx, reporter, by, in)
}

// fileOnce files a report by somebody. moderator files it for them, nil if they do.
func (s *Service) fileOnce(ctx context.Context, by, moderator *db.Account, in NewReport) (*db.Report, error) {
	return db.Once(ctx, s.db, "report", in.IdempotencyKey,
		func(claim db.Claim[string]) (*db.Report, error) { return s.fileReport(ctx, by, moderator, in, claim) },
		func(id string) (*db.Report, error) { return s.db.Report(ctx, id) })
}

func (s *Service) fileReport(ctx context.Context, by, moderator *db.Account, in NewReport, claim db.Claim[string]) (*db.Report, error) {
	var report *db.Report
	speaker, err := s.speakerFor(ctx, in)
	if err != nil {
		return nil, err
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		id := tx.NewID()
		if err := claim(ctx, tx, id); err != nil {
			return err
		}
		target, err := tx.Account(ctx, in.TargetID)
		switch {
		case errors.Is(err, db.ErrNotFound), err == nil && target.Invisible:
			return fault.Malformed("Account not found")
		case err != nil:
			return err
		case target.ID == by.ID:
			return fault.Malformed("You cannot report yourself")
		}
		if most := s.settings.Load().Instance.MaxReportCommentSize; utf8.RuneCountInString(in.Comment) > most {
			return fault.Malformedf("Comment must be up to %d characters", most)
		}
		if err := s.social.Admit(by, mrf.Flag); err != nil {
			return err
		}
		category, rules, err := classified(ctx, tx, in)
		if err != nil {
			return err
		}
		named := in.StatusIDs
		if moderator == nil {
			if named, err = tx.VisibleIDs(ctx, db.Viewer{ID: by.ID}, named); err != nil {
				return err
			}
		}
		statuses, err := evidence(ctx, tx, target.ID, named)
		if err != nil {
			return err
		}
		if moderator != nil {
			if by, err = reporting(ctx, tx, by.ID); err != nil {
				return err
			}
			if i := slices.IndexFunc(in.StatusIDs, func(id string) bool {
				return !slices.ContainsFunc(statuses, func(s db.ReportStatus) bool { return s.StatusID == id })
			}); i >= 0 {
				return fault.Malformedf("status %s is not by %s", in.StatusIDs[i], target.Nickname)
			}
		}
		report = &db.Report{
			ID: id, AccountID: target.ID, ReporterID: by.ID, Content: strings.TrimSpace(in.Comment),
			Forwarded: in.Forward && !target.Local, Category: category, Rules: rules, CreatedAt: db.At(s.now()),
		}
		if err := s.reported(ctx, tx, by, target, report, statuses); err != nil {
			return err
		}
		if moderator != nil {
			if err := s.Log(ctx, tx, moderator, ReportFiled, Data{Report: report, Reported: target, Users: []*db.Account{by}}); err != nil {
				return err
			}
		}
		if !report.Forwarded || speaker == nil {
			return nil
		}
		uris := make([]string, 0, len(statuses))
		for _, status := range statuses {
			uris = append(uris, status.StatusURI)
		}
		return s.outbox.Flagged(ctx, tx, speaker, target, report.Content, uris)
	})
	return report, err
}

var categories = []string{db.CategorySpam, db.CategoryLegal, db.CategoryViolation, db.CategoryOther}

// classified returns the category of a report, and copies of the rules that it names.
func classified(ctx context.Context, tx *db.DB, in NewReport) (category string, named []db.ReportRule, err error) {
	if category = cmp.Or(in.Category, db.CategoryOther); !slices.Contains(categories, category) {
		return "", nil, fault.Invalid("Validation failed: Category is not included in the list")
	}
	if len(in.RuleIDs) == 0 {
		return category, nil, nil
	}
	rules, err := tx.Rules(ctx)
	if err != nil {
		return "", nil, err
	}
	for _, r := range rules {
		if slices.Contains(in.RuleIDs, strconv.FormatInt(r.ID, 10)) {
			named = append(named, db.ReportRule{ID: r.ID, Text: r.Text})
		}
	}
	for _, id := range in.RuleIDs {
		if !slices.ContainsFunc(named, func(r db.ReportRule) bool { return strconv.FormatInt(r.ID, 10) == id }) {
			return "", nil, fault.Invalid("Validation failed: Rules does not reference valid rules")
		}
	}
	return db.CategoryViolation, named, nil
}

// reporting is an account in whose name a moderator may file a report.
func reporting(ctx context.Context, tx *db.DB, id string) (*db.Account, error) {
	by, err := tx.Account(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case !by.Local || by.Invisible:
		return nil, fault.Malformed("the reporter is not an account of this server")
	case by.Deactivated:
		return nil, fault.Malformed("the reporter is deactivated")
	}
	return by, nil
}

// reported is the effect of a report, local or remote: the row, the
// notifications and the mail.
func (s *Service) reported(ctx context.Context, tx *db.DB, by, target *db.Account, report *db.Report, statuses []db.ReportStatus) error {
	if err := tx.CreateReport(ctx, report, statuses); err != nil {
		return err
	}
	if err := tx.CopyAccount(ctx, report.ID, target); err != nil {
		return err
	}
	elsewhere, err := tx.FilesElsewhere(ctx, report.ID, 1)
	if err == nil && len(elsewhere) > 0 {
		err = jobs.Enqueue(ctx, tx, jobs.KeepReported{ReportID: report.ID})
	}
	if err != nil {
		return err
	}
	moderators, err := tx.Moderators(ctx)
	if err != nil {
		return err
	}
	readers, others, err := s.reportReaders(ctx, tx, moderators)
	if err != nil {
		return err
	}
	news := db.News{Type: db.NotifyReport, From: by, ReportID: report.ID}
	if err := notify.Notify(ctx, tx, news, readers...); err != nil {
		return err
	}
	// Theirs are listed once they may read reports, and do not count as unread.
	news.Seen = true
	if err := notify.Notify(ctx, tx, news, others...); err != nil {
		return err
	}
	return s.mailReport(ctx, tx, by, target, report, statuses, moderators)
}

// reportReaders divides accounts into those who may read reports and others.
func (s *Service) reportReaders(ctx context.Context, tx *db.DB, ids []string) (readers, others []string, err error) {
	accounts, err := tx.Accounts(ctx, ids)
	for i := range accounts {
		if s.rights.Check(&accounts[i], rights.Reports) == nil {
			readers = append(readers, accounts[i].ID)
		} else {
			others = append(others, accounts[i].ID)
		}
	}
	return readers, others, err
}

// speakerFor returns the account that sends a report to the target's server;
// nil if it is not sent.
func (s *Service) speakerFor(ctx context.Context, in NewReport) (*db.Account, error) {
	if !in.Forward || s.remote == nil {
		return nil, nil
	}
	target, err := s.db.Account(ctx, in.TargetID)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, nil
	case err != nil || target.Local:
		return nil, err
	}
	return s.remote.Fetcher(ctx)
}

// maxMailed bounds the statuses in a mail about a report.
const maxMailed = 20

// mailReport mails a report to the moderators with an address.
func (s *Service) mailReport(ctx context.Context, tx *db.DB, by, target *db.Account, report *db.Report, statuses []db.ReportStatus, moderators []string) error {
	settings := s.settings.Load()
	if !settings.Mailer.On() {
		return nil
	}
	addresses, err := tx.Addresses(ctx, moderators)
	if err != nil {
		return err
	}
	var links []string
	for _, status := range statuses[:min(len(statuses), maxMailed)] {
		links = append(links, status.StatusURI)
	}
	return mail.Enqueue(ctx, tx, settings, mail.Report, map[string]string{
		"reporter": by.Nickname, "account": target.Nickname, "comment": report.Content, "statuses": strings.Join(links, "\n"),
	}, addresses...)
}

// evidence copies those of the statuses that are the target's, in their order.
func evidence(ctx context.Context, tx *db.DB, targetID string, ids []string) ([]db.ReportStatus, error) {
	rows, err := tx.CopyStatuses(ctx, ids)
	if err != nil {
		return nil, err
	}
	var out []db.ReportStatus
	for _, id := range ids {
		status := rows[id]
		if status == nil || status.AccountID != targetID {
			continue
		}
		delete(rows, id) // a repeated id counts once
		raw, err := json.Marshal(status)
		if err != nil {
			return nil, fmt.Errorf("copy status %s: %w", id, err)
		}
		kept := db.ReportStatus{StatusID: id, Copy: string(raw), Version: status.Version}
		if status.URI != nil {
			kept.StatusURI = *status.URI
		}
		out = append(out, kept)
	}
	return out, nil
}

// mostKept bounds the files of other servers that a report keeps.
const mostKept = 40

// KeepFiles fetches the files of other servers that the copies of a report show, so that
// they are there when their server removes them. Those that are banned here, or are no
// pictures, films or sounds, are left out; those that cannot be had now are tried again.
func (s *Service) KeepFiles(ctx context.Context, job jobs.KeepReported) error {
	files, err := s.db.FilesElsewhere(ctx, job.ReportID, mostKept)
	var failed error
	for _, f := range files {
		f.File, err = s.proxy.Copy(ctx, f.Source)
		switch {
		case errors.Is(err, media.ErrUpstream):
			failed = err
			continue
		case errors.Is(err, media.ErrBanned), fault.Is(err, fault.KindInvalid):
			continue
		case err != nil:
			return err
		}
		if err := s.db.Tx(ctx, func(tx *db.DB) error { return tx.KeepFetched(ctx, f) }); err != nil {
			return err
		}
	}
	return errors.Join(err, failed)
}

// dropChunk bounds the copies that one transaction drops.
const dropChunk = 100

// Sweep drops the copies of statuses whose report was closed so long ago as the settings
// say, with the files that were kept for them.
func (s *Service) Sweep(ctx context.Context) error {
	days := s.settings.Load().Instance.ReportCopyDays
	closed := db.At(s.now()).Add(-time.Duration(days) * 24 * time.Hour)
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) { return tx.DropCopies(ctx, closed, dropChunk) })
}

// ReportChange is a request to move a report to a state. With Was it is moved from
// that state only.
type ReportChange struct{ ID, State, Was string }

// Refusal is the reason why one of several changes was refused.
type Refusal struct{ ID, Reason string }

// UpdateReports moves reports to the requested states, each by itself. It
// returns the refused changes; all others are made and logged. Every change of
// state is allowed, also to the same state.
func (s *Service) UpdateReports(ctx context.Context, by *db.Account, changes []ReportChange) ([]Refusal, error) {
	if err := s.rights.Check(by, ReportUpdated.right); err != nil {
		return nil, err
	}
	var refused []Refusal
	err := s.db.Tx(ctx, func(tx *db.DB) error {
		refused = nil
		if err := s.rights.Hold(ctx, tx, by, ReportUpdated.right); err != nil {
			return err
		}
		if err := tx.LockReports(ctx); err != nil {
			return err
		}
		reports, reported, err := reportsOf(ctx, tx, changes)
		if err != nil {
			return err
		}
		for _, c := range changes {
			report := reports[c.ID]
			switch {
			case report == nil:
				refused = append(refused, Refusal{c.ID, "not_found"})
				continue
			case c.State != db.ReportOpen && c.State != db.ReportClosed && c.State != db.ReportResolved:
				refused = append(refused, Refusal{c.ID, "Unsupported state"})
				continue
			case c.Was != "" && report.State != c.Was:
				refused = append(refused, Refusal{c.ID, "state_changed"})
				continue
			}
			if err := tx.SetReportState(ctx, c.ID, c.State, by.ID); err != nil {
				return err
			}
			report.State = c.State
			if err := s.Log(ctx, tx, by, ReportUpdated, Data{Report: report, Reported: reported[report.AccountID]}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return refused, nil
}

// reportsOf returns the reports to change, and the reported accounts, by id.
func reportsOf(ctx context.Context, tx *db.DB, changes []ReportChange) (map[string]*db.Report, map[string]*db.Account, error) {
	ids := make([]string, len(changes))
	for i, c := range changes {
		ids[i] = c.ID
	}
	slices.Sort(ids)
	rows, err := tx.ReportsByID(ctx, slices.Compact(ids))
	if err != nil {
		return nil, nil, err
	}
	reports := make(map[string]*db.Report, len(rows))
	on := make([]string, len(rows))
	for i := range rows {
		reports[rows[i].ID] = &rows[i]
		on[i] = rows[i].AccountID
	}
	slices.Sort(on)
	accounts, err := tx.Accounts(ctx, slices.Compact(on))
	if err != nil {
		return nil, nil, err
	}
	reported := make(map[string]*db.Account, len(accounts))
	for i := range accounts {
		reported[accounts[i].ID] = &accounts[i]
	}
	return reports, reported, nil
}
