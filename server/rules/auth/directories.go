package auth

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-ldap/ldap/v3"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
)

// directoryPatience is how long a directory may take for one step, and
// directoryTime for all of them.
const (
	directoryPatience = 5 * time.Second
	directoryTime     = 12 * time.Second
	// directorySlots is how many ask it at once.
	directorySlots = 8
	// sayAgain is how often the log is told that a directory fails.
	sayAgain = time.Minute
)

// Newcomer is someone whom a directory knows, with the right password, who has
// no account here yet. As an error it is a refusal of their credentials, for
// callers that make no accounts.
type Newcomer struct{ Nickname, Email, Name string }

func (n *Newcomer) Error() string { return n.Unwrap().Error() }

// Unwrap is the refusal.
func (n *Newcomer) Unwrap() error { return badCredentials("The name or the password is wrong.") }

var (
	// errUnreachable says that there is no directory to ask.
	errUnreachable = errors.New("the directory cannot be reached")
	// errUnusable says that the directory answers, and cannot be used as the
	// settings say.
	errUnusable = errors.New("the directory cannot be used")
	// errStranger says that a directory does not know this name and password.
	errStranger = errors.New("the directory knows no such name and password")
)

// directory is what a process knows of how the directory does.
type directory struct {
	queue    *queue
	failures atomic.Int64

	mu    sync.Mutex
	said  time.Time        // when the log was last told
	tried config.Directory // with these settings someone signed in
}

// DirectoryFailures counts sign-ins at which the directory failed.
func (s *Service) DirectoryFailures() int64 { return s.directory.failures.Load() }

// failed counts a failure and tells the log why, once in a while.
func (s *Service) failed(ctx context.Context, d *config.Directory, err error) {
	s.directory.failures.Add(1)
	if s.mayBeSaid() {
		s.log.WarnContext(ctx, "signing in by the directory fails", "host", d.Host, "port", d.Port, "err", err)
	}
}

func (s *Service) mayBeSaid() bool {
	s.directory.mu.Lock()
	defer s.directory.mu.Unlock()
	now := s.now()
	if now.Sub(s.directory.said) < sayAgain {
		return false
	}
	s.directory.said = now
	return true
}

// byDirectory finds who has this nickname and password in the directory. Errors
// are errUnreachable, errStranger, a *Newcomer, and a refusal of those whose
// nickname is taken.
func (s *Service) byDirectory(ctx context.Context, at place, d *config.Directory, name, password string) (*db.Account, *db.User, error) {
	if name == "" || password == "" { // directories take an empty password for none asked
		return nil, nil, errStranger
	}
	leave, err := s.directory.queue.enter(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	found, err := lookUp(ctx, d, name, password)
	leave()
	switch {
	case errors.Is(err, errUnreachable):
		s.failed(ctx, d, err)
		return nil, nil, err
	case errors.Is(err, errUnusable):
		s.failed(ctx, d, err)
		return nil, nil, errStranger
	case errors.Is(err, errStranger):
		s.checkDirectory(ctx, d)
		return nil, nil, err
	case err != nil:
		return nil, nil, err
	}
	s.directory.mu.Lock()
	s.directory.tried = *d
	s.directory.mu.Unlock()
	a, err := s.db.AccountByNickname(ctx, name)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil, found
	}
	if err != nil {
		return nil, nil, err
	}
	u, err := s.db.User(ctx, a.ID)
	if errors.Is(err, db.ErrNotFound) { // someone else's, or a deleted one
		return nil, nil, NotMade("the nickname has already been taken")
	}
	return a, u, err
}

// NotMade refuses someone with the right password who has no account.
func NotMade(why string) error {
	return fault.Forbiddenf("The password is right, but you can be given no account here: %s.", why).With("account_not_made")
}

// checkDirectory looks what is wrong with a directory that refused someone, until
// someone signed in: a wrong base refuses everybody alike.
func (s *Service) checkDirectory(ctx context.Context, d *config.Directory) {
	s.directory.mu.Lock()
	known := s.directory.tried == *d
	due := s.now().Sub(s.directory.said) >= sayAgain
	s.directory.mu.Unlock()
	if known || !due {
		return
	}
	if err := ProbeDirectory(ctx, d); err != nil {
		s.failed(ctx, d, err)
		return
	}
	if s.mayBeSaid() {
		s.log.WarnContext(ctx, "the directory refused somebody, and has let nobody in so far: if it goes on, look at the base and the attribute",
			"name", d.UID+"=…,"+d.Base)
	}
}

