package clientapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/platform/static"
	"svc/server/platform/text"
)

// shownDocument is a document as clients show it.
type shownDocument struct {
	at   time.Time // when it was written
	html string
}

// documentOf returns a document that the instance wrote; false if there is none. Long
// ones take time to sanitise, so that each is kept until it is written again.
func (a *Instance) documentOf(d static.Document) (*shownDocument, bool, error) {
	at, written := a.Static.WrittenAt(d)
	if !written {
		return nil, false, nil
	}
	if kept, ok := a.documents.Load(d.Name); ok && kept.(*shownDocument).at.Equal(at) {
		return kept.(*shownDocument), true, nil
	}
	content, written, err := a.Static.Read(d)
	if errors.Is(err, db.ErrNotFound) || err == nil && !written {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	shown := &shownDocument{at: at, html: text.SanitizeRemote(string(content))}
	a.documents.Store(d.Name, shown)
	return shown, true, nil
}

var noDocument = fault.NotFound("Record not found")

// ExtendedDescription is GET /api/v1/instance/extended_description.
func (a *Instance) ExtendedDescription(c *gin.Context) error {
	return a.document(c, static.Description, func() error { return web.OK(c, api.InstanceDocument{}) })
}

// PrivacyPolicy is GET /api/v1/instance/privacy_policy.
func (a *Instance) PrivacyPolicy(c *gin.Context) error {
	return a.document(c, static.Privacy, func() error { return noDocument })
}

func (a *Instance) document(c *gin.Context, of static.Document, missing func() error) error {
	d, written, err := a.documentOf(of)
	switch {
	case err != nil:
		return err
	case !written:
		return missing()
	}
	return web.OK(c, api.InstanceDocument{UpdatedAt: api.At(d.at), Content: d.html})
}

// TermsOfService is GET /api/v1/instance/terms_of_service.
func (a *Instance) TermsOfService(c *gin.Context) error {
	d, written, err := a.documentOf(static.Terms)
	switch {
	case err != nil:
		return err
	case !written:
		return noDocument
	}
	return web.OK(c, api.TermsOfService{EffectiveDate: d.at.UTC().Format(time.DateOnly), Effective: true, Content: d.html})
}

// DomainBlocks is GET /api/v1/instance/domain_blocks: the hosts that SimplePolicy limits,
// while the instance tells of its policies.
func (a *Instance) DomainBlocks(c *gin.Context) error {
	p := &a.Settings.Load().Policies
	if !p.Transparency {
		return noDocument
	}
	out := api.List[api.LimitedDomain]{}
	if !slices.ContainsFunc(p.Chain, func(module string) bool { return strings.HasSuffix(module, ".SimplePolicy") }) {
		return web.OK(c, out)
	}
	for _, limit := range []struct {
		severity string
		hosts    []string
	}{{api.SeveritySuspend, p.Simple.Reject}, {api.SeveritySilence, p.Simple.FederatedTimelineRemoval}} {
		for _, host := range shown(limit.hosts, p) {
			if slices.ContainsFunc(out, func(b api.LimitedDomain) bool { return b.Domain == host }) {
				continue // the stronger limit is shown
			}
			sum := sha256.Sum256([]byte(host))
			out = append(out, api.LimitedDomain{Domain: host, Digest: hex.EncodeToString(sum[:]), Severity: limit.severity})
		}
	}
	slices.SortFunc(out, func(a, b api.LimitedDomain) int { return strings.Compare(a.Domain, b.Domain) })
	return web.OK(c, out)
}

// Languages is GET /api/v1/instance/languages.
func (*Instance) Languages(c *gin.Context) error {
	out := make(api.List[api.Language], len(text.Languages))
	for i, l := range text.Languages {
		out[i] = api.Language{Code: l[0], Name: l[1]}
	}
	return web.OK(c, out)
}
