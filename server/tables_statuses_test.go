package server_test

import (
	"reflect"
	"strings"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/rules/social/socialtest"
	"svc/server/servertest"
)

// posts writes two statuses as ann and reblogs bob's, and returns their entries
// in lists.
func (w *tables) posts() (public, private string) {
	w.t.Helper()
	public = w.post("ann", "status=public")
	private = w.post("ann", "status=private&visibility=private")
	other := w.post("bob", "status=other")
	w.person("ann", "POST", "/api/v1/statuses/"+other+"/reblog", "").ok()
	return public, private
}

func (w *tables) foreign(text string) (host, id string) {
	w.t.Helper()
	host = w.nick("host") + ".example"
	eve := remote(w.t, w.Server, "eve@"+host)
	return host, socialtest.Post(w.t, w.Social, eve, db.Public, activitypub.Post{ID: "https://" + host + "/1", Content: text}).ID
}

var statusCases = map[string]func(*tables){
	"userStatuses": func(w *tables) {
		public, private := w.posts()
		path := "/users/" + w.nick("ann") + "/statuses"
		w.admin("GET", path, "").ok().lists("", "id", public).keys("0.account", "nickname", "roles", "acct").has("0.account.id", w.user("ann").ID)
		w.admin("GET", path+"?godmode=true", "").ok().lists("", "id", private, public)
		w.admin("GET", path+"?with_reblogs=true&page_size=1", "").ok().count("", 1).has("0.reblog.content", reflect.String)
		w.admin("GET", "/users/"+w.nick("nobody")+"/statuses", "").is(404, notFoundText)
	},
	"instanceStatuses": func(w *tables) {
		host, id := w.foreign("hello")
		w.admin("GET", "/instances/"+host+"/statuses", "").ok().lists("", "id", id)
		w.admin("GET", "/instances/"+host+"/statuses?godmode=true&with_reblogs=true&page_size=5", "").ok().lists("", "id", id)
		w.admin("GET", "/instances/nowhere.example/statuses", "").is(404, notFoundText)
	},
	"statuses": func(w *tables) {
		public, private := w.posts()
		_, far := w.foreign("hello")
		first := func(query string, n int) []string {
			return w.admin("GET", "/statuses?"+query, "").ok().each("", "id")[:n]
		}
		for query, want := range map[string][]string{
			"page_size=50":                      {far},
			"local_only=true&godmode=true":      nil,
			"godmode=true&page_size=4":          {far},
			"local_only=true&with_reblogs=true": nil,
		} {
			got := first(query, max(len(want), 1))
			if len(want) > 0 && got[0] != want[0] || len(want) == 0 && got[0] == far {
				w.t.Errorf("%s: %v", query, got)
			}
		}
		has := func(query, id string) bool {
			return strings.Contains(" "+strings.Join(w.admin("GET", "/statuses?"+query, "").ok().each("", "id"), " ")+" ", " "+id+" ")
		}
		if !has("", public) || has("", private) || !has("godmode=true", private) || has("local_only=true&page_size=50", far) {
			w.t.Error("the switches do not switch")
		}
	},
	"status": func(w *tables) {
		_, private := w.posts()
		w.admin("GET", "/statuses/"+private, "").ok().has("id", private, "visibility", "private", "account.nickname", w.nick("ann"))
		w.admin("GET", "/statuses/nothing", "").is(404, notFoundText)
	},
	"updateStatus": func(w *tables) {
		public, _ := w.posts()
		w.admin("PUT", "/statuses/"+public, "sensitive=true&visibility=unlisted").ok().has("id", public, "sensitive", true, "visibility", "unlisted")
		w.admin("PUT", "/statuses/"+public, `{"visibility":"direct"}`).is(400, `{"error":"Unsupported visibility"}`)
		w.admin("PUT", "/statuses/nothing", `{"sensitive":true}`).is(404, notFoundText)
		w.logged("@root updated status #" + public + ", set sensitive: 'true', visibility: 'unlisted'")
	},
	"deleteStatus": func(w *tables) {
		public, _ := w.posts()
		w.admin("DELETE", "/statuses/"+public, "").is(200, `{}`)
		w.person("ann", "GET", "/api/v1/statuses/"+public, "").code(404)
		w.admin("DELETE", "/statuses/"+public, "").is(404, notFoundText)
		w.logged("@root deleted status #" + public)
	},
	"reports": func(w *tables) {
		one := w.report("ann", "bob", w.post("bob", "status=bad"))
		two := w.report("cat", "bob")
		w.admin("GET", "/reports?page_size=2", "").ok().has("total", reflect.Float64).lists("reports", "id", two, one).
			keys("reports.1", "id", "state", "content", "created_at", "account", "actor", "statuses").
			has("reports.1.state", "open", "reports.1.content", "rude", "reports.1.account.id", w.user("bob").ID, "reports.1.actor.id", w.user("ann").ID).
			count("reports.1.statuses", 1)
		w.admin("GET", "/reports?limit=1", "").ok().lists("reports", "id", two)
		w.admin("GET", "/reports?limit=1&page=2", "").ok().lists("reports", "id", one)
		w.admin("PATCH", "/reports", `{"reports":[{"id":"`+one+`","state":"closed"}]}`).code(204)
		w.admin("GET", "/reports?state=closed&page_size=1", "").ok().lists("reports", "id", one)
		w.person("ann", "GET", "/api/svc/admin/reports", "").is(403, noAdmin)
	},
	"groupedReports": func(w *tables) {
		bad := w.post("bob", "status=bad")
		w.report("ann", "bob", bad)
		w.report("cat", "bob", bad)
		w.admin("GET", "/grouped_reports", "").ok().keys("reports.0", "date", "account", "status", "actors", "reports").
			has("reports.0.status.id", bad, "reports.0.status.deleted", false, "reports.0.account.id", w.user("bob").ID).
			count("reports.0.reports", 2).count("reports.0.actors", 2)
		w.admin("DELETE", "/statuses/"+bad, "").ok()
		w.admin("GET", "/grouped_reports", "").ok().has("reports.0.status.deleted", true)
	},
	"report": func(w *tables) {
		id := w.report("ann", "bob")
		w.admin("GET", "/reports/"+id, "").ok().has("id", id, "state", "open", "statuses", reflect.Slice, "notes", reflect.Slice)
		w.admin("GET", "/reports/nothing", "").is(404, notFoundText)
		w.person("ann", "GET", "/api/svc/admin/reports/"+id, "").is(403, noAdmin)
	},
	"updateReports": func(w *tables) {
		one, two := w.report("ann", "bob"), w.report("cat", "bob")
		w.admin("PATCH", "/reports", `{"reports":[{"id":"`+one+`","state":"closed"},{"id":"`+two+`","state":"resolved"}]}`).is(204, "")
		w.admin("GET", "/reports/"+two, "").ok().has("state", "resolved")
		w.admin("PATCH", "/reports", `{"reports":[{"id":"`+one+`","state":"open"},{"id":"nothing","state":"open"},{"id":"`+two+`","state":"lost"}]}`).
			is(400, `[{"id":"nothing","error":"not_found"},{"id":"`+two+`","error":"Unsupported state"}]`)
		w.admin("GET", "/reports/"+one, "").ok().has("state", "open")
	},
	"addNote": func(w *tables) {
		id := w.report("ann", "bob")
		w.admin("POST", "/reports/"+id+"/notes", "content=look+at+this").is(204, "")
		w.admin("GET", "/reports/"+id, "").ok().lists("notes", "content", "look at this").has("notes.0.user.nickname", "root", "notes.0.id", reflect.Float64)
		w.admin("POST", "/reports/"+id+"/notes", "").is(400, badText)
	},
	"deleteNote": func(w *tables) {
		id := w.report("ann", "bob")
		w.admin("POST", "/reports/"+id+"/notes", `{"content":"x"}`).code(204)
		note := w.admin("GET", "/reports/"+id, "").ok().each("notes", "id")[0]
		w.admin("DELETE", "/reports/"+id+"/notes/"+note, "").is(204, "")
		w.admin("GET", "/reports/"+id, "").ok().count("notes", 0)
		w.admin("DELETE", "/reports/"+id+"/notes/"+note, "").is(404, notFoundText)
	},
	"moderationLog": func(w *tables) {
		ann := w.user("ann")
		w.AdminUser(w.nick("boss"))
		boss := w.Token(w.nick("boss"), servertest.AdminScopes)
		w.as(boss, "PUT", "/users/tag", w.names("ann")+"tags[]=one").code(204)
		w.as(boss, "DELETE", "/users/tag", w.names("ann")+"tags[]=one").code(204)
		serial := w.row(w.nick("boss")).Serial
		w.admin("GET", "/moderation_log", "").ok().keys("0", "data", "time", "message").has("0.data.actor.nickname", w.nick("boss"), "0.data.actor.id", serial,
			"0.data.action", "untag", "0.time", reflect.Float64, "0.message", "@"+w.nick("boss")+" removed tags: one from users: @"+ann.Nickname)
		by := "/moderation_log?user_id=" + w.row(w.nick("boss")).ID
		w.admin("GET", by, "").ok().lists("", "data.action", "untag", "tag")
		w.admin("GET", by+"&page_size=1&page=2", "").ok().lists("", "data.action", "tag")
		w.admin("GET", by+"&search=ADDED+tags", "").ok().lists("", "data.action", "tag")
		w.admin("GET", by+"&start_date=2099-01-01T00:00:00", "").ok().count("", 0)
		w.admin("GET", by+"&end_date=2099-01-01T00:00:00&start_date=2020-01-01T00:00:00", "").ok().count("", 2)
	},
	"stats": func(w *tables) {
		counters := func() (n [4]float64) {
			a := w.admin("GET", "/stats", "").ok()
			for i, k := range []string{"direct", "private", "public", "unlisted"} {
				n[i], _ = a.at("status_visibility." + k).(float64)
			}
			return n
		}
		before := counters()
		for _, v := range []string{db.Direct, db.Private, db.Public, db.Unlisted} {
			w.post("ann", "status=x&visibility="+v)
		}
		if after := counters(); after != [4]float64{before[0] + 1, before[1] + 1, before[2] + 1, before[3] + 1} {
			w.t.Errorf("%v, then %v", before, after)
		}
		host, _ := w.foreign("hello")
		w.admin("GET", "/stats?instance="+host, "").ok().has("status_visibility.public", 1, "status_visibility.direct", 0)
	},
	"userChats": func(w *tables) {
		id, _ := w.chat()
		w.admin("GET", "/users/"+w.nick("ann")+"/chats", "").ok().lists("", "id", id).keys("0", "sender", "receiver", "unread", "last_message", "updated_at").
			has("0.sender.id", w.user("ann").ID, "0.receiver.id", w.user("bob").ID, "0.receiver.username", w.nick("bob"), "0.last_message.content", "two")
	},
	"chat": func(w *tables) {
		id, _ := w.chat()
		w.admin("GET", "/chats/"+id, "").ok().has("id", id, "sender.id", w.user("ann").ID, "receiver.id", w.user("bob").ID, "unread", 0, "last_message.chat_id", id)
	},
	"chatMessages": func(w *tables) {
		id, messages := w.chat()
		w.admin("GET", "/chats/"+id+"/messages", "").ok().lists("", "id", messages[1], messages[0]).
			keys("0", "account_id", "chat_id", "content", "created_at", "emojis", "id", "unread")
		w.admin("GET", "/chats/"+id+"/messages?max_id="+messages[1], "").ok().lists("", "id", messages[0])
		w.admin("GET", "/chats/"+id+"/messages?min_id="+messages[0], "").ok().lists("", "id", messages[1])
	},
	"deleteMessage": func(w *tables) {
		id, messages := w.chat()
		w.admin("DELETE", "/chats/"+id+"/messages/"+messages[0], "").ok().has("id", messages[0], "content", "one", "chat_id", id)
		w.admin("GET", "/chats/"+id+"/messages", "").ok().lists("", "id", messages[1])
		w.admin("DELETE", "/chats/"+id+"/messages/"+messages[0], "").is(400, `{"error":"could_not_delete"}`)
		w.logged("@root deleted chat message #" + messages[0])
	},
}

// chat sends two messages from ann to bob.
func (w *tables) chat() (id string, messages []string) {
	w.t.Helper()
	bob := w.user("bob")
	id = w.person("ann", "POST", "/api/v1/svc/chats/by-account-id/"+bob.ID, "").ok().id()
	for _, text := range []string{"one", "two"} {
		messages = append(messages, w.person("ann", "POST", "/api/v1/svc/chats/"+id+"/messages", "content="+text).ok().id())
	}
	return id, messages
}
