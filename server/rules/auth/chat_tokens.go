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

// chatClaim is what a chat token says, beside its signature.
type chatClaim struct {
	account string
	token   int64 // the number of the access token it was given to; 0 for a password
	version int64 // of the account's credentials
	until   int64 // in seconds
}

func (c chatClaim) String() string {
	return fmt.Sprintf("%s.%d.%d.%d", c.account, c.token, c.version, c.until)
}

// readChatClaim reads a claim; false for one of another form.
func readChatClaim(text string) (c chatClaim, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 4 {
		return c, false
	}
	c.account = parts[0]
	for i, into := range []*int64{&c.token, &c.version, &c.until} {
		n, err := strconv.ParseInt(parts[i+1], 10, 64)
		if err != nil {
			return c, false
		}
		*into = n
	}
	return c, true
}

// ChatToken returns a token for the chat room with the rights of the caller's
// token. It is valid at any process until it expires, until the caller's token
// ends, or until the credentials of the account, u, change.
func (s *Service) ChatToken(ctx context.Context, by *Identity, u *db.User) (string, error) {
	claim := chatClaim{by.Account.ID, by.TokenID, u.CredentialVersion, s.now().Add(chatTokenLife).Unix()}.String()
	mac, err := s.chatMAC(ctx, claim)
	return claim + "." + mac, err
}

// ChatTokenOwner returns the caller with a chat token, who has the scopes that the
// token behind it has now. An expired or foreign one, one whose access token or
// credentials are gone, or one of an account that may not sign in, is
// db.ErrNotFound.
func (s *Service) ChatTokenOwner(ctx context.Context, token string) (*Identity, error) {
	missing := fmt.Errorf("chat token: %w", db.ErrNotFound)
	i := strings.LastIndexByte(token, '.')
	if i < 0 {
		return nil, missing
	}
	mac, err := s.chatMAC(ctx, token[:i])
	if err != nil {
		return nil, err
	}
	claim, ok := readChatClaim(token[:i])
	if !ok || !hmac.Equal([]byte(mac), []byte(token[i+1:])) || !s.now().Before(time.Unix(claim.until, 0)) {
		return nil, missing
	}
	a, err := s.db.Account(ctx, claim.account)
	if err != nil {
		return nil, err
	}
	u, err := s.db.User(ctx, claim.account)
	if err != nil {
		return nil, err
	}
	if u.CredentialVersion != claim.version {
		return nil, missing
	}
	if err := mayLogIn(a, u.PasswordResetPending, s.settings.Load()); err != nil {
		return nil, errors.Join(missing, err)
	}
	if claim.token == 0 {
		return &Identity{Account: a, unscoped: true}, nil
	}
	scopes, err := s.db.AccountTokenScopes(ctx, a.ID, claim.token)
	if err != nil {
		return nil, err
	}
	return &Identity{Account: a, TokenID: claim.token, Scopes: SplitScopes(scopes)}, nil
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
