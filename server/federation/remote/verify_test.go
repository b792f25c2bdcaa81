package remote_test

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/servertest/peer"
)

func TestAStrangersKeyIsAskedForOnceAndRemembered(t *testing.T) {
	each(t, func(w *world) {
		bob := w.peer.Actor("bob")
		for range 3 {
			signer, err := w.sent(bob)
			if err != nil {
				w.Fatal(err)
			}
			if signer.Account.URI != bob.ID || signer.KeyID != bob.KeyID() || signer.Account.Nickname != bob.Handle() {
				w.Errorf("signed by %s (%s), key %s", signer.Account.URI, signer.Account.Nickname, signer.KeyID)
			}
		}
		w.Settle()
		if n := w.peer.Fetched("/users/bob"); n != 1 {
			w.Errorf("the actor was asked for %d times", n)
		}
		signer, err := w.sent(bob, peer.RFC9421())
		if err != nil || signer.Kind != db.KnockRFC9421 {
			w.Errorf("signed by RFC 9421: %v, %v", signer, err)
		}
	})
}

func TestSignaturesThatDoNotCount(t *testing.T) {
	each(t, func(w *world) {
		bob, eve := w.peer.Actor("bob"), w.peer.Actor("eve")
		for name, c := range map[string]struct {
			options []peer.Option
			want    error
		}{
			"none":                     {[]peer.Option{peer.Unsigned()}, remote.ErrUnsigned},
			"another key":              {[]peer.Option{peer.WithKey(eve.Key())}, remote.ErrBadSignature},
			"another's key id":         {[]peer.Option{peer.KeyID(eve.KeyID())}, remote.ErrBadSignature},
			"an acct key id":           {[]peer.Option{peer.KeyID("acct:" + bob.Handle())}, remote.ErrBadSignature},
			"a key id of ours":         {[]peer.Option{peer.KeyID(w.base + "/users/ann#main-key")}, remote.ErrBadSignature},
			"a key that is not there":  {[]peer.Option{peer.KeyID(bob.ID + "#other")}, remote.ErrBadSignature},
			"a server that is not":     {[]peer.Option{peer.KeyID("http://127.0.0.9:1/users/bob#main-key")}, remote.ErrKeyAway},
			"no target":                {[]peer.Option{peer.Covering("host", "date", "digest")}, remote.ErrBadSignature},
			"no host":                  {[]peer.Option{peer.Covering("(request-target)", "date", "digest")}, remote.ErrBadSignature},
			"no date":                  {[]peer.Option{peer.Covering("(request-target)", "host", "digest")}, remote.ErrBadSignature},
			"no digest":                {[]peer.Option{peer.Covering("(request-target)", "host", "date")}, remote.ErrBadSignature},
			"another body":             {[]peer.Option{peer.Body([]byte(`{"type":"Delete"}`))}, remote.ErrBadSignature},
			"another digest":           {[]peer.Option{peer.Digest("SHA-256=AAAA")}, remote.ErrBadSignature},
			"old":                      {[]peer.Option{peer.At(w.now().Add(-2*time.Hour - time.Minute))}, remote.ErrBadSignature},
			"of the future":            {[]peer.Option{peer.At(w.now().Add(time.Hour + time.Minute))}, remote.ErrBadSignature},
			"old enough":               {[]peer.Option{peer.At(w.now().Add(-2*time.Hour + time.Minute))}, nil},
			"nearly of the future":     {[]peer.Option{peer.At(w.now().Add(time.Hour - time.Minute))}, nil},
			"any label":                {[]peer.Option{peer.Algorithm("hs2019")}, nil},
			"another path":             {[]peer.Option{peer.Target("/users/ann/inbox")}, remote.ErrBadSignature},
			"RFC 9421, no method":      {[]peer.Option{peer.RFC9421(), peer.Covering("@target-uri", "content-digest")}, remote.ErrBadSignature},
			"RFC 9421, no target":      {[]peer.Option{peer.RFC9421(), peer.Covering("@method", "content-digest")}, remote.ErrBadSignature},
			"RFC 9421, no digest":      {[]peer.Option{peer.RFC9421(), peer.Covering("@method", "@target-uri")}, remote.ErrBadSignature},
			"RFC 9421, another body":   {[]peer.Option{peer.RFC9421(), peer.Body([]byte(`{}`))}, remote.ErrBadSignature},
			"RFC 9421, broken":         {[]peer.Option{peer.RFC9421(), peer.After(func(r *http.Request) { r.Header.Set("Signature-Input", "x") })}, remote.ErrBadSignature},
			"two signatures":           {[]peer.Option{peer.After(func(r *http.Request) { r.Header.Add("Signature", r.Header.Get("Signature")) })}, remote.ErrBadSignature},
			"the signature elsewhere":  {[]peer.Option{peer.After(elsewhere)}, nil},
			"two dates":                {[]peer.Option{peer.After(func(r *http.Request) { r.Header.Add("Date", r.Header.Get("Date")) })}, remote.ErrBadSignature},
			"a parameter twice":        {[]peer.Option{peer.After(func(r *http.Request) { r.Header.Set("Signature", r.Header.Get("Signature")+`,keyId="x"`) })}, remote.ErrBadSignature},
			"with a word before it":    {[]peer.Option{peer.After(func(r *http.Request) { r.Header.Set("Signature", "Signature "+r.Header.Get("Signature")) })}, nil},
			"a host that is not ours":  {[]peer.Option{peer.Before(func(r *http.Request) { r.Host = "svc.example" })}, remote.ErrBadSignature},
			"another host than signed": {[]peer.Option{peer.After(func(r *http.Request) { r.Host = "127.0.0.1" })}, remote.ErrBadSignature},
		} {
			signer, err := w.sent(bob, c.options...)
			if !errors.Is(err, c.want) || (err == nil) != (signer != nil) {
				w.Errorf("%s: %v, want %v", name, err, c.want)
			}
		}
	})
}

