package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"svc/db"
	"svc/server/config"
	"svc/server/outgoing"
)

// What the proxy answers with where there is no file.
var (
	// ErrUpstream is a file that its server does not give out, or not in time,
	// or that is too large or no picture, film or sound.
	ErrUpstream = errors.New("the file cannot be fetched")
	// ErrProxyOff is a proxy that the settings have switched off, or not for
	// this file.
	ErrProxyOff = errors.New("the media proxy is not for this")
)

// failureLife is how long a file that could not be fetched is not asked for
// again.
const failureLife = time.Minute

// Proxy fetches the files of other servers for people, so that those servers
// do not learn who looks at them. What it fetched it keeps for a while.
type Proxy struct {
	urls     *URLs
	db       *db.DB
	settings *config.Live
	client   *outgoing.Client
	cache    *cache
	now      func() time.Time

	failures *lru.Cache[string, time.Time]
	mu       sync.Mutex
	running  map[string]*fetch
}

// fetch is one file on its way, for all who ask for it meanwhile.
type fetch struct {
	done chan struct{}
	err  error
}

// NewProxy returns a Proxy that keeps files in the folder dir.
func NewProxy(urls *URLs, d *db.DB, settings *config.Live, client *outgoing.Client, dir string, now func() time.Time) (*Proxy, error) {
	failures, err := lru.New[string, time.Time](4096)
	if err != nil {
		return nil, err
	}
	c, err := newCache(dir, now)
	if err != nil {
		return nil, err
	}
	p := &Proxy{urls: urls, db: d, settings: settings, client: client, cache: c, now: now, failures: failures, running: map[string]*fetch{}}
	d.Subscribe(p.hear)
	return p, nil
}

// Open opens the file that a proxied URL stands for, fetching it where needed.
// A URL that was not signed here is db.ErrNotFound, one that is banned
// ErrBanned. With ErrUpstream, address is where the file would be.
func (p *Proxy) Open(ctx context.Context, signature, encoded string) (f File, t Type, address string, err error) {
	address, ok := p.urls.verify(signature, encoded)
	if !ok {
		return nil, t, "", fmt.Errorf("proxied URL: %w", db.ErrNotFound)
	}
	if err := p.banned(ctx, address); err != nil {
		return nil, t, "", err
	}
	s := p.settings.Load()
	if !s.MediaProxy.Enabled || !p.urls.proxied(s, address) {
		return nil, t, address, ErrProxyOff
	}
	for range 2 {
		if f, t, err = p.cache.open(address); err == nil || !errors.Is(err, db.ErrNotFound) {
			return f, t, address, err
		}
		if err := p.fetch(ctx, address); err != nil {
			return nil, t, address, err
		}
	}
	// It was removed just after it was fetched.
	return nil, t, address, fmt.Errorf("%w: it is gone again", ErrUpstream)
}

// banned is ErrBanned for a file that is not given out, whichever way its
// address is written.
func (p *Proxy) banned(ctx context.Context, address string) error {
	banned, err := p.db.MediaBanned(ctx, p.urls.known(address))
	if err == nil && banned {
		err = ErrBanned
	}
	return err
}

// fetch gets a file into the cache; who comes second waits for the first.
func (p *Proxy) fetch(ctx context.Context, address string) error {
	if at, ok := p.failures.Get(address); ok && p.now().Sub(at) < failureLife {
		return fmt.Errorf("%w: it could not be a moment ago", ErrUpstream)
	}
	p.mu.Lock()
	running, ok := p.running[address]
	if !ok {
		running = &fetch{done: make(chan struct{})}
		p.running[address] = running
		// Others may wait for it, so it does not end with this request.
		go p.run(context.WithoutCancel(ctx), address, running)
	}
	p.mu.Unlock()
	select {
	case <-running.done:
		return running.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *Proxy) run(ctx context.Context, address string, r *fetch) {
	r.err = p.get(ctx, address)
	if errors.Is(r.err, ErrUpstream) {
		p.failures.Add(address, p.now())
	}
	p.mu.Lock()
	delete(p.running, address)
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
	return p.cache.add(address, func(f *os.File) error {
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
