package social_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/rules/social"
)

func text(s string) *string { return &s }

func TestAProfileIsCleanedAndRendered(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann, bob := w.person("ann"), w.person("bob")
		got, _, err := w.UpdateProfile(ctx, ann, social.Profile{
			DisplayName: text(" Ann \n of <b>Here</b> <3 "), Note: text("I know @bob & https://x.example/ #fun"),
			Fields: []db.Field{{Name: " site ", Value: "https://ann.example/"}, {Name: " ", Value: "dropped"}, {Name: "b", Value: "<b>@bob</b>"}},
			Bot:    yes(), Locked: yes(), HideFavourites: no(), AcceptsChatMessages: no(),
			DefaultScope: text("unlisted"), DefaultSensitive: yes(), DefaultLanguage: text("DE"), AlsoKnownAs: []string{"https://old.example/users/ann"},
		})
		w.must(err)
		if !strings.Contains(got.NoteHTML, `data-user="`+bob.ID+`"`) || !strings.Contains(got.NoteHTML, "@<span>bob@svc.example</span>") || !strings.Contains(got.NoteHTML, "&amp; <a href=") {
			t.Errorf("note: %s", got.NoteHTML)
		}
		want := *ann
		want.DisplayName, want.DisplayNameKey, want.Note, want.NoteHTML = "Ann of <b>Here</b> <3", "ann of <b>here</b> <3", "I know @bob & https://x.example/ #fun", got.NoteHTML
		want.Fields = db.Slice[db.Field]{{Name: "site", Value: "https://ann.example/"}, {Name: "b", Value: "<b>@bob</b>"}}
		want.FieldsHTML = db.Slice[db.Field]{
			{Name: "site", Value: `<a href="https://ann.example/" rel="ugc">https://ann.example/</a>`},
			{Name: "b", Value: "&lt;b&gt;@bob&lt;/b&gt;"},
		}
		want.ActorType, want.Locked, want.HideFavourites = "Service", true, false
		never := false
		want.AcceptsChatMessages = &never
		want.DefaultScope, want.DefaultSensitive, want.DefaultLanguage = "unlisted", true, "de"
		want.AlsoKnownAs = db.Slice[string]{"https://old.example/users/ann"}
		want.Version, want.UpdatedAt = 2, got.UpdatedAt
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Error(diff)
		}
		same, _, err := w.UpdateProfile(ctx, ann, social.Profile{})
		if err != nil || same.Version != 2 {
			t.Errorf("no change made version %d, %v", same.Version, err)
		}
	})
}

func TestAnInvalidProfileChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.person("ann")
		long := func(n int) *string { return text(strings.Repeat("é", n)) }
		eleven := make([]db.Field, 11)
		for i := range eleven {
			eleven[i].Name = fmt.Sprint("f", i)
		}
		many := make([]string, 33)
		for i := range many {
			many[i] = fmt.Sprintf("https://old.example/users/%d", i)
		}
		for want, p := range map[string]social.Profile{
			"An account has at most 32 aliases":                    {AlsoKnownAs: many},
			"Display name is too long (maximum is 100 characters)": {DisplayName: long(101)},
			"Note is too long (maximum is 5000 characters)":        {Note: long(5001)},
			"There are more than 10 profile fields":                {Fields: eleven},
			"A profile field is too long":                          {Fields: []db.Field{{Name: *long(513)}}},
			"An alias is not the address of an account":            {AlsoKnownAs: []string{"javascript:x"}},
			"Default scope is not included in the list":            {DefaultScope: text("everybody")},
			"Actor type is not included in the list":               {ActorType: text("Group")},
			"Language is invalid":                                  {DefaultLanguage: text("<x>")},
			"Settings of a frontend must be an object":             {SettingsStore: map[string]any{"fe": 1}},
		} {
			p.Locked = yes()
			_, _, err := w.UpdateProfile(t.Context(), ann, p)
			wantRefusal(t, err, want)
		}
		got := w.reload(ann)
		if got.Locked || got.Version != 1 {
			t.Errorf("%+v", got)
		}
	})
}

