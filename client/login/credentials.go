package login

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringService is the name under which the system keyring shows our secrets.
const keyringService = "svcctl"

// keyringLimit bounds every call to the keyring: without a desktop session,
// D-Bus may never answer.
const keyringLimit = 2 * time.Second

// Credential is a context's token and its refresh token. Origin binds it: it
// is never sent anywhere else.
type Credential struct {
	Origin       string    `json:"origin"`
	Account      string    `json:"account,omitempty"`
	ClientID     string    `json:"client_id,omitempty"`
	ClientSecret string    `json:"client_secret,omitempty"`
	ClientScopes string    `json:"client_scopes,omitempty"` // those the client was registered with
	AccessToken  string    `json:"access_token,omitempty"`
	RefreshToken string    `json:"refresh_token,omitempty"`
	Scopes       string    `json:"scopes,omitempty"` // those the token has, as far as known
	ExpiresAt    time.Time `json:"expires_at,omitzero"`
}

// HandedIn reports whether the token was made elsewhere, so that others may have it too.
func (c Credential) HandedIn() bool { return c.AccessToken != "" && c.ClientID == "" }

// ErrNoCredential means that this context has no credential.
var ErrNoCredential = errors.New("not logged in")

// PermissionError is a file with a secret that others can read. It is refused
// rather than repaired: the secret may have been read already.
type PermissionError struct {
	Path string
	Mode fs.FileMode
}

func (e *PermissionError) Error() string {
	return fmt.Sprintf("%s: others can read it (mode %04o); it was not used", e.Path, e.Mode.Perm())
}

// Hint names the cure.
func (e *PermissionError) Hint() string { return "chmod 600 " + e.Path }

// Store keeps credentials by context name: in the system keyring where one
// answers in time, else in files with mode 0600.
type Store struct {
	dir     string
	of      string // as Paths.Of
	keyring bool
}

// NewStore keeps the log-ins of a configuration file. With useKeyring false it never asks
// the keyring.
func NewStore(paths Paths, useKeyring bool) *Store {
	return &Store{dir: paths.Credentials, of: paths.Of, keyring: useKeyring}
}

// entry is the name of a context's credential in the keyring.
func (s *Store) entry(name string) string {
	if s.of == "" {
		return name
	}
	return name + " of " + s.of
}

// Path is the file a context's credential is in when no keyring has it.
func (s *Store) Path(name string) string { return filepath.Join(s.dir, name+".json") }

// Get reads a context's credential. A file wins over the keyring: it exists
// only when the keyring could not take the secret.
func (s *Store) Get(name string) (Credential, error) {
	var c Credential
	data, err := ReadPrivate(s.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		if !s.keyring {
			return c, ErrNoCredential
		}
		var secret string
		err = withinLimit(func() (err error) {
			secret, err = keyring.Get(keyringService, s.entry(name))
			return err
		})
		if err != nil {
			// No entry, no keyring and a silent keyring all mean the same here.
			return c, ErrNoCredential
		}
		data = []byte(secret)
	} else if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, &ConfigError{Path: s.Path(name), Message: "not a credential", Hint: "svcctl auth login"}
	}
	return c, nil
}

// Put keeps a credential and returns where: "keyring" or the file's path.
func (s *Store) Put(name string, c Credential) (string, error) {
	data, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("encode credential: %w", err)
	}
	if s.keyring {
		err := withinLimit(func() error { return keyring.Set(keyringService, s.entry(name), string(data)) })
		if err == nil {
			if err := os.Remove(s.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", fmt.Errorf("remove the older credential: %w", err)
			}
			return "keyring", nil
		}
	}
	if err := writePrivate(s.Path(name), append(data, '\n')); err != nil {
		return "", fmt.Errorf("save credential: %w", err)
	}
	return s.Path(name), nil
}

// Delete removes a context's credential from the keyring and its file. A
// missing one is no error.
func (s *Store) Delete(name string) error {
	if s.keyring {
		// A keyring that does not answer holds nothing we could have put there.
		_ = withinLimit(func() error { return keyring.Delete(keyringService, s.entry(name)) })
	}
	if err := os.Remove(s.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget credential: %w", err)
	}
	return nil
}

var errKeyringSilent = errors.New("the keyring did not answer")

func withinLimit(call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	timer := time.NewTimer(keyringLimit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return errKeyringSilent
	}
}

// ReadPrivate reads a file with a secret. It refuses a file that others may
// read.
func ReadPrivate(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return nil, &PermissionError{Path: path, Mode: info.Mode()}
	}
	return io.ReadAll(io.LimitReader(f, 64<<10))
}

// trimToken takes a token as files and commands give it, with a line end.
func trimToken(s string) (string, error) {
	token := strings.TrimSpace(s)
	if token == "" {
		return "", errors.New("it is empty")
	}
	for _, r := range token {
		if r <= ' ' || r > '~' {
			return "", errors.New("it holds more than one word of printable ASCII")
		}
	}
	return token, nil
}
