package outbox_test

import (
	"strings"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/rules/social"
	"svc/server/servertest"
)

// manyPins lets more than one post be pinned.
func manyPins(s *config.Settings) { s.Instance.MaxPinnedStatuses = 5 }

// TestInteractionsAreFederated does everything that is federated
// through the client, and compares the activities, and their recipients, with
// the golden files.
func TestInteractionsAreFederated(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := newWorld(t, s)
		ctx := t.Context()
		post := func(form api.NewStatus) *api.Status {
			t.Helper()
			made, err := w.ann.Statuses.Post(ctx, form)
			w.must(err)
			return made
		}
		// Posts, by their visibility.
		public := post(api.NewStatus{Status: "hello **you** #Tag", ContentType: "text/markdown", SpoilerText: "cw", Language: "en"})
		w.golden("post public")
		post(api.NewStatus{Status: "hello", Visibility: "unlisted", Sensitive: new(api.Bool(true))})
		w.golden("post unlisted")
		private := post(api.NewStatus{Status: "hello", Visibility: "private"})
		w.golden("post private")
		direct := post(api.NewStatus{Status: "@eve@127.0.0.9:1 @zed@127.0.0.9:1 @bob hello", Visibility: "direct"})
		w.golden("post direct")
		post(api.NewStatus{Status: "only @zed@127.0.0.9:1", To: []string{"eve@127.0.0.9:1"}})
		w.golden("post to the named")
		file, err := w.ann.Media.Upload(ctx, client.File{Name: "a.txt", Content: strings.NewReader("text")}, api.MediaForm{Description: ptr("what it says")})
		w.must(err)
		post(api.NewStatus{Status: "see", MediaIDs: []string{file.ID}})
		w.golden("post with file")
		theirs := w.theirs("zed", db.Public, "/objects/1", nil)
		post(api.NewStatus{Status: "yes", InReplyToID: theirs.ID})
		w.golden("reply")
		list, err := w.ann.Lists.Create(ctx, api.NewList{Title: "friends"})
		w.must(err)
		w.must(w.ann.Lists.Add(ctx, list.ID, w.id["eve"], w.id["zed"], w.id["bob"]))
		toList := post(api.NewStatus{Status: "friends", Visibility: "list:" + list.ID})
		w.golden("post to a list")
		local := post(api.NewStatus{Status: "here @eve@127.0.0.9:1", Visibility: "local"})
		w.none("a local post")
		post(api.NewStatus{Status: "not yet", Preview: true})
		w.none("a preview")

		// Edits.
		edit := func(id string, form api.StatusForm) {
			t.Helper()
			_, err := w.ann.Statuses.Edit(ctx, id, form)
			w.must(err)
		}
		edit(public.ID, api.StatusForm{Status: "hello @zed@127.0.0.9:1 #Other", ContentType: "text/plain"})
		w.golden("edit public")
		edit(public.ID, api.StatusForm{Status: "hello @zed@127.0.0.9:1 #Other", ContentType: "text/plain"})
		w.none("an edit that says the same")
		edit(private.ID, api.StatusForm{Status: "hello again", SpoilerText: "cw"})
		w.golden("edit private")
		edit(direct.ID, api.StatusForm{Status: "@eve@127.0.0.9:1 hello"})
		w.golden("edit direct")
		edit(toList.ID, api.StatusForm{Status: "dear friends"})
		w.golden("edit to a list")
		edit(local.ID, api.StatusForm{Status: "here"})
		w.none("an edit of a local post")

		// Acts.
		second := func(_ any, err error) { t.Helper(); w.must(err) }
		second(w.ann.Statuses.Reblog(ctx, theirs.ID, api.NewReblog{}))
		w.golden("boost")
		second(w.ann.Statuses.Unreblog(ctx, theirs.ID))
		w.golden("boost undone")
		second(w.ann.Statuses.Reblog(ctx, private.ID, api.NewReblog{}))
		w.golden("boost of an own private post")
		second(w.ann.Statuses.Favourite(ctx, theirs.ID))
		w.golden("like")
		second(w.ann.Statuses.Favourite(ctx, theirs.ID))
		w.none("a like again")
		second(w.ann.Statuses.Unfavourite(ctx, theirs.ID))
		w.golden("like undone")
		second(w.ann.Statuses.React(ctx, theirs.ID, "☕"))
		w.golden("reaction")
		second(w.ann.Statuses.Unreact(ctx, theirs.ID, "☕"))
		w.golden("reaction undone")
		second(w.ann.Statuses.Reblog(ctx, local.ID, api.NewReblog{}))
		second(w.ann.Statuses.Favourite(ctx, local.ID))
		second(w.ann.Statuses.React(ctx, local.ID, "☕"))
		second(w.ann.Statuses.Pin(ctx, local.ID))
		second(w.ann.Statuses.Unpin(ctx, local.ID))
		second(w.ann.Statuses.Delete(ctx, local.ID))
		w.none("what is done to a local post")
		second(w.ann.Statuses.Favourite(ctx, public.ID))
		w.none("a like of a post of this server")
		second(w.ann.Statuses.Pin(ctx, public.ID))
		w.golden("pin")
		second(w.ann.Statuses.Unpin(ctx, public.ID))
		w.golden("unpin")

		// Polls.
		question := w.theirs("zed", db.Public, "/objects/2", &activitypub.Poll{
			Multiple: true, Options: []activitypub.Option{{Name: "red"}, {Name: "green"}, {Name: "blue"}}, Ends: time.Now().Add(time.Hour),
		})
		asked, err := w.ann.Statuses.Get(ctx, question.ID)
		w.must(err)
		second(w.ann.Polls.Vote(ctx, asked.Poll.ID, 0, 2))
		w.golden("vote")
		poll := post(api.NewStatus{Status: "which?", Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: ptr(api.Int(7200))}})
		w.golden("post with a poll")
		second(w.Client("bob").Polls.Vote(ctx, poll.Poll.ID, 1))
		w.none("a vote at once")
		w.must(w.Server.Server.Outbox.TellTally(ctx, w.DB, jobs.TellTally{StatusID: poll.ID}))
		w.golden("tally")
		w.must(w.Server.Server.Outbox.TellTally(ctx, w.DB, jobs.TellTally{StatusID: poll.ID}))
		w.none("a tally again")
		w.Advance(3 * time.Hour)
		w.must(w.Server.Server.Outbox.TellTally(ctx, w.DB, jobs.TellTally{StatusID: poll.ID, Closed: true}))
		w.golden("poll closed")

		// Deletions.
		second(w.ann.Statuses.Delete(ctx, public.ID))
		w.golden("delete public")
		second(w.ann.Statuses.Delete(ctx, private.ID))
		w.golden("delete private")
		second(w.ann.Statuses.Delete(ctx, direct.ID))
		w.golden("delete direct")
		short := post(api.NewStatus{Status: "short", ExpiresIn: new(api.Int(7200))})
		w.told()
		w.Advance(3 * time.Hour)
		w.must(w.Social.ExpireStatus(ctx, jobs.ExpireStatus{StatusID: short.ID}))
		w.golden("expiry")
	}, manyPins)
}