// TestAliasesAreBounded: all of them are in every answer with the account. Who has more from
// before cannot add, but leave out.
func TestAliasesAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann := w.person("ann")
		set := func(aliases []string) error {
			_, _, err := w.UpdateProfile(ctx, ann, social.Profile{AlsoKnownAs: aliases})
			return err
		}
		long := "https://old.example/" + strings.Repeat("x", 2048)
		wantRefusal(t, set([]string{long}), "An alias is not the address of an account")
		w.must(set([]string{long[:2048]}))
		many := make([]string, 40)
		for i := range many {
			many[i] = fmt.Sprintf("https://old.example/users/%d", i)
		}
		wantRefusal(t, set(many[:33]), "An account has at most 32 aliases")
		w.must(set(many[:32]))
		a := w.reload(ann)
		a.AlsoKnownAs = db.Slice[string](many)
		w.must(w.d.UpdateAccount(ctx, a, "also_known_as"))
		wantRefusal(t, set(append([]string{"https://new.example/users/ann"}, many[1:]...)), "An account has at most 32 aliases")
		w.must(set(many))
		w.must(w.RemoveAlias(ctx, w.reload(ann), many[3]))
		if got := w.reload(ann).AlsoKnownAs; len(got) != 39 {
			t.Errorf("%d aliases", len(got))
		}
	})
}

func TestFrontendsKeepTheirSettingsApart(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.person("ann")
		store := func(s map[string]any) map[string]any {
			_, u, err := w.UpdateProfile(t.Context(), ann, social.Profile{SettingsStore: s})
			w.must(err)
			return u.SettingsStore
		}
		store(map[string]any{"one": map[string]any{"a": "b", "c": "d"}, "two": map[string]any{"x": true}})
		store(map[string]any{"one": map[string]any{"a": "new"}})
		u, err := w.d.User(t.Context(), ann.ID)
		w.must(err)
		want := db.Document{"one": map[string]any{"a": "new"}, "two": map[string]any{"x": true}}
		if diff := cmp.Diff(want, u.SettingsStore); diff != "" {
			t.Error(diff)
		}
		many := map[string]any{}
		for i := range 51 {
			many[fmt.Sprint("fe", i)] = map[string]any{}
		}
		_, _, err = w.UpdateProfile(t.Context(), ann, social.Profile{SettingsStore: many})
		wantRefusal(t, err, "Settings of more than 50 frontends cannot be kept")
	})
}

func TestSearchFindsByPrefixTheExactNameFirst(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann := w.person("ann")
		for _, name := range []string{"Bob", "bobby", "bo_b", "bobcat"} {
			w.person(name)
		}
		w.stranger("bob", "far.example")
		gone, foe := w.person("bobgone"), w.person("bobfoe")
		w.must(w.Deactivate(ctx, gone, gone))
		w.must(w.Block(ctx, ann, foe.ID))
		w.follow(ann, &db.Account{ID: w.rowsID("bobby")})
		find := func(v db.Viewer, s db.AccountSearch) []string {
			rows, err := w.d.SearchAccounts(ctx, v, s)
			w.must(err)
			out := []string{}
			for _, r := range rows {
				out = append(out, w.reload(&db.Account{ID: r.ID}).Nickname)
			}
			return out
		}
		me := w.viewer(ann)
		for _, rule := range []struct {
			v    db.Viewer
			s    db.AccountSearch
			want []string
		}{
			{db.Viewer{}, db.AccountSearch{Query: "BOB", Limit: 9}, []string{"Bob", "bob@far.example", "bobby", "bobcat", "bobfoe"}},
			{me, db.AccountSearch{Query: "bob", Limit: 9}, []string{"Bob", "bob@far.example", "bobby", "bobcat"}},
			{me, db.AccountSearch{Query: "bobfoe", Limit: 9}, []string{"bobfoe"}},
			{me, db.AccountSearch{Query: "bob", Following: true, Limit: 9}, []string{"bobby"}},
			{me, db.AccountSearch{Query: "bob@f", Limit: 9}, []string{"bob@far.example"}},
			{me, db.AccountSearch{Query: "bob", Limit: 2, Offset: 1}, []string{"bob@far.example", "bobby"}},
			{me, db.AccountSearch{Query: "%_", Limit: 9}, []string{}},
		} {
			if diff := cmp.Diff(rule.want, find(rule.v, rule.s)); diff != "" {
				t.Errorf("%+v: %s", rule.s, diff)
			}
		}
	})
}

