package server_test

import (
	"slices"
	"strings"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/server/rules/social"
	"svc/server/servertest"
)

// TestEveryKindOfEventIsToldToEveryAudience causes each kind of event while nobody
// listens, while strangers do alone, one person whom nothing concerns, and followers,
// lists and moderators. No stream ends, no event is skipped, and whoever resumes from the
// start gets to the end as well.
func TestEveryKindOfEventIsToldToEveryAudience(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		there := s
		if s.DB.Dialect() == db.Postgres {
			there = s.Second(t)
		}
		s.AdminUser("root")
		zed := s.Client("zed") // says the last word to each
		for _, name := range []string{"ben", "cat"} {
			follow(t, s.Client(name), s.User("zed").ID)
		}
		ben := s.Client("ben")
		follow(t, ben, s.User("ann").ID)
		list := must(ben.Lists.Create(ctx, api.NewList{Title: "x"}))(t).ID
		for _, name := range []string{"ann", "zed"} {
			must(0, ben.Lists.Add(ctx, list, s.User(name).ID))(t)
		}
		type ear struct{ who, stream string }
		for _, audience := range []struct {
			name string
			ears []ear
		}{
			{"nobody", nil},
			{"strangers", []ear{{"", "public"}, {"", "public:local"}, {"", "public:media"}, {"", "hashtag&tag=tea"}}},
			{"whom nothing concerns", []ear{{"cat", "user"}}},
			{"all", []ear{{"", "public"}, {"", "hashtag&tag=tea"}, {"cat", "user"}, {"ben", "user"}, {"ben", "direct"}, {"ben", "public"}, {"ben", "list&list=" + list},
				{"ann", "user"}, {"ann", "user:notification"}, {"ann", "user:svc_chat"}, {"root", "svc:moderation"}}},
		} {
			token := func(e ear) string {
				switch e.who {
				case "":
					return ""
				case "root":
					return s.Token(e.who, servertest.AdminScopes)
				}
				return s.Token(e.who, servertest.AllScopes)
			}
			from := must(s.DB.EventHead(ctx))(t)
			var live []*socket
			for _, e := range audience.ears {
				live = append(live, dial(t, there, token(e), "stream="+e.stream))
			}
			kinds := causeEveryKind(t, s)
			end := "the end for " + audience.name
			illustrated(t, s, "zed", "@ann #tea "+end)
			say(t, zed, "@ben "+end, func(f *api.NewStatus) { f.Visibility = db.Direct })
			must(zed.Chats.Send(ctx, must(zed.Chats.Open(ctx, s.User("ann").ID))(t).ID, api.NewChatMessage{Content: end}))(t)
			must(zed.Reports.Create(ctx, api.NewReport{AccountID: s.User("ann").ID, Comment: end}))(t)
			servertest.Eventually(t, audience.name+": there is an event of each kind", func() bool {
				told := map[string]bool{}
				for _, e := range must(s.DB.EventsAfter(ctx, from.Seq, 1000))(t) {
					told[e.Kind] = true
				}
				return !slices.ContainsFunc(kinds, func(kind string) bool { return !told[kind] })
			})
			for i, e := range audience.ears {
				for !strings.Contains(live[i].next().Payload, end) {
				}
				later := listen(t, there, token(e), e.stream, from.String())
				for f, ok := later.next(); !strings.Contains(f.Payload, end); f, ok = later.next() {
					if !ok || f.Event == "gap" {
						t.Fatalf("%s, resumed by %q: %s ends with %q", audience.name, e.who, e.stream, f.Event)
					}
				}
				_ = later.body.Close()
				_ = live[i].conn.CloseNow()
			}
			if lines := append(s.Log.Lines("could not be told"), there.Log.Lines("could not be told")...); len(lines) > 0 {
				t.Fatalf("%s: %q", audience.name, lines)
			}
		}
	}, needsApproval)
}

// illustrated posts a public status with a picture.
func illustrated(t *testing.T, s *servertest.Server, author, text string) *db.Status {
	t.Helper()
	files := []db.MediaAttachment{{AccountID: s.User(author).ID, Type: "image", URL: "/media/again.png"}}
	must(0, s.DB.CreateAttachments(t.Context(), files))(t)
	return must(s.Social.PostStatus(t.Context(), s.User(author), social.NewStatus{Text: text, Visibility: db.Public, MediaIDs: []int64{files[0].ID}}))(t)
}

