package social_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/rules/social"
)

// part is a conversation in an account's list: the text of the newest status,
// the participants, the recipients of a reply, and whether it is unread.
type part struct {
	Last, With, To string
	Unread         bool
}

// parts are an account's conversations, in the order of the list.
func (w *world) parts(a *db.Account, of ...string) []part {
	w.t.Helper()
	f := db.ParticipationFilter{}
	if of != nil {
		f.Recipients = of
	}
	rows, err := w.d.Participations(w.t.Context(), w.viewer(a), f, db.Page{Limit: 40})
	w.must(err)
	out := []part{}
	for i := range rows {
		s, err := w.d.StatusByID(w.t.Context(), rows[i].ShownID)
		w.must(err)
		with, err := w.d.Participants(w.t.Context(), []int64{rows[i].ID})
		w.must(err)
		out = append(out, part{s.Text, w.names(with[rows[i].ID]), w.names(rows[i].RecipientIDs()), rows[i].Unread})
	}
	return out
}

func (w *world) names(ids []string) string {
	w.t.Helper()
	rows, err := w.d.Accounts(w.t.Context(), ids)
	w.must(err)
	out := make([]string, len(rows))
	for i := range rows {
		out[i] = rows[i].Nickname
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// number returns the id of the conversation of an account that has this status.
func (w *world) number(a *db.Account, s *db.Status) int64 {
	w.t.Helper()
	id, err := w.d.ParticipationOf(w.t.Context(), a.ID, s.ID)
	w.must(err)
	return id
}

func (w *world) wantParts(a *db.Account, want ...part) {
	w.t.Helper()
	if diff := cmp.Diff(append([]part{}, want...), w.parts(a)); diff != "" {
		w.t.Errorf("conversations of %s: %s", a.Nickname, diff)
	}
}

func TestDirectPostsMakeOneConversationAThread(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob, cat := w.person("ann"), w.person("bob"), w.person("cat")
		eve := w.stranger("eve", "far.example")
		direct := func(by *db.Account, text string, to *db.Status) *db.Status {
			in := social.NewStatus{Text: text, Visibility: db.Direct}
			if to != nil {
				in.InReplyToID = to.ID
			}
			return w.post(by, in)
		}
		w.post(ann, social.NewStatus{Text: "hello all @bob"})
		first := direct(ann, "@bob @eve@far.example hi", nil)
		w.wantParts(ann, part{"@bob @eve@far.example hi", "ann bob eve@far.example", "ann bob eve@far.example", false})
		w.wantParts(bob, part{"@bob @eve@far.example hi", "ann bob eve@far.example", "ann bob eve@far.example", true})
		w.wantParts(cat)
		if n := w.rows("SELECT COUNT(*) FROM participations WHERE account_id = ?", eve.ID); n != 0 {
			t.Error("a remote account has conversations here")
		}
		// A reply moves the conversation to the top. A participant who is not
		// addressed does not see the reply.
		reply := direct(bob, "@ann @cat psst", first)
		w.wantParts(ann, part{"@ann @cat psst", "ann bob cat eve@far.example", "ann bob eve@far.example", true})
		w.wantParts(bob, part{"@ann @cat psst", "ann bob cat eve@far.example", "ann bob eve@far.example", false})
		w.wantParts(cat, part{"@ann @cat psst", "ann bob cat", "ann bob cat", true})
		aside := direct(cat, "@bob only you", reply)
		w.wantParts(bob, part{"@bob only you", "ann bob cat eve@far.example", "ann bob eve@far.example", true})
		if got := w.number(ann, aside); got == 0 {
			t.Error("ann has no part in the thread")
		}
		// The newest conversation comes first. The filter finds the one with
		// exactly these recipients.
		other := direct(ann, "@cat you", nil)
		if got := w.parts(ann); len(got) != 2 || got[0].Last != "@cat you" {
			t.Errorf("ann has %v", got)
		}
		for _, rule := range []struct {
			of   []string
			want int
		}{
			{[]string{cat.ID}, 1}, {[]string{cat.ID, ann.ID, cat.ID}, 1}, {[]string{eve.ID, bob.ID}, 1}, {[]string{bob.ID}, 0}, {[]string{"nobody"}, 0},
		} {
			if got := w.parts(ann, rule.of...); len(got) != rule.want {
				t.Errorf("%v: %v", rule.of, got)
			}
		}
		// Deleting the newest status shows the one before; deleting all removes
		// the conversation.
		w.must(w.DeleteStatus(t.Context(), ann, other.ID))
		w.must(w.DeleteStatus(t.Context(), cat, aside.ID))
		w.wantParts(bob, part{"@ann @cat psst", "ann bob cat eve@far.example", "ann bob eve@far.example", true})
		w.must(w.DeleteStatus(t.Context(), bob, reply.ID))
		w.wantParts(cat)
		w.must(w.DeleteStatus(t.Context(), ann, first.ID))
		w.wantParts(ann)
		w.wantParts(bob)
		if n := w.rows("SELECT COUNT(*) FROM participations WHERE unread"); n != 0 {
			t.Errorf("%d empty conversations are unread", n)
		}
	})
}

