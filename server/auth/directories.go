package auth

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-ldap/ldap/v3"

	"svc/db"
	"svc/server/config"
)

// directoryPatience is how long a directory may take for one step.
const directoryPatience = 5 * time.Second

// Newcomer is somebody whom a directory knows, and we do not yet.
type Newcomer struct{ Nickname, Email, Name string }

// Admitting has s make an account with admit for a newcomer. Without, only those
// can sign in by a directory who have one.
func (s *Service) Admitting(admit func(context.Context, Newcomer) (*db.Account, error)) {
	s.admit = admit
}

var (
	// errUnreachable says that there is no directory to ask.
	errUnreachable = errors.New("the directory cannot be reached")
	// errStranger says that a directory does not know this name and password.
	errStranger = errors.New("the directory knows no such name and password")
)

// byDirectory finds who has this nickname and password in the directory, and
// makes him an account when he has none. Errors are errUnreachable and
// errStranger.
func (s *Service) byDirectory(ctx context.Context, d *config.Directory, name, password string) (*db.Account, *db.User, error) {
	if name == "" || password == "" { // directories take an empty password for none asked
		return nil, nil, errStranger
	}
	found, err := lookUp(d, name, password)
	if err != nil {
		return nil, nil, err
	}
	a, err := s.db.AccountByNickname(ctx, name)
	if errors.Is(err, db.ErrNotFound) && s.admit != nil {
		if a, err = s.admit(ctx, *found); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", errStranger, err)
		}
	}
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil, errStranger
	}
	if err != nil {
		return nil, nil, err
	}
	u, err := s.db.User(ctx, a.ID)
	if errors.Is(err, db.ErrNotFound) { // he is remote, or deleted
		return nil, nil, errStranger
	}
	return a, u, err
}

// lookUp asks the directory. Who may sign in there may read his own entry.
func lookUp(d *config.Directory, name, password string) (*Newcomer, error) {
	scheme := "ldap"
	if d.SSL {
		scheme = "ldaps"
	}
	secure := &tls.Config{ServerName: d.Host, MinVersion: tls.VersionTLS12}
	address := (&url.URL{Scheme: scheme, Host: net.JoinHostPort(d.Host, strconv.Itoa(d.Port))}).String()
	conn, err := ldap.DialURL(address, ldap.DialWithDialer(&net.Dialer{Timeout: directoryPatience}), ldap.DialWithTLSConfig(secure))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	defer func() { _ = conn.Close() }()
	conn.SetTimeout(directoryPatience)
	if d.TLS {
		if err := conn.StartTLS(secure); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnreachable, err)
		}
	}
	err = conn.Bind(d.UID+"="+ldap.EscapeDN(name)+","+d.Base, password)
	switch {
	case ldap.IsErrorAnyOf(err, ldap.ErrorNetwork, ldap.LDAPResultUnavailable, ldap.LDAPResultBusy):
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	case err != nil:
		return nil, errStranger
	}
	found := &Newcomer{Nickname: name}
	entries, err := conn.Search(ldap.NewSearchRequest(d.Base, ldap.ScopeWholeSubtree, ldap.NeverDerefAliases, 1, int(directoryPatience/time.Second), false,
		"("+d.UID+"="+ldap.EscapeFilter(name)+")", []string{"mail", "displayName"}, nil))
	if err != nil && !ldap.IsErrorWithCode(err, ldap.LDAPResultSizeLimitExceeded) {
		return found, nil // he is who he says; what else is known of him is not told
	}
	if len(entries.Entries) > 0 {
		e := entries.Entries[0]
		found.Email, found.Name = strings.TrimSpace(e.GetAttributeValue("mail")), e.GetAttributeValue("displayName")
	}
	return found, nil
}
