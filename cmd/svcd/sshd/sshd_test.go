package sshd_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"svc/client/api"
	"svc/cmd/svcd/sshd"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/rules/auth"
	"svc/server/servertest"
)

const hostile = "\x1b[2J\x1b]0;owned\a\x1b]52;c;cm0=\x1b\\ \u009b31m \u202e spam \x07"

func TestAReportIsResolvedOverSSH(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := serve(t, s)
		root := w.AdminUser("root")
		id := w.file(w.User("bob"), hostile)
		key, row := w.key(root)
		seat := w.tui(w.connect(key), 120, 40)
		seat.waits("spam")
		if n := w.tokens(row); n != 1 {
			t.Errorf("%d tokens of the session", n)
		}
		seat.types("r")
		seat.waits("resolve 4s")
		seat.sendAndQuit()
		seat.clean()
		if out, _ := seat.written(); !strings.Contains(out, "\x1b[?1049l") {
			t.Errorf("the terminal is left as %q", out[max(0, len(out)-60):])
		}
		report, err := w.Admin("root").Admin.Reports.Get(t.Context(), id)
		w.must(err)
		if report.State != api.ReportResolved {
			t.Errorf("the report is %s", report.State)
		}
		if n := w.tokens(row); n != 0 {
			t.Errorf("%d tokens are left", n)
		}
	})
}

// tokens counts the tokens of a key's sessions.
func (w *world) tokens(key *db.SSHKey) (n int) {
	w.t.Helper()
	w.must(w.DB.Writer().QueryRowContext(w.t.Context(), "SELECT COUNT(*) FROM tokens WHERE ssh_key_id IS NOT NULL").Scan(&n))
	return n
}

func TestOnATinyTerminalAndWithoutOne(t *testing.T) {
	w := start(t)
	w.file(w.User("bob"), hostile)
	key, _ := w.key(w.AdminUser("root"))
	c := w.connect(key)
	tiny := w.tui(c, 10, 3)
	tiny.waits("live") // the head, cut off
	w.must(tiny.WindowChange(3, 1))
	w.must(tiny.WindowChange(24, 80))
	tiny.waits("spam")
	w.must(tiny.WindowChange(1<<30, 1<<30)) // which must not take memory for such a frame
	tiny.types("q")
	if code := tiny.ends(); code != 0 {
		t.Errorf("exit %d", code)
	}
	tiny.clean()

	lines := w.session(c)
	w.must(lines.Shell())
	lines.waits("Command?")
	lines.types("save\n")
	lines.waits("no such command")
	lines.types("quit\n")
	if code := lines.ends(); code != 0 {
		t.Errorf("exit %d", code)
	}
	lines.clean()
	if out, _ := lines.written(); strings.Contains(out, "\x1b") || !strings.Contains(out, "spam") {
		t.Errorf("without a terminal: %q", out)
	}

	dumb := w.session(c)
	w.must(dumb.RequestPty("dumb", 24, 80, ssh.TerminalModes{}))
	w.must(dumb.Shell())
	if code := dumb.ends(); code != 1 {
		t.Errorf("exit %d", code)
	}
	if out, _ := dumb.written(); out != "This terminal cannot show a screen. ssh -T gives a dialogue of lines.\r\n" {
		t.Errorf("on a dumb terminal: %q", out)
	}
}

func TestTwoSessionsOfAnAccountKeepTheirWork(t *testing.T) {
	w := start(t)
	first, second := w.file(w.User("bob"), "first"), w.file(w.User("cat"), "second")
	key, _ := w.key(w.AdminUser("root"))
	c := w.connect(key)
	one, two := w.tui(c, 120, 40), w.tui(w.connect(key), 120, 40)
	one.waits("second")
	two.waits("second")
	one.types("r")
	two.types("jr")
	one.waits("resolve 4s")
	two.waits("resolve 4s")
	two.sendAndQuit()
	one.sendAndQuit()
	for _, id := range []string{first, second} {
		if report, err := w.Admin("root").Admin.Reports.Get(t.Context(), id); err != nil || report.State != api.ReportResolved {
			t.Errorf("%s: %+v, %v", id, report, err)
		}
	}
	journal, err := os.ReadFile(w.DataDir + "/ssh/" + w.AdminUser("root").ID + "/svcctl/journal.jsonl")
	if err != nil || bytes.Count(journal, []byte("\n")) != 2 {
		t.Errorf("the journal has %s, %v", journal, err)
	}
}

