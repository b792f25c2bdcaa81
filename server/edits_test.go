package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// versions are the contents of the versions of a status.
func versions(t *testing.T, c *client.Client, id string) []string {
	t.Helper()
	var out []string
	for _, v := range must(c.Statuses.History(t.Context(), id))(t) {
		out = append(out, v.Content)
	}
	return out
}

func picture(t *testing.T, c *client.Client, description string) string {
	t.Helper()
	return must(c.Media.Upload(t.Context(), client.File{Name: "a.txt", Content: strings.NewReader("text of " + description)}, api.MediaForm{Description: &description}))(t).ID
}

func descriptions(files []api.Attachment) (out []string) {
	for _, f := range files {
		out = append(out, *f.Description)
	}
	return out
}

func TestAnEditIsAWholeNewVersion(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		s.User("cat")
		made := must(ann.Statuses.Post(ctx, api.NewStatus{
			Status: "first @bob #one", SpoilerText: "warning", Sensitive: given(api.Bool(true)), Language: "pt-br", MediaIDs: []string{picture(t, ann, "cat")},
		}))(t)
		if made.EditedAt != nil || *made.Language != "pt-BR" {
			t.Errorf("a new post: edited %v, language %s", made.EditedAt, *made.Language)
		}
		if diff := cmp.Diff([]string{made.Content}, versions(t, bob, made.ID)); diff != "" {
			t.Errorf("versions of an unedited post: %s", diff)
		}
		edited := must(ann.Statuses.Edit(ctx, made.ID, api.StatusForm{Status: "second @cat #two **x**", ContentType: "text/markdown"}))(t)
		if edited.ID != made.ID || edited.URI != made.URI || edited.URL != made.URL || !edited.CreatedAt.Equal(made.CreatedAt.Time) || edited.Visibility != made.Visibility {
			t.Errorf("what no edit changes: %+v", edited)
		}
		if edited.EditedAt == nil || edited.EditedAt.Before(made.CreatedAt.Time) || edited.SpoilerText != "" || edited.Sensitive || len(edited.MediaAttachments) != 0 ||
			*edited.Language != "pt-BR" || len(edited.Tags) != 1 || edited.Tags[0].Name != "two" || !strings.Contains(edited.Content, "<strong>x</strong>") {
			t.Errorf("edited: %s", edited.Raw)
		}
		if got := must(bob.Statuses.Get(ctx, made.ID))(t); got.Content != edited.Content {
			t.Errorf("others see %s", got.Content)
		}
		source := must(ann.Statuses.Source(ctx, made.ID))(t)
		if diff := cmp.Diff(&api.StatusSource{ID: made.ID, Text: "second @cat #two **x**", ContentType: "text/markdown"}, source); diff != "" {
			t.Error(diff)
		}
		// The history, for people and strangers.
		for _, c := range []*client.Client{ann, bob, s.Anonymous()} {
			all := must(c.Statuses.History(ctx, made.ID))(t)
			if len(all) != 2 || all[0].Content != made.Content || all[0].SpoilerText != "warning" || !all[0].Sensitive || !all[0].CreatedAt.Equal(made.CreatedAt.Time) ||
				all[1].Content != edited.Content || !all[1].CreatedAt.Equal(edited.EditedAt.Time) || all[0].Account.ID != made.Account.ID {
				t.Fatalf("history: %+v", all)
			}
			if diff := cmp.Diff([]string{"cat"}, descriptions(all[0].MediaAttachments)); diff != "" || all[0].MediaAttachments[0].ID != made.MediaAttachments[0].ID {
				t.Errorf("files of the first version: %s", diff)
			}
		}
		// Hashtags and search follow the text.
		for tag, want := range map[string]int{"one": 0, "two": 1} {
			if got := must(bob.Timelines.Tag(tag, api.TagTimelineQuery{}).Page(ctx))(t).Items; len(got) != want {
				t.Errorf("#%s has %d posts, want %d", tag, len(got), want)
			}
		}
		// The newly mentioned are notified once, others not again.
		mentions := func(nick string) int {
			return len(must(s.Client(nick).Notifications.List(api.NotificationQuery{Types: []string{db.NotifyMention}}).Page(ctx))(t).Items)
		}
		must(ann.Statuses.Edit(ctx, made.ID, api.StatusForm{Status: "third @cat @bob"}))(t)
		if got := [2]int{mentions("bob"), mentions("cat")}; got != [2]int{1, 1} {
			t.Errorf("bob and cat have %v mentions", got)
		}
		// A language changes if it is named.
		if got := must(ann.Statuses.Edit(ctx, made.ID, api.StatusForm{Status: "third @cat @bob", Language: "de"}))(t); *got.Language != "de" {
			t.Errorf("language %s", *got.Language)
		}
	})
}

func TestAnEditThatSaysTheSameChangesNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		file := picture(t, ann, "cat")
		made := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "same @bob :x: https://far.example/page", SpoilerText: "w", Language: "en", MediaIDs: []string{file}}))(t)
		form := api.StatusForm{Status: "same @bob :x: https://far.example/page", SpoilerText: "w", MediaIDs: []string{file}}
		form.Sensitive = api.Bool(made.Sensitive)
		events := rowsOf(t, s, "SELECT COUNT(*) FROM events")
		for range 2 {
			if got := must(ann.Statuses.Edit(ctx, made.ID, form))(t); got.EditedAt != nil {
				t.Errorf("edited at %v", got.EditedAt)
			}
		}
		if n := rowsOf(t, s, "SELECT COUNT(*) FROM status_edits"); n != 0 {
			t.Errorf("%d versions", n)
		}
		if n := rowsOf(t, s, "SELECT COUNT(*) FROM events"); n != events {
			t.Errorf("%d events", n-events)
		}
		form.MediaAttributes = []api.MediaAttributes{{ID: file, Description: given("dog")}}
		first := must(ann.Statuses.Edit(ctx, made.ID, form))(t)
		again := must(ann.Statuses.Edit(ctx, made.ID, form))(t)
		if first.EditedAt == nil || !again.EditedAt.Equal(first.EditedAt.Time) || *again.MediaAttachments[0].Description != "dog" {
			t.Errorf("a description: %s", again.Raw)
		}
		all := must(ann.Statuses.History(ctx, made.ID))(t)
		if len(all) != 2 || *all[0].MediaAttachments[0].Description != "cat" || *all[1].MediaAttachments[0].Description != "dog" {
			t.Errorf("history: %+v", all)
		}
	})
}

func TestFilesOfAnEditAreOrderedAndTheirHistoryStays(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		a, b, c := picture(t, ann, "a"), picture(t, ann, "b"), picture(t, ann, "c")
		made := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "x", MediaIDs: []string{a, b}}))(t)
		shown := func(ids ...string) {
			t.Helper()
			got := must(ann.Statuses.Edit(ctx, made.ID, api.StatusForm{MediaIDs: ids}))(t)
			var have []string
			for _, m := range got.MediaAttachments {
				have = append(have, m.ID)
			}
			if diff := cmp.Diff(ids, have); diff != "" {
				t.Errorf("files: %s", diff)
			}
		}
		shown(b, a)
		shown(c)
		shown(a, c) // one that was taken out comes back
		var all [][]string
		for _, v := range must(ann.Statuses.History(ctx, made.ID))(t) {
			all = append(all, descriptions(v.MediaAttachments))
		}
		if diff := cmp.Diff([][]string{{"a", "b"}, {"b", "a"}, {"c"}, {"a", "c"}}, all); diff != "" {
			t.Errorf("history: %s", diff)
		}
		// A file that was taken out is no upload to use elsewhere, and is not swept.
		_, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "y", MediaIDs: []string{b}})
		wantStatus(t, err, http.StatusUnprocessableEntity)
		if _, err := s.DB.DeleteUnusedMedia(ctx, db.At(time.Now().Add(time.Hour)), 10); err != nil {
			t.Fatal(err)
		}
		if n := rowsOf(t, s, "SELECT COUNT(*) FROM media_attachments"); n != 3 {
			t.Errorf("%d files are left", n)
		}
		bobs := picture(t, s.Client("bob"), "bobs")
		other := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "z", MediaIDs: []string{picture(t, ann, "used")}}))(t)
		for name, form := range map[string]api.StatusForm{
			"another's":              {Status: "x", MediaIDs: []string{bobs}},
			"of another post":        {Status: "x", MediaIDs: []string{other.MediaAttachments[0].ID}},
			"unknown":                {Status: "x", MediaIDs: []string{"99999"}},
			"no number":              {Status: "x", MediaIDs: []string{"x"}},
			"twice":                  {Status: "x", MediaIDs: []string{a, a}},
			"attributes of another":  {Status: "x", MediaIDs: []string{a}, MediaAttributes: []api.MediaAttributes{{ID: c, Description: given("x")}}},
			"attributes of no files": {Status: "x", MediaAttributes: []api.MediaAttributes{{ID: a, Description: given("x")}}},
			"nothing at all":         {},
			"too long":               {Status: strings.Repeat("x", 5001)},
		} {
			_, err := ann.Statuses.Edit(ctx, made.ID, form)
			wantStatus(t, err, http.StatusUnprocessableEntity)
			if n := len(versions(t, ann, made.ID)); n != 4 {
				t.Errorf("%s: %d versions", name, n)
			}
		}
		// With the post its files go, in any version.
		if _, err := ann.Statuses.Delete(ctx, made.ID); err != nil {
			t.Fatal(err)
		}
		if n := rowsOf(t, s, "SELECT COUNT(*) FROM media_attachments WHERE former OR status_id IS NOT NULL AND status_id <> '"+other.ID+"'"); n != 0 {
			t.Errorf("%d files stay with a deleted post", n)
		}
		if n := rowsOf(t, s, "SELECT COUNT(*) FROM status_edits"); n != 0 {
			t.Errorf("%d versions stay", n)
		}
	})
}

