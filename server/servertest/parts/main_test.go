package parts_test

import (
	"os"
	"testing"

	"svc/server/servertest/parts"
)

// authority signs for the parts of these tests; this process trusts it.
var authority *parts.Authority

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "svc-parts-")
	if err == nil {
		authority, err = parts.NewAuthority(dir)
	}
	if err == nil {
		err = os.Setenv("SSL_CERT_FILE", authority.Path)
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