func TestWhoMayNotIsToldInOneLine(t *testing.T) {
	w := start(t)
	mod := w.User("mod")
	w.must(dbtest.Exec(t, w.DB, "UPDATE accounts SET is_moderator = TRUE WHERE nickname = 'mod'"))
	off := w.AdminUser("off")
	offKey, _ := w.key(off)
	off.Deactivated = true
	w.must(w.DB.UpdateAccount(t.Context(), off, "deactivated"))
	root := w.AdminUser("root")
	narrow := signer(t)
	_, err := w.Auth.AddSSHKey(t.Context(), root.ID, auth.NewSSHKey{Text: string(ssh.MarshalAuthorizedKey(narrow.PublicKey())), Scopes: []string{"read", "write"}})
	w.must(err)
	annKey, _ := w.key(w.User("ann"))
	modKey, _ := w.key(mod)
	const none = " has no rights here: SSH is for admins, and for moderators with privileges."
	for want, key := range map[string]ssh.Signer{
		"@ann" + none: annKey, "@mod" + none: modKey, "Your account is currently disabled": offKey,
		"This key was added by an app without the scope admin:read, and gives no more than that. Add it with svcctl ssh-key add.": narrow,
	} {
		for _, pty := range []bool{false, true} {
			s := w.session(w.connect(key))
			if pty {
				w.must(s.RequestPty("xterm", 24, 80, ssh.TerminalModes{}))
			}
			w.must(s.Shell())
			if code := s.ends(); code != 1 {
				t.Errorf("%s: exit %d", want, code)
			}
			if out, errOut := s.written(); strings.TrimSpace(out+errOut) != want {
				t.Errorf("told %q, %q, want %s", out, errOut, want)
			}
		}
	}
	if n := w.tokens(nil); n != 0 {
		t.Errorf("%d tokens were left", n)
	}
	settings := *w.Settings.Base()
	settings.Instance.ModeratorPrivileges = []string{"reports"}
	w.must(w.Settings.Swap(settings))
	w.file(w.User("bob"), "a report")
	seat := w.tui(w.connect(modKey), 80, 24)
	seat.waits("a report")
}

func TestASessionEndsWithItsRights(t *testing.T) {
	w := start(t)
	const gone = "This session has ended: its key was deleted, or the account was signed out everywhere."
	const none = " has no rights here: SSH is for admins, and for moderators with privileges."
	for _, tt := range []struct {
		name string
		take func(a *db.Account, key *db.SSHKey) error
		says string
	}{
		{"deleted", func(a *db.Account, key *db.SSHKey) error {
			_, err := w.Auth.DeleteSSHKey(t.Context(), a.ID, key.ID)
			return err
		}, gone},
		{"deactivated", func(a *db.Account, _ *db.SSHKey) error {
			_, err := w.Moderation.Deactivate(t.Context(), w.AdminUser("root"), a.Nickname)
			return err
		}, gone},
		{"demoted", func(a *db.Account, _ *db.SSHKey) error {
			no := false
			_, err := w.Auth.SetUser(t.Context(), a.Nickname, auth.UserChanges{Admin: &no})
			return err
		}, "@demoted" + none},
		{"reset", func(a *db.Account, _ *db.SSHKey) error {
			return w.Moderation.ForcePasswordReset(t.Context(), w.AdminUser("root"), a.Nickname)
		}, gone},
	} {
		a := w.AdminUser(tt.name)
		key, row := w.key(a)
		c := w.connect(key)
		screen, lines := w.tui(c, 80, 24), w.session(c)
		w.must(lines.Shell())
		screen.waits("REPORTS")
		lines.waits("Command?")
		w.must(tt.take(a, row))
		for _, s := range []*seat{screen, lines} {
			if code := s.ends(); code != 1 {
				t.Errorf("%s: exit %d", tt.name, code)
			}
			out, errOut := s.written()
			if text := out + errOut; !strings.HasSuffix(strings.TrimSpace(text), tt.says) {
				t.Errorf("%s: the last words are %q", tt.name, text[max(0, len(text)-120):])
			}
		}
		if out, _ := screen.written(); !strings.Contains(out, "\x1b[?1049l") {
			t.Errorf("%s: the alternate screen was left on", tt.name)
		}
	}
}

