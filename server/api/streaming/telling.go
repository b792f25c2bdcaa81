package streaming

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/guard"
	"svc/server/rules/auth"
)

// The bounds of telling one event.
const (
	telling   = 10 * time.Second // its statements, for all readers
	answering = 2 * time.Second  // the database, when it is asked whether it answers
)

// tell queues an event for the readers of an audience who may know of it. Those who are
// to be woken are added to asleep.
//
// An event that fails is tried once more. If it fails again while the database answers,
// the event itself is at fault: it would fail for whoever resumes as well. It is logged,
// counted, and skipped for those whom the failed part concerns. The error is that of a
// database that does not answer, or of ctx.
func (a *API) tell(ctx context.Context, e *db.Event, to *audience, asleep *sleepers) error {
	var t teller
	var failed error
	for range 2 {
		t = teller{API: a, event: e, to: to, asleep: asleep}
		if failed = t.try(ctx); failed == nil {
			break
		}
		if err := a.answers(ctx); err != nil {
			return errors.Join(failed, err)
		}
	}
	if failed != nil {
		a.skipped.Add(1)
		a.Log.ErrorContext(ctx, "an event could not be told", "kind", e.Kind, "subject", e.Subject, "number", e.Seq, "err", failed)
	}
	t.send()
	return nil
}

// answers asks whether the database answers.
func (a *API) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	_, err := a.DB.EventHead(ctx)
	return err
}

// try finds the messages of an event for its readers. Some are found even if it fails.
func (t *teller) try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, telling)
	defer cancel()
	return guard.Run(func() error { return t.find(ctx) })
}

func (t *teller) find(ctx context.Context) error {
	e, to := t.event, t.to
	switch e.Kind {
	case db.EventStatus:
		return t.status(ctx, "update")
	case db.EventStatusEdited:
		return t.status(ctx, "status.update")
	case db.EventHome:
		return t.reachedHomes(ctx)
	case db.EventStatusDeleted:
		return t.gone(ctx)
	case db.EventNotification:
		return t.notification(ctx)
	case db.EventConversation:
		return t.conversation(ctx)
	case db.EventChat:
		return t.chat(ctx)
	case db.EventRelationship:
		return t.relationship(ctx)
	case db.EventRoom:
		return t.said(ctx)
	case db.EventFilters:
		t.give("filters_changed", nil, to[home][e.AccountID])
	case db.EventAnnouncement:
		return t.announced(ctx)
	case db.EventAnnouncementReaction:
		return t.announcementReaction()
	case db.EventAnnouncementGone:
		t.give("announcement.delete", []byte(e.Subject), to.flat(home))
	default:
		return t.moderators(ctx)
	}
	return nil
}

// teller sends one event.
type teller struct {
	*API
	event  *db.Event
	to     *audience
	asleep *sleepers
	found  []found
}

// found is a message for a reader.
type found struct {
	subscription
	*message
}

// sleepers are readers with messages that they were not woken for. Messages of events
// that are told one after another are sent together.
type sleepers struct {
	readers []*reader
	since   time.Time // when the first was added
}

// longestSleep is how long messages wait for those of further events.
const longestSleep = 20 * time.Millisecond

// wake wakes all, and returns how many they are.
func (s *sleepers) wake() int {
	n := len(s.readers)
	for _, r := range s.readers {
		r.wake()
	}
	s.readers = s.readers[:0]
	return n
}

// send queues what was found for its readers.
func (t *teller) send() {
	for _, f := range t.found {
		if f.give(f.message, f.stream) {
			if len(t.asleep.readers) == 0 {
				t.asleep.since = time.Now()
			}
			t.asleep.readers = append(t.asleep.readers, f.reader)
		}
	}
}

// message makes the bytes that all readers of a payload share.
func (t *teller) message(event string, payload []byte) *message {
	return newMessage(t.event.Seq, event, payload)
}

func newMessage(seq int64, event string, payload []byte) *message {
	m := &message{seq: seq, event: event, data: payload}
	m.frame = append(m.frame, `{"event":"`...)
	m.frame = append(m.frame, event...)
	m.frame = append(m.frame, '"')
	if payload != nil {
		text, err := json.Marshal(string(payload))
		if err != nil { // texts always can be written
			panic(err)
		}
		m.frame = append(append(m.frame, `,"payload":`...), text...)
	}
	m.frame = append(m.frame, '}')
	return m
}

// give sends an event to subscriptions.
func (t *teller) give(event string, payload []byte, subs ...[]subscription) {
	var m *message
	for _, group := range subs {
		for _, s := range group {
			if m == nil {
				m = t.message(event, payload)
			}
			t.found = append(t.found, found{s, m})
		}
	}
}