func TestAPollKeepsItsVotesWhileItsOptionsStay(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		poll := func(seconds api.Int, options ...string) *api.NewPoll {
			return &api.NewPoll{Options: options, ExpiresIn: &seconds}
		}
		made := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "x", Poll: poll(3600, "a", "b")}))(t)
		must(bob.Polls.Vote(ctx, made.Poll.ID, 1))(t)
		edit := func(form api.StatusForm) *api.Poll {
			t.Helper()
			return must(ann.Statuses.Edit(ctx, made.ID, form))(t).Poll
		}
		if got := edit(api.StatusForm{Status: "x", Poll: poll(7200, "a", "b")}); got.VotesCount != 1 || got.ExpiresAt.Sub(made.Poll.ExpiresAt.Time) < 50*time.Minute {
			t.Errorf("the same options: %+v", got)
		}
		if n := rowsOf(t, s, "SELECT COUNT(*) FROM status_edits"); n != 0 {
			t.Errorf("a new end makes %d versions", n)
		}
		if got := edit(api.StatusForm{Status: "y", Poll: poll(7200, "a", "b")}); got.VotesCount != 1 || got.ID != made.Poll.ID {
			t.Errorf("another text: %+v", got)
		}
		if got := edit(api.StatusForm{Status: "y", Poll: poll(7200, "b", "a")}); got.VotesCount != 0 || got.VotersCount != 0 {
			t.Errorf("another order: %+v", got)
		}
		must(bob.Polls.Vote(ctx, made.Poll.ID, 0))(t) // again, since the question is another
		if got := edit(api.StatusForm{Status: "y"}); got != nil {
			t.Errorf("no poll: %+v", got)
		}
		if got := edit(api.StatusForm{Status: "y", Poll: poll(7200, "c", "d")}); got == nil || got.VotesCount != 0 {
			t.Errorf("a poll again: %+v", got)
		}
		var all []string
		for _, v := range must(bob.Statuses.History(ctx, made.ID))(t) {
			titles := "-"
			if v.Poll != nil {
				titles = v.Poll.ID[:0]
				for _, o := range v.Poll.Options {
					titles += o.Title
				}
				if v.Poll.ExpiresAt == nil || v.Poll.VotesCount != 0 || v.Poll.ID == "0" {
					t.Errorf("poll of a version: %+v", v.Poll)
				}
			}
			all = append(all, titles)
		}
		if diff := cmp.Diff([]string{"ab", "ab", "ba", "-", "cd"}, all); diff != "" {
			t.Errorf("history: %s", diff)
		}
	})
}

