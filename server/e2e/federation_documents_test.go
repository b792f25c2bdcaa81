package e2e

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/server/servertest/peer"
)

// bomb is n zeros as a few bytes.
func bomb(n int) []byte {
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	zeros := make([]byte, 1<<20)
	for ; n > 0; n -= len(zeros) {
		_, _ = w.Write(zeros)
	}
	_ = w.Close()
	return buf.Bytes()
}

// deep is JSON that is n lists deep.
func deep(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// TestDocumentsAreTakenOnlyAsTheyShouldBe looks posts up that are served in
// every way but the right one (row 18).
func TestDocumentsAreTakenOnlyAsTheyShouldBe(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		at := func(path string) peer.Doc { return v.mallory.Note("<p>hello</p>").With("id", v.evil.URL(path)) }
		hers := v.vera.Note("<p>hers</p>")
		v.good.Publish(hers)
		redirect := func(to string) peer.Page {
			return peer.Page{Status: http.StatusFound, Header: http.Header{"Location": {to}}}
		}
		text := func(d peer.Doc) string { return string(d.JSON()) }
		raw := func(s string) peer.Page { return peer.Page{Body: []byte(s)} }
		pages := map[string]peer.Page{
			"/html":      {Type: "text/html", Body: at("/html").JSON()},
			"/json":      {Type: "application/json", Body: at("/json").JSON()},
			"/ld":        {Type: "application/ld+json", Body: at("/ld").JSON()},
			"/other":     {Type: `application/ld+json; profile="https://example.org/ns"`, Body: at("/other").JSON()},
			"/jrd":       {Type: "application/jrd+json", Body: at("/jrd").JSON()},
			"/none":      {Header: http.Header{"Content-Type": {" "}}, Body: at("/none").JSON()},
			"/created":   {Status: 201, Body: at("/created").JSON()},
			"/error":     {Status: 500, Body: at("/error").JSON()},
			"/deep":      raw(`{"@context":"https://www.w3.org/ns/activitystreams","id":"` + v.evil.URL("/deep") + `","type":"Note","x":` + deep(10000) + `}`),
			"/huge":      raw(text(at("/huge").With("content", strings.Repeat("a", 2<<20)))),
			"/bomb":      {Header: http.Header{"Content-Encoding": {"gzip"}}, Body: bomb(16 << 20)},
			"/twice":     raw(strings.Replace(text(at("/twice")), `"type":`, `"type":"Person","type":`, 1)),
			"/deeptwice": raw(strings.Replace(text(at("/deeptwice")), `"tag":[]`, `"tag":{"a":1,"a":2}`, 1)),
			"/graph":     raw(text(at("/graph").With("@graph", []peer.Doc{hers}))),
			"/reverse":   raw(text(at("/reverse").With("@reverse", peer.Doc{"actor": hers}))),
			"/included":  raw(text(at("/included").With("@included", []peer.Doc{hers}))),
			"/two":       raw(text(at("/two")) + text(at("/two"))),
			"/list":      raw("[" + text(at("/list")) + "]"),
			"/half":      raw(text(at("/half"))[:80]),
			"/cased":     raw(strings.Replace(text(at("/cased").With("attributedTo", nil)), `"type":`, `"AttributedTo":"`+v.mallory.ID+`","type":`, 1)),
			"/noid":      raw(text(at("/noid").With("id", nil))),
			"/otherid":   raw(text(at("/elsewhere"))),
			"/ourid":     raw(text(at("/ourid").With("id", v.url("/objects/6d7c1cf5-6f1c-4f0a-8f0c-2d8f2d3c4b5b")))),
			"/herid":     raw(text(v.mallory.Note("<p>a lie</p>").With("id", hers["id"]).With("attributedTo", v.vera.ID))),
			"/byher":     raw(text(at("/byher").With("attributedTo", v.vera.ID))),
			"/byus":      raw(text(at("/byus").With("attributedTo", v.bob.actor))),
			"/byboth":    raw(text(at("/byboth").With("attributedTo", []string{v.vera.ID, v.mallory.ID}))),
			"/bynobody":  raw(text(at("/bynobody").With("attributedTo", nil))),
			"/loop":      redirect(v.evil.URL("/loop")),
			"/long":      redirect(v.evil.URL("/long1")),
			"/toher":     redirect(hers.Text("id")),
			"/tous":      redirect(v.url("/api/v1/instance")),
			"/tofile":    redirect("file:///etc/passwd"),
			"/touser":    redirect("http://user:password@" + v.evil.Host() + "/ok"),
		}
		for i := range 4 { // after "/long" they are too many
			v.evil.Serve(fmt.Sprintf("/long%d", i), redirect(v.evil.URL(fmt.Sprintf("/long%d", i+1))))
		}
		v.evil.Publish(at("/long4"))
		for path, page := range pages {
			v.evil.Serve(path, page)
			if n := v.looksUp(v.evil.URL(path)); path != "/herid" && n != 0 {
				v.Errorf("%s is found", path)
			}
		}
		if st := v.known(hers.Text("id")); st != nil && content(st) != "hers" {
			v.Errorf("in her name: %s", st.Content)
		}
		for path := range pages {
			v.nothingOf("served wrongly", v.evil.URL(path))
		}
		// As it should be, it is found, a redirect or two on the way.
		v.evil.Publish(at("/ok"))
		v.evil.Serve("/near", redirect(v.evil.URL("/ok")))
		v.evil.Serve("/ld-ok", peer.Page{Type: `application/ld+json; profile="https://www.w3.org/ns/activitystreams"`, Body: at("/ld-ok").JSON()})
		for _, path := range []string{"/near", "/ok", "/ld-ok"} {
			if n := v.looksUp(v.evil.URL(path)); n != 1 {
				v.Errorf("%s leads to %d", path, n)
			}
		}
	})
}

