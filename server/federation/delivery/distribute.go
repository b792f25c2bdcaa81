package delivery

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/hosts"
)

// The sizes of distribution. Each chunk is one short transaction, since
// requests write too.
const (
	chunk    = 200  // recipients
	counting = 1000 // followers read at once for counting
)

// distribute distributes activities to their recipients, and waits for more.
func (s *Service) distribute(ctx context.Context) {
	began := time.Now()
	some, err := s.distributeOne(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.ErrorContext(ctx, "cannot distribute", "err", err)
	}
	if some && err == nil {
		nudge(s.waken)
		// Let others write.
		select {
		case <-ctx.Done():
		case <-time.After(time.Since(began)):
		}
		return
	}
	select {
	case <-ctx.Done():
	case <-s.expand:
	case <-time.After(tick):
	}
}

// distributeOne stores the next chunk of the next activity, and reports whether
// there was one.
func (s *Service) distributeOne(ctx context.Context) (bool, error) {
	if !s.settings.Load().Instance.Federating {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, statement)
	defer cancel()
	if waiting, err := s.db.DueWork(ctx); err != nil || !waiting.Activities {
		return false, err
	}
	a, err := s.db.NextActivity(ctx, s.holder.ID())
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if a.Cursor == "" && a.Type == "Delete" {
		if err := s.withdraw(ctx, a); err != nil {
			return false, err
		}
	}
	found, to, done, err := s.recipients(ctx, a)
	if err != nil {
		return false, err
	}
	c := db.Chunk{ActivityID: a.ID, From: a.Cursor, To: to, Done: done}
	if c.Deliveries, c.Due, err = s.deliveries(ctx, a, found); err != nil {
		return false, err
	}
	_, err = s.db.Distribute(ctx, c)
	return true, err
}

// withdraw drops the deliveries that a deletion makes needless.
func (s *Service) withdraw(ctx context.Context, a *db.Activity) error {
	everything := false
	if author, err := s.db.Account(ctx, a.AccountID); err == nil {
		everything = author.URI == a.ObjectURI
	} else if !errors.Is(err, db.ErrNotFound) {
		return err
	}
	for more := true; more; {
		var err error
		if more, err = s.db.WithdrawDeliveries(ctx, a, everything, chunk); err != nil {
			return err
		}
	}
	return nil
}

// list is one of the lists of an audience.
type list struct {
	name string
	read func(ctx context.Context, after string, limit int) ([]db.DeliveryTarget, error)
}

// lists returns the lists of an activity's audience in delivery order: named
// recipients come before followers.
func (s *Service) lists(a *db.Activity) []list {
	to := &a.Audience
	out := []list{{"named", func(ctx context.Context, after string, limit int) ([]db.DeliveryTarget, error) {
		return s.named(ctx, to, after, limit)
	}}}
	of := func(name, key string, read func(context.Context, string, string, int) ([]db.DeliveryTarget, error)) {
		out = append(out, list{name, func(ctx context.Context, after string, limit int) ([]db.DeliveryTarget, error) {
			return read(ctx, key, after, limit)
		}})
	}
	if id := to.StatusID; id != "" {
		of("rebloggers", id, s.db.RemoteRebloggers)
		of("favouriters", id, s.db.RemoteFavouriters)
		of("reactors", id, s.db.RemoteReactors)
		of("repliers", id, s.db.RemoteRepliers)
		of("fetchers", id, s.db.FetcherInboxes)
	}
	whose := cmp.Or(to.OfID, a.AccountID)
	if to.Followers {
		of("followers", whose, s.db.RemoteFollowers)
	}
	if to.Reached {
		of("reached", whose, s.db.ReachedInboxes)
	}
	if to.Everywhere {
		out = append(out, list{"shared", s.db.SharedInboxes}, list{"personal", s.db.PersonalInboxes})
	}
	return out
}

