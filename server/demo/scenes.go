package demo

import (
	"fmt"
	"strings"
)

// scenes are the kinds of scenes. Each files at least one report while any is
// left.
var scenes = []func(*scene){
	(*scene).spamWave, (*scene).dogpile, (*scene).impersonation, (*scene).giveaway, (*scene).unmarkedPicture,
	(*scene).feud, (*scene).exposure, (*scene).heckling, (*scene).rumour, (*scene).mistake, (*scene).worry,
	(*scene).profile, (*scene).regret, (*scene).copied, (*scene).chatteringBot, (*scene).trickery, (*scene).rant,
	(*scene).fromElsewhere, (*scene).heckling, (*scene).spamWave,
}

// Newcomers post the same link at many people within minutes.
func (s *scene) spamWave() {
	s.guilty = true
	link := fmt.Sprintf("https://bonus%d.fast-money.example/r/%d", s.rng.IntN(90), 1000+s.rng.IntN(9000))
	for i, spammer := range s.strangers(3) {
		victims := s.witnesses(4, spammer)
		var posts []*Post
		for j := range 2 {
			text := pick(s.rng, spamTexts) + " " + link
			for _, v := range victims[j*len(victims)/2 : (j+1)*len(victims)/2] {
				text = s.mention(v) + " " + text
			}
			posts = append(posts, s.post(3+float64(i)+4*float64(j), Post{Author: spammer, Text: text}))
		}
		for k, by := range victims[:min(len(victims), 1+s.rng.IntN(2))] {
			s.report(12+float64(3*i+7*k), by, spammer, pick(s.rng, spamComplaints), posts...)
		}
	}
}

// Somebody's harmless remark draws a crowd from rough servers.
func (s *scene) dogpile() {
	s.guilty = true
	target := pick(s.rng, s.cast.local)
	said := s.post(2, Post{Author: target, Text: say(s.rng, "en", english.statements) + " There, I said it."})
	crowd := s.hecklers(6, target)
	for i, heckler := range crowd {
		reply := s.post(6+float64(4*i), Post{
			Author: heckler, Text: s.mention(target) + " " + say(s.rng, "en", english.heckles), ReplyTo: said,
		})
		if i < 4 {
			s.report(14+float64(5*i), target, heckler, pick(s.rng, pileComplaints), reply)
		}
	}
	for i, friend := range s.witnesses(2, target) {
		s.report(40+float64(6*i), friend, crowd[i%len(crowd)], "They are piling on "+s.mention(target)+". Please look at the whole thread.")
	}
	// The pile reports its victim, too.
	s.report(55, crowd[0], target, "spreads hate, ban now", said)
	s.block(60, target, crowd[0])
}

// A newcomer takes somebody's name and asks their friends for money.
func (s *scene) impersonation() {
	s.guilty = true
	impostor := s.strangers(1)[0]
	victims := s.witnesses(2, impostor)
	post := s.post(5, Post{Author: impostor, Text: s.mention(victims[0]) + " hi, it is me, I lost my old account. Can you help me with a small transfer today? It is urgent."})
	s.report(12, victims[0], impostor, "This is not who they say they are. Same name and picture, other account.", post)
	s.report(50, victims[1], impostor, "Impersonation. I asked the real one by phone.", post)
}

// A giveaway that is none.
func (s *scene) giveaway() {
	s.guilty = true
	who := s.strangers(1)[0]
	post := s.post(6, Post{Author: who, Text: "🎁🎁 GIVEAWAY 🎁🎁 First 100 people who send a screenshot of their wallet get it back TWICE. Only today. #giveaway #free"})
	for i, by := range s.witnesses(2, who) {
		s.report(15+float64(9*i), by, who, pick(s.rng, scamComplaints), post)
	}
}

// A picture that should have had a warning.
func (s *scene) unmarkedPicture() {
	who := pick(s.rng, s.cast.social)
	post := s.post(3, Post{Author: who, Text: "Results of today. Not for the faint-hearted.", Pictures: pictures(s.rng, 2)})
	for i, by := range s.witnesses(2, who) {
		s.report(20+float64(15*i), by, who, pick(s.rng, pictureComplaints), post)
	}
}

// feud is a quarrel of two people who report each other.
func (s *scene) feud() {
	pair := s.witnesses(2)
	a, b := pair[0], pair[1]
	first := s.post(2, Post{Author: a, Text: s.mention(b) + " you still have my ladder. It has been a year."})
	second := s.post(7, Post{Author: b, Text: s.mention(a) + " I do not, and you know that. Stop telling people I do.", ReplyTo: first})
	third := s.post(11, Post{Author: a, Text: s.mention(b) + " everybody can see it from the street!", ReplyTo: second})
	s.report(14, b, a, "Keeps accusing me in public of something I did not do.", first, third)
	s.report(16, a, b, "Liar. Has my ladder.", second)
}

// Somebody publishes where another can be found.
func (s *scene) exposure() {
	s.guilty = true
	target := pick(s.rng, s.cast.local)
	heckler := s.hecklers(1, target)[0]
	post := s.post(4, Post{Author: heckler, Text: "Since " + s.mention(target) + " likes to talk so much: works weekdays at the shop next to the old mill, leaves at six, red bicycle. Do with that what you like."})
	r := s.report(9, target, heckler, "URGENT. This is where I really work. Please take it down and tell their server.", post)
	if r != nil {
		r.Forward = true
	}
	for i, by := range s.witnesses(2, target) {
		s.report(13+float64(8*i), by, heckler, pick(s.rng, exposureComplaints), post)
	}
}

