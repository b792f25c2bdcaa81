// Package captcha draws pictures of digits that people can read and programs
// hardly, and seals the answers, so that the server need not store them. It
// stores nothing: callers make sure that a captcha counts once.
package captcha

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// digits is the number of digits in a picture.
const digits = 6

// ErrForged is a sealed answer that was changed, belongs to another captcha, or
// was sealed by others.
var ErrForged = errors.New("the sealed answer does not belong to the captcha")

// Challenge is a captcha. Picture is a PNG, or of another type if another
// service drew it at URL. Sealed is opaque.
type Challenge struct {
	Token   string
	Sealed  string
	Picture []byte
	URL     string
}

// Answer is the sealed answer: the digits or, from another service, their MD5
// sum.
type Answer struct {
	Digits  string    `json:"d,omitempty"`
	Sum     string    `json:"s,omitempty"`
	Expires time.Time `json:"e"`
}

// Is reports whether a solution is right.
func (a Answer) Is(solution string) bool {
	solution = strings.Join(strings.Fields(solution), "")
	if a.Sum != "" {
		solution, a.Digits = sumOf(solution), a.Sum
	}
	return subtle.ConstantTimeCompare([]byte(solution), []byte(a.Digits)) == 1
}

// New returns a captcha that is valid until expires, sealed with secret.
func New(secret string, expires time.Time) (*Challenge, error) {
	most := new(big.Int).Exp(big.NewInt(10), big.NewInt(digits), nil)
	n, err := rand.Int(rand.Reader, most)
	if err != nil {
		return nil, fmt.Errorf("captcha: %w", err)
	}
	shown := fmt.Sprintf("%0*d", digits, n)
	picture, err := draw(shown)
	if err != nil {
		return nil, fmt.Errorf("captcha: %w", err)
	}
	c := &Challenge{Token: rand.Text(), Picture: picture}
	c.Sealed, err = seal(secret, c.Token, Answer{Digits: shown, Expires: expires})
	return c, err
}

func seal(secret, token string, a Answer) (string, error) {
	box, err := boxOf(secret)
	if err != nil {
		return "", err
	}
	plain, err := json.Marshal(a)
	if err != nil {
		return "", fmt.Errorf("captcha: %w", err)
	}
	nonce := make([]byte, box.NonceSize())
	_, _ = rand.Read(nonce) // never fails, by crypto/rand's contract
	return base64.RawURLEncoding.EncodeToString(box.Seal(nonce, nonce, plain, []byte(token))), nil
}

// Open returns the sealed answer of the captcha with this token, expired or
// not, else ErrForged.
func Open(secret, token, sealed string) (Answer, error) {
	var a Answer
	box, err := boxOf(secret)
	if err != nil {
		return a, err
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil || len(raw) < box.NonceSize() {
		return a, ErrForged
	}
	plain, err := box.Open(nil, raw[:box.NonceSize()], raw[box.NonceSize():], []byte(token))
	if err != nil || json.Unmarshal(plain, &a) != nil {
		return Answer{}, ErrForged
	}
	return a, nil
}

func boxOf(secret string) (cipher.AEAD, error) {
	key := sha256.Sum256([]byte("captcha " + secret))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, fmt.Errorf("captcha: %w", err)
	}
	return cipher.NewGCM(block)
}
