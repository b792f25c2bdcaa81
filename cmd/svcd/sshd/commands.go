package sshd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/google/shlex"

	"svc/client"
	"svc/client/api"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/commands"
	"svc/server/platform/rights"
	"svc/server/rules/auth"
)

// maxCommand is the longest command line, in bytes.
const maxCommand = 64 << 10

// errFull ends a command that writes too much.
const errFull = notice("The output is too long.")

// command runs a line as svcctl does, and returns the exit code and, for the log, the
// verb.
func (s *session) command(line string) (code int, verb string) {
	words, err := shlex.Split(line)
	switch {
	case len(line) > maxCommand:
		s.say("The command is too long.")
		return cli.ExitUsage, ""
	case err != nil:
		s.say("The command has an open quote: " + err.Error())
		return cli.ExitUsage, ""
	}
	if len(words) > 0 && words[0] == "svcctl" { // as hints write it
		words = words[1:]
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	held := s.rooms.enter(s.account.ID)
	defer held.leave()
	room := &bounded{left: s.limits.Output, full: func() { cancel(errFull) }}
	mine := s.turns.of(ctx, s.account.ID)
	mine.take()
	defer mine.give()
	code = commands.RunHosted(ctx, &cli.Hosted{
		In:  turnReader{mine, paced{s.input, ctx, s.channel}},
		Out: turnWriter{mine, room.of(s.channel)}, ErrOut: turnWriter{mine, room.of(s.channel.Stderr())},
		URL: s.service.BaseURL(), Token: s.token, Transport: turnCaller{mine, s.http}, State: s.folder(s.account), Env: s.getenv, Now: s.now,
		May: s.may, Room: held.take,
	}, words)
	if room.overflown() {
		s.say(fmt.Sprintf("The output was cut off after %d MiB. Ask for less of it, with --limit or --fields.", s.limits.Output>>20))
		code = cli.ExitFailed
	}
	return code, safe.Line(strings.Join(words[:min(2, len(words))], " "))
}

// may returns why the account may not use a part of the admin API now.
func (s *session) may(p api.Privilege, writes bool) error {
	id, err := s.identities.Identify(s.ctx, s.token)
	if err != nil {
		return err
	}
	if id == nil {
		return errGone
	}
	right, scope := rights.Right(p), "admin:read"
	if p == "" {
		right = rights.Admins
	}
	if writes {
		scope = "admin:write"
	}
	if err := s.rights.Check(id.Account, right); err != nil {
		return &client.Error{Status: http.StatusForbidden, Message: err.Error()}
	}
	for _, held := range id.Scopes {
		if auth.Grants(held, scope) || auth.Grants(scope, held) { // or a part of it
			return nil
		}
	}
	return &client.Error{Status: http.StatusForbidden, Message: "The key has not the scope " + scope + "."}
}

// bounded is the output of a command, of both streams together.
type bounded struct {
	mu   sync.Mutex
	left int64
	over bool
	full func()
}

type stream struct {
	*bounded
	to io.Writer
}

func (b *bounded) of(to io.Writer) io.Writer { return stream{b, to} }

// Write passes on as much as there is room for.
func (s stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	room := min(int64(len(p)), s.left)
	s.left -= room
	if room < int64(len(p)) && !s.over {
		s.over = true
		s.full()
	}
	s.mu.Unlock()
	n, err := s.to.Write(p[:room])
	if err == nil && n < len(p) {
		err = errFull
	}
	return n, err
}

func (b *bounded) overflown() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.over
}
