package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// foundAccounts are the handles of the accounts that a search finds.
func foundAccounts(t *testing.T, c *client.Client, query string) string {
	t.Helper()
	out, err := c.Search.Find(t.Context(), api.SearchQuery{Q: query, Type: "accounts", Resolve: true})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, a := range out.Accounts {
		all = append(all, a.Acct)
	}
	return strings.Join(all, " ")
}

func TestWhoSignedInFindsWhoIsAtOtherServers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		other := peer.Start(t, "127.0.0.2")
		s.User("ann")
		ann, nobody := s.Client("ann"), s.With("")
		bob, eve, mia := other.Actor("bob"), other.Actor("eve"), other.Actor("mia")
		other.Serve("/@eve", peer.Page{Body: eve.Doc().JSON()})
		for _, query := range []string{bob.Handle(), bob.ID, "@" + eve.Handle(), other.URL("/@eve")} {
			if got := foundAccounts(t, nobody, query); got != "" {
				t.Errorf("%s, signed out: %s", query, got)
			}
		}
		if n := len(other.Requests()); n != 0 {
			t.Errorf("asked %d times for who has not signed in", n)
		}
		for query, want := range map[string]string{
			bob.Handle(): bob.Handle(), bob.ID: bob.Handle(), other.URL("/@eve"): eve.Handle(), "nobody@" + other.Host(): "", other.URL("/nothing"): "",
		} {
			if got := foundAccounts(t, ann, query); got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		set(t, s, ":svc", ":instance", client.Keyword(":limit_to_local_content", ":all"))
		if got := foundAccounts(t, ann, mia.Handle()); got != "" || other.Fetched("/users/mia") != 0 {
			t.Errorf("with searches limited: %q", got)
		}
		if got, err := ann.Accounts.Search(t.Context(), api.AccountSearchQuery{Q: mia.Handle(), Resolve: true}); err != nil || len(got) != 0 {
			t.Errorf("among accounts, with searches limited: %v, %v", got, err)
		}
		set(t, s, ":svc", ":instance", client.Keyword(":limit_to_local_content", ":unauthenticated"))
		if got, err := ann.Accounts.Search(t.Context(), api.AccountSearchQuery{Q: mia.Handle(), Resolve: true}); err != nil || len(got) != 1 {
			t.Errorf("among accounts: %v, %v", got, err)
		}
	})
}

func TestWhomPeopleNameIsLookedUp(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		other := peer.Start(t, "127.0.0.2")
		s.User("ann")
		s.AdminUser("root")
		ann := s.Client("ann")
		bob, eve, mia, tom := other.Actor("bob"), other.Actor("eve"), other.Actor("mia"), other.Actor("tom")
		post, err := ann.Statuses.Post(t.Context(), api.NewStatus{Status: "hi @" + bob.Handle() + " and @nobody@" + other.Host()})
		if err != nil || len(post.Mentions) != 1 || post.Mentions[0].Acct != bob.Handle() {
			t.Fatalf("%+v, %v", post, err)
		}
		if err := ann.Accounts.ImportFollows(t.Context(), eve.Handle()+"\nnobody@"+other.Host()); err != nil {
			t.Fatal(err)
		}
		servertest.Eventually(t, "the import", func() bool {
			_, err := s.DB.AccountByNickname(t.Context(), eve.Handle())
			return err == nil
		})
		var relation api.Relationship
		if _, err := s.Client("ann").Do(t.Context(), client.Request{Method: http.MethodPost, Path: "/api/v1/follows", Body: map[string]string{"uri": mia.Handle()}}, &relation); err != nil || !relation.Requested && !relation.Following {
			t.Errorf("follow: %+v, %v", relation, err)
		}
		if u, err := s.Admin("root").Admin.Users.Get(t.Context(), tom.Handle()); err != nil || u.Nickname != tom.Handle() {
			t.Errorf("for an admin: %+v, %v", u, err)
		}
		if _, err := s.Admin("root").Admin.Users.Get(t.Context(), "nobody@"+other.Host()); client.Status(err) != http.StatusNotFound {
			t.Errorf("nobody, for an admin: %v", err)
		}
	})
}

func TestSettingsSayWhatOtherServersAreAskedFor(t *testing.T) {
	s := servertest.Start(t)
	other := peer.Start(t, "127.0.0.2")
	s.AdminUser("root")
	s.User("ann")
	ann := s.Client("ann")
	other.Serve("/", peer.Page{Type: "text/html", Body: []byte(`<link rel="icon" href="/icon.png">`)})
	set(t, s, ":svc", ":activitypub", client.Keyword(":sign_object_fetches", false))
	set(t, s, ":svc", ":instance", client.Keyword(":external_user_synchronization", false))
	set(t, s, ":svc", ":instances_favicons", client.Keyword(":enabled", true))
	bob := s.Find(t, ann, other.Actor("bob").Handle())
	s.Remote.Settle()
	for _, r := range other.Requests() {
		if r.Header.Get("Signature") != "" || strings.HasPrefix(r.URI, "/users/bob/followers") {
			t.Errorf("%s, signed %q", r.URI, r.Header.Get("Signature"))
		}
	}
	shown := func() string {
		a, err := ann.Accounts.Get(t.Context(), bob.ID)
		if err != nil {
			t.Fatal(err)
		}
		if a.Svc.Favicon == nil {
			return ""
		}
		return *a.Svc.Favicon
	}
	set(t, s, ":svc", ":instances_favicons", client.Keyword(":enabled", false))
	if got := shown(); got != "" {
		t.Errorf("an icon: %s", got)
	}
	set(t, s, ":svc", ":instances_favicons", client.Keyword(":enabled", true))
	if got := shown(); got != other.URL("/icon.png") {
		t.Errorf("the icon is %q", got)
	}
	set(t, s, ":svc", ":activitypub", client.Keyword(":sign_object_fetches", true))
	set(t, s, ":svc", ":instance", client.Keyword(":external_user_synchronization", true))
	other.Forget()
	s.Find(t, ann, other.Actor("eve").Handle())
	s.Remote.Settle()
	if other.Fetched("/users/eve/followers") != 1 || other.Requests(func(r peer.Request) bool { return r.URI == "/users/eve" })[0].Header.Get("Signature") == "" {
		t.Error("counts are not asked for, or what is asked for is not signed")
	}
	set(t, s, ":svc", ":activitypub", client.Keyword(":signature_max_age", 600))
	eve := other.Actor("eve")
	if got := eve.Send(s.Base()+"/inbox", eve.Follow(s.Actor("ann")), peer.At(time.Now().Add(-time.Hour))).Status; got != http.StatusUnauthorized {
		t.Errorf("an old signature: %d", got)
	}
	set(t, s, ":svc", ":activitypub", client.Keyword(":signature_max_age", 7200))
	if got := eve.Send(s.Base()+"/inbox", eve.Follow(s.Actor("ann")), peer.At(time.Now().Add(-time.Hour))).Status; got != http.StatusAccepted {
		t.Errorf("one of an hour ago: %d", got)
	}
}
