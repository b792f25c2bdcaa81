package social_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/fault"
	"svc/server/rules/social"
)

// refusal returns the message of a refusal, "" for a success.
func refusal(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatalf("no refusal: %v", err)
	}
	return f.Message
}

func ask(in int64, options ...string) *db.PollParams {
	return &db.PollParams{Options: options, ExpiresIn: &in}
}

func TestPollsAreHeldToTheirLimits(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann := w.person("ann")
	long := strings.Repeat("é", 200)
	many := make([]string, 21)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for name, c := range map[string]struct {
		in   *db.PollParams
		want string
	}{
		"too many options":      {ask(60, many...), "Poll can't contain more than 20 options"},
		"as many as there may":  {ask(60, many[:20]...), ""},
		"a long option":         {ask(60, long+"x", "b"), "Poll options cannot be longer than 200 characters each"},
		"as long as it may":     {ask(60, long, "b"), ""},
		"an empty option":       {ask(60, "a", " \n"), "Poll options cannot be empty"},
		"an option twice":       {ask(60, "a", " a "), "Poll options must differ"},
		"one option":            {ask(60, "a"), "Poll must contain at least 2 options"},
		"no options":            {ask(60), "Poll must contain at least 2 options"},
		"no end":                {&db.PollParams{Options: []string{"a", "b"}}, "Expiration date is too soon"},
		"an end that is past":   {ask(-1, "a", "b"), "Expiration date is too soon"},
		"an end far from now":   {ask(31536001, "a", "b"), "Expiration date is too far in the future"},
		"an end as far as may":  {ask(31536000, "a", "b"), ""},
		"an end beyond numbers": {ask(1<<62, "a", "b"), "Expiration date is too far in the future"},
	} {
		_, err := w.PostStatus(t.Context(), ann, social.NewStatus{Text: "?", Poll: c.in})
		if got := refusal(t, err); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if n := w.rows("SELECT COUNT(*) FROM polls"); n != 3 || w.rows("SELECT COUNT(*) FROM statuses") != 3 {
		t.Errorf("%d polls are kept, want 3", n)
	}
	next := *w.settings.Load()
	next.Instance.Poll.MinExpiration = time.Hour
	w.must(w.settings.Swap(next))
	if _, err := w.PostStatus(t.Context(), ann, social.NewStatus{Text: "?", Poll: ask(3599, "a", "b")}); refusal(t, err) != "Expiration date is too soon" {
		t.Error(err)
	}
}

func TestAPollKeepsPlainOptionsAndItsEnd(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.person("ann")
		s := w.post(ann, social.NewStatus{Text: "?", Poll: &db.PollParams{Options: []string{" a <script>x</script>b", "1 < 2 & 3"}, ExpiresIn: new(int64(3600)), Multiple: true}})
		got, _, err := w.Poll(t.Context(), w.viewer(ann), *s.PollID)
		w.must(err)
		want := &db.Poll{ID: got.ID, StatusID: s.ID, Multiple: true, Options: db.Slice[db.PollOption]{{Title: "a <script>x</script>b"}, {Title: "1 < 2 & 3"}},
			CreatedAt: s.CreatedAt, ExpiresAt: s.CreatedAt.Add(time.Hour)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWhoMayVoteForWhat(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob, cat := w.person("ann"), w.person("bob"), w.person("cat")
		one := w.post(ann, social.NewStatus{Text: "one", Poll: ask(60, "a", "b")})
		some := w.post(ann, social.NewStatus{Text: "some", Poll: &db.PollParams{Options: []string{"a", "b", "c"}, ExpiresIn: new(int64(60)), Multiple: true}})
		over := w.post(ann, social.NewStatus{Text: "over", Poll: ask(60, "a", "b")})
		secret := w.post(ann, social.NewStatus{Text: "secret", Visibility: db.Private, Poll: ask(60, "a", "b")})
		w.must(dbtest.Exec(t, w.d, "UPDATE polls SET expires_at = 1 WHERE id = ?", *over.PollID))
		for _, c := range []struct {
			name    string
			by      *db.Account
			of      *db.Status
			choices []int
			want    string
		}{
			{"the author", ann, one, []int{0}, "Poll's author can't vote"},
			{"nothing", bob, one, nil, "Invalid indices"},
			{"an option too far", bob, one, []int{2}, "Invalid indices"},
			{"a negative option", bob, some, []int{0, -1}, "Invalid indices"},
			{"two where one may be", bob, one, []int{0, 1}, "Too many choices"},
			{"a poll that is over", bob, over, []int{0}, "The poll has already ended"},
			{"the same one twice", bob, one, []int{1, 1}, ""},
			{"once more", bob, one, []int{0}, "Already voted"},
			{"several", bob, some, []int{2, 0}, ""},
			{"one more of several", bob, some, []int{1}, "Already voted"},
			{"one of several", cat, some, []int{2}, ""},
		} {
			_, _, err := w.Vote(t.Context(), c.by, *c.of.PollID, c.choices)
			if got := refusal(t, err); got != c.want {
				t.Errorf("%s: %q, want %q", c.name, got, c.want)
			}
		}
		for _, id := range []int64{*secret.PollID, 4711} {
			if _, _, err := w.Vote(t.Context(), bob, id, []int{0}); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("a vote for poll %d, which bob may not see: %v", id, err)
			}
		}
		got, _, err := w.Poll(t.Context(), w.viewer(bob), *some.PollID)
		w.must(err)
		if diff := cmp.Diff(db.Slice[db.PollOption]{{Title: "a", Votes: 1}, {Title: "b"}, {Title: "c", Votes: 2}}, got.Options); diff != "" || got.VotersCount != 2 {
			t.Errorf("%d voters, %s", got.VotersCount, diff)
		}
		if w.rows("SELECT COUNT(*) FROM poll_votes") != 4 {
			t.Error("not 4 votes")
		}
		if before := some.Version; w.row(some).Version <= before {
			t.Errorf("the status stayed at version %d", before)
		}
	})
}

