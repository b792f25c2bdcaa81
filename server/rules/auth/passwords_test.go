package auth

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/config"
)

func newService(t *testing.T, d *db.DB) *Service {
	t.Helper()
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	return New(Parts{DB: d, Settings: live, Now: time.Now})
}

func TestPasswordIsKeptAsArgon2idAndOnlyItselfMatches(t *testing.T) {
	h := newHasher(usual)
	stored, err := h.hash(t.Context(), place{}, "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("stored as %q", stored)
	}
	for password, want := range map[string]bool{"correct horse": true, "correct hors": false, "Correct horse": false, "": false} {
		if got, err := h.matches(t.Context(), place{}, stored, password); err != nil || got != want {
			t.Errorf("matches(%q) = %v, %v, want %v", password, got, err, want)
		}
	}
	again, err := h.hash(t.Context(), place{}, "correct horse")
	if err != nil || again == stored {
		t.Errorf("the same password was stored alike twice (%v): no salt", err)
	}
}

// A hash with other costs is compared by the costs stored in it.
func TestPasswordOfOtherCostsMatches(t *testing.T) {
	const stored = "$argon2id$v=19$m=64,t=3,p=2$c29tZXNhbHQ$ZypMMSBSXVb31CX2XTsf8OlLuSFYKQV0"
	c, salt, key, err := decodeHash(stored)
	if err != nil || c != (cost{64, 3, 2}) || string(salt) != "somesalt" || len(key) != 24 {
		t.Fatalf("decodeHash = %+v %q %d bytes, %v", c, salt, len(key), err)
	}
	if got := encodeHash(c, salt, key); got != stored {
		t.Errorf("encodeHash = %q, want %q", got, stored)
	}
}

func TestNoPasswordMatchesAUserWithoutOne(t *testing.T) {
	h := newHasher(usual)
	for _, password := range []string{"", "x"} {
		if ok, err := h.matches(t.Context(), place{}, "", password); ok || err != nil {
			t.Errorf("matches(%q) = %v, %v", password, ok, err)
		}
	}
}

func TestBrokenHashIsAFaultNotAMismatch(t *testing.T) {
	h := newHasher(usual)
	for _, stored := range []string{
		"x", "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA", "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
		"$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA", "$argon2id$v=19$m=64,t=1,p=0$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
		"$argon2id$v=19$m=99999999,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$",
		"$argon2id$v=19$m=64,t=1,p=1$!$c29tZXNhbHRzb21lc2FsdA", "$argon2id$v=19$m=64$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA",
	} {
		if ok, err := h.matches(t.Context(), place{}, stored, "x"); ok || !errors.Is(err, errHash) {
			t.Errorf("matches of %q = %v, %v", stored, ok, err)
		}
	}
}

// A login that answers before it got a slot has hashed nothing: its speed would
// tell which names exist.
func TestUnknownUserCostsAHashToo(t *testing.T) {
	d := dbtest.New(t)
	s := newService(t, d)
	for s.hasher.queue.free > 0 { // every slot is busy
		if _, err := s.hasher.queue.enter(t.Context(), place{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"nobody", "nobody@example.org", ""} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := s.Login(ctx, name, "x", "")
			done <- err
		}()
		for s.hasher.queue.queued() == 0 {
			select {
			case err := <-done:
				t.Fatalf("login of %q answered without a hash: %v", name, err)
			default:
				runtime.Gosched()
			}
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("login of %q = %v", name, err)
		}
	}
}

func FuzzStoredHash(f *testing.F) {
	f.Add("$argon2id$v=19$m=64,t=3,p=2$c29tZXNhbHQ$ZypMMSBSXVb31CX2XTsf8OlLuSFYKQV0")
	f.Add("$argon2id$v=19$m=,t=,p=$$")
	f.Fuzz(func(t *testing.T, s string) {
		c, salt, key, err := decodeHash(s)
		if err == nil && (c.memory > maxMemory || c.passes == 0 || c.lanes == 0 || len(salt) < 8 || len(key) < 16) {
			t.Errorf("decodeHash(%q) took %+v, %d and %d bytes", s, c, len(salt), len(key))
		}
	})
}
