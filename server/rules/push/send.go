package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
	"svc/server/platform/webpush"
)

const (
	// fresh is how long a message is worth sending, here and at a push service.
	fresh = 24 * time.Hour
	// late is the age from which a message gives way to a newer one of its topic.
	late = time.Minute
	// maxPause bounds the pause that a push service may ask for.
	maxPause = time.Hour
	// undoing bounds the note that a push was not sent.
	undoing = 5 * time.Second
	// maxAnswer bounds the part of an answer that is read.
	maxAnswer = 4 << 10
)

// Outcome is the end of a message, for metrics.
type Outcome int

// The outcomes.
const (
	Sent    Outcome = iota // a push service took it
	Delayed                // it is tried again
	Gone                   // its device is gone, and was removed
	Dropped                // it was too old, or a newer one told as much
	outcomes
)

// String names the outcome.
func (o Outcome) String() string { return [...]string{"sent", "delayed", "gone", "dropped"}[o] }

// Outcomes are all of them.
func Outcomes() []Outcome { return []Outcome{Sent, Delayed, Gone, Dropped} }

// Count returns the number of messages of this process with this outcome.
func (s *Service) Count(o Outcome) int64 { return s.counts[o].Load() }

// Pause is the error of a message that is to be sent later, and is no failure.
type Pause struct{ For time.Duration }

// Error names the pause.
func (p *Pause) Error() string { return "to be sent in " + p.For.String() }

// Send sends the message of a notification to a device. It does nothing if the
// device or its token is gone, or if the notification is gone, seen, or not
// listed any more. A Pause is for a push service that asks for one, and for an account
// or a push service that has its share of messages under way.
func (s *Service) Send(ctx context.Context, job jobs.Push) error {
	device, err := s.db.PushSubscription(ctx, job.SubscriptionID)
	if err != nil {
		return unlessGone(err)
	}
	leave, wait := s.lanes.enter(share{"account " + device.AccountID, perAccount}, share{"host " + hostOf(device.Endpoint), s.perHost()})
	if wait > 0 {
		return &Pause{wait}
	}
	defer leave()
	token, err := s.auth.UnsealToken(ctx, device.TokenID, device.AccessToken)
	if err != nil {
		return err
	}
	by, err := s.identities.Identify(ctx, token)
	if err != nil || by == nil || by.Account == nil || !by.Can("push") {
		return err
	}
	viewer := db.Viewer{
		ID: by.Account.ID, Relations: by.Relations,
		Reports: s.rights.Check(by.Account, rights.Reports) == nil, SignUps: s.rights.Check(by.Account, rights.UsersRead) == nil,
	}
	types := append(slices.Clone(Alerts), db.NotifyReport)
	rows, err := s.db.Notifications(ctx, viewer, db.NotificationFilter{Types: types, IDs: []int64{job.NotificationID}}, db.Page{Limit: 1})
	if err != nil || len(rows) == 0 {
		return err
	}
	n := &rows[0]
	if n.Type == db.NotifyReport {
		n.Type = db.NotifyAdminReport
	}
	if n.Seen || !device.Wants(n.Type) {
		return nil
	}
	if wanted, err := s.wanted(ctx, device.Policy, n); err != nil || !wanted {
		return err
	}
	if old, err := s.old(ctx, n); err != nil || old {
		if err == nil {
			s.counts[Dropped].Add(1)
		}
		return err
	}
	text, err := s.message(ctx, viewer, n, token)
	if err != nil {
		return unlessGone(err)
	}
	keys, err := s.keys(ctx)
	if err != nil || keys == nil {
		return err
	}
	return s.deliver(ctx, device, n, keys, text)
}

// perHost is how many calls at once are for one push service: half of the workers, and
// half of the calls that may run at once. With more, calls to a slow one would have all
// others refused, and those that are refused count as calls that end at once.
func (s *Service) perHost() int {
	set := s.settings.Load()
	return max(1, min(set.Queues.Push, set.Connections.Default.Size)/2)
}

func hostOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Host
}