func elsewhere(r *http.Request) {
	r.Header.Set("Authorization", "Signature "+r.Header.Get("Signature"))
	r.Header.Del("Signature")
}

func TestHowOldASignatureMayBeIsASetting(t *testing.T) {
	each(t, func(w *world) {
		w.set(func(s *config.Settings) { s.ActivityPub.SignatureAge = 12 * time.Hour })
		if _, err := w.sent(w.peer.Actor("bob"), peer.At(w.now().Add(-11*time.Hour))); err != nil {
			w.Error(err)
		}
	})
}

func TestAChangedKeyIsAskedForAgainButNotAllTheTime(t *testing.T) {
	each(t, func(w *world) {
		bob := w.peer.Actor("bob")
		if _, err := w.sent(bob); err != nil {
			w.Fatal(err)
		}
		bob.Rotate()
		if _, err := w.sent(bob); !errors.Is(err, remote.ErrBadSignature) {
			w.Errorf("right after: %v", err)
		}
		w.advance(6 * time.Minute)
		if _, err := w.sent(bob); err != nil {
			w.Errorf("later: %v", err)
		}
		// A wrong signature has the key asked for once in a while, not each time.
		w.Settle()
		w.advance(6 * time.Minute)
		before := w.peer.Fetched("/users/bob")
		for range 3 {
			if _, err := w.sent(bob, peer.WithKey(w.peer.Actor("eve").Key())); !errors.Is(err, remote.ErrBadSignature) {
				w.Errorf("wrong: %v", err)
			}
		}
		if n := w.peer.Fetched("/users/bob") - before; n != 1 {
			w.Errorf("asked %d times", n)
		}
	})
}

// TestAKeyThatIsGoneProvesNothing has a key gone from its server: a request that names
// it is badly signed, and once it is back it counts at once.
func TestAKeyThatIsGoneProvesNothing(t *testing.T) {
	each(t, func(w *world) {
		bob := w.peer.Actor("bob")
		w.peer.Gone("/users/bob")
		for range 2 {
			if _, err := w.sent(bob); !errors.Is(err, remote.ErrSignerGone) || !errors.Is(err, remote.ErrBadSignature) {
				w.Errorf("gone: %v", err)
			}
		}
		if n := w.peer.Fetched("/users/bob"); n != 1 {
			w.Errorf("asked %d times", n)
		}
		w.peer.Remove("/users/bob")
		w.advance(6 * time.Minute)
		if _, err := w.sent(bob); err != nil {
			w.Errorf("back again: %v", err)
		}
	})
}

