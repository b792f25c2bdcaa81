package mrf_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/server/federation/mrf"
	"svc/server/platform/config"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	followers = "https://one.example/users/eve/followers"
	ann       = "https://svc.example/users/ann"
	bob       = "https://svc.example/users/bob"
)

// eve is a remote actor, a note of hers to everybody the activity.
func eve() mrf.Actor {
	return mrf.Actor{URI: "https://one.example/users/eve", Host: "one.example", Nickname: "eve@one.example", Followers: followers}
}

func note(edit ...func(*mrf.Activity)) mrf.Activity {
	a := mrf.Activity{
		Type: mrf.Create, Actor: eve(), To: []string{mrf.Public, ann}, CC: []string{followers},
		Object: &mrf.Object{Type: mrf.Note, Content: "<p>hello</p>", Source: "hello", Attachments: true, Published: noon},
	}
	for _, e := range edit {
		e(&a)
	}
	return a
}

// The other ways in which a note may be addressed.
func to(to ...string) func(*mrf.Activity) { return func(a *mrf.Activity) { a.To, a.CC = to, nil } }
func unlistedTo(a *mrf.Activity)          { a.To, a.CC = []string{followers, ann}, []string{mrf.Public} }
func tagged(tags ...string) func(*mrf.Activity) {
	return func(a *mrf.Activity) { a.Actor.Tags = tags }
}
func says(content, summary, name string) func(*mrf.Activity) {
	return func(a *mrf.Activity) { a.Object.Content, a.Object.Summary, a.Object.Name = content, summary, name }
}

func follow(edit ...func(*mrf.Activity)) mrf.Activity {
	a := mrf.Activity{Type: mrf.Follow, Actor: eve(), To: []string{ann}, Target: &mrf.Actor{URI: ann, Local: true}}
	for _, e := range edit {
		e(&a)
	}
	return a
}

func pattern(t *testing.T, s string) config.Pattern {
	t.Helper()
	p, ok := config.PatternOf(s)
	if !ok {
		t.Fatalf("pattern %s", s)
	}
	return p
}

// settings are the defaults with one chain.
func settings(chain string, edit func(*config.Policies)) *config.Policies {
	p := config.DefaultSettings().Policies
	p.Chain = nil
	for name := range strings.FieldsSeq(chain) {
		p.Chain = append(p.Chain, "Svc.Web.ActivityPub.MRF."+name)
	}
	if edit != nil {
		edit(&p)
	}
	return &p
}

// outcome describes an activity after the policies, in words.
func outcome(a mrf.Activity, err error) string {
	var r *mrf.Rejection
	if errors.As(err, &r) {
		return r.Error()
	}
	if err != nil {
		return "error " + err.Error()
	}
	short := strings.NewReplacer(mrf.Public, "P", followers, "F", ann, "ann", bob, "bob")
	out := "to " + short.Replace(strings.Join(a.To, ",")) + " cc " + short.Replace(strings.Join(a.CC, ","))
	if a.Object != nil {
		o := a.Object
		if o.Attachments {
			out += " files"
		}
		if o.Sensitive {
			out += " sensitive"
		}
		if len(o.Tags) > 0 {
			out += " #" + strings.Join(o.Tags, " #")
		}
	}
	return out
}

const asItWas = "to P,ann cc F files"

