//go:build linux

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
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

// measureDeliveries brings posts of one author to so many hosts, with each
// program in turns.
func (b *bench) measureDeliveries(ctx context.Context) (err error) {
	hosts, err := newPeers(b.delivery)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hosts.srv.Close()) }()
	for _, database := range b.databases {
		worlds := b.beside("delivery-", database, size{})
		for _, w := range worlds {
			w.peers = true
			if err := w.blank(ctx, "author", "reader"); err != nil {
				return fmt.Errorf("%s: %w", w, err)
			}
			note("%d hosts follow, on %s", hosts.n, w.Database)
			if err := hosts.follow(ctx, w.facts.BaseURL); err != nil {
				return fmt.Errorf("%s: %w", w, err)
			}
			settle(time.Minute, w.roots()...)
		}
		for _, answer := range []time.Duration{0, slowAnswer} {
			for _, visited := range []bool{false, true} {
				measured := make([]*delivery, len(worlds))
				for i, w := range worlds {
					measured[i] = &delivery{Program: w.Program, Database: database, Hosts: hosts.n, Answer: answer, Visited: visited}
				}
				b.report.Deliveries = append(b.report.Deliveries, measured...)
				for range b.runs {
					for i, w := range worlds {
						d := measured[i]
						if err := w.deliver(ctx, hosts, d); err != nil {
							return fmt.Errorf("%s: %w", w, err)
						}
						note("%-8s %-8s answers after %-6s visited %-5t %6.2f s, %.2f ms of processor a call", d.Program, database, answer, visited, d.Took[len(d.Took)-1].Seconds(), d.CPU[len(d.CPU)-1])
					}
				}
			}
		}
	}
	return nil
}

// deliver has the author post, and waits until all hosts have each.
func (w *world) deliver(ctx context.Context, hosts *peers, d *delivery) (err error) {
	hosts.delay.Store(int64(d.Answer))
	var v *visits
	if d.Visited {
		v = w.visit()
		err := pause(ctx, visitsFirst)
		if d.IdleP50, d.IdleP99, err = v.end(err); err != nil {
			return err
		}
		v = w.visit()
		defer func() { d.BusyP50, d.BusyP99, err = v.end(err) }()
	}
	for range postsEach {
		text := rand.Text()
		hosts.expect(text)
		before := cpu(w.roots()...)
		posted, err := w.post(ctx, w.tokens["author"], "To all hosts: "+text)
		if err != nil {
			return err
		}
		last, err := hosts.wait(ctx, 2*time.Minute)
		if err != nil {
			return err
		}
		d.Took = append(d.Took, last.Sub(posted))
		used := 0.0 // with visitors, who take it too
		if !d.Visited {
			settle(time.Minute, w.roots()...)
			used = (cpu(w.roots()...) - before).Seconds() * 1000 / float64(hosts.n)
		}
		d.CPU = append(d.CPU, used)
		hosts.mu.Lock()
		d.Repeats += hosts.calls - hosts.n
		d.Conns = append(d.Conns, hosts.conns)
		hosts.mu.Unlock()
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
			tick := time.NewTicker(visitors * visitEvery)
			defer tick.Stop()
			for n := i; ; n++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				begin := time.Now()
				err := w.once(n)
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

// once is not broken off when the visits end.
func (w *world) once(n int) (err error) {
	ctx, stop := context.WithTimeout(context.Background(), answerWithin)
	defer stop()
	if n%10 == 0 {
		_, err = w.post(ctx, w.tokens["reader"], fmt.Sprint("A visitor says ", n))
	} else {
		err = w.call(ctx, http.MethodGet, "/api/v1/timelines/public", w.tokens["reader"], nil, nil)
	}
	if errors.Is(err, errTooOften) {
		return nil
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
