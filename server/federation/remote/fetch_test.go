package remote_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rsa"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/federation/httpsig"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/outgoing"
	"svc/server/servertest/peer"
)

func TestFetchesAreSignedByTheServiceActor(t *testing.T) {
	each(t, func(w *world) {
		note := peer.Doc{"id": w.peer.URL("/notes/1"), "type": "Note"}
		w.peer.Publish(note)
		if doc, err := w.Fetch(w.ctx(), note.Text("id")); err != nil || doc.ID() != note.Text("id") {
			w.Fatal(doc, err)
		}
		ann := w.local("ann")
		if _, err := w.FetchAs(w.ctx(), note.Text("id"), ann); err != nil {
			w.Fatal(err)
		}
		all := w.peer.Requests()
		for i, want := range []string{w.base + "/internal/fetch", ann.URI} {
			if owner, err := w.peer.Signer(all[i]); err != nil || owner != want {
				w.Errorf("request %d is of %s, %v", i, owner, err)
			}
			if got := all[i].Header.Get("Accept"); got != activitypub.Accept {
				w.Errorf("asks for %s", got)
			}
		}
		w.set(func(s *config.Settings) { s.ActivityPub.SignObjectFetches = false })
		w.peer.Forget()
		if _, err := w.Fetch(w.ctx(), note.Text("id")); err != nil || w.peer.Requests()[0].Header.Get("Signature") != "" {
			w.Errorf("not to be signed: %v", err)
		}
	})
}