// TestFollowsAndBlocksAreFederated is the same for follows,
// blocks, profiles, chats, reports and accounts.
func TestFollowsAndBlocksAreFederated(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := newWorld(t, s)
		ctx := t.Context()
		second := func(_ any, err error) { t.Helper(); w.must(err) }
		second(w.ann.Accounts.Follow(ctx, w.id["zed"], api.Follow{}))
		if f, err := w.DB.Follow(ctx, w.id["ann"], w.id["zed"]); err != nil || !f.Pending {
			t.Errorf("a follow that nobody accepted: %+v, %v", f, err)
		}
		w.golden("follow")
		second(w.ann.Accounts.Unfollow(ctx, w.id["zed"]))
		w.golden("unfollow")
		for _, answer := range []string{"accept", "reject"} {
			w.stranger(answer, true)
			w.follows(answer, "ann", true)
			if answer == "accept" {
				w.must(w.Social.AuthorizeFollow(ctx, w.account("ann"), w.id[answer]))
			} else {
				w.must(w.Social.RejectFollow(ctx, w.account("ann"), w.id[answer]))
			}
			w.golden(answer)
		}
		second(w.ann.Accounts.Follow(ctx, w.id["accept"], api.Follow{}))
		w.told()
		second(w.ann.Accounts.Block(ctx, w.id["accept"]))
		w.golden("block")
		second(w.ann.Accounts.Block(ctx, w.id["accept"]))
		w.none("a block again")
		second(w.ann.Accounts.Unblock(ctx, w.id["accept"]))
		w.golden("unblock")

		// Profiles: at once, then after a pause the last state.
		second(w.ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: ptr("Ann"), Note: ptr("hi #there")}))
		w.golden("profile")
		for _, name := range []string{"Anna", "Anne"} {
			second(w.ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: &name}))
		}
		w.none("a profile that changes again at once")
		w.must(w.Server.Server.Outbox.TellProfile(ctx, w.DB, jobs.TellProfile{AccountID: w.id["ann"]}))
		w.golden("profile again")
		second(w.ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{HideFollowers: ptr(api.Bool(true))}))
		w.none("what others do not see of a profile")
		name := "Other"
		w.must(w.root.Admin.Users.UpdateCredentials(ctx, "ann", api.CredentialsUpdate{Name: &name}))
		w.none("a profile that an admin changes")

		// Chats.
		chat, err := w.ann.Chats.Open(ctx, w.id["eve"])
		w.must(err)
		message, err := w.ann.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "psst"})
		w.must(err)
		w.golden("chat message")
		second(w.ann.Chats.Delete(ctx, chat.ID, message.ID))
		w.golden("chat message deleted")
		if message, err = w.ann.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "psst"}); err == nil {
			w.told()
			second(w.root.Admin.Chats.DeleteMessage(ctx, chat.ID, message.ID))
		}
		w.must(err)
		w.golden("chat message deleted by an admin")
		deaf, err := w.ann.Chats.Open(ctx, w.id["zed"])
		w.must(err)
		second(w.ann.Chats.Send(ctx, deaf.ID, api.NewChatMessage{Content: "psst"}))
		if told := w.told(); len(told) != 1 {
			t.Errorf("a message to somebody of whose server nothing is known: %v", told)
		}
		w.must(w.DB.DescribeInstance(ctx, w.account("zed").Domain, "gotosocial 0.20.0", ""))
		if _, err := w.ann.Chats.Send(ctx, deaf.ID, api.NewChatMessage{Content: "psst"}); client.Status(err) != 403 {
			t.Errorf("a message to somebody whose server knows no chats: %v", err)
		}
		w.none("a message to somebody whose server knows no chats")

		// Reports.
		theirs := w.theirs("zed", db.Public, "/objects/1", nil)
		second(w.ann.Reports.Create(ctx, api.NewReport{AccountID: w.id["zed"], StatusIDs: []string{theirs.ID}, Comment: "bad"}))
		w.none("a report that is not forwarded")
		second(w.ann.Reports.Create(ctx, api.NewReport{AccountID: w.id["zed"], StatusIDs: []string{theirs.ID}, Comment: "bad", Forward: true}))
		w.golden("report")
		second(w.ann.Reports.Create(ctx, api.NewReport{AccountID: w.id["bob"], Comment: "bad", Forward: true}))
		w.none("a report of somebody here")

		// Actions of admins.
		mine, err := w.ann.Statuses.Post(ctx, api.NewStatus{Status: "mine"})
		w.must(err)
		w.told()
		second(w.root.Admin.Statuses.Update(ctx, mine.ID, api.StatusUpdate{Visibility: ptr("unlisted"), Sensitive: ptr(true)}))
		w.must(w.root.Admin.Users.Follow(ctx, "ann", "zed@127.0.0.9:1"))
		w.must(w.root.Admin.Users.Unfollow(ctx, "ann", "zed@127.0.0.9:1"))
		w.none("what admins change here")
		w.must(w.root.Admin.Statuses.Delete(ctx, mine.ID))
		w.golden("delete by an admin")
		w.must(w.root.Admin.Statuses.Delete(ctx, theirs.ID))
		w.none("a post of another server that an admin deletes")
		w.Client("cat")
		w.id["cat"] = w.User("cat").ID
		second(w.root.Admin.Users.Delete(ctx, "cat"))
		w.golden("account deleted by an admin")
		second(w.root.Admin.Users.Delete(ctx, "zed@127.0.0.9:1"))
		w.none("an account of another server that an admin deletes")
		second(w.ann.Statuses.Post(ctx, api.NewStatus{Status: "left"}))
		w.told()
		w.must(w.ann.Security.DeleteAccount(ctx, servertest.Password))
		w.eventually(2)
		w.golden("account deleted")
	})
}