func TestVotesOfManyAtOnceAreAllCountedAndNobodysTwice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.person("ann")
		s := w.post(ann, social.NewStatus{Text: "?", Poll: &db.PollParams{Options: []string{"a", "b", "c"}, ExpiresIn: new(int64(60)), Multiple: true}})
		var wg sync.WaitGroup
		for i := range 12 {
			voter := w.person(fmt.Sprintf("voter%d", i))
			for range 2 { // each tries twice at once
				wg.Go(func() {
					_, _, err := w.Vote(t.Context(), voter, *s.PollID, []int{i % 3, (i + 1) % 3})
					var f *fault.Error
					if err != nil && (!errors.As(err, &f) || f.Message != "Already voted") {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		got, _, err := w.Poll(t.Context(), w.viewer(ann), *s.PollID)
		w.must(err)
		want := db.Slice[db.PollOption]{{Title: "a", Votes: 8}, {Title: "b", Votes: 8}, {Title: "c", Votes: 8}}
		if diff := cmp.Diff(want, got.Options); diff != "" || got.VotersCount != 12 || w.rows("SELECT COUNT(*) FROM poll_votes") != 24 {
			t.Errorf("%d voters, %s", got.VotersCount, diff)
		}
	})
}

func TestAVoteIsForTheNameOfAnOption(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, vera := w.person("ann"), w.stranger("vera", "far.example")
		s := w.post(ann, social.NewStatus{Text: "?", Poll: &db.PollParams{Options: []string{"Vec<u8>", "Vec<u16>", "Vec", "café"}, ExpiresIn: new(int64(3600)), Multiple: true}})
		for i, option := range []string{"Vec<u16>", " Vec\n", "cafe\u0301"} {
			if err := w.TakeVote(ctx, vera, s.ID, option, fmt.Sprint("https://far.example/votes/", i)); err != nil {
				t.Errorf("for %q: %v", option, err)
			}
		}
		for i, option := range []string{"Vec<u32>", "<b>Vec<u8></b>", "Vec&lt;u8&gt;", "vec", ""} {
			if err := w.TakeVote(ctx, vera, s.ID, option, fmt.Sprint("https://far.example/others/", i)); !errors.Is(err, social.ErrNoVote) {
				t.Errorf("for %q: %v", option, err)
			}
		}
		got, _, err := w.Poll(ctx, w.viewer(ann), *s.PollID)
		w.must(err)
		want := db.Slice[db.PollOption]{{Title: "Vec<u8>"}, {Title: "Vec<u16>", Votes: 1}, {Title: "Vec", Votes: 1}, {Title: "café", Votes: 1}}
		if diff := cmp.Diff(want, got.Options); diff != "" {
			t.Error(diff)
		}
	})
}