func TestABlockSilencesConversations(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, cat := w.person("ann"), w.person("bob"), w.person("cat")
		before := w.post(cat, social.NewStatus{Text: "@ann @bob one", Visibility: db.Direct})
		alone := w.post(bob, social.NewStatus{Text: "@ann two", Visibility: db.Direct})
		w.must(w.Block(ctx, ann, bob.ID))
		if n := w.rows("SELECT COUNT(*) FROM participations WHERE account_id = ? AND unread", ann.ID); n != 0 {
			t.Errorf("%d conversations with who is blocked are unread", n)
		}
		w.wantParts(ann) // both are by bob or to bob
		w.post(cat, social.NewStatus{Text: "@ann @bob three", Visibility: db.Direct, InReplyToID: before.ID})
		w.wantParts(ann)
		if n := w.rows("SELECT COUNT(*) FROM participations WHERE account_id = ? AND unread", ann.ID); n != 0 {
			t.Error("what is addressed to who is blocked raised unread")
		}
		w.post(cat, social.NewStatus{Text: "@ann four", Visibility: db.Direct, InReplyToID: before.ID})
		w.wantParts(ann, part{"@ann four", "ann bob cat", "ann bob cat", true})
		w.must(w.Unblock(ctx, ann, bob.ID))
		w.wantParts(ann, part{"@ann four", "ann bob cat", "ann bob cat", true}, part{"@ann two", "ann bob", "ann bob", false})
		if w.number(ann, alone) == 0 {
			t.Error("ann's part in the thread is gone")
		}
		// A conversation with a deactivated author's status is not listed
		// either.
		w.must(w.Deactivate(ctx, bob, bob))
		w.wantParts(ann, part{"@ann four", "ann bob cat", "ann bob cat", true})
	})
}

func TestAReplyToAConversationGoesToItsRecipients(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob, cat, dan := w.person("ann"), w.person("bob"), w.person("cat"), w.person("dan")
		first := w.post(ann, social.NewStatus{Text: "@bob @cat hi", Visibility: db.Direct})
		his := w.number(bob, first)
		answer := w.post(bob, social.NewStatus{Text: "yes, @dan too", ConversationID: his, Visibility: db.Public, To: []string{"dan"}})
		if answer.Visibility != db.Direct || *answer.ConversationID != *first.ConversationID || answer.InReplyToID == nil || *answer.InReplyToID != first.ID {
			t.Errorf("%+v", answer)
		}
		if n := w.rows("SELECT COUNT(*) FROM status_recipients WHERE status_id = ? AND account_id IN (?, ?)", answer.ID, ann.ID, cat.ID); n != 2 ||
			w.rows("SELECT COUNT(*) FROM status_recipients WHERE status_id = ?", answer.ID) != 2 {
			t.Errorf("the recipients are not exactly those of the conversation: %v", answer.Mentions)
		}
		if !strings.Contains(answer.Content, dan.ID) {
			t.Error("the link of a mention is gone")
		}
		w.wantParts(dan)
		w.must(w.SetRecipients(ctx, bob, his, []string{dan.ID, dan.ID, bob.ID}))
		w.post(bob, social.NewStatus{Text: "now to you", ConversationID: his})
		w.wantParts(dan, part{"now to you", "bob dan", "bob dan", true})
		w.wantParts(ann, part{"yes, @dan too", "ann bob cat", "ann bob cat", true})
		w.wantParts(bob, part{"now to you", "ann bob cat dan", "bob dan", false})

		wantNotFound(t, w.SetRecipients(ctx, ann, his, []string{dan.ID}))
		wantNotFound(t, w.SetRecipients(ctx, bob, his, []string{"nobody"}))
		wantRefusal(t, w.SetRecipients(ctx, bob, his, strings.Fields(strings.Repeat("a b ", 51)+manyNames(101))), "A conversation cannot have more than 100 recipients")
		for _, by := range []*db.Account{ann, dan} {
			_, err := w.PostStatus(ctx, by, social.NewStatus{Text: "x", ConversationID: his})
			wantNotFound(t, err)
		}
		wantNotFound(t, w.LeaveConversation(ctx, ann, his))
		w.must(w.LeaveConversation(ctx, bob, his))
		w.wantParts(bob)
		w.post(ann, social.NewStatus{Text: "@bob again", Visibility: db.Direct, InReplyToID: first.ID})
		w.wantParts(bob, part{"@bob again", "ann bob", "ann bob", true})
	})
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("x" + strings.Repeat("y", i) + " ")
	}
	return b.String()
}

func TestAllConversationsAreReadAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		for _, text := range []string{"@ann one", "@ann two", "@ann three"} {
			w.post(bob, social.NewStatus{Text: text, Visibility: db.Direct})
		}
		read, err := w.ReadConversations(ctx, ann, w.viewer(ann), 2)
		w.must(err)
		if len(read) != 2 || read[0].Unread {
			t.Errorf("%+v", read)
		}
		if n := w.rows("SELECT COUNT(*) FROM participations WHERE unread"); n != 0 {
			t.Errorf("%d are unread", n)
		}
	})
}

// Two concurrent statuses in one thread must neither lose a participant nor
// deadlock.
func TestConversationsSurviveManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		people := []*db.Account{w.person("ann"), w.person("bob"), w.person("cat"), w.person("dan")}
		root := w.post(people[0], social.NewStatus{Text: "@bob @cat @dan hi", Visibility: db.Direct})
		together(8, func(i int) {
			_, err := w.PostStatus(t.Context(), people[i%4], social.NewStatus{Text: "@dan @cat @bob @ann", Visibility: db.Direct, InReplyToID: root.ID})
			if err != nil {
				t.Error(err)
			}
		})
		if n := w.rows("SELECT COUNT(*) FROM participations"); n != 4 {
			t.Errorf("%d parts of four people", n)
		}
		if n := w.rows("SELECT COUNT(*) FROM participations p WHERE p.last_status_id <> (SELECT MAX(id) FROM statuses)"); n != 0 {
			t.Errorf("%d parts do not show the newest post", n)
		}
	})
}

// TestConversationListsUseIndexes holds the list of conversations to indexes
// that give its order, on both databases.
func TestConversationListsUseIndexes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		s := w.post(ann, social.NewStatus{Text: "@bob x", Visibility: db.Direct})
		_ = bob
		v, page := w.viewer(ann), db.Page{Limit: 20}
		for name, list := range map[string]func(ctx context.Context) error{
			"all": func(ctx context.Context) error {
				_, err := w.d.Participations(ctx, v, db.ParticipationFilter{}, page)
				return err
			},
			"of recipients": func(ctx context.Context) error {
				_, err := w.d.Participations(ctx, v, db.ParticipationFilter{Recipients: []string{bob.ID}}, page)
				return err
			},
			"after one": func(ctx context.Context) error {
				_, err := w.d.Participations(ctx, v, db.ParticipationFilter{}, db.Page{MaxID: "1", Limit: 20})
				return err
			},
			"statuses": func(ctx context.Context) error {
				_, err := w.d.ConversationStatuses(ctx, v, *s.ConversationID, page)
				return err
			},
			"scheduled": func(ctx context.Context) error { _, err := w.d.ScheduledStatuses(ctx, ann.ID, page); return err },
			"counts":    func(ctx context.Context) error { _, _, err := w.d.ScheduledCounts(ctx, ann.ID, 1, 0); return err },
		} {
			for sql, plan := range dbtest.Plans(t, w.d, func(ctx context.Context) { w.must(list(ctx)) }) {
				if waste := dbtest.Wasteful(plan); len(waste) > 0 {
					t.Errorf("%s: %v\n%s\n%s", name, waste, sql, strings.Join(plan, "\n"))
				}
			}
		}
	})
}
