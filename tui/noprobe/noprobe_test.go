package noprobe_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"

	"svc/tui/noprobe"
)

// As a child, the test binary is the smallest program that links bubbletea.
func TestMain(m *testing.M) {
	noprobe.Restore()
	if os.Getenv("NOPROBE_CHILD") != "" {
		_ = tea.Quit // linked and initialised like any program's
		fmt.Println("TERM=" + os.Getenv("TERM"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestLinkingBubbleteaIsSilentOnAPtyThatDoesNotAnswer(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = []string{"NOPROBE_CHILD=1", "TERM=xterm-256color"}
	start := time.Now()
	master, err := pty.Start(child)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	output, err := io.ReadAll(master)
	if err != nil && !errors.Is(err, syscall.EIO) { // how Linux says that the other end closed
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := string(output), "TERM=xterm-256color\r\n"; got != want {
		t.Errorf("the program wrote %q, want %q", got, want)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}
