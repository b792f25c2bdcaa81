package server_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/jobs"
	"svc/server/servertest"
)

// announced stores a published announcement.
func announced(t *testing.T, s *servertest.Server, text string, edit ...func(*db.Announcement)) *db.Announcement {
	t.Helper()
	now := s.DB.Now()
	a := &db.Announcement{Text: text, Published: true, PublishedAt: now, CreatedAt: now, UpdatedAt: now}
	for _, e := range edit {
		e(a)
	}
	err := s.DB.Tx(t.Context(), func(tx *db.DB) error {
		if err := s.Social.In(tx).FormatAnnouncement(t.Context(), a); err != nil {
			return err
		}
		if err := tx.CreateAnnouncement(t.Context(), a); err != nil {
			return err
		}
		return s.Social.TurnAnnouncement(t.Context(), tx, a, false)
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// contents are the texts of the announcements that an app lists, "!" before unread ones.
func contents(t *testing.T, c *client.Client, query api.AnnouncementQuery) []string {
	t.Helper()
	texts := []string{}
	for _, a := range must(c.Announcements.List(t.Context(), query))(t) {
		text := a.Content
		if !*a.Read {
			text = "!" + text
		}
		texts = append(texts, text)
	}
	return texts
}

// TestAnnouncementsAreReadByEach: everybody here sees those that are published, from
// their beginning to their end, and has read them for themselves.
func TestAnnouncementsAreReadByEach(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		all, unread := api.AnnouncementQuery{}, api.AnnouncementQuery{WithDismissed: new(api.Bool(false))}
		lists := func(c *client.Client, q api.AnnouncementQuery, want ...string) {
			t.Helper()
			if diff := cmp.Diff(append([]string{}, want...), contents(t, c, q)); diff != "" {
				t.Error(diff)
			}
		}
		lists(ann, all)
		now := s.DB.Now()
		from := func(d time.Duration) func(*db.Announcement) {
			return func(a *db.Announcement) { a.StartsAt = now.Add(d) }
		}
		until := func(d time.Duration) func(*db.Announcement) {
			return func(a *db.Announcement) { a.EndsAt = now.Add(d) }
		}
		draft := announced(t, s, "draft", func(a *db.Announcement) { a.Published = false })
		later := announced(t, s, "later", from(time.Hour), until(2*time.Hour))
		over := announced(t, s, "over", from(-time.Hour), until(-time.Minute))
		announced(t, s, "second", until(time.Hour))
		first := announced(t, s, "first", from(-time.Minute), func(a *db.Announcement) { a.PublishedAt = now.Add(-time.Minute) })
		lists(ann, all, "!first", "!second")

		for range 2 {
			must(0, ann.Announcements.Dismiss(ctx, strconv.FormatInt(first.ID, 10)))(t)
		}
		lists(ann, all, "first", "!second")
		lists(ann, unread, "!second")
		lists(bob, unread, "!first", "!second")
		token := s.Token("ann", "write")
		for _, a := range []*db.Announcement{draft, later, over, {ID: 999}} {
			for _, path := range []string{"/dismiss", "/reactions/🎉"} {
				for _, method := range []string{"POST", "PUT", "DELETE"} {
					if status, body := query(t, s, token, method, "/api/v1/announcements/"+strconv.FormatInt(a.ID, 10)+path, ""); status != 404 {
						t.Errorf("%s %s%s: %d %s", method, a.Text, path, status, body)
					}
				}
			}
		}
		if n := rowsOf(t, s, "SELECT COUNT(*) FROM announcement_reads"); n != 1 {
			t.Errorf("%d reads", n)
		}
		s.Advance(90 * time.Minute)
		lists(bob, all, "!first", "!later")

		// Any token of a user will do for reading, and nobody else's.
		if status, body := query(t, s, s.Token("ann", "push"), "GET", "/api/v1/announcements", ""); status != 200 {
			t.Errorf("%d %s", status, body)
		}
		for _, token := range []string{"", s.AppToken()} {
			if status, body := query(t, s, token, "GET", "/api/v1/announcements", ""); status < 400 {
				t.Errorf("%d %s", status, body)
			}
		}
	})
}

// TestAnnouncementsAreRendered: a plain text gets links, and says what they lead to.
func TestAnnouncementsAreRendered(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann, bob := s.Client("ann"), s.User("bob")
		putEmoji(t, s, "wave")
		post := say(t, ann, "a post")
		secret := say(t, ann, "a secret", func(f *api.NewStatus) { f.Visibility = "direct" })
		a := announced(t, s, "<b>Hi</b> @bob @nobody, #Tea :wave: at "+post.URL+" and "+secret.URL)
		got := must(ann.Announcements.List(t.Context(), api.AnnouncementQuery{}))(t)[0]
		if !strings.HasPrefix(got.Content, "&lt;b&gt;Hi&lt;/b&gt; ") || strings.Count(got.Content, "<a ") != 4 {
			t.Error(got.Content)
		}
		got.Content = ""
		at := api.Time{Time: a.PublishedAt.Truncate(time.Millisecond)}
		picture := s.Base() + "/emoji/custom/wave.png"
		want := api.Announcement{
			ID: strconv.FormatInt(a.ID, 10), Published: true, PublishedAt: at, UpdatedAt: at, Read: new(bool),
			Mentions: api.List[api.Mention]{{ID: bob.ID, Username: "bob", Acct: "bob", URL: s.Base() + "/users/bob"}},
			Statuses: api.List[api.AnnouncedStatus]{{ID: post.ID, URL: post.URL}},
			Tags:     api.List[api.AnnouncedTag]{{Name: "tea", URL: s.Base() + "/tag/tea"}},
			Emojis:   api.List[api.Emoji]{{Shortcode: "wave", URL: picture, StaticURL: picture}}, Reactions: api.List[api.AnnouncementReaction]{},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// putEmoji gives a server a custom emoji.
func putEmoji(t *testing.T, s *servertest.Server, code string) {
	t.Helper()
	path := filepath.Join(s.DataDir, "static", "emoji", "custom", code+".png")
	must(0, os.MkdirAll(filepath.Dir(path), 0o700))(t)
	must(0, os.WriteFile(path, []byte("x"), 0o600))(t)
	must(0, s.Emojis.Reload())(t)
}

// TestAnnouncementsAreReactedTo: with up to eight different emoji, by each once with each.
func TestAnnouncementsAreReactedTo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		putEmoji(t, s, "wave")
		id := strconv.FormatInt(announced(t, s, "hi").ID, 10)
		shows := func(c *client.Client, want ...api.AnnouncementReaction) {
			t.Helper()
			got := must(c.Announcements.List(ctx, api.AnnouncementQuery{}))(t)[0].Reactions
			if diff := cmp.Diff(append(api.List[api.AnnouncementReaction]{}, want...), got); diff != "" {
				t.Error(diff)
			}
		}
		reaction := func(name string, count int, me bool) api.AnnouncementReaction {
			return api.AnnouncementReaction{Name: name, Count: count, Me: &me}
		}
		for range 2 {
			must(0, ann.Announcements.React(ctx, id, "🎉"))(t)
		}
		must(0, bob.Announcements.React(ctx, id, "🎉"))(t)
		must(0, bob.Announcements.React(ctx, id, "wave"))(t)
		wave := reaction("wave", 1, false)
		wave.URL = s.Base() + "/emoji/custom/wave.png"
		wave.StaticURL = wave.URL
		shows(ann, reaction("🎉", 2, true), wave)
		wave.Me = new(true)
		shows(bob, reaction("🎉", 2, true), wave)

		token := s.Token("ann", "write")
		for _, name := range []string{"x", "nosuch", ":wave:", "wave:wave", "🎉🎉", strings.Repeat("a", 3000)} {
			if status, body := query(t, s, token, "PUT", "/api/v1/announcements/"+id+"/reactions/"+name, ""); status != 422 && status != 400 {
				t.Errorf("%q: %d %s", name, status, body)
			}
		}
		for _, emoji := range []string{"☕", "🐈", "🌧️", "🍏", "🍐", "🍋"} {
			must(0, ann.Announcements.React(ctx, id, emoji))(t)
		}
		status, body := query(t, s, token, "PUT", "/api/v1/announcements/"+id+"/reactions/🍉", "")
		if status != 422 || body != `{"error":"Validation failed: Limit of different reactions reached"}` {
			t.Errorf("%d %s", status, body)
		}
		must(0, bob.Announcements.React(ctx, id, "🍋"))(t)
		for range 2 {
			must(0, bob.Announcements.Unreact(ctx, id, "wave"))(t)
			must(0, bob.Announcements.Unreact(ctx, id, "nosuch"))(t)
		}
		must(0, ann.Announcements.React(ctx, id, "🍉"))(t)
		if got := must(bob.Announcements.List(ctx, api.AnnouncementQuery{}))(t)[0].Reactions; len(got) != 8 || got[7].Name != "🍉" || got[6].Count != 2 {
			t.Errorf("%+v", got)
		}

		// What an account did goes with it, and the count of reactions.
		me := must(bob.Accounts.Verify(ctx))(t)
		must(0, bob.Announcements.Dismiss(ctx, id))(t)
		account := must(s.DB.Account(ctx, me.ID))(t)
		must(s.Social.DeleteAccount(ctx, account, account))(t)
		must(s.Social.EraseAccount(ctx, jobs.EraseAccount{AccountID: me.ID}))(t)
		if got := must(ann.Announcements.List(ctx, api.AnnouncementQuery{}))(t)[0].Reactions; got[0].Count != 1 {
			t.Errorf("%+v", got)
		}
		if reads, reactions := rowsOf(t, s, "SELECT COUNT(*) FROM announcement_reads"), rowsOf(t, s, "SELECT COUNT(*) FROM announcement_reactions"); reads != 0 || reactions != 8 {
			t.Errorf("%d reads, %d reactions", reads, reactions)
		}
	})
}

