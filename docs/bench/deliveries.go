//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// The size of a measurement of delivery.
const (
	visitEvery  = 10 * time.Millisecond // while there are visitors
	visitsFirst = 5 * time.Second       // alone, before posts go out
	slowAnswer  = 100 * time.Millisecond
	postsEach   = 3
)

// A delivery is the cost of delivering posts to all hosts.
type delivery struct {
	Program  string          `json:"program"`
	Database string          `json:"database"`
	Hosts    int             `json:"hosts"`
	Answer   time.Duration   `json:"answers_after_ns"`
	Visited  bool            `json:"visited"`
	Took     []time.Duration `json:"took_ns"`
	CPU      []float64       `json:"cpu_ms_per_call"`
	Repeats  int             `json:"repeats"`
	Conns    []int           `json:"new_connections"`
	// These are the response times for visitors, before and during the
	// delivery.
	IdleP50, IdleP99 time.Duration
	BusyP50, BusyP99 time.Duration
}

// measureDeliveries brings posts of one author to so many hosts, with this
// program and, in turns, with the one that is to be compared.
func measureDeliveries(ctx context.Context, o options, bins *programs, work string) (all []*delivery, err error) {
	hosts, err := newPeers(o.delivery)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, hosts.close()) }()
	all = []*delivery{}
	for _, database := range o.databases {
		var worlds []*world
		for _, p := range bins.beside(o.before) {
			w := &world{Program: p.name, Database: database, peers: true, dir: filepath.Join(work, "delivery-"+database+"-"+p.name), bins: p}
			worlds = append(worlds, w)
			defer func() { err = errors.Join(err, w.close(false)) }()
			if err := w.author(ctx, o.dsn, "svc_bench_"+p.name, hosts); err != nil {
				return all, fmt.Errorf("%s: %w", w, err)
			}
		}
		for _, answer := range []time.Duration{0, slowAnswer} {
			for _, visited := range []bool{false, true} {
				measured := make([]*delivery, len(worlds))
				for range o.runs {
					for i, w := range worlds {
						if measured[i] == nil {
							measured[i] = &delivery{Program: w.Program, Database: database, Hosts: hosts.n, Answer: answer, Visited: visited}
							all = append(all, measured[i])
						}
						if err := w.deliver(ctx, hosts, measured[i]); err != nil {
							return all, fmt.Errorf("%s, %s: %w", w.Program, database, err)
						}
						d := measured[i]
						note("%-8s %-8s answers after %-6s visited %-5t %6.2f s, %.2f ms of processor a call", d.Program, database, answer, visited, d.Took[len(d.Took)-1].Seconds(), d.CPU[len(d.CPU)-1])
					}
				}
			}
		}
	}
	return all, nil
}

// author creates an empty world with an author followed by all hosts, and a
// reader.
func (w *world) author(ctx context.Context, dsn, name string, hosts *peers) error {
	tokens, err := w.blank(ctx, dsn, name, "author", "reader")
	if err != nil {
		return err
	}
	w.many, w.reader = tokens["author"], tokens["reader"]
	note("%d hosts follow, on %s", hosts.n, w.Database)
	if err := hosts.follow(ctx, w.base, w.made.BaseURL+"/users/author"); err != nil {
		return err
	}
	settle(time.Minute, w.roots()...)
	return nil
}

// blank creates and serves an empty world with these users, and returns their tokens.
func (w *world) blank(ctx context.Context, dsn, name string, nicks ...string) (map[string]string, error) {
	w.data = filepath.Join(w.dir, "measured")
	// PostgreSQL's own user must reach its folder.
	if err := errors.Join(os.MkdirAll(w.dir, 0o711), os.MkdirAll(w.data, 0o700)); err != nil {
		return nil, err
	}
	w.dsn = "sqlite:" + filepath.Join(w.data, "svc.db")
	if w.Database == "postgres" {
		var err error
		if w.pg, err = openPostgres(ctx, w.dir, dsn, name, true); err != nil {
			return nil, err
		}
		w.dsn = w.pg.dsn
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w.address = l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	w.made = made{BaseURL: "http://" + w.address, Password: rand.Text()}
	for _, nick := range nicks {
		cmd := w.svcd(ctx, "user", "create", nick, "--email", nick+"@example.org", "--password", w.made.Password, "--base-url", w.made.BaseURL)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("svcd user create: %w: %s", err, out)
		}
	}
	if err := w.serveAt(ctx, w.address); err != nil {
		return nil, err
	}
	if err := w.call(ctx, http.MethodPost, "/api/v1/apps", "", url.Values{
		"client_name": {"svc bench"}, "redirect_uris": {"urn:ietf:wg:oauth:2.0:oob"}, "scopes": {"read write"}}, &w.app); err != nil {
		return nil, err
	}
	tokens := map[string]string{}
	for _, nick := range nicks {
		if tokens[nick], err = w.token(ctx, nick, w.made.Password, "read write"); err != nil {
			return nil, err
		}
	}
	return tokens, nil
}

