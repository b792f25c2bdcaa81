package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// listener is an open socket.
type listener struct {
	*scene
	query string
	conn  *websocket.Conn
}

// listen opens a stream of p's; nil is a stranger.
func (s *scene) listen(p *person, query string) listener {
	s.Helper()
	header := http.Header{}
	if p != nil {
		header.Set("Authorization", "Bearer "+p.at.Token(p.nick, servertest.AllScopes))
	}
	conn, _, err := websocket.Dial(s.ctx(), s.home.URL+"/api/v1/streaming?"+query, &websocket.DialOptions{HTTPHeader: header})
	must(s.T, err)
	s.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	return listener{s, query, conn}
}

// statuses reads up to the status with the text last, and returns the name and the
// text of each event about a status.
func (l listener) statuses(last string) (out []string) {
	l.Helper()
	for {
		ctx, cancel := context.WithTimeout(l.ctx(), time.Minute)
		_, text, err := l.conn.Read(ctx)
		cancel()
		if err != nil {
			l.Fatalf("%s: %v, after %q", l.query, err, out)
		}
		var e struct{ Event, Payload string }
		var status api.Status
		must(l.T, json.Unmarshal(text, &e))
		if e.Event != "update" && e.Event != "status.update" {
			continue
		}
		must(l.T, json.Unmarshal([]byte(e.Payload), &status))
		if content(&status) == last {
			return out
		}
		out = append(out, e.Event+" "+content(&status))
	}
}

// TestEditsAreStreamed: a peer edits a status. The streams whose timelines have it get
// the new version, and no others.
func TestEditsAreStreamed(t *testing.T) {
	among(t, func(v *village) {
		zed, cat := v.person(v.home, "zed"), v.person(v.home, "cat")
		for _, p := range []*person{v.bob, cat} {
			v.followedBy(p, v.vera)
			v.follow(p, zed)
		}
		vera := v.account(v.vera)
		list := good(v.bob.Lists.Create(v.ctx(), api.NewList{Title: "x"}))(v).ID
		for _, id := range []string{vera.ID, zed.id} {
			must(v.T, v.bob.Lists.Add(v.ctx(), list, id))
		}
		must(v.T, err1(cat.Accounts.Mute(v.ctx(), vera.ID, api.Mute{})))
		tagged := func(content string) peer.Doc {
			return v.vera.Note(content).With("tag", []any{peer.Doc{"type": "Hashtag", "href": v.vera.ID + "/tags/tea", "name": "#tea"}})
		}
		note := tagged("<p>first #tea</p>")
		// The streams below begin after the event of the first version.
		early := v.listen(v.bob, "stream=user")
		v.publishes(v.vera, note)
		early.statuses("first #tea")
		_, host, _ := strings.Cut(vera.Acct, "@")
		told := []string{"status.update second #tea"}
		streams := []struct {
			who   *person
			query string
			want  []string
			listener
		}{
			{who: v.bob, query: "stream=user", want: told},
			{who: v.bob, query: "stream=list&list=" + list, want: told},
			{who: v.bob, query: "stream=public", want: told},
			{who: v.bob, query: "stream=public:local"},
			{who: v.bob, query: "stream=public:media"},
			{who: v.bob, query: "stream=hashtag&tag=tea", want: told},
			{who: nil, query: "stream=public", want: told},
			{who: nil, query: "stream=public:remote&instance=" + url.QueryEscape(host), want: told},
			{who: cat, query: "stream=user"},
			{who: cat, query: "stream=public"},
			{who: cat, query: "stream=hashtag&tag=tea"},
			{who: zed, query: "stream=user"},
		}
		for i := range streams {
			streams[i].listener = v.listen(streams[i].who, streams[i].query)
		}
		edited := note.With("content", "<p>second #tea</p>").With("updated", peer.Stamp(time.Now().Add(time.Second)))
		v.good.Publish(edited)
		v.send(v.vera, v.vera.Update(edited))
		v.until("the edit arrives", func() bool { return content(v.known(note.Text("id"))) == "second #tea" })
		// The end, for those who see vera, and for all.
		v.publishes(v.vera, tagged("<p>the end #tea</p>"))
		file := good(zed.Media.Upload(v.ctx(), fileOf("x.txt", "a file"), api.MediaForm{}))(v)
		v.post(zed, api.NewStatus{Status: "the end #tea", MediaIDs: []string{file.ID}})
		for _, o := range streams {
			if diff := cmp.Diff(o.want, o.statuses("the end #tea")); diff != "" {
				t.Errorf("%s: %s", o.query, diff)
			}
		}
	})
}
