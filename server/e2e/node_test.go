package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"svc/client/api"
	"svc/server/servertest"
)

// TestNodeClientsMakeEveryCall runs the clients that npm has through every call
// of theirs, and their sockets. Where they are installed says testdata/clients/package.json.
func TestNodeClientsMakeEveryCall(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"masto.mjs", "masto-today.mjs", "megalodon.mjs", "megalodon-today.mjs", "sockets.mjs"} {
		t.Run(script, func(t *testing.T) {
			dir := npmClients(t)
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				cmd := exec.CommandContext(t.Context(), "node", script)
				cmd.Dir = dir
				everything(t, s, cmd)
			})
		})
	}
}

// TestClientsOfTheFamilyWorkUnchanged runs megalodon's client for Pleroma against a server of
// that name.
func TestClientsOfTheFamilyWorkUnchanged(t *testing.T) {
	t.Parallel()
	dir := npmClients(t)
	servertest.Named(t, "pleroma", func(t *testing.T, s *servertest.Server) {
		cmd := exec.CommandContext(t.Context(), "node", "megalodon-family.mjs")
		cmd.Dir = dir
		everything(t, s, cmd)
	})
}

// npmClients is the folder in which npm installed the clients.
func npmClients(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("testdata", "clients")
	_, installed := os.Stat(filepath.Join(dir, "node_modules"))
	_, node := exec.LookPath("node")
	if err := errors.Join(node, installed); err != nil {
		if os.Getenv("SVC_TEST_NODE") == "required" {
			t.Fatalf("run npm ci in %s: %v", dir, err)
		}
		t.Skipf("run npm ci in %s: %v", dir, err)
	}
	return dir
}

// TestMastodonPyMakesEveryCall does the same with Debian's python3-mastodon.
func TestMastodonPyMakesEveryCall(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command(python, "-c", "import mastodon").CombinedOutput(); err != nil {
		without(t, "python3-mastodon", errorOf(err, out))
	}
	for _, script := range []string{"everything.py", "listener.py", "today.py"} {
		t.Run(script, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				text := "Be kind"
				if _, err := s.Admin("root").Admin.Rules.Create(t.Context(), api.RuleForm{Text: &text}); err != nil {
					t.Fatal(err)
				}
				everything(t, s, exec.CommandContext(t.Context(), python, "testdata/"+script))
			})
		})
	}
}

// everything passes the address of the server and the users' tokens to a
// script.
func everything(t *testing.T, s *servertest.Server, cmd *exec.Cmd) {
	t.Helper()
	in := map[string]string{"base": s.URL, "password": servertest.Password, "app": s.AppToken(), "admin": s.Token("mod", servertest.AdminScopes)}
	python := filepath.Ext(cmd.Args[1]) == ".py"
	for _, name := range []string{"alice", "bob", "carol"} {
		s.User(name)
		if in[name] = name; !python {
			in[name] = s.Token(name, servertest.AllScopes)
		}
	}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = bytes.NewReader(raw)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}
