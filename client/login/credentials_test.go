package login

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zalando/go-keyring"

	"svc/client"
)

var anna = Credential{
	Origin: "https://example.social", Account: "anna", ClientID: "id", ClientSecret: "secret", ClientScopes: Scopes,
	AccessToken: "access", RefreshToken: "refresh", Scopes: Scopes, ExpiresAt: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
}

func TestTheFileStoreIsPrivateAndExact(t *testing.T) {
	store := NewStore(Paths{Credentials: filepath.Join(t.TempDir(), "credentials")}, false)
	if _, err := store.Get("a"); !errors.Is(err, ErrNoCredential) {
		t.Fatalf("empty store: %v", err)
	}
	where, err := store.Put("a", anna)
	if err != nil || where != store.Path("a") {
		t.Fatalf("Put: %q, %v", where, err)
	}
	got, err := store.Get("a")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(anna, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for path, mode := range map[string]os.FileMode{where: 0o600, filepath.Dir(where): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if err := os.Chmod(where, 0o640); err != nil {
		t.Fatal(err)
	}
	_, err = store.Get("a")
	var permission *PermissionError
	if !errors.As(err, &permission) || permission.Hint() != "chmod 600 "+where {
		t.Errorf("readable by a group: %v", err)
	}
	if err := store.Delete("a"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Get("a"); !errors.Is(err, ErrNoCredential) {
		t.Errorf("deleted: %v", err)
	}
	if err := store.Delete("a"); err != nil {
		t.Errorf("deleting twice: %v", err)
	}
}

func TestTheKeyringWinsAndAFileIsTheWayOut(t *testing.T) {
	keyring.MockInit()
	store := NewStore(Paths{Credentials: filepath.Join(t.TempDir(), "credentials")}, true)
	where, err := store.Put("a", anna)
	if err != nil || where != "keyring" {
		t.Fatalf("Put: %q, %v", where, err)
	}
	if _, err := os.Stat(store.Path("a")); !os.IsNotExist(err) {
		t.Errorf("a file beside the keyring: %v", err)
	}
	if got, err := store.Get("a"); err != nil || got != anna {
		t.Errorf("Get: %+v, %v", got, err)
	}
	keyring.MockInitWithError(errors.New("no D-Bus"))
	if where, err = store.Put("a", anna); err != nil || where != store.Path("a") {
		t.Errorf("without a keyring: %q, %v", where, err)
	}
	if got, err := store.Get("a"); err != nil || got != anna {
		t.Errorf("Get from the file: %+v, %v", got, err)
	}
}

func TestASilentKeyringIsGivenUp(t *testing.T) {
	start := time.Now()
	release := make(chan struct{})
	defer close(release)
	err := withinLimit(func() error { <-release; return nil })
	if !errors.Is(err, errKeyringSilent) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took < keyringLimit || took > keyringLimit+time.Second {
		t.Errorf("took %s, want %s", took, keyringLimit)
	}
}

// issuer hands out tokens and takes each refresh token once.
type issuer struct {
	mu        sync.Mutex
	refresh   string
	refreshes atomic.Int32
	revoked   []string
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/oauth/revoke":
		i.revoked = append(i.revoked, r.FormValue("token"))
		fmt.Fprint(w, "{}")
	case "/oauth/token":
		if r.FormValue("grant_type") != "refresh_token" || r.FormValue("refresh_token") != i.refresh ||
			r.FormValue("client_id") != "id" || r.FormValue("client_secret") != "secret" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"Invalid credentials"}`)
			return
		}
		n := i.refreshes.Add(1)
		i.refresh = fmt.Sprint("refresh", n)
		err := json.NewEncoder(w).Encode(map[string]any{
			"token_type": "Bearer", "access_token": fmt.Sprint("access", n), "refresh_token": i.refresh,
			"expires_in": 3600, "scope": Scopes, "created_at": 1,
		})
		if err != nil {
			panic(err)
		}
	default:
		http.NotFound(w, r)
	}
}

func issue(t *testing.T) (*issuer, *url.URL, *Store, Credential) {
	t.Helper()
	i := &issuer{refresh: "refresh"}
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	origin, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := anna
	c.Origin = server.URL
	c.ExpiresAt = time.Now().Add(-time.Minute)
	store := NewStore(Paths{Credentials: filepath.Join(t.TempDir(), "credentials")}, false)
	if _, err := store.Put("a", c); err != nil {
		t.Fatal(err)
	}
	return i, origin, store, c
}

func TestManyProcessesMakeOneRefresh(t *testing.T) {
	i, origin, store, _ := issue(t)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			// A source of its own stands for another process.
			s := &stored{store: store, name: "a", origin: origin, now: time.Now}
			if token, err := s.token(t.Context(), ""); token != "access1" || err != nil {
				t.Errorf("token %q, %v", token, err)
			}
		})
	}
	wg.Wait()
	if n := i.refreshes.Load(); n != 1 {
		t.Errorf("%d refreshes, want 1", n)
	}
	got, err := store.Get("a")
	if err != nil || got.AccessToken != "access1" || got.RefreshToken != "refresh1" || time.Until(got.ExpiresAt) < 50*time.Minute {
		t.Errorf("kept %+v, %v", got, err)
	}
}

func TestARejectedTokenIsRefreshedAlsoBeforeItsEnd(t *testing.T) {
	i, origin, store, c := issue(t)
	c.ExpiresAt = time.Now().Add(time.Hour)
	if _, err := store.Put("a", c); err != nil {
		t.Fatal(err)
	}
	s := &Session{Name: "a", Origin: origin, From: "stored", source: &stored{store: store, name: "a", origin: origin, now: time.Now}}
	if token, err := s.Token(t.Context()); token != "access" || err != nil {
		t.Errorf("token %q, %v", token, err)
	}
	if token, err := s.Refresh(t.Context(), "access"); token != "access1" || err != nil {
		t.Errorf("refreshed %q, %v", token, err)
	}
	if err := s.Renew(t.Context()); err != nil || i.refreshes.Load() != 2 {
		t.Errorf("renewed: %v, %d refreshes", err, i.refreshes.Load())
	}
}

func TestAnEndedLoginIsAnAuthError(t *testing.T) {
	_, origin, store, c := issue(t)
	c.RefreshToken = "spent"
	if _, err := store.Put("a", c); err != nil {
		t.Fatal(err)
	}
	s := &stored{store: store, name: "a", origin: origin, now: time.Now}
	_, err := s.token(t.Context(), "")
	var auth *AuthError
	if !errors.As(err, &auth) || auth.Hint == "" || strings.Contains(err.Error(), "spent") {
		t.Errorf("got %v", err)
	}
}

func TestACredentialIsBoundToItsOrigin(t *testing.T) {
	_, _, store, _ := issue(t)
	other := &url.URL{Scheme: "https", Host: "other.example"}
	s := &stored{store: store, name: "a", origin: other, now: time.Now}
	token, err := s.token(t.Context(), "")
	var auth *AuthError
	if token != "" || !errors.As(err, &auth) {
		t.Errorf("token %q, %v", token, err)
	}
}

func TestLogoutGivesBothTokensBackAndKeepsTheClient(t *testing.T) {
	i, _, store, c := issue(t)
	if err := Logout(t.Context(), store, "a", client.WithRetries(0)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"access", "refresh"}, i.revoked); diff != "" {
		t.Errorf("revoked (-want +got):\n%s", diff)
	}
	left, err := store.Get("a")
	want := Credential{Origin: c.Origin, ClientID: "id", ClientSecret: "secret", ClientScopes: Scopes}
	if err != nil || left != want {
		t.Errorf("left %+v, %v", left, err)
	}
}

// TestTwoConfigurationFilesShareNoLogin: neither two in one folder nor two of one name,
// in files and in the keyring.
func TestTwoConfigurationFilesShareNoLogin(t *testing.T) {
	keyring.MockInit()
	home := t.TempDir()
	at := func(file string) Paths {
		return PathsFrom(func(name string) string { return map[string]string{"HOME": home, "SVCCTL_CONFIG": file}[name] })
	}
	usual := filepath.Join(home, ".config", "svcctl", "config.yaml")
	if at("").Of != "" || at(usual) != at("") {
		t.Errorf("the usual file is %+v when it is named", at(usual))
	}
	for _, ring := range []bool{false, true} {
		files := []string{"", filepath.Join(home, "a.yaml"), filepath.Join(home, "b.yaml"), filepath.Join(home, "config.yaml"), filepath.Join(home, "other", "config.yaml")}
		for i, file := range files {
			store := NewStore(at(file), ring)
			if c, err := store.Get("work"); !errors.Is(err, ErrNoCredential) {
				t.Errorf("keyring %t: %q has the log-in %q of another file, %v", ring, file, c.AccessToken, err)
			}
			if _, err := store.Put("work", Credential{Origin: "https://social.example", AccessToken: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
		for i, file := range files {
			if c, err := NewStore(at(file), ring).Get("work"); err != nil || c.AccessToken != fmt.Sprint(i) {
				t.Errorf("keyring %t: %q has %q, %v", ring, file, c.AccessToken, err)
			}
			if err := NewStore(at(file), ring).Delete("work"); err != nil {
				t.Fatal(err)
			}
		}
	}
}