// TestTheKeyOfADeletedAccountIsNotAskedForAgain marks a key as gone, as the
// deletion of an account does.
func TestTheKeyOfADeletedAccountIsNotAskedForAgain(t *testing.T) {
	each(t, func(w *world) {
		bob, eve := w.peer.Actor("bob"), w.peer.Actor("eve")
		for _, a := range []*peer.Actor{bob, eve} {
			if err := w.d.MarkKeyGone(w.ctx(), a.KeyID()); err != nil {
				w.Fatal(err)
			}
		}
		for range 2 {
			if _, err := w.sent(bob); !errors.Is(err, remote.ErrSignerGone) {
				w.Errorf("gone: %v", err)
			}
			w.advance(10 * time.Minute)
		}
		if n := w.peer.Fetched("/users/bob"); n != 0 {
			w.Errorf("asked %d times", n)
		}
		// A look that finds the account takes the mark away.
		if _, err := w.Look(w.ctx(), eve.ID); err != nil {
			w.Fatal(err)
		}
		if _, err := w.sent(eve); err != nil {
			w.Errorf("found again: %v", err)
		}
		w.advance(30 * 24 * time.Hour)
		if err := w.Sweep(w.ctx()); err != nil {
			w.Fatal(err)
		}
		if kept, err := w.d.IsKeyGone(w.ctx(), bob.KeyID(), db.At(time.Unix(1, 0))); err != nil || kept {
			w.Errorf("kept after weeks: %v, %v", kept, err)
		}
		if _, err := w.sent(bob); err != nil {
			w.Errorf("back again, after weeks: %v", err)
		}
	})
}

// TestAKeyThatCannotBeHadForNowIsNoBadSignature has the servers of keys fail in
// ways that pass, and in ways that do not.
func TestAKeyThatCannotBeHadForNowIsNoBadSignature(t *testing.T) {
	each(t, func(w *world) {
		for name, c := range map[string]struct {
			page peer.Page
			want error
		}{
			"fails":        {peer.Page{Status: http.StatusInternalServerError}, remote.ErrKeyAway},
			"is busy":      {peer.Page{Status: http.StatusTooManyRequests}, remote.ErrKeyAway},
			"is not there": {peer.Page{Status: http.StatusNotFound}, remote.ErrBadSignature},
			"refuses":      {peer.Page{Status: http.StatusForbidden}, remote.ErrBadSignature},
			"is no actor":  {peer.Page{Type: "text/html", Body: []byte("<p>hello</p>")}, remote.ErrBadSignature},
			"breaks off": {peer.Page{Handler: func(rw http.ResponseWriter, _ *http.Request) {
				panic(http.ErrAbortHandler)
			}}, remote.ErrKeyAway},
		} {
			a := w.peer.Actor(strings.ReplaceAll(name, " ", "-"))
			w.peer.Serve(a.ID, c.page)
			if _, err := w.sent(a); !errors.Is(err, c.want) || errors.Is(err, remote.ErrBadSignature) && errors.Is(err, remote.ErrKeyAway) {
				w.Errorf("its server %s: %v, want %v", name, err, c.want)
			}
		}
		// The handle of the owner is looked up too.
		slow := w.peer.Actor("slow")
		w.peer.Serve("/.well-known/webfinger", peer.Page{Status: http.StatusBadGateway})
		w.peer.Serve("/.well-known/host-meta", peer.Page{Status: http.StatusBadGateway})
		if _, err := w.sent(slow); !errors.Is(err, remote.ErrKeyAway) {
			w.Errorf("its server does not answer for its handle: %v", err)
		}
	})
}

func TestAKeyThatIsNotThereIsAskedForOnceInAWhile(t *testing.T) {
	each(t, func(w *world) {
		bob := w.peer.Actor("bob")
		w.peer.Serve("/users/bob", peer.Page{Status: http.StatusNotFound})
		for range 3 {
			if _, err := w.sent(bob); !errors.Is(err, remote.ErrBadSignature) {
				w.Error(err)
			}
		}
		if n := w.peer.Fetched("/users/bob"); n != 1 {
			w.Errorf("asked %d times", n)
		}
		w.peer.Remove("/users/bob")
		w.advance(6 * time.Minute)
		if _, err := w.sent(bob); err != nil {
			w.Error(err)
		}
	})
}

