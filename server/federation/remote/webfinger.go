package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc/server/federation/activitypub"
	"svc/server/platform/hosts"
	"svc/server/platform/outgoing"
)

// maxDiscovery bounds the answers of WebFinger and host-meta, in bytes.
const maxDiscovery = 64 << 10

// finger is the WebFinger answer for a handle.
type finger struct {
	subject string // nick@host, in lower case
	self    string // the id of its actor
}

// scheme is how discovery is asked for.
func (s *Service) scheme() string {
	if s.ids.Insecure && strings.HasPrefix(s.base, "http:") {
		return "http"
	}
	return "https"
}

// webfinger asks a handle's own host for the handle (RFC 7033), at the usual
// address or, if that is missing, at the one in its host-meta.
func (s *Service) webfinger(ctx context.Context, nick, host string) (*finger, error) {
	root := s.scheme() + "://" + host
	if _, err := s.foreign(root + "/"); err != nil {
		return nil, err
	}
	if !s.hosts.take(host, 1) {
		return nil, fmt.Errorf("%w: of %.200q", ErrBusy, host)
	}
	resource := url.QueryEscape("acct:" + nick + "@" + host)
	body, err := s.discover(ctx, root+"/.well-known/webfinger?resource="+resource, "application/jrd+json", "application/json")
	if errors.Is(err, errNoAnswer) {
		template, metaErr := s.hostMeta(ctx, root)
		if metaErr != nil {
			return nil, errors.Join(err, metaErr)
		}
		if _, err := s.foreign(template); err != nil {
			return nil, err
		}
		body, err = s.discover(ctx, strings.ReplaceAll(template, "{uri}", resource), "application/jrd+json", "application/json")
	}
	if err != nil {
		return nil, err
	}
	return s.readFinger(body)
}

// jrd is the used part of an answer. Shape: RFC 7033, 4.4.
type jrd struct {
	Subject string `json:"subject"`
	Links   []struct {
		Rel  string `json:"rel"`
		Type string `json:"type"`
		Href string `json:"href"`
	} `json:"links"`
}

func (s *Service) readFinger(body []byte) (*finger, error) {
	var doc jrd
	if err := json.Unmarshal(body, &doc); err != nil {
		return nil, fmt.Errorf("%w: WebFinger: %w", ErrRefused, err)
	}
	subject, ok := strings.CutPrefix(doc.Subject, "acct:")
	if !ok {
		return nil, fmt.Errorf("%w: WebFinger's subject is %.200q", ErrRefused, doc.Subject)
	}
	nick, host, err := s.handle(subject)
	if err != nil {
		return nil, err
	}
	out := &finger{subject: strings.ToLower(nick) + "@" + host}
	for _, l := range doc.Links {
		if l.Rel == "self" && activitypub.IsDocument(l.Type) {
			out.self = l.Href
			if id, err := s.ids.Check(l.Href); err == nil {
				out.self = id // it may be written with letters beyond ASCII
			}
			return out, nil
		}
	}
	return nil, fmt.Errorf("%w: WebFinger names no actor for %.200q", ErrNotFound, subject)
}

// handle splits nick@host, with or without a leading @, and returns the host in
// stored form.
func (s *Service) handle(text string) (nick, host string, err error) {
	nick, host, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "@"), "@")
	if !ok || !hosts.IsNick(nick) {
		return "", "", fmt.Errorf("%w: handle %.200q", ErrRefused, text)
	}
	if host, err = s.ids.Domain(host); err != nil {
		return "", "", fmt.Errorf("%w: handle %.200q: %w", ErrRefused, text, err)
	}
	return nick, host, nil
}

// errNoAnswer is a missing discovery address.
var errNoAnswer = errors.New("no such place")

// discover fetches a small document of one of these types.
func (s *Service) discover(ctx context.Context, address string, types ...string) ([]byte, error) {
	ctx, span := s.traces.Fetch(ctx, s.ids.Host(address))
	outcome, failed := "failed", true // unless it ends
	defer func() { span.Fetched(outcome, failed) }()
	body, err := s.found(ctx, address, types)
	outcome, failed = outcomeOf(err)
	return body, err
}

