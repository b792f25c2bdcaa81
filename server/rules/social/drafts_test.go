package social_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/rules/social"
)

func TestPreviewsLeaveNothingBehind(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		parent := w.post(bob, social.NewStatus{Text: "parent"})
		files := w.uploads(ann, 1)
		tables := []string{"statuses", "conversations", "notifications", "home_entries", "river_job", "status_recipients", "status_tags", "participations", "polls", "idempotency_keys"}
		rows := func() (out []int) {
			for _, table := range tables {
				out = append(out, w.rows("SELECT COUNT(*) FROM "+table))
			}
			return out
		}
		before, ends := rows(), int64(600)
		p, err := w.PreviewStatus(ctx, ann, social.NewStatus{
			Text: "@bob #tag *x*", ContentType: "text/markdown", InReplyToID: parent.ID, MediaIDs: files, ExpiresIn: 2 * time.Hour, IdempotencyKey: "k",
			Poll: &db.PollParams{Options: []string{"a", "b"}, ExpiresIn: &ends},
		})
		w.must(err)
		if p.Status.ID != social.PreviewID || len(p.Files) != 1 || p.Poll == nil || p.Status.ExpiresAt.IsZero() || *p.Status.ConversationID != *parent.ConversationID {
			t.Errorf("%+v", p)
		}
		for i, n := range rows() {
			if n != before[i] {
				t.Errorf("%s has %d rows, had %d", tables[i], n, before[i])
			}
		}
		_, err = w.PreviewStatus(ctx, ann, social.NewStatus{})
		wantRefusal(t, err, "Cannot post an empty status without attachments")
		if parent, err = w.d.StatusByID(ctx, parent.ID); err != nil || parent.RepliesCount != 0 || w.counts(ann)[2] != 0 {
			t.Errorf("counted: %+v %v", parent, w.counts(ann))
		}
		w.post(ann, social.NewStatus{MediaIDs: files})
	})
}

func TestAPostToAListReachesItsMembers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, cat, dan := w.person("ann"), w.person("bob"), w.person("cat"), w.person("dan")
		w.follow(dan, ann)
		list, other := &db.AccountList{AccountID: ann.ID, Title: "friends"}, &db.AccountList{AccountID: bob.ID, Title: "his"}
		w.must(w.d.CreateList(ctx, list))
		w.must(w.d.CreateList(ctx, other))
		w.must(dbtest.Exec(t, w.d, "INSERT INTO list_accounts (list_id, account_id, owner_id) VALUES (?, ?, ?)", list.ID, bob.ID, ann.ID))
		name := func(l *db.AccountList) string { return "list:" + strconv.FormatInt(l.ID, 10) }
		for _, wrong := range []string{name(other), "list:99", "list:", "list", "list:x"} {
			_, err := w.PostStatus(ctx, ann, social.NewStatus{Text: "x", Visibility: wrong})
			wantRefusal(t, err, "List not found")
		}
		s := w.post(ann, social.NewStatus{Text: "among us, and @cat", Visibility: name(list)})
		saw := func(a *db.Account) bool {
			refs, err := w.d.StatusRefs(ctx, db.Viewer{ID: a.ID}, []string{s.ID})
			w.must(err)
			return len(refs) == 1
		}
		for _, rule := range []struct {
			who        *db.Account
			sees, home bool
			news       int
		}{{ann, true, true, 0}, {bob, true, true, 0}, {cat, true, true, 1}, {dan, false, false, 0}} {
			home := w.home(rule.who)
			news := slices.DeleteFunc(w.news(rule.who), func(line string) bool { return !strings.HasPrefix(line, db.NotifyMention) })
			if saw(rule.who) != rule.sees || (len(home) == 1) != rule.home || len(news) != rule.news {
				t.Errorf("%s sees it: %v, home %v, news %v", rule.who.Nickname, saw(rule.who), home, news)
			}
		}
		if s.Visibility != db.List || *s.ListID != list.ID || len(s.Mentions) != 1 || len(s.ToURIs) != 1 || len(s.CCURIs) != 0 || w.counts(ann)[2] != 0 {
			t.Errorf("%+v", s)
		}
		_, err := w.Reblog(ctx, bob, s.ID, "")
		wantNotFound(t, err)
		// A member's reply cannot reach the list, so it goes to its owner.
		if reply := w.post(bob, social.NewStatus{Text: "ha", InReplyToID: s.ID}); reply.Visibility != db.Direct || len(reply.Mentions) != 1 || reply.Mentions[0].ID != ann.ID {
			t.Errorf("%+v", reply)
		}
		if own := w.post(ann, social.NewStatus{Text: "more", InReplyToID: s.ID}); own.Visibility != db.List || *own.ListID != list.ID {
			t.Errorf("%+v", own)
		}
	})
}

func TestSafeDirectMentionsAddressTheFirstOnly(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	s := config.DefaultSettings()
	s.Instance.SafeDMMentions = true
	w.must(w.settings.Swap(s))
	ann := w.person("ann")
	for _, name := range []string{"bob", "cat", "dan"} {
		w.person(name)
	}
	for _, rule := range []struct{ text, visibility, to string }{
		{"@bob @cat: have you seen @dan?", db.Direct, "bob cat"},
		{"have you seen @dan?", db.Direct, ""},
		{"@bob", db.Direct, "bob"},
		{"@bob have you seen @dan?", db.Private, "bob dan"},
	} {
		got := ""
		for _, m := range w.post(ann, social.NewStatus{Text: rule.text, Visibility: rule.visibility}).Mentions {
			got += " " + m.Acct
		}
		if got = strings.TrimSpace(got); got != rule.to {
			t.Errorf("%q as %s goes to %q, want %q", rule.text, rule.visibility, got, rule.to)
		}
	}
}
