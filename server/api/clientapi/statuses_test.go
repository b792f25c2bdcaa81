package clientapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

func TestAStatusIsPostedReadAndDeleted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "hello @bob #Tag", SpoilerText: "cw", Visibility: "unlisted", Language: "en"})
		if err != nil {
			t.Fatal(err)
		}
		if posted.Account.Acct != "ann" || posted.Visibility != "unlisted" || posted.SpoilerText != "cw" || posted.Text != nil || *posted.Language != "en" ||
			len(posted.Mentions) != 1 || posted.Mentions[0].Acct != "bob" || posted.Tags[0].Name != "tag" || posted.Application.Name != "tests" {
			t.Errorf("%s", posted.Raw)
		}
		got, err := bob.Statuses.Get(ctx, posted.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(posted.Raw), string(got.Raw)); diff != "" {
			t.Errorf("what was answered and what is read differ: %s", diff)
		}
		home, err := bob.Timelines.Home(api.TimelineQuery{}).Page(ctx)
		if err != nil || len(home.Items) != 1 || home.Items[0].ID != posted.ID {
			t.Errorf("home %v %v", home.Items, err)
		}
		news, err := bob.Notifications.List(api.NotificationQuery{}).Page(ctx)
		if err != nil || len(news.Items) != 1 || news.Items[0].Type != "mention" || news.Items[0].Status.ID != posted.ID || news.Items[0].Account.Acct != "ann" || news.Items[0].Svc.IsSeen {
			t.Errorf("news %v %v", news.Items, err)
		}
		if _, err := bob.Statuses.Delete(ctx, posted.ID); status(err) != 404 {
			t.Errorf("bob deleted it: %v", err)
		}
		gone, err := ann.Statuses.Delete(ctx, posted.ID)
		if err != nil || gone.ID != posted.ID || *gone.Text != "hello @bob #Tag" {
			t.Errorf("delete: %+v %v", gone, err)
		}
		if _, err := ann.Statuses.Get(ctx, posted.ID); status(err) != 404 {
			t.Errorf("after delete: %v", err)
		}
	})
}

// status is the HTTP status of a refusal, 0 for none.
func status(err error) int {
	if e := new(client.Error); asError(err, &e) {
		return e.Status
	}
	return 0
}

func TestAModeratorsDeleteIsLogged(t *testing.T) {
	s := servertest.Start(t)
	ctx := t.Context()
	ann, root := s.Client("ann"), s.Admin("root")
	posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "x", Visibility: "direct"})
	if err != nil {
		t.Fatal(err)
	}
	mod := s.With(s.Token("root", servertest.AllScopes))
	if _, err := mod.Statuses.Delete(ctx, posted.ID); err != nil {
		t.Fatal(err)
	}
	log, err := root.Admin.Log.List(api.LogQuery{}).Page(ctx)
	if err != nil || len(log.Items) != 1 || log.Items[0].Message != "@root deleted status #"+posted.ID {
		t.Errorf("log %v %v", log.Items, err)
	}
	own, err := mod.Statuses.Post(ctx, api.NewStatus{Status: "mine"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mod.Statuses.Delete(ctx, own.ID); err != nil {
		t.Fatal(err)
	}
	if log, err = root.Admin.Log.List(api.LogQuery{}).Page(ctx); err != nil || len(log.Items) != 1 {
		t.Errorf("his own delete was logged: %v %v", log.Items, err)
	}
}

func TestReactionsAnswerWithTheStatus(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		posted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "x"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := bob.Statuses.Favourite(ctx, posted.ID)
		if err != nil || !got.Favourited || got.FavouritesCount != 1 {
			t.Errorf("favourite %+v %v", got, err)
		}
		boost, err := bob.Statuses.Reblog(ctx, posted.ID, api.NewReblog{})
		if err != nil || boost.Reblog == nil || boost.Reblog.ID != posted.ID || boost.Account.Acct != "bob" || !boost.Reblog.Reblogged || boost.Reblog.ReblogsCount != 1 {
			t.Errorf("reblog %+v %v", boost, err)
		}
		again, err := bob.Statuses.Reblog(ctx, boost.ID, api.NewReblog{Visibility: "private"})
		if err != nil || again.ID != boost.ID {
			t.Errorf("again %+v %v", again, err)
		}
		if got, err = bob.Statuses.Unreblog(ctx, posted.ID); err != nil || got.ID != posted.ID || got.Reblogged || got.ReblogsCount != 0 {
			t.Errorf("unreblog %+v %v", got, err)
		}
		if got, err = bob.Statuses.Unfavourite(ctx, posted.ID); err != nil || got.Favourited || got.FavouritesCount != 0 {
			t.Errorf("unfavourite %+v %v", got, err)
		}
		for verb, want := range map[string]string{"unreblog": "Could not unrepeat", "unfavourite": "Could not unfavorite"} {
			a := call(t, s, s.Token("bob", servertest.AllScopes), "POST", "/api/v1/statuses/"+posted.ID+"/"+verb, "", "")
			if a.status != 400 || a.body != `{"error":"`+want+`"}` {
				t.Errorf("%s: %d %s", verb, a.status, a.body)
			}
		}
	})
}

