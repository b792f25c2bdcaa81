package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/db"
	"svc/server/rules/moderation"
	"svc/server/servertest"
)

// paramWorld is a service in which every list has two items or more for ann.
type paramWorld struct {
	t     *testing.T
	s     *servertest.Server
	token string
	words map[string]string
}

// named puts the world's ids for words.
func (w *paramWorld) named(text string) string {
	return regexp.MustCompile(`\$[a-z0-9]+`).ReplaceAllStringFunc(text, func(word string) string {
		id, known := w.words[word]
		if !known {
			w.t.Fatalf("what is %s", word)
		}
		return id
	})
}

// path is a route with ids of objects of the world.
func (w *paramWorld) path(route string) string {
	_, path, _ := strings.Cut(route, " ")
	for _, of := range [][2]string{
		{"/tag/:tag", "/tag/dots"}, {"/:emoji", "/☕"}, {"/tags/:name", "/tags/dots"}, {"/media/:id", "/media/$file"}, {"/polls/:id", "/polls/$poll"},
		{"/svc/statuses/:id", "/svc/statuses/$own"}, {"/statuses/:id", "/statuses/$post"}, {"/lists/:id", "/lists/$list"}, {"/list/:id", "/list/$list"},
		{"/v1/filters/:id", "/v1/filters/$keyword1"}, {"/keywords/:id", "/keywords/$keyword2"}, {"/v2/filters/:id", "/v2/filters/$filter"},
		{"/chats/:id", "/chats/$chat"}, {"/svc/conversations/:id", "/svc/conversations/$talk"}, {"/accounts/:id", "/accounts/$bob"}, {"/:id", "/$later"},
	} {
		path = strings.Replace(path, of[0], of[1], 1)
	}
	for before, after := range map[string]string{
		"/svc/accounts/$bob": "/svc/accounts/$ann", // whose favourites and scrobbles are her own
	} {
		path = strings.Replace(path, before, after, 1)
	}
	return w.named(path)
}

