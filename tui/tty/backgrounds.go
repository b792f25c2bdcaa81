package tty

import (
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// backgroundWait is the time for the terminal's answer about its background.
const backgroundWait = 100 * time.Millisecond

// Dark reports whether the terminal has a dark background: by its answer, else
// by COLORFGBG, else yes.
func Dark(in, out *os.File, env func(string) string) bool {
	if dark, known := askFile(in, out); known {
		return dark
	}
	return darkByEnv(env)
}

// darkByEnv reads COLORFGBG, which is foreground;background in palette numbers,
// where 7 and from 9 on are bright.
func darkByEnv(env func(string) string) bool {
	fields := strings.Split(env("COLORFGBG"), ";")
	n, err := strconv.Atoi(fields[len(fields)-1])
	return err != nil || n != 7 && n < 9
}

func askFile(in, out *os.File) (dark, known bool) {
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return false, false
	}
	defer func() { _ = term.Restore(int(in.Fd()), state) }()
	return askBackground(in, func(wait time.Duration) bool { return readable(in.Fd(), wait) }, out, backgroundWait)
}

// question asks for the background (OSC 11) and for the kind of terminal (DA1), which
// nearly all answer: an answer to the second alone says that none comes to the first.
const question = "\x1b]11;?\x1b\\\x1b[c"

// askBackground asks the terminal and waits a moment for the answers. Those that do
// not come in time may come later; the input filter drops them then.
func askBackground(in io.Reader, more func(time.Duration) bool, out io.Writer, wait time.Duration) (dark, known bool) {
	if _, err := io.WriteString(out, question); err != nil {
		return false, false
	}
	var answer []byte
	for deadline := time.Now().Add(wait); len(answer) < 4096; {
		left := time.Until(deadline)
		if known {
			left = min(left, escapeWait)
		}
		if left <= 0 || !more(left) {
			break
		}
		buf := make([]byte, 256)
		n, err := in.Read(buf)
		if err != nil {
			break
		}
		answer = append(answer, buf[:n]...)
		if dark, known = parseBackground(string(answer)); kindAnswered.Match(answer) {
			break
		}
	}
	return dark, known
}

// kindAnswered finds an answer like ESC [?64;1;2c.
var kindAnswered = regexp.MustCompile(`\x1b\[\?[0-9;]*c`)

// parseBackground finds a whole answer like ESC ]11;rgb:1e1e/1e1e/1e1e ESC \.
func parseBackground(answer string) (dark, known bool) {
	_, rest, found := strings.Cut(answer, "\x1b]11;rgb:")
	if !found {
		return false, false
	}
	end := strings.IndexAny(rest, "\a\x1b")
	if end < 0 || rest[end] == 0x1b && end+1 >= len(rest) {
		return false, false
	}
	parts := strings.Split(rest[:end], "/")
	if len(parts) != 3 {
		return false, false
	}
	var channels [3]float64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 16, 32)
		if err != nil || len(part) > 4 {
			return false, false
		}
		channels[i] = float64(n) / float64(uint64(1)<<(4*len(part))-1)
	}
	// Weights of perceived brightness, ITU-R BT.601.
	return 0.299*channels[0]+0.587*channels[1]+0.114*channels[2] < 0.5, true
}
