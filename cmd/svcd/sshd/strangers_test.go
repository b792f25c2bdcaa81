package sshd_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"svc/client/api"
	"svc/db"
)

// strangers are texts that a terminal must not see as they are; each ends in a word that
// it should show.
var strangers = []string{
	"\x1b[2J\x1b]0;owned\a\x1b]52;c;cm0=\x1b\\ \u009b31m \u202e \x07 spam", "\x1b[?1049l\x1b[?25h\x1b[1;1H\x1b[31;5mspam", "\x1b]8;;https://bad.example\x1b\\spam", "\x1bP1$r0m\x1b\\\x1b(0\x0e spam",
	"\x1b[5;10r\x1b[6n\x1bc spam", "\u009d2;owned\u009c \u0090q\u009c spam", "\u2066\u202b\u200f spam \u2069", "\U000E0041\U000E007F\u200b\u2028\u2029 spam",
	strings.Repeat("e\u0301\u0301\u0301\u0301\u0301", 40) + " spam", "日本語" + strings.Repeat("ｗｉｄｅ", 60) + " spam", "👩‍👩‍👧‍👦🏴󠁧󠁢🇩🇪❤️ﷺ﷽क्षि مرحبا spam",
	strings.Repeat("x", 400) + " spam", "\t\t\r\n\r\n\t spam", "&#27;[1m<b>\x1b[1m</b> spam", "\ufffd\ufeff\x7f\x08\x08\x08 spam",
}

// TestTextOfStrangersChangesNoTerminal shows hostile names, posts, reports and notes on
// the screens that have them, on terminals with colours and without: they switch no mode,
// leave no style behind and are nowhere too wide.
func TestTextOfStrangersChangesNoTerminal(t *testing.T) {
	w := start(t)
	root := w.AdminUser("root")
	w.User("bob")
	for i, text := range strangers {
		uri := fmt.Sprintf("https://bad.example/users/%d", i)
		a := &db.Account{URI: uri, URL: uri, Nickname: fmt.Sprintf("far%d@bad.example", i), Domain: "bad.example", ActorType: "Person", DisplayName: text, Note: text}
		w.must(w.DB.CreateAccount(t.Context(), a))
		post, err := w.Client("bob").Statuses.Post(t.Context(), api.NewStatus{Status: text, SpoilerText: text[:len(text)/2]})
		w.must(err)
		w.file(a, text)
		_, err = w.Client("ann").Reports.Create(t.Context(), api.NewReport{AccountID: w.User("bob").ID, StatusIDs: []string{post.ID}, Comment: text})
		w.must(err)
	}
	name := strangers[0]
	_, err := w.Client("bob").Accounts.UpdateCredentials(t.Context(), api.UpdateCredentials{DisplayName: &name, Note: &name})
	w.must(err)
	page, err := w.Admin("root").Admin.Reports.List(api.ReportQuery{State: "open"}).Page(t.Context())
	w.must(err)
	for i, r := range page.Items[:min(len(strangers), len(page.Items))] {
		w.must(w.Admin("root").Admin.Reports.AddNote(t.Context(), r.ID, strangers[i]))
	}

	key, _ := w.key(root)
	const down = "jjjjjjjjjjjjjjjjjjjjjjjjjjjjj"
	for _, size := range []struct{ columns, rows int }{{80, 24}, {120, 40}} {
		for _, colours := range []bool{false, true} {
			seat := w.session(w.connect(key))
			w.must(seat.Setenv("LANG", "C.UTF-8"))
			if colours {
				w.must(seat.Setenv("COLORTERM", "truecolor"))
			} else {
				w.must(seat.Setenv("NO_COLOR", "1"))
			}
			w.must(seat.RequestPty("xterm-256color", size.rows, size.columns, ssh.TerminalModes{}))
			w.must(seat.Shell())
			e := seat.sees(size.columns, size.rows, "REPORTS open 30", "spam")
			begun := e.state()
			for _, step := range []struct {
				keys  string
				shown []string
			}{
				{down, []string{"REPORTS open 30"}}, {"gg\r", []string{"REPORT ", "spam"}}, {"\x1b", []string{"REPORTS"}}, {"be", []string{"by:account", "spam"}},
				{"P", []string{"USER bob", "HISTORY", "spam"}}, {"\x1b", []string{"by:account"}}, {"2", []string{"USERS", "far"}}, {down, []string{"USERS"}},
				{"3", []string{"LOG", "note on", "spam"}}, {down, []string{"LOG"}}, {"6", []string{"STATUSES", "spam"}}, {down, []string{"STATUSES"}}, {"\r", []string{"USER bob"}},
				{"@", []string{"ACTIONS"}}, {"?", []string{"HELP", "esc back"}}, {"1", []string{"REPORTS"}},
			} {
				seat.types(step.keys)
				e = seat.sees(size.columns, size.rows, step.shown...)
				if now := e.state(); now != begun {
					t.Errorf("after %q the terminal has %s, at first %s", step.keys, now, begun)
				}
			}
			seat.types("q")
			if code := seat.ends(); code != 0 {
				t.Errorf("exit %d", code)
			}
			e = newEmulator(size.columns, size.rows)
			out, _ := seat.written()
			e.write(out)
			if left, fresh := e.state(), newEmulator(1, 1).state(); left != fresh || e.style != "" {
				t.Errorf("the terminal is left with %s, style %q", left, e.style)
			}
			if len(e.strange) > 0 {
				t.Errorf("%dx%d, colours %v: %q", size.columns, size.rows, colours, e.strange)
			}
		}
	}
}

// sees waits until a terminal of this size shows all of texts, and returns it.
func (s *seat) sees(columns, rows int, texts ...string) *emulator {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		e := newEmulator(columns, rows)
		out, _ := s.written()
		e.write(out)
		missing := ""
		for _, text := range texts {
			if !strings.Contains(e.frame(), text) {
				missing = text
			}
		}
		if missing == "" {
			return e
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%q is not on the screen, which has\n%s\nand %q", missing, e.frame(), e.strange)
		}
	}
}
