// Package webpushtest has a push service and its devices, for tests.
package webpushtest

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
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

var b64 = base64.RawURLEncoding

// Device is a browser that subscribed to a push service.
type Device struct {
	Endpoint, P256dh, Auth string

	key  *ecdh.PrivateKey
	auth []byte
}

// Message is what a device got.
type Message struct {
	Header http.Header
	Text   []byte // decrypted
	Key    string // of the sender, whose proof was right
	Claims map[string]any
	Size   int // of the body
}

// Service is a push service with one device.
type Service struct {
	*httptest.Server
	Device   Device
	Messages chan Message

	mu      sync.Mutex
	answers []Answer
	hold    func()
}

// Hold has the next message taken, and then fn called and no answer given.
func (s *Service) Hold(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = fn
}

// Answer is an answer other than 201. Without a status, the connection breaks.
type Answer struct {
	Status     int
	RetryAfter string
}

// Start starts one. A message that breaks a standard fails the test.
func Start(t *testing.T) *Service {
	t.Helper()
	s := &Service{Messages: make(chan Message, 100)}
	var err error
	if s.Device.key, err = ecdh.P256().GenerateKey(rand.Reader); err != nil {
		t.Fatal(err)
	}
	s.Device.auth = make([]byte, 16)
	_, _ = rand.Read(s.Device.auth)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, err := s.Device.receive(r, s.URL)
		if err != nil {
			t.Errorf("a push message: %v", err)
		}
		s.mu.Lock()
		answer := Answer{Status: http.StatusCreated}
		if len(s.answers) > 0 {
			answer, s.answers = s.answers[0], s.answers[1:]
		}
		hold := s.hold
		s.hold = nil
		s.mu.Unlock()
		if hold != nil {
			s.Messages <- m
			hold()
			<-r.Context().Done()
			return
		}
		if answer.Status == 0 {
			s.Messages <- m
			panic(http.ErrAbortHandler)
		}
		if answer.RetryAfter != "" {
			w.Header().Set("Retry-After", answer.RetryAfter)
		}
		w.WriteHeader(answer.Status)
		s.Messages <- m
	}))
	t.Cleanup(s.Close)
	s.Device.Endpoint = s.URL + "/send/secret-of-the-device"
	s.Device.P256dh, s.Device.Auth = b64.EncodeToString(s.Device.key.PublicKey().Bytes()), b64.EncodeToString(s.Device.auth)
	return s
}

// Answer has the next messages answered so.
func (s *Service) Answer(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = append(s.answers, answers...)
}

// receive checks and decrypts a message (RFC 8030, 8188, 8291 and 8292).
func (d *Device) receive(r *http.Request, origin string) (m Message, err error) {
	m.Header = r.Header
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return m, err
	}
	if m.Size = len(body); m.Size > 4096 {
		return m, fmt.Errorf("%d bytes", m.Size)
	}
	if r.Method != http.MethodPost || r.Header.Get("TTL") == "" || r.Header.Get("Content-Encoding") != "aes128gcm" || len(r.Header.Get("Topic")) > 32 {
		return m, fmt.Errorf("%s with %v", r.Method, r.Header)
	}
	if m.Key, m.Claims, err = proof(r.Header.Get("Authorization")); err != nil {
		return m, err
	}
	if exp, _ := m.Claims["exp"].(float64); m.Claims["aud"] != origin || time.Until(time.Unix(int64(exp), 0)) > 24*time.Hour {
		return m, fmt.Errorf("claims %v", m.Claims)
	}
	m.Text, err = d.decrypt(body)
	return m, err
}

func proof(header string) (key string, claims map[string]any, err error) {
	token, key, ok := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	parts := strings.Split(token, ".")
	if !ok || len(parts) != 3 {
		return "", nil, fmt.Errorf("authorization %q", header)
	}
	point, err := b64.DecodeString(key)
	if err != nil {
		return "", nil, err
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return "", nil, err
	}
	signature, err := b64.DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return "", nil, fmt.Errorf("signature %q", parts[2])
	}
	hash := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !ecdsa.Verify(public, hash[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return "", nil, fmt.Errorf("the signature is wrong")
	}
	raw, err := b64.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(raw, &claims)
	}
	return key, claims, err
}

func (d *Device) decrypt(body []byte) ([]byte, error) {
	if len(body) < 86 || body[20] != 65 {
		return nil, fmt.Errorf("a body of %d bytes", len(body))
	}
	salt, from := body[:16], body[21:86]
	sender, err := ecdh.P256().NewPublicKey(from)
	if err != nil {
		return nil, err
	}
	shared, err := d.key.ECDH(sender)
	if err != nil {
		return nil, err
	}
	material, err := hkdf.Key(sha256.New, shared, d.auth, "WebPush: info\x00"+string(d.key.PublicKey().Bytes())+string(from), 32)
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
	record, err := aead.Open(nil, nonce, body[86:], nil)
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(string(record), "\x00")
	if !strings.HasSuffix(text, "\x02") {
		return nil, fmt.Errorf("a record that does not end")
	}
	return []byte(text[:len(text)-1]), nil
}