// named returns the named accounts and inboxes of an audience. Keys are their
// indexes.
func (s *Service) named(ctx context.Context, to *db.Audience, after string, limit int) ([]db.DeliveryTarget, error) {
	from, _ := strconv.Atoi(after)
	if from > 0 && from >= len(to.AccountIDs) {
		return nil, nil
	}
	end := min(from+limit, len(to.AccountIDs))
	rows, err := s.db.RecipientsByID(ctx, to.AccountIDs[from:end])
	if err != nil {
		return nil, err
	}
	if from == 0 {
		inboxes, err := s.inboxes(ctx, to)
		if err != nil {
			return nil, err
		}
		rows = append(inboxes, rows...)
	}
	if end < len(to.AccountIDs) {
		// Full pages, so that the list continues.
		for len(rows) < limit {
			rows = append(rows, db.DeliveryTarget{})
		}
	}
	if len(rows) > 0 {
		rows[len(rows)-1].Key = strconv.Itoa(max(end, 1)) // inboxes come once, without named accounts
	}
	return rows, nil
}

func (s *Service) inboxes(ctx context.Context, to *db.Audience) ([]db.DeliveryTarget, error) {
	all := slices.Clone(to.Inboxes)
	if to.Relays {
		relays, err := s.relays(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, relays...)
	}
	out := make([]db.DeliveryTarget, len(all))
	for i, inbox := range all {
		out[i].Inbox = inbox
	}
	return out, nil
}

// recipients returns the next recipients of an activity, the position of the
// last, and whether there are no more.
func (s *Service) recipients(ctx context.Context, a *db.Activity) (found []db.DeliveryTarget, to string, done bool, err error) {
	name, after, _ := strings.Cut(a.Cursor, ":")
	lists := s.lists(a)
	first := max(slices.IndexFunc(lists, func(l list) bool { return l.name == name }), 0)
	for _, l := range lists[first:] {
		room := chunk - len(found)
		if room < chunk/4 && len(found) > 0 {
			return found, l.name + ":", false, nil
		}
		rows, err := l.read(ctx, after, room)
		if err != nil {
			return nil, "", false, err
		}
		after = ""
		found = append(found, rows...)
		if len(rows) >= room {
			return found, l.name + ":" + rows[len(rows)-1].Key, false, nil
		}
	}
	return found, "", true, nil
}

// personal are the types that go to the inbox of the account that they concern.
var personal = []string{"Follow", "Accept", "Reject", "Block", "Flag"}

