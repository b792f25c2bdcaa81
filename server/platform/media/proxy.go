package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/guard"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
)

// The errors of the proxy.
var (
	// ErrUpstream is a file that its server does not give, or not in time, or that
	// is too large or no media.
	ErrUpstream = errors.New("the file cannot be fetched")
	// ErrProxyOff is a proxy that is switched off, or not for this file.
	ErrProxyOff = errors.New("the media proxy is not for this")
)

// failureLife is how long a failed fetch is not repeated.
const failureLife = time.Minute

// Proxy fetches remote files for people, so that their servers do not see the
// readers, and caches them for a while.
type Proxy struct {
	urls     *URLs
	db       *db.DB
	settings *config.Live
	rights   *rights.Service
	client   *outgoing.Client
	cache    *cache
	log      *slog.Logger
	now      func() time.Time

	files       *Service
	decodeSlots decodeSlots

	invalidator *invalidator
	failures    *lru.Cache[string, failure]
	mu          sync.Mutex
	running     map[string]*fetch
}

// failure is the cause and time of a failed fetch.
type failure struct {
	reason error
	at     time.Time
}

// fetchTime bounds one fetch; settings may only shorten it.
const fetchTime = 10 * time.Minute

// fetch is a running fetch, shared by all its callers.
type fetch struct {
	done chan struct{}
	err  error
}

// ProxyParts are the dependencies of a Proxy.
type ProxyParts struct {
	URLs     *URLs
	DB       *db.DB
	Settings *config.Live
	Rights   *rights.Service
	Client   *outgoing.Client
	Files    *Service // our own
	Folder   string   // that it keeps files in
	Log      *slog.Logger
	Now      func() time.Time
}

// NewProxy returns a Proxy.
func NewProxy(in ProxyParts) (*Proxy, error) {
	failures, err := lru.New[string, failure](4096)
	if err != nil {
		return nil, err
	}
	c, err := newCache(in.Folder, in.Now)
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		urls: in.URLs, db: in.DB, settings: in.Settings, rights: in.Rights, client: in.Client, files: in.Files, cache: c, log: in.Log, now: in.Now, decodeSlots: newStudio(),
		invalidator: newInvalidator(in.URLs, in.Client, in.Log), failures: failures, running: map[string]*fetch{},
	}
	in.DB.Subscribe(p.hear)
	in.Files.removed = p.Removed
	return p, nil
}

// Open opens the file of a proxied URL, fetching it if needed. An unsigned URL
// is db.ErrNotFound, a banned file ErrBanned. With ErrUpstream, address is that
// of the file.
func (p *Proxy) Open(ctx context.Context, signature, encoded string) (f File, t Type, address string, err error) {
	address, ok := p.urls.verify(signature, encoded)
	if !ok {
		return nil, t, "", fmt.Errorf("proxied URL: %w", db.ErrNotFound)
	}
	address = canonical(address)
	if err := p.banned(ctx, address); err != nil {
		return nil, t, "", err
	}
	s := p.settings.Load()
	if !s.MediaProxy.Enabled || !p.urls.proxied(s, address) {
		return nil, t, address, ErrProxyOff
	}
	f, t, err = p.open(ctx, address)
	return f, t, address, err
}

// open opens a remote file by its canonical URL, fetching it if needed.
func (p *Proxy) open(ctx context.Context, address string) (File, Type, error) {
	for range 2 {
		if f, t, err := p.cache.open(fileKey(address)); err == nil || !errors.Is(err, db.ErrNotFound) {
			return f, t, err
		}
		if err := p.fetch(ctx, address, func(ctx context.Context) error { return p.get(ctx, address) }); err != nil {
			return nil, other, err
		}
	}
	// It was removed just after the fetch.
	return nil, other, fmt.Errorf("%w: it is gone again", ErrUpstream)
}

// IsReported reports whether a signature lets see a file that reports keep.
func (p *Proxy) IsReported(signature, name string) bool {
	return p.urls.IsReported(signature, name, p.now())
}

// banned returns ErrBanned for a file that strangers do not get, for any form of its
// address.
func (p *Proxy) banned(ctx context.Context, address string) error {
	known := p.urls.known(address)
	if name, ours := strings.CutPrefix(known, db.MediaPath); ours {
		return p.files.allowed(ctx, name)
	}
	banned, err := p.db.MediaBanned(ctx, known)
	if err == nil && banned {
		err = ErrBanned
	}
	return err
}

// fetch fetches the content of a key into the cache; concurrent callers share
// one fetch.
func (p *Proxy) fetch(ctx context.Context, key string, get func(context.Context) error) error {
	if failed, ok := p.failures.Get(key); ok && p.now().Sub(failed.at) < failureLife {
		return fmt.Errorf("%w, as it could not be a moment ago", failed.reason)
	}
	p.mu.Lock()
	running, ok := p.running[key]
	if !ok {
		running = &fetch{done: make(chan struct{})}
		p.running[key] = running
		// Others may share it, so it outlives this request.
		go p.run(context.WithoutCancel(ctx), key, get, running)
	}
	p.mu.Unlock()
	select {
	case <-running.done:
		return running.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Proxy) run(ctx context.Context, key string, get func(context.Context) error, r *fetch) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	r.err = guard.Run(func() error { return get(ctx) })
	for _, reason := range []error{ErrUpstream, ErrNoPreview, guard.ErrPanic} {
		if errors.Is(r.err, reason) {
			p.failures.Add(key, failure{reason, p.now()})
		}
	}
	p.mu.Lock()
	delete(p.running, key)
	p.mu.Unlock()
	close(r.done)
}

func (p *Proxy) get(ctx context.Context, address string) error {
	s := p.settings.Load().MediaProxy
	ctx, cancel := context.WithTimeout(ctx, s.ReadDuration())
	defer cancel()
	resp, err := p.client.Within(s.ReadDuration()).Get(ctx, address, "image/*, video/*, audio/*")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUpstream, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: its server answers %d", ErrUpstream, resp.StatusCode)
	}
	if resp.ContentLength > int64(s.MaxBodyLength) {
		return fmt.Errorf("%w: it has %d bytes", ErrUpstream, resp.ContentLength)
	}
	return p.cache.add(fileKey(address), func(f *os.File) error {
		n, err := io.Copy(f, io.LimitReader(resp.Body, int64(s.MaxBodyLength)+1))
		if err != nil {
			if marked := full(err); errors.Is(marked, ErrFull) {
				return marked
			}
			return fmt.Errorf("%w: %w", ErrUpstream, err)
		}
		if n > int64(s.MaxBodyLength) {
			return fmt.Errorf("%w: it has more than %d bytes", ErrUpstream, s.MaxBodyLength)
		}
		head, err := readAt(f, 0, int(min(n, headSize)))
		if err == nil && Sniff(head).Kind == Unknown {
			err = fmt.Errorf("%w: it is no picture, film or sound", ErrUpstream)
		}
		return err
	})
}