func TestPoliciesAboutAddressesAndFiles(t *testing.T) {
	simple := func(edit func(*config.SimplePolicy)) *config.Policies {
		return settings("SimplePolicy", func(p *config.Policies) { edit(&p.Simple) })
	}
	one := []string{"ONE.example"}
	aged := func(a *mrf.Activity) { a.Object.Published = noon.Add(-8 * 24 * time.Hour) }
	young := func(a *mrf.Activity) { a.Object.Published = noon.Add(-7 * 24 * time.Hour) }
	actions := func(words ...string) *config.Policies {
		return settings("ObjectAgePolicy", func(p *config.Policies) { p.ObjectAge.Actions = words })
	}
	many := func(n int, extra ...string) func(*mrf.Activity) {
		return func(a *mrf.Activity) {
			a.To, a.CC = slices.Clone(extra), nil
			for i := range n {
				a.To = append(a.To, fmt.Sprint("u", i))
			}
			a.CC = append(a.CC, "u0", "u0")
		}
	}
	crowd := func(n int) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("u", i))
		}
		return strings.Join(names, ",")
	}
	hell := settings("HellthreadPolicy", nil)
	for _, c := range []struct {
		name     string
		settings *config.Policies
		activity mrf.Activity
		want     string
	}{
		{"nothing is set", settings("", nil), note(), asItWas},
		{"no policy of that name", settings("NoOpPolicy StealEmojiPolicy Other", nil), note(), asItWas},
		{"everything dropped", settings("DropPolicy", nil), follow(), "[DropPolicy] everything is rejected"},

		{"reject", simple(func(s *config.SimplePolicy) { s.Reject = one }), note(), "[SimplePolicy] host in reject list"},
		{"reject, but in no chain", settings("", func(p *config.Policies) { p.Simple.Reject = one }), note(), asItWas},
		{"reject a follow", simple(func(s *config.SimplePolicy) { s.Reject = one }), follow(), "[SimplePolicy] host in reject list"},
		{"reject another", simple(func(s *config.SimplePolicy) { s.Reject = []string{"xone.example", "example"} }), note(), asItWas},
		{"reject all below", simple(func(s *config.SimplePolicy) { s.Reject = []string{"*.example"} }), note(), "[SimplePolicy] host in reject list"},
		{"reject it and all below", simple(func(s *config.SimplePolicy) { s.Reject = []string{"*.one.example"} }), note(), "[SimplePolicy] host in reject list"},
		{"reject does not keep deletes out", simple(func(s *config.SimplePolicy) { s.Reject = one }), mrf.Activity{Type: mrf.Delete, Actor: eve()}, "to  cc "},
		{"reject_deletes", simple(func(s *config.SimplePolicy) { s.RejectDeletes = one }), mrf.Activity{Type: mrf.Delete, Actor: eve()}, "[SimplePolicy] host in reject_deletes list"},
		{"accept others", simple(func(s *config.SimplePolicy) { s.Accept = []string{"two.example"} }), note(), "[SimplePolicy] host not in accept list"},
		{"accept it", simple(func(s *config.SimplePolicy) { s.Accept = one }), note(), asItWas},
		{"accept others, but it is ours", simple(func(s *config.SimplePolicy) { s.Accept = []string{"two.example"} }), note(func(a *mrf.Activity) { a.Actor.Host = "svc.example" }), asItWas},
		{"media_removal", simple(func(s *config.SimplePolicy) { s.MediaRemoval = one }), note(), "to P,ann cc F"},
		{"media_nsfw", simple(func(s *config.SimplePolicy) { s.MediaNSFW = one }), note(func(a *mrf.Activity) { a.Object.Attachments = false }), "to P,ann cc F sensitive #nsfw"},
		{"federated_timeline_removal", simple(func(s *config.SimplePolicy) { s.FederatedTimelineRemoval = one }), note(), "to F,ann cc P files"},
		{"federated_timeline_removal of what is unlisted", simple(func(s *config.SimplePolicy) { s.FederatedTimelineRemoval = one }), note(unlistedTo), "to F,ann cc P files"},
		{"federated_timeline_removal of what is direct", simple(func(s *config.SimplePolicy) { s.FederatedTimelineRemoval = one }), note(to(ann)), "to ann cc  files"},
		{"followers_only", simple(func(s *config.SimplePolicy) { s.FollowersOnly = one }), note(func(a *mrf.Activity) { a.To = append(a.To, bob); a.Following = []string{bob} }), "to bob cc F files"},
		{"followers_only of what is direct", simple(func(s *config.SimplePolicy) { s.FollowersOnly = one }), note(to(ann)), "to  cc  files"},
		{"report_removal", simple(func(s *config.SimplePolicy) { s.ReportRemoval = one }), mrf.Activity{Type: mrf.Flag, Actor: eve()}, "[SimplePolicy] host in report_removal list"},
		{"report_removal of a note", simple(func(s *config.SimplePolicy) { s.ReportRemoval = one }), note(), asItWas},

		{"no tags", settings("TagPolicy", nil), note(tagged("mrf_tag:other", "sandbox")), asItWas},
		{"media-force-nsfw", settings("TagPolicy", nil), note(tagged("mrf_tag:media-force-nsfw")), "to P,ann cc F files sensitive #nsfw"},
		{"media-force-nsfw without files", settings("TagPolicy", nil), note(tagged("mrf_tag:media-force-nsfw"), func(a *mrf.Activity) { a.Object.Attachments = false }), "to P,ann cc F"},
		{"media-strip", settings("TagPolicy", nil), note(tagged("mrf_tag:media-strip")), "to P,ann cc F"},
		{"force-unlisted", settings("TagPolicy", nil), note(tagged("mrf_tag:force-unlisted")), "to F,ann cc P files"},
		{"sandbox", settings("TagPolicy", nil), note(tagged("mrf_tag:sandbox")), "to F,ann cc  files"},
		{"sandbox of what is unlisted", settings("TagPolicy", nil), note(unlistedTo, tagged("mrf_tag:sandbox")), "to F,ann cc  files"},
		{"sandbox of what is direct", settings("TagPolicy", nil), note(to(ann), tagged("mrf_tag:sandbox")), "to ann cc  files"},
		{"sandbox and force-unlisted", settings("TagPolicy", nil), note(tagged("mrf_tag:sandbox", "mrf_tag:force-unlisted")), "to F,ann cc  files"},
		{"disable-any-subscription", settings("TagPolicy", nil), follow(func(a *mrf.Activity) {
			a.Actor.Local = true
			a.Target.Tags = []string{"mrf_tag:disable-any-subscription"}
		}),
			"[TagPolicy] Follow from https://one.example/users/eve tagged with mrf_tag:disable-any-subscription"},
		{"disable-remote-subscription", settings("TagPolicy", nil), follow(func(a *mrf.Activity) { a.Target.Tags = []string{"mrf_tag:disable-remote-subscription"} }),
			"[TagPolicy] Follow from https://one.example/users/eve tagged with mrf_tag:disable-remote-subscription"},
		{"disable-remote-subscription by a local", settings("TagPolicy", nil), follow(func(a *mrf.Activity) {
			a.Actor.Local = true
			a.Target.Tags = []string{"mrf_tag:disable-remote-subscription"}
		}), "to ann cc "},
		{"a follower's own tag", settings("TagPolicy", nil), follow(tagged("mrf_tag:disable-any-subscription")), "to ann cc "},

		{"old", actions(":delist", ":strip_followers"), note(aged), "to ann cc P files"},
		{"old, delist", actions(":delist"), note(aged), "to F,ann cc P files"},
		{"old, strip_followers", actions(":strip_followers"), note(aged), "to P,ann cc  files"},
		{"old, reject", actions(":reject", ":delist"), note(aged), "[ObjectAgePolicy] Too old"},
		{"not yet old", actions(":reject"), note(young), asItWas},
		{"of no age", actions(":reject"), note(func(a *mrf.Activity) { a.Object.Published = time.Time{} }), asItWas},

		{"ten recipients", hell, note(many(10, mrf.Public, followers)), "to P,F," + crowd(10) + " cc u0,u0 files"},
		{"eleven recipients", hell, note(many(11, mrf.Public, followers)), "to F," + crowd(11) + " cc P,u0,u0 files"},
		{"eleven recipients of a direct note", hell, note(many(11)), "to " + crowd(11) + " cc u0,u0 files"},
		{"twenty recipients", hell, note(many(20)), "to " + crowd(20) + " cc u0,u0 files"},
		{"twenty-one recipients", hell, note(many(21)), "[HellthreadPolicy] 21 recipients is over the limit of 20"},
		{"any number", settings("HellthreadPolicy", func(p *config.Policies) { p.Hellthread = config.HellthreadPolicy{} }), note(many(99)), "to " + crowd(99) + " cc u0,u0 files"},
		{"many of a poll", hell, note(many(21), func(a *mrf.Activity) { a.Object.Type = mrf.Question }), "to " + crowd(21) + " cc u0,u0 files"},

		{"public", settings("RejectNonPublic", nil), note(), asItWas},
		{"unlisted", settings("RejectNonPublic", nil), note(unlistedTo), "to F,ann cc P files"},
		{"for this server", settings("RejectNonPublic", nil), note(to(followers), func(a *mrf.Activity) { a.OnlyHere = true }), "to F cc  files"},
		{"for followers", settings("RejectNonPublic", nil), note(to(followers, ann)), "[RejectNonPublic] visibility: private"},
		{"direct", settings("RejectNonPublic", nil), note(to(ann)), "[RejectNonPublic] visibility: direct"},
		{"for followers, allowed", settings("RejectNonPublic", func(p *config.Policies) { p.RejectNonPublic.AllowFollowersOnly = true }), note(to(followers)), "to F cc  files"},
		{"direct, where followers are allowed", settings("RejectNonPublic", func(p *config.Policies) { p.RejectNonPublic.AllowFollowersOnly = true }), note(to(ann)), "[RejectNonPublic] visibility: direct"},
		{"direct, allowed", settings("RejectNonPublic", func(p *config.Policies) { p.RejectNonPublic.AllowDirect = true }), note(to(ann)), "to ann cc  files"},
		{"a follow is not about readers", settings("RejectNonPublic", nil), follow(), "to ann cc "},

		{"mention", settings("MentionPolicy", func(p *config.Policies) { p.MentionActors = []string{bob, ann} }), note(), "[MentionPolicy] Rejected for mention of " + ann},
		{"no mention", settings("MentionPolicy", func(p *config.Policies) { p.MentionActors = []string{bob} }), note(), asItWas},

		{"a bot", settings("ForceBotUnlistedPolicy", nil), note(func(a *mrf.Activity) { a.Actor.Bot = true }), "to F,ann cc P files"},
		{"by its name", settings("ForceBotUnlistedPolicy", nil), note(func(a *mrf.Activity) { a.Actor.Nickname = "NewsBot@one.example" }), "to F,ann cc P files"},
		{"no bot", settings("ForceBotUnlistedPolicy", nil), note(), asItWas},
	} {
		given := fmt.Sprintf("%+v %+v", c.activity, c.activity.Object)
		got, err := mrf.Filter(c.settings, mrf.Here{Host: "svc.example", Now: noon}, c.activity)
		if s := outcome(got, err); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
		if after := fmt.Sprintf("%+v %+v", c.activity, c.activity.Object); given != after {
			t.Errorf("%s changed what it was given:\n%s\n%s", c.name, given, after)
		}
	}
}

