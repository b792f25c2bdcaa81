package social_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
	"svc/server/rules/social"
	"svc/server/rules/social/socialtest"
)

// TestVisibilityDecidesWhoGetsAStatus: ann posts a status of each visibility
// that mentions cat. bob follows ann, and dan is a stranger.
func TestVisibilityDecidesWhoGetsAStatus(t *testing.T) {
	type who struct{ ann, bob, cat, dan bool }
	rules := []struct {
		visibility string
		home, byID who
		counts     int64
		to, cc     []string
	}{
		{db.Public, who{true, true, true, false}, who{true, true, true, true}, 1, []string{social.Public, "cat"}, []string{"followers"}},
		{db.Unlisted, who{true, true, true, false}, who{true, true, true, true}, 1, []string{"followers", "cat"}, []string{social.Public}},
		{db.Local, who{true, true, true, false}, who{true, true, true, true}, 1, []string{dbtest.Base + "/#Public", "cat"}, []string{"followers"}},
		{db.Private, who{true, true, true, false}, who{true, true, true, false}, 0, []string{"followers", "cat"}, nil},
		{db.Direct, who{true, false, true, false}, who{true, false, true, false}, 0, []string{"cat"}, nil},
	}
	each(t, func(t *testing.T, w *world) {
		ann, bob, cat, dan := w.person("ann"), w.person("bob"), w.person("cat"), w.person("dan")
		w.follow(bob, ann)
		uris := strings.NewReplacer(ann.FollowersURI, "followers", cat.URI, "cat")
		for _, rule := range rules {
			before := w.counts(ann)[2]
			s := w.post(ann, social.NewStatus{Text: "hello @cat, " + rule.visibility, Visibility: rule.visibility})
			saw := func(a *db.Account) bool {
				refs, err := w.d.StatusRefs(t.Context(), db.Viewer{ID: a.ID}, []string{s.ID})
				w.must(err)
				return len(refs) == 1
			}
			has := func(a *db.Account) bool { h := w.home(a); return len(h) > 0 && h[0] == s.ID }
			got := rule
			got.home = who{has(ann), has(bob), has(cat), has(dan)}
			got.byID = who{saw(ann), saw(bob), saw(cat), saw(dan)}
			got.counts = w.counts(ann)[2] - before
			got.to, got.cc = nil, nil
			for _, u := range s.ToURIs {
				got.to = append(got.to, uris.Replace(u))
			}
			for _, u := range s.CCURIs {
				got.cc = append(got.cc, uris.Replace(u))
			}
			if diff := cmp.Diff(rule, got, cmp.AllowUnexported(struct {
				visibility string
				home, byID who
				counts     int64
				to, cc     []string
			}{}, who{})); diff != "" {
				t.Errorf("%s: %s", rule.visibility, diff)
			}
		}
	})
}

func TestAStatusIsStoredAsItWasMeant(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, cat := w.person("ann"), w.person("cat")
		eve := w.stranger("eve", "far.example")
		s := w.post(ann, social.NewStatus{
			Text: "  Hi @CAT@svc.example, @eve@far.example and @nobody: #Foo #foo <b>\r\nbye ", SpoilerText: " careful ", Language: "EN-gb",
			AppName: "App", AppWebsite: "https://app.example",
		})
		s, err := w.d.StatusByID(t.Context(), s.ID)
		w.must(err)
		if s.URI == nil || !strings.HasPrefix(*s.URI, dbtest.Base+"/objects/") || s.URL != dbtest.Base+"/notice/"+s.ID || s.ConversationID == nil {
			t.Errorf("addresses: %v %s %v", s.URI, s.URL, s.ConversationID)
		}
		if s.CreatedAt.IsZero() || time.Since(s.CreatedAt.Time) > time.Minute {
			t.Errorf("created at %v", s.CreatedAt)
		}
		if !strings.Contains(s.Content, `data-user="`+cat.ID+`"`) || !strings.Contains(s.Content, "&lt;b&gt;<br>bye") || !strings.Contains(s.Content, "@nobody") {
			t.Errorf("content: %s", s.Content)
		}
		want := &db.Status{
			ID: s.ID, AccountID: ann.ID, URI: s.URI, URL: s.URL, Local: true, Visibility: db.Public, ConversationID: s.ConversationID,
			Text: "Hi @CAT@svc.example, @eve@far.example and @nobody: #Foo #foo <b>\nbye", ContentType: "text/plain", Content: s.Content,
			SpoilerText: "careful", Language: "en-GB", Tags: []string{"foo"}, Version: 1,
			Mentions: []db.Mention{
				{ID: cat.ID, Username: "cat", URL: cat.URL, Acct: "cat", URI: cat.URI},
				{ID: eve.ID, Username: "eve", URL: eve.URL, Acct: "eve@far.example", URI: eve.URI},
			},
			ToURIs: []string{social.Public, cat.URI, eve.URI}, CCURIs: []string{ann.FollowersURI},
			ApplicationName: "App", ApplicationWebsite: "https://app.example", CreatedAt: s.CreatedAt,
		}
		if diff := cmp.Diff(want, s); diff != "" {
			t.Error(diff)
		}
		if n := w.rows("SELECT COUNT(*) FROM status_tags WHERE tag = 'foo' AND status_id = ?", s.ID); n != 1 {
			t.Errorf("%d tags", n)
		}
		if n := w.rows("SELECT COUNT(*) FROM status_recipients WHERE status_id = ? AND mentioned", s.ID); n != 2 {
			t.Errorf("%d recipients", n)
		}
		if got := w.reload(ann).LastStatusAt; got != s.CreatedAt {
			t.Errorf("last status at %v, want %v", got, s.CreatedAt)
		}
	})
}

