package demo

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var end = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func plan(t *testing.T, o Options) *Plan {
	t.Helper()
	o.End = end
	p, err := NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// digest is a fingerprint of all that a plan says.
func digest(t *testing.T, p *Plan) string {
	t.Helper()
	h := sha256.New()
	enc := json.NewEncoder(h)
	if err := enc.Encode(p.People); err != nil {
		t.Fatal(err)
	}
	for s := range p.Steps() {
		if err := enc.Encode(struct {
			Kind string
			Step Step
		}{fmt.Sprintf("%T", s.Do), s}); err != nil {
			t.Fatal(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func TestOneSeedGivesOneWorld(t *testing.T) {
	o := Options{Seed: 1, Accounts: 60, Statuses: 600, Reports: 48}
	first := digest(t, plan(t, o))
	p := plan(t, o)
	if again := digest(t, p); again != first {
		t.Error("two plans of one seed differ")
	}
	if again := digest(t, p); again != first {
		t.Error("a plan differs when it is played again")
	}
	o.Seed = 2
	if other := digest(t, plan(t, o)); other == first {
		t.Error("two seeds give one world")
	}
}

func TestTooSmallWorldsAreRefused(t *testing.T) {
	for _, o := range []Options{{Accounts: MinAccounts - 1}, {Accounts: 60, Statuses: -1}, {Accounts: 60, Reports: -1}} {
		if _, err := NewPlan(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// witness follows a plan and reports impossible steps.
type witness struct {
	t        *testing.T
	plan     *Plan
	last     time.Time
	joined   map[int]bool
	gone     map[int]bool
	posts    []*Post
	reports  []*Report
	deleted  map[int]bool
	reacted  map[Action]bool
	handled  map[*Report]bool
	notedBy  map[int]bool
	langs    map[string]bool
	pictures int
	warnings int
	replies  int
}

func (w *witness) see(s Step) {
	if s.At.Before(w.last) {
		w.t.Fatalf("%T at %v, after one at %v", s.Do, s.At, w.last)
	}
	if w.last = s.At; s.At.After(end) {
		w.t.Fatalf("%T at %v, after the end", s.Do, s.At)
	}
	switch a := s.Do.(type) {
	case Join:
		w.check(!w.joined[a.Who], "%d joins twice", a.Who)
		w.joined[a.Who] = true
	case Follow:
		w.present(a.From, a.To)
		w.once(a)
	case Mute:
		w.present(a.From, a.To)
	case Block:
		w.present(a.From, a.To)
		w.once(a)
	case *Post:
		w.post(a)
	case Reblog:
		w.react(a, a.By, a.Seq)
	case Favourite:
		w.react(a, a.By, a.Seq)
	case Delete:
		w.present(a.By)
		w.check(!w.deleted[a.Post.Seq], "status %d is deleted twice", a.Post.Seq)
		w.check(a.By == a.Post.Author || w.plan.People[a.By].Role != Ordinary, "a stranger deletes status %d", a.Post.Seq)
		w.deleted[a.Post.Seq] = true
	case *Report:
		w.report(a)
	case Note:
		w.check(w.filed(a.Report), "a note on a report to come")
		w.staff(a.By)
		w.notedBy[a.By] = true
	case *Handling:
		w.staff(a.By)
		w.check(a.State == "closed" || a.State == "resolved", "state %q", a.State)
		for _, r := range a.Reports {
			w.check(w.filed(r) && !w.handled[r], "report %d is handled early or twice", r.Seq)
			w.handled[r] = true
		}
	case Deactivate:
		w.staff(a.By)
		w.present(a.Who)
		w.gone[a.Who] = true
	default:
		w.t.Fatalf("unknown action %T", a)
	}
}

func (w *witness) check(ok bool, format string, args ...any) {
	w.t.Helper()
	if !ok {
		w.t.Fatalf(format, args...)
	}
}

func (w *witness) once(a Action) {
	w.t.Helper()
	w.check(!w.reacted[a], "%T %+v twice", a, a)
	w.reacted[a] = true
}

func (w *witness) present(who ...int) {
	w.t.Helper()
	for _, p := range who {
		w.check(w.joined[p] && !w.gone[p], "%s is not there", w.plan.People[p].Acct())
	}
	w.check(len(who) < 2 || who[0] != who[1], "%d does something to themselves", who[0])
}

func (w *witness) staff(who int) {
	w.t.Helper()
	role := w.plan.People[who].Role
	w.check(role == Moderator || role == Admin, "%d is no moderator", who)
}

func (w *witness) filed(r *Report) bool {
	return r.Seq < len(w.reports) && w.reports[r.Seq] == r
}

func (w *witness) post(p *Post) {
	w.present(p.Author)
	w.check(p.Seq == len(w.posts), "status %d has number %d", len(w.posts), p.Seq)
	w.check(p.Text != "" && len([]rune(p.Text)) < 5000, "status %d has %d bytes", p.Seq, len(p.Text))
	w.check(slices.Contains([]string{"public", "unlisted", "private", "direct"}, p.Visibility), "visibility %q", p.Visibility)
	if p.ReplyTo != nil {
		w.replies++
		w.check(p.ReplyTo.Seq < p.Seq && w.posts[p.ReplyTo.Seq] == p.ReplyTo, "status %d answers one to come", p.Seq)
		w.check(!w.deleted[p.ReplyTo.Seq], "status %d answers a deleted one", p.Seq)
	}
	if p.Warning != "" {
		w.warnings++
	}
	w.pictures += len(p.Pictures)
	w.langs[p.Lang] = true
	w.posts = append(w.posts, p)
}

func (w *witness) react(a Action, by, seq int) {
	w.present(by)
	w.once(a)
	w.check(seq < len(w.posts) && w.posts[seq].Author != by, "reaction to %d of %d by %d", seq, len(w.posts), by)
	w.check(w.posts[seq].Visibility == "public" || w.posts[seq].Visibility == "unlisted", "reaction to something private")
}

func (w *witness) report(r *Report) {
	w.present(r.By, r.Target)
	w.check(r.Seq == len(w.reports), "report %d has number %d", len(w.reports), r.Seq)
	for _, p := range r.Posts {
		w.check(p.Author == r.Target && p.Seq < len(w.posts) && w.posts[p.Seq] == p, "report %d has a wrong status", r.Seq)
	}
	w.check(len(r.Comment) <= 1000, "report %d says too much", r.Seq)
	w.check(!r.Forward || w.plan.People[r.Target].Domain != "", "report %d is forwarded to us", r.Seq)
	w.reports = append(w.reports, r)
}

func watch(t *testing.T, p *Plan) *witness {
	w := &witness{
		t: t, plan: p, joined: map[int]bool{}, gone: map[int]bool{}, deleted: map[int]bool{}, reacted: map[Action]bool{},
		handled: map[*Report]bool{}, notedBy: map[int]bool{}, langs: map[string]bool{},
	}
	for s := range p.Steps() {
		w.see(s)
	}
	return w
}

func TestWorldsHaveWhatWasAskedForAndAreConsistent(t *testing.T) {
	for _, c := range []struct {
		o    Options
		open int
	}{
		{Options{Seed: 1, Accounts: 60, Statuses: 600, Reports: 48}, 41},
		{Options{Seed: 7, Accounts: MinAccounts, Statuses: 40, Reports: 100}, 85},
		{Options{Seed: 3, Accounts: 30, Statuses: 0, Reports: 9}, 7},
		{Options{Seed: 3, Accounts: 30, Statuses: 50, Reports: 0}, 0},
		{Options{Seed: 3, Accounts: 30, Statuses: 0, Reports: 0}, 0},
		{Options{Seed: 9, Accounts: 500, Statuses: 20000, Reports: 3000}, 2571},
	} {
		t.Run(fmt.Sprintf("%d-%d-%d", c.o.Accounts, c.o.Statuses, c.o.Reports), func(t *testing.T) {
			p := plan(t, c.o)
			w := watch(t, p)
			got := []int{len(p.People), len(w.posts), len(w.reports), len(w.reports) - len(w.handled)}
			if diff := cmp.Diff([]int{c.o.Accounts, c.o.Statuses, c.o.Reports, c.open}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheDefaultWorldIsVaried(t *testing.T) {
	p := plan(t, Options{Seed: 1, Accounts: 60, Statuses: 600, Reports: 48})
	w := watch(t, p)
	local, domains := 0, map[string]bool{}
	for _, person := range p.People {
		if person.Domain == "" {
			local++
		}
		domains[person.Domain] = true
	}
	targets := map[int]int{}
	for _, r := range w.reports {
		targets[r.Target]++
	}
	for what, ok := range map[string]bool{
		"several languages":              len(w.langs) >= 6,
		"people here and elsewhere":      local >= 20 && local <= 50 && len(domains) >= 8,
		"pictures":                       w.pictures >= 10,
		"content warnings":               w.warnings >= 10,
		"threads":                        w.replies >= 60,
		"notes by several":               len(w.notedBy) >= 3,
		"an account reported often":      slices.Max(slices.Collect(mapValues(targets))) >= 3,
		"a deleted status":               len(w.deleted) >= 1,
		"fresh reports":                  w.last.After(end.Add(-time.Hour)),
		"reactions":                      len(w.reacted) >= 300,
		"accounts that are switched off": len(w.gone) >= 1,
	} {
		if !ok {
			t.Errorf("the world lacks %s", what)
		}
	}
}

func mapValues(m map[int]int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

func TestStaffHaveDeepHomeTimelinesAndOthersDoNot(t *testing.T) {
	p := plan(t, Options{Seed: 4, Accounts: 500, Statuses: busy, Reports: 50})
	admin := p.cast.staff[0]
	followers, follows := map[int]int{}, map[int]bool{}
	staffHome, home := 0, 0
	for s := range p.Steps() {
		switch a := s.Do.(type) {
		case Follow:
			if p.People[a.From].Domain == "" {
				followers[a.To]++
			}
			if a.From == admin {
				follows[a.To] = true
			}
		case *Post:
			home += followers[a.Author]
			if follows[a.Author] && a.Visibility != "direct" {
				staffHome++
			}
		}
	}
	if staffHome < busy/5 || home > 8*busy {
		t.Errorf("of %d statuses, the admin reads %d, and all together %d", busy, staffHome, home)
	}
}

func TestNicknamesAreUsable(t *testing.T) {
	p := plan(t, Options{Seed: 5, Accounts: 5000})
	seen := map[string]bool{}
	for _, person := range p.People {
		if seen[person.Acct()] {
			t.Errorf("%s is there twice", person.Acct())
		}
		seen[person.Acct()] = true
		for _, r := range person.Nick {
			if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-' {
				t.Errorf("nickname %q", person.Nick)
			}
		}
		if person.Name == "" || len(person.Nick) < 2 {
			t.Errorf("%+v has no name", person)
		}
	}
}

func TestTemplatesOnlyUseKnownWords(t *testing.T) {
	for lang, tongue := range tongues {
		for _, templates := range [][]string{tongue.statements, tongue.replies, tongue.heckles} {
			for i := range templates {
				// A missing kind has no words to pick from, and panics.
				if text := say(rand.New(rand.NewPCG(uint64(i), 0)), lang, templates[i:i+1]); text == "" {
					t.Errorf("%s: template %d is empty", lang, i)
				}
			}
		}
		if len(tongue.complaints) == 0 || len(tongue.tags) == 0 || len(tongue.warnings) == 0 || len(tongue.bios) == 0 {
			t.Errorf("%s lacks texts", lang)
		}
	}
}

func TestPicturesDiffer(t *testing.T) {
	seen := map[string]int{}
	for kind := range PictureKinds {
		img := Draw(kind)
		h := sha256.New()
		for y := range PictureHeight {
			for x := range PictureWidth {
				fmt.Fprint(h, img.At(x, y))
			}
		}
		key := string(h.Sum(nil))
		if other, ok := seen[key]; ok {
			t.Errorf("pictures %d and %d are the same", kind, other)
		}
		seen[key] = kind
	}
}

func BenchmarkPlan(b *testing.B) {
	for b.Loop() {
		p, err := NewPlan(Options{Seed: 1, Accounts: 2000, Statuses: 100_000, Reports: 10_000, End: end})
		if err != nil {
			b.Fatal(err)
		}
		for range p.Steps() {
		}
	}
}