// TestAnnouncementsAreListedInTwoStatements, however many they are, by indexes of what
// accounts did.
func TestAnnouncementsAreListedInTwoStatements(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, token := t.Context(), s.User("ann"), s.Token("ann", "read")
		statements := func() (least int64) {
			least = 1000
			for range 3 { // the token is cached, but not for good
				least = min(least, dbtest.Queries(t, func(ctx context.Context) { s.Get(ctx, "/api/v1/announcements", token) }))
			}
			return least
		}
		if n := statements(); n != 1 {
			t.Errorf("%d statements for none", n)
		}
		for range 5 {
			a := announced(t, s, "hi")
			must(0, s.Social.ReactToAnnouncement(ctx, ann, a.ID, "🎉"))(t)
		}
		if n := statements(); n != 2 {
			t.Errorf("%d statements for five", n)
		}
		plans := dbtest.Plans(t, s.DB, func(ctx context.Context) {
			must(s.DB.ShownAnnouncements(ctx, ann.ID, time.Now(), true))(t)
			must(s.DB.OwnAnnouncementReactions(ctx, ann.ID, []int64{1, 2}))(t)
		})
		for query, plan := range plans {
			for _, line := range plan {
				if strings.Contains(line, "SCAN") && !strings.Contains(line, "SCAN n") || strings.Contains(line, "Seq Scan") && !strings.Contains(line, "announcements n") {
					t.Errorf("%s: %s", query, line)
				}
			}
		}
	})
}
