package clientapi_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// unchanging replaces the ids and times of a body: ids by their names in names,
// or by ID.
func unchanging(body string, names map[string]string) string {
	for id, name := range names {
		body = strings.ReplaceAll(body, id, name)
	}
	for pattern, with := range map[string]string{
		`"BC[0-9A-Za-z]{16}"`:                `"ID"`,
		`/BC[0-9A-Za-z]{16}\b`:               `/ID`,
		`/objects/[0-9a-f-]{36}`:             `/objects/UUID`,
		`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`:        `"2026-01-02T03:04:05.000Z"`,
		`"last_status_at":"\d{4}-\d\d-\d\d"`: `"last_status_at":"2026-01-02"`,
	} {
		body = regexp.MustCompile(pattern).ReplaceAllString(body, with)
	}
	return body
}

func publish(t *testing.T, c *client.Client, form api.NewStatus) *api.Status {
	t.Helper()
	s, err := c.Statuses.Post(t.Context(), form)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func plainTexts(list []api.Status) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, s.Svc.Content.Plain)
	}
	return out
}

func TestConversationsAreListedReadAnsweredAndLeft(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob, cat := s.Client("ann"), s.Client("bob"), s.Client("cat")
		first := publish(t, ann, api.NewStatus{Status: "@bob @cat hi", Visibility: "direct"})
		hers := *first.Svc.DirectConversationID
		got, err := bob.Statuses.Get(ctx, first.ID)
		if err != nil || got.Svc.DirectConversationID == nil || *got.Svc.DirectConversationID == hers {
			t.Fatalf("bob's number: %+v %v", got.Svc, err)
		}
		if many, err := bob.Statuses.GetMany(ctx, first.ID); err != nil || many[0].Svc.DirectConversationID != nil {
			t.Errorf("a list tells the number: %+v %v", many, err)
		}
		list, err := bob.Conversations.List(api.ConversationQuery{}).Page(ctx)
		if err != nil || len(list.Items) != 1 || !list.Items[0].Unread || list.Items[0].LastStatus.ID != first.ID || *list.Items[0].LastStatus.Svc.DirectConversationID != *got.Svc.DirectConversationID {
			t.Fatalf("%+v %v", list.Items, err)
		}
		id := list.Items[0].ID
		if me, err := bob.Accounts.Verify(ctx); err != nil || *me.Svc.UnreadConversations != 1 {
			t.Errorf("unread: %+v %v", me.Svc, err)
		}
		bobID, annID, catID := s.User("bob").ID, s.User("ann").ID, s.User("cat").ID
		golden(t, "conversation", unchanging(string(list.Items[0].Raw), map[string]string{bobID: "BOB", annID: "ANN", catID: "CAT", first.ID: "FIRST"}))

		read, err := bob.Conversations.Read(ctx, id)
		if err != nil || read.Unread || read.ID != id {
			t.Errorf("%+v %v", read, err)
		}
		if me, err := bob.Accounts.Verify(ctx); err != nil || *me.Svc.UnreadConversations != 0 {
			t.Errorf("unread: %+v %v", me.Svc, err)
		}
		number := api.Int(*got.Svc.DirectConversationID)
		answer := publish(t, bob, api.NewStatus{Status: "hello, @dan", InReplyToConversationID: number, Visibility: "public"})
		if answer.Visibility != "direct" || len(answer.Mentions) != 2 || *answer.Svc.ConversationID != *first.Svc.ConversationID || int64(number) != *answer.Svc.DirectConversationID {
			t.Errorf("%s", answer.Raw)
		}
		statuses, err := ann.Conversations.Statuses(fmt.Sprint(hers), api.PageQuery{}).Page(ctx)
		if diff := cmp.Diff([]string{"@bob @cat hi", "hello, @dan"}, plainTexts(statuses.Items)); err != nil || diff != "" {
			t.Errorf("%s %v", diff, err)
		}
		if page, err := ann.Conversations.Statuses(fmt.Sprint(hers), api.PageQuery{MaxID: answer.ID}).Page(ctx); err != nil || len(page.Items) != 1 {
			t.Errorf("%v %v", page.Items, err)
		}
		changed, err := bob.Conversations.SetRecipients(ctx, id, api.ConversationUpdate{Recipients: []string{catID}})
		if err != nil || len(changed.Svc.Recipients) != 2 || len(changed.Accounts) != 2 {
			t.Errorf("%+v %v", changed, err)
		}
		query := decoded[api.Conversation](t, call(t, s, s.Token("bob", servertest.AllScopes), "PATCH", "/api/v1/svc/conversations/"+id+"?recipients[]="+annID, "", ""))
		if len(query.Svc.Recipients) != 2 || query.Svc.Recipients[0].Acct == "cat" {
			t.Errorf("%+v", query.Svc)
		}
		for _, rule := range []struct {
			of   []string
			want int
		}{{[]string{annID}, 1}, {[]string{annID, bobID}, 1}, {[]string{catID}, 0}} {
			if list, err := bob.Conversations.List(api.ConversationQuery{Recipients: rule.of}).Page(ctx); err != nil || len(list.Items) != rule.want {
				t.Errorf("%v: %v %v", rule.of, list.Items, err)
			}
		}
		all, err := cat.Conversations.ReadAll(ctx)
		if err != nil || len(all) != 1 || all[0].Unread {
			t.Errorf("%v %v", all, err)
		}
		if all, err = cat.Conversations.ReadAll(ctx); err != nil || len(all) != 0 {
			t.Errorf("%v %v", all, err)
		}
		// Another account's conversation is not found, with any method.
		for _, err := range []error{
			errOf(ann.Conversations.Get(ctx, id)), errOf(ann.Conversations.Read(ctx, id)), ann.Conversations.Delete(ctx, id),
			errOf(ann.Conversations.Statuses(id, api.PageQuery{}).Page(ctx)), errOf(ann.Conversations.SetRecipients(ctx, id, api.ConversationUpdate{Recipients: []string{annID}})),
		} {
			if status(err) != 404 || !strings.Contains(err.Error(), "Unknown conversation id") {
				t.Errorf("%v", err)
			}
		}
		if _, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "x", InReplyToConversationID: number}); status(err) != 404 {
			t.Errorf("%v", err)
		}
		gone, err := bob.Statuses.Delete(ctx, answer.ID)
		if err != nil || *gone.Text != "hello, @dan" || gone.Svc.DirectConversationID == nil {
			t.Errorf("%+v %v", gone, err)
		}
		if err := bob.Conversations.Delete(ctx, id); err != nil {
			t.Error(err)
		}
		if list, err := bob.Conversations.List(api.ConversationQuery{}).Page(ctx); err != nil || len(list.Items) != 0 {
			t.Errorf("%v %v", list.Items, err)
		}
		if alone := publish(t, bob, api.NewStatus{Status: "to myself", Visibility: "direct"}); *alone.Svc.DirectConversationID == 0 {
			t.Error("no conversation with oneself")
		}
		one, err := bob.Conversations.List(api.ConversationQuery{}).Page(ctx)
		if err != nil || len(one.Items) != 1 || len(one.Items[0].Accounts) != 1 || one.Items[0].Accounts[0].Acct != "bob" || one.Items[0].Unread {
			t.Errorf("%+v %v", one.Items, err)
		}
	})
}

