package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest/peer"
)

// sent is one way to post a follow, and the expected answer. A follow that is
// answered 202 must count, any other must not.
type sent struct {
	name    string
	status  int
	options []peer.Option
}

func header(name, value string) peer.Option {
	return peer.After(func(r *http.Request) { r.Header.Set(name, value) })
}

// edited changes the Signature header after signing.
func edited(f func(string) string) peer.Option {
	return peer.After(func(r *http.Request) { r.Header.Set("Signature", f(r.Header.Get("Signature"))) })
}

// TestOnlyWhoSignsIsBelieved posts to inboxes with signatures of all kinds (row
// 13).
func TestOnlyWhoSignsIsBelieved(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		other := v.good.Actor("other")
		strange, hour := peer.FreshKey(), time.Hour
		all := []sent{
			{"as it should be", 202, nil},
			{"hs2019", 202, []peer.Option{peer.Algorithm("hs2019")}},
			{"a while ago", 202, []peer.Option{peer.At(time.Now().Add(-2*hour + 5*time.Minute))}},
			{"in a while", 202, []peer.Option{peer.At(time.Now().Add(hour - 5*time.Minute))}},
			{"the word Signature first", 202, []peer.Option{edited(func(s string) string { return "Signature " + s })}},
			{"as authorization", 202, []peer.Option{peer.After(func(r *http.Request) {
				r.Header.Set("Authorization", "Signature "+r.Header.Get("Signature"))
				r.Header.Del("Signature")
			})}},
			{"more covered", 202, []peer.Option{peer.Covering("date", "content-type", "digest", "host", "(request-target)", "user-agent"), peer.Before(func(r *http.Request) { r.Header.Set("User-Agent", "peer") })}},
			{"by RFC 9421", 202, []peer.Option{peer.RFC9421()}},
			{"unsigned", 401, []peer.Option{peer.Unsigned()}},
			{"no date covered", 401, []peer.Option{peer.Covering("(request-target)", "host", "digest")}},
			{"no date sent", 401, []peer.Option{peer.After(func(r *http.Request) { r.Header.Del("Date") })}},
			{"no target covered", 401, []peer.Option{peer.Covering("host", "date", "digest")}},
			{"no host covered", 401, []peer.Option{peer.Covering("(request-target)", "date", "digest")}},
			{"no digest covered", 401, []peer.Option{peer.Covering("(request-target)", "host", "date")}},
			{"nothing covered", 401, []peer.Option{edited(func(s string) string {
				return strings.Replace(s, `headers="(request-target) host date digest content-type"`, `headers=""`, 1)
			})}},
			{"headers unsaid", 401, []peer.Option{peer.Covering("date"), edited(func(s string) string { return strings.Replace(s, `headers="date",`, "", 1) })}},
			{"old", 401, []peer.Option{peer.At(time.Now().Add(-2*hour - 5*time.Minute))}},
			{"too far ahead", 401, []peer.Option{peer.At(time.Now().Add(hour + 5*time.Minute))}},
			{"another date than signed", 401, []peer.Option{header("Date", time.Now().Add(-time.Minute).UTC().Format(http.TimeFormat))}},
			{"another body", 401, []peer.Option{peer.Body([]byte(`{"type":"Follow"}`))}},
			{"a digest of something else", 401, []peer.Option{peer.Digest("SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")}},
			{"a digest of another kind", 401, []peer.Option{peer.Digest("MD5=1B2M2Y8AsgTpgAmY7PhCfg==")}},
			{"no digest", 401, []peer.Option{peer.Digest("-"), peer.Covering("(request-target)", "host", "date")}},
			{"another target", 401, []peer.Option{peer.Target("/users/somebody/inbox")}},
			{"another key", 401, []peer.Option{peer.WithKey(strange)}},
			{"a nickname for a key id", 401, []peer.Option{peer.KeyID("acct:vera@" + v.good.Host())}},
			{"a key id of ours", 401, []peer.Option{peer.KeyID(v.bob.actor + "#main-key")}},
			{"a key id that is no URL", 401, []peer.Option{peer.KeyID("vera")}},
			{"a key that is not there", 401, []peer.Option{peer.KeyID(v.good.URL("/users/nobody#main-key"))}},
			{"a key id twice", 401, []peer.Option{edited(func(s string) string { return s + `,keyId="` + other.KeyID() + `"` })}},
			{"two signatures", 401, []peer.Option{peer.After(func(r *http.Request) { r.Header.Add("Signature", r.Header.Get("Signature")) })}},
			{"two dates", 401, []peer.Option{peer.After(func(r *http.Request) { r.Header.Add("Date", time.Now().UTC().Format(http.TimeFormat)) })}},
			{"over", 401, []peer.Option{edited(func(s string) string { return s + fmt.Sprintf(`,expires=%d`, time.Now().Add(-hour).Unix()) })}},
			{"no signature in it", 401, []peer.Option{edited(func(s string) string { s, _, _ = strings.Cut(s, ",signature="); return s })}},
			{"nonsense", 401, []peer.Option{header("Signature", `;;;"=,`)}},
			{"9421 without the target", 401, []peer.Option{peer.RFC9421(), peer.Covering("@method", "content-digest")}},
			{"9421 without the digest", 401, []peer.Option{peer.RFC9421(), peer.Covering("@method", "@target-uri")}},
			{"9421 with another body", 401, []peer.Option{peer.RFC9421(), peer.Body([]byte(`{"type":"Follow"}`))}},
			{"9421 of another target", 401, []peer.Option{peer.RFC9421(), peer.Target("/users/somebody/inbox")}},
			{"9421 old", 401, []peer.Option{peer.RFC9421(), peer.At(time.Now().Add(-13 * hour))}},
			{"9421 by another key", 401, []peer.Option{peer.RFC9421(), peer.WithKey(strange)}},
			{"9421 without its signature", 401, []peer.Option{peer.RFC9421(), peer.After(func(r *http.Request) { r.Header.Del("Signature") })}},
		}
		for i, w := range all {
			by := v.good.Actor(fmt.Sprintf("sender%d", i))
			follow := by.Follow(v.bob.actor)
			if got := by.Send(v.bob.actor+"/inbox", follow, w.options...); got.Status != w.status {
				v.Errorf("%s: %d %.200s, want %d", w.name, got.Status, got.Body, w.status)
			}
		}
		v.followsBob(v.vera)
		want := map[string]bool{v.vera.ID: true}
		for i, w := range all {
			if w.status == 202 {
				want[v.good.Actor(fmt.Sprintf("sender%d", i)).ID] = true
			}
		}
		var got []string
		v.until("all that was taken counts", func() bool {
			got = nil
			for a, err := range v.bob.Accounts.Followers(v.bob.id, api.AccountQuery{}).All(v.ctx()) {
				must(v.T, err)
				got = append(got, *a.Svc.APID)
			}
			return len(got) >= len(want)
		})
		for _, id := range got {
			if !want[id] {
				v.Errorf("%s follows", id)
			}
		}
	})
}