func TestNothingButItsProgramIsServed(t *testing.T) {
	w := start(t)
	key, _ := w.key(w.AdminUser("root"))
	c := w.connect(key)
	for _, kind := range []string{"direct-tcpip", "forwarded-tcpip", "direct-streamlocal@openssh.com", "x11", "tun@openssh.com", "auth-agent@openssh.com"} {
		if _, _, err := c.OpenChannel(kind, ssh.Marshal(struct {
			Host       string
			Port       uint32
			Origin     string
			OriginPort uint32
		}{"127.0.0.1", 22, "127.0.0.1", 1})); err == nil {
			t.Errorf("a channel %s was opened", kind)
		}
	}
	for _, kind := range []string{"tcpip-forward", "streamlocal-forward@openssh.com"} {
		if ok, _, err := c.SendRequest(kind, true, ssh.Marshal(struct {
			Host string
			Port uint32
		}{"127.0.0.1", 0})); ok || err != nil {
			t.Errorf("%s: %v, %v", kind, ok, err)
		}
	}
	s := w.session(c)
	for kind, payload := range map[string]any{
		"subsystem": struct{ Name string }{"sftp"}, "x11-req": struct{ Single bool }{}, "auth-agent-req@openssh.com": struct{ None bool }{}, "break": struct{ Length uint32 }{1},
		"window-change": struct{ A, B, C, D uint32 }{80, 24, 0, 0}, "signal": struct{ Name string }{"INT"},
	} {
		if ok, err := s.SendRequest(kind, true, ssh.Marshal(payload)); ok || err != nil {
			t.Errorf("%s: %v, %v", kind, ok, err)
		}
	}
	for name, fine := range map[string]bool{
		"TERM": true, "LANG": true, "COLORTERM": true, "NO_COLOR": true, "PATH": false, "HOME": false, "SVCCTL_TOKEN": false, "SVCCTL_CONFIG": false,
		"XDG_STATE_HOME": false, "LD_PRELOAD": false, "EDITOR": false, "BROWSER": false, "term": false,
	} {
		if err := s.Setenv(name, "x"); (err == nil) != fine {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Setenv("LANG", "\x1b[2J"); err == nil {
		t.Error("an escape sequence counts as a language")
	}
	if err := s.Setenv("LANG", strings.Repeat("x", 1000)); err == nil {
		t.Error("a very long language was taken")
	}
	w.must(s.Shell())
	if ok, err := s.SendRequest("shell", true, nil); ok || err != nil {
		t.Errorf("a second program: %v, %v", ok, err)
	}
	s.waits("Command?")
}

func TestUnknownKeysAreRefusedAndCounted(t *testing.T) {
	w := start(t, func(l *sshd.Limits) { l.Failures = 3 })
	key, _ := w.key(w.AdminUser("root"))
	for range 3 {
		w.connect(key)
		if _, err := w.knock(signer(t)); err == nil || !strings.Contains(err.Error(), "unable to authenticate") {
			t.Fatalf("a stranger: %v", err)
		}
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := w.knock(key); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("an address goes on after three failures")
		}
	}
	if _, err := ssh.Dial("tcp", w.addr, &ssh.ClientConfig{User: "root", Auth: []ssh.AuthMethod{ssh.Password(servertest.Password)}, HostKeyCallback: ssh.InsecureIgnoreHostKey()}); err == nil {
		t.Error("a password lets somebody in")
	}
}

func TestConnectionsAndSessionsAreBounded(t *testing.T) {
	w := start(t, func(l *sshd.Limits) { l.PerAddress, l.PerAccount = 2, 2 })
	key, _ := w.key(w.AdminUser("root"))
	first, second := w.connect(key), w.connect(key)
	if _, err := w.knock(key); err == nil {
		t.Error("a third connection of the address")
	}
	open := []*seat{w.session(first), w.session(second)}
	if _, err := first.NewSession(); err == nil || !strings.Contains(err.Error(), "too many sessions") {
		t.Errorf("a third session of the account: %v", err)
	}
	for _, s := range open {
		w.must(s.Shell())
		s.waits("Command?")
		s.types("quit\n")
		s.ends()
	}
	w.must(second.Close())
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := w.knock(key); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a connection that ended counts still")
		}
	}
}

