package adminapi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/rules/chats"
	"svc/server/rules/social"
	"svc/server/rules/social/socialtest"
)

// stranger is an account of another server that takes messages.
func (w *world) stranger(nickname, host string) *db.Account {
	w.t.Helper()
	a := db.NewAccount("https://"+host, nickname)
	yes := true
	a.Local, a.Domain, a.AcceptsChatMessages = false, host, &yes
	a.Nickname += "@" + host
	a.NickKey = a.Nickname
	w.must(w.DB.CreateAccount(w.t.Context(), a))
	return a
}

// counted counts all posts one by one, by the host of their author; "" is all.
func (w *world) counted() map[string]api.StatusVisibility {
	w.t.Helper()
	out := map[string]api.StatusVisibility{"": {}}
	rows, err := w.DB.Writer().QueryContext(w.t.Context(), `
		SELECT a.uri, s.visibility FROM statuses s JOIN accounts a ON a.id = s.account_id WHERE s.reblog_of_id IS NULL
		UNION ALL SELECT a.uri, 'message' FROM chat_messages m JOIN accounts a ON a.id = m.account_id
		UNION ALL SELECT a.uri, 'vote' FROM poll_votes v JOIN accounts a ON a.id = v.account_id`)
	w.must(err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var uri, visibility string
		w.must(rows.Scan(&uri, &visibility))
		u, err := url.Parse(uri)
		w.must(err)
		for _, host := range []string{"", u.Host} {
			n := out[host]
			switch visibility {
			case "public":
				n.Public++
			case "unlisted":
				n.Unlisted++
			case "private", "local":
				n.Private++
			case "direct", "list", "message", "vote":
				n.Direct++
			default:
				w.t.Fatalf("visibility %s", visibility)
			}
			out[host] = n
		}
	}
	w.must(rows.Err())
	return out
}

// wantStats compares the API's answer with a full count, for each host.
func (w *world) wantStats(when string, hosts ...string) {
	w.t.Helper()
	want, got := w.counted(), map[string]api.StatusVisibility{}
	for _, host := range append(hosts, "") {
		stats, err := w.Admin("root").Admin.Stats.Get(w.t.Context(), api.StatsQuery{Instance: host})
		w.must(err)
		got[host] = stats.StatusVisibility
		if _, known := want[host]; !known {
			want[host] = api.StatusVisibility{}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Fatalf("%s: %s", when, diff)
	}
}

// TestStatsAgreeWithAFullCount compares after a random sequence of operations
// that create, move or remove posts.
func TestStatsAgreeWithAFullCount(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		own := strings.TrimPrefix(w.Base(), "http://")
		fred := w.stranger("fred", "two.example:8080")
		hosts := []string{own, "one.example", "two.example:8080"}
		w.wantStats("at first", append(hosts, "nowhere.example", "two.example")...)

		rnd := rand.New(rand.NewPCG(4, 2))
		people := []*db.Account{w.ann, w.bob, w.User("carol"), w.eve, fred}
		list, err := w.Social.CreateList(ctx, w.ann, social.List{Title: new("friends")}, "")
		w.must(err)
		var posts []*db.Status
		var polls []int64
		type message struct{ chat, id string }
		var messages []message
		anyone := func() *db.Account { return people[rnd.IntN(len(people))] }
		refusable := func(err error) {
			t.Helper()
			if refused := new(fault.Error); err != nil && !errors.Is(err, db.ErrNotFound) && !errors.As(err, &refused) {
				t.Fatal(err)
			}
		}
		write := func(n int) {
			by := anyone()
			in := social.NewStatus{Text: fmt.Sprint("post ", n), Visibility: []string{"public", "unlisted", "private", "direct", "local"}[rnd.IntN(5)]}
			if by == w.ann && rnd.IntN(4) == 0 {
				in.Visibility = fmt.Sprint("list:", list.ID)
			}
			day := int64(86400)
			poll := rnd.IntN(3) == 0
			if poll {
				in.Poll = &db.PollParams{Options: []string{"a", "b", "c"}, ExpiresIn: &day, Multiple: true}
			}
			var s *db.Status
			if by.Local {
				s, err = w.Social.PostStatus(ctx, by, in)
				w.must(err)
			} else {
				p := activitypub.Post{ID: fmt.Sprintf("%s/notes/%d", by.URI, n), Content: in.Text}
				if poll {
					p.Poll = &activitypub.Poll{Options: []activitypub.Option{{Name: "a"}, {Name: "b"}, {Name: "c"}}, Multiple: true, Ends: time.Now().Add(24 * time.Hour)}
				}
				if in.Visibility == "local" {
					in.Visibility = "public"
				}
				s = socialtest.Post(t, w.Social, by, in.Visibility, p)
			}
			if posts = append(posts, s); s.PollID != nil {
				polls = append(polls, *s.PollID)
			}
		}
		for n := range 250 {
			switch act := rnd.IntN(12); {
			case act < 4 || len(posts) == 0:
				write(n)
			case act == 4:
				_, err := w.Social.Reblog(ctx, anyone(), posts[rnd.IntN(len(posts))].ID, "")
				refusable(err)
			case act == 5:
				_, err := w.Social.Favourite(ctx, anyone(), posts[rnd.IntN(len(posts))].ID)
				refusable(err)
			case act == 6 && len(polls) > 0:
				_, _, err := w.Social.Vote(ctx, anyone(), polls[rnd.IntN(len(polls))], [][]int{{0}, {1, 2}, {0, 1, 2}}[rnd.IntN(3)])
				refusable(err)
			case act == 7:
				by, to := anyone(), anyone()
				chat, err := w.Chats.Open(ctx, by, to.ID)
				w.must(err)
				m, err := w.Chats.Send(ctx, by, chat.ID, chats.NewMessage{Text: "hello"})
				refusable(err)
				if err == nil {
					messages = append(messages, message{chat.ID, m.ID})
				}
			case act == 8 && len(messages) > 0:
				m := messages[rnd.IntN(len(messages))]
				refusable(err1(w.Moderation.DeleteChatMessage(ctx, w.root, m.chat, m.id)))
			case act == 9:
				visibility := []string{"public", "unlisted", "private"}[rnd.IntN(3)]
				refusable(w.Moderation.UpdateStatus(ctx, w.root, posts[rnd.IntN(len(posts))].ID, nil, &visibility))
			case act == 10:
				refusable(w.Moderation.DeleteStatus(ctx, w.root, posts[rnd.IntN(len(posts))].ID))
			case act == 11:
				w.must(w.DB.FoldTallies(ctx))
			}
			if n%50 == 49 {
				w.wantStats(fmt.Sprint("after ", n+1), hosts...)
			}
		}
		before := w.counted()[own]
		_, err = w.Social.DeleteAccount(ctx, w.root, w.bob)
		w.must(err)
		for done := false; !done; {
			done, err = w.Social.EraseAccount(ctx, jobs.EraseAccount{AccountID: w.bob.ID})
			w.must(err)
		}
		if after := w.counted()[own]; after.Public >= before.Public || after.Direct >= before.Direct {
			t.Errorf("bob was not erased: %+v, %+v", before, after)
		}
		w.wantStats("after an account's end", hosts...)
		w.must(w.DB.FoldTallies(ctx))
		w.wantStats("after adding up", hosts...)
		w.recount()
		w.wantStats("after a count of everything", hosts...)
	})
}

