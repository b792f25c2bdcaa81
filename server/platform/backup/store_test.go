package backup

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestAdviceIsGivenOnce(t *testing.T) {
	for cause, advice := range map[error]string{syscall.ENOSPC: "make room", fs.ErrPermission: "as the user of the service"} {
		said := readable(fmt.Errorf("file x: %w", readable(&fs.PathError{Op: "write", Path: "x", Err: cause}))).Error()
		if strings.Count(said, advice) != 1 {
			t.Errorf("%v: %q", cause, said)
		}
	}
	if err := readable(nil); err != nil {
		t.Error(err)
	}
}