func unlessGone(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

// wanted applies a device's policy to the sender of a notification.
func (s *Service) wanted(ctx context.Context, policy string, n *db.Notification) (bool, error) {
	follower, followed := n.FromID, n.AccountID
	switch policy {
	case db.PushAll:
		return true, nil
	case db.PushFollowed:
		follower, followed = followed, follower
	case db.PushFollower:
	default:
		return false, nil
	}
	f, err := s.db.Follow(ctx, follower, followed)
	if err != nil {
		return false, unlessGone(err)
	}
	return !f.Pending, nil
}

// old reports whether a message is not worth sending any more.
func (s *Service) old(ctx context.Context, n *db.Notification) (bool, error) {
	age := s.now().Sub(n.CreatedAt.Time)
	if age < late || age > fresh {
		return age > fresh, nil
	}
	return s.db.Superseded(ctx, n)
}

// topic identifies the subject of a message. For a device that is offline, a
// push service keeps only the newest message of a topic.
func topic(n *db.Notification) string {
	about := n.StatusID
	if n.MessageID != "" {
		about = n.FromID
	}
	sum := sha256.Sum256([]byte(n.Type + " " + about))
	return base64.RawURLEncoding.EncodeToString(sum[:24]) // 32 characters, the most there may be
}

// deliver makes the call.
func (s *Service) deliver(ctx context.Context, device *db.PushSubscription, n *db.Notification, keys *webpush.Keys, text []byte) error {
	receiver, err := webpush.NewReceiver(device.P256dh, device.Auth)
	if err != nil {
		return err
	}
	body, err := receiver.Encrypt(text)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, device.Endpoint, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address of a device cannot be read")
	}
	proof, err := keys.Authorization(req.URL, s.subject(), s.now())
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"Authorization": proof, "Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream",
		"TTL": strconv.Itoa(int(fresh / time.Second)), "Topic": topic(n), "Urgency": urgency(n.Type),
	} {
		req.Header.Set(name, value)
	}
	this := db.Push{SubscriptionID: device.ID, NotificationID: n.ID}
	if first, err := s.db.BeginPush(ctx, this); err != nil || !first {
		return err
	}
	var handedOver atomic.Bool
	ctx, span := s.traces.Push(ctx, req.URL.Hostname())
	sent := "failed" // unless it ends
	defer func() { span.Pushed(sent, sent != "sent" && sent != "gone") }()
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { handedOver.Store(i.Err == nil) }}))
	resp, err := s.out.Do(req)
	if errors.Is(err, outgoing.ErrRefused) {
		sent = Gone.String()
		return s.gone(ctx, device, req.URL.Host, "refused address")
	}
	if err != nil {
		if ctx.Err() == nil || !handedOver.Load() { // else this process stops, and the push service may have taken it
			s.undo(ctx, this)
		}
		s.counts[Delayed].Add(1)
		if call := new(url.Error); errors.As(err, &call) {
			err = call.Err // drops the URL from the message: anybody who knows it can reach the device
		}
		return fmt.Errorf("call %s: %w", req.URL.Host, err)
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer))
	_ = resp.Body.Close()
	code, after := resp.StatusCode, outgoing.RetryAfter(resp, s.now())
	switch {
	case code/100 == 2:
		s.counts[Sent].Add(1)
		sent = Sent.String()
		return nil
	case code == http.StatusTooManyRequests && after > 0, code == http.StatusServiceUnavailable && after > 0:
		s.undo(ctx, this)
		s.counts[Delayed].Add(1)
		sent = Delayed.String()
		return &Pause{min(after, maxPause)}
	case code/100 == 4 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout:
		sent = Gone.String()
		return s.gone(ctx, device, req.URL.Host, strconv.Itoa(code))
	}
	s.undo(ctx, this)
	s.counts[Delayed].Add(1)
	return fmt.Errorf("%s answers %d", req.URL.Host, code)
}

// undo notes that a push was not sent after all, also while this process stops.
func (s *Service) undo(ctx context.Context, p db.Push) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoing)
	defer cancel()
	if err := s.db.UndoPush(ctx, p); err != nil {
		s.log.WarnContext(ctx, "a push that failed is not tried again", "err", err)
	}
}

// sweptPushes bounds the rows of one transaction of Sweep.
const sweptPushes = 5000

// Sweep forgets pushes that are too old to be tried again.
func (s *Service) Sweep(ctx context.Context) error {
	before := db.At(s.now().Add(-2 * fresh))
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) { return tx.SweepPushes(ctx, before, sweptPushes) })
}

// gone removes a device that its push service does not know, or not any more.
func (s *Service) gone(ctx context.Context, device *db.PushSubscription, host, why string) error {
	s.counts[Gone].Add(1)
	s.log.InfoContext(ctx, "removed a push subscription", "host", host, "account", device.AccountID, "reason", why)
	return s.db.DeletePushSubscription(ctx, device.ID)
}

// urgency is high for messages written to the account, which may wake a device.
func urgency(kind string) string {
	if kind == db.NotifyMention || kind == db.NotifyChat {
		return "high"
	}
	return "normal"
}

// cut returns the first length characters of a text.
func cut(text string, length int) string {
	if runes := []rune(text); len(runes) > length {
		return strings.TrimSpace(string(runes[:length-1])) + "…"
	}
	return text
}

// oneLine joins the lines of a text.
func oneLine(text string) string { return strings.Join(slices.Collect(strings.FieldsSeq(text)), " ") }