// TestLocalActsAreNotFederated has someone without followers elsewhere,
// a server that talks to no other, and a deactivated account do things.
func TestLocalActsAreNotFederated(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := newWorld(t, s)
		ctx := t.Context()
		bob := w.Client("bob")
		for _, visibility := range []string{"public", "unlisted", "private", "local"} {
			made, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "hello @ann", Visibility: visibility})
			w.must(err)
			w.must(second(bob.Statuses.Delete(ctx, made.ID)))
		}
		w.must(second(bob.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: ptr("Bob")})))
		w.must(second(bob.Accounts.Follow(ctx, w.id["ann"], api.Follow{})))
		w.must(second(bob.Accounts.Block(ctx, w.id["ann"])))
		w.none("what concerns nobody elsewhere")

		theirs := w.theirs("zed", db.Public, "/objects/1", nil)
		settings := *w.Settings.Base()
		settings.Instance.Federating = false
		w.must(w.Settings.Swap(settings))
		w.must(second(w.ann.Statuses.Post(ctx, api.NewStatus{Status: "hello"})))
		w.must(second(w.ann.Statuses.Favourite(ctx, theirs.ID)))
		w.must(second(w.ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: ptr("Ann")})))
		w.none("what happens where there is no federation")
	})
}

// TestBlocksAreToldAndEndFollowsAsTheSettingsSay changes both settings.
func TestBlocksAreToldAndEndFollowsAsTheSettingsSay(t *testing.T) {
	for _, tt := range []struct {
		ends, told bool
		want       string // the types of the queued activities
	}{{true, true, "Undo Reject Block"}, {true, false, "Undo Reject"}, {false, true, "Reject Block"}, {false, false, "Reject"}} {
		t.Run("", func(t *testing.T) {
			s := servertest.Start(t, func(s *config.Settings) {
				s.ActivityPub.UnfollowBlocked, s.ActivityPub.OutgoingBlocks = tt.ends, tt.told
			})
			w := newWorld(t, s)
			ctx := t.Context()
			w.must(w.Social.Follow(ctx, w.account("ann"), w.id["eve"], social.FollowOptions{}))
			w.told()
			w.must(second(w.ann.Accounts.Block(ctx, w.id["eve"])))
			var types []string
			for _, a := range w.told() {
				types = append(types, a.Type)
			}
			if got := strings.Join(types, " "); got != tt.want {
				t.Errorf("ends %v, told %v: told %s, want %s", tt.ends, tt.told, got, tt.want)
			}
			if _, err := w.DB.Follow(ctx, w.id["ann"], w.id["eve"]); (err != nil) != tt.ends {
				t.Errorf("ends %v: %v", tt.ends, err)
			}
		})
	}
}
