// Package sshd serves the TUI and the verbs of svcctl over SSH, to admins and
// moderators who have nothing installed.
//
// A key identifies its account; the name that the client sends decides between those
// that have the same one. A session
// speaks to the service as every client does, by the API, with a token of its own
// that ends with it: it may what the account may. There is no shell, no forwarding
// and no file transfer; nothing that a client sends names a file or a program of
// this machine.
//
// It depends on server for the service, on tui and cmd/svcctl/commands for what it
// shows.
package sshd

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"svc/db"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/platform/rights"
	"svc/server/rules/auth"
)

// Limits bound what clients can take.
type Limits struct {
	Connections  int // of accounts with rights, at a time
	Guests       int // of accounts without any
	Strangers    int // before they log in
	PerAddress   int // connections of an address at a time
	PerAccount   int // sessions of an account at a time
	Failures     int // connections of an address that logged nobody in, in FailureTime
	FailureTime  time.Duration
	Handshake    time.Duration // from the connection to the right key
	Exchanges    int           // of keys, of a connection: so many, and one more in each ExchangeTime
	ExchangeTime time.Duration
	Quiet        time.Duration // of a connection without a program
	Idle         time.Duration // without a byte of the client
	Output       int64         // of a command, in bytes
	Room, Rooms  int64         // memory for what a command, and all of them, read and build, in bytes
	Input        int           // of all commands, in bytes a second
	Keys         int           // of a terminal, in bytes a second
	Turn         time.Duration // of a command, before others compute
	Calls        int           // of the API, by all sessions at a time
	Check        time.Duration // between two looks whether a session still has its rights
}

// Usual are the limits of a service.
var Usual = Limits{
	Connections: 100, Guests: 20, Strangers: 40, PerAddress: 10, PerAccount: 8, Failures: 10, FailureTime: 10 * time.Minute,
	Exchanges: 5, ExchangeTime: time.Minute, Quiet: time.Minute,
	Handshake: 20 * time.Second, Idle: 30 * time.Minute, Output: 64 << 20, Room: 64 << 20, Rooms: 88 << 20, Input: 8 << 20, Keys: 2 << 10, Turn: 2 * time.Second, Calls: 2, Check: time.Second,
}

// Parts are the dependencies of a Server.
type Parts struct {
	Service *server.Server
	Config  config.Config
	Limits  Limits
	Log     *slog.Logger
	Now     func() time.Time
}

// Server serves SSH.
type Server struct {
	service    *server.Server
	identities *auth.Identities
	rights     *rights.Service
	host       ssh.Signer
	base       *url.URL
	data       string // folder of the accounts' folders
	limits     Limits
	log        *slog.Logger
	now        func() time.Time
	inside     *inside
	doors      *doors
	rooms      *rooms
	turns      *turns
	input      *pace
	calls      chan struct{}

	ctx  context.Context // of all sessions
	stop context.CancelCauseFunc
	open sync.WaitGroup // connections
}

// notice is an error in a sentence for the person at the other end.
type notice string

func (n notice) Error() string { return string(n) }

// errStopping ends the sessions of a server that stops.
const errStopping = notice("The server is stopping. Connect again in a while.")

// New returns a Server with the host key of the database.
func New(ctx context.Context, p Parts) (*Server, error) {
	base, err := url.Parse(p.Service.BaseURL())
	if err != nil {
		return nil, err
	}
	identities, err := auth.NewIdentities(p.Service.DB, p.Service.Settings, p.Now)
	if err != nil {
		return nil, err
	}
	host, err := hostKey(ctx, p.Service.Auth)
	if err != nil {
		return nil, err
	}
	s := &Server{
		service: p.Service, identities: identities, rights: rights.New(p.Service.Settings, p.Config.FromDatabase), base: base, host: host,
		data: filepath.Join(p.Config.DataDir, "ssh"), limits: p.Limits, log: p.Log, now: p.Now,
		inside: newInside(p.Service.HTTP()), doors: newDoors(p.Limits, p.Now), rooms: newRooms(p.Limits),
		turns: newTurns(p.Limits), input: newPace(p.Limits.Input, 64<<10), calls: make(chan struct{}, p.Limits.Calls),
	}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	p.Log.InfoContext(ctx, "ssh", "host_key", ssh.FingerprintSHA256(host.PublicKey()))
	return s, s.forgetDeleted(ctx)
}

// configOf is how a connection is served whose key exchanges sign with host.
func (s *Server) configOf(host ssh.Signer) *ssh.ServerConfig {
	c := &ssh.ServerConfig{
		PublicKeyCallback: s.offered, ServerVersion: "SSH-2.0-svcd",
		// Without ssh-rsa, which signs with SHA-1.
		PublicKeyAuthAlgorithms: []string{
			ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoSKECDSA256,
			ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512,
		},
	}
	c.AddHostKey(host)
	return c
}

// hostKey is the key of the database, which the first process draws.
func hostKey(ctx context.Context, a *auth.Service) (ssh.Signer, error) {
	var failed error
	text, err := a.SSHHostKey(ctx, func() string {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		if err == nil {
			var block *pem.Block
			if block, err = ssh.MarshalPrivateKey(private, ""); err == nil {
				return string(pem.EncodeToMemory(block))
			}
		}
		failed = err
		return ""
	})
	if err = errors.Join(err, failed); err != nil {
		return nil, fmt.Errorf("ssh host key: %w", err)
	}
	key, err := ssh.ParsePrivateKey([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("ssh host key: %w", err)
	}
	return key, nil
}

// folder is where the outbox, the drafts and the journal of an account are.
func (s *Server) folder(account *db.Account) string { return filepath.Join(s.data, account.ID) }

// forgetDeleted removes the folders of accounts that are gone.
func (s *Server) forgetDeleted(ctx context.Context) error {
	entries, err := os.ReadDir(s.data)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		_, err := s.service.DB.User(ctx, entry.Name())
		if errors.Is(err, db.ErrNotFound) {
			err = os.RemoveAll(filepath.Join(s.data, entry.Name()))
		}
		if err != nil {
			return err
		}
	}
	return err
}

// Serve answers clients on l until ctx ends, and then ends their sessions.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer s.inside.close()
	s.log.InfoContext(ctx, "serving ssh", "address", l.Addr().String())
	go func() {
		<-ctx.Done()
		_ = l.Close()
	}()
	for {
		c, err := l.Accept()
		switch {
		case err == nil:
		case ctx.Err() != nil:
			s.stop(errStopping)
			s.open.Wait()
			return nil
		case isTemporary(err):
			s.log.WarnContext(ctx, "ssh", "err", err)
			time.Sleep(100 * time.Millisecond) // too many open files
			continue
		default:
			s.stop(errStopping)
			s.open.Wait()
			return fmt.Errorf("ssh: %w", err)
		}
		p, ok := s.doors.enter(c.RemoteAddr(), func() { _ = c.Close() })
		if !ok {
			_ = c.Close()
			continue
		}
		s.open.Go(func() {
			defer p.leave()
			s.connection(c, p)
		})
	}
}

// isTemporary reports whether accepting may succeed later.
func isTemporary(err error) bool { return !errors.Is(err, net.ErrClosed) }