// TestBodiesAreTakenOnlyAsTheyShouldBe posts unreadable and oversized bodies.
func TestBodiesAreTakenOnlyAsTheyShouldBe(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		v.settle(v.mallory)
		v.follows(v.mallory)
		like := v.mallory.Follow(v.bob.actor)
		text := string(like.JSON())
		with := func(extra string) string { return strings.Replace(text, `"type":`, extra+`,"type":`, 1) }
		for name, body := range map[string]string{
			"nothing":       "",
			"no JSON":       "type=Follow",
			"a list":        "[" + text + "]",
			"twice":         with(`"actor":"` + v.vera.ID + `"`),
			"deep":          with(`"x":` + deep(10000)),
			"just too deep": with(`"x":` + deep(40)),
			"a graph":       with(`"@graph":[]`),
			"two of them":   text + text,
			"half":          text[:len(text)/2],
			"huge":          with(`"x":"` + strings.Repeat("a", 2<<20) + `"`),
			"many values":   with(`"x":[` + strings.Repeat("1,", 300000) + `1]`),
		} {
			if got := v.mallory.SendBytes(v.shared(), []byte(body)); got.Status/100 != 4 {
				v.Errorf("%s: %d %.200s", name, got.Status, got.Body)
			}
		}
		for kind, status := range map[string]int{"text/html": 0, "application/json": 0, "application/ld+json": 0, "": 0,
			"application/activity+json; charset=utf-8": 202, `application/ld+json; profile="https://www.w3.org/ns/activitystreams"`: 202} {
			got := v.mallory.Send(v.shared(), v.mallory.Activity("Listen", v.evil.ID("songs")), peer.Before(func(r *http.Request) { r.Header.Set("Content-Type", kind) }))
			if status != 0 && got.Status != status || status == 0 && got.Status/100 != 4 {
				v.Errorf("content type %q: %d %.100s", kind, got.Status, got.Body)
			}
		}
		v.answered(404, v.mallory.Send(v.url("/users/nobody/inbox"), like))
		// The signature covers the uncompressed body, and gzip is no way around
		// the bound.
		got := v.mallory.SendBytes(v.shared(), bomb(16<<20), peer.Before(func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") }))
		if got.Status/100 != 4 {
			v.Errorf("a bomb: %d", got.Status)
		}
		v.settle(v.mallory)
		if v.relation(v.bob, v.mallory).FollowedBy {
			v.Error("one of them counts")
		}
	})
}