// TestAKeyIsOnlyOfWhoShowsIt has somebody show another's key as their own, and
// sign with it, and use a public key as a secret (key poisoning and confusion).
func TestAKeyIsOnlyOfWhoShowsIt(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		inbox := v.bob.actor + "/inbox"
		// Mallory's document claims that vera's key is mallory's.
		v.mallory.Edit(func(d peer.Doc) {
			d["publicKey"] = peer.Doc{"id": v.vera.KeyID(), "owner": v.vera.ID, "publicKeyPem": peer.PEM(v.mallory.Key())}
		})
		if n := v.looksUp(v.mallory.ID); n > 1 {
			v.Errorf("%d are found", n)
		}
		v.answered(401, v.mallory.Send(inbox, v.vera.Follow(v.bob.actor), peer.KeyID(v.vera.KeyID())))
		// His document shows several keys, one by vera's name.
		v.mallory.Edit(func(d peer.Doc) {
			d["publicKey"] = []peer.Doc{
				{"id": v.mallory.KeyID(), "owner": v.mallory.ID, "publicKeyPem": peer.PEM(v.mallory.Key())},
				{"id": v.vera.KeyID(), "owner": v.vera.ID, "publicKeyPem": peer.PEM(v.mallory.Key())},
			}
		})
		v.answered(401, v.mallory.Send(inbox, v.vera.Follow(v.bob.actor), peer.KeyID(v.vera.KeyID())))
		// A document of a key at their server says it is vera's.
		stub := v.evil.URL("/keys/1")
		v.evil.Publish(peer.Doc{"@context": "https://w3id.org/security/v1", "id": stub, "type": "Key", "owner": v.vera.ID, "publicKeyPem": peer.PEM(v.mallory.Key())})
		v.answered(401, v.mallory.Send(inbox, v.vera.Follow(v.bob.actor), peer.KeyID(stub)))
		// The bytes of vera's public key, as everybody knows them, are no secret.
		mac := func(r *http.Request) {
			text := fmt.Sprintf("(request-target): post %s\nhost: %s\ndate: %s\ndigest: %s", r.URL.RequestURI(), r.URL.Host, r.Header.Get("Date"), r.Header.Get("Digest"))
			h := hmac.New(sha256.New, []byte(v.vera.Doc().Text("publicKey", "publicKeyPem")))
			h.Write([]byte(text))
			r.Header.Set("Signature", fmt.Sprintf(`keyId="%s",algorithm="hmac-sha256",headers="(request-target) host date digest",signature="%s"`,
				v.vera.KeyID(), base64.StdEncoding.EncodeToString(h.Sum(nil))))
		}
		v.answered(401, v.mallory.Send(inbox, v.vera.Follow(v.bob.actor), peer.After(mac)))
		if v.relation(v.bob, v.vera).FollowedBy {
			v.Error("vera follows, who said nothing")
		}
		v.followsBob(v.vera)
	})
}