func errOf[T any](_ T, err error) error { return err }

// Pages are bounded by ids of conversations, and stand in the order of their
// newest posts.
func TestConversationsArePaged(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		var roots []*api.Status
		for i := range 7 {
			roots = append(roots, publish(t, bob, api.NewStatus{Status: fmt.Sprintf("@ann %d", i), Visibility: "direct"}))
		}
		publish(t, bob, api.NewStatus{Status: "@ann again", Visibility: "direct", InReplyToID: roots[2].ID})
		var got []string
		for c, err := range ann.Conversations.List(api.ConversationQuery{PageQuery: api.PageQuery{Limit: 2}}).All(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimPrefix(c.LastStatus.Svc.Content.Plain, "@ann "))
		}
		if diff := cmp.Diff("again 6 5 4 3 1 0", strings.Join(got, " ")); diff != "" {
			t.Error(diff)
		}
		list, err := ann.Conversations.List(api.ConversationQuery{}).Page(ctx)
		if err != nil {
			t.Fatal(err)
		}
		newer, err := ann.Conversations.List(api.ConversationQuery{PageQuery: api.PageQuery{MinID: list.Items[4].ID, Limit: 2}}).Page(ctx)
		if err != nil || len(newer.Items) != 2 || newer.Items[0].ID != list.Items[2].ID || newer.Items[1].ID != list.Items[3].ID {
			t.Errorf("%v %v", newer.Items, err)
		}
		if _, err := ann.Conversations.List(api.ConversationQuery{PageQuery: api.PageQuery{MaxID: "x"}}).Page(ctx); status(err) != 400 {
			t.Errorf("%v", err)
		}
		if foreign, err := bob.Conversations.List(api.ConversationQuery{PageQuery: api.PageQuery{MaxID: list.Items[0].ID}}).Page(ctx); err != nil || len(foreign.Items) != 0 {
			t.Errorf("%v %v", foreign.Items, err)
		}
	})
}

