package streaming

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/server/api/web"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// Health is GET /api/v1/streaming/health.
func (a *API) Health(c *gin.Context) error {
	c.String(http.StatusOK, "OK")
	return nil
}

// Open is GET /api/v1/streaming, and below it a path for each stream: a socket
// where the client asks for one, else Server-Sent Events.
func (a *API) Open(c *gin.Context) error {
	q := asked{Name: nameOf(c), Tag: c.Query("tag"), List: c.Query("list"), Instance: c.Query("instance")}
	socket := strings.EqualFold(c.GetHeader("Upgrade"), "websocket")
	r, err := a.reader(c, socket)
	if err != nil {
		return err
	}
	var streams []stream
	switch {
	case q.Name != "":
		s, err := a.stream(c.Request.Context(), r.id, q)
		if err != nil && !socket && fault.Is(err, fault.KindNotFound) {
			err = fault.Malformed(err.Error())
		}
		if err != nil {
			return err
		}
		streams = append(streams, s)
	case !socket:
		return fault.Malformed(errUnknown.Message)
	default:
		r.multiple.Store(true) // the socket names its streams later
	}
	if err := a.begin(r); err != nil {
		return err
	}
	for _, s := range streams {
		if err := a.subscribe(r, s); err != nil {
			a.end(r)
			return err
		}
	}
	if socket {
		a.serveSocket(c, r, mastodon{a, r})
		return nil
	}
	defer a.end(r)
	return a.serveEvents(c, r)
}

// nameOf returns the stream that a request names: by parameter, or by its path
// with slashes in place of colons.
func nameOf(c *gin.Context) string {
	name := web.Words(c).In(c.Query("stream"))
	if name == "" {
		name = strings.Trim(strings.TrimPrefix(c.FullPath(), "/api/v1/streaming"), "/")
		name = strings.ReplaceAll(name, "/", ":")
	}
	if on := c.Query("only_media"); (on == "true" || on == "1") && strings.HasPrefix(name, "public") && !strings.HasSuffix(name, ":media") {
		name += ":media"
	}
	return name
}

// reader returns the reader of a stream for a request. The token may be in the
// query, in the Authorization header or, for a socket, in
// Sec-WebSocket-Protocol. An invalid token is refused even if none is needed.
func (a *API) reader(c *gin.Context, socket bool) (*reader, error) {
	token := c.Query("access_token")
	if scheme, rest, _ := strings.Cut(c.GetHeader("Authorization"), " "); token == "" && strings.EqualFold(scheme, "Bearer") {
		token = strings.TrimSpace(rest)
	}
	if token == "" && socket {
		token = strings.TrimSpace(c.GetHeader("Sec-WebSocket-Protocol"))
	}
	r := newReader(token)
	r.who, r.words = web.CountedAddr(c), web.Words(c)
	if socket {
		r.transport = WebSocket
	}
	if token == "" {
		return r, nil
	}
	r.renew = func(ctx context.Context) (*auth.Identity, error) { return a.Identities.Identify(ctx, token) }
	id, err := r.renew(c.Request.Context())
	if err != nil {
		return nil, err
	}
	if id == nil {
		return nil, errInvalid
	}
	r.id = id
	if account := auth.AccountOf(id); account != nil {
		r.who = account.ID
	}
	return r, nil
}

// writing bounds the time in which a client takes a message.
const writing = 10 * time.Second

// renewing is how many probes or comments later a token is read again.
const renewing = 10

// rhythm is the rhythm of idle connections.
type rhythm struct {
	pinging  time.Duration // how often a socket is probed
	answered time.Duration // for the answer to a probe
	thumping time.Duration // how often Server-Sent Events have a comment
}

var usual = rhythm{pinging: 30 * time.Second, answered: 30 * time.Second, thumping: 15 * time.Second}

// beat checks an idle connection: probe reports that the client is gone, and
// from time to time the token is read again.
func (a *API) beat(ctx context.Context, r *reader, n int, probe func() error) error {
	if n%renewing == 0 {
		if err := r.recheck(ctx, a); err != nil {
			return err
		}
	}
	return probe()
}
