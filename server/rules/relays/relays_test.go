package relays_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// world is a service, and a peer that is a relay in either dialect: its actor
// is at /actor, its inbox at /inbox.
type world struct {
	*testing.T
	*servertest.Server
	peer  *peer.Peer
	relay *peer.Actor
	admin *client.Client
}

func each(t *testing.T, fn func(w *world), edit ...func(*config.Settings)) {
	t.Helper()
	t.Parallel()
	// Follows do not wait for an answer, unless a test changes the setting.
	edit = append([]func(*config.Settings){func(s *config.Settings) { s.ActivityPub.FollowHandshake = 0 }}, edit...)
	dbtest.EachReady(t, func(t *testing.T, dsn string) {
		s := servertest.AtHost(t, dsn, "127.0.0.1", edit...)
		t.Cleanup(func() {
			if t.Failed() {
				lines := slices.DeleteFunc(s.Log.Lines(), func(l string) bool { return strings.Contains(l, "route=/api/") })
				t.Logf("the service logged:\n%s", strings.Join(lines, "\n"))
			}
		})
		p := peer.Start(t, "127.0.0.3")
		relay := p.ActorAt("/actor", "relay").Edit(func(d peer.Doc) { d["type"], d["inbox"] = "Application", p.URL("/inbox") })
		fn(&world{T: t, Server: s, peer: p, relay: relay, admin: s.Admin("root")})
	})
}

// ours is our relay actor.
func (w *world) ours() string { return w.Base() + "/relay" }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// follow subscribes to a relay and returns the relay of the answer.
func (w *world) follow(address string) api.Relay {
	w.Helper()
	r, err := w.admin.Admin.Relays.Follow(w.Context(), address)
	w.must(err)
	r.Raw = nil
	return *r
}

func (w *world) refused(address string) {
	w.Helper()
	_, err := w.admin.Admin.Relays.Follow(w.Context(), address)
	if client.Status(err) != http.StatusInternalServerError {
		w.Errorf("follow %s: %v, want 500", address, err)
	}
}

func (w *world) list() []api.Relay {
	w.Helper()
	all, err := w.admin.Admin.Relays.List(w.Context())
	w.must(err)
	for i := range all {
		all[i].Raw = nil
	}
	return all
}

// one waits for the activity of a type that comes to the relay, the nth of them.
func (w *world) one(kind string, n int) peer.Doc {
	w.Helper()
	servertest.Eventually(w.T, "a "+kind, func() bool { return len(w.peer.Received(kind)) >= n })
	return w.peer.Received(kind)[n-1]
}

// says sends an activity from the relay, which must be accepted.
func (w *world) says(activity peer.Doc) {
	w.Helper()
	if a := w.relay.Send(w.Base()+"/inbox", activity); a.Status != http.StatusAccepted {
		w.Fatalf("%s: %d %s", activity.JSON(), a.Status, a.Body)
	}
}

// subscribed follows a relay that accepts, and that follows back if the address
// is its actor's.
func (w *world) subscribed(address string) {
	w.Helper()
	w.follow(address)
	w.says(w.relay.Accept(w.one("Follow", 1)))
	servertest.Eventually(w.T, "the Accept is taken", func() bool { l := w.list(); return len(l) == 1 && l[0].FollowedBack })
	if address != w.relay.ID {
		return
	}
	w.says(w.relay.Follow(w.ours()))
	w.one("Accept", 1)
}

func (w *world) post(text, visibility string) *api.Status {
	w.Helper()
	s, err := w.Client("ann").Statuses.Post(w.Context(), api.NewStatus{Status: text, Visibility: visibility})
	w.must(err)
	return s
}

// federated returns the URIs in the federated timeline, which has no reblogs.
func (w *world) federated() []string {
	w.Helper()
	all, err := w.Client("bob").Timelines.Public(api.TimelineQuery{}).Page(w.Context())
	w.must(err)
	var out []string
	for _, s := range all.Items {
		if s.Reblog != nil {
			w.Errorf("%s is a boost", s.URI)
		}
		out = append(out, s.URI)
	}
	return out
}

// of keeps some keys of a document.
func of(d peer.Doc, keys ...string) map[string]any {
	out := map[string]any{}
	for _, k := range keys {
		out[k] = d[k]
	}
	return out
}

