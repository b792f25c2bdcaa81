package clientapi

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/web"
)

// The links of an account. Shape: WebFinger, ActivityPub 3.
const (
	relProfile   = "http://webfinger.net/rel/profile-page"
	activityJSON = "application/activity+json"
	activityLD   = `application/ld+json; profile="https://www.w3.org/ns/activitystreams"`
)

// unfederated answers other servers while the instance keeps to itself.
var unfederated = &web.Answer{Status: http.StatusNotFound, Body: gin.H{"errors": gin.H{"detail": "Page not found"}}}

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
func (a *API) HostMeta(c *gin.Context) error {
	if !a.Settings.Load().Instance.Federating {
		return unfederated
	}
	return sendXRD(c, xrd{Links: []xrdLink{{
		Rel: "lrdd", Type: "application/xrd+xml", Template: a.Base + "/.well-known/webfinger?resource={uri}",
	}}})
}

// WebFinger is GET /.well-known/webfinger?resource=: a local account, by handle
// or by the address of its actor or profile. Shape: RFC 7033.
func (a *API) WebFinger(c *gin.Context) error {
	if !a.Settings.Load().Instance.Federating {
		return unfederated
	}
	resource := c.Query("resource")
	if resource == "" {
		return web.Missing("resource")
	}
	account, err := a.fingered(c, resource)
	if err != nil {
		return err
	}
	_, host, _ := strings.Cut(a.Base, "://")
	doc := api.WebFinger{
		Subject: "acct:" + account.Nickname + "@" + host,
		Aliases: api.List[string]{account.URI},
		Links: api.List[api.WebFingerLink]{
			{Rel: relProfile, Type: "text/html", Href: account.URL},
			{Rel: "self", Type: activityJSON, Href: account.URI},
			{Rel: "self", Type: activityLD, Href: account.URI},
		},
	}
	if account.URL != account.URI {
		doc.Aliases = append(doc.Aliases, account.URL)
	}
	c.Header("Vary", "Accept")
	if wantsXRD(c.GetHeader("Accept")) {
		out := xrd{Subject: doc.Subject, Aliases: doc.Aliases}
		for _, l := range doc.Links {
			out.Links = append(out.Links, xrdLink{Rel: l.Rel, Type: l.Type, Href: l.Href})
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

// wantsXRD tells whether somebody asks for XML and not for JSON.
func wantsXRD(accept string) bool {
	return strings.Contains(accept, "xml") && !strings.Contains(accept, "json") && !strings.Contains(accept, "text/html")
}

// fingered is the local account that a resource names, in any case.
func (a *API) fingered(c *gin.Context, resource string) (*db.Account, error) {
	name, ok := a.localName(resource)
	if !ok {
		return nil, db.ErrNotFound
	}
	account, err := a.DB.AccountByNickname(c.Request.Context(), name)
	if err != nil {
		return nil, err
	}
	if !account.Local || account.Deactivated || account.Invisible || account.ApprovalPending || account.ConfirmationPending {
		return nil, errors.Join(errors.New("not to be found"), db.ErrNotFound)
	}
	return account, nil
}

// localName is the nickname in acct:nick@host, nick@host, @nick@host,
// BASE/users/nick and BASE/@nick, where host and BASE are ours.
func (a *API) localName(resource string) (string, bool) {
	_, host, _ := strings.Cut(a.Base, "://")
	if u, err := url.Parse(resource); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		if !strings.EqualFold(u.Scheme+"://"+u.Host, a.Base) {
			return "", false
		}
		path := strings.TrimSuffix(u.Path, "/")
		for _, prefix := range []string{"/users/", "/@"} {
			if name, ok := strings.CutPrefix(path, prefix); ok {
				return name, name != "" && !strings.Contains(name, "/")
			}
		}
		return "", false
	}
	if len(resource) > 5 && strings.EqualFold(resource[:5], "acct:") {
		resource = resource[5:]
	}
	name, at, ok := strings.Cut(strings.TrimPrefix(resource, "@"), "@")
	return name, ok && name != "" && strings.EqualFold(at, host)
}