// connect opens a connection to the directory, encrypted as d says. However the
// directory behaves, it ends.
func connect(ctx context.Context, d *config.Directory) (*ldap.Conn, error) {
	address := net.JoinHostPort(d.Host, strconv.Itoa(d.Port))
	secure := &tls.Config{ServerName: d.Host, MinVersion: tls.VersionTLS12}
	dialer := &net.Dialer{Timeout: directoryPatience}
	raw, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	_ = raw.SetDeadline(time.Now().Add(directoryTime)) // a TCP connection takes one
	if d.SSL {
		encrypted := tls.Client(raw, secure)
		hello, cancel := context.WithTimeout(ctx, directoryPatience)
		defer cancel()
		if err := encrypted.HandshakeContext(hello); err != nil {
			_ = raw.Close()
			return nil, fmt.Errorf("%w: encrypt: %w", errUnreachable, err)
		}
		raw = encrypted
	}
	conn := ldap.NewConn(raw, d.SSL)
	conn.Start()
	conn.SetTimeout(directoryPatience)
	if d.TLS {
		if err := conn.StartTLS(secure); err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("%w: encrypt: %w", errUnreachable, err)
		}
	}
	return conn, nil
}

// bind proves a name and password to the directory.
func bind(conn *ldap.Conn, d *config.Directory, name, password string) error {
	err := conn.Bind(d.UID+"="+ldap.EscapeDN(name)+","+d.Base, password)
	var answer *ldap.Error
	switch {
	case err == nil:
		return nil
	case ldap.IsErrorAnyOf(err, ldap.LDAPResultInvalidCredentials, ldap.LDAPResultNoSuchObject):
		return errStranger
	case !errors.As(err, &answer) || answer.ResultCode >= ldap.ErrorNetwork, // no answer, or none of a directory
		ldap.IsErrorAnyOf(err, ldap.LDAPResultUnavailable, ldap.LDAPResultBusy):
		return fmt.Errorf("%w: %w", errUnreachable, err)
	}
	return fmt.Errorf("%w: %w", errUnusable, err)
}

// lookUp asks the directory. Who may sign in there may read their own entry.
func lookUp(ctx context.Context, d *config.Directory, name, password string) (*Newcomer, error) {
	conn, err := connect(ctx, d)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	if err := bind(conn, d, name, password); err != nil {
		return nil, err
	}
	found := &Newcomer{Nickname: name}
	entries, err := conn.Search(ldap.NewSearchRequest(d.Base, ldap.ScopeWholeSubtree, ldap.NeverDerefAliases, 1, int(directoryPatience/time.Second), false,
		"("+d.UID+"="+ldap.EscapeFilter(name)+")", []string{"mail", "displayName"}, nil))
	if err != nil && !ldap.IsErrorWithCode(err, ldap.LDAPResultSizeLimitExceeded) {
		return found, nil // they are who they say; what else is known of them is not told
	}
	if len(entries.Entries) > 0 {
		e := entries.Entries[0]
		found.Email, found.Name = strings.TrimSpace(e.GetAttributeValue("mail")), e.GetAttributeValue("displayName")
	}
	return found, nil
}

// ProbeDirectory asks a directory as a sign-in would, for someone who is not
// there, and returns why nobody could sign in. A base that is hidden from
// strangers cannot be told from one that is wrong, and counts as right.
func ProbeDirectory(ctx context.Context, d *config.Directory) error {
	conn, err := connect(ctx, d)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	err = bind(conn, d, "svc-probe-"+Secret()[:8], Secret())
	switch {
	case err == nil:
		return fmt.Errorf("%w: it takes any name with any password", errUnusable)
	case !errors.Is(err, errStranger):
		return err
	}
	// A failed bind leaves the connection without a name.
	_, err = conn.Search(ldap.NewSearchRequest(d.Base, ldap.ScopeBaseObject, ldap.NeverDerefAliases, 1, int(directoryPatience/time.Second), false,
		"(objectClass=*)", []string{"1.1"}, nil))
	switch {
	case ldap.IsErrorWithCode(err, ldap.LDAPResultNoSuchObject):
		return fmt.Errorf("%w: it shows no entry %q, which is the base", errUnusable, d.Base)
	case err != nil:
		return nil // it tells strangers nothing
	}
	people, err := conn.Search(ldap.NewSearchRequest(d.Base, ldap.ScopeSingleLevel, ldap.NeverDerefAliases, 1, int(directoryPatience/time.Second), false,
		"("+d.UID+"=*)", []string{"1.1"}, nil))
	if err == nil && len(people.Entries) == 0 {
		return fmt.Errorf("%w: no entry under %q shows an attribute %q", errUnusable, d.Base, d.UID)
	}
	return nil
}