// status sends a new or edited status to the timelines that have it. Those that it
// reaches later may have it by now, if the event is told to a stream that goes on.
func (t *teller) status(ctx context.Context, event string) error {
	part, later := db.AllHomes, t.event.Data == db.FollowersLater
	if later {
		part = db.ConcernedHomes
	}
	of, err := t.atHome(ctx)
	if err == nil {
		err = t.homes(ctx, event, of, part)
	}
	if !later {
		err = errors.Join(err, t.lists(ctx, event))
	}
	return errors.Join(err, t.directly(ctx, event), t.publicly(ctx, event))
}

// directly sends a status to the timelines of direct statuses.
func (t *teller) directly(ctx context.Context, event string) error {
	ids, of := accounts(t.to.flat(direct))
	if len(ids) == 0 {
		return nil
	}
	refs, err := t.DB.DirectReaders(ctx, t.event.Subject, ids)
	if err != nil {
		return err
	}
	stand(refs, of)
	return t.show(ctx, event, refs, of, db.FilterHome, func(viewer string) []subscription { return t.to[direct][viewer] })
}

// many is how many readers are asked for one by one without a look at who of them
// can have a status at all.
const many = 32

// atHome returns the readers of home timelines that may have the status: all, but of
// many those in its audience where that is smaller.
func (t *teller) atHome(ctx context.Context) ([]string, error) {
	readers := t.to[home]
	if len(readers) > many {
		audience, err := t.DB.HomeAudience(ctx, t.event.Subject, len(readers)/2)
		if err != nil {
			return nil, err
		}
		if audience != nil {
			return slices.DeleteFunc(audience, func(id string) bool { return readers[id] == nil }), nil
		}
	}
	return slices.Sorted(maps.Keys(readers)), nil
}

// homes sends a status to the home timelines of accounts.
func (t *teller) homes(ctx context.Context, event string, of []string, part db.HomePart) error {
	if len(of) == 0 {
		return nil
	}
	refs, err := t.DB.HomeReaders(ctx, t.event.Subject, of, part)
	if err != nil || len(refs) == 0 {
		return err
	}
	var there []subscription
	for i := range refs {
		there = append(there, t.to[home][refs[i].Viewer.ID]...)
	}
	_, known := accounts(there)
	stand(refs, known)
	return t.show(ctx, event, refs, known, db.FilterHome, func(viewer string) []subscription { return t.to[home][viewer] })
}

// lists sends a status to the timelines of lists.
func (t *teller) lists(ctx context.Context, event string) error {
	if len(t.to[list]) == 0 {
		return nil
	}
	ids := make([]int64, 0, len(t.to[list]))
	for _, subs := range t.to[list] {
		ids = append(ids, subs[0].stream.list)
	}
	slices.Sort(ids)
	places, err := t.DB.ListReaders(ctx, t.event.Subject, ids)
	if err != nil || len(places) == 0 {
		return err
	}
	var (
		refs    []db.StatusRef
		readers = map[string][]subscription{}
		there   []subscription
	)
	for _, id := range slices.Sorted(maps.Keys(places)) {
		ref, subs := places[id], t.to[list][strconv.FormatInt(id, 10)]
		if readers[ref.Viewer.ID] == nil { // the place is the same on all of an owner's lists
			refs = append(refs, ref)
		}
		readers[ref.Viewer.ID] = append(readers[ref.Viewer.ID], subs...)
		there = append(there, subs...)
	}
	_, of := accounts(there)
	stand(refs, of)
	return t.show(ctx, event, refs, of, db.FilterHome, func(viewer string) []subscription { return readers[viewer] })
}

// publicly sends a status to public streams and those of hashtags.
func (t *teller) publicly(ctx context.Context, event string) error {
	if len(t.to[public]) == 0 && len(t.to[hashtag]) == 0 {
		return nil
	}
	status, err := t.DB.StatusByID(ctx, t.event.Subject)
	if errors.Is(err, db.ErrNotFound) {
		return nil // deleted since
	}
	if err != nil || status.Visibility != db.Public || status.ReblogOfID != nil {
		return err
	}
	of, err := t.aboutOf(ctx, status)
	if err != nil {
		return err
	}
	readers := map[string][]subscription{}
	subs := t.shownBy(of)
	for _, s := range subs {
		viewer := ""
		if account := auth.AccountOf(s.viewer()); account != nil {
			viewer = account.ID
		}
		readers[viewer] = append(readers[viewer], s)
	}
	var refs []db.StatusRef
	ids, known := accounts(subs)
	if len(ids) > 0 {
		if refs, err = t.DB.PublicReaders(ctx, status.ID, ids); err != nil {
			return err
		}
		stand(refs, known)
	}
	if len(readers[""]) > 0 {
		place, err := t.DB.PublicPlace(ctx, t.View.Viewer(nil), status.ID)
		if err != nil {
			return err
		}
		if place != nil {
			refs = append(refs, *place)
		}
	}
	return t.show(ctx, event, refs, known, db.FilterPublic, func(viewer string) []subscription { return readers[viewer] })
}

