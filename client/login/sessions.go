// Package login logs people in to instances and remembers it: contexts in a
// configuration file, credentials in the system keyring or in private files. It
// has four ways to log in, and refreshes tokens.
//
//	s, err := login.Open(login.PathsFrom(os.Getenv), os.Getenv, login.Wanted{}, true)
//	if err != nil {
//		return err
//	}
//	c, err := client.New(s.Origin.String(), client.WithTokenSource(s))
//
// It depends on svc/client for every request. It prints nothing: its callers ask
// and show.
package login

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Wanted is the instance that flags ask for; empty fields leave it to the
// environment, and that to the configuration file.
type Wanted struct {
	Context      string
	URL          string
	InsecureHTTP bool
	ReadOnly     bool
}

// Session is one instance, and the right to speak there.
type Session struct {
	Name      string // the context's name; "" when only an address is known
	Context   Context
	Origin    *url.URL
	ReadOnly  bool
	Protected bool
	Config    *Config // the configuration file that it was found in
	// From says where the token comes from: SVCCTL_TOKEN, SVCCTL_TOKEN_FILE,
	// token_command, or stored.
	From string

	source source
}

// AuthError is a missing, refused or unusable login.
type AuthError struct {
	Message string
	Hint    string
	Err     error
}

func (e *AuthError) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

func (e *AuthError) Unwrap() error { return e.Err }

// Open finds the session that flags, environment and configuration ask for, in
// this order. It reads the configuration, but neither token nor network.
func Open(paths Paths, getenv func(string) string, want Wanted, useKeyring bool) (*Session, error) {
	config, err := LoadConfig(paths.Config)
	if err != nil {
		return nil, err
	}
	name, explicit := chooseContext(config, getenv, want)
	ctx, known := config.Contexts[name]
	if explicit && !known {
		return nil, &ConfigError{
			Message: fmt.Sprintf("there is no context %+q", name),
			Hint:    "svcctl context list",
		}
	}
	s := &Session{Config: config, ReadOnly: want.ReadOnly || truth(getenv("SVCCTL_READ_ONLY"))}
	address := first(want.URL, getenv("SVCCTL_URL"))
	if address == "" {
		if !known {
			return nil, &AuthError{Message: "no instance is known", Hint: "svcctl auth login URL"}
		}
		address = ctx.URL
	}
	// A context's settings, permissions and credential go with its own address
	// alone.
	if at, err := ParseOrigin(address, true); err == nil && (!known || !sameOrigin(ctx, at)) {
		name, ctx, known = contextAt(config, at)
	}
	if s.Origin, err = ParseOrigin(address, want.InsecureHTTP || known && ctx.InsecureHTTP); err != nil {
		return nil, &ConfigError{Message: err.Error()}
	}
	if known {
		s.Name, s.Context = name, ctx
		s.ReadOnly = s.ReadOnly || ctx.ReadOnly
		s.Protected = ctx.Protected
	}
	return s, s.findSource(paths, getenv, useKeyring)
}

func chooseContext(config *Config, getenv func(string) string, want Wanted) (name string, explicit bool) {
	if name := first(want.Context, getenv("SVCCTL_CONTEXT")); name != "" {
		return name, true
	}
	if config.Current != "" {
		return config.Current, false
	}
	if len(config.Contexts) == 1 {
		return config.Names()[0], false
	}
	return DefaultContext, false
}

func sameOrigin(ctx Context, origin *url.URL) bool {
	u, err := ParseOrigin(ctx.URL, true)
	return err == nil && u.String() == origin.String()
}

func contextAt(config *Config, origin *url.URL) (string, Context, bool) {
	for _, name := range config.Names() {
		if sameOrigin(config.Contexts[name], origin) {
			return name, config.Contexts[name], true
		}
	}
	return "", Context{}, false
}

