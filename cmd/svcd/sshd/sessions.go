package sshd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"svc/client"
	"svc/client/safe"
	"svc/db"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
	"svc/tui"
)

// variables are those of the client's environment that count.
var variables = []string{"TERM", "LANG", "COLORTERM", "NO_COLOR"}

const (
	maxValue  = 256 // of a variable, in bytes
	maxCells  = 1000
	usualWide = 80
	usualHigh = 24
)

// session is one program that runs for a client.
type session struct {
	*caller
	channel ssh.Channel
	env     map[string]string
	pty     bool
	sizes   chan tui.Size

	ctx     context.Context
	stop    context.CancelCauseFunc
	account *db.Account
	token   string
	http    http.RoundTripper
}

// Why a session ends early.
const (
	errGone    = notice("This session has ended: its key was deleted, or the account was signed out everywhere.")
	errLong    = notice("This session has ended: it was open for too long. Connect again.")
	errSeveral = notice("This key was added to several accounts. Connect with the name of one: ssh NAME@host.")
	errLeft    = notice("The client left.")
)

// session answers the requests of a channel until its program has ended.
func (c *caller) session(channel ssh.Channel, requests <-chan *ssh.Request) {
	s := &session{caller: c, channel: channel, env: map[string]string{}, sizes: make(chan tui.Size, 1)}
	s.ctx, s.stop = context.WithCancelCause(c.ctx)
	var program sync.WaitGroup
	started := false
	for r := range requests {
		ok := false
		switch r.Type {
		case "pty-req":
			ok = !started && s.terminal(r.Payload)
		case "env":
			ok = !started && s.variable(r.Payload)
		case "window-change":
			var size struct{ Columns, Rows, Width, Height uint32 }
			if ok = s.pty && ssh.Unmarshal(r.Payload, &size) == nil; ok {
				s.resize(size.Columns, size.Rows)
			}
		case "shell":
			if ok = !started; ok {
				started = true
				program.Go(func() { s.program(false, "") })
			}
		case "exec":
			var command struct{ Line string }
			if ok = !started && ssh.Unmarshal(r.Payload, &command) == nil; ok {
				started = true
				program.Go(func() { s.program(true, command.Line) })
			}
		case "signal":
			var signal struct{ Name string }
			if ok = started && ssh.Unmarshal(r.Payload, &signal) == nil; ok && slices.Contains([]string{"INT", "TERM", "HUP"}, signal.Name) {
				s.stop(errLeft)
			}
		}
		if r.WantReply {
			_ = r.Reply(ok, nil)
		}
	}
	s.stop(errLeft)
	program.Wait()
	_ = channel.Close()
}

// terminal takes the size and the name of the client's terminal.
func (s *session) terminal(payload []byte) bool {
	var pty struct {
		Term                         string
		Columns, Rows, Width, Height uint32
		Modes                        string
	}
	if ssh.Unmarshal(payload, &pty) != nil || !plainValue(pty.Term) {
		return false
	}
	s.pty, s.env["TERM"] = true, pty.Term
	s.resize(pty.Columns, pty.Rows)
	return true
}

// resize tells the program a size. One that it did not take yet is replaced.
func (s *session) resize(columns, rows uint32) {
	size := tui.Size{Width: int(min(columns, maxCells)), Height: int(min(rows, maxCells))}
	if size.Width == 0 {
		size.Width = usualWide
	}
	if size.Height == 0 {
		size.Height = usualHigh
	}
	select {
	case <-s.sizes:
	default:
	}
	s.sizes <- size
}

// variable takes a variable of the environment, if it is one that counts.
func (s *session) variable(payload []byte) bool {
	var v struct{ Name, Value string }
	if ssh.Unmarshal(payload, &v) != nil || !slices.Contains(variables, v.Name) || !plainValue(v.Value) {
		return false
	}
	s.env[v.Name] = v.Value
	return true
}

func plainValue(text string) bool {
	return len(text) <= maxValue && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

func (s *session) getenv(name string) string { return s.env[name] }

// program runs what the client asked for, and tells it the end.
func (s *session) program(isCommand bool, line string) {
	defer s.begins()()
	over := make(chan struct{})
	defer close(over)
	go s.cutOff(over)
	code := 1
	defer func() {
		if p := recover(); p != nil {
			s.log.ErrorContext(s.ctx, "ssh panic", "panic", p, "stack", string(debug.Stack()))
			s.say("This failed on the server, and was logged.")
		}
		_, _ = s.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(code)}))
		_ = s.channel.Close()
	}()
	end, err := s.begin()
	if err != nil {
		s.say(err.Error())
		return
	}
	defer end()
	began, what := s.now(), "tui"
	if isCommand {
		code, what = s.command(line)
	} else {
		code = s.screen()
	}
	if cause := context.Cause(s.ctx); cause != nil && !errors.Is(cause, errLeft) {
		s.say(cause.Error())
		code = 1
	}
	s.log.InfoContext(s.ctx, "ssh session", "account", s.account.Nickname, "key", s.key.ID, "address", s.conn.RemoteAddr().String(),
		"program", what, "code", code, "seconds", int(s.now().Sub(began).Seconds()))
}

