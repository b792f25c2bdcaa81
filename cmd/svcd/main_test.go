package main

import (
	"archive/zip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	ber "github.com/go-asn1-ber/asn1-ber"
	"github.com/rogpeppe/go-internal/testscript"

	"svc/server/servertest"
)

func TestMain(m *testing.M) {
	testscript.Main(servertest.Main{M: m}, nil)
}

func TestScripts(t *testing.T) {
	programs := servertest.Programs(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("SVC_DATA_DIR", e.Getenv("WORK")+"/data")
			e.Setenv("SVC_DRAIN", "0s")
			e.Setenv("PATH", programs+string(filepath.ListSeparator)+e.Getenv("PATH"))
			return nil
		},
		// A test run under nohup passes an ignored SIGHUP down to svcd, which
		// then ignores it too.
		Condition: func(cond string) (bool, error) {
			if cond != "hup" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return !signal.Ignored(syscall.SIGHUP), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "port": port, "until": until, "says": says, "hold": hold, "down": down, "sql": runSQL, "token": token, "changed": changed, "send": send, "directory": directory, "zipped": zipped,
		},
	})
}

// zipped FILE FOLDER packs what is in a folder, without the folder itself.
func zipped(ts *testscript.TestScript, _ bool, args []string) {
	file, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	archive := zip.NewWriter(file)
	ts.Check(archive.AddFS(os.DirFS(ts.MkAbs(args[1]))))
	ts.Check(errors.Join(archive.Close(), file.Close()))
}

// exits CODE PROGRAM ARGS... runs a program that must end with this exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// port NAME puts the address of a free port into a variable.
func port(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Check(l.Close())
	ts.Setenv(args[0], l.Addr().String())
}

// directory NAME starts an LDAP server without entries, and puts its port into
// a variable. It ends with the script.
func directory(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go strangers(c)
		}
	}()
}

// strangers answers each request of LDAP: no bind succeeds, and an unbound
// caller may search nothing.
func strangers(c net.Conn) {
	defer func() { _ = c.Close() }()
	answers := map[ber.Tag][2]int64{0: {1, 49}, 3: {5, 50}} // tag and code, by the tag of the request
	for {
		p, err := ber.ReadPacket(c)
		if err != nil || len(p.Children) < 2 {
			return
		}
		a, ok := answers[p.Children[1].Tag]
		if !ok {
			return
		}
		done := ber.Encode(ber.ClassApplication, ber.TypeConstructed, ber.Tag(a[0]), nil, "")
		done.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagEnumerated, a[1], ""))
		for range 2 { // no name, no words
			done.AppendChild(ber.NewString(ber.ClassUniversal, ber.TypePrimitive, ber.TagOctetString, "", ""))
		}
		m := ber.Encode(ber.ClassUniversal, ber.TypeConstructed, ber.TagSequence, nil, "")
		m.AppendChild(ber.NewInteger(ber.ClassUniversal, ber.TypePrimitive, ber.TagInteger, p.Children[0].Value, ""))
		m.AppendChild(done)
		if _, err := c.Write(m.Bytes()); err != nil {
			return
		}
	}
}

// patience is the longest wait of a script.
const patience = 90 * time.Second

// poll waits until try succeeds.
func poll(ts *testscript.TestScript, what string, try func() bool) {
	for end := time.Now().Add(patience); !try(); {
		if time.Now().After(end) {
			ts.Fatalf("%s: not within %s", what, patience)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// until FILE PATTERN waits until a file matches the pattern. Its groups become
// the variables of their names.
func until(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile("(?m)" + args[1])
	poll(ts, args[1], func() bool {
		content, _ := os.ReadFile(ts.MkAbs(args[0]))
		found := pattern.FindSubmatch(content)
		if found == nil {
			return false
		}
		for i, name := range pattern.SubexpNames() {
			if name != "" {
				ts.Setenv(name, string(found[i]))
			}
		}
		return true
	})
}

var caller = &http.Client{Timeout: patience}

// says STATUS METHOD URL [BODY] [TOKEN] waits until a server answers, which
// must be with this status; the body is form data. The answer goes to the file
// answer.
func says(ts *testscript.TestScript, _ bool, args []string) {
	args = append(args, "", "")
	var answer *http.Response
	poll(ts, args[2], func() bool {
		req, err := http.NewRequest(args[1], args[2], strings.NewReader(args[3]))
		ts.Check(err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if args[4] != "" {
			req.Header.Set("Authorization", "Bearer "+args[4])
		}
		answer, err = caller.Do(req)
		return err == nil
	})
	body, err := io.ReadAll(answer.Body)
	ts.Check(errors.Join(err, answer.Body.Close()))
	ts.Check(os.WriteFile(ts.MkAbs("answer"), body, 0o600))
	if got := strconv.Itoa(answer.StatusCode); got != args[0] {
		ts.Fatalf("%s %s answers %s: %s", args[1], args[2], got, body)
	}
}

// send SIGNAL FILE signals the process with the number in the file.
func send(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]os.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP}
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[1])))
	ts.Check(err)
	process, err := os.FindProcess(pid)
	ts.Check(err)
	ts.Check(process.Signal(signals[args[0]]))
}

