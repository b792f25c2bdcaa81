package documents

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/federation/activitypub"
	"svc/server/platform/hosts"
)

// The links of an account. Shape: WebFinger, ActivityPub 3, OStatus 1.0.
const (
	relProfile   = "http://webfinger.net/rel/profile-page"
	relSubscribe = "http://ostatus.org/schema/1.0/subscribe"
	activityLD   = `application/ld+json; profile="https://www.w3.org/ns/activitystreams"`
)

// xrd is an Extensible Resource Descriptor. Shape: XRD 1.0.
type xrd struct {
	XMLName xml.Name  `xml:"http://docs.oasis-open.org/ns/xri/xrd-1.0 XRD"`
	Subject string    `xml:"Subject,omitempty"`
	Aliases []string  `xml:"Alias"`
	Links   []xrdLink `xml:"Link"`
}

type xrdLink struct {
	Rel      string `xml:"rel,attr"`
	Type     string `xml:"type,attr,omitempty"`
	Href     string `xml:"href,attr,omitempty"`
	Template string `xml:"template,attr,omitempty"`
}

func sendXRD(c *gin.Context, doc xrd) error {
	raw, err := xml.Marshal(doc)
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, "application/xrd+xml; charset=utf-8", append([]byte(xml.Header), raw...))
	return nil
}

// HostMeta is GET /.well-known/host-meta. Shape: RFC 6415.
func (s *Service) HostMeta(c *gin.Context) error {
	if !s.live.Load().Instance.Federating {
		return unfederated
	}
	return sendXRD(c, xrd{Links: []xrdLink{{
		Rel: "lrdd", Type: "application/xrd+xml", Template: s.base + "/.well-known/webfinger?resource={uri}",
	}}})
}

// HostMetaJSON is GET /.well-known/host-meta.json. Shape: RFC 6415, appendix A.
func (s *Service) HostMetaJSON(c *gin.Context) error {
	if !s.live.Load().Instance.Federating {
		return unfederated
	}
	raw, err := json.Marshal(api.HostMeta{Links: api.List[api.HostMetaLink]{{
		Rel: "lrdd", Type: "application/jrd+json", Template: s.base + "/.well-known/webfinger?resource={uri}",
	}}})
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, "application/jrd+json; charset=utf-8", raw)
	return nil
}

// WebFinger is GET /.well-known/webfinger?resource=: a local account, by handle
// or by the address of its actor or profile. Shape: RFC 7033.
func (s *Service) WebFinger(c *gin.Context) error {
	if !s.live.Load().Instance.Federating {
		return unfederated
	}
	resource := web.Query(c, "resource")
	if resource == "" {
		return web.Missing("resource")
	}
	account, err := s.fingered(c.Request.Context(), resource)
	if err != nil {
		return err
	}
	doc := s.describe(account)
	c.Header("Vary", "Accept")
	if wantsXRD(c.GetHeader("Accept")) {
		out := xrd{Subject: doc.Subject, Aliases: doc.Aliases}
		for _, l := range doc.Links {
			out.Links = append(out.Links, xrdLink(l))
		}
		return sendXRD(c, out)
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, "application/jrd+json; charset=utf-8", raw)
	return nil
}

// describe returns the addresses of an account.
func (s *Service) describe(a *db.Account) api.WebFinger {
	doc := api.WebFinger{
		Subject: "acct:" + a.Nickname + "@" + s.host,
		Aliases: api.List[string]{a.URI},
		Links: api.List[api.WebFingerLink]{
			{Rel: relProfile, Type: "text/html", Href: a.URL},
			{Rel: "self", Type: activitypub.ContentType, Href: a.URI},
			{Rel: "self", Type: activityLD, Href: a.URI},
			{Rel: relSubscribe, Template: s.base + "/ostatus_subscribe?acct={uri}"},
		},
	}
	if a.URL != a.URI {
		doc.Aliases = append(doc.Aliases, a.URL)
	}
	return doc
}

// wantsXRD reports whether a request wants XML and not JSON.
func wantsXRD(accept string) bool {
	return strings.Contains(accept, "xml") && !strings.Contains(accept, "json") && !strings.Contains(accept, "text/html")
}

// fingered is the local account that a resource names, in any case: a person's,
// or one of the service itself.
func (s *Service) fingered(ctx context.Context, resource string) (*db.Account, error) {
	name, path, ok := s.local(resource)
	if !ok {
		return nil, db.ErrNotFound
	}
	switch path {
	case "/relay":
		return s.relayActor(ctx)
	case "/internal/fetch":
		return s.remote.Fetcher(ctx)
	}
	a, err := s.db.AccountByNickname(ctx, name)
	if errors.Is(err, db.ErrNotFound) || err == nil && a.Invisible {
		switch strings.ToLower(name) {
		case "relay":
			return s.relayActor(ctx)
		case "internal.fetch":
			return s.remote.Fetcher(ctx)
		}
	}
	if err != nil {
		return nil, err
	}
	if !a.Local || a.Deactivated || a.Invisible || a.ApprovalPending || a.ConfirmationPending {
		return nil, errors.Join(errors.New("not to be found"), db.ErrNotFound)
	}
	return a, nil
}

// local is the nickname in acct:nick@host, nick@host, @nick@host,
// BASE/users/nick and BASE/@nick, where host and BASE are ours; of an address it
// is the path too.
func (s *Service) local(resource string) (name, path string, ok bool) {
	if u, err := url.Parse(resource); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		if scheme, _, _ := strings.Cut(s.base, ":"); u.Scheme != scheme || !hosts.Same(u.Host, s.host) {
			return "", "", false
		}
		path := strings.TrimSuffix(u.Path, "/")
		for _, prefix := range []string{"/users/", "/@"} {
			if name, ok := strings.CutPrefix(path, prefix); ok {
				return name, path, name != "" && !strings.Contains(name, "/")
			}
		}
		return "", path, path == "/relay" || path == "/internal/fetch"
	}
	if len(resource) > 5 && strings.EqualFold(resource[:5], "acct:") {
		resource = resource[5:]
	}
	name, at, _ := hosts.Handle(resource)
	return name, "", name != "" && at == s.host
}
