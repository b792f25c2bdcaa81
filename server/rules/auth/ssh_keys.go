package auth

import (
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"
	"unicode"

	"golang.org/x/crypto/ssh"

	"svc/db"
	"svc/server/platform/fault"
)

const (
	// maxSSHKeys bounds the keys of an account.
	maxSSHKeys = 20
	// maxSSHKeyName is the longest name of a key, in characters.
	maxSSHKeyName = 100
	minRSABits    = 2048
	// sshSessionLife is the longest life of an SSH session.
	sshSessionLife = 12 * time.Hour

	sshHostSecret   = "ssh_host_key"
	sshClientSecret = "ssh_client_id"
)

// SSHScopes are the scopes of a session with a key that an admin added.
const SSHScopes = "read write follow admin:read admin:write"

// sshKeyTypes are the types of keys that are accepted. Certificates are not:
// nothing here checks who signed them, or until when they hold.
var sshKeyTypes = []string{
	ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSA, ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256,
}

// NewSSHKey is a public key to add.
type NewSSHKey struct {
	Text   string   // a line of authorized_keys, or a .pub file
	Name   string   // "" is the comment of the line
	Scopes []string // of sessions with it: no more than those of the token that adds it
}

// AddSSHKey lets an account sign in over SSH with a key, and tells its owner by mail.
// One that it has already is returned as it is. Other accounts may have the same key:
// who adds it need not prove to hold it, so it is kept from nobody.
func (s *Service) AddSSHKey(ctx context.Context, accountID string, in NewSSHKey) (key *db.SSHKey, err error) {
	row, err := sshKeyOf(in)
	if err != nil {
		return nil, err
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, accountID); err != nil {
			return err
		}
		known, err := tx.SSHKeyOf(ctx, row.Hash, accountID)
		if !errors.Is(err, db.ErrNotFound) {
			key = known
			return err
		}
		all, err := tx.SSHKeys(ctx, accountID)
		if err != nil {
			return err
		}
		if len(all) >= maxSSHKeys {
			return fault.Invalidf("An account has %d keys at most.", maxSSHKeys)
		}
		fresh := *row
		fresh.AccountID, key = accountID, &fresh
		if err := tx.CreateSSHKey(ctx, key); err != nil {
			return err
		}
		account, err := tx.Account(ctx, accountID)
		if err != nil {
			return err
		}
		u, err := tx.User(ctx, accountID)
		if err != nil {
			return err
		}
		return s.In(tx).tell(ctx, account, u, "an SSH key was added to your account: SHA256:"+key.Hash+". Whoever has it can sign in over SSH.")
	})
	if err != nil {
		return nil, err
	}
	return key, nil
}

// sshKeyOf reads a public key, and refuses those that are no good.
func sshKeyOf(in NewSSHKey) (*db.SSHKey, error) {
	text := strings.TrimSpace(in.Text)
	if strings.Contains(text, "PRIVATE KEY") {
		return nil, fault.Invalid("This is a private key, which nobody else should have. Send the public one, from the file that ends in .pub.")
	}
	key, comment, options, rest, err := ssh.ParseAuthorizedKey([]byte(text))
	switch {
	case err != nil:
		return nil, fault.Invalid("This is no public key like ssh-ed25519 AAAA… name.")
	case len(bytes.TrimSpace(rest)) > 0:
		return nil, fault.Invalid("One key is accepted at a time.")
	case len(options) > 0:
		return nil, fault.Invalid("Options before the key are not supported.")
	}
	if !accepted(key.Type()) {
		return nil, fault.Invalidf("Keys of the type %s are not accepted.", shortened(key.Type()))
	}
	if wrapped, ok := key.(ssh.CryptoPublicKey); ok {
		if k, ok := wrapped.CryptoPublicKey().(*rsa.PublicKey); ok && k.N.BitLen() < minRSABits {
			return nil, fault.Invalidf("RSA keys need %d bits.", minRSABits)
		}
	}
	name := in.Name
	if name == "" {
		name = comment
	}
	return &db.SSHKey{Hash: sshHash(key), Type: key.Type(), Name: shortened(name), Scopes: strings.Join(in.Scopes, " ")}, nil
}

func accepted(kind string) bool {
	for _, t := range sshKeyTypes {
		if t == kind {
			return true
		}
	}
	return false
}

// shortened is text in one line, and not too long.
func shortened(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.TrimSpace(text), ""))
	if r := []rune(text); len(r) > maxSSHKeyName {
		text = string(r[:maxSSHKeyName])
	}
	return text
}

