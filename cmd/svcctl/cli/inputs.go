package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"svc/client/action"
)

// maxInput bounds a body that is read from a file.
const maxInput = 256 << 20

// secretLimit bounds a password or token read from standard input, in bytes.
const secretLimit = 64 << 10

// ReadInput reads the file that a flag or argument names, - for standard input.
func (a *App) ReadInput(flag, name string) ([]byte, error) {
	in, most := a.In, int64(maxInput)
	if name != "-" {
		f, err := a.Open(flag, name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	if a.Hosted() {
		most = hostedInput
	}
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(data)) > most {
		return nil, Usagef("%s %s is larger than %d MiB", flag, action.Quote(name), most>>20)
	}
	return data, nil
}

// Open opens the file that a flag or argument names. All files that people name are
// opened here: where this machine is not theirs, none is.
func (a *App) Open(flag, name string) (*os.File, error) {
	if a.Hosted() {
		return nil, &UsageError{Message: flag + ": files are not read over SSH", Hint: "send it on standard input, named -, where that is accepted"}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, Usagef("%s: %v", flag, err)
	}
	return f, nil
}

// ReadSecret reads standard input, of which the last line end is no part.
func (a *App) ReadSecret() (string, error) {
	if a.TTYIn {
		fmt.Fprint(a.ErrOut, "secret: ")
		secret, err := a.ReadPassword()
		fmt.Fprintln(a.ErrOut)
		if err != nil {
			return "", fmt.Errorf("read the secret: %w", err)
		}
		return secret, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.In, secretLimit))
	if err != nil {
		return "", fmt.Errorf("read the secret: %w", err)
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if secret == "" {
		return "", Usagef("standard input is empty")
	}
	return secret, nil
}
