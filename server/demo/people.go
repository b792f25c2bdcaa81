package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// Role is the part that a person plays.
type Role int

// The roles. Only Moderator and Admin mean anything to the service.
const (
	Ordinary  Role = iota
	Moderator      // of this instance
	Admin          // of this instance
	Heckler        // from a rough server
	Stranger       // joins late, and for no good
)

// A Person is somebody with an account, here (Domain is empty) or elsewhere.
type Person struct {
	Nick   string
	Domain string
	Name   string
	Bio    string
	Lang   string
	Role   Role
	Bot    bool
	Locked bool
	Fields []Field
}

// A Field is a line of a profile.
type Field struct{ Name, Value string }

// Acct is the name by which people here mention the person.
func (p Person) Acct() string {
	if p.Domain == "" {
		return p.Nick
	}
	return p.Nick + "@" + p.Domain
}

// cast groups people by their parts, as indexes of Plan.People.
type cast struct {
	people    []Person
	staff     []int // the admin first
	social    []int // everyday people, staff included, most popular first
	local     []int // everyday people of this instance without a role
	remote    []int
	bots      []int
	hecklers  []int
	strangers []int // come with the first scene that needs them
	doomed    []int // strangers that are deactivated after their only scene
	early     []int // all but strangers, in the order they joined
}

// popular picks an everyday person; the first ones much more often.
func (c *cast) popular(rng *rand.Rand) int {
	return c.social[int(float64(len(c.social))*math.Pow(rng.Float64(), 1.8))]
}

func (c *cast) anyone(rng *rand.Rand) int { return pick(rng, c.social) }

// The staff of the instance is the same in every world.
var staff = []Person{
	{Nick: "robin", Name: "Robin Achterberg", Lang: "en", Role: Admin, Bio: "Keeps the lights on here. Write to me about anything that is broken."},
	{Nick: "amara", Name: "Amara Okafor", Lang: "en", Role: Moderator, Bio: "Moderator. Slow mornings, long walks, short replies."},
	{Nick: "jonas", Name: "Jonas Lindqvist", Lang: "de", Role: Moderator, Bio: "Moderiert hier abends. Fahrräder, Brot, alte Karten."},
	{Nick: "mei", Name: "Mei Tanaka 田中", Lang: "ja", Role: Moderator, Bio: "モデレーター。写真と猫と深夜ラジオ。"},
}

var (
	friendlyHosts = []string{
		"kaffee.example", "pond.example", "larkspur.example", "bibliotek.example", "mar.example", "signal-hill.example",
		"atelier.example", "tofu.example", "fjord.example", "sello.example", "quiet.place.example", "ham.radio.example",
	}
	roughHosts = []string{"freespeech-zone.example", "edge.example", "unmoderated.example"}
	spamHosts  = []string{"fast-money.example", "promo-node.example"}
)