func TestAnIdleClientIsDropped(t *testing.T) {
	w := start(t, func(l *sshd.Limits) { l.Idle = 300 * time.Millisecond })
	key, _ := w.key(w.AdminUser("root"))
	if err := w.connect(key).Wait(); err == nil {
		t.Error("the connection ended in order")
	}
	short := start(t, func(l *sshd.Limits) { l.Handshake = 100 * time.Millisecond })
	mute, err := net.Dial("tcp", short.addr)
	w.must(err)
	defer mute.Close()
	w.must(mute.SetReadDeadline(time.Now().Add(20 * time.Second)))
	buf := make([]byte, 1024)
	for err == nil {
		_, err = mute.Read(buf)
	}
	if strings.Contains(err.Error(), "timeout") {
		t.Error("a client that does not speak is waited for")
	}
}

func TestAStopEndsSessionsWithALine(t *testing.T) {
	w := start(t)
	w.file(w.User("bob"), "a report")
	key, _ := w.key(w.AdminUser("root"))
	c := w.connect(key)
	screen, lines := w.tui(c, 80, 24), w.session(c)
	w.must(lines.Shell())
	screen.waits("a report")
	lines.waits("Command?")
	screen.types("r")
	screen.waits("resolve 4s")
	w.must(w.stop())
	const says = "The server is stopping. Connect again in a while."
	screen.waits(says)
	lines.waits(says)
	if n := w.tokens(nil); n != 0 {
		t.Errorf("%d tokens are left", n)
	}
	// What was not sent waits for the next session.
	again := serve(t, w.Server)
	next := again.tui(again.connect(key), 80, 24)
	next.waits("was not sent last time")
}

func TestTheHostKeyIsOneForAllProcesses(t *testing.T) {
	w := start(t)
	second := serve(t, w.Server)
	var seen []string
	for _, addr := range []string{w.addr, second.addr} {
		_, _ = ssh.Dial("tcp", addr, &ssh.ClientConfig{User: "x", HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			seen = append(seen, ssh.FingerprintSHA256(key))
			return nil
		}})
	}
	if len(seen) != 2 || seen[0] != seen[1] {
		t.Errorf("host keys %q", seen)
	}
	if len(w.Log.Lines("host_key="+seen[0])) == 0 {
		t.Error("the log does not name the host key, by which an operator could tell people")
	}
}

func TestFoldersOfDeletedAccountsGo(t *testing.T) {
	s := servertest.Start(t)
	root := s.AdminUser("root")
	for _, id := range []string{root.ID, "gone"} {
		if err := os.MkdirAll(s.DataDir+"/ssh/"+id+"/svcctl", 0o700); err != nil {
			t.Fatal(err)
		}
	}
	serve(t, s)
	if entries, err := os.ReadDir(s.DataDir + "/ssh"); err != nil || len(entries) != 1 || entries[0].Name() != root.ID {
		t.Errorf("left %v, %v", entries, err)
	}
}