func (s *Session) findSource(paths Paths, getenv func(string) string, useKeyring bool) error {
	if text := getenv("SVCCTL_TOKEN"); text != "" {
		token, err := trimToken(text)
		if err != nil {
			return &AuthError{Message: "SVCCTL_TOKEN", Err: err}
		}
		s.From, s.source = "SVCCTL_TOKEN", fixed(token)
		return nil
	}
	if path := getenv("SVCCTL_TOKEN_FILE"); path != "" {
		data, err := ReadPrivate(path)
		if err != nil {
			return &AuthError{Message: "SVCCTL_TOKEN_FILE", Hint: hintOf(err), Err: err}
		}
		token, err := trimToken(string(data))
		if err != nil {
			return &AuthError{Message: "SVCCTL_TOKEN_FILE " + path, Err: err}
		}
		s.From, s.source = "SVCCTL_TOKEN_FILE", fixed(token)
		return nil
	}
	if len(s.Context.TokenCommand) > 0 {
		s.From, s.source = "token_command", &command{args: s.Context.TokenCommand}
		return nil
	}
	if s.Name == "" {
		s.source = nobody{s.Origin}
		return nil
	}
	s.From = "stored"
	s.source = &stored{
		store: NewStore(paths, useKeyring), name: s.Name, origin: s.Origin, now: time.Now,
	}
	return nil
}

// Token is the token to send now, refreshed when it is about to expire. With
// Refresh it makes the session a client.TokenSource.
func (s *Session) Token(ctx context.Context) (string, error) { return s.source.token(ctx, "") }

// Refresh is another token in place of one that the server rejected, "" when
// there is none to be had: then the server's refusal says it best.
func (s *Session) Refresh(ctx context.Context, rejected string) (string, error) {
	token, err := s.source.token(ctx, rejected)
	if err != nil {
		return "", nil
	}
	return token, nil
}

// Renew exchanges the stored token for a new one at any age. Tokens from
// elsewhere cannot be renewed.
func (s *Session) Renew(ctx context.Context) error {
	kept, ok := s.source.(*stored)
	if !ok {
		return &AuthError{Message: "the token from " + s.From + " cannot be refreshed here"}
	}
	current, err := kept.store.Get(kept.name)
	if err != nil {
		return kept.explain(err)
	}
	_, err = kept.token(ctx, current.AccessToken)
	return err
}

// source gives out a token. stale is one that was just refused, "" for none; a
// source without another answers with an error.
type source interface {
	token(ctx context.Context, stale string) (string, error)
}

var errNoOther = errors.New("there is no other token")

type fixed string

func (f fixed) token(_ context.Context, stale string) (string, error) {
	if stale == string(f) {
		return "", errNoOther
	}
	return string(f), nil
}

type nobody struct{ origin *url.URL }

func (n nobody) token(context.Context, string) (string, error) {
	return "", &AuthError{Message: "not logged in to " + n.origin.Host, Hint: "svcctl auth login " + n.origin.String()}
}

// commandLimit bounds a token_command, which may wait for a passphrase.
const commandLimit = 60 * time.Second

// command runs a program that prints the token, once.
type command struct {
	args []string

	once  sync.Once
	value string
	err   error
}

func (c *command) token(ctx context.Context, stale string) (string, error) {
	c.once.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, commandLimit)
		defer cancel()
		cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err == nil {
			c.value, err = trimToken(string(out))
		}
		if err != nil {
			c.err = &AuthError{Message: "token_command " + strconv.Quote(c.args[0]), Err: err}
			if said := strings.TrimSpace(complaint.String()); said != "" {
				c.err = &AuthError{Message: "token_command " + strconv.Quote(c.args[0]), Err: fmt.Errorf("%w: %s", err, firstLine(said))}
			}
		}
	})
	if c.err != nil {
		return "", c.err
	}
	if stale == c.value {
		return "", errNoOther
	}
	return c.value, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func truth(s string) bool {
	b, err := strconv.ParseBool(s)
	return err == nil && b
}

func hintOf(err error) string {
	var permission *PermissionError
	if errors.As(err, &permission) {
		return permission.Hint()
	}
	return ""
}

// Peek is the token if it is at hand: without running a command, without
// refreshing, without the network. "" when it is not.
func (s *Session) Peek() string {
	switch source := s.source.(type) {
	case fixed:
		return string(source)
	case *stored:
		if c, err := source.read(); err == nil && source.usable(c, "") {
			return c.AccessToken
		}
	}
	return ""
}