// TestFloodsAreBounded serves threads, collections and replies without end, and
// has everything asked for at once.
func TestFloodsAreBounded(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		v.follows(v.mallory)
		var asked atomic.Int64
		note := func(path string, edit func(peer.Doc)) []byte {
			d := v.mallory.Note("<p>on and on</p>").With("id", v.evil.URL(path))
			edit(d)
			return d.JSON()
		}
		// Each note replies to another unknown one.
		v.evil.Serve("/up", peer.Page{Handler: func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			n := r.URL.Query().Get("n")
			w.Header().Set("Content-Type", peer.ActivityJSON)
			_, _ = w.Write(note("/up?n="+n, func(d peer.Doc) { d["inReplyTo"] = v.evil.URL("/up?n=" + n + "1") }))
		}})
		reply := v.mallory.Note("<p>the last of many</p>").With("inReplyTo", v.evil.URL("/up?n=1"))
		v.send(v.mallory, v.mallory.Create(reply))
		v.settle(v.mallory)
		v.until("the thread is asked for", func() bool { return asked.Load() > 1 })
		v.quiet(&asked)
		if n := asked.Load(); n > 110 {
			v.Errorf("%d parents are asked for", n)
		}
		// Each page of replies leads to another, and each reply has replies.
		asked.Store(0)
		v.evil.Serve("/down", peer.Page{Handler: func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			n := r.URL.Query().Get("n")
			w.Header().Set("Content-Type", peer.ActivityJSON)
			_, _ = w.Write(note("/down?n="+n, func(d peer.Doc) {
				d["inReplyTo"] = v.evil.URL("/down?n=" + strings.TrimSuffix(n, "1"))
				d["replies"] = peer.Doc{"type": "Collection", "id": v.evil.URL("/pages?n=" + n), "first": v.evil.URL("/pages?n=" + n)}
			}))
		}})
		v.evil.Serve("/pages", peer.Page{Handler: func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			n := r.URL.Query().Get("n")
			w.Header().Set("Content-Type", peer.ActivityJSON)
			_, _ = w.Write(peer.Doc{"@context": hersContext, "id": v.evil.URL("/pages?n=" + n), "type": "CollectionPage", "partOf": v.evil.URL("/pages?n=" + n),
				"items": []string{v.evil.URL("/down?n=" + n + "1")}, "next": v.evil.URL("/pages?n=" + n + "2")}.JSON())
		}})
		v.evil.Publish(v.mallory.Note("<p>a root</p>").With("id", v.evil.URL("/root")).With("replies", v.evil.URL("/pages?n=1")))
		v.looksUp(v.evil.URL("/root"))
		v.until("the replies are asked for", func() bool { return asked.Load() > 1 })
		v.quiet(&asked)
		if n := asked.Load(); n > 1100 {
			v.Errorf("%d replies and pages are asked for", n)
		}
		// An announce of an announce of an announce.
		var boosts atomic.Int64
		v.evil.Serve("/boosts", peer.Page{Handler: func(w http.ResponseWriter, r *http.Request) {
			boosts.Add(1)
			w.Header().Set("Content-Type", peer.ActivityJSON)
			n := r.URL.Query().Get("n")
			_, _ = w.Write(v.mallory.Announce(v.evil.URL("/boosts?n="+n+"1")).With("id", v.evil.URL("/boosts?n="+n)).JSON())
		}})
		v.send(v.mallory, v.mallory.Announce(v.evil.URL("/boosts?n=1")))
		v.settle(v.mallory)
		v.quiet(&boosts)
		if n := boosts.Load(); n > 5 {
			v.Errorf("%d boosts of boosts are asked for", n)
		}
	})
}

// quiet waits until the count stays the same.
func (v *village) quiet(n *atomic.Int64) {
	v.Helper()
	last, since := n.Load(), time.Now()
	v.until("it ends", func() bool {
		if now := n.Load(); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since) > 700*time.Millisecond
	})
}

// TestPostsAreCutToWhatIsBorne sends posts with too much of everything.
func TestPostsAreCutToWhatIsBorne(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		v.follows(v.mallory)
		var options, tags []any
		for i := range 1000 {
			options = append(options, peer.Doc{"type": "Note", "name": fmt.Sprintf("option %d", i), "replies": peer.Doc{"type": "Collection", "totalItems": 1}})
			tags = append(tags, peer.Doc{"type": "Hashtag", "href": v.evil.URL("/tags/x"), "name": fmt.Sprintf("#tag%d", i)})
		}
		files := []any{}
		for i := range 100 {
			files = append(files, peer.Doc{"type": "Document", "mediaType": "image/png", "url": v.evil.URL(fmt.Sprintf("/%d.png", i))})
		}
		var mentions []any
		for i := range 1000 {
			mentions = append(mentions, peer.Doc{"type": "Mention", "href": v.evil.URL(fmt.Sprintf("/users/m%d", i)), "name": fmt.Sprintf("@m%d", i)})
		}
		poll := v.mallory.Question("<p>which?</p>", time.Now().Add(time.Hour), true, "a").With("anyOf", options)
		tagged := v.mallory.Note("<p>tags</p>").With("tag", tags)
		filed := v.mallory.Note("<p>files</p>").With("attachment", files)
		long := v.mallory.Note(strings.Repeat("<p>long</p>", 50000))
		named := v.mallory.Note("<p>mentions</p>").With("tag", mentions)
		v.evil.Forget()
		for _, d := range []peer.Doc{poll, tagged, filed, long, named} {
			_ = v.mallory.Send(v.shared(), v.mallory.Create(d))
		}
		v.settle(v.mallory)
		if st := v.known(poll.Text("id")); st != nil && st.Poll != nil && len(st.Poll.Options) > 32 {
			v.Errorf("%d options", len(st.Poll.Options))
		}
		if st := v.known(tagged.Text("id")); st != nil && len(st.Tags) > 100 {
			v.Errorf("%d tags", len(st.Tags))
		}
		// The limit of the body is the only one on files.
		if st := v.known(filed.Text("id")); st == nil || len(st.MediaAttachments) != 100 {
			v.Errorf("a post of 100 files is %+v", st)
		}
		if st := v.known(long.Text("id")); st != nil && len(st.Content) > 200000 {
			v.Errorf("%d bytes of text", len(st.Content))
		}
		if n := len(v.evil.Requests(func(r peer.Request) bool { return strings.Contains(r.URI, "/users/m") })); n > 100 {
			v.Errorf("%d mentioned actors are asked for", n)
		}
	})
}