// TestAKeyHasNoMoreThanTheTokenThatAddedIt adds keys at both doors, with tokens of all
// sizes.
func TestAKeyHasNoMoreThanTheTokenThatAddedIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := serve(t, s)
		w.AdminUser("root")
		w.User("kim")
		for _, tt := range []struct{ scopes, user string }{
			{"admin:write:accounts", "kim"}, {"admin:write:accounts", "root"}, {"admin:write", "root"}, {"admin:read admin:write", "root"},
			{"admin:read:accounts admin:write:accounts read", "root"}, {servertest.AdminScopes, "kim"}, {"write:security", ""}, {"write", ""},
		} {
			key := signer(t)
			form := api.NewSSHKey{Key: string(ssh.MarshalAuthorizedKey(key.PublicKey()))}
			c := w.With(w.Token("root", tt.scopes))
			var added *api.SSHKey
			var err error
			if tt.user == "" {
				added, err = c.SSHKeys.Add(t.Context(), form)
			} else {
				added, err = c.Admin.SSHKeys.Add(t.Context(), tt.user, form)
			}
			w.must(err)
			row, err := w.Auth.SSHKey(t.Context(), key.PublicKey(), "")
			w.must(err)
			if row.ID != added.ID || !auth.Covers(auth.SplitScopes(tt.scopes), auth.SplitScopes(row.Scopes)) {
				t.Errorf("a token of %q made a key of %q", tt.scopes, row.Scopes)
			}
			seat := w.session(w.connect(key))
			w.must(seat.Start("user create eve --email eve@example.org --generate --yes"))
			if made := seat.ends() == 0; made != (tt.scopes == "admin:read admin:write") {
				t.Errorf("a key of %q made a user: %v", row.Scopes, made)
			}
		}
	})
}

// TestTheNameDecidesBetweenAccountsWithOneKey has somebody name the key of another.
func TestTheNameDecidesBetweenAccountsWithOneKey(t *testing.T) {
	w := start(t)
	key, _ := w.key(w.AdminUser("eve"))
	root := w.AdminUser("root")
	_, err := w.Auth.AddSSHKey(t.Context(), root.ID, auth.NewSSHKey{Text: string(ssh.MarshalAuthorizedKey(key.PublicKey())), Scopes: auth.SplitScopes(auth.SSHScopes)})
	w.must(err)
	for name, want := range map[string]string{"root": `"acct": "root"`, "eve": `"acct": "eve"`, "laptop": "This key was added to several accounts. Connect with the name of one: ssh NAME@host.\n"} {
		c, err := ssh.Dial("tcp", w.addr, &ssh.ClientConfig{User: name, Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: 20 * time.Second})
		w.must(err)
		_, out, errOut := w.runs(c, "api GET /api/v1/accounts/verify_credentials", "")
		if !strings.Contains(out+errOut, want) {
			t.Errorf("as %s: %q, %q", name, out, errOut)
		}
		w.must(c.Close())
	}
}

// TestPlacesOfStrangersGuestsAndStaffAreApart fills those of the first two.
func TestPlacesOfStrangersGuestsAndStaffAreApart(t *testing.T) {
	w := start(t, func(l *sshd.Limits) {
		l.Strangers, l.Guests, l.Connections, l.PerAddress, l.PerAccount = 3, 2, 2, 50, 1
	})
	staff, _ := w.key(w.AdminUser("root"))
	var mute []net.Conn
	for range 8 {
		c, err := net.Dial("tcp", w.addr)
		w.must(err)
		defer c.Close()
		mute = append(mute, c)
	}
	gone := 0
	for _, c := range mute { // the oldest make room
		w.must(c.SetReadDeadline(time.Now().Add(500 * time.Millisecond)))
		if _, err := io.Copy(io.Discard, c); err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			gone++
		}
	}
	if gone != 5 {
		t.Errorf("%d of 8 strangers are gone, want 5", gone)
	}
	ann, _ := w.key(w.User("ann"))
	bob, _ := w.key(w.User("bob"))
	lasts := func(c *ssh.Client) bool { // whether the connection has a place
		ended := make(chan struct{})
		go func() {
			_ = c.Wait()
			close(ended)
		}()
		select {
		case <-ended:
			return false
		case <-time.After(500 * time.Millisecond):
			return true
		}
	}
	for range 2 {
		if c := w.connect(ann); !lasts(c) {
			t.Error("an account without rights has no place")
		}
	}
	if c := w.connect(bob); lasts(c) {
		t.Error("accounts without rights have a third place")
	}
	for range 2 {
		if c := w.connect(staff); !lasts(c) {
			t.Error("staff has no place")
		}
	}
	if c := w.connect(staff); lasts(c) {
		t.Error("staff has a third place")
	}
}

