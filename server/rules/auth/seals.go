package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
)

// Second factors, app secrets and the tokens of devices are sealed with keys of this database, one for
// each owner, so that a copy of their tables alone reveals none.

const sealSecret = "mfa_secret"

// The uses of seals, each with its kind of owner.
const (
	sealTOTP   = "totp"          // for an account
	sealClient = "client secret" // for a client id
	sealCode   = "backup code"   // for an account; it is only hashed
	sealToken  = "access token"  // for a token's number
)

// seals derives keys.
type seals struct{ root string }

// seals reads the root of the keys, once.
func (s *Service) seals(ctx context.Context) (*seals, error) {
	if known := s.sealed.Load(); known != nil {
		return known, nil
	}
	root, err := s.db.Secret(ctx, sealSecret, Secret)
	if err != nil {
		return nil, err
	}
	k := &seals{root}
	if !s.db.InTx() { // in a transaction, the root may still be rolled back
		s.sealed.Store(k)
	}
	return k, nil
}

// key derives a key for one use and one owner.
func (k *seals) key(use, owner string) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(k.root), nil, use+"\x00"+owner, 32)
}

func (k *seals) sealer(use, owner string) (cipher.AEAD, error) {
	key, err := k.key(use, owner)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// seal encrypts text.
func (k *seals) seal(use, owner, text string) (string, error) {
	aead, err := k.sealer(use, owner)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce)
	return base64.RawStdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte(text), nil)), nil
}

// unseal decrypts the result of seal; "" stays "".
func (k *seals) unseal(use, owner, sealed string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	aead, err := k.sealer(use, owner)
	if err != nil {
		return "", err
	}
	raw, err := base64.RawStdEncoding.DecodeString(sealed)
	if err == nil && len(raw) < aead.NonceSize() {
		err = errors.New("too short")
	}
	var text []byte
	if err == nil {
		text, err = aead.Open(nil, raw[:aead.NonceSize()], raw[aead.NonceSize():], nil)
	}
	if err != nil {
		return "", fmt.Errorf("%s of %s: %w", use, owner, err)
	}
	return string(text), nil
}

// codeHash returns the stored form of a backup code. It uses the key, since a
// code may be short enough to try all.
func (k *seals) codeHash(accountID, code string) (string, error) {
	key, err := k.key(sealCode, accountID)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(code))
	return base64.RawStdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// SealToken encrypts an access token, by its number, for messages to its holder.
func (s *Service) SealToken(ctx context.Context, id int64, token string) (string, error) {
	keys, err := s.seals(ctx)
	if err != nil {
		return "", err
	}
	return keys.seal(sealToken, strconv.FormatInt(id, 10), token)
}

// UnsealToken decrypts the result of SealToken.
func (s *Service) UnsealToken(ctx context.Context, id int64, sealed string) (string, error) {
	keys, err := s.seals(ctx)
	if err != nil {
		return "", err
	}
	return keys.unseal(sealToken, strconv.FormatInt(id, 10), sealed)
}
