package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"svc/client/action"
)

const (
	// maxInput bounds a file that is read as a whole.
	maxInput = 256 << 20
	// maxLine bounds a line of standard input, which may be a whole object.
	maxLine = 16 << 20
)

// secretLimit bounds a password or token read from standard input, in bytes.
const secretLimit = 64 << 10

// ReadInput reads the file that a flag or argument names, - for standard input.
func (a *App) ReadInput(flag, name string) ([]byte, error) { return a.readAll(flag, name, maxInput) }

// ReadBody is ReadInput for the body of a request.
func (a *App) ReadBody(flag, name string) ([]byte, error) {
	if a.Hosted() {
		return a.readAll(flag, name, hostedBody)
	}
	return a.readAll(flag, name, maxInput)
}

// ReadShort is ReadInput for what has at most so many bytes.
func (a *App) ReadShort(flag, name string, most int) ([]byte, error) {
	return a.readAll(flag, name, most)
}

func (a *App) readAll(flag, name string, most int) ([]byte, error) {
	in, end, err := a.input(flag, name)
	if err != nil {
		return nil, err
	}
	defer end()
	var data []byte
	for err == nil {
		if len(data) == cap(data) {
			more := max(len(data), 4<<10)
			if err := a.Keep(more); err != nil {
				return nil, err
			}
			data = append(make([]byte, 0, len(data)+more), data...)
		}
		var n int
		n, err = in.Read(data[len(data):cap(data)])
		if data = data[:len(data)+n]; len(data) > most {
			return nil, Usagef("%s %s is larger than %s", flag, action.Quote(name), sizeOf(most))
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

func sizeOf(bytes int) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// input opens the file that a flag or argument names, - for standard input.
func (a *App) input(flag, name string) (in io.Reader, end func(), err error) {
	if name == "-" {
		return a.In, func() {}, nil
	}
	f, err := a.Open(flag, name)
	if err != nil {
		return nil, nil, err
	}
	return f, func() { _ = f.Close() }, nil
}

// EachLine reads the lines of the file that a flag or argument names, - for standard
// input: those that are not blank and no comments, which begin with #, without the space
// around them. A line is gone after each.
func (a *App) EachLine(flag, name string, each func(number int, line []byte) error) error {
	in, end, err := a.input(flag, name)
	if err != nil {
		return err
	}
	defer end()
	longest := maxLine
	if a.Hosted() {
		longest = hostedLine
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longest)
	for n := 1; lines.Scan(); n++ {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 && line[0] != '#' {
			if err := each(n, line); err != nil {
				return err
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return Usagef("%s: a line is longer than %s", action.Quote(name), sizeOf(longest))
	case err != nil && name == "-":
		return fmt.Errorf("read standard input: %w", err)
	case err != nil:
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
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
