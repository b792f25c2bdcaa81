package sshd

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"

	"svc/db"
	"svc/server/rules/auth"
)

// errUnknownKey is for the log; clients hear that permission is denied.
var errUnknownKey = errors.New("unknown key")

// keyOf is where a connection keeps its key.
type keyOf struct{}

// offered answers whether a key may sign in. The name that the client sends decides
// only between accounts that have the same key: ssh sends that of the account on the
// other machine unless told otherwise. A name that is none of them is told so once
// the client has signed.
func (s *Server) offered(conn ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
	ctx, cancel := context.WithTimeout(s.ctx, s.limits.Handshake)
	defer cancel()
	row, err := s.service.Auth.SSHKey(ctx, key, conn.User())
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, errUnknownKey
	case errors.Is(err, auth.ErrSeveralAccounts):
		row = &db.SSHKey{} // of nobody
	case err != nil:
		s.log.WarnContext(ctx, "ssh key", "err", err)
		return nil, err
	}
	return &ssh.Permissions{ExtraData: map[any]any{keyOf{}: row}}, nil
}

// timed closes a connection that is idle for too long.
type timed struct {
	net.Conn
	idle atomic.Int64 // nanoseconds; 0 while the handshake has a deadline of its own
}

func (c *timed) Read(p []byte) (int, error) {
	if idle := c.idle.Load(); idle > 0 {
		_ = c.SetDeadline(time.Now().Add(time.Duration(idle)))
	}
	return c.Conn.Read(p)
}

// exchanges signs with the host key, which each exchange of keys needs once. It
// refuses a client that exchanges keys for no reason: each costs more than a request.
type exchanges struct {
	ssh.Signer
	limits Limits

	mu   sync.Mutex
	n    int       // those that count
	last time.Time // when n was reckoned
}

var errExchanges = errors.New("too many key exchanges")

// Sign signs an exchange.
func (e *exchanges) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	e.mu.Lock()
	now := time.Now()
	if over := int(now.Sub(e.last) / e.limits.ExchangeTime); over > 0 {
		e.n, e.last = max(0, e.n-over), now
	}
	e.n++
	refused := e.n > e.limits.Exchanges
	e.mu.Unlock()
	if refused {
		return nil, errExchanges
	}
	return e.Signer.Sign(rand, data)
}

// any reports whether there was one.
func (e *exchanges) any() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.n > 0
}

// caller is a connection whose key is known.
type caller struct {
	*Server
	conn *ssh.ServerConn
	raw  net.Conn
	key  *db.SSHKey

	mu       sync.Mutex
	programs int
	quiet    *time.Timer // closes the connection while there are none
}

// begins tells that a program runs, and returns how it ends.
func (c *caller) begins() (ends func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.programs++
	c.quiet.Stop()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.programs--; c.programs == 0 {
			c.quiet.Reset(c.limits.Quiet)
		}
	}
}

// goodbye is how long sessions have to say why they end.
const goodbye = 5 * time.Second

// connection serves a connection to its end.
func (s *Server) connection(raw net.Conn, p *place) {
	c := &timed{Conn: raw}
	defer func() { _ = c.Close() }()
	begun := time.Now()
	_ = c.SetDeadline(begun.Add(s.limits.Handshake))
	goOn := context.AfterFunc(s.ctx, func() { _ = c.Close() })
	made := &exchanges{Signer: s.host, limits: s.limits, last: begun}
	conn, channels, requests, err := ssh.NewServerConn(c, s.configOf(made))
	if err != nil {
		goOn()
		// Whoever only looks whether the port is open costs nothing.
		if made.any() || time.Since(begun) > s.limits.Handshake/4 {
			s.doors.fail(c.RemoteAddr())
		}
		s.log.InfoContext(s.ctx, "ssh refused", "address", c.RemoteAddr().String(), "err", err)
		return
	}
	goOn()
	c.idle.Store(int64(s.limits.Idle))
	_ = c.SetDeadline(time.Now().Add(s.limits.Idle))
	key, _ := conn.Permissions.ExtraData[keyOf{}].(*db.SSHKey)
	if !p.logIn(key.AccountID, s.hasRights(key.AccountID)) {
		s.log.InfoContext(s.ctx, "ssh refused", "address", c.RemoteAddr().String(), "account", key.AccountID, "err", "no place is free")
		return
	}
	one := &caller{Server: s, conn: conn, raw: c, key: key, quiet: time.AfterFunc(s.limits.Quiet, func() { _ = c.Close() })}
	defer one.quiet.Stop()
	go ssh.DiscardRequests(requests) // above all of forwarding
	one.serve(channels)
}

// hasRights reports whether an account may do anything here. A session asks again,
// and tells the person.
func (s *Server) hasRights(accountID string) bool {
	ctx, cancel := context.WithTimeout(s.ctx, s.limits.Handshake)
	defer cancel()
	account, err := s.service.DB.Account(ctx, accountID)
	return err == nil && !account.Deactivated && len(s.rights.Of(account)) > 0
}

// serve opens sessions until the client leaves, or the server stops.
func (c *caller) serve(channels <-chan ssh.NewChannel) {
	var sessions sync.WaitGroup
	for stopping := false; !stopping; {
		select {
		case asked, more := <-channels:
			if !more {
				sessions.Wait()
				return
			}
			c.answer(asked, &sessions)
		case <-c.ctx.Done():
			stopping = true
		}
	}
	over := make(chan struct{})
	go func() {
		sessions.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(goodbye): // a client that takes nothing
	}
	_ = c.conn.Close()
	<-over
}

// answer opens a session, and nothing else.
func (c *caller) answer(asked ssh.NewChannel, sessions *sync.WaitGroup) {
	if asked.ChannelType() != "session" {
		_ = asked.Reject(ssh.Prohibited, "nothing is forwarded here")
		return
	}
	end, ok := c.doors.begin(c.key.AccountID)
	if !ok {
		_ = asked.Reject(ssh.ResourceShortage, "too many sessions of this account are open")
		return
	}
	channel, requests, err := asked.Accept()
	if err != nil {
		end()
		return
	}
	sessions.Go(func() {
		defer end()
		c.session(channel, requests)
	})
}