func newParamWorld(t *testing.T, s *servertest.Server) *paramWorld {
	t.Helper()
	w := &paramWorld{t: t, s: s, token: s.Token("ann", servertest.AllScopes), words: map[string]string{}}
	ctx := t.Context()
	as := func(name, method, path, body string) string {
		t.Helper()
		status, text := query(t, s, s.Token(name, servertest.AllScopes), method, "/api/v1"+w.named(path), w.named(body))
		if status != http.StatusOK {
			t.Fatalf("%s: %s %s: %d %s", name, method, path, status, text)
		}
		var made struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal([]byte(text), &made)
		return made.ID
	}
	for _, name := range []string{"ann", "bob", "cat", "dan", "eve", "max", "mia", "kim", "lea", "bobo"} {
		w.words["$"+name] = s.User(name).ID
	}
	upload := func(name string) string {
		c := s.Client(name)
		return must(c.Media.Upload(ctx, client.File{Name: "a.png", Content: bytes.NewReader(dot)}, api.MediaForm{}))(t).ID
	}
	far := remote(t, s, "far@far.example")
	w.words["$far"] = far.ID
	for _, name := range []string{"bob", "cat", "max"} {
		as("ann", "POST", "/accounts/$"+name+"/follow", "")
	}
	follow(t, s.Client("ann"), far.ID)
	if err := s.Social.TakeAccept(ctx, far, "", s.User("ann").URI); err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{{"bob", "ann"}, {"bob", "cat"}, {"cat", "bob"}, {"dan", "bob"}, {"cat", "ann"}} {
		as(pair[0], "POST", "/accounts/$"+pair[1]+"/follow", "")
	}
	for _, name := range []string{"dan", "eve"} {
		as("ann", "POST", "/accounts/$"+name+"/block", "")
	}
	w.words["$list"] = as("ann", "POST", "/lists", `{"title":"x"}`)
	as("ann", "POST", "/lists/$list/accounts", `{"account_ids":["$bob","$max"]}`)
	w.words["$file"], w.words["$file2"], w.words["$file3"] = upload("ann"), upload("ann"), upload("ann")
	w.words["$picture"] = upload("bob")
	w.words["$own"] = as("ann", "POST", "/statuses", `{"status":"own words"}`)
	w.words["$asked"] = as("cat", "POST", "/statuses", `{"status":"which?","poll":{"options":["a","b"],"expires_in":3600}}`)
	_, asked := query(t, s, w.token, "GET", "/api/v1/statuses/"+w.words["$asked"], "")
	var status api.Status
	if err := json.Unmarshal([]byte(asked), &status); err != nil {
		t.Fatal(err)
	}
	w.words["$poll"] = status.Poll.ID
	w.words["$post"] = as("ann", "POST", "/statuses", `{"status":"post of ann","media_ids":["$file"]}`)
	w.words["$shown"] = as("bob", "POST", "/statuses", `{"status":"look #dots #more @ann","media_ids":["$picture"]}`)
	as("bob", "POST", "/statuses", `{"status":"@cat an answer #dots #not","in_reply_to_id":"$asked"}`)
	as("bob", "POST", "/statuses", `{"status":"unlisted","visibility":"unlisted"}`)
	as("bob", "POST", "/statuses/$shown/pin", "")
	as("bob", "POST", "/statuses/$asked/reblog", "")
	w.words["$loud"] = as("max", "POST", "/statuses", `{"status":"loud #dots @ann"}`)
	as("bob", "POST", "/statuses/$loud/reblog", "")
	as("max", "POST", "/statuses", `{"status":"@bob @ann answers","in_reply_to_id":"$shown"}`)
	postBy(t, s, far, "far #dots", db.Public)
	postBy(t, s, far, "farther", db.Public)
	for _, id := range []string{"$shown", "$asked"} {
		as("ann", "POST", "/statuses/"+id+"/favourite", "")
		as("ann", "POST", "/statuses/"+id+"/bookmark", "")
	}
	for _, name := range []string{"bob", "cat", "max"} {
		as(name, "POST", "/statuses/$post/favourite", "")
		as(name, "POST", "/statuses/$post/reblog", "")
		as(name, "PUT", "/svc/statuses/$own/reactions/☕", "")
		as(name, "POST", "/statuses", `{"status":"@ann in secret","visibility":"direct"}`)
		as(name, "POST", "/svc/chats/by-account-id/$ann", "")
	}
	_, talks := query(t, s, w.token, "GET", "/api/v1/conversations", "")
	var conversations []api.Conversation
	if err := json.Unmarshal([]byte(talks), &conversations); err != nil || len(conversations) < 2 {
		t.Fatalf("%v %s", err, talks)
	}
	last := conversations[len(conversations)-1]
	w.words["$talk"], w.words["$secret"], w.words["$thread"] = last.ID, last.LastStatus.ID, fmt.Sprint(*last.LastStatus.Svc.DirectConversationID)
	as("ann", "POST", "/statuses", `{"status":"@bob so what","visibility":"direct","in_reply_to_id":"$secret"}`)
	w.words["$chat"] = as("ann", "POST", "/svc/chats/by-account-id/$bob", "")
	as("ann", "POST", "/svc/chats/by-account-id/$cat", "")
	as("ann", "POST", "/svc/chats/by-account-id/$max", "")
	w.words["$line"] = as("ann", "POST", "/svc/chats/$chat/messages", `{"content":"a"}`)
	as("ann", "POST", "/svc/chats/$chat/messages", `{"content":"b"}`)
	for range 2 {
		as("ann", "POST", "/svc/scrobble", `{"title":"song"}`)
		w.words["$later"] = as("ann", "POST", "/statuses", `{"status":"later","scheduled_at":"2060-01-02T03:04:05Z"}`)
	}
	for i, name := range []string{"", "1", "2"} {
		as("ann", "POST", "/filters", `{"phrase":"nothing such","context":["home"]}`)
		_, filters := query(t, s, w.token, "GET", "/api/v2/filters", "")
		var all []api.FilterV2
		if err := json.Unmarshal([]byte(filters), &all); err != nil {
			t.Fatal(err)
		}
		w.words["$filter"+name], w.words["$keyword"+name] = all[i].ID, all[i].Keywords[0].ID
	}
	as("ann", "POST", "/domain_blocks", `{"domain":"a.example"}`)
	as("ann", "POST", "/domain_blocks", `{"domain":"b.example"}`)
	as("ann", "POST", "/accounts/$mia/mute", "")
	as("ann", "PATCH", "/accounts/update_credentials", `{"locked":true}`)
	for _, name := range []string{"kim", "lea"} {
		as(name, "POST", "/accounts/$ann/follow", "")
	}
	as("ann", "POST", "/accounts/$max/mute", "")
	kind := "be kind"
	must(s.Moderation.CreateRule(ctx, s.AdminUser("root"), moderation.ChangedRule{Text: &kind}))(t)
	var rule []api.Rule
	_, house := query(t, s, "", "GET", "/api/v1/instance/rules", "")
	if err := json.Unmarshal([]byte(house), &rule); err != nil || len(rule) == 0 {
		t.Fatalf("%v %s", err, house)
	}
	w.words["$rule"] = rule[0].ID
	as("ann", "POST", "/markers", `{"home":{"last_read_id":"$own"}}`)
	as("cat", "POST", "/statuses", `{"status":"only #more"}`)
	told := must(s.Client("ann").Notifications.List(api.NotificationQuery{}).Page(ctx))(t).Items
	w.words["$told"], w.words["$told2"] = told[0].ID, told[1].ID
	return w
}