// aboutOf returns the facts about a status that decide on its public streams.
func (t *teller) aboutOf(ctx context.Context, status *db.Status) (*about, error) {
	of := &about{local: status.Local, media: status.HasMedia, tags: status.Tags}
	if status.Local {
		return of, nil
	}
	author, err := t.DB.Account(ctx, status.AccountID)
	if errors.Is(err, db.ErrNotFound) {
		return of, nil
	}
	if err != nil {
		return nil, err
	}
	of.host = author.Domain
	return of, nil
}

// shownBy returns the public streams, and those of hashtags, that show a public
// status. Settings that keep strangers out may have changed just now.
func (t *teller) shownBy(of *about) []subscription {
	subs := t.to.flat(public)
	for _, tag := range of.tags {
		subs = append(subs, t.to[hashtag][tag]...)
	}
	return slices.DeleteFunc(subs, func(s subscription) bool { return !s.stream.shows(of) || t.admits(s.identity(), s.stream) != nil })
}

// reachedHomes sends a status to the home timelines that it reached later.
func (t *teller) reachedHomes(ctx context.Context) error {
	var reached db.HomeRange
	if err := json.Unmarshal([]byte(t.event.Data), &reached); err != nil {
		return err
	}
	var of []string
	for id := range t.to[home] {
		if id > reached.After && (reached.UpTo == "" || id <= reached.UpTo) {
			of = append(of, id)
		}
	}
	slices.Sort(of)
	err := t.homes(ctx, "update", of, db.FollowersHomes)
	within := *t.to
	within[list] = map[string][]subscription{}
	for key, subs := range t.to[list] {
		if owner := subs[0].identity().Account.ID; owner > reached.After && (reached.UpTo == "" || owner <= reached.UpTo) {
			within[list][key] = subs
		}
	}
	in := teller{API: t.API, event: t.event, to: &within}
	err = errors.Join(err, in.lists(ctx, "update"))
	t.found = append(t.found, in.found...)
	return err
}

// gone sends the deletion of a status.
func (t *teller) gone(ctx context.Context) error {
	var gone db.GoneStatus
	if err := json.Unmarshal([]byte(t.event.Data), &gone); err != nil {
		return err
	}
	id := []byte(t.event.Subject)
	err := t.goneFromHomes(ctx, &gone)
	switch {
	case gone.Reblog:
		return err
	case gone.Visibility == db.Direct:
		for _, viewer := range append(gone.Recipients, gone.AccountID) {
			t.give("delete", id, t.to[direct][viewer])
		}
		return err
	case gone.Visibility == db.Public:
		of, err2 := t.aboutOf(ctx, &db.Status{AccountID: gone.AccountID, Local: gone.Local, HasMedia: gone.HasMedia, Tags: gone.Tags})
		if err = errors.Join(err, err2); err2 == nil {
			t.give("delete", id, t.shownBy(of))
		}
	}
	return errors.Join(err, t.goneFromLists(ctx, &gone))
}

// goneFromHomes sends the deletion of a status to home timelines.
func (t *teller) goneFromHomes(ctx context.Context, gone *db.GoneStatus) error {
	if len(t.to[home]) == 0 {
		return nil
	}
	viewers, err := t.DB.GoneReaders(ctx, gone, slices.Sorted(maps.Keys(t.to[home])), false)
	for _, viewer := range viewers {
		t.give("delete", []byte(t.event.Subject), t.to[home][viewer])
	}
	return err
}

// goneFromLists sends the deletion of a status to the timelines of lists.
func (t *teller) goneFromLists(ctx context.Context, gone *db.GoneStatus) error {
	if len(t.to[list]) == 0 {
		return nil
	}
	var ids []int64
	for _, subs := range t.to[list] {
		ids = append(ids, subs[0].stream.list)
	}
	lists, err := t.DB.ListsOf(ctx, gone.AccountID, ids)
	if err != nil || len(lists) == 0 {
		return err
	}
	owners, err := t.DB.GoneReaders(ctx, gone, slices.Compact(slices.Sorted(maps.Values(lists))), true)
	for number, owner := range lists {
		if slices.Contains(owners, owner) {
			t.give("delete", []byte(t.event.Subject), t.to[list][strconv.FormatInt(number, 10)])
		}
	}
	return err
}

// owner is an account as the viewer of its own lists. What is known of the relations
// of readers may be older than the event, so that all are looked at.
func owner(id string) db.Viewer {
	return db.Viewer{ID: id, Relations: db.Relations{Blocks: true, Mutes: true, DomainBlocks: true, ThreadMutes: true}}
}