// TestKeysAreNotAskedForAgainAndAgain signs with keys that cannot be had.
func TestKeysAreNotAskedForAgainAndAgain(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		missing := v.evil.URL("/users/missing")
		for range 30 {
			v.answered(401, v.mallory.Send(v.shared(), v.mallory.Follow(v.bob.actor).With("actor", missing), peer.KeyID(missing+"#main-key")))
		}
		if n := v.evil.Fetched("/users/missing"); n > 2 {
			v.Errorf("a key that is not there is asked for %d times", n)
		}
		// Keys without number of one server: no more than a budget, and the rest
		// later.
		v.evil.Forget()
		began := time.Now()
		for i := range 400 {
			id := v.evil.URL(fmt.Sprintf("/users/x%d", i))
			if got := v.mallory.Send(v.shared(), v.mallory.Follow(v.bob.actor).With("actor", id), peer.KeyID(id+"#main-key")); got.Status != 401 && got.Status != 503 {
				v.Errorf("%s: %d", id, got.Status)
			}
		}
		if n, most := len(v.evil.Requests()), 310+5*int(time.Since(began).Seconds()+1); n > most {
			v.Errorf("%d requests for the keys of one server, want %d at most", n, most)
		}
		// Others are not kept from anything by it.
		v.settle(v.vera)
	})
}

// TestAnswersWithoutEndAreCutOff serves endless bodies, plain and compressed,
// and counts the bytes read of them.
func TestAnswersWithoutEndAreCutOff(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		var sent atomic.Int64
		endless := func(w http.ResponseWriter, r *http.Request, out io.Writer) {
			w.Header().Set("Content-Type", peer.ActivityJSON)
			chunk := make([]byte, 1<<14)
			for r.Context().Err() == nil {
				_, _ = rand.Read(chunk) // as it is, or it would be nothing when compressed
				if _, err := fmt.Fprintf(out, "%q,", base64.StdEncoding.EncodeToString(chunk)); err != nil {
					return
				}
				sent.Add(int64(len(chunk)))
			}
		}
		v.evil.Serve("/plain", peer.Page{Handler: func(w http.ResponseWriter, r *http.Request) {
			endless(w, r, w)
		}})
		v.evil.Serve("/packed", peer.Page{Handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			endless(w, r, gzip.NewWriter(w))
		}})
		for _, path := range []string{"/plain", "/packed"} {
			sent.Store(0)
			if n := v.looksUp(v.evil.URL(path)); n != 0 {
				v.Errorf("%s is found", path)
			}
			v.quiet(&sent)
			if n := sent.Load() >> 20; n > 24 { // buffers of the machine hold some
				v.Errorf("%d MiB of %s are read", n, path)
			}
		}
	})
}

// TestHostMetaIsReadWithoutEntities serves host-meta with a document type, and
// one without end, where WebFinger is not answered.
func TestHostMetaIsReadWithoutEntities(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		laughs := `<?xml version="1.0"?><!DOCTYPE XRD [<!ENTITY a "` + v.evil.Base() + `"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0"><Link rel="lrdd" template="&a;/finger?resource={uri}"/></XRD>`
		honest := `<?xml version="1.0"?><XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0"><Link rel="lrdd" template="` + v.evil.Base() + `/finger?resource={uri}"/></XRD>`
		finger := peer.Doc{"subject": "acct:" + v.mallory.Handle(), "links": []peer.Doc{{"rel": "self", "type": peer.ActivityJSON, "href": v.mallory.ID}}}
		v.evil.Serve("/.well-known/webfinger", peer.Page{Status: 404})
		v.evil.Serve("/finger", peer.Page{Type: "application/jrd+json", Body: finger.JSON()})
		v.evil.Serve("/.well-known/host-meta", peer.Page{Type: "application/xrd+xml", Body: []byte(laughs)})
		if n := v.looksUp("@" + v.mallory.Handle()); n != 0 {
			v.Error("entities are expanded")
		}
		v.evil.Serve("/.well-known/host-meta", peer.Page{Type: "application/xrd+xml", Body: []byte(honest + strings.Repeat(" ", 1<<20))})
		if n := v.looksUp("@" + v.mallory.Handle()); n != 0 {
			v.Error("host-meta of a mebibyte is read")
		}
	})
}
