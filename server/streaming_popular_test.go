package server_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// TestPostsOfPopularAuthorsAreToldOnce: a job brings the posts and reblogs of an author with
// many followers to them. Who follows, who is mentioned as well, their lists, strangers
// and the author hear of each once, live and later.
func TestPostsOfPopularAuthorsAreToldOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, ben, zed := s.Client("ann"), s.Client("ben"), s.Client("zed")
		list := must(ben.Lists.Create(ctx, api.NewList{Title: "x"}))(t).ID
		for _, name := range []string{"ben", "cat", "ann"} {
			follow(t, s.Client(name), s.User("zed").ID)
			if name != "ann" {
				follow(t, s.Client(name), s.User("ann").ID)
			}
		}
		for _, name := range []string{"ann", "zed"} {
			must(0, ben.Lists.Add(ctx, list, s.User(name).ID))(t)
		}
		must(0, dbtest.Exec(t, s.DB, "UPDATE accounts SET followers_count = 5000 WHERE id = ?", s.User("ann").ID))(t)
		must(0, s.DB.Announce(ctx, db.AccountChanged, s.User("ann").ID))(t)
		other := say(t, s.Client("eve"), "hello")
		from := must(s.DB.EventHead(ctx))(t)
		type ear struct{ who, stream string }
		open := map[ear]*socket{}
		for _, e := range []ear{{"ann", "user"}, {"ben", "user"}, {"ben", "list&list=" + list}, {"cat", "user"}, {"eve", "public"}} {
			open[e] = dial(t, s, s.Token(e.who, servertest.AllScopes), "stream="+e.stream)
		}
		posts := map[string]string{say(t, ann, "@cat hello").ID: "post", must(ann.Statuses.Reblog(ctx, other.ID, api.NewReblog{}))(t).ID: "reblog"}
		servertest.Eventually(t, "they reach followers", func() bool {
			reached := 0
			for _, e := range must(s.DB.EventsAfter(ctx, from.Seq, 100))(t) {
				if e.Kind == db.EventHome {
					reached++
				}
			}
			return reached == len(posts)
		})
		end := say(t, zed, "the end")
		for e, o := range open {
			o.until("update", end.ID)
			live, later := map[string]int{}, map[string]int{}
			for _, f := range o.seen {
				if f.Event == "update" && posts[f.id()] != "" {
					live[posts[f.id()]]++
				}
			}
			resumed := listen(t, s, s.Token(e.who, servertest.AllScopes), e.stream, from.String())
			for f, ok := resumed.next(); ok && f.id() != end.ID; f, ok = resumed.next() {
				if f.Event == "update" && posts[f.id()] != "" {
					later[posts[f.id()]]++
				}
			}
			want := map[string]int{"post": 1, "reblog": 1}
			if e.stream != "user" {
				delete(want, "reblog") // other streams have none
			}
			for what, got := range map[string]map[string]int{"live": live, "later": later} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s of %s, %s: %s", e.stream, e.who, what, diff)
				}
			}
		}
	})
}