func TestRepliesInheritTheThreadAndItsAddressees(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob, cat := w.person("ann"), w.person("bob"), w.person("cat")
		w.follow(bob, ann)
		w.follow(ann, bob)
		reply := func(by *db.Account, to *db.Status, text, visibility string) *db.Status {
			return w.post(by, social.NewStatus{Text: text, Visibility: visibility, InReplyToID: to.ID})
		}
		names := func(s *db.Status) string {
			var out []string
			for _, m := range s.Mentions {
				out = append(out, m.Acct)
			}
			return strings.Join(out, " ")
		}
		unlisted := w.post(ann, social.NewStatus{Text: "root", Visibility: db.Unlisted})
		direct := w.post(ann, social.NewStatus{Text: "@bob psst", Visibility: db.Direct})
		for _, rule := range []struct {
			parent                *db.Status
			by                    *db.Account
			text, visibility      string
			wantVisibility, names string
		}{
			{unlisted, bob, "re", "", db.Unlisted, "ann"},
			{unlisted, bob, "re @cat @ann", db.Public, db.Public, "ann cat"},
			{unlisted, bob, "re", db.Local, db.Local, "ann"},
			{unlisted, bob, "re", db.Private, db.Private, ""},
			{unlisted, bob, "@cat look", db.Direct, db.Direct, "cat"},
			{unlisted, ann, "to myself", "", db.Unlisted, ""},
			{direct, bob, "yes?", "", db.Direct, "ann"},
			{direct, bob, "yes?", db.Direct, db.Direct, "ann"},
		} {
			s := reply(rule.by, rule.parent, rule.text, rule.visibility)
			if s.Visibility != rule.wantVisibility || names(s) != rule.names {
				t.Errorf("%q to %s: %s to %q, want %s to %q", rule.text, rule.parent.Visibility, s.Visibility, names(s), rule.wantVisibility, rule.names)
			}
			if *s.ConversationID != *rule.parent.ConversationID || *s.InReplyToID != rule.parent.ID || *s.InReplyToAccountID != ann.ID {
				t.Errorf("%q is not in its parent's thread", rule.text)
			}
		}
		got, err := w.d.StatusByID(t.Context(), unlisted.ID)
		w.must(err)
		if got.RepliesCount != 4 { // the unlisted, public, local and own ones
			t.Errorf("%d replies are counted, want 4", got.RepliesCount)
		}
		explicit := w.post(bob, social.NewStatus{Text: "@cat hi", InReplyToID: unlisted.ID, To: []string{"bob", "@ANN@svc.example", "ghost"}})
		if got := names(explicit); got != "bob ann" {
			t.Errorf("an explicit to addresses %q", got)
		}
		if !strings.Contains(explicit.Content, cat.ID) {
			t.Error("an explicit to unlinks mentions")
		}
		reblog, err := w.Reblog(t.Context(), cat, unlisted.ID, "")
		w.must(err)
		if s := reply(bob, reblog, "to the reblog", ""); *s.InReplyToID != unlisted.ID {
			t.Error("a reply to a reblog is not one to the reblogged status")
		}
	})
}

func TestWhatPostStatusRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		secret := w.post(bob, social.NewStatus{Text: "dear diary", Visibility: db.Direct})
		gone := w.person("gone")
		w.must(w.Deactivate(t.Context(), gone, gone))
		gone = w.reload(gone)
		many := make([]string, 101)
		for i := range many {
			many[i] = fmt.Sprint("n", i)
		}
		for _, rule := range []struct {
			by   *db.Account
			in   social.NewStatus
			want string
		}{
			{ann, social.NewStatus{Text: " \n"}, "Cannot post an empty status without attachments"},
			{ann, social.NewStatus{SpoilerText: "only this"}, "Cannot post an empty status without attachments"},
			{ann, social.NewStatus{Text: strings.Repeat("é", 4998), SpoilerText: "abc"}, "The status is over the character limit"},
			{ann, social.NewStatus{Text: "x", ExpiresIn: time.Hour}, "Expiry date is too soon"},
			{ann, social.NewStatus{Text: "x", Visibility: "list:7"}, "List not found"},
			{ann, social.NewStatus{Text: "x", Visibility: "secret"}, "Visibility is not included in the list"},
			{bob, social.NewStatus{Text: "x", Visibility: db.Public, InReplyToID: secret.ID}, "The message visibility must be direct"},
			{ann, social.NewStatus{Text: "x", To: many}, "A status cannot be addressed to more than 100 accounts"},
			{ann, social.NewStatus{Text: "x", MediaIDs: []int64{99}}, "Could not find the media to attach"},
			{gone, social.NewStatus{Text: "x"}, "Your account is currently disabled"},
		} {
			_, err := w.PostStatus(t.Context(), rule.by, rule.in)
			wantRefusal(t, err, rule.want)
		}
		for _, parent := range []string{"nosuchid", secret.ID} {
			_, err := w.PostStatus(t.Context(), ann, social.NewStatus{Text: "x", InReplyToID: parent})
			wantNotFound(t, err)
		}
		if n := w.rows("SELECT COUNT(*) FROM statuses"); n != 1 {
			t.Errorf("there are %d statuses, want the one that was taken", n)
		}
		if n := w.rows("SELECT COUNT(*) FROM conversations"); n != 1 {
			t.Errorf("there are %d conversations, want 1", n)
		}
	})
}

func TestLimitsCountCharactersAndFollowTheSettings(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann := w.person("ann")
	s := config.DefaultSettings()
	s.Instance.Limit = 5
	s.Instance.AllowedPostFormats = []string{"text/plain"}
	w.must(w.settings.Swap(s))
	family := "👨‍👩‍👧‍👦" // one character of 25 bytes
	if got := w.post(ann, social.NewStatus{Text: " " + strings.Repeat(family, 3), SpoilerText: "cw", ContentType: "text/markdown"}); got.ContentType != "text/plain" {
		t.Errorf("a format that is not allowed is kept: %s", got.ContentType)
	}
	_, err := w.PostStatus(t.Context(), ann, social.NewStatus{Text: strings.Repeat(family, 4), SpoilerText: "cw"})
	wantRefusal(t, err, "The status is over the character limit")
}

func TestSensitiveByFlagAndByTag(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ann := w.person("ann")
	for _, rule := range []struct {
		in   social.NewStatus
		want bool
	}{
		{social.NewStatus{Text: "x"}, false},
		{social.NewStatus{Text: "x", Sensitive: new(true)}, true},
		{social.NewStatus{Text: "x #NSFW"}, true},
	} {
		if got := w.post(ann, rule.in); got.Sensitive != rule.want {
			t.Errorf("%+v: sensitive %v", rule.in, got.Sensitive)
		}
	}
}

func TestARepeatedPostIsTheFirstOne(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.person("ann")
		var ids [8]string
		together(8, func(i int) {
			s, err := w.PostStatus(t.Context(), ann, social.NewStatus{Text: fmt.Sprint("take ", i), IdempotencyKey: "k"})
			if err != nil {
				t.Error(err)
				return
			}
			ids[i] = s.ID
		})
		for _, id := range ids {
			if id != ids[0] {
				t.Fatalf("several statuses were posted: %v", ids)
			}
		}
		if other := w.post(ann, social.NewStatus{Text: "other", IdempotencyKey: "l"}); other.ID == ids[0] {
			t.Error("another key found the first status")
		}
		if got := w.counts(ann); got != [3]int64{0, 0, 2} {
			t.Errorf("counts %v", got)
		}
	})
}