func TestAConnectionWithoutAProgramEnds(t *testing.T) {
	w := start(t, func(l *sshd.Limits) { l.Quiet = 500 * time.Millisecond })
	w.file(w.User("bob"), "a report")
	key, _ := w.key(w.AdminUser("root"))
	idle, open, busy := w.connect(key), w.connect(key), w.connect(key)
	w.session(open) // which asks for nothing
	seat := w.tui(busy, 80, 24)
	seat.waits("a report")
	for _, c := range []*ssh.Client{idle, open} {
		if err := c.Wait(); err == nil {
			t.Error("the connection ended in order")
		}
	}
	time.Sleep(time.Second)
	seat.types("3")
	seat.waits("LOG")
	seat.types("q")
	if code := seat.ends(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if err := busy.Wait(); err == nil {
		t.Error("a connection whose program ended stays")
	}
}

// TestKeyExchangesCount exchanges keys for no reason, and connects without logging in.
func TestKeyExchangesCount(t *testing.T) {
	w := start(t, func(l *sshd.Limits) { l.Failures = 2 })
	key, _ := w.key(w.AdminUser("root"))
	c, err := ssh.Dial("tcp", w.addr, &ssh.ClientConfig{
		User: "root", Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: 20 * time.Second,
		Config: ssh.Config{RekeyThreshold: 1}, // of which the library makes 256 bytes
	})
	w.must(err)
	defer c.Close()
	var failed error
	for range 400 {
		if _, _, failed = c.SendRequest("keepalive@openssh.com", true, make([]byte, 200)); failed != nil {
			break
		}
	}
	if failed == nil {
		t.Error("a client exchanges keys without end")
	}
	for range 2 {
		if _, err := ssh.Dial("tcp", w.addr, &ssh.ClientConfig{User: "root", HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: 20 * time.Second, Auth: nil}); err == nil {
			t.Error("nobody logged in")
		}
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := w.knock(key); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("connections that log nobody in do not count")
		}
	}
}

// TestAClientThatReadsNothingLosesItsConnectionWithItsKey has the output of a command wait
// for a client that never takes it.
func TestAClientThatReadsNothingLosesItsConnectionWithItsKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := serve(t, s)
		key, row := w.key(w.AdminUser("root"))
		loud := &db.Account{ // more than the 2 MiB that a client need not read
			URI: "https://far.example/users/loud", Nickname: "loud@far.example", Domain: "far.example", ActorType: "Person", Note: strings.Repeat("x", 300<<10),
		}
		w.must(w.DB.CreateAccount(t.Context(), loud))
		for range 12 {
			w.file(loud, "loud")
		}
		c := w.connect(key)
		channel, requests, err := c.OpenChannel("session", nil) // which is never read
		w.must(err)
		go ssh.DiscardRequests(requests)
		ok, err := channel.SendRequest("exec", true, ssh.Marshal(struct{ Line string }{"report list --all"}))
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		time.Sleep(time.Second)
		_, err = w.Auth.DeleteSSHKey(t.Context(), row.AccountID, row.ID)
		w.must(err)
		ended := make(chan struct{})
		go func() {
			_ = c.Wait()
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Error("the connection stays")
		}
	})
}
