package cli

import (
	"errors"
	"io"
	"strings"
	"testing"

	"svc/client/action"
	"svc/client/api"
)

// measured is an input that counts what is read of it.
type measured struct {
	from io.Reader
	read int
}

func (m *measured) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	m.read += n
	return n, err
}

// hostedApp is a run with an input of these lines, more than it may read.
func hostedApp(line string, edit ...func(*Hosted)) (*App, *measured) {
	in := &measured{from: strings.NewReader(strings.Repeat(line, 1+(20<<20)/len(line)))}
	h := &Hosted{In: in, Out: io.Discard, ErrOut: io.Discard, Env: func(string) string { return "" }}
	for _, e := range edit {
		e(h)
	}
	a := h.App()
	a.Flags.max, a.Flags.expect = -1, -1
	return a, in
}

func TestAHostedRunStopsReadingAtItsBounds(t *testing.T) {
	for name, tt := range map[string]struct {
		line string
		run  func(a *App) error
		most int
		says string
	}{
		"one name, again and again": {"9xA\n", func(a *App) error {
			_, err := a.toChange(action.ReportClose, []string{"-"})
			return err
		}, hostedInput + 1, "standard input is larger than 16 MiB"},
		"a line without end": {strings.Repeat("x", 1<<20), func(a *App) error {
			_, err := a.toChange(action.MediaPurge, []string{"-"})
			return err
		}, 2 * hostedLine, "a line is longer than 1 MiB"},
		"one's words": {"9xA\n", func(a *App) error {
			_, err := a.Words(action.ChatMessageDelete, "message", []string{"-"})
			return err
		}, 64 << 10, "more targets than the 100 of --max"},
		"words of a dry run": {"9xA\n", func(a *App) error {
			a.Flags.DryRun = true
			_, err := a.Words(action.ChatMessageDelete, "message", []string{"-"})
			return err
		}, 256 << 10, "more targets than the 10000 of --max"},
		"a file":    {"x", func(a *App) error { _, err := a.ReadInput("file", "-"); return err }, hostedInput + 1, "larger than 16 MiB"},
		"a body":    {"x", func(a *App) error { _, err := a.ReadBody("--input", "-"); return err }, 3 * hostedBody, "larger than 1 MiB"},
		"something": {"x", func(a *App) error { _, err := a.ReadShort("key", "-", 16<<10); return err }, 64 << 10, "larger than 16 KiB"},
	} {
		a, in := hostedApp(tt.line)
		err := tt.run(a)
		if err == nil || ExitOf(err) != ExitUsage || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %s", name, err, tt.says)
		}
		if in.read > tt.most {
			t.Errorf("%s: %d bytes were read", name, in.read)
		}
	}
}

// TestTheReadingOfTargetsEndsAtMax has more targets than --max, and than any --max.
func TestTheReadingOfTargetsEndsAtMax(t *testing.T) {
	var names strings.Builder
	for i := range 300_000 {
		names.WriteString("9x" + strings.Repeat("a", i%7) + string(rune('a'+i%26)) + strings.Repeat("b", i/26%40) + string(rune('a'+i/1040%26)) + string(rune('a'+i/27040)) + "\n")
	}
	for given, most := range map[int]int{-1: scriptMax, 0: 0, 7: 7, 3000: 3000, 1 << 40: hostedTargets} {
		a, in := hostedApp(names.String())
		a.Flags.max = given
		_, err := a.toChange(action.StatusDelete, []string{"-"})
		if err == nil || !strings.Contains(err.Error(), "more targets than the ") {
			t.Errorf("--max %d: %v", given, err)
		}
		if in.read > 64<<10+most*64 {
			t.Errorf("--max %d: %d bytes were read", given, in.read)
		}
	}
}

func TestTheRightIsAskedBeforeTheFirstByteIsRead(t *testing.T) {
	refused := errors.New("no right")
	var asked []api.Privilege
	for name, run := range map[string]func(a *App) error{
		"report": func(a *App) error { _, err := a.toChange(action.ReportResolve, []string{"9xA", "-"}); return err },
		"words":  func(a *App) error { _, err := a.Words(action.ChatMessageDelete, "message", []string{"-"}); return err },
		"get":    func(a *App) error { _, err := a.Targets("user", []string{"-"}); return err },
	} {
		a, in := hostedApp("9xA\n", func(h *Hosted) {
			h.May = func(p api.Privilege, _ bool) error { asked = append(asked, p); return refused }
		})
		if err := run(a); !errors.Is(err, refused) || in.read > 0 {
			t.Errorf("%s: %v, %d bytes were read", name, err, in.read)
		}
	}
	if len(asked) != 3 {
		t.Errorf("asked for %v", asked)
	}
	// Names that stand in the line are the server's to refuse.
	a, _ := hostedApp("x", func(h *Hosted) { h.May = func(api.Privilege, bool) error { return refused } })
	if _, err := a.toChange(action.ReportResolve, []string{"9xA"}); err != nil {
		t.Error(err)
	}
}

func TestTheMemoryOfAHostedRunIsCounted(t *testing.T) {
	full := errors.New("full")
	for name, run := range map[string]func(a *App) error{
		"a file": func(a *App) error { _, err := a.ReadInput("file", "-"); return err },
		"words": func(a *App) error {
			a.Flags.max = 5000
			_, err := a.Words(action.ChatMessageDelete, "message", []string{"-"})
			return err
		},
	} {
		left := 1 << 20
		a, _ := hostedApp("9xA"+strings.Repeat("a", 200)+"\n9xB\n", func(h *Hosted) {
			h.Room = func(n int) error {
				if left -= n; left < 0 {
					return full
				}
				return nil
			}
		})
		if err := run(a); !errors.Is(err, full) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
