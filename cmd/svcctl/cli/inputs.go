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
	in := a.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, Usagef("%s: %v", flag, err)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxInput {
		return nil, Usagef("%s %s is larger than %d MiB", flag, action.Quote(name), maxInput>>20)
	}
	return data, nil
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
