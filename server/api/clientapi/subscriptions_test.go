package clientapi_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/jobs"
	"svc/server/servertest"
)

func TestSubscribersAreToldOfPostsOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, bob := t.Context(), s.Client("ann"), s.Client("bob")
		related, err := ann.Accounts.Subscribe(ctx, s.User("bob").ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&api.Relationship{ID: s.User("bob").ID, Subscribing: true, Notifying: true}, related); diff != "" {
			t.Error(diff)
		}
		if _, err := ann.Accounts.Subscribe(ctx, s.User("bob").ID); err != nil {
			t.Fatal(err)
		}
		post := func(text, visibility, parent string) string {
			t.Helper()
			p, err := bob.Statuses.Post(ctx, api.NewStatus{Status: text, Visibility: visibility, InReplyToID: parent})
			if err != nil {
				t.Fatal(err)
			}
			return p.ID
		}
		first := post("one", "public", "")
		post("two", "unlisted", "")
		post("three", "local", "")
		post("four", "private", "") // ann does not follow
		post("five", "direct", "")
		post("six", "public", first)
		post("@ann seven", "public", "")
		if _, err := bob.Statuses.Reblog(ctx, first, api.NewReblog{}); err != nil {
			t.Fatal(err)
		}
		heard := func(want ...string) {
			t.Helper()
			rows, err := ann.Notifications.List(api.NotificationQuery{}).Page(ctx)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range rows.Items {
				if n.Type != "mention" {
					t.Errorf("a notification %s", n.Type)
				}
				got = append(got, n.Status.Svc.Content.Plain)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
		heard("@ann seven", "three", "two", "one")
		if _, err := ann.Accounts.Follow(ctx, s.User("bob").ID, api.Follow{}); err != nil {
			t.Fatal(err)
		}
		post("eight", "private", "")
		heard("eight", "@ann seven", "three", "two", "one")
		if related, err = ann.Accounts.Unfollow(ctx, s.User("bob").ID); err != nil || related.Subscribing {
			t.Errorf("unfollowing ends it: %+v %v", related, err)
		}
		post("nine", "public", "")
		heard("@ann seven", "three", "two", "one") // eight is not addressed to ann any more
	})
}

func TestSubscriptionsEndAndAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann := t.Context(), s.Client("ann")
		bob := s.User("bob")
		if _, err := ann.Accounts.Subscribe(ctx, bob.ID); err != nil {
			t.Fatal(err)
		}
		if related, err := ann.Accounts.Unsubscribe(ctx, bob.ID); err != nil || related.Subscribing {
			t.Errorf("%+v %v", related, err)
		}
		if _, err := ann.Accounts.Subscribe(ctx, bob.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Client("bob").Accounts.Block(ctx, s.User("ann").ID); err != nil {
			t.Fatal(err)
		}
		related, err := ann.Accounts.Relationships(ctx, bob.ID)
		if err != nil || related[0].Subscribing {
			t.Errorf("blocking ends it: %+v %v", related, err)
		}
		token := s.Token("ann", servertest.AllScopes)
		for id, want := range map[string]string{
			bob.ID:           `403 {"error":"Could not subscribe: bob is blocking you"}`,
			s.User("ann").ID: `400 {"error":"Can not subscribe to yourself"}`,
			"nosuchid":       `404 {"error":"Record not found"}`,
		} {
			if a := call(t, s, token, "POST", "/api/v1/svc/accounts/"+id+"/subscribe", "", ""); a.text() != want {
				t.Errorf("%s: %s", id, a.text())
			}
		}
	})
}

