package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"svc/server/platform/alive"
	"svc/server/platform/config"
)

// The default programs.
const (
	usualSendmail = "/usr/sbin/sendmail"
	usualQmail    = "/var/qmail/bin/qmail-inject"
)

// hopeless are the exit codes of a permanent failure, by sysexits.h. EX_USAGE
// is not among them: it is our fault, and can be fixed.
var hopeless = []int{65, 67, 68} // EX_DATAERR, EX_NOUSER, EX_NOHOST

// pipe hands l to a local program: sendmail, or one with the same arguments,
// without a shell. Its output may name recipients, and is left out of errors.
func pipe(ctx context.Context, m *config.Mailer, l *letter) error {
	program, args := m.CmdPath, strings.Fields(m.CmdArgs)
	if program == "" {
		if program = usualSendmail; m.Qmail {
			program = usualQmail
		}
	}
	if !m.Qmail {
		args = append(args, "-oi") // a line with a dot alone does not end the mail
	}
	args = append(args, "-f", strings.Trim(l.from, "<>"), "--", strings.Trim(l.to, "<>"))
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"} // it is not told our secrets
	cmd.Stdin = bytes.NewReader(bytes.ReplaceAll(l.text, []byte("\r\n"), []byte("\n")))
	if err := alive.Sure(ctx); err != nil {
		return fmt.Errorf("program %s: %w", program, err)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && slices.Contains(hopeless, exit.ExitCode()):
		return &Refused{fmt.Errorf("program %s: it ended with %d", program, exit.ExitCode())}
	case exit != nil:
		return fmt.Errorf("program %s: it ended with %d", program, exit.ExitCode())
	}
	return fmt.Errorf("program %s: %w", program, err)
}