// cutOff closes the connection of a session that was told to end and does not: its
// program waits for a client that takes nothing.
func (s *session) cutOff(over <-chan struct{}) {
	select {
	case <-over:
		return
	case <-s.ctx.Done():
	}
	select {
	case <-over:
	case <-time.After(goodbye):
		_ = s.raw.Close()
	}
}

// say writes a line for the person.
func (s *session) say(text string) {
	if s.pty {
		_, _ = fmt.Fprintf(s.channel, "%s\r\n", safe.Line(text))
		return
	}
	_, _ = fmt.Fprintf(s.channel.Stderr(), "%s\n", safe.Line(text))
}

// begin gives the session its token, which ends with it. An error is a sentence.
func (s *session) begin() (end func(), err error) {
	if s.key.ID == 0 {
		return nil, errSeveral
	}
	opened, err := s.service.Auth.OpenSSH(s.ctx, s.key)
	var refusal *fault.Error
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, errGone
	case errors.As(err, &refusal):
		return nil, refusal
	case err != nil:
		s.log.WarnContext(s.ctx, "ssh session", "err", err)
		return nil, notice("The server cannot begin a session now. Try again in a while.")
	}
	s.account, s.token = opened.Account, opened.Token
	end = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 10*time.Second)
		defer cancel()
		if err := s.service.Auth.Revoke(ctx, s.token); err != nil {
			s.log.WarnContext(ctx, "end of ssh session", "err", err)
		}
	}
	if err := s.still(); err != nil {
		end()
		return nil, err
	}
	s.http = calls{s.inside.transport(s.ctx, s.conn.RemoteAddr()), s.calls}
	go s.watch(opened.Until)
	return end, nil
}

// still returns why the session may not go on, in words for the person.
func (s *session) still() error {
	id, err := s.identities.Identify(s.ctx, s.token)
	switch {
	case err != nil:
		return nil //nolint:nilerr // the database is away: its calls fail by themselves
	case id == nil:
		return errGone
	case len(s.rights.Of(id.Account)) == 0:
		return notice("@" + id.Account.Nickname + " has no rights here: SSH is for admins, and for moderators with privileges.")
	case !auth.Covers(id.Scopes, []string{"admin:read"}):
		return notice("This key was added by an app without the scope admin:read, and gives no more than that. Add it with svcctl ssh-key add.")
	}
	return nil
}

// watch ends the session when its account or key loses its rights, and after its
// time.
func (s *session) watch(until time.Time) {
	tick := time.NewTicker(s.limits.Check)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		if !s.now().Before(until) {
			s.stop(errLong)
		} else if err := s.still(); err != nil && s.ctx.Err() == nil {
			s.stop(err)
		}
	}
}

// screen runs the TUI: as a dialogue of lines where there is no terminal.
func (s *session) screen() int {
	if s.pty && s.env["TERM"] == "dumb" {
		s.say("This terminal cannot show a screen. ssh -T gives a dialogue of lines.")
		return 1
	}
	c, err := s.api()
	if err == nil {
		err = tui.Run(s.ctx, tui.Options{
			Client: c, Context: s.base.Host, StateDir: filepath.Join(s.folder(s.account), "svcctl"),
			In: paced{newPace(s.limits.Keys, 2*s.limits.Keys), s.ctx, s.channel}, Out: s.channel, Plain: !s.pty,
			Remote: &tui.Remote{Getenv: s.getenv, Sizes: s.sizes},
		})
	}
	if err != nil {
		s.log.WarnContext(s.ctx, "ssh tui", "err", err)
		s.say("The terminal UI ended: " + safe.Line(err.Error()))
		return 1
	}
	return 0
}

// api is a client of the service, with the rights of the session.
func (s *session) api() (*client.Client, error) {
	options := []client.Option{
		client.WithToken(s.token), client.WithHTTPClient(&http.Client{Transport: s.http}), client.WithUserAgent("svcd-ssh"),
	}
	if s.base.Scheme == "http" {
		options = append(options, client.WithInsecureHTTP()) // in memory
	}
	return client.New(s.service.BaseURL(), options...)
}
