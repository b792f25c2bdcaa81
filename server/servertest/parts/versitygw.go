package parts

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The keys of the store, which may do everything.
const (
	StoreKey    = "AKEXAMPLE"
	StoreSecret = "the store's secret key"
)

// Versity is a running versitygw: an S3 store whose buckets are folders.
type Versity struct {
	*Process
	Address string // host:port
	Dir     string // has a folder for each bucket

	start func() *Process
}

// StartVersity runs versitygw with empty buckets. SVC_TEST_VERSITYGW may name the program.
func StartVersity(t testing.TB, buckets ...string) *Versity {
	t.Helper()
	program := os.Getenv("SVC_TEST_VERSITYGW")
	if program == "" {
		program = Program(t, "versitygw")
	}
	port := Port(t)
	v := &Versity{Address: "127.0.0.1:" + port, Dir: t.TempDir()}
	meta := t.TempDir()
	for _, b := range buckets {
		if err := os.Mkdir(filepath.Join(v.Dir, b), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	v.start = func() *Process {
		cmd := exec.Command(program, "--port", v.Address, "--quiet", "posix", "--sidecar", meta, v.Dir)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+StoreKey, "ROOT_SECRET_KEY="+StoreSecret, "VGW_REGION=us-east-1")
		return run(t, cmd, port)
	}
	v.Process = v.start()
	return v
}

// Again starts it again after its end.
func (v *Versity) Again() { v.Process = v.start() }

// Objects returns the names of the objects in a bucket.
func (v *Versity) Objects(t testing.TB, bucket string) (names []string) {
	t.Helper()
	root := filepath.Join(v.Dir, bucket)
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			name, _ := filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
