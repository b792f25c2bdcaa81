package streaming

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/platform/rights"
	"svc/server/rules/auth"
)

// subject is a kind of object that moderators get events about. A reader needs
// the right to read it in the admin API.
type subject struct {
	kind  string       // of the event in the database
	event string       // its name for clients
	right rights.Right // of its route in the admin API
	scope string       // likewise
	// read returns the object as the admin API shows it, nil if it is gone.
	read func(t *teller, ctx context.Context) (json.RawMessage, error)
}

var subjects = []subject{
	{db.EventReport, "svc:report", rights.Reports, "read:reports", (*teller).report},
	{db.EventRegistration, "svc:registration", rights.UsersRead, "read:accounts", (*teller).registration},
	{db.EventLogEntry, "svc:log", rights.Log, "read", (*teller).logEntry},
	{db.EventJob, "svc:job", rights.Admins, "read", (*teller).job},
}

// moderates checks that a caller may get events about at least one subject.
func (a *API) moderates(id *auth.Identity) error {
	switch {
	case id == nil:
		return errMissing
	case id.Account == nil:
		return errScopes
	}
	var refusal error
	for _, s := range subjects {
		err := a.Guard.Admits(id, s.right, s.scope)
		if err == nil {
			return nil
		}
		if refusal == nil {
			refusal = err
		}
	}
	return refusal
}

// moderators sends an event about a subject to the moderators who may read it.
func (t *teller) moderators(ctx context.Context) error {
	for _, s := range subjects {
		if s.kind == t.event.Kind {
			return t.subject(ctx, s)
		}
	}
	return nil
}

func (t *teller) subject(ctx context.Context, s subject) error {
	var hearing []subscription
	for _, sub := range t.to[moderation][""] {
		// An event just before this one may have removed their rights.
		if err := sub.recheck(ctx, t.API); err != nil {
			sub.cut(err)
		} else if t.Guard.Admits(sub.identity(), s.right, s.scope) == nil {
			hearing = append(hearing, sub)
		}
	}
	if len(hearing) == 0 {
		return nil
	}
	object, err := s.read(t, ctx)
	if err != nil {
		return err
	}
	out := api.ModerationEvent{Event: t.event.Data, ID: t.event.Subject, Object: object}
	switch {
	case object == nil:
		out.Event = api.ModerationGone
	case out.Event == "":
		out.Event = api.ModerationAdded
	}
	payload, err := json.Marshal(out)
	if err == nil {
		t.give(s.event, payload, hearing)
	}
	return err
}

func (t *teller) report(ctx context.Context) (json.RawMessage, error) {
	report, err := t.DB.Report(ctx, t.event.Subject)
	if err != nil {
		return nil, unlessGone(err)
	}
	raw, err := t.View.AdminReports(ctx, []db.Report{*report})
	if err != nil {
		return nil, err
	}
	return raw[0], nil
}

// registration reads an account that awaits approval, nil if it does not any
// more.
func (t *teller) registration(ctx context.Context) (json.RawMessage, error) {
	rows, err := t.DB.AdminUsersByID(ctx, []string{t.event.Subject})
	if err != nil || len(rows) == 0 || !rows[0].ApprovalPending || t.event.Data == db.Gone {
		return nil, err
	}
	return json.Marshal(t.View.AdminUser(&rows[0]))
}

func (t *teller) logEntry(ctx context.Context) (json.RawMessage, error) {
	id, err := strconv.ParseInt(t.event.Subject, 10, 64)
	if err != nil {
		return nil, err
	}
	entry, err := t.DB.LogEntry(ctx, id)
	if err != nil {
		return nil, unlessGone(err)
	}
	raw, err := t.View.Log([]db.LogEntry{*entry})
	if err != nil {
		return nil, err
	}
	return raw[1 : len(raw)-1], nil
}

// job reads a failed job, nil if it runs again.
func (t *teller) job(ctx context.Context) (json.RawMessage, error) {
	id, err := strconv.ParseInt(t.event.Subject, 10, 64)
	if err != nil {
		return nil, err
	}
	job, err := t.DB.FailedJob(ctx, id)
	if err != nil {
		return nil, unlessGone(err)
	}
	return json.Marshal(view.Job(job))
}

func unlessGone(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}