// deliver has the author post, and waits until all hosts have each.
func (w *world) deliver(ctx context.Context, hosts *peers, d *delivery) error {
	hosts.delay.Store(int64(d.Answer))
	var v *visits
	if d.Visited {
		v = w.visit()
		err := pause(ctx, visitsFirst)
		if d.IdleP50, d.IdleP99, err = v.end(err); err != nil {
			return err
		}
		v = w.visit()
	}
	for range postsEach {
		text := rand.Text()
		hosts.expect(text)
		before := cpu(w.roots()...)
		if err := w.call(ctx, http.MethodPost, "/api/v1/statuses", w.many, url.Values{"status": {"To all hosts: " + text}}, nil); err != nil {
			return err
		}
		posted := time.Now()
		last, _, _, err := hosts.wait(ctx, 2*time.Minute)
		if err != nil {
			return err
		}
		d.Took = append(d.Took, last.Sub(posted))
		if !d.Visited {
			settle(time.Minute, w.roots()...)
			d.CPU = append(d.CPU, (cpu(w.roots()...)-before).Seconds()*1000/float64(hosts.n))
		} else {
			d.CPU = append(d.CPU, 0) // visitors take it too
		}
		_, calls, conns, _ := hosts.wait(ctx, 0)
		d.Repeats += calls - hosts.n
		d.Conns = append(d.Conns, conns)
	}
	if v != nil {
		var err error
		if d.BusyP50, d.BusyP99, err = v.end(nil); err != nil {
			return err
		}
	}
	return nil
}

// visits are requests at a steady rate: nine pages and a post.
type visits struct {
	stop  context.CancelFunc
	ended sync.WaitGroup
	mu    sync.Mutex
	took  []time.Duration
	err   error
}

func (w *world) visit() *visits {
	const visitors = 8
	v := &visits{}
	var ctx context.Context
	ctx, v.stop = context.WithCancel(context.Background())
	for i := range visitors {
		v.ended.Go(func() {
			c := &http.Client{Timeout: 30 * time.Second}
			defer c.CloseIdleConnections()
			tick := time.NewTicker(visitors * visitEvery)
			defer tick.Stop()
			for n := i; ; n++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				begin := time.Now()
				err := w.once(c, n)
				v.mu.Lock()
				v.took = append(v.took, time.Since(begin))
				v.err = errors.Join(v.err, err)
				v.mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	return v
}

func (w *world) once(c *http.Client, n int) error {
	method, path, body := http.MethodGet, "/api/v1/timelines/public", ""
	if n%10 == 0 {
		method, path, body = http.MethodPost, "/api/v1/statuses", url.Values{"status": {fmt.Sprint("A visitor says ", n)}}.Encode()
	}
	req, err := http.NewRequest(method, w.base+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+w.reader)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	if err == nil && resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusTooManyRequests {
		err = fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	return err
}

// end stops the visitors and returns their response times.
func (v *visits) end(err error) (p50, p99 time.Duration, _ error) {
	v.stop()
	v.ended.Wait()
	if err = errors.Join(err, v.err); err != nil || len(v.took) == 0 {
		return 0, 0, err
	}
	slices.Sort(v.took)
	return quantile(v.took, 50), quantile(v.took, 99), nil
}

// deliveries writes the costs of deliveries.
func deliveries(b *strings.Builder, all []*delivery) {
	b.WriteString("\n### Delivery of a post to all hosts\n\nThe times are medians of all posts; processor time is svcd's and the database's.\n\n")
	b.WriteString("| | database | hosts | answers after | visitors | to all, s | CPU ms a call | new connections | repeats | p99 before, ms | p99 meanwhile, ms |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, d := range all {
		visitors, cpu, idle, busy := "none", fmt.Sprintf("%.2f", median(d.CPU)), "", ""
		if d.Visited {
			visitors, cpu, idle, busy = "100/s", "", millis(d.IdleP99), millis(d.BusyP99)
		}
		fmt.Fprintf(b, "| %s | %s | %d | %s | %s | %.2f | %s | %d | %d | %s | %s |\n", d.Program, title(d.Database), d.Hosts, d.Answer, visitors,
			median(d.Took).Seconds(), cpu, median(d.Conns), d.Repeats, idle, busy)
	}
}