func TestOnlyTheAuthorEdits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		made := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "x @bob"}))(t)
		private := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "only me", Visibility: "direct"}))(t)
		boost := must(bob.Statuses.Reblog(ctx, made.ID, api.NewReblog{}))(t)
		for _, c := range []struct {
			by *client.Client
			id string
		}{{bob, made.ID}, {bob, boost.ID}, {ann, "nothing"}, {ann, boost.ID}, {s.Admin("admin"), made.ID}} {
			_, err := c.by.Statuses.Edit(ctx, c.id, api.StatusForm{Status: "y"})
			wantStatus(t, err, http.StatusNotFound)
			_, err = c.by.Statuses.Source(ctx, c.id)
			wantStatus(t, err, http.StatusNotFound)
		}
		_, err := bob.Statuses.History(ctx, private.ID)
		wantStatus(t, err, http.StatusNotFound)
		if got := versions(t, bob, boost.ID); !slices.Equal(got, []string{made.Content}) {
			t.Errorf("versions of a boost: %v", got)
		}
		if n := rowsOf(t, s, "SELECT COUNT(*) FROM status_edits"); n != 0 {
			t.Errorf("%d versions", n)
		}
	})
}

// A moderator's word stands, and those who boosted a post learn of its edits: the newest
// one.
func TestBoostersLearnOfEdits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		made := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "x"}))(t)
		must(bob.Statuses.Reblog(ctx, made.ID, api.NewReblog{}))(t)
		must(ann.Statuses.Reblog(ctx, made.ID, api.NewReblog{}))(t)
		must(s.Admin("admin").Admin.Statuses.Update(ctx, made.ID, api.StatusUpdate{Sensitive: given(true)}))(t)
		edited := must(ann.Statuses.Edit(ctx, made.ID, api.StatusForm{Status: "y"}))(t)
		if !edited.Sensitive {
			t.Error("an edit undoes what a moderator decided")
		}
		var last string
		for _, text := range []string{"y", "z"} {
			must(ann.Statuses.Edit(ctx, made.ID, api.StatusForm{Status: text}))(t)
			got := must(bob.Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items
			if len(got) != 1 || got[0].Type != "update" || got[0].Status == nil || got[0].Status.ID != made.ID || got[0].Account.ID != made.Account.ID || text == "z" && got[0].ID == last {
				t.Fatalf("bob has %+v", got)
			}
			last = got[0].ID
		}
		if n := rowsOf(t, s, "SELECT COUNT(*) FROM notifications WHERE type = 'update'"); n != 1 {
			t.Errorf("%d notifications", n)
		}
	})
}

// Of very many versions the first and the newest are kept.
func TestVersionsAreBounded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		made := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "x"}))(t)
		for i := range 200 {
			if err := s.DB.CreateStatusEdit(ctx, &db.StatusEdit{StatusID: made.ID, Content: string(rune('a'+i%26)) + strconv.Itoa(i), CreatedAt: s.DB.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		must(ann.Statuses.Edit(ctx, made.ID, api.StatusForm{Status: "y"}))(t)
		all := versions(t, ann, made.ID)
		if len(all) != 200 || all[0] != "a0" || all[199] != "<p>y</p>" && all[199] != "y" || all[198] != made.Content {
			t.Errorf("%d versions: %s … %s, %s", len(all), all[0], all[len(all)-2], all[len(all)-1])
		}
	})
}

// wantStatus reports an answer of another status.
func wantStatus(t *testing.T, err error, status int) {
	t.Helper()
	if refused := new(client.Error); !errors.As(err, &refused) || refused.Status != status {
		t.Errorf("%v, want %d", err, status)
	}
}

func rowsOf(t *testing.T, s *servertest.Server, query string) (n int) {
	t.Helper()
	if err := s.DB.Writer().QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// decodeError reads the body of a refusal.
func decodeError(t *testing.T, err error, into any) {
	t.Helper()
	refused := new(client.Error)
	if !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if err := json.Unmarshal(refused.Body, into); err != nil {
		t.Error(err)
	}
}

// A report shows what was reported, and what stands.
func TestReportsKeepWhatTheAuthorEdited(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		made := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "insult", MediaIDs: []string{picture(t, ann, "rude")}}))(t)
		report := must(s.Client("bob").Reports.Create(ctx, api.NewReport{AccountID: made.Account.ID, StatusIDs: []string{made.ID}}))(t)
		must(ann.Statuses.Edit(ctx, made.ID, api.StatusForm{Status: "compliment"}))(t)
		got := must(s.Admin("root").Admin.Reports.Get(ctx, report.ID))(t)
		if len(got.Statuses) != 1 || got.Statuses[0].Content != "compliment" || got.Statuses[0].Svc.Reported == nil ||
			got.Statuses[0].Svc.Reported.Content != "insult" || len(got.Statuses[0].Svc.Reported.MediaAttachments) != 1 {
			t.Errorf("the report shows %+v", got.Statuses)
		}
	})
}