// changed STATUS URL TOKEN waits until a server answers so; the token may be
// empty.
func changed(ts *testscript.TestScript, _ bool, args []string) {
	poll(ts, args[1]+" does not answer "+args[0], func() bool {
		req, err := http.NewRequest(http.MethodGet, args[1], nil)
		ts.Check(err)
		req.Header.Set("Authorization", "Bearer "+args[2])
		answer, err := caller.Do(req)
		ts.Check(err)
		ts.Check(answer.Body.Close())
		return strconv.Itoa(answer.StatusCode) == args[0]
	})
}

// hold ADDRESS begins a request and does not end it.
func hold(ts *testscript.TestScript, _ bool, args []string) {
	conn, err := net.Dial("tcp", args[0])
	ts.Check(err)
	ts.Defer(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /api/v1/apps HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
	ts.Check(err)
	// The server asks for the body once it works on the request.
	_, err = conn.Read(make([]byte, 1))
	ts.Check(err)
}

// down ADDRESS waits until the address refuses connections.
func down(ts *testscript.TestScript, _ bool, args []string) {
	poll(ts, args[0]+" still listens", func() bool {
		conn, err := net.Dial("tcp", args[0])
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
}

// sql FILE STATEMENT runs a statement on a SQLite file.
func runSQL(ts *testscript.TestScript, _ bool, args []string) {
	d, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	_, err = d.Exec(args[1])
	ts.Check(errors.Join(err, d.Close()))
}

// token URL NICK PASSWORD signs somebody in by the password grant; the answer's
// status goes into STATUS, its token into TOKEN.
func token(ts *testscript.TestScript, _ bool, args []string) {
	post := func(path, form string) string {
		answer, err := caller.Post(args[0]+path, "application/x-www-form-urlencoded", strings.NewReader(form))
		ts.Check(err)
		body, err := io.ReadAll(answer.Body)
		ts.Check(errors.Join(err, answer.Body.Close()))
		ts.Setenv("STATUS", strconv.Itoa(answer.StatusCode))
		return string(body)
	}
	field := func(body, name string) string {
		found := regexp.MustCompile(`"` + name + `":"([^"]*)"`).FindStringSubmatch(body)
		if found == nil {
			return ""
		}
		return found[1]
	}
	app := post("/api/v1/apps", "client_name=script&redirect_uris=urn:ietf:wg:oauth:2.0:oob&scopes=read+admin:read")
	ts.Setenv("TOKEN", field(post("/oauth/token", "grant_type=password&username="+args[1]+"&password="+args[2]+
		"&client_id="+field(app, "client_id")+"&client_secret="+field(app, "client_secret")+"&scope=read+admin:read"), "access_token"))
}

// started is a command that runs within the test, as on a terminal.
type started struct {
	stdout, stderr servertest.Log
	stop           context.CancelFunc
	code           chan int
}

func start(t *testing.T, env map[string]string, args ...string) *started {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &started{stop: stop, code: make(chan int, 1)}
	a := &app{
		stdin: strings.NewReader(""), stdout: &s.stdout, stderr: &s.stderr, terminal: true, now: time.Now,
		lookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	}
	root := a.rootCommand()
	root.SetArgs(args)
	go func() { s.code <- a.exitCode(root.ExecuteContext(ctx)) }()
	t.Cleanup(stop)
	return s
}

// find waits until out matches pattern, and returns its first group.
func (s *started) find(t *testing.T, out *servertest.Log, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if found := re.FindStringSubmatch(out.String()); found != nil {
			return found[1]
		}
	}
	t.Fatalf("no %s in %q, %q", pattern, s.stdout.String(), s.stderr.String())
	return ""
}

// end stops the command, which must succeed.
func (s *started) end(t *testing.T) {
	t.Helper()
	s.stop()
	select {
	case code := <-s.code:
		if code != exitDone {
			t.Errorf("exit code %d: %s", code, s.stderr.String())
		}
	case <-time.After(patience):
		t.Error("it did not end")
	}
}

func TestServeTellsHowToMakeTheFirstAdmin(t *testing.T) {
	dir := t.TempDir() + "/a folder"
	s := start(t, nil, "--listen", "127.0.0.1:0", "--base-url", "http://svc.example", "--data-dir", dir)
	got := s.find(t, &s.stderr, `(?m)^    (svcd user create NAME .*)$`)
	if want := "svcd user create NAME --email you@example.org --admin --data-dir '" + dir + "'"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.end(t)
	made := start(t, nil, "user", "create", "alice", "--email", "a@example.org", "--data-dir", dir)
	made.find(t, &made.stdout, `(.{20,})\n`)
	made.end(t)
	again := start(t, nil, "serve", "--listen", "127.0.0.1:0", "--base-url", "http://svc.example", "--data-dir", dir)
	again.find(t, &again.stderr, `(serving)`)
	again.end(t)
	if strings.Contains(again.stderr.String(), "first admin") {
		t.Error("it told although somebody has an account")
	}
}
