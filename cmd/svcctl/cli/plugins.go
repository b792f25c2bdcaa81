package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"svc/client/login"
	"svc/client/safe"
)

// RunPlugin runs a program as a command and returns its exit code. It gets the
// name of the context in SVCCTL_CONTEXT, or the address in SVCCTL_URL where there is
// none, and the configuration file in SVCCTL_CONFIG; a token in the environment is
// taken out. What it needs of the server it asks svcctl for.
func (a *App) RunPlugin(path string, args []string) int {
	env := map[string]string{"SVCCTL_CONFIG": login.PathsFrom(a.Getenv).Config}
	switch s, err := a.OpenSession(); {
	case err == nil && s.Name != "":
		env["SVCCTL_CONTEXT"] = s.Name
	case err == nil:
		env["SVCCTL_URL"] = s.Origin.String()
	default:
		var auth *login.AuthError
		if !errors.As(err, &auth) { // else there is no instance yet, which it may do without
			return a.Fail(err)
		}
	}
	cmd := exec.Command(path, args...)
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if _, ours := env[name]; !ours && name != "SVCCTL_TOKEN" {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out, a.ErrOut
	err := cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &ended) && ended.ExitCode() >= 0:
		return ended.ExitCode()
	}
	return a.Fail(fmt.Errorf("plugin %s: %w", path, err))
}

// Plain is text that a listing shows in one line, without what terminals act on.
func Plain(s string) string { return safe.Line(s) }