// TestManySubscribersAreToldByAJob: they are more than one request notifies.
func TestManySubscribersAreToldByAJob(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, bob := t.Context(), s.User("bob")
		err := s.DB.Tx(ctx, func(tx *db.DB) error {
			for i := range 205 {
				a := db.NewAccount(s.Base(), "fan"+strings.Repeat("x", i))
				if err := tx.CreateAccount(ctx, a); err != nil {
					return err
				}
				if err := tx.PutSubscription(ctx, a.ID, bob.ID, false); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		posted, err := s.Client("bob").Statuses.Post(ctx, api.NewStatus{Status: "x"})
		if err != nil {
			t.Fatal(err)
		}
		count := func() (n int) {
			t.Helper()
			if err := s.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM notifications WHERE status_id = '"+posted.ID+"'").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		untilDone(t, func() bool { return count() == 205 })
		if err := s.Social.TellSubscribers(ctx, jobs.TellSubscribers{StatusID: posted.ID}); err != nil || count() != 205 {
			t.Errorf("told twice: %d %v", count(), err)
		}
	})
}

func TestListsAreImported(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, token := t.Context(), s.Client("ann"), s.Token("ann", servertest.AllScopes)
		for _, name := range []string{"bob", "cat", "dan", "eve", "fay"} {
			s.User(name)
		}
		if _, err := s.Client("fay").Accounts.Block(ctx, s.User("ann").ID); err != nil {
			t.Fatal(err)
		}
		_, host, _ := strings.Cut(s.Base(), "://")
		list := "Account address,Show boosts\nbob@" + host + ",true\n\nnobody@elsewhere.example,true\nfay,true\n @CAT , x\nann\n\x00\n" + strings.Repeat("y", 400) + "\n"
		if a := call(t, s, token, "POST", "/api/svc/follow_import", asForm, "list="+strings.NewReplacer("\n", "%0A", "\x00", "", " ", "+").Replace(list)); a.text() != `200 "job started"` {
			t.Fatal(a.text())
		}
		file := "--x\r\nContent-Disposition: form-data; name=\"list\"; filename=\"blocks.csv\"\r\nContent-Type: text/csv\r\n\r\ndan\r\n\r\n--x--\r\n"
		if a := call(t, s, token, "POST", "/api/svc/blocks_import", "multipart/form-data; boundary=x", file); a.text() != `200 "job started"` {
			t.Fatal(a.text())
		}
		if err := ann.Accounts.ImportMutes(ctx, "eve bob"); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"bob": "following muting", "cat": "following", "dan": "blocking", "eve": "muting", "fay": ""}
		var got map[string]string
		untilDone(t, func() bool {
			got = map[string]string{}
			for name := range want {
				r, err := ann.Accounts.Relationships(ctx, s.User(name).ID)
				if err != nil {
					t.Fatal(err)
				}
				var is []string
				for _, w := range []struct {
					word string
					is   bool
				}{{"following", r[0].Following}, {"blocking", r[0].Blocking}, {"muting", r[0].Muting}} {
					if w.is {
						is = append(is, w.word)
					}
				}
				got[name] = strings.Join(is, " ")
			}
			return cmp.Equal(want, got)
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		for body, want := range map[string]int{`{}`: 400, `{"list":""}`: 400, `{"list":7}`: 400, `{"list":"` + manyNames() + `"}`: 422} {
			if a := call(t, s, token, "POST", "/api/svc/follow_import", asJSON, body); a.status != want {
				t.Errorf("%.40s: %s", body, a.text())
			}
		}
		if err := ann.Accounts.ImportFollows(ctx, "bob"); err != nil {
			t.Fatal(err)
		}
		if err := ann.Accounts.ImportBlocks(ctx, "nobody"); err != nil {
			t.Fatal(err)
		}
	})
}

// manyNames are more than are imported at once.
func manyNames() string {
	var b strings.Builder
	for i := range 20001 {
		b.WriteString("u")
		b.WriteString(strconv.Itoa(i))
		b.WriteString(" ")
	}
	return b.String()
}

// untilDone waits for a job to have been done.
func untilDone(t *testing.T, done func() bool) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); {
		if done() {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
	t.Error("the job was not done")
}
