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

// directoryPatience bounds one step of a directory, and directoryTime all of
// them.
const (
	directoryPatience = 5 * time.Second
	directoryTime     = 12 * time.Second
	// directorySlots bounds the concurrent questions to the directory.
	directorySlots = 8
	// sayAgain is how often a failing directory is logged.
	sayAgain = time.Minute
)

// Newcomer is a person with right credentials in the directory and no account
// here. As an error it refuses the credentials, for callers that create no
// accounts.
type Newcomer struct{ Nickname, Email, Name string }

func (n *Newcomer) Error() string { return n.Unwrap().Error() }

// Unwrap returns the refusal.
func (n *Newcomer) Unwrap() error { return badCredentials("The name or the password is wrong.") }

var (
	// errUnreachable means that there is no directory to ask.
	errUnreachable = errors.New("the directory cannot be reached")
	// errUnusable means that the directory answers but the settings for it are
	// wrong.
	errUnusable = errors.New("the directory cannot be used")
	// errStranger means that a directory does not know this name and password.
	errStranger = errors.New("the directory knows no such name and password")
)

// directory is the state of the directory in this process.
type directory struct {
	queue    *queue
	failures atomic.Int64

	mu    sync.Mutex
	said  time.Time        // the last log line
	tried config.Directory // settings with a successful sign-in
}

// DirectoryFailures counts sign-ins that failed because of the directory.
func (s *Service) DirectoryFailures() int64 { return s.directory.failures.Load() }

// failed counts a failure and logs its reason once in a while.
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

// byDirectory finds the account with this nickname and password in the
// directory. Errors are errUnreachable, errStranger, a *Newcomer, and a refusal
// if the nickname is taken.
func (s *Service) byDirectory(ctx context.Context, at place, d *config.Directory, name, password string) (*db.Account, *db.User, error) {
	if name == "" || password == "" { // directories take an empty password for an anonymous bind
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
	if errors.Is(err, db.ErrNotFound) { // another's name, or a deleted one's
		return nil, nil, NotMade("the nickname has already been taken")
	}
	return a, u, err
}

// NotMade refuses a person with right credentials and no account.
func NotMade(why string) error {
	return fault.Forbiddenf("The password is right, but you can be given no account here: %s.", why).With("account_not_made")
}

// checkDirectory looks for faults of a directory that refused a sign-in, until
// one succeeds: with a wrong base it refuses everybody alike.
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
		s.log.WarnContext(ctx, "directory refused a sign-in and accepted none yet: check the base and the attribute",
			"name", d.UID+"=…,"+d.Base)
	}
}

// connect opens a connection to the directory, encrypted as d says. It ends in
// bounded time.
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

// entryOf is the entry of a person.
func entryOf(d *config.Directory, name string) string {
	return d.UID + "=" + ldap.EscapeDN(name) + "," + d.Base
}

// bind authenticates a name and password at the directory.
func bind(conn *ldap.Conn, d *config.Directory, name, password string) error {
	err := conn.Bind(entryOf(d, name), password)
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

// lookUp asks the directory. A person who may sign in there may read their own entry,
// and perhaps no other, not even the base.
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
	entries, err := conn.Search(ldap.NewSearchRequest(entryOf(d, name), ldap.ScopeBaseObject, ldap.NeverDerefAliases, 1, int(directoryPatience/time.Second), false,
		"(objectClass=*)", []string{"mail", "displayName", d.UID}, nil))
	if err != nil {
		return found, nil // authenticated, without further attributes
	}
	if len(entries.Entries) > 0 {
		e := entries.Entries[0]
		found.Email, found.Name = strings.TrimSpace(e.GetAttributeValue("mail")), e.GetAttributeValue("displayName")
		for _, spelled := range e.GetAttributeValues(d.UID) { // directories compare without case
			if strings.EqualFold(spelled, name) {
				found.Nickname = spelled
				break
			}
		}
	}
	return found, nil
}

// ProbeDirectory asks a directory for an unknown name, as a sign-in would, and
// returns the fault that keeps everybody from signing in. A base that is hidden
// from strangers counts as right where the directory says that it keeps such names.
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
	// A failed bind leaves the connection anonymous.
	_, err = conn.Search(ldap.NewSearchRequest(d.Base, ldap.ScopeBaseObject, ldap.NeverDerefAliases, 1, int(directoryPatience/time.Second), false,
		"(objectClass=*)", []string{"1.1"}, nil))
	switch {
	case ldap.IsErrorWithCode(err, ldap.LDAPResultNoSuchObject):
		if maybeHidden(conn, d.Base, err) {
			return nil
		}
		return fmt.Errorf("%w: it shows no entry %q, which is the base", errUnusable, d.Base)
	case err != nil:
		return nil // it hides its entries
	}
	people, err := conn.Search(ldap.NewSearchRequest(d.Base, ldap.ScopeSingleLevel, ldap.NeverDerefAliases, 1, int(directoryPatience/time.Second), false,
		"("+d.UID+"=*)", []string{"1.1"}, nil))
	if err == nil && len(people.Entries) == 0 {
		return fmt.Errorf("%w: no entry under %q shows an attribute %q", errUnusable, d.Base, d.UID)
	}
	return nil
}

// maybeHidden reports whether a base that a directory does not show may be there: it is
// below a name that the directory says it keeps (RFC 4512, 5.1), and the answer missing
// names no entry above it that is shown.
func maybeHidden(conn *ldap.Conn, base string, missing error) bool {
	var answer *ldap.Error
	if !errors.As(missing, &answer) || answer.MatchedDN != "" {
		return false
	}
	name, err := ldap.ParseDN(base)
	if err != nil {
		return false
	}
	root, err := conn.Search(ldap.NewSearchRequest("", ldap.ScopeBaseObject, ldap.NeverDerefAliases, 1, int(directoryPatience/time.Second), false,
		"(objectClass=*)", []string{"namingContexts"}, nil))
	if err != nil || len(root.Entries) == 0 {
		return false
	}
	for _, kept := range root.Entries[0].GetAttributeValues("namingContexts") {
		if above, err := ldap.ParseDN(kept); err == nil && len(above.RDNs) > 0 && (above.EqualFold(name) || above.AncestorOfFold(name)) {
			return true
		}
	}
	return false
}