// causeEveryKind has Ann, whom Ben follows, and others do everything that is told, and
// returns the kinds of its events.
func causeEveryKind(t *testing.T, s *servertest.Server) []string {
	t.Helper()
	ctx := t.Context()
	ann, ben, cat, root := s.Client("ann"), s.Client("ben"), s.Client("cat"), s.Admin("root")
	poll := func(f *api.NewStatus) {
		f.Poll = &api.NewPoll{Options: []string{"green", "black"}, ExpiresIn: given(api.Int(3600))}
	}
	var all []string
	for _, visibility := range []string{db.Public, db.Unlisted, db.Private, db.Direct, db.Local} {
		for _, text := range []string{"#tea", "@ben #tea"} {
			said := say(t, ann, text, func(f *api.NewStatus) { f.Visibility = visibility }, poll)
			all = append(all, said.ID)
			must(root.Admin.Statuses.Update(ctx, said.ID, api.StatusUpdate{Sensitive: given(true)}))(t)
			if visibility == db.Direct && text == "#tea" {
				continue // nobody else sees it
			}
			must(ben.Polls.Vote(ctx, said.Poll.ID, 0))(t)
			must(ben.Statuses.React(ctx, said.ID, "🍵"))(t)
			must(ben.Statuses.Unreact(ctx, said.ID, "🍵"))(t)
			must(ben.Statuses.React(ctx, said.ID, "☕"))(t)
			must(ben.Statuses.Favourite(ctx, said.ID))(t)
			if visibility == db.Public || visibility == db.Unlisted {
				must(cat.Statuses.Reblog(ctx, said.ID, api.NewReblog{}))(t)
				must(cat.Statuses.Unreblog(ctx, said.ID))(t)
				must(ben.Statuses.Reblog(ctx, said.ID, api.NewReblog{}))(t)
			}
		}
	}
	seen := illustrated(t, s, "ann", "#tea")
	all = append(all, seen.ID)
	must(0, s.DB.Emit(ctx, db.Event{Kind: db.EventHome, Subject: seen.ID, Data: db.EventData(db.HomeRange{})},
		db.Event{Kind: db.EventHome, Subject: seen.ID, Data: db.EventData(db.HomeRange{After: s.User("ben").ID, UpTo: s.User("ben").ID})},
		db.Event{Kind: db.EventHome, Subject: "none", Data: db.EventData(db.HomeRange{})},
		db.Event{Kind: db.EventStatus, Subject: "none"}, db.Event{Kind: db.EventStatusEdited, Subject: "none"},
		db.Event{Kind: db.EventRoom, Subject: s.User("ann").ID, Data: "hello"}, db.Event{Kind: db.EventRoom, Subject: "none", Data: "hello"},
		db.Event{Kind: db.EventNotification, Subject: "1000000", AccountID: s.User("ann").ID}, db.Event{Kind: db.EventConversation, Subject: "1000000", AccountID: s.User("ben").ID},
		db.Event{Kind: db.EventChat, Subject: "none", AccountID: s.User("ann").ID}, db.Event{Kind: db.EventRelationship, Subject: "none", AccountID: s.User("ann").ID, Data: "follow_accept"},
		db.Event{Kind: db.EventReport, Subject: "none", Data: db.Gone}, db.Event{Kind: db.EventRegistration, Subject: "none", Data: db.Gone},
		db.Event{Kind: db.EventRegistration, Subject: s.User("ann").ID, Data: db.Added}, db.Event{Kind: db.EventLogEntry, Subject: "1000000"},
		db.Event{Kind: db.EventJob, Subject: "1000000", Data: db.Added}))(t)
	for _, id := range all {
		must(ann.Statuses.Delete(ctx, id))(t)
	}
	follow(t, ann, s.User("cat").ID)
	must(ann.Accounts.Unfollow(ctx, s.User("cat").ID))(t)
	must(cat.Chats.Send(ctx, must(cat.Chats.Open(ctx, s.User("ann").ID))(t).ID, api.NewChatMessage{Content: "psst"}))(t)
	must(0, ann.Filters.Delete(ctx, must(ann.Filters.Create(ctx, api.NewFilter{Phrase: given("x"), Context: []string{"home"}}))(t).ID))(t)
	must(cat.Reports.Create(ctx, api.NewReport{AccountID: s.User("ann").ID}))(t)
	told := must(root.Admin.Announcements.Create(ctx, api.AnnouncementForm{Content: given("tea")}))(t)
	must(0, cat.Announcements.React(ctx, told.ID, "🍵"))(t)
	must(0, root.Admin.Announcements.Delete(ctx, told.ID))(t)
	return []string{
		db.EventStatus, db.EventHome, db.EventStatusEdited, db.EventStatusDeleted, db.EventNotification, db.EventConversation, db.EventChat,
		db.EventRelationship, db.EventFilters, db.EventRoom, db.EventReport, db.EventRegistration, db.EventLogEntry, db.EventJob,
		db.EventAnnouncement, db.EventAnnouncementReaction, db.EventAnnouncementGone,
	}
}