func TestRemoteStatusesKeepTheirNamesAndAreSanitised(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.person("ann")
		eve := w.stranger("eve", "far.example")
		w.follow(ann, eve)
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		s := socialtest.Post(t, w.Service, eve, db.Public, activitypub.Post{
			Content: `<p onclick="x()">hi<script>alert(1)</script></p>`, ID: "https://far.example/n/1", URL: "https://far.example/@eve/1", Published: at,
		})
		if s.Local || *s.URI != "https://far.example/n/1" || s.URL != "https://far.example/@eve/1" || !s.CreatedAt.Equal(at) || strings.Contains(s.Content, "onclick") || strings.Contains(s.Content, "<script") {
			t.Errorf("%+v", s)
		}
		if got := w.home(ann); len(got) != 1 {
			t.Errorf("a local follower's home has %v", got)
		}
		if n := w.rows("SELECT COUNT(*) FROM home_entries WHERE account_id = ?", eve.ID); n != 0 {
			t.Error("a remote account has a home timeline here")
		}
		again, err := w.DraftRemote(t.Context(), eve, social.RemoteStatus{Post: &activitypub.Post{ID: "https://far.example/n/1", Content: "again"}})
		w.must(err)
		if _, err := w.KeepRemote(t.Context(), again); !errors.Is(err, db.ErrDuplicate) {
			t.Errorf("a URI was taken twice: %v", err)
		}
	})
}

// TestPostsTakeFewStatements pins the number of statements for a status,
// without BEGIN and COMMIT.
func TestPostsTakeFewStatements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann, bob := w.person("ann"), w.person("bob")
		w.follow(bob, ann)
		root := w.post(ann, social.NewStatus{Text: "root"})
		index := int64(3) // the search index, the query for remote followers, and the event
		if w.d.Dialect() == db.SQLite {
			index = 4
		}
		for _, rule := range []struct {
			name string
			in   social.NewStatus
			want int64
		}{
			{"a post", social.NewStatus{Text: "x"}, 5 + index},
			{"with a key", social.NewStatus{Text: "x", IdempotencyKey: "k"}, 6 + index},
			{"with a hashtag", social.NewStatus{Text: "x #y #z"}, 6 + index},
			{"with a mention", social.NewStatus{Text: "x @bob @nobody"}, 9 + index},
			{"direct", social.NewStatus{Text: "x @bob", Visibility: db.Direct}, 11},
			{"a reply to oneself", social.NewStatus{Text: "x", InReplyToID: root.ID}, 5 + index},
			{"for a while", social.NewStatus{Text: "x", ExpiresIn: 2 * time.Hour}, 5 + index},
		} {
			_, err := w.PostStatus(t.Context(), ann, social.NewStatus{Text: "warm"})
			w.must(err)
			ctx, n := db.CountStatements(t.Context())
			_, err = w.PostStatus(ctx, ann, rule.in)
			w.must(err)
			if n.Load() != rule.want {
				t.Errorf("%s: %d statements, want %d", rule.name, n.Load(), rule.want)
			}
		}
	})
}

func TestUploadsAreUsedOnceByTheirOwner(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		files := []db.MediaAttachment{{AccountID: ann.ID, Type: "image", URL: "/1.png"}, {AccountID: ann.ID, Type: "image", URL: "/2.png"}}
		w.must(w.d.CreateAttachments(ctx, files))
		ids := []int64{files[1].ID, files[0].ID}
		_, err := w.PostStatus(ctx, bob, social.NewStatus{Text: "x", MediaIDs: ids})
		wantRefusal(t, err, "Could not find the media to attach")
		s := w.post(ann, social.NewStatus{MediaIDs: ids})
		got, err := w.d.Attachments(ctx, []string{s.ID})
		w.must(err)
		if !s.HasMedia || len(got) != 2 || got[0].URL != "/2.png" || got[1].URL != "/1.png" {
			t.Errorf("%+v", got)
		}
		_, err = w.PostStatus(ctx, ann, social.NewStatus{Text: "again", MediaIDs: ids[:1]})
		wantRefusal(t, err, "Could not find the media to attach")
		if n := w.rows("SELECT COUNT(*) FROM statuses"); n != 1 {
			t.Errorf("%d statuses", n)
		}
	})
}
