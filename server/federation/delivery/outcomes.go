package delivery

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/federation/remote"
	"svc/server/platform/outgoing"
)

// pauses are the pauses between tries of a delivery, and of a host that is
// down; the last one repeats.
var pauses = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour, 24 * time.Hour,
}

// The bounds of trying.
const (
	callTimeout  = 10 * time.Second
	maxPause     = 24 * time.Hour  // longest pause that a host may ask for
	localPause   = 5 * time.Second // after a failure of our own
	spread       = 0.2             // random part of a pause, to either side
	tooOld       = 30 * 24 * time.Hour
	standardDays = 7   // days to wait for a host that is never given up
	maxError     = 300 // stored bytes of an answer
)

// verdict is the meaning of an answer for a delivery.
type verdict int

const (
	done      verdict = iota // the inbox has it
	refused                  // it never will
	gone                     // the inbox is gone
	later                    // the server failed
	asked                    // the server asks for a pause
	silent                   // the server does not answer
	postponed                // it was not tried
)

// String is the name of a verdict in traces.
func (v verdict) String() string {
	return [...]string{"done", "refused", "gone", "later", "asked", "silent", "postponed"}[v]
}

// outcome is the result of one try.
type outcome struct {
	verdict
	status int           // of the answer; 0 for none
	pause  time.Duration // requested by the host
	why    string
}

// deliver makes one try.
func (s *Service) deliver(ctx context.Context, w *db.DueDelivery) outcome {
	ctx, span := s.traces.Delivery(ctx, w.Host)
	o := outcome{verdict: postponed} // unless it ends
	defer func() { span.Delivered(o.status, o.String(), o.verdict != done) }()
	o = s.call(ctx, w)
	return o
}

// call is deliver without its trace.
func (s *Service) call(ctx context.Context, w *db.DueDelivery) outcome {
	signed, err := s.pace.turn(ctx)
	if err != nil {
		return outcome{verdict: postponed, why: errorText(err.Error())}
	}
	defer signed()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	// The request is signed once a connection is requested.
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) { signed() }})
	answer, err := s.send.Post(ctx, w.AccountID, w.Inbox, []byte(w.Body))
	if err != nil {
		return s.failure(ctx, err)
	}
	o := judge(answer)
	o.status = answer.Status
	if o.verdict == gone && w.Type == "Delete" {
		// Servers that do not know the account, or cannot fetch its key any more,
		// answer so too.
		o.verdict = refused
	}
	return o
}

// failure returns the outcome of a call without an answer.
func (s *Service) failure(ctx context.Context, err error) outcome {
	o := outcome{verdict: postponed, why: errorText(err.Error())}
	var call *url.Error
	switch {
	case db.IsTemporary(err), !s.settings.Load().Instance.Federating, s.calls.Err() != nil: // since it was begun
	case errors.Is(err, db.ErrNotFound):
		o.verdict, o.why = refused, "its account is gone"
	case errors.Is(err, remote.ErrRefused):
		o.verdict = refused
	case errors.Is(err, outgoing.ErrBusy):
	case errors.As(err, &call), errors.Is(ctx.Err(), context.DeadlineExceeded):
		o.verdict = silent
	}
	return o
}

// judge returns the outcome of an answer.
func judge(answer *remote.Result) outcome {
	code := answer.Status
	o := outcome{verdict: refused, why: errorText(strconv.Itoa(code) + " " + strings.TrimSpace(answer.Text))}
	switch {
	case code >= 200 && code < 300:
		return outcome{verdict: done}
	case code == http.StatusGone:
		o.verdict = gone
	case code == http.StatusNotImplemented:
	case code == http.StatusTooManyRequests && answer.RetryAfter > 0, code == http.StatusServiceUnavailable && answer.RetryAfter > 0:
		o.verdict, o.pause = asked, min(answer.RetryAfter, maxPause)
	case code == http.StatusUnauthorized, code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		o.verdict = later
	}
	return o
}

// pause returns the pause after a number of failures, give or take a fifth.
func (s *Service) pause(failures int) time.Duration {
	p := pauses[min(max(failures, 1), len(pauses))-1]
	return time.Duration(float64(p) * (1 - spread + 2*spread*s.vary()))
}

// tries returns the number of tries of a delivery: by the settings, or one more
// than there are pauses.
func (s *Service) tries() int {
	if n := s.settings.Load().Retries.Limit(); n > 0 {
		return n
	}
	return len(pauses) + 1
}

// errorText makes a remote text fit for a log and a column.
func errorText(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if len(text) > maxError {
		text = strings.ToValidUTF8(text[:maxError], "") + "…"
	}
	return text
}
