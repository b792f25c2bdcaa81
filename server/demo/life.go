package demo

import (
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// life plays the statuses that belong to no scene, and the reactions to them.
type life struct {
	plan  *Plan
	rng   *rand.Rand
	start time.Time
	made  int
	queue []Step // due before the next status
	talk  [circles][]*chatter
	spot  [circles]int // where in talk the next one goes
	odds  float64      // of each of two reactions after a status
}

// chatter is a status that may still get replies.
type chatter struct {
	post *Post
	by   map[int]bool // the people that have reacted
}

// reactions is about the number of reblogs and favourites in a large world.
// They are spread over all of it, so that its newest pages have as many as its
// first.
const reactions = 150_000

// talkSize is how many recent statuses of a circle may still get replies.
const talkSize = 48

// Everyday people talk in circles: each replies to those of its own. So two
// circles can be built at once without waiting for each other.
const circles = 2

func circle(who int) int { return who % circles }

func (p *Plan) life(start time.Time) *life {
	odds := min(0.4, reactions/2/float64(max(p.ordinary, 1)))
	return &life{plan: p, rng: rand.New(rand.NewPCG(p.options.Seed, 3)), start: start, odds: odds}
}

// next gives the next step of everyday life, and false when there is none.
func (l *life) next() (Step, bool) {
	if len(l.queue) > 0 {
		s := l.queue[0]
		l.queue = l.queue[1:]
		return s, true
	}
	if l.made >= l.plan.ordinary {
		return Step{}, false
	}
	at := l.at(l.made)
	l.made++
	post := l.post()
	if post.Visibility == "public" || post.Visibility == "unlisted" {
		l.remember(post)
	}
	l.react(at)
	return Step{at, post}, true
}

// at spreads statuses over the span, more by day than by night.
func (l *life) at(i int) time.Time {
	x := (float64(i) + 0.5) / float64(l.plan.ordinary)
	days := span.Hours() / 24
	x += 0.6 * math.Sin(2*math.Pi*days*x) / (2 * math.Pi * days)
	return l.start.Add(time.Duration(x * float64(span)))
}

func (l *life) post() *Post {
	c, rng := l.plan.cast, l.rng
	author := c.popular(rng)
	switch n := rng.IntN(40); {
	case n == 0 && len(c.bots) > 0:
		author = pick(rng, c.bots)
		return &Post{Author: author, Text: say(rng, "en", botTexts), Lang: "en", Visibility: "unlisted"}
	case n == 1:
		author = pick(rng, c.hecklers)
		return &Post{Author: author, Text: say(rng, "en", tongues["en"].heckles), Lang: "en", Visibility: "public"}
	case n < 15 && len(l.talk[circle(author)]) > 0:
		if reply := l.reply(author); reply != nil {
			return reply
		}
	}
	return l.statement(author)
}

func (l *life) statement(author int) *Post {
	rng, person := l.rng, l.plan.People[author]
	lang := person.Lang
	if rng.IntN(6) == 0 {
		lang = "en" // everybody also writes English now and then
	}
	tongue := tongues[lang]
	post := &Post{Author: author, Lang: lang, Text: say(rng, lang, tongue.statements), Visibility: visibility(rng)}
	if rng.IntN(3) == 0 {
		post.Text += " #" + pick(rng, tongue.tags)
	}
	if rng.IntN(16) == 0 {
		post.Warning, post.Text = pick(rng, tongue.warnings), post.Text+"\n\n"+say(rng, lang, tongue.statements)
		post.Sensitive = true
	}
	switch n := rng.IntN(24); {
	case n < 2:
		post.Pictures = pictures(rng, 1+rng.IntN(2))
	case n == 2:
		post.Text += " https://" + pick(rng, friendlyHosts) + "/" + pick(rng, tongues["en"].tags)
	}
	if post.Visibility == "direct" || rng.IntN(20) == 0 {
		if other := l.plan.cast.anyone(rng); other != author {
			post.Text = "@" + l.plan.People[other].Acct() + " " + post.Text
		}
	}
	return post
}

// reply answers something recent, in its language if the author speaks it.
func (l *life) reply(author int) *Post {
	rng := l.rng
	about := pick(rng, l.talk[circle(author)])
	parent := about.post
	if parent.Author == author && rng.IntN(3) > 0 {
		return nil
	}
	lang := parent.Lang
	if own := l.plan.People[author].Lang; own != lang && lang != "en" {
		lang = "en"
	}
	text := say(rng, lang, tongues[lang].replies)
	if parent.Author != author {
		text = "@" + l.plan.People[parent.Author].Acct() + " " + text
	}
	return &Post{
		Author: author, Lang: lang, Text: text, ReplyTo: parent,
		Visibility: parent.Visibility, Warning: parent.Warning, Sensitive: parent.Sensitive,
	}
}

func (l *life) remember(post *Post) {
	entry := &chatter{post: post, by: map[int]bool{post.Author: true}}
	c := circle(post.Author)
	if len(l.talk[c]) < talkSize {
		l.talk[c] = append(l.talk[c], entry)
		return
	}
	l.talk[c][l.spot[c]] = entry
	l.spot[c] = (l.spot[c] + 1) % talkSize
}

// react queues the reactions between this status and the next. The newest
// status has no number yet, so only older ones get reactions.
func (l *life) react(at time.Time) {
	rng := l.rng
	for range 2 {
		c := rng.IntN(circles)
		if rng.Float64() >= l.odds || len(l.talk[c]) < 2 {
			continue
		}
		about := pick(rng, l.talk[c])
		who := l.plan.cast.anyone(rng)
		if about.by[who] || about.post == l.newest(c) {
			continue
		}
		about.by[who] = true
		if rng.IntN(4) == 0 {
			l.queue = append(l.queue, Step{at, Reblog{who, about.post.Seq}})
		} else {
			l.queue = append(l.queue, Step{at, Favourite{who, about.post.Seq}})
		}
	}
}

func (l *life) newest(c int) *Post {
	if len(l.talk[c]) < talkSize {
		return l.talk[c][len(l.talk[c])-1].post
	}
	return l.talk[c][(l.spot[c]+talkSize-1)%talkSize].post
}

func visibility(rng *rand.Rand) string {
	switch n := rng.IntN(100); {
	case n < 76:
		return "public"
	case n < 88:
		return "unlisted"
	case n < 97:
		return "private"
	default:
		return "direct"
	}
}

func pictures(rng *rand.Rand, n int) []Picture {
	out := make([]Picture, n)
	for i := range out {
		kind := rng.IntN(PictureKinds)
		out[i] = Picture{Kind: kind, Description: pictureTexts[kind]}
	}
	return out
}

// say fills a template: {word} becomes one of the language's words of that
// kind.
func say(rng *rand.Rand, lang string, templates []string) string {
	text := pick(rng, templates)
	words := tongues[lang].words
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		kind, after, _ := strings.Cut(rest, "}")
		b.WriteString(pick(rng, words[kind]))
		text = after
	}
}