// rowsID is the id of a nickname.
func (w *world) rowsID(nickname string) string {
	w.t.Helper()
	a, err := w.d.AccountByNickname(w.t.Context(), nickname)
	w.must(err)
	return a.ID
}

func TestFollowersPageByAccountIDAndCanBeHidden(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann := w.person("ann")
		var ids []string
		for i := range 5 {
			a := w.person(fmt.Sprint("p", i))
			ids = append([]string{a.ID}, ids...)
		}
		for _, i := range []int{2, 0, 4, 1, 3} {
			w.follow(&db.Account{ID: ids[i], Local: true}, ann)
		}
		page := func(v db.Viewer, p db.Page) []string {
			rows, err := w.d.Followers(ctx, v, w.reload(ann), p)
			w.must(err)
			out := []string{}
			for _, a := range rows {
				out = append(out, a.ID)
			}
			return out
		}
		for _, rule := range []struct {
			p    db.Page
			want []string
		}{
			{db.Page{Limit: 2}, ids[:2]},
			{db.Page{Limit: 2, MaxID: ids[1]}, ids[2:4]},
			{db.Page{Limit: 2, MinID: ids[4]}, ids[2:4]},
			{db.Page{Limit: 2, SinceID: ids[4]}, ids[:2]},
		} {
			if diff := cmp.Diff(rule.want, page(db.Viewer{}, rule.p)); diff != "" {
				t.Errorf("%+v: %s", rule.p, diff)
			}
		}
		_, _, err := w.UpdateProfile(ctx, ann, social.Profile{HideFollowers: yes()})
		w.must(err)
		if got := page(db.Viewer{ID: ids[0]}, db.Page{Limit: 9}); len(got) != 0 {
			t.Errorf("hidden followers are shown: %v", got)
		}
		if got := page(db.Viewer{ID: ann.ID}, db.Page{Limit: 9}); len(got) != 5 {
			t.Errorf("she does not see her own: %v", got)
		}
	})
}