func TestDocumentMediaTypes(t *testing.T) {
	each(t, func(w *world) {
		other := peer.Start(w.T, "127.0.0.3")
		at := w.peer.URL
		doc := func(id string) []byte { return peer.Doc{"id": id, "type": "Note"}.JSON() }
		to := func(status int, where string) peer.Page {
			return peer.Page{Status: status, Header: http.Header{"Location": {where}}}
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write([]byte(`{"id":"` + at("/bomb") + `","type":"Note","content":"` + strings.Repeat("a", 2<<20) + `"}`))
		_ = z.Close()
		pages := map[string]peer.Page{
			"/ok":             {Body: doc(at("/ok"))},
			"/ld":             {Type: `application/ld+json; profile="https://www.w3.org/ns/activitystreams"`, Body: doc(at("/ld"))},
			"/ld-other":       {Type: `application/ld+json`, Body: doc(at("/ld-other"))},
			"/json":           {Type: "application/json", Body: doc(at("/json"))},
			"/html":           {Type: "text/html", Body: doc(at("/html"))},
			"/large":          {Body: []byte(`{"id":"` + at("/large") + `","a":"` + strings.Repeat("a", 1<<20) + `"}`)},
			"/bomb":           {Header: http.Header{"Content-Encoding": {"gzip"}}, Body: packed.Bytes()},
			"/deep":           {Body: []byte(`{"id":"` + at("/deep") + `","a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`)},
			"/twice":          {Body: []byte(`{"id":"` + at("/ok") + `","id":"` + at("/twice") + `","type":"Note"}`)},
			"/graph":          {Body: []byte(`{"id":"` + at("/graph") + `","@graph":[]}`)},
			"/none":           {Body: []byte(`{"type":"Note"}`)},
			"/alias":          {Body: doc(at("/ok"))},
			"/lie":            {Body: doc(at("/liar"))},
			"/liar":           {Body: doc(at("/lie"))},
			"/theirs":         {Body: doc(other.URL("/theirs"))},
			"/spoof":          {Body: doc(other.URL("/nothing"))},
			"/1":              to(http.StatusFound, at("/ok")),
			"/2":              to(http.StatusMovedPermanently, "/1"),
			"/3":              to(http.StatusPermanentRedirect, at("/2")),
			"/4":              to(http.StatusSeeOther, at("/3")),
			"/away":           to(http.StatusFound, other.URL("/theirs")),
			"/home":           to(http.StatusFound, w.base+"/users/ann"),
			"/nowhere":        to(http.StatusFound, ""),
			"/gone":           {Status: http.StatusGone},
			"/tombstone":      {Body: peer.Doc{"id": at("/tombstone"), "type": "Tombstone"}.JSON()},
			"/forbidden":      {Status: http.StatusForbidden},
			"/failing":        {Status: http.StatusInternalServerError},
			"/too-many":       {Status: http.StatusTooManyRequests},
			"/not-acceptable": {Status: http.StatusNotAcceptable},
		}
		for path, page := range pages {
			w.peer.Serve(path, page)
		}
		other.Serve("/theirs", peer.Page{Body: doc(other.URL("/theirs"))})
		temporary := errors.New("temporary")
		for path, want := range map[string]any{
			"/ok": at("/ok"), "/ld": at("/ld"), "/alias": at("/ok"), "/1": at("/ok"), "/3": at("/ok"), "/theirs": other.URL("/theirs"),
			"/ok#part": at("/ok"), "/missing": remote.ErrNotFound, "/gone": remote.ErrGone, "/tombstone": remote.ErrGone,
			"/ld-other": remote.ErrRefused, "/json": remote.ErrRefused, "/html": remote.ErrRefused, "/large": remote.ErrRefused, "/bomb": remote.ErrRefused,
			"/deep": remote.ErrRefused, "/twice": remote.ErrRefused, "/graph": remote.ErrRefused, "/none": remote.ErrRefused, "/lie": remote.ErrRefused,
			"/spoof": remote.ErrNotFound, "/4": remote.ErrRefused, "/away": remote.ErrRefused, "/home": remote.ErrRefused, "/nowhere": remote.ErrRefused,
			"/forbidden": remote.ErrRefused, "/not-acceptable": remote.ErrRefused, "/failing": temporary, "/too-many": temporary,
		} {
			got, err := w.Fetch(w.ctx(), at(path))
			if id, ok := want.(string); ok {
				if err != nil || got.ID() != id {
					w.Errorf("%s: %v, %v, want %s", path, got, err, id)
				}
				continue
			}
			if want == temporary {
				if err == nil || errors.Is(err, remote.ErrRefused) || errors.Is(err, remote.ErrNotFound) || errors.Is(err, remote.ErrGone) {
					w.Errorf("%s: %v, want a temporary failure", path, err)
				}
			} else if wanted, ok := want.(error); !ok || !errors.Is(err, wanted) {
				w.Errorf("%s: %v, want %v", path, err, want)
			}
		}
		for _, uri := range []string{"", "ftp://127.0.0.2/a", "http://ann@127.0.0.2/a", w.base + "/users/ann", "http://127.0.0.2:x/"} {
			if _, err := w.Fetch(w.ctx(), uri); !errors.Is(err, remote.ErrRefused) {
				w.Errorf("%q: %v", uri, err)
			}
		}
	})
}

func TestTheSameIsAskedForOnceAtATime(t *testing.T) {
	each(t, func(w *world) {
		const many = 8
		hold, begun := make(chan struct{}), make(chan struct{}, many)
		body := peer.Doc{"id": w.peer.URL("/slow"), "type": "Note"}.JSON()
		w.peer.Serve("/slow", peer.Page{Handler: func(rw http.ResponseWriter, _ *http.Request) {
			begun <- struct{}{}
			<-hold
			rw.Header().Set("Content-Type", activitypub.ContentType)
			_, _ = rw.Write(body)
		}})
		var wg, started sync.WaitGroup
		started.Add(many)
		for range many {
			wg.Go(func() {
				started.Done()
				if _, err := w.Fetch(w.ctx(), w.peer.URL("/slow")); err != nil {
					w.Error(err)
				}
			})
		}
		started.Wait()
		<-begun
		close(hold)
		wg.Wait()
		if n := w.peer.Fetched("/slow"); n >= many {
			w.Errorf("asked %d times", n)
		}
	})
}

func TestAFailedFetchIsNotRepeatedAtOnce(t *testing.T) {
	each(t, func(w *world) {
		for range 3 {
			if _, err := w.Fetch(w.ctx(), w.peer.URL("/missing")); !errors.Is(err, remote.ErrNotFound) {
				w.Error(err)
			}
		}
		if n := w.peer.Fetched("/missing"); n != 1 {
			w.Errorf("asked %d times", n)
		}
		w.advance(6 * time.Minute)
		w.peer.Publish(peer.Doc{"id": w.peer.URL("/missing"), "type": "Note"})
		if _, err := w.Fetch(w.ctx(), w.peer.URL("/missing")); err != nil {
			w.Error(err)
		}
	})
}

func TestOneServerIsAskedOnlySoMuch(t *testing.T) {
	each(t, func(w *world) {
		w.set(func(s *config.Settings) { s.ActivityPub.SignObjectFetches = false })
		w.peer.Stop()
		var busy error
		for i := 0; i < 700 && busy == nil; i++ {
			if _, err := w.Fetch(w.ctx(), w.peer.URL("/missing/"+time.Duration(i).String())); errors.Is(err, remote.ErrBusy) {
				busy = err
			}
		}
		if busy == nil {
			w.Error("there is no end")
		}
		w.advance(time.Minute)
		w.peer.Restart()
		if _, err := w.Fetch(w.ctx(), w.peer.URL("/missing")); !errors.Is(err, remote.ErrNotFound) {
			w.Errorf("later: %v", err)
		}
	})
}

// strict answers 401 to requests with a signature that accept refuses.
func strict(w *world, body []byte, accept func(r *http.Request) bool) peer.Page {
	return peer.Page{Handler: func(rw http.ResponseWriter, r *http.Request) {
		if !accept(r) {
			rw.WriteHeader(http.StatusUnauthorized)
			return
		}
		rw.Header().Set("Content-Type", activitypub.ContentType)
		_, _ = rw.Write(body)
	}}
}

func TestTheSignatureThatAServerTakesIsFoundAndRemembered(t *testing.T) {
	each(t, func(w *world) {
		note := peer.Doc{"id": w.peer.URL("/notes/1"), "type": "Note"}
		newer := func(r *http.Request) bool { return r.Header.Get("Signature-Input") != "" }
		w.peer.Serve("/notes/1", strict(w, note.JSON(), newer))
		for i, want := range []int{2, 3} {
			if _, err := w.Fetch(w.ctx(), note.Text("id")); err != nil {
				w.Fatal(err)
			}
			if n := w.peer.Fetched("/notes/1"); n != want {
				w.Errorf("after %d: asked %d times, want %d", i+1, n, want)
			}
		}
		if i, err := w.d.Instance(w.ctx(), w.peer.Host()); err != nil || i.Knock != db.KnockRFC9421 {
			w.Errorf("remembered %+v, %v", i, err)
		}
		all := w.peer.Requests()
		if owner, err := w.peer.Signer(all[len(all)-1]); err != nil || owner != w.base+"/internal/fetch" {
			w.Errorf("signed by %s, %v", owner, err)
		}
		// A server that goes back is found out too.
		w.peer.Serve("/notes/1", strict(w, note.JSON(), func(r *http.Request) bool { return !newer(r) }))
		if _, err := w.Fetch(w.ctx(), note.Text("id")); err != nil {
			w.Error(err)
		}
		if i, err := w.d.Instance(w.ctx(), w.peer.Host()); err != nil || i.Knock != db.KnockCavage {
			w.Errorf("remembered %+v, %v", i, err)
		}
	})
}

func TestAQueryMayHaveToBeLeftOutOfTheSignature(t *testing.T) {
	each(t, func(w *world) {
		note := peer.Doc{"id": w.peer.URL("/notes?id=1"), "type": "Note"}
		owner, err := w.Fetcher(w.ctx())
		if err != nil {
			w.Fatal(err)
		}
		public, err := httpsig.ParseKey(owner.PublicKey)
		if err != nil {
			w.Fatal(err)
		}
		key, ok := public.(*rsa.PublicKey)
		if !ok {
			w.Fatal(public)
		}
		pathOnly := func(r *http.Request) bool {
			r.RequestURI = r.URL.Path
			sig, err := httpsig.Parse(r, nil, httpsig.Options{Scheme: "http", Host: r.Host, Now: w.now(), Past: time.Minute, Future: time.Minute})
			return err == nil && sig.Verify(key) == nil
		}
		w.peer.Serve("/notes?id=1", strict(w, note.JSON(), pathOnly))
		if _, err := w.Fetch(w.ctx(), note.Text("id")); err != nil {
			w.Error(err)
		}
		if n := w.peer.Fetched("/notes"); n != 2 {
			w.Errorf("asked %d times", n)
		}
	})
}

func TestOneActivityForManyServersReadsItsSignerOnce(t *testing.T) {
	each(t, func(w *world) {
		ann := w.local("ann")
		w.peer.Answer(func(peer.Request) peer.Page { return peer.Page{Status: http.StatusAccepted} })
		post := func(inbox string) int64 {
			return dbtest.Queries(w, func(ctx context.Context) {
				if r, err := w.Post(ctx, ann.ID, w.peer.URL(inbox), []byte(`{"type":"Create"}`)); err != nil || r.Status != http.StatusAccepted {
					w.Fatal(r, err)
				}
			})
		}
		post("/first")
		least := post("/next")
		for tries := 0; least > 0 && tries < 20; tries++ { // more than a second may lie between
			least = min(least, post("/next"))
		}
		if least > 0 {
			w.Errorf("%d statements each", least)
		}
		w.ahead.Add(int64(2 * time.Second))
		if n := post("/last"); n == 0 {
			w.Error("it is never read again")
		}
	})
}

func TestDeliveriesAreSignedAndFollowSomeRedirects(t *testing.T) {
	each(t, func(w *world) {
		ann, bob := w.local("ann"), w.peer.Actor("bob")
		answers := map[string]peer.Page{
			"/users/bob/inbox": {Status: http.StatusPermanentRedirect, Header: http.Header{"Location": {"/moved"}}},
			"/moved":           {Status: http.StatusAccepted},
			"/found":           {Status: http.StatusFound, Header: http.Header{"Location": {"/moved"}}},
			"/away":            {Status: http.StatusTemporaryRedirect, Header: http.Header{"Location": {"http://127.0.0.9/moved"}}},
			"/busy":            {Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"120"}}, Body: []byte("slow down")},
			"/later":           {Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {w.now().Add(time.Hour).UTC().Format(http.TimeFormat)}}},
			"/never":           {Status: http.StatusServiceUnavailable, Header: http.Header{"Retry-After": {"99999999999"}}},
		}
		w.peer.Answer(func(r peer.Request) peer.Page { return answers[r.URI] })
		body := []byte(`{"type":"Follow"}`)
		r, err := w.Post(w.ctx(), ann.ID, bob.Inbox(), body)
		if err != nil || r.Status != http.StatusAccepted {
			w.Fatal(r, err)
		}
		posts := w.peer.Requests(func(r peer.Request) bool { return r.Method == http.MethodPost })
		if len(posts) != 2 {
			w.Fatalf("%d requests", len(posts))
		}
		for _, p := range posts {
			if owner, err := w.peer.Signer(p); err != nil || owner != ann.URI || !bytes.Equal(p.Body, body) || p.Header.Get("Content-Type") != activitypub.ContentType {
				w.Errorf("%s: signed by %s, %v, %s", p.URI, owner, err, p.Body)
			}
		}
		if r, err := w.Post(w.ctx(), ann.ID, w.peer.URL("/found"), body); err != nil || r.Status != http.StatusFound {
			w.Errorf("302: %v, %v", r, err)
		}
		if r, err := w.Post(w.ctx(), ann.ID, w.peer.URL("/away"), body); !errors.Is(err, remote.ErrRefused) {
			w.Errorf("to another host: %v, %v", r, err)
		}
		if r, err := w.Post(w.ctx(), ann.ID, w.peer.URL("/busy"), body); err != nil || r.Status != 429 || r.RetryAfter != 2*time.Minute || r.Text != "slow down" {
			w.Errorf("busy: %+v, %v", r, err)
		}
		if r, err := w.Post(w.ctx(), ann.ID, w.peer.URL("/later"), body); err != nil || r.RetryAfter < 59*time.Minute || r.RetryAfter > time.Hour {
			w.Errorf("later: %+v, %v", r, err)
		}
		if r, err := w.Post(w.ctx(), ann.ID, w.peer.URL("/never"), body); err != nil || r.RetryAfter < 0 || r.RetryAfter > 24*time.Hour {
			w.Errorf("never: %+v, %v", r, err)
		}
		w.peer.Stop()
		if r, err := w.Post(w.ctx(), ann.ID, bob.Inbox(), body); err == nil || errors.Is(err, remote.ErrRefused) {
			w.Errorf("down: %v, %v", r, err)
		}
	})
}