func TestPoliciesAboutWhoAndWhat(t *testing.T) {
	vocabulary := func(accept, reject string) *config.Policies {
		return settings("VocabularyPolicy", func(p *config.Policies) {
			p.Vocabulary = config.VocabularyPolicy{Accept: strings.Fields(accept), Reject: strings.Fields(reject)}
		})
	}
	allow := func(actors ...string) *config.Policies {
		return settings("UserAllowListPolicy", func(p *config.Policies) { p.UserAllowlist = []config.Allowed{{Host: "One.example", Actors: actors}} })
	}
	chains := func(list ...config.Subchain) *config.Policies {
		return settings("SubchainPolicy TagPolicy", func(p *config.Policies) { p.Subchains = list })
	}
	const base = "Svc.Web.ActivityPub.MRF."
	link := says(`<a href="https://buy.example">buy</a>`, "", "")
	for _, c := range []struct {
		name     string
		settings *config.Policies
		activity mrf.Activity
		want     string
	}{
		{"any type", vocabulary("", ""), note(), asItWas},
		{"accepted with what is in it", vocabulary("Create Note", ""), note(), asItWas},
		{"accepted without", vocabulary("Create", ""), note(), "[VocabularyPolicy] Note not in accept list"},
		{"another is accepted", vocabulary("Create Note", ""), follow(), "[VocabularyPolicy] Follow not in accept list"},
		{"rejected", vocabulary("", "Follow"), follow(), "[VocabularyPolicy] Follow in reject list"},
		{"what is in it is rejected", vocabulary("", "Note"), note(), "[VocabularyPolicy] Note in reject list"},

		{"allowed by name", allow("https://one.example/users/eve"), note(), asItWas},
		{"not among those allowed", allow("https://one.example/users/zoe"), note(), "[UserAllowListPolicy] https://one.example/users/eve not in the list"},
		{"nobody is named", allow(), note(), asItWas},
		{"another host", allow("https://one.example/users/zoe"), note(func(a *mrf.Activity) { a.Actor.Host = "two.example" }), asItWas},

		{"a chain of its own", chains(config.Subchain{Actor: pattern(t, "~r/one.EXAMPLE/i"), Policies: []string{base + "DropPolicy"}}), note(), "[DropPolicy] everything is rejected"},
		{"the first that matches", chains(config.Subchain{Actor: pattern(t, "eve"), Policies: []string{base + "ForceBotUnlistedPolicy"}},
			config.Subchain{Actor: pattern(t, "one"), Policies: []string{base + "DropPolicy"}}), note(func(a *mrf.Activity) { a.Actor.Bot = true }), "to F,ann cc P files"},
		{"others", chains(config.Subchain{Actor: pattern(t, "~r/^two/"), Policies: []string{base + "DropPolicy"}}), note(), asItWas},
		{"and then the rest", chains(config.Subchain{Actor: pattern(t, "two")}), note(tagged("mrf_tag:media-strip")), "to P,ann cc F"},
		{"a chain in itself", chains(config.Subchain{Actor: pattern(t, "eve"), Policies: []string{base + "SubchainPolicy", base + "TagPolicy"}}), note(tagged("mrf_tag:sandbox")), "to F,ann cc  files"},

		{"a follow bot", settings("AntiFollowbotPolicy", nil), follow(func(a *mrf.Activity) { a.Actor.Nickname = "FollowBot@one.example" }), "[AntiFollowbotPolicy] Scored https://one.example/users/eve as followbot"},
		{"by its name", settings("AntiFollowbotPolicy", nil), follow(func(a *mrf.Activity) { a.Actor.Name = "Federation Bot" }), "[AntiFollowbotPolicy] Scored https://one.example/users/eve as followbot"},
		{"one that is followed", settings("AntiFollowbotPolicy", nil), follow(func(a *mrf.Activity) { a.Actor.Name, a.Followed = "fedibot", true }), "to ann cc "},
		{"somebody else", settings("AntiFollowbotPolicy", nil), follow(), "to ann cc "},

		{"a link", settings("AntiLinkSpamPolicy", nil), note(link), "[AntiLinkSpamPolicy] links from an account without posts and followers"},
		{"a link by who has posted", settings("AntiLinkSpamPolicy", nil), note(link, func(a *mrf.Activity) { a.Actor.Posts = 1 }), asItWas},
		{"a link by who is followed", settings("AntiLinkSpamPolicy", nil), note(link, func(a *mrf.Activity) { a.Actor.FollowersCount = 1 }), asItWas},
		{"a link from here", settings("AntiLinkSpamPolicy", nil), note(link, func(a *mrf.Activity) { a.Actor.Local = true }), asItWas},
		{"a mention", settings("AntiLinkSpamPolicy", nil), note(says(`<a class="u-url mention" href="https://one.example/@x">@x</a>`, "", "")), asItWas},
	} {
		got, err := mrf.Filter(c.settings, mrf.Here{Host: "svc.example", Now: noon}, c.activity)
		if s := outcome(got, err); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
}

func TestPoliciesAboutTexts(t *testing.T) {
	words := func(edit func(*config.KeywordPolicy)) *config.Policies {
		return settings("KeywordPolicy", func(p *config.Policies) { edit(&p.Keyword) })
	}
	list := func(texts ...string) []config.Pattern {
		var out []config.Pattern
		for _, s := range texts {
			out = append(out, pattern(t, s))
		}
		return out
	}
	reject := words(func(k *config.KeywordPolicy) { k.Reject = list("spam", `~r/cheap\s+watches/i`, "") })
	replace := words(func(k *config.KeywordPolicy) {
		k.Replace = []config.Replacement{{Pattern: pattern(t, "foo"), With: "bar"}, {Pattern: pattern(t, `~r/(b)a(r)/`), With: `\1$1o\2`}}
	})
	reply := func(summary, parent string) func(*mrf.Activity) {
		return func(a *mrf.Activity) {
			a.Object.Reply, a.Object.Summary, a.Object.ParentSummary = true, summary, parent
		}
	}
	scrub := func(module string) *config.Policies {
		return settings("NormalizeMarkup", func(p *config.Policies) { p.ScrubPolicy = module })
	}
	rich := says(`<p><b>a</b> <a href="https://x.example">b</a><script>c</script></p>`, "s", "")
	for _, c := range []struct {
		name     string
		settings *config.Policies
		activity mrf.Activity
		want     string
	}{
		{"no such word", reject, note(says("Spam and watches, not cheap", "", "")), "Spam and watches, not cheap||"},
		{"a word", reject, note(says("aspamb", "", "")), "[KeywordPolicy] Matches with rejected keyword"},
		{"a word of the subject", reject, note(says("", "spam", "")), "[KeywordPolicy] Matches with rejected keyword"},
		{"a word of the name", reject, note(says("", "", "spam")), "[KeywordPolicy] Matches with rejected keyword"},
		{"a word as it was typed", reject, note(func(a *mrf.Activity) { a.Object.Source = "spam" }), "[KeywordPolicy] Matches with rejected keyword"},
		{"a pattern", reject, note(says("CHEAP \n watches", "", "")), "[KeywordPolicy] Matches with rejected keyword"},
		{"a word of an option", reject, note(func(a *mrf.Activity) { a.Object.Options = []string{"ham", "spam"} }), "[KeywordPolicy] Matches with rejected keyword"},
		{"a word of a description", reject, note(func(a *mrf.Activity) { a.Object.Descriptions = []string{"", "a spam"} }), "[KeywordPolicy] Matches with rejected keyword"},
		{"a word of a hashtag", reject, note(func(a *mrf.Activity) { a.Object.Tags = []string{"spam"} }), "[KeywordPolicy] Matches with rejected keyword"},
		{"a word of an address behind a link", reject, note(says(`<a href="https://spam.example">x</a>`, "", "")), "[KeywordPolicy] Matches with rejected keyword"},
		{"a word in markup", reject, note(says(`<p class="spam">s<b>pa</b>n</p>`, "", "")), `<p class="spam">s<b>pa</b>n</p>||`},
		{"a word across markup", reject, note(says("<p>s<b>pa</b>m</p>", "", "")), "[KeywordPolicy] Matches with rejected keyword"},
		{"a word of a subject with markup", reject, note(says("", "s<i>p</i>am", "")), "[KeywordPolicy] Matches with rejected keyword"},
		{"a word of a subject without", reject, note(says("", "a<spam b", "")), "[KeywordPolicy] Matches with rejected keyword"},
		{"markup as it was typed", reject, note(func(a *mrf.Activity) { a.Object.Source, a.Object.SourceHTML = `<p class="spam">x</p>`, true }), "<p>hello</p>||"},
		{"of what is no post", reject, follow(), ""},
		{"replaced", replace, note(says("foo foo", "a foo", "foobar")), "b$1or b$1or|a b$1or|b$1orb$1or"},
		{"a subject that replies", settings("EnsureRePrepended", nil), note(reply("news", "news")), "<p>hello</p>|re: news|"},
		{"one that says so", settings("EnsureRePrepended", nil), note(reply("Re: news", "Re: news")), "<p>hello</p>|Re: news|"},
		{"another subject", settings("EnsureRePrepended", nil), note(reply("other", "news")), "<p>hello</p>|other|"},
		{"nothing but a dot", settings("NoPlaceholderTextPolicy", nil), note(says("<p>.</p>", "", "")), "||"},
		{"a dot without a file", settings("NoPlaceholderTextPolicy", nil), note(says(".", "", ""), func(a *mrf.Activity) { a.Object.Attachments = false }), ".||"},
		{"the usual markup", scrub("Svc.HTML.Scrubber.Default"), note(rich), `<p><b>a</b> <a href="https://x.example">b</a>c</p>|s|`},
		{"little markup", scrub("Svc.HTML.Scrubber.TwitterText"), note(rich), `<p>a <a href="https://x.example">b</a>c</p>|s|`},
		{"links alone", scrub("Svc.HTML.Scrubber.LinksOnly"), note(rich), `a <a href="https://x.example">b</a>c|s|`},
	} {
		got, err := mrf.Filter(c.settings, mrf.Here{Host: "svc.example", Now: noon}, c.activity)
		s := ""
		switch {
		case err != nil:
			s = err.Error()
		case got.Object != nil:
			s = got.Object.Content + "|" + got.Object.Summary + "|" + got.Object.Name
		}
		if s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
	given := note(says(`<a href="https://foo.example">foo</a>`, "", ""), func(a *mrf.Activity) {
		o := a.Object
		o.Source, o.Options, o.Tags, o.Descriptions = "foo https://foo.example", []string{"foo"}, []string{"foo"}, []string{"a foo"}
	})
	after, err := mrf.Filter(words(func(k *config.KeywordPolicy) {
		k.Replace = []config.Replacement{{Pattern: pattern(t, "foo"), With: "bar"}}
	}), mrf.Here{Now: noon}, given)
	if err != nil {
		t.Fatal(err)
	}
	want := *given.Object
	want.Content, want.Source, want.Descriptions = `<a href="https://foo.example">bar</a>`, "bar https://foo.example", []string{"a bar"}
	if diff := cmp.Diff(&want, after.Object); diff != "" || given.Object.Descriptions[0] != "a foo" {
		t.Error(diff)
	}
	// A warning or a title is HTML only if it reads as HTML.
	for summary, want := range map[string]string{
		"why a<b is foo": "why a<b is bar", "AT&T foo": "AT&T bar", "Vec<foo> & x": "Vec<bar> & x", "<p>a &lt; foo</p>": "<p>a &lt; bar</p>",
	} {
		after, err := mrf.Filter(words(func(k *config.KeywordPolicy) {
			k.Replace = []config.Replacement{{Pattern: pattern(t, "foo"), With: "bar"}}
		}), mrf.Here{Now: noon}, note(says("x", summary, summary)))
		if err != nil || after.Object.Summary != want || after.Object.Name != want {
			t.Errorf("from %q: %q, %q, %v", summary, after.Object.Summary, after.Object.Name, err)
		}
	}
	got, err := mrf.Filter(words(func(k *config.KeywordPolicy) { k.FederatedTimelineRemoval = list("hello") }), mrf.Here{Now: noon}, note())
	if s := outcome(got, err); s != "to F,ann cc P files" {
		t.Errorf("federated_timeline_removal: %s", s)
	}
}

func TestLocalPostsExpire(t *testing.T) {
	local := func(a *mrf.Activity) { a.Actor.Local = true }
	ends := func(after time.Duration) func(*mrf.Activity) {
		return func(a *mrf.Activity) { a.Object.Expires = noon.Add(after) }
	}
	const year = 365 * 24 * time.Hour
	for name, c := range map[string]struct {
		activity mrf.Activity
		want     time.Time
	}{
		"a note":                 {note(local), noon.Add(year)},
		"one that ends":          {note(local, ends(time.Hour)), noon.Add(time.Hour)},
		"one that ends too late": {note(local, ends(2*year)), noon.Add(year)},
		"from elsewhere":         {note(), time.Time{}},
		"a poll":                 {note(local, func(a *mrf.Activity) { a.Object.Type = mrf.Question }), time.Time{}},
	} {
		got, err := mrf.Filter(settings("ActivityExpirationPolicy", nil), mrf.Here{Now: noon}, c.activity)
		if err != nil || !got.Object.Expires.Equal(c.want) {
			t.Errorf("%s: %v, %v, want %v", name, got.Object, err, c.want)
		}
	}
}

func TestPoliciesActInTheirOrder(t *testing.T) {
	both := note(tagged("mrf_tag:sandbox"))
	for chain, want := range map[string]string{
		"RejectNonPublic TagPolicy": "to F,ann cc  files",
		"TagPolicy RejectNonPublic": "[RejectNonPublic] visibility: private",
	} {
		got, err := mrf.Filter(settings(chain, nil), mrf.Here{Now: noon}, both)
		if s := outcome(got, err); s != want {
			t.Errorf("%s: %s, want %s", chain, s, want)
		}
	}
}

func TestProfilesLosePicturesOrAreRefused(t *testing.T) {
	whole := mrf.Profile{Actor: eve(), Avatar: true, Banner: true}
	for name, c := range map[string]struct {
		chain string
		edit  func(*config.Policies)
		want  string
	}{
		"nothing is set": {"SimplePolicy", nil, "true true"},
		"avatar_removal": {"SimplePolicy", func(p *config.Policies) { p.Simple.AvatarRemoval = []string{"one.example"} }, "false true"},
		"banner_removal": {"SimplePolicy", func(p *config.Policies) { p.Simple.BannerRemoval = []string{"*.example"} }, "true false"},
		"not in a chain": {"TagPolicy", func(p *config.Policies) { p.Simple.BannerRemoval = []string{"*.example"} }, "true true"},
		"reject":         {"SimplePolicy", func(p *config.Policies) { p.Simple.Reject = []string{"one.example"} }, "[SimplePolicy] host in reject list"},
		"accept":         {"SimplePolicy", func(p *config.Policies) { p.Simple.Accept = []string{"two.example"} }, "[SimplePolicy] host not in accept list"},
		"allow list": {"UserAllowListPolicy", func(p *config.Policies) {
			p.UserAllowlist = []config.Allowed{{Host: "one.example", Actors: []string{"x"}}}
		},
			"[UserAllowListPolicy] https://one.example/users/eve not in the list"},
	} {
		got, err := mrf.FilterProfile(settings(c.chain, c.edit), mrf.Here{Host: "svc.example"}, whole)
		s := fmt.Sprint(got.Avatar, got.Banner)
		if err != nil {
			s = err.Error()
		}
		if diff := cmp.Diff(c.want, s); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestEveryPolicyOnOfferActs: forms for the settings name no policy that lets
// everything pass, but for the one that is called so.
func TestEveryPolicyOnOfferActs(t *testing.T) {
	all := func(string, string) bool { return true }
	entries := config.Descriptions(all)
	i := slices.IndexFunc(entries, func(d config.Description) bool { return d.Key == ":mrf" })
	j := slices.IndexFunc(entries[i].Children, func(d config.Description) bool { return d.Key == ":policies" })
	offered := entries[i].Children[j].Suggestions
	if len(offered) < 18 {
		t.Errorf("on offer: %v", offered)
	}
	for _, module := range offered {
		name := config.PolicyName(fmt.Sprint(module))
		if name != "NoOpPolicy" && !mrf.Known(name) {
			t.Errorf("%v does nothing", module)
		}
	}
}
