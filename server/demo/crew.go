package demo

import (
	"context"
	"errors"
	"sync"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

// stepsAtOnce is the number of steps in one transaction, which waits for the
// disk only once.
const stepsAtOnce = 500

// crew is the builders of a world. A small world has one. A large world on
// PostgreSQL has one more for each circle, since there a builder waits for the
// server half of the time: the steps of each circle are built side by side, and
// then all others.
type crew struct {
	world   *world
	alone   *builder
	circles []*builder
	authors []int32 // of statuses, by number
}

// hire opens the database for one builder or, when they are many and it can
// take them, for a crew.
func hire(ctx context.Context, p *Plan, at Place, many bool) (*crew, error) {
	// The moderators of the demo deal with reports, as far as any can be allowed to.
	at.Settings.Instance.ModeratorPrivileges = nil
	for _, p := range api.Privileges() {
		at.Settings.Instance.ModeratorPrivileges = append(at.Settings.Instance.ModeratorPrivileges, string(p))
	}
	live, err := config.NewLive(at.Settings)
	if err != nil {
		return nil, err
	}
	w := &world{
		plan: p, base: at.BaseURL, accounts: make([]*db.Account, len(p.People)),
		statuses: make([]string, p.options.Statuses), reports: make([]string, p.options.Reports),
	}
	c := &crew{world: w}
	if c.alone, err = hireOne(ctx, w, at, live, 0); err != nil {
		return nil, err
	}
	if many && c.alone.db.Dialect() == db.Postgres {
		c.authors = make([]int32, p.options.Statuses)
		for i := range uint64(circles) {
			b, err := hireOne(ctx, w, at, live, i+1)
			if err != nil {
				return nil, errors.Join(err, c.leave())
			}
			c.circles = append(c.circles, b)
		}
	}
	if w.hash, err = auth.New(auth.Parts{DB: c.alone.db, Settings: live, Now: c.alone.clock.time}).HashPassword(ctx, "", at.Password); err != nil {
		return nil, errors.Join(err, c.leave())
	}
	return c, nil
}

func hireOne(ctx context.Context, w *world, at Place, live *config.Live, number uint64) (*builder, error) {
	var now clock
	now.set(w.plan.options.End.Add(-span))
	d, err := db.Open(ctx, at.Database, db.Options{Bulk: true, Now: now.time, Worker: worker(w.plan.options.Seed, number)})
	if err != nil {
		return nil, err
	}
	return newBuilder(d, w, live, &now), nil
}

// leave closes the databases of the builders.
func (c *crew) leave() error {
	err := c.alone.db.Close()
	for _, b := range c.circles {
		err = errors.Join(err, b.db.Close())
	}
	return err
}

// build carries out every step, many at once.
func (c *crew) build(ctx context.Context, progress func(done, of int)) error {
	done, size := 0, c.world.plan.Size()
	batch := make([]Step, 0, stepsAtOnce*(1+len(c.circles)))
	flush := func() error {
		if err := c.some(ctx, batch); err != nil {
			return err
		}
		done += len(batch)
		batch = batch[:0]
		progress(min(done, size), size)
		return nil
	}
	for s := range c.world.plan.Steps() {
		if batch = append(batch, s); len(batch) == cap(batch) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// some carries out the next steps: those of each circle, then the others. No
// two of the circles change the same row, so that they never wait for each
// other.
func (c *crew) some(ctx context.Context, steps []Step) error {
	if len(c.circles) == 0 {
		return c.alone.some(ctx, steps)
	}
	parts, rest := c.divide(steps)
	failed := make([]error, len(parts))
	var wait sync.WaitGroup
	for i, part := range parts {
		wait.Go(func() { failed[i] = c.circles[i].some(ctx, part) })
	}
	wait.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return c.alone.some(ctx, rest)
}

// divide sorts steps by their circle. The rest concern several circles, more
// than a status, or other objects of the rest.
func (c *crew) divide(steps []Step) (parts [circles][]Step, rest []Step) {
	late := map[int]bool{}  // statuses of the rest, by number
	fresh := map[int]bool{} // people with a Join in the rest
	for _, s := range steps {
		to := -1
		switch a := s.Do.(type) {
		case Join:
			fresh[a.Who] = true
		case *Post:
			c.authors[a.Seq] = int32(a.Author)
			own := a.ReplyTo == nil || !late[a.ReplyTo.Seq] && circle(a.ReplyTo.Author) == circle(a.Author)
			if own && !fresh[a.Author] {
				to = circle(a.Author)
			} else {
				late[a.Seq] = true
			}
		case Reblog:
			// A reblog holds the account of its author.
			if to = c.reaction(a.Seq, late); to != circle(a.By) {
				to = -1
			}
		case Favourite:
			to = c.reaction(a.Seq, late)
		}
		if to < 0 {
			rest = append(rest, s)
		} else {
			parts[to] = append(parts[to], s)
		}
	}
	return parts, rest
}

func (c *crew) reaction(seq int, late map[int]bool) int {
	if late[seq] {
		return -1
	}
	return circle(int(c.authors[seq]))
}
