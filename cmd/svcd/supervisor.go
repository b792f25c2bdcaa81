package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// A supervisor started this process and wants to know how it fares: systemd, by the
// protocol of sd_notify(3). Where there is none, nobody is told.
type supervisor struct {
	socket   string        // "" for none
	watchdog time.Duration // within which it must hear that the process works; 0 if it does not care
	log      *slog.Logger
}

func (a *app) supervisor(log *slog.Logger) supervisor {
	s := supervisor{log: log}
	s.socket, _ = a.lookupEnv("NOTIFY_SOCKET")
	if pid, ok := a.lookupEnv("WATCHDOG_PID"); !ok || pid == strconv.Itoa(os.Getpid()) {
		every, _ := a.lookupEnv("WATCHDOG_USEC")
		if n, err := strconv.ParseInt(every, 10, 64); err == nil && n > 0 {
			s.watchdog = time.Duration(n) * time.Microsecond
		}
	}
	return s
}

// tell sends assignments, such as READY=1.
func (s supervisor) tell(states ...string) {
	if s.socket == "" {
		return
	}
	err := func() error {
		c, err := net.Dial("unixgram", s.socket)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		_, err = io.WriteString(c, strings.Join(states, "\n"))
		return err
	}()
	if err != nil {
		s.log.Warn("cannot tell the supervisor", "states", states, "err", err)
	}
}

// serving tells that requests are answered.
func (s supervisor) serving(at string) { s.tell("READY=1", "STATUS=Serving "+at) }

// reloading runs reload, as an answer to SIGHUP. Monotonic is the time in the clock of
// systemd, which tells by it the answer from an earlier one.
func (s supervisor) reloading(reload func()) {
	s.tell("RELOADING=1", "MONOTONIC_USEC="+strconv.FormatInt(monotonic().Microseconds(), 10))
	reload()
	s.tell("READY=1")
}

// watch tells as often as is wanted that the process answers requests at addr, and stays
// silent when it does not, until ctx ends. A failing answer is one: if the database is
// away, a new process has no better.
func (s supervisor) watch(ctx context.Context, addr net.Addr) {
	if s.socket == "" || s.watchdog == 0 {
		return
	}
	every := time.NewTicker(s.watchdog / 3)
	defer every.Stop()
	for {
		limit, cancel := context.WithTimeout(ctx, s.watchdog/3)
		_, _, err := ask(limit, addr.Network(), addr.String(), "/readyz")
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.log.Error("the service does not answer its own request; without an answer the supervisor will end it", "err", err)
		default:
			s.tell("WATCHDOG=1")
		}
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
	}
}

// ask sends a GET request to a service on this machine.
func ask(ctx context.Context, network, address, path string) (status int, body string, err error) {
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		},
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, nil)
	if err != nil {
		return 0, "", err
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return 0, "", fmt.Errorf("read the answer: %w", err)
	}
	return resp.StatusCode, strings.TrimSpace(string(text)), nil
}