// The streams that showed a status get its edits, and those of hashtags while the text
// has the tag.
func TestEditsAreToldWhereTheStatusWasShown(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, zed := t.Context(), s.Client("ann"), s.Client("zed")
		follow(t, s.Client("bob"), s.User("ann").ID)
		bob, cat := s.Token("bob", servertest.AllScopes), s.Token("cat", servertest.AllScopes)
		open := map[string]*socket{
			"home": dial(t, s, bob, "stream=user"), "public": dial(t, s, cat, "stream=public"), "of nobody": dial(t, s, cat, "stream=user"),
			"#one": dial(t, s, cat, "stream=hashtag&tag=one"), "#two": dial(t, s, cat, "stream=hashtag&tag=two"),
		}
		made := say(t, ann, "first #one")
		for _, name := range []string{"home", "public", "#one"} { // streams show what is there when they tell
			open[name].until("update", made.ID)
		}
		must(ann.Statuses.Edit(ctx, made.ID, api.StatusForm{Status: "second #two"}))(t)
		must(ann.Statuses.Edit(ctx, made.ID, api.StatusForm{Status: "second #two"}))(t)
		last := say(t, zed, "the end #one #two @bob @cat")
		for name, want := range map[string][]string{
			"home": {"update first #one", "status.update second #two"}, "public": {"update first #one", "status.update second #two"},
			"of nobody": nil, "#one": {"update first #one"}, "#two": {"status.update second #two"},
		} {
			o := open[name]
			o.until("update", last.ID)
			var got []string
			for _, f := range o.seen {
				var st api.Status
				if json.Unmarshal([]byte(f.Payload), &st) == nil && st.ID == made.ID {
					got = append(got, f.Event+" "+st.Svc.Content.Plain)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	})
}

// Two edits at once are two versions, one after the other.
func TestEditsAtOnceAreOneAfterTheOther(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		made := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "x"}))(t)
		var done sync.WaitGroup
		for i := range 8 {
			done.Go(func() {
				if _, err := ann.Statuses.Edit(ctx, made.ID, api.StatusForm{Status: "edit " + strconv.Itoa(i)}); err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		all := must(ann.Statuses.History(ctx, made.ID))(t)
		seen := map[string]bool{}
		for i := range all {
			if seen[all[i].Content] = true; i > 0 && !all[i].CreatedAt.After(all[i-1].CreatedAt.Time) {
				t.Errorf("version %d is of %v, the one before of %v", i, all[i].CreatedAt, all[i-1].CreatedAt)
			}
		}
		if len(all) != 9 || len(seen) != 9 {
			t.Errorf("%d versions of %d texts", len(all), len(seen))
		}
	})
}

// A history costs the same number of statements, however many versions it has.
func TestVersionsCostAFixedNumberOfStatements(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		hour := api.Int(3600)
		form := api.StatusForm{Status: "0", MediaIDs: []string{picture(t, ann, "a")}, Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: &hour}}
		made := must(ann.Statuses.Post(ctx, api.NewStatus{Status: "x", MediaIDs: form.MediaIDs, Poll: form.Poll}))(t)
		token := s.Token("ann", servertest.AllScopes)
		edit := func(n int) int64 {
			for i := range n {
				form.Status = strconv.Itoa(n) + " " + strconv.Itoa(i)
				must(ann.Statuses.Edit(ctx, made.ID, form))(t)
			}
			return dbtest.FewestQueries(t, func(ctx context.Context) { s.Get(ctx, "/api/v1/statuses/"+made.ID+"/history", token) })
		}
		edit(1)
		if few, many := edit(1), edit(20); few != many || few == 0 || few > 8 {
			t.Errorf("%d statements, then %d", few, many)
		}
	})
}