// homesThat returns the home streams of the event's account whose tokens have a scope.
func (t *teller) homesThat(scope string) []subscription {
	return slices.DeleteFunc(slices.Clone(t.to[home][t.event.AccountID]), func(s subscription) bool { return !s.identity().Can(scope) })
}

// notification sends an account its new notification, if its list shows it.
func (t *teller) notification(ctx context.Context) error {
	subs := slices.Concat(t.homesThat(readNotifications), t.to[notifications][t.event.AccountID])
	if len(subs) == 0 {
		return nil
	}
	number, err := strconv.ParseInt(t.event.Subject, 10, 64)
	if err != nil {
		return err
	}
	id := subs[0].identity()
	rows, err := t.DB.Notifications(ctx, owner(id.Account.ID), db.NotificationFilter{IDs: []int64{number}}, db.Page{Limit: 1})
	if err != nil || len(rows) == 0 {
		return err
	}
	raw, err := t.View.Notifications(ctx, withFilters(id), rows)
	if err != nil || len(raw) <= 2 {
		return err
	}
	t.give("notification", raw[1:len(raw)-1], subs)
	return nil
}

// conversation sends an account a changed thread of direct statuses.
func (t *teller) conversation(ctx context.Context) error {
	subs := t.to[direct][t.event.AccountID]
	if len(subs) == 0 {
		return nil
	}
	number, err := strconv.ParseInt(t.event.Subject, 10, 64)
	if err != nil {
		return err
	}
	id := subs[0].identity()
	rows, err := t.DB.Participations(ctx, owner(id.Account.ID), db.ParticipationFilter{IDs: []int64{number}}, db.Page{Limit: 1})
	if err != nil || len(rows) == 0 {
		return err
	}
	raw, err := t.View.Conversation(ctx, withFilters(id), &rows[0])
	if err == nil {
		t.give("conversation", raw, subs)
	}
	return err
}

// chat sends an account one of its chats.
func (t *teller) chat(ctx context.Context) error {
	me := t.event.AccountID
	subs := slices.Concat(t.homesThat(readChats), t.to[chats][me])
	if len(subs) == 0 {
		return nil
	}
	rows, err := t.DB.Chats(ctx, owner(me), db.ChatFilter{ID: t.event.Subject, Limit: 1})
	if err != nil || len(rows) == 0 {
		return err
	}
	shown, err := t.View.Chats(ctx, me, rows)
	if err != nil || len(shown) == 0 {
		return err
	}
	raw, err := json.Marshal(shown[0])
	if err == nil {
		t.give("svc:chat_update", raw, subs)
	}
	return err
}

// relationship sends a follower the state of their follow.
func (t *teller) relationship(ctx context.Context) error {
	subs := t.to[home][t.event.AccountID]
	if len(subs) == 0 {
		return nil
	}
	both, err := t.DB.Accounts(ctx, []string{t.event.AccountID, t.event.Subject})
	if err != nil {
		return err
	}
	out := api.FollowRelationshipsUpdate{State: t.event.Data}
	for i := range both {
		counts := api.FollowCounts{ID: both[i].ID, FollowerCount: int(both[i].FollowersCount), FollowingCount: int(both[i].FollowingCount)}
		if both[i].ID == t.event.AccountID {
			out.Follower = counts
		} else {
			out.Following = counts
		}
	}
	raw, err := json.Marshal(out)
	if err == nil {
		t.give("svc:follow_relationships_update", raw, subs)
	}
	return err
}

// withFilters marks that the viewer may have filters: the first one can be newer than the
// identity.
func withFilters(id *auth.Identity) *auth.Identity {
	out := *id
	out.Relations.Filters, out.Relations.FilterVersion = true, 0
	return &out
}

// show sends a status to the readers of the viewers who want it, each in the
// viewer's form.
func (t *teller) show(ctx context.Context, event string, refs []db.StatusRef, of identities, places int64, readers func(viewer string) []subscription) error {
	var viewers []*auth.Identity
	for i := range refs {
		if id := of[refs[i].Viewer.ID]; id != nil {
			viewers = append(viewers, withFilters(id))
		}
	}
	unwanted, err := t.View.Unwanted(ctx, viewers, places)
	if err != nil {
		return err
	}
	if refs, err = unwanted.LeaveOut(ctx, refs); err != nil {
		return err
	}
	payloads, err := t.View.Streamed(ctx, refs, unwanted)
	if err != nil {
		return err
	}
	made := map[*byte]*message{} // viewers with the same relation to it share the bytes
	for viewer, payload := range payloads {
		m := made[&payload[0]]
		if m == nil {
			m = t.message(event, payload)
			made[&payload[0]] = m
		}
		for _, s := range readers(viewer) {
			t.found = append(t.found, found{s, m})
		}
	}
	return nil
}
