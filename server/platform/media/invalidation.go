package media

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"svc/server/platform/config"
	"svc/server/platform/guard"
	"svc/server/platform/outgoing"
)

const (
	// tellTime bounds one purge of other caches.
	tellTime = 20 * time.Second
	// toldAtOnce bounds the concurrent requests to a cache.
	toldAtOnce = 8
	// maxOutput bounds the logged output of a program, in bytes.
	maxOutput = 2 << 10
)

// invalidator purges caches in front of this server. Failures are only logged.
type invalidator struct {
	urls    *URLs
	outside *outgoing.Client // for addresses from strangers
	inside  *http.Client     // for addresses from the settings, which may be private
	log     *slog.Logger
}

func newInvalidator(urls *URLs, outside *outgoing.Client, log *slog.Logger) *invalidator {
	return &invalidator{urls: urls, outside: outside, log: log, inside: &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// tell purges these URLs from the configured caches, and waits for them, even
// after the end of its request.
func (i *invalidator) tell(ctx context.Context, addresses []string) {
	s := i.urls.settings.Load()
	how := s.MediaProxy.Invalidation
	if !how.Enabled || len(addresses) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellTime)
	defer cancel()
	if how.Provider == config.InvalidateByScript {
		if err := script(ctx, how.Script, addresses); err != nil {
			i.log.WarnContext(ctx, "cannot purge files from a cache", "provider", "script", "files", len(addresses), "err", err)
		}
		return
	}
	shape, ok := how.Request()
	if !ok {
		i.log.WarnContext(ctx, "cannot purge files from a cache", "provider", "http", "err", "the settings make no request")
		return
	}
	var group sync.WaitGroup
	turns := make(chan struct{}, toldAtOnce)
	for _, address := range addresses {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			if err := guard.Run(func() error { return i.request(ctx, s, shape, address) }); err != nil {
				i.log.WarnContext(ctx, "cannot purge a file from a cache", "provider", "http", "err", err)
			}
		})
	}
	group.Wait()
}

// request purges the file at one address from a cache, by an HTTP request.
func (i *invalidator) request(ctx context.Context, s *config.Settings, shape config.CacheRequest, address string) error {
	if shape.Timeout > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, shape.Timeout)
		defer cancel()
	}
	req, err := http.NewRequestWithContext(ctx, shape.Method, address, nil)
	if err != nil {
		return err
	}
	if len(shape.Query) > 0 {
		added := url.Values{}
		for _, q := range shape.Query {
			added.Add(q[0], q[1])
		}
		if req.URL.RawQuery != "" {
			req.URL.RawQuery += "&"
		}
		req.URL.RawQuery += added.Encode()
	}
	for _, h := range shape.Headers {
		if strings.EqualFold(h[0], "Host") {
			req.Host = h[1]
			continue
		}
		req.Header.Add(h[0], h[1])
	}
	do := i.outside.Do
	if i.trusted(s, address) {
		do = i.inside.Do
	}
	resp, err := do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.CopyN(io.Discard, resp.Body, maxOutput) // keeps the connection usable
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: the cache answers %d", shape.Method, address, resp.StatusCode)
	}
	return nil
}

// trusted reports whether an address is below one from the settings.
func (i *invalidator) trusted(s *config.Settings, address string) bool {
	for _, base := range []string{i.urls.base, s.MediaProxy.BaseURL, s.Upload.BaseURL} {
		if base = strings.TrimSuffix(base, "/"); base != "" && strings.HasPrefix(address, base+"/") {
			return true
		}
	}
	return false
}

// script runs a program, without a shell, with the addresses as its one
// argument.
func script(ctx context.Context, program string, addresses []string) error {
	if program == "" {
		return fmt.Errorf("no program is set (%s :script_path)", config.InvalidateByScript)
	}
	cmd := exec.CommandContext(ctx, program, strings.Join(addresses, " "))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	said := &ending{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w; it says %q", program, err, said.String())
	}
	return nil
}

// ending keeps the end of the text written to it.
type ending struct{ bytes.Buffer }

func (e *ending) Write(p []byte) (int, error) {
	n := len(p)
	p = p[max(0, len(p)-maxOutput):]
	if over := e.Len() + len(p) - maxOutput; over > 0 {
		e.Next(over)
	}
	_, err := e.Buffer.Write(p)
	return n, err
}
