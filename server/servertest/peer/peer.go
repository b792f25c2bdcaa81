// Package peer is a small ActivityPub server for tests. It is written from the
// specifications and shares no code with the service, so it is a second opinion
// on formats and signatures. Each Peer is one host, of which a test may have
// many. It serves the documents of the test, true or false, and records every
// request.
package peer

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Public is the address of everybody. Source: ActivityPub 5.6.
const Public = "https://www.w3.org/ns/activitystreams#Public"

// ActivityJSON is the media type of documents.
const ActivityJSON = "application/activity+json"

// Doc is a document, or a part of one.
type Doc map[string]any

// Clone is a deep copy.
func (d Doc) Clone() Doc {
	var out Doc
	if err := json.Unmarshal(d.JSON(), &out); err != nil {
		panic(err)
	}
	return out
}

// With is a copy with value under key; nil removes the key.
func (d Doc) With(key string, value any) Doc {
	out := d.Clone()
	if out[key] = value; value == nil {
		delete(out, key)
	}
	return out
}

// JSON is the document as it is sent.
func (d Doc) JSON() []byte {
	b, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return b
}

// Text is the text under a path of keys, "" where there is none.
func (d Doc) Text(keys ...string) string {
	var v any = map[string]any(d)
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	s, _ := v.(string)
	return s
}

// Object is the document under a key; nil where there is none.
func (d Doc) Object(key string) Doc {
	switch v := d[key].(type) {
	case map[string]any:
		return v
	case Doc:
		return v
	}
	return nil
}

// Texts are the texts under a key, one or a list.
func (d Doc) Texts(key string) []string {
	switch v := d[key].(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case []any:
		var out []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// Page is the answer to GETs of a path.
type Page struct {
	Status int    // 0 is 200
	Type   string // "" is ActivityJSON
	Header http.Header
	Body   []byte
	// Handler answers instead, where it is set.
	Handler http.HandlerFunc
}

// Request is one that arrived.
type Request struct {
	Method, Host string
	URI          string // as in the request line
	Header       http.Header
	Body         []byte
	Doc          Doc // of the body, nil if that is no JSON
	At           time.Time
}

// Peer is one host.
type Peer struct {
	t    testing.TB
	base string
	host string // with the port
	http *http.Client

	mu       sync.Mutex
	pages    map[string]Page
	actors   map[string]*Actor
	requests []Request
	answer   func(Request) Page
	next     int
	listener net.Listener
	server   *http.Server
}

// Start runs a peer at an address of this machine, such as 127.0.0.3, until the
// test ends.
func Start(t testing.TB, address string) *Peer {
	t.Helper()
	p := &Peer{t: t, pages: map[string]Page{}, actors: map[string]*Actor{}}
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	p.host = l.Addr().String()
	p.base = "http://" + p.host
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: from.DialContext, DisableCompression: true, MaxIdleConnsPerHost: 16}
	p.http = &http.Client{Timeout: 30 * time.Second, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	p.serve(l)
	t.Cleanup(func() {
		p.Stop()
		transport.CloseIdleConnections()
	})
	return p
}

func (p *Peer) serve(l net.Listener) {
	s := &http.Server{Handler: http.HandlerFunc(p.handle), ReadHeaderTimeout: 30 * time.Second}
	p.mu.Lock()
	p.listener, p.server = l, s
	p.mu.Unlock()
	go func() { _ = s.Serve(l) }()
}

// Stop stops the host: connections are refused.
func (p *Peer) Stop() {
	p.mu.Lock()
	s := p.server
	p.server = nil
	p.mu.Unlock()
	if s != nil {
		_ = s.Close()
	}
}

// Restart starts a stopped host again, with the same documents.
func (p *Peer) Restart() {
	p.t.Helper()
	l, err := net.Listen("tcp", p.host)
	if err != nil {
		p.t.Fatal(err)
	}
	p.serve(l)
}

// Base is the base URL.
func (p *Peer) Base() string { return p.base }

// Host is the name, with its port.
func (p *Peer) Host() string { return p.host }

// URL is the address of a path.
func (p *Peer) URL(path string) string { return p.base + path }

// ID is a new id below a path: {base}/notes/7 of "notes".
func (p *Peer) ID(kind string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	return p.base + "/" + kind + "/" + strconv.Itoa(p.next)
}

// Serve answers GETs of a path, or of a path with its query, with page.
func (p *Peer) Serve(path string, page Page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[strings.TrimPrefix(path, p.base)] = page
}

// Publish serves a document at its id.
func (p *Peer) Publish(docs ...Doc) {
	for _, d := range docs {
		p.Serve(d.Text("id"), Page{Body: d.JSON()})
	}
}

// Gone answers GETs of a path with 410.
func (p *Peer) Gone(path string) { p.Serve(path, Page{Status: http.StatusGone}) }

// Remove answers GETs of a path with 404 again.
func (p *Peer) Remove(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pages, strings.TrimPrefix(path, p.base))
}

// Answer sets the answer to POSTs; nil is 202.
func (p *Peer) Answer(f func(Request) Page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = f
}

// Requests returns the received requests, in their order; with match only
// those.
func (p *Peer) Requests(match ...func(Request) bool) []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.requests), func(r Request) bool {
		return slices.ContainsFunc(match, func(ok func(Request) bool) bool { return !ok(r) })
	})
}