func TestARotatedKeyIsAnnouncedWithTheOneBefore(t *testing.T) {
	each(t, func(w *world) {
		ann, bob := w.local("ann"), w.peer.Actor("bob")
		_, before, err := w.Key(w.ctx(), ann.ID)
		if err != nil {
			w.Fatal(err)
		}
		var update []byte
		err = w.RotateKey(w.ctx(), ann.ID, func(_ *db.DB, a *db.Account) error {
			update, err = activitypub.Encode(activitypub.Object{"id": w.base + "/1", "type": "Update", "actor": a.URI, "published": activitypub.Stamp(db.At(w.now())), "object": activitypub.Actor(a, w.base)})
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		_, after, err := w.Key(w.ctx(), ann.ID)
		if err != nil || after.Equal(before) {
			w.Fatal("the same key", err)
		}
		if now := w.row(ann.URI); now.PublicKey == ann.PublicKey || !bytes.Contains(update, []byte(strings.ReplaceAll(now.PublicKey, "\n", `\n`))) {
			w.Errorf("shown %s in %s", now.PublicKey, update)
		}
		keyOf := func(r peer.Request) string {
			in := (&http.Request{Method: r.Method, Host: r.Host, RequestURI: r.URI, Header: r.Header}).WithContext(w.ctx())
			sig, err := httpsig.Parse(in, r.Body, httpsig.Options{Scheme: "http", Host: r.Host, Now: w.now(), Past: time.Minute, Future: time.Minute})
			switch {
			case err != nil:
				return err.Error()
			case sig.Verify(&before.PublicKey) == nil:
				return "before"
			case sig.Verify(&after.PublicKey) == nil:
				return "after"
			}
			return "neither"
		}
		post := func(body []byte) (got []string, status int) {
			w.peer.Forget()
			r, err := w.Post(w.ctx(), ann.ID, bob.Inbox(), body)
			if err != nil {
				w.Fatal(err)
			}
			for _, p := range w.peer.Requests() {
				got = append(got, keyOf(p))
			}
			return got, r.Status
		}
		if got, _ := post(update); strings.Join(got, " ") != "before" {
			w.Errorf("the announcement is signed with %v", got)
		}
		later := bytes.ReplaceAll(update, []byte(`"published":"`+activitypub.Stamp(db.At(w.now()))[:4]), []byte(`"published":"2999`))
		if got, _ := post(later); bytes.Equal(later, update) || strings.Join(got, " ") != "after" {
			w.Errorf("a later change of the profile is signed with %v", got)
		}
		if got, _ := post([]byte(`{"type":"Like"}`)); strings.Join(got, " ") != "after" {
			w.Errorf("a like is signed with %v", got)
		}
		// Who missed the announcement knows only the key before.
		w.peer.Answer(func(r peer.Request) peer.Page {
			if keyOf(r) == "before" {
				return peer.Page{Status: http.StatusAccepted}
			}
			return peer.Page{Status: http.StatusUnauthorized}
		})
		if got, status := post([]byte(`{"type":"Like"}`)); status != http.StatusAccepted || got[len(got)-1] != "before" {
			w.Errorf("to who missed it: %d after %v", status, got)
		}
		w.advance(40 * 24 * time.Hour)
		if _, status := post([]byte(`{"type":"Like"}`)); status != http.StatusUnauthorized {
			w.Errorf("weeks later: %d", status)
		}
	})
}

func TestServiceActorsAreMadeWhenTheyAreNeeded(t *testing.T) {
	each(t, func(w *world) {
		relay, err := w.RelayActor(w.ctx())
		if err != nil {
			w.Fatal(err)
		}
		again, err := w.RelayActor(w.ctx())
		if err != nil || again.ID != relay.ID || relay.URI != w.base+"/relay" || relay.ActorType != "Application" || !relay.Invisible || !relay.Local {
			w.Errorf("%+v, %v", relay, err)
		}
		key, err := httpsig.ParseKey(relay.PublicKey)
		if err != nil {
			w.Fatal(err)
		}
		id, private, err := w.Key(w.ctx(), relay.ID)
		if err != nil || id != relay.URI+"#main-key" || !private.PublicKey.Equal(key) || private.N.BitLen() != 2048 {
			w.Errorf("key %s, %v", id, err)
		}
		if _, _, err := w.Key(w.ctx(), w.remoteID("bob")); err == nil {
			w.Error("a key of somebody else's")
		}
	})
}

// remoteID is the id of an account of the peer.
func (w *world) remoteID(nickname string) string {
	w.Helper()
	a, err := w.Actor(w.ctx(), w.peer.Actor(nickname).ID)
	if err != nil {
		w.Fatal(err)
	}
	return a.ID
}

func TestInsecureAddressesAreRefusedUnlessTheyAreAllowed(t *testing.T) {
	each(t, func(w *world) {
		s := remote.New(remote.Parts{DB: w.d, Settings: w.live, Outgoing: outgoing.New(outgoing.Options{}), Site: config.NewSite("https://h.example", false), Now: w.now})
		defer s.Stop()
		for _, uri := range []string{
			"http://p.example/users/bob", "https://127.0.0.1/users/bob", "https://[::1]/users/bob", "https://10.0.0.1/", "https://bob@p.example/",
			"https://localhost/users/bob", "https://p.internal/users/bob",
		} {
			if _, err := s.Fetch(w.ctx(), uri); !errors.Is(err, remote.ErrRefused) {
				w.Errorf("%s: %v", uri, err)
			}
		}
		if _, err := s.Handle(w.ctx(), "bob@127.0.0.1"); !errors.Is(err, remote.ErrRefused) {
			w.Errorf("a handle at an address: %v", err)
		}
	})
}