// TestKeysMayBeSpelledAsOtherServersDo signs with keys at addresses of their
// own: as documents with an owner, and as GoToSocial's part of an actor.
func TestKeysMayBeSpelledAsOtherServersDo(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		rename := func(a *peer.Actor, id string) {
			a.Edit(func(d peer.Doc) {
				d["publicKey"] = peer.Doc{"id": id, "owner": a.ID, "publicKeyPem": peer.PEM(a.Key())}
			})
		}
		own := v.good.Actor("own")
		id := v.good.URL("/keys/own")
		rename(own, id)
		v.good.Publish(peer.Doc{"@context": "https://w3id.org/security/v1", "id": id, "type": "Key", "owner": own.ID, "publicKeyPem": peer.PEM(own.Key())})
		v.send(own, own.Follow(v.bob.actor), peer.KeyID(id))

		part := v.good.Actor("part")
		id = part.ID + "/main-key"
		rename(part, id)
		v.good.Serve(id, peer.Page{Body: peer.Doc{"@context": "https://www.w3.org/ns/activitystreams", "id": part.ID, "type": "Person", "preferredUsername": "part",
			"publicKey": part.Doc()["publicKey"]}.JSON()})
		v.send(part, part.Follow(v.bob.actor), peer.KeyID(id))

		for _, a := range []*peer.Actor{own, part} {
			v.until(a.Nickname+" follows", func() bool { return v.relation(v.bob, a).FollowedBy })
		}
	})
}

// TestANewKeyCountsOnceItsOwnerShowsIt rotates keys (row 12).
func TestANewKeyCountsOnceItsOwnerShowsIt(t *testing.T) {
	amongOnSQLite(t, func(v *village) {
		v.settle(v.vera)
		// By an Update that is signed with the old key.
		old := v.vera.Key()
		v.vera.Rotate()
		v.send(v.vera, v.vera.Update(v.vera.Doc()), peer.WithKey(old))
		v.until("the old key counts no more", func() bool {
			return v.vera.Send(v.bob.actor+"/inbox", v.vera.Like(v.bob.actor, v.bob.actor), peer.WithKey(old)).Status == 401
		})
		v.settle(v.vera)
		// Without an Update: a key older than five minutes is fetched again.
		v.vera.Rotate()
		v.home.Advance(6 * time.Minute)
		v.settle(v.vera)
	})
}

// TestRequestsCountOnce replays the same request, and the same activity signed
// anew, to other inboxes too (row 15).
func TestRequestsCountOnce(t *testing.T) {
	among(t, func(v *village) {
		v.follows(v.vera)
		note := v.vera.Note("<p>once</p>").Mentioning(v.bob.actor, v.bob.handle)
		create := v.vera.Create(note)
		for _, inbox := range []string{v.bob.actor + "/inbox", v.shared(), v.bob.actor + "/inbox", v.shared()} {
			v.answered(202, v.vera.Send(inbox, create))
		}
		// Another activity of the same object, and one that somebody passed on.
		v.good.Publish(note)
		v.send(v.vera, v.vera.Create(note))
		v.answered(202, v.mallory.Send(v.shared(), create))
		v.settle(v.vera)
		v.settle(v.mallory)
		n := 0
		for _, st := range v.timeline(v.bob) {
			if st.URI == note.Text("id") {
				n++
			}
		}
		if n != 1 {
			v.Errorf("it is %d times on the timeline", n)
		}
		told := 0
		for _, x := range v.notified(v.bob, "mention") {
			if x.Status.URI == note.Text("id") {
				told++
			}
		}
		if told != 1 {
			v.Errorf("bob is told %d times", told)
		}
	})
}

// TestNobodyUsesUpTheIdsOfOthers has mallory send an activity under an id of
// vera's before vera does.
func TestNobodyUsesUpTheIdsOfOthers(t *testing.T) {
	among(t, func(v *village) {
		note := v.vera.Note("<p>mine</p>").Mentioning(v.bob.actor, v.bob.handle)
		create := v.vera.Create(note)
		_ = v.mallory.Send(v.bob.actor+"/inbox", v.mallory.Follow(v.bob.actor).With("id", create["id"]))
		v.settle(v.mallory)
		if v.relation(v.bob, v.mallory).FollowedBy {
			v.Error("an activity counts whose id is at another server")
		}
		v.send(v.vera, create)
		v.until("hers arrives", func() bool { return v.known(note.Text("id")) != nil })
	})
}