// sshHash is the stored form of a key, of which ssh-keygen -l shows the same.
func sshHash(key ssh.PublicKey) string {
	sum := sha256.Sum256(key.Marshal())
	return base64.RawStdEncoding.EncodeToString(sum[:])
}

// SSHKeys returns the keys of an account, the oldest first.
func (s *Service) SSHKeys(ctx context.Context, accountID string) ([]db.SSHKey, error) {
	return s.db.SSHKeys(ctx, accountID)
}

// DeleteSSHKey ends a key of an account, and its sessions. Another's is
// db.ErrNotFound.
func (s *Service) DeleteSSHKey(ctx context.Context, accountID string, id int64) (key *db.SSHKey, err error) {
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, accountID); err != nil {
			return err
		}
		key, err = tx.DeleteSSHKey(ctx, accountID, id)
		return err
	})
	return key, err
}

// ErrSeveralAccounts says that a key is of several accounts, of which the name that
// came with it is none.
var ErrSeveralAccounts = errors.New("the key is of several accounts")

// SSHKey returns the key that a caller offers. It proves nothing: the caller must
// sign with it too. An unknown one is db.ErrNotFound. The name decides between
// accounts that have the key; where one has it, any will do.
func (s *Service) SSHKey(ctx context.Context, key ssh.PublicKey, name string) (*db.SSHKey, error) {
	if !accepted(key.Type()) {
		return nil, db.ErrNotFound
	}
	hash := sshHash(key)
	rows, err := s.db.SSHKeysByHash(ctx, hash, 2)
	switch {
	case err != nil:
		return nil, err
	case len(rows) == 0:
		return nil, db.ErrNotFound
	case len(rows) == 1:
		return &rows[0], nil
	}
	account, err := s.db.AccountByNickname(ctx, strings.TrimPrefix(name, "@"))
	var row *db.SSHKey
	if err == nil {
		row, err = s.db.SSHKeyOf(ctx, hash, account.ID)
	}
	if errors.Is(err, db.ErrNotFound) {
		err = ErrSeveralAccounts
	}
	return row, err
}

// SSHSession is the right to speak for an account, for as long as an SSH session
// lasts.
type SSHSession struct {
	Account *db.Account
	Token   string
	Until   time.Time
}

// OpenSSH begins a session of the owner of a key, who signed with it. The refusal
// of a key that is gone is db.ErrNotFound, that of an account which may not sign in
// is forbidden.
func (s *Service) OpenSSH(ctx context.Context, k *db.SSHKey) (session *SSHSession, err error) {
	app, err := s.sshApp(ctx)
	if err != nil {
		return nil, err
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		account, _, err := s.In(tx).held(ctx, k.AccountID)
		if err != nil {
			return err
		}
		if err := tx.UseSSHKey(ctx, k.ID); err != nil {
			return err
		}
		if err := tx.SweepSSHTokens(ctx, account.ID); err != nil {
			return err
		}
		session = &SSHSession{Account: account, Token: Secret(), Until: s.now().Add(sshSessionLife)}
		return tx.CreateToken(ctx, &db.Token{
			TokenHash: Hash(session.Token), AppID: app.ID, AccountID: &account.ID, Scopes: k.Scopes, SSHKeyID: &k.ID,
			ExpiresAt: db.At(session.Until), CreatedAt: db.At(s.now()),
		})
	})
	return session, err
}

// sshApp is the app of the tokens of SSH sessions. It is made once, and again after
// an admin deleted it.
func (s *Service) sshApp(ctx context.Context) (*db.App, error) {
	id, err := s.db.Secret(ctx, sshClientSecret, Secret)
	if err != nil {
		return nil, err
	}
	app, err := s.db.AppByClientID(ctx, id)
	if !errors.Is(err, db.ErrNotFound) {
		return app, err
	}
	app = &db.App{Name: "SSH", RedirectURIs: OutOfBand, Scopes: SSHScopes, ClientID: id, Used: true}
	keys, err := s.seals(ctx)
	if err != nil {
		return nil, err
	}
	app.Sealed = true
	if app.Secret, err = keys.seal(sealClient, id, Secret()); err != nil {
		return nil, err
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error { return tx.CreateApp(ctx, app) })
	if errors.Is(err, db.ErrDuplicate) { // by another process
		return s.db.AppByClientID(ctx, id)
	}
	return app, err
}

// SSHHostKey is the key by which clients know this server. All processes on one
// database have the same; the first draws it.
func (s *Service) SSHHostKey(ctx context.Context, draw func() string) (string, error) {
	return s.db.Secret(ctx, sshHostSecret, draw)
}