// people makes the cast: staff, about three in five local, the rest remote, and
// some for the scenes that need offenders.
func people(o Options) ([]Person, *cast) {
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	c := &cast{}
	taken := map[string]bool{}
	add := func(p Person) int {
		base := p.Nick
		for n := 2; taken[p.Acct()]; n++ {
			p.Nick = fmt.Sprintf("%s%d", base, n)
		}
		taken[p.Acct()] = true
		c.people = append(c.people, p)
		return len(c.people) - 1
	}
	for _, p := range staff {
		c.staff = append(c.staff, add(p))
	}
	hecklers := max(4, o.Accounts/10)
	strangers := max(4, o.Accounts/8)
	everyday := o.Accounts - len(staff) - hecklers - strangers
	for i := range everyday {
		p := everydayPerson(rng)
		switch {
		case i%5 == 2 || i%5 == 4:
			p.Domain = host(rng, friendlyHosts, o.Accounts)
		case i%17 == 10:
			p = bot(rng, p)
		}
		who := add(p)
		switch {
		case p.Bot:
			c.bots = append(c.bots, who)
		case p.Domain != "":
			c.remote = append(c.remote, who)
		default:
			c.local = append(c.local, who)
		}
	}
	for range hecklers {
		p := everydayPerson(rng)
		p.Domain, p.Role, p.Bio = host(rng, roughHosts, 0), Heckler, pick(rng, heckleBios)
		p.Nick = pick(rng, heckleNicks) + p.Nick[len(p.Nick)-min(3, len(p.Nick)):]
		c.hecklers = append(c.hecklers, add(p))
	}
	for i := range strangers {
		who := add(stranger(rng, i, c))
		c.strangers = append(c.strangers, who)
	}
	c.doomed, c.strangers = c.strangers[:len(c.strangers)/4], c.strangers[len(c.strangers)/4:]
	c.early = append(append(append(append(append(c.early, c.staff...), c.local...), c.bots...), c.remote...), c.hecklers...)
	c.social = append(append(append([]int(nil), c.staff...), c.local...), c.remote...)
	rng.Shuffle(len(c.social), func(i, j int) { c.social[i], c.social[j] = c.social[j], c.social[i] })
	return c.people, c
}

// host picks a server; a large world has more of them than have names.
func host(rng *rand.Rand, named []string, accounts int) string {
	extra := accounts / 400
	n := rng.IntN(len(named) + extra)
	if n < len(named) {
		return named[n]
	}
	return fmt.Sprintf("node%d.example", n-len(named)+1)
}

func everydayPerson(rng *rand.Rand) Person {
	lang := pick(rng, languageMix)
	tongue := tongues[lang]
	given, family := pick(rng, tongue.given), pick(rng, tongue.family)
	p := Person{Lang: lang, Bio: pick(rng, tongue.bios)}
	p.Name = given.written + " " + family.written
	if tongue.familyFirst {
		p.Name = family.written + given.written
	}
	switch rng.IntN(5) {
	case 0:
		p.Nick = given.latin + "_" + family.latin
	case 1:
		p.Nick = given.latin + family.latin[:1]
	case 2:
		p.Nick = family.latin
	case 3:
		p.Nick = given.latin[:1] + family.latin
	default:
		p.Nick = given.latin
	}
	switch rng.IntN(9) {
	case 0:
		p.Name = given.written + " " + pick(rng, flourishes)
	case 1:
		p.Name = strings.ToLower(given.latin)
	}
	if rng.IntN(4) == 0 {
		p.Fields = []Field{{"Pronouns", pick(rng, pronouns)}, {"Web", "https://" + family.latin + ".example/"}}
	}
	p.Locked = rng.IntN(12) == 0
	return p
}

func bot(rng *rand.Rand, p Person) Person {
	what := pick(rng, botKinds)
	return Person{Nick: what.nick, Name: what.name, Bio: what.bio, Lang: p.Lang, Bot: true}
}

// stranger makes the i-th offender: mostly spammers, some with another person's
// name.
func stranger(rng *rand.Rand, i int, c *cast) Person {
	if i%4 == 3 && len(c.local) > 0 {
		original := c.people[pick(rng, c.local)]
		p := original
		p.Nick = strings.TrimRight(original.Nick, "0123456789") + pick(rng, []string{"_official", "-real", "_", "0"})
		p.Role, p.Bot, p.Locked, p.Fields = Stranger, false, false, nil
		return p
	}
	tongue := tongues["en"]
	given := pick(rng, tongue.given)
	p := Person{
		Nick: fmt.Sprintf("%s_%s%d", pick(rng, spamWords), given.latin, 10+rng.IntN(90)),
		Name: given.written + " " + pick(rng, spamFlourishes),
		Bio:  pick(rng, spamBios),
		Lang: "en", Role: Stranger,
	}
	if i%3 == 1 {
		p.Domain = pick(rng, spamHosts)
	}
	return p
}