func (w *world) same(what string, want, got any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestARelayOfActorsIsFollowedAndFollowsBack(t *testing.T) {
	each(t, func(w *world) {
		w.same("asked", api.Relay{Actor: w.relay.ID}, w.follow(w.relay.ID))
		w.same("pending", []api.Relay{{Actor: w.relay.ID}}, w.list())
		follow := w.one("Follow", 1)
		w.same("our Follow", map[string]any{"type": "Follow", "actor": w.ours(), "object": w.relay.ID, "to": []any{w.relay.ID}},
			of(follow, "type", "actor", "object", "to"))
		if signer, err := w.peer.Signer(w.peer.Posts("Follow")[0]); err != nil || signer != w.ours() {
			w.Errorf("signed by %q, %v", signer, err)
		}

		// An answer by another actor than the relay is ignored.
		stranger := w.peer.Actor("stranger")
		stranger.Send(w.Base()+"/inbox", stranger.Accept(follow))
		w.says(w.relay.Accept(follow))
		servertest.Eventually(w.T, "accepted", func() bool { return cmp.Equal([]api.Relay{{Actor: w.relay.ID, FollowedBack: true}}, w.list()) })
		w.same("asked again", api.Relay{Actor: w.relay.ID, FollowedBack: true}, w.follow(w.relay.ID))

		back := w.relay.Follow(w.ours())
		w.says(back)
		accept := w.one("Accept", 1)
		w.same("our Accept", map[string]any{"type": "Accept", "actor": w.ours(), "to": []any{w.relay.ID},
			"object": map[string]any{"id": back.Text("id"), "type": "Follow", "actor": w.relay.ID, "object": w.ours()}}, of(accept, "type", "actor", "to", "object"))
		for _, kind := range []string{"followers", "following"} {
			list := w.relay.Get(w.ours() + "/" + kind)
			if list.Status != 200 {
				w.Errorf("%s: %d %s", kind, list.Status, list.Body)
			}
		}
	})
}

func TestARelayThatAnswersAtOnceFollowsBackAtOnce(t *testing.T) {
	each(t, func(w *world) {
		w.peer.Answer(func(r peer.Request) peer.Page {
			if r.Doc.Text("type") == "Follow" {
				go w.relay.Send(w.Base()+"/relay/inbox", w.relay.Accept(r.Doc))
			}
			return peer.Page{Status: http.StatusAccepted}
		})
		w.same("asked", api.Relay{Actor: w.relay.ID, FollowedBack: true}, w.follow(w.relay.ID))
	}, patient)
}

// patient makes a follow wait longer for its answer than a busy machine takes.
func patient(s *config.Settings) { s.ActivityPub.FollowHandshake = 10e9 }

func TestARelayThatSaysNoIsNotFollowed(t *testing.T) {
	each(t, func(w *world) {
		w.peer.Answer(func(r peer.Request) peer.Page {
			if r.Doc.Text("type") == "Follow" {
				go w.relay.Send(w.Base()+"/inbox", w.relay.Reject(r.Doc))
			}
			return peer.Page{Status: http.StatusAccepted}
		})
		w.refused(w.relay.ID)
		w.same("none", []api.Relay{}, w.list())
	}, patient)
}

func TestARelayOfActorsIsToldOfPublicPosts(t *testing.T) {
	each(t, func(w *world) {
		w.subscribed(w.relay.ID)
		w.post("for those who look", "unlisted")
		w.post("for those who follow", "private")
		first := w.post("for everybody", "public")
		_, err := w.Client("bob").Statuses.Reblog(w.Context(), first.ID, api.NewReblog{})
		w.must(err)
		second := w.post("for everybody too", "public")
		w.one("Announce", 2)
		var told []string
		for _, a := range w.peer.Received("Announce") {
			w.same("announced", map[string]any{"type": "Announce", "actor": w.ours(), "to": []any{w.ours() + "/followers"}}, of(a, "type", "actor", "to"))
			if a.Text("context") == "" || a.Text("published") == "" {
				w.Errorf("%s has no context or time", a.JSON())
			}
			told = append(told, a.Text("object"))
		}
		slices.Sort(told)
		want := []string{first.URI, second.URI}
		slices.Sort(want)
		w.same("told of", want, told)

		// A relay that was unfollowed gets no more statuses.
		w.must(w.admin.Admin.Relays.Unfollow(w.Context(), w.relay.ID))
		undo := w.one("Undo", 1)
		w.same("our Undo", of(w.peer.Received("Follow")[0], "id", "type", "actor", "object"), of(undo.Object("object"), "id", "type", "actor", "object"))
		w.one("Reject", 1)
		w.post("for everybody else", "public")
		w.follow(w.relay.ID)
		w.one("Follow", 2)
		w.same("told of after that", 2, len(w.peer.Received("Announce")))
	})
}

// elsewhere publishes a post on another server than the relay's.
func (w *world) elsewhere(text string) (*peer.Actor, peer.Doc) {
	p := peer.Start(w.T, "127.0.0.4")
	author := p.Actor("eve")
	note := author.Note("<p>" + text + "</p>")
	p.Publish(note)
	return author, note
}

func TestARelayedStatusIsStoredWithoutAReblog(t *testing.T) {
	each(t, func(w *world) {
		_, unasked := w.elsewhere("before")
		w.says(w.relay.Announce(unasked.Text("id")))
		w.subscribed(w.relay.ID)
		_, note := w.elsewhere("hello")
		w.says(w.relay.Announce(note.Text("id")).To([]string{w.relay.Followers()}, nil))
		servertest.Eventually(w.T, "the post is there", func() bool { return slices.Contains(w.federated(), note.Text("id")) })
		if slices.Contains(w.federated(), unasked.Text("id")) {
			w.Error("a relay that nobody asked fed us")
		}
		ours := w.post("mine", "public")
		w.says(w.relay.Announce(ours.URI).To([]string{w.relay.Followers()}, nil))
		_, last := w.elsewhere("last")
		w.says(w.relay.Announce(last.Text("id")).To([]string{w.relay.Followers()}, nil))
		servertest.Eventually(w.T, "the last post is there", func() bool { return slices.Contains(w.federated(), last.Text("id")) })
		mine, err := w.Client("ann").Statuses.Get(w.Context(), ours.ID)
		w.must(err)
		w.same("boosts", int64(0), int64(mine.ReblogsCount))
		news, err := w.Client("ann").Notifications.List(api.NotificationQuery{}).Page(w.Context())
		w.must(err)
		w.same("notifications", 0, len(news.Items))
		// Only local posts are announced: a relayed post is not sent back.
		w.one("Announce", 1)
		w.same("told of", []string{ours.URI}, []string{w.peer.Received("Announce")[0].Text("object")})
		w.same("told", 1, len(w.peer.Received("Announce")))
	})
}

func TestARelayOfInboxesIsSentPublicPosts(t *testing.T) {
	each(t, func(w *world) {
		inbox := w.peer.URL("/inbox")
		w.same("asked", api.Relay{Actor: inbox}, w.follow(inbox))
		follow := w.one("Follow", 1)
		w.same("our Follow", map[string]any{"type": "Follow", "actor": w.ours(), "object": peer.Public}, of(follow, "type", "actor", "object"))
		w.says(w.relay.Activity("Accept", follow.Text("id")))
		servertest.Eventually(w.T, "accepted", func() bool { return cmp.Equal([]api.Relay{{Actor: inbox, FollowedBack: true}}, w.list()) })

		w.post("for those who look", "unlisted")
		status := w.post("for everybody", "public")
		create := w.one("Create", 1)
		w.same("sent", status.URI, create.Object("object").Text("id"))
		ann := w.Base() + "/users/ann"
		request := w.peer.Posts("Create")[0]
		if signer, err := w.peer.Signer(request); err != nil || signer != ann || request.URI != "/inbox" || create.Text("actor") != ann {
			w.Errorf("posted to %s, signed by %q, %v", request.URI, signer, err)
		}
		if !slices.Contains(create.Texts("to"), peer.Public) || create.Texts("bto") != nil || create.Texts("bcc") != nil {
			w.Errorf("addressed to %v", create.Texts("to"))
		}
		_, err := w.Client("ann").Statuses.Delete(w.Context(), status.ID)
		w.must(err)
		w.same("deleted", status.URI, w.one("Delete", 1).Object("object").Text("id"))
		w.same("announced", 0, len(w.peer.Received("Announce")))

		w.must(w.admin.Admin.Relays.Unfollow(w.Context(), inbox))
		w.same("our Undo", of(follow, "id", "type", "actor", "object"), of(w.one("Undo", 1).Object("object"), "id", "type", "actor", "object"))
		w.same("none", []api.Relay{}, w.list())
		w.post("for everybody else", "public")
		w.follow(inbox)
		w.one("Follow", 2)
		w.same("sent after that", 1, len(w.peer.Received("Create")))
	})
}

func TestForwardedActivitiesAreFetchedFromTheirServer(t *testing.T) {
	each(t, func(w *world) {
		w.subscribed(w.peer.URL("/inbox"))
		author, note := w.elsewhere("true")
		w.says(author.Create(note.With("content", "<p>false</p>")))
		servertest.Eventually(w.T, "the post is there", func() bool { return slices.Contains(w.federated(), note.Text("id")) })
		all, err := w.Client("bob").Timelines.Public(api.TimelineQuery{}).Page(w.Context())
		w.must(err)
		w.same("content", "<p>true</p>", all.Items[0].Content)

		_, last := w.elsewhere("announced")
		w.says(w.relay.Announce(last.Text("id")))
		servertest.Eventually(w.T, "what it announces is there", func() bool { return slices.Contains(w.federated(), last.Text("id")) })
	})
}

func TestADeadRelayIsLeftAllTheSame(t *testing.T) {
	each(t, func(w *world) {
		w.subscribed(w.relay.ID)
		w.peer.Stop()
		w.must(w.admin.Admin.Relays.Unfollow(w.Context(), w.relay.ID))
		w.same("none", []api.Relay{}, w.list())
		if err := w.admin.Admin.Relays.Unfollow(w.Context(), w.relay.ID); client.Status(err) != http.StatusInternalServerError {
			w.Errorf("left twice: %v", err)
		}
		w.refused(w.peer.URL("/another"))
	})
}

func TestPeopleDoNotFollowTheRelayActor(t *testing.T) {
	each(t, func(w *world) {
		w.follow(w.relay.ID) // the relay must exist
		eve := w.peer.Actor("eve")
		eve.Send(w.Base()+"/relay/inbox", eve.Follow(w.ours()))
		w.same("answer", w.ours(), w.one("Reject", 1).Text("actor"))
		found, err := w.Client("ann").Search.Find(w.Context(), api.SearchQuery{Q: "relay@" + w.Host(), Resolve: true})
		w.must(err)
		for _, a := range found.Accounts {
			if a.Acct == "relay" || a.URL == w.ours() {
				w.Errorf("found %s", a.Raw)
			}
		}
	})
}

// set saves a keyword list of settings.
func (w *world) set(key string, pairs ...any) {
	w.Helper()
	_, err := w.admin.Admin.Config.Set(w.Context(), ":svc", key, client.Keyword(pairs...))
	w.must(err)
}

func TestRelayingCanBeSwitchedOff(t *testing.T) {
	each(t, func(w *world) {
		features := func() bool {
			i, err := w.Anonymous().Instance.Get(w.Context())
			w.must(err)
			return slices.Contains(i.Svc.Metadata.Features, "relay")
		}
		inbox := w.peer.URL("/inbox")
		w.subscribed(inbox)
		w.same("the feature", true, features())
		w.post("before", "public")
		w.one("Create", 1)
		w.set(":instance", ":allow_relay", false)
		w.same("the feature", false, features())
		w.refused(w.relay.ID)
		w.refused(inbox)
		if a := w.relay.Get(w.ours()); a.Status != http.StatusNotFound {
			w.Errorf("our relay actor: %d %s", a.Status, a.Body)
		}
		w.post("meanwhile", "public")
		w.set(":instance", ":allow_relay", true)
		after := w.post("after", "public")
		w.same("sent", after.URI, w.one("Create", 2).Object("object").Text("id"))
	})
}

func TestHowLongAnAnswerIsWaitedForCanBeSet(t *testing.T) {
	each(t, func(w *world) {
		w.peer.Answer(func(r peer.Request) peer.Page {
			if r.Doc.Text("type") == "Follow" {
				go w.relay.Send(w.Base()+"/inbox", w.relay.Accept(r.Doc))
			}
			return peer.Page{Status: http.StatusAccepted}
		})
		w.set(":activitypub", ":follow_handshake_timeout", 10000)
		w.same("asked", api.Relay{Actor: w.relay.ID, FollowedBack: true}, w.follow(w.relay.ID))
	})
}

func TestARelayThatReadsPostsUnsignedIsWarnedOfInSecureMode(t *testing.T) {
	each(t, func(w *world) {
		if r := w.follow(w.relay.ID); r.Warning == "" {
			w.Error("no warning of a relay that is told of posts")
		}
		if r := w.follow(w.peer.URL("/inbox")); r.Warning != "" {
			w.Errorf("a relay that is sent posts: %s", r.Warning)
		}
	}, func(s *config.Settings) { s.ActivityPub.SecureMode = true })
}