// Abuse, in any of the languages spoken here.
func (s *scene) heckling() {
	s.guilty = true
	target := pick(s.rng, s.cast.social)
	lang := s.cast.people[target].Lang
	heckler := s.hecklers(1, target)[0]
	var posts []*Post
	for i := range 1 + s.rng.IntN(3) {
		posts = append(posts, s.post(3+float64(5*i), Post{Author: heckler, Lang: lang, Text: s.mention(target) + " " + say(s.rng, lang, tongues[lang].heckles)}))
	}
	s.report(20, target, heckler, pick(s.rng, tongues[lang].complaints), posts...)
	if s.rng.IntN(2) == 0 {
		by := s.witnesses(1, target)[0]
		s.report(45, by, heckler, pick(s.rng, tongues[s.cast.people[by].Lang].complaints), posts[0])
	}
}

// rumour is a false claim about health whose author believes it.
func (s *scene) rumour() {
	who := pick(s.rng, s.cast.social)
	post := s.post(4, Post{Author: who, Text: pick(s.rng, rumours) + " Share before they delete this!"})
	for i, by := range s.witnesses(3, who) {
		s.report(30+float64(25*i), by, who, pick(s.rng, rumourComplaints), post)
	}
}

// mistake is a report of a status that breaks no rule.
func (s *scene) mistake() {
	who := pick(s.rng, s.cast.social)
	post := s.post(3, Post{Author: who, Text: say(s.rng, "en", english.statements)})
	s.report(10, s.witnesses(1, who)[0], who, pick(s.rng, idleComplaints), post)
}

// Somebody is not well, and somebody noticed.
func (s *scene) worry() {
	who := pick(s.rng, s.cast.local)
	post := s.post(4, Post{Author: who, Warning: "not doing well", Sensitive: true, Visibility: "unlisted", Text: "Everything is too much this week. I do not see the point of going on with any of it. Sorry for the noise."})
	s.report(18, s.witnesses(1, who)[0], who, "Not a complaint. I am worried about them, could somebody with a calm voice write to them?", post)
}

// The profile is the trouble, not a status.
func (s *scene) profile() {
	s.guilty = true
	who := s.strangers(1)[0]
	s.report(25, s.witnesses(1, who)[0], who, pick(s.rng, profileComplaints))
}

// The evidence is gone by the time it is looked at.
func (s *scene) regret() {
	target := pick(s.rng, s.cast.local)
	heckler := s.hecklers(1, target)[0]
	post := s.post(2, Post{Author: heckler, Text: s.mention(target) + " " + say(s.rng, "en", english.heckles)})
	s.report(8, target, heckler, "They delete it after an hour every time, so please look soon.", post)
	if post != nil {
		s.delete(15, heckler, post)
	}
}

// Somebody else's picture.
func (s *scene) copied() {
	pair := s.witnesses(2)
	thief, owner := pair[0], pair[1]
	post := s.post(5, Post{Author: thief, Text: "Took this one last weekend. Proud of it! #photography", Pictures: pictures(s.rng, 1)})
	s.report(60, owner, thief, "My photograph, published on my site in March, signature cut off. I would like the name added or the picture gone.", post)
}

// A bot that knows no measure.
func (s *scene) chatteringBot() {
	bot := pick(s.rng, append(s.cast.remote[:1:1], s.cast.bots...))
	var posts []*Post
	for i := range 4 {
		posts = append(posts, s.post(2+float64(i), Post{Author: bot, Text: say(s.rng, "en", botTexts)}))
	}
	s.report(30, s.witnesses(1, bot)[0], bot, "This bot posts every minute and fills the whole local timeline. Unlisted, please?", posts...)
}

// trickery is text that confuses readers in a terminal or a list.
func (s *scene) trickery() {
	s.guilty = true
	who := s.hecklers(1, -1)[0]
	post := s.post(3, Post{Author: who, Text: "Click \u202Egnp.elpmaxe/\u202C for a pic\u200Bture \x1b[31mnow\x1b[0m \x1b]8;;https://evil.example/\aofficial site\x1b]8;;\a z\u0337a\u0336l\u0335g\u0334o\u0338\u0333\u0323"})
	s.report(9, s.witnesses(1, who)[0], who, "The link is written backwards somehow \u202Egnihsihp\u202C and my terminal changed colour \x1b[7m(?)\x1b[0m", post)
}

// Very long, and not quite against any rule.
func (s *scene) rant() {
	who := pick(s.rng, s.cast.social)
	var b strings.Builder
	b.WriteString("A few words about the parking at the station.\n\n")
	for b.Len() < 3800 {
		b.WriteString(say(s.rng, "en", english.statements))
		b.WriteString(" And that is exactly what is wrong with the parking.\n\n")
	}
	post := s.post(4, Post{Author: who, Text: b.String()})
	s.report(35, s.witnesses(1, who)[0], who, "Is there a rule about length? There should be a rule about length.", post)
}

// fromElsewhere is a report that another server forwards.
func (s *scene) fromElsewhere() {
	s.guilty = true
	who := pick(s.rng, s.cast.local)
	by := pick(s.rng, s.cast.remote)
	post := s.post(3, Post{Author: who, Text: s.mention(by) + " that is the worst soup take I have read. Are you always like this, or only on Sundays?"})
	s.report(22, by, who, "", post)
}
