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
)

// Second factors are sealed with keys of this database, each for its account,
// so that a copy of the table of users alone gives none away.

const sealSecret = "mfa_secret"

// sealKey derives a key for one use and one account.
func (s *Service) sealKey(ctx context.Context, use, accountID string) ([]byte, error) {
	root, err := s.db.Secret(ctx, sealSecret, Secret)
	if err != nil {
		return nil, err
	}
	return hkdf.Key(sha256.New, []byte(root), nil, use+"\x00"+accountID, 32)
}

func (s *Service) sealer(ctx context.Context, accountID string) (cipher.AEAD, error) {
	key, err := s.sealKey(ctx, "totp", accountID)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// seal makes text unreadable for whoever has not the key.
func (s *Service) seal(ctx context.Context, accountID, text string) (string, error) {
	aead, err := s.sealer(ctx, accountID)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, aead.NonceSize())
	_, _ = rand.Read(nonce)
	return base64.RawStdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte(text), nil)), nil
}

// unseal undoes seal; nothing stays nothing.
func (s *Service) unseal(ctx context.Context, accountID, sealed string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	aead, err := s.sealer(ctx, accountID)
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
		return "", fmt.Errorf("second factor of %s: %w", accountID, err)
	}
	return string(text), nil
}

// codeHash is what is kept of a backup code. It takes the key, since a code may
// be short enough to try all.
func (s *Service) codeHash(ctx context.Context, accountID, code string) (string, error) {
	key, err := s.sealKey(ctx, "backup code", accountID)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(code))
	return base64.RawStdEncoding.EncodeToString(mac.Sum(nil)), nil
}