// found is discover without its trace.
func (s *Service) found(ctx context.Context, address string, types []string) ([]byte, error) {
	resp, err := s.free.Get(ctx, address, strings.Join(types, ", "))
	switch {
	case errors.Is(err, outgoing.ErrRefused):
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	case err != nil:
		return nil, fmt.Errorf("%w: ask %.200q: %w", errNoAnswer, address, err)
	}
	defer func() { _ = resp.Body.Close() }()
	switch code := resp.StatusCode; {
	case code == http.StatusNotFound, code == http.StatusGone:
		return nil, fmt.Errorf("%w: %w: %.200q answered %d", errNoAnswer, ErrNotFound, address, code)
	case code != http.StatusOK:
		return nil, fmt.Errorf("%w: %.200q answered %d", errNoAnswer, address, code)
	}
	if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || !slices.Contains(types, kind) {
		return nil, fmt.Errorf("%w: %.200q is of type %.100q", ErrRefused, address, resp.Header.Get("Content-Type"))
	}
	body, err := outgoing.Read(resp.Body, maxDiscovery)
	if errors.Is(err, outgoing.ErrTooLarge) {
		return nil, fmt.Errorf("%w: %.200q: %w", ErrRefused, address, err)
	}
	return body, err
}

// hostMeta returns the WebFinger template of a host (RFC 6415).
func (s *Service) hostMeta(ctx context.Context, root string) (string, error) {
	body, err := s.discover(ctx, root+"/.well-known/host-meta", "application/xrd+xml", "application/xml", "text/xml")
	if err != nil {
		return "", err
	}
	template, err := lrdd(body)
	if err != nil {
		return "", fmt.Errorf("%w: host-meta of %.200q: %w", ErrRefused, root, err)
	}
	return template, nil
}

// lrdd finds the template in a host-meta. Documents with declarations, which
// could define entities, are refused.
func lrdd(body []byte) (string, error) {
	dec := xml.NewDecoder(bytes.NewReader(body))
	dec.Strict = true
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return "", errors.New("it names no place for WebFinger")
		}
		if err != nil {
			return "", err
		}
		switch token := token.(type) {
		case xml.Directive:
			return "", errors.New("it has declarations")
		case xml.StartElement:
			attrs := map[string]string{}
			for _, a := range token.Attr {
				attrs[a.Name.Local] = a.Value
			}
			if template := attrs["template"]; token.Name.Local == "Link" && attrs["rel"] == "lrdd" && strings.Contains(template, "{uri}") {
				return template, nil
			}
		}
	}
}

// confirm returns the handle, nick@host, of an actor: the one that the actor's
// host and the handle's host agree upon. asked is the handle that led to the
// actor, and said the WebFinger answer for it; both are empty if the actor was
// found by its address.
func (s *Service) confirm(ctx context.Context, doc activitypub.Object, asked string, said *finger) (string, error) {
	id := doc.ID()
	claimed := doc.Text("webfinger")
	want := claimed
	if claimed == "" {
		want = doc.Text("preferredUsername") + "@" + s.ids.Host(id)
	}
	nick, host, err := s.handle(want)
	if err != nil {
		return "", err
	}
	if host == s.host {
		return "", fmt.Errorf("%w: %.200q says it is %.200q of this server", ErrRefused, id, want)
	}
	want = nick + "@" + host
	f := said
	if said == nil || !strings.EqualFold(want, asked) {
		if f, err = s.webfinger(ctx, nick, host); err != nil {
			return "", err
		}
	}
	if f.self != id {
		return "", fmt.Errorf("%w: %.200q is %.200q, not %.200q", ErrRefused, want, f.self, id)
	}
	if strings.EqualFold(f.subject, want) {
		return want, nil
	}
	// The actor's host claims a handle on another host, which must confirm it.
	if claimed != "" {
		return "", fmt.Errorf("%w: %.200q is known as %.200q", ErrRefused, want, f.subject)
	}
	nick, host, err = s.handle(f.subject)
	if err != nil {
		return "", err
	}
	if host == s.host {
		return "", fmt.Errorf("%w: %.200q says it is %.200q of this server", ErrRefused, id, f.subject)
	}
	other := said
	if said == nil || !strings.EqualFold(f.subject, asked) {
		if other, err = s.webfinger(ctx, nick, host); err != nil {
			return "", err
		}
	}
	if other.self != id || !strings.EqualFold(other.subject, f.subject) {
		return "", fmt.Errorf("%w: %.200q does not say that it is %.200q", ErrRefused, f.subject, id)
	}
	if local := doc.Text("preferredUsername"); strings.EqualFold(local, nick) {
		nick = local // as it is written
	}
	return nick + "@" + host, nil
}