func TestABlockedServersSignatureIsRefusedWithoutAskingIt(t *testing.T) {
	each(t, func(w *world) {
		w.set(func(s *config.Settings) {
			s.Policies.Chain = []string{"Svc.Web.ActivityPub.MRF.SimplePolicy"}
			s.Policies.Simple.Reject = []string{"127.0.0.2"}
		})
		if _, err := w.sent(w.peer.Actor("bob")); !errors.Is(err, remote.ErrBlocked) {
			w.Error(err)
		}
		if n := len(w.peer.Requests()); n != 0 {
			w.Errorf("it was asked %d times", n)
		}
	})
}

func TestKeysWithDocumentsOfTheirOwn(t *testing.T) {
	each(t, func(w *world) {
		for name, page := range map[string]func(a *peer.Actor, keyID string) peer.Doc{
			"a document of the key": func(a *peer.Actor, keyID string) peer.Doc {
				return peer.Doc{"id": keyID, "type": "Key", "owner": a.ID, "publicKeyPem": peer.PEM(a.Key())}
			},
			"a part of the owner's": func(a *peer.Actor, keyID string) peer.Doc {
				return peer.Doc{"id": a.ID, "type": "Person", "preferredUsername": a.Nickname, "publicKey": a.Doc()["publicKey"]}
			},
		} {
			nickname := "bob" + strconv.Itoa(len(name))
			a := w.peer.Actor(nickname)
			keyID := a.ID + "/main-key"
			key := peer.PEM(a.Key())
			a.Edit(func(d peer.Doc) { d["publicKey"] = peer.Doc{"id": keyID, "owner": a.ID, "publicKeyPem": key} })
			w.peer.Serve("/users/"+nickname+"/main-key", peer.Page{Body: page(a, keyID).JSON()})
			signer, err := w.sent(a, peer.KeyID(keyID))
			if err != nil || signer.Account.URI != a.ID {
				w.Errorf("%s: %v", name, err)
			}
		}
		// Whose document names a key that the owner does not have has none.
		eve := w.peer.Actor("eve")
		w.peer.Publish(peer.Doc{"id": w.peer.URL("/keys/1"), "owner": eve.ID, "publicKeyPem": peer.PEM(w.peer.Actor("mal").Key())})
		if _, err := w.sent(w.peer.Actor("mal"), peer.KeyID(w.peer.URL("/keys/1"))); !errors.Is(err, remote.ErrBadSignature) {
			w.Errorf("a key that its owner does not have: %v", err)
		}
		other := peer.Start(w.T, "127.0.0.3")
		mal := other.Actor("mal")
		key := peer.PEM(mal.Key())
		mal.Edit(func(d peer.Doc) { d["publicKey"] = peer.Doc{"id": eve.KeyID(), "owner": eve.ID, "publicKeyPem": key} })
		if _, err := w.sent(mal, peer.KeyID(mal.ID+"#main-key")); !errors.Is(err, remote.ErrBadSignature) {
			w.Errorf("somebody else's key: %v", err)
		}
		if _, err := w.sent(eve); err != nil {
			w.Errorf("the true owner: %v", err)
		}
	})
}

func TestOneClientHasOnlySoManyKeysLookedUp(t *testing.T) {
	each(t, func(w *world) {
		req := func(i int) error {
			r, err := http.NewRequestWithContext(remote.WithSource(w.ctx(), "192.0.2.7"), http.MethodGet, w.base+"/secure", nil)
			if err != nil {
				w.Fatal(err)
			}
			r.Header.Set("Date", w.now().UTC().Format(http.TimeFormat))
			r.Header.Set("Signature", `keyId="http://127.0.0.9:1/users/`+string(rune('a'+i%26))+time.Duration(i).String()+`#k",headers="(request-target) host date",signature="AAAA"`)
			r.Host = w.base[len("http://"):]
			_, err = w.Verify(r.Context(), r, nil)
			return err
		}
		busy := 0
		for i := range 500 {
			if err := req(i); !errors.Is(err, remote.ErrKeyAway) {
				w.Fatal(err)
			} else if errors.Is(err, remote.ErrBusy) {
				busy++
			}
		}
		// 300 at once, and five more each second that this takes.
		if busy < 50 || busy > 200 {
			w.Errorf("%d of 500 were not looked up", busy)
		}
	})
}
