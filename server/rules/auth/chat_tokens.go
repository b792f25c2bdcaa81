package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"svc/db"
)

// chatTokenLife is how long a chat token is valid.
const chatTokenLife = 84600 * time.Second

const chatSecret = "chat_secret"

// ChatToken returns a token for the chat room, valid at any process until it
// expires: the account's id and the time, signed.
func (s *Service) ChatToken(ctx context.Context, accountID string) (string, error) {
	claim := accountID + "." + strconv.FormatInt(s.now().Add(chatTokenLife).Unix(), 10)
	mac, err := s.chatMAC(ctx, claim)
	return claim + "." + mac, err
}

// ChatTokenOwner returns the account of a chat token. An expired or foreign one,
// or one of an account that may not sign in, is db.ErrNotFound.
func (s *Service) ChatTokenOwner(ctx context.Context, token string) (*db.Account, error) {
	missing := fmt.Errorf("chat token: %w", db.ErrNotFound)
	i := strings.LastIndexByte(token, '.')
	if i < 0 {
		return nil, missing
	}
	mac, err := s.chatMAC(ctx, token[:i])
	if err != nil {
		return nil, err
	}
	id, until, _ := strings.Cut(token[:i], ".")
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || !hmac.Equal([]byte(mac), []byte(token[i+1:])) || !s.now().Before(time.Unix(seconds, 0)) {
		return nil, missing
	}
	a, err := s.db.Account(ctx, id)
	if err != nil {
		return nil, err
	}
	u, err := s.db.User(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := mayLogIn(a, u.PasswordResetPending, s.settings.Load()); err != nil {
		return nil, errors.Join(missing, err)
	}
	return a, nil
}

func (s *Service) chatMAC(ctx context.Context, claim string) (string, error) {
	key := s.chatKey.Load()
	if key == nil {
		secret, err := s.db.Secret(ctx, chatSecret, Secret)
		if err != nil {
			return "", err
		}
		raw := []byte(secret)
		key = &raw
		s.chatKey.Store(key)
	}
	mac := hmac.New(sha256.New, *key)
	mac.Write([]byte(claim))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), nil
}