// Forget forgets the requests so far.
func (p *Peer) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = nil
}

// Accept forgets the requests so far and answers POSTs with 202 again, in one
// step: refused activities are not among the received ones.
func (p *Peer) Accept() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests, p.answer = nil, nil
}

// Fetched counts the GETs of a path, with any query.
func (p *Peer) Fetched(path string) int {
	path = strings.TrimPrefix(path, p.base)
	return len(p.Requests(func(r Request) bool {
		at, _, _ := strings.Cut(r.URI, "?")
		return r.Method == http.MethodGet && (at == path || r.URI == path)
	}))
}

// Received returns the activities of these types that all inboxes of the peer
// received; without types, all.
func (p *Peer) Received(types ...string) []Doc {
	var out []Doc
	for _, r := range p.Posts(types...) {
		out = append(out, r.Doc)
	}
	return out
}

// Posts returns the requests with the activities of Received.
func (p *Peer) Posts(types ...string) []Request {
	return p.Requests(func(r Request) bool {
		return r.Method == http.MethodPost && r.Doc != nil && (len(types) == 0 || slices.Contains(types, r.Doc.Text("type")))
	})
}

func (p *Peer) handle(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(req.Body, 8<<20))
	r := Request{Method: req.Method, Host: req.Host, URI: req.RequestURI, Header: req.Header.Clone(), Body: body, At: time.Now()}
	_ = json.Unmarshal(body, &r.Doc)
	p.mu.Lock()
	p.requests = append(p.requests, r)
	answer := p.answer
	p.mu.Unlock()
	page, ok := Page{Status: http.StatusAccepted, Type: "text/plain"}, true
	switch req.Method {
	case http.MethodGet, http.MethodHead:
		page, ok = p.page(req)
	default:
		if answer != nil {
			page = answer(r)
		}
	}
	if !ok {
		page = Page{Status: http.StatusNotFound, Type: "text/plain"}
	}
	if page.Handler != nil {
		page.Handler(w, req)
		return
	}
	for k, v := range page.Header {
		w.Header()[k] = v
	}
	if w.Header().Get("Content-Type") == "" {
		kind := page.Type
		if kind == "" {
			kind = ActivityJSON
		}
		w.Header().Set("Content-Type", kind)
	}
	status := page.Status
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	_, _ = w.Write(page.Body)
}

// page is the document at an address: one of the test, or else an actor and its
// collections.
func (p *Peer) page(req *http.Request) (Page, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range []string{req.RequestURI, req.URL.Path} {
		if page, ok := p.pages[at]; ok {
			return page, true
		}
	}
	switch req.URL.Path {
	case "/.well-known/webfinger":
		return p.webFinger(req.URL.Query().Get("resource"))
	case "/.well-known/host-meta":
		return Page{Type: "application/xrd+xml", Body: []byte(`<?xml version="1.0" encoding="UTF-8"?>
<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0"><Link rel="lrdd" type="application/jrd+json" template="` + p.base + `/.well-known/webfinger?resource={uri}"/></XRD>`)}, true
	}
	for _, a := range p.actors {
		if page, ok := a.page(req.URL); ok {
			return page, true
		}
	}
	return Page{}, false
}

func (p *Peer) webFinger(resource string) (Page, bool) {
	for _, a := range p.actors {
		id, subject := a.ID, "acct:"+a.Nickname+"@"+p.host
		if !strings.EqualFold(resource, subject) && resource != id {
			continue
		}
		return Page{Type: "application/jrd+json", Body: Doc{
			"subject": subject, "aliases": []string{id},
			"links": []Doc{{"rel": "self", "type": ActivityJSON, "href": id}},
		}.JSON()}, true
	}
	return Page{}, false
}

// pathOf is the path of an address, with its query.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.RequestURI()
}