// deliveries returns the deliveries for recipients, one for each inbox, without
// blocked hosts.
func (s *Service) deliveries(ctx context.Context, a *db.Activity, to []db.DeliveryTarget) ([]db.Delivery, map[string]db.Time, error) {
	inbox, err := s.inboxOf(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	var all []db.Delivery
	for _, r := range to {
		x := db.Delivery{Inbox: inbox(r), ObjectURI: a.ObjectURI, Priority: clamp(a.Priority)}
		if x.Host = inboxHost(x.Inbox); x.Host == "" || seen[x.Inbox] || s.refused(a, x.Host) {
			continue
		}
		seen[x.Inbox] = true
		x.Body = a.Audience.Bodies[x.Inbox]
		all = append(all, x)
	}
	return s.reachable(ctx, a, all)
}

func clamp(priority int) int { return min(max(priority, db.PriorityPerson), db.PriorityBulk) }

// refused reports whether an activity must not go to a host.
func (s *Service) refused(a *db.Activity, host string) bool {
	return host == s.own || s.send.Blocked(host) ||
		!a.Audience.Public && hosts.Among(s.settings.Load().Instance.QuarantinedInstances, host)
}

// reachable leaves out gone inboxes and given-up hosts, except for follows and
// one probe a day.
func (s *Service) reachable(ctx context.Context, a *db.Activity, all []db.Delivery) ([]db.Delivery, map[string]db.Time, error) {
	var hosts, inboxes []string
	for _, x := range all {
		hosts, inboxes = append(hosts, x.Host), append(inboxes, x.Inbox)
	}
	slices.Sort(hosts)
	troubled, err := s.db.FailingInstances(ctx, slices.Compact(hosts))
	if err != nil {
		return nil, nil, err
	}
	gone, err := s.db.GoneInboxes(ctx, inboxes)
	if err != nil {
		return nil, nil, err
	}
	now, due := s.now(), map[string]db.Time{}
	var dead []string
	for host, i := range troubled {
		switch {
		case a.Audience.Insistent:
		case s.givenUp(i.UnreachableSince):
			dead = append(dead, host)
		case i.RetryAt.After(now):
			due[host] = i.RetryAt
		}
	}
	waiting, err := s.db.WaitingHosts(ctx, dead)
	if err != nil {
		return nil, nil, err
	}
	for _, host := range dead {
		waiting[host] = waiting[host] || troubled[host].RetryAt.After(now)
	}
	all = slices.DeleteFunc(all, func(x db.Delivery) bool {
		if gone[x.Inbox] {
			return true
		}
		if !slices.Contains(dead, x.Host) {
			return false
		}
		probed := waiting[x.Host]
		waiting[x.Host] = true
		return probed
	})
	return all, due, nil
}

// givenUp reports whether a host that is unreachable since a moment is given
// up.
func (s *Service) givenUp(since db.Time) bool {
	days := s.settings.Load().Instance.FederationReachabilityTimeoutDays
	return days > 0 && !since.IsZero() && !since.After(s.now().Add(-time.Duration(days)*24*time.Hour))
}

// audience counts the recipients of an activity by shared inbox, which decides
// about the use of the inbox.
type audience struct {
	activity int64
	sharing  map[string]int // by shared inbox, counted up to 2
}

// inboxOf returns a function that chooses the inbox of a recipient: the
// server's shared one for a public activity, a deletion, or several recipients
// there; else the personal one.
func (s *Service) inboxOf(ctx context.Context, a *db.Activity) (func(db.DeliveryTarget) string, error) {
	to := &a.Audience
	switch {
	case to.Personal || slices.Contains(personal, a.Type):
		return func(r db.DeliveryTarget) string { return r.Inbox }, nil
	case to.Public || a.Type == "Delete":
		return func(r db.DeliveryTarget) string { return cmp.Or(shared(r), r.Inbox) }, nil
	}
	if s.audience.activity != a.ID {
		sharing, err := s.sharing(ctx, a)
		if err != nil {
			return nil, err
		}
		s.audience = audience{a.ID, sharing}
	}
	return func(r db.DeliveryTarget) string {
		if inbox := shared(r); s.audience.sharing[inbox] > 1 {
			return inbox
		}
		return r.Inbox
	}, nil
}

// sharing counts the recipients by shared inbox.
func (s *Service) sharing(ctx context.Context, a *db.Activity) (map[string]int, error) {
	out := map[string]int{}
	count := func(rows []db.DeliveryTarget) {
		for _, r := range rows {
			if inbox := shared(r); inbox != "" {
				out[inbox]++
			}
		}
	}
	ids := slices.Compact(slices.Sorted(slices.Values(a.Audience.AccountIDs)))
	for part := range slices.Chunk(ids, counting) {
		rows, err := s.db.RecipientsByID(ctx, part)
		if err != nil {
			return nil, err
		}
		count(rows)
	}
	for after := ""; a.Audience.Followers; {
		rows, err := s.db.RemoteFollowers(ctx, a.AccountID, after, counting)
		if err != nil {
			return nil, err
		}
		fresh := make([]db.DeliveryTarget, 0, len(rows))
		for _, r := range rows {
			if _, named := slices.BinarySearch(ids, r.ID); !named {
				fresh = append(fresh, r)
			}
		}
		count(fresh)
		if len(rows) < counting {
			break
		}
		after = rows[len(rows)-1].Key
	}
	return out, nil
}

// shared returns the shared inbox of a recipient's server, if it is on the
// recipient's own host.
func shared(r db.DeliveryTarget) string {
	if r.SharedInbox == "" || inboxHost(r.SharedInbox) != inboxHost(r.URI) {
		return ""
	}
	return r.SharedInbox
}
