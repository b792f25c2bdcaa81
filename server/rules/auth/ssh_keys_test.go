package auth_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// publicKey draws a key, and its line of authorized_keys.
func publicKey(t *testing.T, comment string) (ssh.PublicKey, string) {
	t.Helper()
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return key, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))) + " " + comment
}

func TestSSHKeysAreAddedListedAndDeleted(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ctx := t.Context()
		key, line := publicKey(t, " kim's\tlaptop ")
		added, err := w.AddSSHKey(ctx, w.alice.ID, auth.NewSSHKey{Text: line, Scopes: []string{"read", "admin:read"}})
		if err != nil {
			t.Fatal(err)
		}
		if added.Name != "kim'slaptop" || "SHA256:"+added.Hash != ssh.FingerprintSHA256(key) || added.Scopes != "read admin:read" {
			t.Errorf("added %+v", added)
		}
		again, err := w.AddSSHKey(ctx, w.alice.ID, auth.NewSSHKey{Text: line, Name: "other", Scopes: []string{"read", "write", "admin"}})
		if err != nil || again.ID != added.ID || again.Scopes != added.Scopes {
			t.Errorf("again: %+v, %v", again, err)
		}
		bob := w.user("bob", "bob@example.org")
		if _, err := w.DeleteSSHKey(ctx, bob.ID, added.ID); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("deleted by another: %v", err)
		}
		if _, err := w.DeleteSSHKey(ctx, w.alice.ID, added.ID); err != nil {
			t.Error(err)
		}
		if rows, err := w.SSHKeys(ctx, w.alice.ID); err != nil || len(rows) != 0 {
			t.Errorf("%d left, %v", len(rows), err)
		}
		if _, err := w.SSHKey(ctx, key, "alice"); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("still known: %v", err)
		}
		var all error
		for range 21 {
			_, line := publicKey(t, "")
			_, err := w.AddSSHKey(ctx, bob.ID, auth.NewSSHKey{Text: line})
			all = errors.Join(all, err)
		}
		if words(all) != "An account has 20 keys at most." {
			t.Errorf("21 keys: %v", all)
		}
	})
}

// TestAKeyIsKeptFromNobody has three accounts name one key.
func TestAKeyIsKeptFromNobody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ctx := t.Context()
		key, line := publicKey(t, "")
		bob, carol := w.user("bob", "bob@example.org"), w.user("carol", "carol@example.org")
		owner := func(name string) string {
			t.Helper()
			row, err := w.SSHKey(ctx, key, name)
			switch {
			case errors.Is(err, auth.ErrSeveralAccounts):
				return "several"
			case errors.Is(err, db.ErrNotFound):
				return "nobody"
			case err != nil:
				t.Fatal(err)
			}
			account, err := d.Account(ctx, row.AccountID)
			if err != nil {
				t.Fatal(err)
			}
			return account.Nickname
		}
		owners := func(want map[string]string) {
			t.Helper()
			got := map[string]string{}
			for name := range want {
				got[name] = owner(name)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
		owners(map[string]string{"alice": "nobody", "": "nobody"})
		rows := map[string]*db.SSHKey{}
		add := func(a *db.Account) {
			t.Helper()
			row, err := w.AddSSHKey(ctx, a.ID, auth.NewSSHKey{Text: line, Scopes: []string{"read"}})
			if err != nil {
				t.Fatal(err)
			}
			rows[a.Nickname] = row
		}
		add(w.alice)
		owners(map[string]string{"alice": "alice", "bob": "alice", "root": "alice", "": "alice"})
		add(bob)
		add(carol)
		owners(map[string]string{"alice": "alice", "bob": "bob", "@carol": "carol", "BOB": "bob", "root": "several", "": "several", "bob@example.org": "several"})
		for _, name := range []string{"alice", "carol"} {
			if _, err := w.DeleteSSHKey(ctx, rows[name].AccountID, rows[name].ID); err != nil {
				t.Fatal(err)
			}
		}
		owners(map[string]string{"alice": "bob", "bob": "bob", "carol": "bob", "root": "bob"})
		if session, err := w.OpenSSH(ctx, rows["bob"]); err != nil || session.Account.ID != bob.ID {
			t.Errorf("a session of the one that is left: %+v, %v", session, err)
		}
	})
}

// TestTheOwnerIsTold counts the mails about keys: one for each, none for a key that
// the account has already, and no more than other notices in an hour.
func TestTheOwnerIsTold(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		settings := *w.live.Load()
		settings.Mailer.Enabled, settings.Mailer.Relay = true, "mail.example.org"
		if err := w.live.Swap(settings); err != nil {
			t.Fatal(err)
		}
		mails := func() (n int) {
			t.Helper()
			query := "SELECT COUNT(*) FROM river_job WHERE kind = 'send_mail'"
			if err := d.Writer().QueryRowContext(t.Context(), query).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		for i, want := range []int{1, 2, 3, 4, 5, 5, 5} {
			_, line := publicKey(t, "")
			for range 2 {
				if _, err := w.AddSSHKey(t.Context(), w.alice.ID, auth.NewSSHKey{Text: line}); err != nil {
					t.Fatal(err)
				}
			}
			if got := mails(); got != want {
				t.Errorf("after %d keys there are %d mails, want %d", i+1, got, want)
			}
		}
		bob := w.user("bob", "") // without a mailbox
		_, line := publicKey(t, "")
		if _, err := w.AddSSHKey(t.Context(), bob.ID, auth.NewSSHKey{Text: line}); err != nil || mails() != 5 {
			t.Errorf("without a mailbox: %v, %d mails", err, mails())
		}
	})
}

