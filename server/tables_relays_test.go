package server_test

import (
	"slices"
	"strings"

	"svc/db"
	"svc/server/federation/activitypub"
)

// relay is the inbox of a relay of this case.
func (w *tables) relay(name string) string { return "https://" + w.nick(name) + ".example/inbox" }

// accepts makes the relay at an inbox accept.
func (w *tables) accepts(inbox string) {
	w.t.Helper()
	row, err := w.DB.RelayByURL(w.t.Context(), inbox)
	w.must(err)
	base := strings.TrimSuffix(inbox, "/inbox")
	host := strings.TrimPrefix(base, "https://")
	actor := db.NewAccount(base, "relay@"+host)
	actor.URI, actor.Inbox, actor.SharedInbox, actor.Local, actor.Domain, actor.ActorType = base+"/actor", inbox, inbox, false, host, "Application"
	w.must(w.DB.CreateAccount(w.t.Context(), actor))
	w.must(w.DB.Tx(w.t.Context(), func(tx *db.DB) error {
		ours, err := w.Relays.In(tx).Answered(w.t.Context(), tx, actor, activitypub.Object{"type": "Accept", "object": row.FollowURI})
		if err == nil && !ours {
			w.t.Errorf("%s is not asked by %s", inbox, row.FollowURI)
		}
		return err
	}))
}

// relayed is the list's entry of a relay, "" for none.
func (w *tables) relayed(inbox string) string {
	w.t.Helper()
	list := w.admin("GET", "/relay", "").ok()
	i := slices.Index(list.each("", "actor"), inbox)
	if i < 0 {
		return ""
	}
	return list.each("", "followed_back")[i]
}

var relayCases = map[string]func(*tables){
	"relays": func(w *tables) {
		late, early := w.relay("late"), w.relay("early")
		w.admin("POST", "/relay", `{"relay_url":"`+late+`"}`).ok()
		w.admin("POST", "/relay", `{"relay_url":"`+early+`"}`).ok()
		w.accepts(early)
		list := w.admin("GET", "/relay", "").ok()
		list.keys("0", "actor", "followed_back")
		actors := list.each("", "actor")
		if first, second := slices.Index(actors, early), slices.Index(actors, late); first < 0 || second < first {
			w.t.Errorf("the relay that accepted is not before the one that did not: %s", list.text)
		}
		for _, inbox := range []string{late, early} {
			w.admin("DELETE", "/relay", "relay_url="+inbox).ok()
		}
	},
	"followRelay": func(w *tables) {
		inbox := w.relay("far")
		w.admin("POST", "/relay", "relay_url="+inbox).is(200, `{"actor":"`+inbox+`","followed_back":false}`)
		w.logged("@root followed relay: " + inbox)
		w.accepts(inbox)
		w.admin("POST", "/relay", `{"relay_url":"`+inbox+`"}`).is(200, `{"actor":"`+inbox+`","followed_back":true}`)
		w.admin("POST", "/relay", `{}`).is(400, badText)
		for _, no := range []string{"nonsense", "https://nowhere.invalid/actor", w.BaseURL() + "/relay"} {
			w.admin("POST", "/relay", `{"relay_url":"`+no+`"}`).is(500, `"`+no+`"`)
		}
		w.admin("DELETE", "/relay", "relay_url="+inbox).ok()
	},
	"unfollowRelay": func(w *tables) {
		inbox := w.relay("far")
		w.admin("POST", "/relay", "relay_url="+inbox).ok()
		w.admin("DELETE", "/relay", `{"relay_url":"`+inbox+`","force":true}`).is(200, `"`+inbox+`"`)
		w.logged("@root unfollowed relay: " + inbox)
		w.admin("DELETE", "/relay", `{"relay_url":"`+inbox+`","force":true}`).is(500, `"`+inbox+`"`)
		w.admin("DELETE", "/relay", ``).is(400, badText)
	},
	"stateRelay": func(w *tables) {
		inbox := w.relay("far")
		if was := w.relayed(inbox); was != "" {
			w.t.Fatalf("relayed already: %s", was)
		}
		w.admin("POST", "/relay", `{"relay_url":"`+inbox+`"}`).ok()
		if is := w.relayed(inbox); is != "false" {
			w.t.Errorf("asked: followed_back is %q", is)
		}
		w.accepts(inbox)
		if is := w.relayed(inbox); is != "true" {
			w.t.Errorf("accepted: followed_back is %q", is)
		}
		w.admin("DELETE", "/relay", "relay_url="+inbox).ok()
	},
	"stateUnrelayed": func(w *tables) {
		inbox := w.relay("far")
		w.admin("POST", "/relay", `{"relay_url":"`+inbox+`"}`).ok()
		w.accepts(inbox)
		w.admin("DELETE", "/relay", `{"relay_url":"`+inbox+`"}`).is(200, `"`+inbox+`"`)
		if is := w.relayed(inbox); is != "" {
			w.t.Errorf("left: followed_back is %q", is)
		}
	},
}