func TestAStatusComesAsJSONFormOrMultipart(t *testing.T) {
	s := servertest.Start(t)
	token := s.Token("ann", servertest.AllScopes)
	for kind, body := range map[string]string{
		asJSON: `{"status":"hi","sensitive":"True","unknown":[1],"language":null}`,
		"":     `{"status":"hi","sensitive":1}`,
		asForm: url.Values{"status": {"hi"}, "sensitive": {"true"}, "visibility": {"public"}}.Encode(),
		"multipart/form-data; boundary=b": "--b\r\nContent-Disposition: form-data; name=\"status\"\r\n\r\nhi\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"sensitive\"\r\n\r\non\r\n--b--\r\n",
	} {
		got := decoded[api.Status](t, call(t, s, token, "POST", "/api/v1/statuses", kind, body))
		if got.Content != "hi" || !got.Sensitive || got.Visibility != "public" {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

func TestWhatIsNoStatusIsRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		token := s.Token("ann", servertest.AllScopes)
		secret, err := s.Client("bob").Statuses.Post(t.Context(), api.NewStatus{Status: "x", Visibility: "private"})
		if err != nil {
			t.Fatal(err)
		}
		const notFound = `{"error":"Record not found"}`
		for _, rule := range []struct {
			kind, body string
			status     int
			want       string // how the answer begins
		}{
			{asJSON, `{}`, 422, `{"error":"Cannot post an empty status without attachments"}`},
			{asForm, ``, 422, `{"error":"Cannot post an empty status without attachments"}`},
			{asJSON, `{"status":"x","in_reply_to_id":"nosuchid"}`, 404, notFound},
			{asJSON, `{"status":"x","in_reply_to_id":"` + secret.ID + `"}`, 404, notFound},
			{asJSON, `{"status":"x","in_reply_to_conversation_id":"1"}`, 404, notFound},
			{asJSON, `{"status":"x","visibility":"list:1"}`, 404, `{"error":"List not found"}`},
			{asJSON, `{"status":"x","visibility":"all"}`, 422, `{"error":"Visibility is not included in the list"}`},
			{asJSON, `{"status":"x","media_ids":["7"]}`, 422, `{"error":"Could not find the media to attach"}`},
			{asJSON, `{"status":"x","media_ids":["x"]}`, 422, `{"error":"Could not find the media to attach"}`},
			{asJSON, `{"status":"x","media_ids":"7"}`, 400, `{"error":"media_ids - Invalid array. Got: string."`},
			{asJSON, `{"status":["x"]}`, 400, `{"error":"status - Invalid string. Got: array."`},
			{asJSON, `{"status":"a\u0000b"}`, 400, `{"error":"status - Invalid string. Got: binary."`},
			{asJSON, `{"status":`, 400, `{"error":`},
			{asJSON, `[1]`, 400, `{"error":`},
			{asJSON, `{"status":"x","expires_in":60}`, 422, `{"error":"Expiry date is too soon"}`},
			{asJSON, `{"status":"x","expires_in":-99999999999999}`, 422, `{"error":"Expiry date is too soon"}`},
			{asJSON, `{"status":"x","poll":{"options":["a","b"]}}`, 422, `{"error":"Expiration date is too soon"}`},
			{asJSON, `{"status":"x","in_reply_to_conversation_id":"x"}`, 400, `{"error":"in_reply_to_conversation_id - Invalid integer. Got: string."`},
			{asJSON, `{"status":"x","in_reply_to_conversation_id":-1}`, 404, notFound},
			{asJSON, `{"status":"x","scheduled_at":"soon"}`, 400, `{"error":"scheduled_at - Invalid format.`},
			{asJSON, `{"status":" ","preview":true}`, 422, `{"error":"Cannot post an empty status without attachments"}`},
			{asJSON, `{"status":" ","scheduled_at":"2999-01-01T00:00:00Z"}`, 422, `{"error":"Cannot post an empty status without attachments"}`},
			{asJSON, `{"status":"x","visibility":"list"}`, 404, `{"error":"List not found"}`},
			{asJSON, `{"status":"` + strings.Repeat("x", 5001) + `"}`, 422, `{"error":"The status is over the character limit"}`},
			{asJSON, `{"status":"` + strings.Repeat("x", 2<<20) + `"}`, 413, `{"error":`},
		} {
			a := call(t, s, token, "POST", "/api/v1/statuses", rule.kind, rule.body)
			if a.status != rule.status || !strings.HasPrefix(a.body, rule.want) || !strings.HasPrefix(a.header.Get("Content-Type"), asJSON) {
				t.Errorf("%.80s: %d %.160s", rule.body, a.status, a.body)
			}
		}
		for _, path := range []string{"nosuchid", secret.ID, "%00", "a%2Fb", strings.Repeat("z", 500)} {
			for _, verb := range []string{"reblog", "unreblog", "favourite", "unfavourite"} {
				if a := call(t, s, token, "POST", "/api/v1/statuses/"+path+"/"+verb, "", ""); a.status != 404 || a.body != notFound {
					t.Errorf("%.20s/%s: %d %s", path, verb, a.status, a.body)
				}
			}
			if a := call(t, s, token, "DELETE", "/api/v1/statuses/"+path, "", ""); a.status != 404 || a.body != notFound {
				t.Errorf("DELETE %.20s: %d %s", path, a.status, a.body)
			}
		}
		if n, err := s.DB.Stats(t.Context()); err != nil || n.Statuses != 1 {
			t.Errorf("%d statuses, want the one that was taken; %v", n.Statuses, err)
		}
	})
}

func TestAnIdempotencyKeyPostsOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		var ids []string
		for i, c := range []*client.Client{ann, ann, bob} {
			got, err := c.Statuses.Post(ctx, api.NewStatus{Status: fmt.Sprint("take ", i)}, client.IdempotencyKey("k"))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, got.ID)
		}
		if ids[0] != ids[1] || ids[0] == ids[2] {
			t.Errorf("ids %v: a key counts once, and for its owner", ids)
		}
		// The same on a process that has not seen the first request.
		got, err := s.Second(t).With(s.Token("ann", servertest.AllScopes)).Statuses.Post(ctx, api.NewStatus{Status: "again"}, client.IdempotencyKey("k"))
		if err != nil || got.ID != ids[0] {
			t.Errorf("another process posted %v %v", got, err)
		}
	})
}
