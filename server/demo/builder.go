package demo

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/rights"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/moderation"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// Place is the target of a build.
type Place struct {
	// Database is the address of a migrated database without accounts.
	Database string
	// BaseURL is the public base URL that accounts and statuses get.
	BaseURL string
	// DataDir is the folder for pictures, under static/demo.
	DataDir  string
	Settings config.Settings
	// Password is the password of all local users. It is hashed once.
	Password string
	// Progress is called now and then with the number of finished steps and of
	// all steps; nil is not.
	Progress func(done, of int)
}

// ErrInhabited means that the database has accounts already.
var ErrInhabited = errors.New("the database has accounts already, and a demo needs an empty one")

// Build carries the whole plan out at a place, each step as if its person had
// done it at its time. The same plan gives the same rows, ids included. Only
// secrets differ and, in large worlds on PostgreSQL, numbers that the database
// counts itself.
func Build(ctx context.Context, p *Plan, at Place) (err error) {
	if at.Progress == nil {
		at.Progress = func(int, int) {}
	}
	c, err := hire(ctx, p, at, p.options.Statuses >= busy)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.leave()) }()
	switch inhabited, err := c.alone.db.AnyAccount(ctx); {
	case err != nil:
		return err
	case inhabited:
		return ErrInhabited
	}
	if err := drawAll(at.DataDir); err != nil {
		return err
	}
	return c.build(ctx, at.Progress)
}

// worker returns the id of a builder. It separates the ids of one seed's world,
// and of each of its builders, from others, and from those of running servers,
// which draw theirs.
func worker(seed, builder uint64) uint64 {
	return 0x5eed<<32 | (seed*0x9e3779b97f4a7c15)>>32&^7 | builder + 1
}

// clock stands at the step that is being carried out.
type clock struct{ micros atomic.Int64 }

func (c *clock) set(t time.Time) { c.micros.Store(t.UnixMicro()) }

func (c *clock) time() time.Time { return time.UnixMicro(c.micros.Load()).UTC() }

// world is the common state of the builders of one plan. An entry is written by
// the builder that carries out its step, before another builder needs it.
type world struct {
	plan     *Plan
	base     string
	hash     string
	accounts []*db.Account // by person, nil until they join
	statuses []string      // ids by number
	reports  []string
}

// builder carries steps out, in their order.
type builder struct {
	*world
	db         *db.DB
	clock      *clock
	signup     *signup.Service
	social     *social.Service
	moderation *moderation.Service
}

func newBuilder(d *db.DB, w *world, live *config.Live, now *clock) *builder {
	b := &builder{world: w, db: d, clock: now}
	site := config.NewSite(w.base, false)
	b.social = social.New(social.Parts{DB: d, Settings: live, Site: site, Now: now.time})
	b.signup = signup.New(signup.Parts{
		DB: d, Settings: live, Site: site, Auth: auth.New(auth.Parts{DB: d, Settings: live, Now: now.time}), Social: b.social,
		Chats: chats.New(chats.Parts{DB: d, Settings: live, Site: site, Now: now.time}), Now: now.time,
	})
	b.moderation = moderation.New(moderation.Parts{DB: d, Settings: live, Rights: rights.New(live, false), Social: b.social, Now: now.time})
	return b
}

// some carries out steps in one transaction. A transaction may run again, so
// entries of the world are stored by number.
func (b *builder) some(ctx context.Context, steps []Step) error {
	if len(steps) == 0 {
		return nil
	}
	return b.db.Tx(ctx, func(tx *db.DB) error {
		in := *b
		in.db, in.signup, in.social, in.moderation = tx, b.signup.In(tx), b.social.In(tx), b.moderation.In(tx)
		for _, s := range steps {
			b.clock.set(s.At)
			if err := in.do(ctx, s.Do); err != nil {
				return fmt.Errorf("%T %+v: %w", s.Do, s.Do, err)
			}
		}
		return nil
	})
}

func (b *builder) do(ctx context.Context, action Action) error {
	switch a := action.(type) {
	case Join:
		return b.join(ctx, a.Who)
	case Follow:
		return b.follow(ctx, b.accounts[a.From], b.accounts[a.To])
	case Mute:
		return b.social.Mute(ctx, b.accounts[a.From], b.accounts[a.To].ID, true, 0)
	case Block:
		return b.social.Block(ctx, b.accounts[a.From], b.accounts[a.To].ID)
	case *Post:
		return b.post(ctx, a)
	case Reblog:
		_, err := b.social.Reblog(ctx, b.accounts[a.By], b.statuses[a.Seq], "")
		return err
	case Favourite:
		_, err := b.social.Favourite(ctx, b.accounts[a.By], b.statuses[a.Seq])
		return err
	case Delete:
		if a.By == a.Post.Author {
			return b.social.DeleteStatus(ctx, b.accounts[a.By], b.statuses[a.Post.Seq])
		}
		return b.moderation.DeleteStatus(ctx, b.accounts[a.By], b.statuses[a.Post.Seq])
	case *Report:
		return b.report(ctx, a)
	case Note:
		return b.moderation.AddNote(ctx, b.accounts[a.By], b.reports[a.Report.Seq], a.Text, "")
	case *Handling:
		return b.handle(ctx, a)
	case Deactivate:
		who := b.accounts[a.Who]
		who.Deactivated = true
		_, err := b.moderation.Deactivate(ctx, b.accounts[a.By], who.Nickname)
		return err
	}
	return fmt.Errorf("nobody knows how to %T", action)
}

// follow makes an account follow another. A locked account accepts nine
// requests in ten.
func (b *builder) follow(ctx context.Context, from, to *db.Account) error {
	if err := b.social.Follow(ctx, from, to.ID, social.FollowOptions{}); err != nil || !to.Locked || (from.Serial+to.Serial)%10 == 0 {
		return err
	}
	return b.social.AuthorizeFollow(ctx, to, from.ID)
}

func (b *builder) report(ctx context.Context, r *Report) error {
	in := moderation.NewReport{TargetID: b.accounts[r.Target].ID, Comment: r.Comment, Forward: r.Forward}
	for _, p := range r.Posts {
		in.StatusIDs = append(in.StatusIDs, b.statuses[p.Seq])
	}
	report, err := b.moderation.FileReport(ctx, b.accounts[r.By], in)
	if err != nil {
		return err
	}
	b.reports[r.Seq] = report.ID
	return nil
}

func (b *builder) handle(ctx context.Context, h *Handling) error {
	changes := make([]moderation.ReportChange, len(h.Reports))
	for i, r := range h.Reports {
		changes[i] = moderation.ReportChange{ID: b.reports[r.Seq], State: h.State}
	}
	refused, err := b.moderation.UpdateReports(ctx, b.accounts[h.By], changes)
	if err == nil && len(refused) > 0 {
		err = fmt.Errorf("%d were refused, the first: %s", len(refused), refused[0].Reason)
	}
	return err
}