func TestAPageOfConversationsTakesAsManyStatementsAsTwo(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		bob, token := s.Client("bob"), s.Token("ann", servertest.AllScopes)
		count := func() int64 {
			return dbtest.FewestQueries(t, func(ctx context.Context) { s.Get(ctx, "/api/v1/conversations?limit=40", token) })
		}
		for i := range 2 {
			publish(t, bob, api.NewStatus{Status: fmt.Sprintf("@ann, first %d", i), Visibility: "direct"})
		}
		two := count()
		for i := range 12 {
			publish(t, bob, api.NewStatus{Status: fmt.Sprintf("@ann %d", i), Visibility: "direct"})
		}
		if many := count(); many != two {
			t.Errorf("two conversations take %d statements, many %d", two, many)
		}
	})
}

// A conversation shows no status that its owner may not see.
func TestConversationsShowOnlyWhatIsAddressedToTheirOwner(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob, cat := s.Client("ann"), s.Client("bob"), s.Client("cat")
		root := publish(t, ann, api.NewStatus{Status: "@bob @cat open", Visibility: "direct"})
		secret := publish(t, ann, api.NewStatus{Status: "@bob @dan SECRET", Visibility: "direct", InReplyToID: root.ID})
		s.User("dan")
		secret2 := publish(t, bob, api.NewStatus{Status: "@ann SECRET", Visibility: "direct", InReplyToID: secret.ID})
		list, err := cat.Conversations.List(api.ConversationQuery{}).Page(ctx)
		if err != nil || len(list.Items) != 1 || list.Items[0].LastStatus.ID != root.ID {
			t.Fatalf("%v %v", list.Items, err)
		}
		shown, err := cat.Conversations.Statuses(list.Items[0].ID, api.PageQuery{}).Page(ctx)
		if err != nil || len(shown.Items) != 1 {
			t.Errorf("%v %v", shown.Items, err)
		}
		for _, c := range list.Items {
			for _, word := range []string{"SECRET", `"dan"`, secret.ID, secret2.ID} {
				if strings.Contains(string(c.Raw), word) {
					t.Errorf("cat learns %s: %s", word, c.Raw)
				}
			}
		}
	})
}

func TestStrictClientsAndPlainReadersGetWhatTheyCanRead(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	ann, bob := s.Client("ann"), s.Client("bob")
	rich := publish(t, ann, api.NewStatus{Status: "**bold** <https://a.example> \"visibility\":\"local\"", ContentType: "text/markdown", Visibility: "local"})
	if rich.Visibility != "local" || !strings.Contains(rich.Content, "<strong>") {
		t.Fatalf("%s", rich.Raw)
	}
	yes := api.Bool(true)
	if _, err := bob.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{NoRichText: &yes}); err != nil {
		t.Fatal(err)
	}
	plain, err := bob.Statuses.Get(ctx, rich.ID)
	if err != nil || strings.Contains(plain.Content, "<strong>") || !strings.Contains(plain.Content, `<a href="https://a.example"`) {
		t.Errorf("%+v %v", plain, err)
	}
	settings := *s.Settings.Load()
	settings.Compatibility.StrictClients = []string{"tests"}
	if err := s.Settings.Swap(settings); err != nil {
		t.Fatal(err)
	}
	strict, err := ann.Statuses.Get(ctx, rich.ID)
	if err != nil || strict.Visibility != "unlisted" || strict.Content != rich.Content {
		t.Errorf("%+v %v", strict, err)
	}
	list := &db.AccountList{AccountID: s.User("ann").ID, Title: "x"}
	if err := s.DB.CreateList(ctx, list); err != nil {
		t.Fatal(err)
	}
	if got := publish(t, ann, api.NewStatus{Status: "x", Visibility: fmt.Sprintf("list:%d", list.ID)}); got.Visibility != "direct" {
		t.Errorf("%s", got.Visibility)
	}
	// The default visibility is shown to strict apps as statuses are, and stays.
	local := "local"
	me, err := ann.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DefaultScope: &local})
	if err != nil || me.Source.Privacy != "unlisted" {
		t.Errorf("%s %v", me.Raw, err)
	}
	if me, err = ann.Accounts.Verify(ctx); err != nil || me.Source.Privacy != "unlisted" {
		t.Errorf("%s %v", me.Raw, err)
	}
	if own, err := ann.Accounts.Preferences(ctx); err != nil || own.PostingVisibility != "unlisted" {
		t.Errorf("%+v %v", own, err)
	}
	if kept := s.User("ann"); kept.DefaultScope != "local" {
		t.Errorf("%s", kept.DefaultScope)
	}
}