func TestKeysThatAreRefused(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	_, line := publicKey(t, "x")
	_, second := publicKey(t, "y")
	short, err := ssh.NewPublicKey(&rsa.PublicKey{N: new(big.Int).SetBit(big.NewInt(1), 1023, 1), E: 65537})
	if err != nil {
		t.Fatal(err)
	}
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate := &ssh.Certificate{Key: signer.PublicKey(), CertType: ssh.UserCert, ValidPrincipals: []string{"alice"}, ValidBefore: ssh.CertTimeInfinity}
	if err := certificate.SignCert(rand.Reader, signer); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                 "This is no public key like ssh-ed25519 AAAA… name.",
		"ssh-ed25519 AAAA": "This is no public key like ssh-ed25519 AAAA… name.",
		"-----BEGIN OPENSSH PRIVATE KEY-----\nx\n":    "This is a private key, which nobody else should have. Send the public one, from the file that ends in .pub.",
		line + "\n" + second:                          "One key is accepted at a time.",
		`command="sh" ` + line:                        "Options before the key are not supported.",
		string(ssh.MarshalAuthorizedKey(short)):       "RSA keys need 2048 bits.",
		string(ssh.MarshalAuthorizedKey(certificate)): "Keys of the type ssh-ed25519-cert-v01@openssh.com are not accepted.",
		strings.Repeat("x", 1<<16):                    "This is no public key like ssh-ed25519 AAAA… name.",
	} {
		if _, err := w.AddSSHKey(t.Context(), w.alice.ID, auth.NewSSHKey{Text: text}); words(err) != want {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	if rows, _ := w.SSHKeys(t.Context(), w.alice.ID); len(rows) != 0 {
		t.Errorf("%d were added", len(rows))
	}
}

func TestAnSSHSessionSpeaksForItsAccountUntilItsKeyGoes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		ctx := t.Context()
		ids := w.identities()
		_, line := publicKey(t, "")
		_, other := publicKey(t, "")
		key, err := w.AddSSHKey(ctx, w.alice.ID, auth.NewSSHKey{Text: line, Scopes: []string{"read", "admin:read"}})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := w.AddSSHKey(ctx, w.alice.ID, auth.NewSSHKey{Text: other, Scopes: []string{"read"}})
		if err != nil {
			t.Fatal(err)
		}
		open := func(k *db.SSHKey) *auth.SSHSession {
			t.Helper()
			session, err := w.OpenSSH(ctx, k)
			if err != nil {
				t.Fatal(err)
			}
			return session
		}
		first, second, third := open(key), open(key), open(kept)
		id, err := ids.Identify(ctx, first.Token)
		if err != nil || id == nil || id.Account.ID != w.alice.ID {
			t.Fatalf("identified %+v, %v", id, err)
		}
		if diff := cmp.Diff([]string{"read", "admin:read"}, id.Scopes); diff != "" {
			t.Error(diff)
		}
		if left := time.Until(first.Until); left <= 0 || left > 12*time.Hour {
			t.Errorf("it lasts for %v", left)
		}
		if id, _ := ids.Identify(ctx, second.Token); id == nil {
			t.Error("the second session has no rights")
		}
		if err := w.Revoke(ctx, second.Token); err != nil {
			t.Error(err)
		}
		if !works(t, ids, first.Token) || works(t, ids, second.Token) {
			t.Error("the end of one session ends the other, or not itself")
		}
		if rows, _ := w.SSHKeys(ctx, w.alice.ID); rows[0].UsedAt.IsZero() {
			t.Error("it was not noted that the key was used")
		}
		if _, err := w.DeleteSSHKey(ctx, w.alice.ID, key.ID); err != nil {
			t.Fatal(err)
		}
		if works(t, ids, first.Token) || !works(t, ids, third.Token) {
			t.Error("the sessions of a deleted key go on, or those of another ended")
		}
		if _, err := w.OpenSSH(ctx, key); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("a session with a deleted key: %v", err)
		}
		w.alice.Deactivated = true
		if err := d.UpdateAccount(ctx, w.alice, "deactivated"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.OpenSSH(ctx, kept); !fault.Is(err, fault.KindForbidden) {
			t.Errorf("a session of a deactivated account: %v", err)
		}
	})
}

func TestAllProcessesHaveOneHostKey(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	for _, drawn := range []string{"first", "second"} {
		if key, err := w.SSHHostKey(t.Context(), func() string { return drawn }); err != nil || key != "first" {
			t.Errorf("%q, %v", key, err)
		}
	}
}