// recount forgets the tallies and makes them anew from all that they count.
func (w *world) recount() {
	w.t.Helper()
	forget := []string{"DELETE FROM status_tallies", `INSERT INTO status_tallies (host, visibility, n)
		SELECT host, visibility, COUNT(*) FROM (
			SELECT host, CASE visibility WHEN 'local' THEN 'private' WHEN 'list' THEN 'direct' ELSE visibility END AS visibility
				FROM statuses WHERE reblog_of_id IS NULL
			UNION ALL
			SELECT COALESCE(a.host, ''), 'direct' FROM chat_messages m LEFT JOIN account_hosts a ON a.id = m.account_id
			UNION ALL
			SELECT COALESCE(a.host, ''), 'direct' FROM poll_votes v LEFT JOIN account_hosts a ON a.id = v.account_id
		) x GROUP BY host, visibility`}
	if w.DB.Dialect() == db.Postgres {
		forget = append(forget, "DELETE FROM status_tally_changes")
	}
	for _, query := range forget {
		w.must(dbtest.Exec(w.t, w.DB, query))
	}
}

// TestThoseWhoPostAtOnceAreAllCounted: several accounts post at once, also
// while counts are added up. A status whose transaction fails is not counted.
func TestThoseWhoPostAtOnceAreAllCounted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		var wg sync.WaitGroup
		for _, by := range []*db.Account{w.ann, w.bob, w.root, w.ann} {
			wg.Go(func() {
				for n := range 20 {
					if _, err := w.Social.PostStatus(ctx, by, social.NewStatus{Text: fmt.Sprint("post ", n)}); err != nil {
						t.Error(err)
					}
					undone := errors.New("undone")
					err := w.DB.Tx(ctx, func(tx *db.DB) error {
						if _, err := w.Social.In(tx).PostStatus(ctx, by, social.NewStatus{Text: "never"}); err != nil {
							return err
						}
						return undone
					})
					if !errors.Is(err, undone) {
						t.Error(err)
					}
				}
			})
		}
		for range 3 {
			wg.Go(func() {
				for range 10 {
					if err := w.DB.FoldTallies(ctx); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		w.want("GET", "/stats", "", 200, `{"status_visibility":{"direct":0,"private":0,"public":80,"unlisted":0}}`)
		w.must(w.DB.FoldTallies(ctx))
		w.want("GET", "/stats", `{"instance":"nowhere.example"}`, 200, `{"status_visibility":{"direct":0,"private":0,"public":0,"unlisted":0}}`)
		w.want("GET", "/stats?instance=", "", 200, `{"status_visibility":{"direct":0,"private":0,"public":80,"unlisted":0}}`)
		w.want("GET", "/stats", `{"instance":"a\u0000b"}`, 400, badly)
		if w.DB.Dialect() == db.Postgres {
			var n int
			if err := w.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM status_tally_changes").Scan(&n); err != nil || n != 0 {
				t.Errorf("%d changes are left, %v", n, err)
			}
		}
		narrow := w.Token("root", "admin:write")
		if status, _, text := w.call(narrow, "GET", "/stats", ""); status != 403 || text != `{"error":"Insufficient permissions: admin:read."}` {
			t.Errorf("without the scope: %d %s", status, text)
		}
	})
}
