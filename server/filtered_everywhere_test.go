package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// TestEveryListSaysWhichFiltersMatch asks every route that shows statuses, and every
// stream. The contexts of a filter do not matter: apps look at them.
func TestEveryListSaysWhichFiltersMatch(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, ann, ben := t.Context(), s.Client("ann"), s.Client("ben")
		benID := s.User("ben").ID
		follow(t, ann, benID)
		list := must(ann.Lists.Create(ctx, api.NewList{Title: "People"}))(t)
		if err := ann.Lists.Add(ctx, list.ID, benID); err != nil {
			t.Fatal(err)
		}
		form := filterForm("Weather", "warn", "rain")
		form.Context = []string{"thread"}
		rain := must(ann.FiltersV2.Create(ctx, form))(t)
		want := rain.ID + "warn[rain][]"

		first := say(t, ben, "@ann the first rain #weather")
		post := say(t, ben, "@ann rain again #weather", to(first))
		must(ben.Statuses.Pin(ctx, post.ID))(t)
		for _, status := range []*api.Status{first, post} {
			must(ann.Statuses.Bookmark(ctx, status.ID))(t)
			must(ann.Statuses.Favourite(ctx, status.ID))(t)
		}
		file := must(ben.Media.Upload(ctx, client.File{Name: "a.txt", Content: strings.NewReader("text")}, api.MediaForm{}))(t)
		shown := say(t, ben, "rain on a picture", func(f *api.NewStatus) { f.MediaIDs = []string{file.ID} })

		page := func(l listing) []api.Status { return must(l.Page(ctx))(t).Items }
		one := func(status *api.Status, err error) showing {
			return showing{must(status, err)(t), []api.Status{*status}}
		}
		for where, a := range map[string]showing{
			"home":              {post, page(ann.Timelines.Home(api.TimelineQuery{}))},
			"public":            {post, page(ann.Timelines.Public(api.TimelineQuery{}))},
			"local":             {post, page(ann.Timelines.Public(api.TimelineQuery{Local: true}))},
			"media":             {shown, page(ann.Timelines.Public(api.TimelineQuery{OnlyMedia: true}))},
			"list":              {first, page(ann.Timelines.List(list.ID, api.ListTimelineQuery{}))},
			"hashtag":           {post, page(ann.Timelines.Tag("weather", api.TagTimelineQuery{}))},
			"account":           {post, page(ann.Accounts.Statuses(benID, api.AccountStatusQuery{}))},
			"pinned":            {post, page(ann.Accounts.Statuses(benID, api.AccountStatusQuery{Pinned: true}))},
			"account's media":   {shown, page(ann.Accounts.Statuses(benID, api.AccountStatusQuery{OnlyMedia: true}))},
			"bookmarks":         {post, page(ann.Statuses.Bookmarks(api.PageQuery{}))},
			"favourites":        {post, page(ann.Statuses.Favourites(api.PageQuery{}))},
			"ancestors":         {first, must(ann.Statuses.Context(ctx, post.ID))(t).Ancestors},
			"descendants":       {post, must(ann.Statuses.Context(ctx, first.ID))(t).Descendants},
			"ids":               {post, must(ann.Statuses.GetMany(ctx, post.ID))(t)},
			"search":            {post, must(ann.Search.Find(ctx, api.SearchQuery{Q: "again", Type: "statuses"}))(t).Statuses},
			"the first search":  {post, must(ann.Search.FindV1(ctx, api.SearchQuery{Q: "again"}))(t).Statuses},
			"search by address": {post, must(ann.Search.Find(ctx, api.SearchQuery{Q: post.URI, Type: "statuses", Resolve: true}))(t).Statuses},
			"single":            one(ann.Statuses.Get(ctx, post.ID)),
			"a favourite taken": one(ann.Statuses.Unfavourite(ctx, first.ID)),
			"a bookmark taken":  one(ann.Statuses.Unbookmark(ctx, first.ID)),
			"a thread muted":    one(ann.Statuses.MuteThread(ctx, first.ID, api.ThreadMute{})),
			"a thread unmuted":  one(ann.Statuses.UnmuteThread(ctx, first.ID)),
			"a reaction":        one(ann.Statuses.React(ctx, first.ID, "☔")),
			"a reaction taken":  one(ann.Statuses.Unreact(ctx, first.ID, "☔")),
			"notifications":     {post, statusesOf(must(ann.Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items)},
		} {
			found := false
			for _, status := range a.all {
				if status.ID == a.of.ID {
					found = true
					if got := results(status.Filtered); got != want {
						t.Errorf("%s: %q, want %q", where, got, want)
					}
				}
			}
			if !found {
				t.Errorf("%s: not there", where)
			}
		}
		told := must(ann.Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items[0]
		if got := results(must(ann.Notifications.Get(ctx, told.ID))(t).Status.Filtered); got != want {
			t.Errorf("a notification: %q", got)
		}

		// Streams, of a new status and of an edited one.
		token := s.Token("ann", servertest.AllScopes)
		streams := map[string]*socket{}
		for _, query := range []string{"stream=user", "stream=public", "stream=public:local", "stream=list&list=" + list.ID, "stream=hashtag&tag=weather"} {
			streams[query] = dial(t, s, token, query)
		}
		stranger := dial(t, s, "", "stream=public")
		streamed := say(t, ben, "more rain #weather")
		must(ben.Statuses.Edit(ctx, streamed.ID, api.StatusForm{Status: "rain, edited #weather"}))(t)
		for _, event := range []string{"update", "status.update"} {
			for query, socket := range streams {
				if got := results(payloadOf(t, socket.until(event, streamed.ID)).Filtered); got != want {
					t.Errorf("%s of %s: %q, want %q", event, query, got, want)
				}
			}
			if got := results(payloadOf(t, stranger.until(event, streamed.ID)).Filtered); got != "" {
				t.Errorf("%s for nobody: %q", event, got)
			}
		}
		direct := dial(t, s, token, "stream=direct")
		whisper := say(t, ben, "@ann rain, secretly", func(f *api.NewStatus) { f.Visibility = "direct" })
		talks := must(ann.Conversations.List(api.ConversationQuery{}).Page(ctx))(t).Items
		if got := results(talks[0].LastStatus.Filtered); talks[0].LastStatus.ID != whisper.ID || got != want {
			t.Errorf("a conversation: %q", got)
		}
		for where, all := range map[string][]api.Status{
			"a conversation's statuses": page(ann.Conversations.Statuses(talks[0].ID, api.PageQuery{})),
			"direct":                    page(ann.Timelines.Direct(api.DirectTimelineQuery{})),
		} {
			if len(all) == 0 || all[0].ID != whisper.ID || results(all[0].Filtered) != want {
				t.Errorf("%s: %+v", where, all)
			}
		}
		var talk api.Conversation
		if err := json.Unmarshal([]byte(direct.until("conversation", "").Payload), &talk); err != nil || results(talk.LastStatus.Filtered) != want {
			t.Errorf("a streamed conversation: %+v, %v", talk, err)
		}
	})
}

// listing is a list of statuses, page by page.
type listing = client.Listing[api.Status]

// showing is statuses, among which there is one that a filter matches.
type showing struct {
	of  *api.Status
	all []api.Status
}

func statusesOf(all []api.Notification) []api.Status {
	var out []api.Status
	for _, n := range all {
		if n.Status != nil {
			out = append(out, *n.Status)
		}
	}
	return out
}

func payloadOf(t *testing.T, f frame) api.Status {
	t.Helper()
	var status api.Status
	if err := json.Unmarshal([]byte(f.Payload), &status); err != nil {
		t.Fatal(err)
	}
	return status
}