// TestEverybodyAtOnceLosesNothing: eight accounts post, reply, favourite,
// reblog, follow, block and delete at the same time. Then all counters must
// equal the counted rows.
func TestEverybodyAtOnceLosesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		const people, rounds = 8, 6
		all := make([]*db.Account, people)
		for i := range all {
			all[i] = w.person(fmt.Sprint("p", i))
		}
		root := w.post(all[0], social.NewStatus{Text: "root"})
		together(people, func(i int) {
			me, next, other := all[i], all[(i+1)%people], all[(i+3)%people]
			for n := range rounds {
				check := func(what string, err error) {
					if err != nil {
						t.Errorf("%s: %v", what, err)
					}
				}
				s, err := w.PostStatus(ctx, me, social.NewStatus{Text: fmt.Sprint("@", next.Nickname, " ", n), InReplyToID: root.ID})
				check("post", err)
				if err != nil {
					return
				}
				_, err = w.Favourite(ctx, me, root.ID)
				check("favourite", err)
				_, err = w.Reblog(ctx, me, root.ID, "")
				check("reblog", err)
				check("follow", w.Follow(ctx, me, next.ID, social.FollowOptions{}))
				check("follow", w.Follow(ctx, me, other.ID, social.FollowOptions{}))
				if n%2 == 0 {
					check("unfollow", w.Unfollow(ctx, me, other.ID))
					check("delete", w.DeleteStatus(ctx, me, s.ID))
				}
				if n%3 == 1 {
					_, err = w.Unreblog(ctx, me, root.ID)
					check("unreblog", err)
				}
			}
		})
		if t.Failed() {
			return
		}
		for query, want := range map[string]int{
			"SELECT COUNT(*) FROM statuses WHERE in_reply_to_id IS NOT NULL":                                                          people * rounds / 2,
			"SELECT replies_count FROM statuses WHERE in_reply_to_id IS NULL AND reblog_of_id IS NULL":                                people * rounds / 2,
			"SELECT favourites_count FROM statuses WHERE in_reply_to_id IS NULL AND reblog_of_id IS NULL":                             people,
			"SELECT reblogs_count FROM statuses WHERE in_reply_to_id IS NULL AND reblog_of_id IS NULL":                                w.rows("SELECT COUNT(*) FROM statuses WHERE reblog_of_id IS NOT NULL"),
			"SELECT SUM(statuses_count) FROM accounts":                                                                                people*rounds/2 + 1,
			"SELECT SUM(followers_count) FROM accounts":                                                                               w.rows("SELECT COUNT(*) FROM follows"),
			"SELECT SUM(following_count) FROM accounts":                                                                               w.rows("SELECT COUNT(*) FROM follows"),
			"SELECT COUNT(*) FROM accounts a WHERE a.followers_count <> (SELECT COUNT(*) FROM follows f WHERE f.target_id = a.id)":    0,
			"SELECT COUNT(*) FROM accounts a WHERE a.following_count <> (SELECT COUNT(*) FROM follows f WHERE f.follower_id = a.id)":  0,
			"SELECT COUNT(*) FROM notifications WHERE type = 'favourite'":                                                             people - 1,
			"SELECT COUNT(*) FROM notifications WHERE type = 'mention' AND status_id NOT IN (SELECT id FROM statuses)":                0,
			"SELECT COUNT(*) FROM home_entries h WHERE why = 3 AND EXISTS (SELECT 1 FROM statuses s WHERE s.id = h.status_id)":        w.rows("SELECT COUNT(*) FROM statuses"),
			"SELECT COUNT(*) FROM status_recipients r WHERE NOT EXISTS (SELECT 1 FROM statuses s WHERE s.id = r.status_id)":           0,
			"SELECT COUNT(*) FROM conversations":                                                                                      1,
			"SELECT COUNT(*) FROM tombstones":                                                                                         people * rounds / 2,
			"SELECT COUNT(*) FROM accounts WHERE statuses_count < 0 OR followers_count < 0 OR following_count < 0 OR nickname = 'p8'": 0,
		} {
			if got := w.rows(query); got != want {
				t.Errorf("%s: %d, want %d", query, got, want)
			}
		}
	})
}

// TestPostsByOneAuthorAtOnceAreAllCounted has one author post from eight places.
func TestPostsByOneAuthorAtOnceAreAllCounted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ann := w.person("ann")
		together(8, func(int) {
			for range 10 {
				if _, err := w.PostStatus(t.Context(), ann, social.NewStatus{Text: "x"}); err != nil {
					t.Error(err)
				}
			}
		})
		if got := w.counts(ann); got[2] != 80 || len(w.home(ann)) != 80 {
			t.Errorf("counts %v, home %d", got, len(w.home(ann)))
		}
	})
}

// TestOperationsJoinATransaction posts and follows within one transaction that
// fails in the end.
func TestOperationsJoinATransaction(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	ctx := t.Context()
	ann, bob := w.person("ann"), w.person("bob")
	err := w.d.Tx(ctx, func(tx *db.DB) error {
		in := w.In(tx)
		s, err := in.PostStatus(ctx, ann, social.NewStatus{Text: "@bob x"})
		if err != nil {
			return err
		}
		if _, err := in.Favourite(ctx, bob, s.ID); err != nil {
			return err
		}
		if err := in.Follow(ctx, bob, ann.ID, social.FollowOptions{}); err != nil {
			return err
		}
		return db.ErrDuplicate
	})
	if err == nil || w.rows("SELECT COUNT(*) FROM statuses") != 0 || w.counts(ann) != [3]int64{} || len(w.news(ann)) != 0 {
		t.Errorf("%v: something was kept", err)
	}
}
