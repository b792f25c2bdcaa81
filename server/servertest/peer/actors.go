package peer

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/url"
	"sync"
)

// Actor is an account of a peer.
type Actor struct {
	Peer     *Peer
	Nickname string
	ID       string

	mu    sync.Mutex
	doc   Doc
	keyID string
	key   *rsa.PrivateKey
	lists map[string][]any // the items of its collections, by name
}

// keys are shared by actors: generating a key takes long.
var keys = struct {
	sync.Mutex
	made []*rsa.PrivateKey
	used int
}{}

// most bounds the generated keys; then they are used again.
const most = 8

// NewKey returns a key of the shared ones. The next seven calls return others.
func NewKey() *rsa.PrivateKey {
	keys.Lock()
	defer keys.Unlock()
	if keys.used++; len(keys.made) < most {
		k := FreshKey()
		keys.made = append(keys.made, k)
		return k
	}
	return keys.made[keys.used%most]
}

// FreshKey generates a key that no actor has.
func FreshKey() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
}

// PEM is the public half of a key.
func PEM(key *rsa.PrivateKey) string {
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// Actor returns the actor with this nickname. The first call creates it with a
// key and all collections.
func (p *Peer) Actor(nickname string) *Actor {
	p.mu.Lock()
	a, ok := p.actors[nickname]
	p.mu.Unlock()
	if ok {
		return a
	}
	return p.ActorAt("/users/"+url.PathEscape(nickname), nickname)
}

// ActorAt returns a new actor with this path as its id.
func (p *Peer) ActorAt(path, nickname string) *Actor {
	id := p.base + path
	a := &Actor{Peer: p, Nickname: nickname, ID: id, keyID: id + "#main-key", key: NewKey(), lists: map[string][]any{}}
	a.doc = Doc{
		"@context": []any{"https://www.w3.org/ns/activitystreams", "https://w3id.org/security/v1"},
		"id":       id, "type": "Person", "preferredUsername": nickname, "name": nickname + " of the peer", "summary": "",
		"url": id, "published": "2026-01-02T03:04:05Z", "manuallyApprovesFollowers": false, "discoverable": true,
		"inbox": id + "/inbox", "outbox": id + "/outbox", "followers": id + "/followers", "following": id + "/following",
		"featured": id + "/featured", "endpoints": Doc{"sharedInbox": p.base + "/inbox"},
		"publicKey": Doc{"id": a.keyID, "owner": id, "publicKeyPem": PEM(a.key)},
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.actors[nickname] = a
	return a
}

// Doc is the document as it is served at present.
func (a *Actor) Doc() Doc {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.doc.Clone()
}

// Edit changes the served document.
func (a *Actor) Edit(f func(Doc)) *Actor {
	doc := a.Doc()
	f(doc)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.doc = doc
	return a
}

// KeyID is the id of the signing key.
func (a *Actor) KeyID() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.keyID
}

// Key is the signing key.
func (a *Actor) Key() *rsa.PrivateKey {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.key
}

// Rotate replaces the key; the document shows the new one from now on.
func (a *Actor) Rotate() *Actor {
	key := FreshKey() // one that is used again could be the old one
	a.Edit(func(d Doc) { d["publicKey"] = Doc{"id": a.keyID, "owner": a.ID, "publicKeyPem": PEM(key)} })
	a.mu.Lock()
	defer a.mu.Unlock()
	a.key = key
	return a
}

// Collect sets the items of one of its collections: outbox, followers,
// following, featured.
func (a *Actor) Collect(name string, items ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lists[name] = items
}

// Followers is the address of its followers.
func (a *Actor) Followers() string { return a.ID + "/followers" }

// Handle is the name for users of other servers.
func (a *Actor) Handle() string { return a.Nickname + "@" + a.Peer.host }

// Inbox is its own inbox.
func (a *Actor) Inbox() string { return a.ID + "/inbox" }

// Received are the activities of these types that were posted to its own inbox.
func (a *Actor) Received(types ...string) []Doc {
	var out []Doc
	for _, r := range a.Peer.Posts(types...) {
		if r.URI == pathOf(a.Inbox()) {
			out = append(out, r.Doc)
		}
	}
	return out
}

func (a *Actor) page(u *url.URL) (Page, bool) {
	at := pathOf(a.ID)
	a.mu.Lock()
	defer a.mu.Unlock()
	if u.EscapedPath() == at || u.Path == at {
		return Page{Body: a.doc.JSON()}, true
	}
	for _, name := range []string{"outbox", "followers", "following", "featured"} {
		if u.EscapedPath() != at+"/"+name && u.Path != at+"/"+name {
			continue
		}
		items := a.lists[name]
		if items == nil {
			items = []any{}
		}
		return Page{Body: Doc{"@context": "https://www.w3.org/ns/activitystreams", "id": a.ID + "/" + name, "type": "OrderedCollection",
			"totalItems": len(items), "orderedItems": items}.JSON()}, true
	}
	return Page{}, false
}
