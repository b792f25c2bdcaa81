// Package webpush writes messages for push services: encryption to one receiver
// (RFC 8291, aes128gcm) and the sender's proof of identity (RFC 8292, VAPID).
// Sending is left to callers.
package webpush

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// MaxText is the longest text of a message in bytes, so that its body has at
// most the 4096 bytes that each push service must accept.
const MaxText = recordSize - headerSize - overhead

const (
	saltSize   = 16
	authSize   = 16
	pointSize  = 65
	recordSize = 4096
	headerSize = saltSize + 4 + 1 + pointSize
	overhead   = 16 + 1 // the tag and the delimiter of the padding
	// padTo is the step by which texts are padded, so that a push service learns
	// little from their length.
	padTo = 512
	// proofLife is how long a proof of identity is valid; a day is the most.
	proofLife = 12 * time.Hour
)

// decode reads base64, standard or URL-safe, padded or not.
func decode(text string) ([]byte, error) {
	text = strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(text), "=")
	return base64.RawURLEncoding.DecodeString(text)
}

// Receiver is one subscription's keys.
type Receiver struct {
	key  *ecdh.PublicKey
	auth []byte
}

// The faults of a receiver's keys.
var (
	ErrKey  = errors.New("not an uncompressed point of P-256")
	ErrAuth = errors.New("not 16 bytes")
)

// NewReceiver reads the keys that a client gives as base64: its public key, an
// uncompressed point of P-256, and its secret of 16 bytes. The error is ErrKey or
// ErrAuth.
func NewReceiver(p256dh, auth string) (*Receiver, error) {
	key, err := publicKey(p256dh)
	if err != nil {
		return nil, ErrKey
	}
	secret, err := decode(auth)
	if err != nil || len(secret) != authSize {
		return nil, ErrAuth
	}
	return &Receiver{key: key, auth: secret}, nil
}

// publicKey reads an uncompressed point, the only form that crypto/ecdh takes.
func publicKey(text string) (*ecdh.PublicKey, error) {
	point, err := decode(text)
	if err != nil {
		return nil, err
	}
	return ecdh.P256().NewPublicKey(point)
}

// IsPublic reports whether a text is a public key as base64.
func IsPublic(text string) bool {
	_, err := publicKey(text)
	return err == nil
}

// Encrypt returns the body of a message, for the content encoding aes128gcm.
func (r *Receiver) Encrypt(text []byte) ([]byte, error) {
	if len(text) > MaxText {
		return nil, fmt.Errorf("a message of %d bytes, which may have %d", len(text), MaxText)
	}
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt)
	padding := min((padTo-len(text)%padTo)%padTo, MaxText-len(text))
	return r.encrypt(text, padding, key, salt)
}

func (r *Receiver) encrypt(text []byte, padding int, sender *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	shared, err := sender.ECDH(r.key)
	if err != nil {
		return nil, err
	}
	from := sender.PublicKey().Bytes()
	info := "WebPush: info\x00" + string(r.key.Bytes()) + string(from)
	material, err := hkdf.Key(sha256.New, shared, r.auth, info, 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	record := make([]byte, len(text)+1+padding)
	copy(record, text)
	record[len(text)] = 2 // the last record
	out := make([]byte, 0, headerSize+len(record)+aead.Overhead())
	out = append(out, salt...)
	out = binary.BigEndian.AppendUint32(out, recordSize)
	out = append(append(out, byte(len(from))), from...)
	return aead.Seal(out, nonce, record, nil), nil
}

// Keys identify the sender to push services.
type Keys struct {
	private *ecdsa.PrivateKey
	public  string
}

// Draw returns a new private key, as ParseKeys takes it.
func Draw() string {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		panic(err) // never fails, by crypto/rand's contract
	}
	return base64.RawURLEncoding.EncodeToString(key.Bytes())
}

// ParseKeys reads a private key: 32 bytes as base64.
func ParseKeys(private string) (*Keys, error) {
	raw, err := decode(private)
	if err != nil {
		return nil, errors.New("a private key that is not base64")
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return nil, errors.New("not a private key of P-256")
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		return nil, err
	}
	return &Keys{private: key, public: base64.RawURLEncoding.EncodeToString(point)}, nil
}

// Public is the public key as clients take it, base64url without padding.
func (k *Keys) Public() string { return k.public }

// Is reports whether a text is this public key, in any form of base64.
func (k *Keys) Is(public string) bool {
	raw, err := decode(public)
	return err == nil && base64.RawURLEncoding.EncodeToString(raw) == k.public
}

// Authorization returns the header of that name for a message to a push service.
// The subject, a mailto or https address, is where its operators find help.
func (k *Keys) Authorization(endpoint *url.URL, subject string, now time.Time) (string, error) {
	claims, err := json.Marshal(struct {
		Audience string `json:"aud"`
		Expires  int64  `json:"exp"`
		Subject  string `json:"sub"`
	}{endpoint.Scheme + "://" + endpoint.Host, now.Add(proofLife).Unix(), subject})
	if err != nil {
		return "", err
	}
	b64 := base64.RawURLEncoding.EncodeToString
	signed := b64([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + b64(claims)
	hash := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, hash[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return "vapid t=" + signed + "." + b64(signature) + ", k=" + k.public, nil
}
