package text

import "testing"

func TestLinksToAddressesAreMadeAsChosen(t *testing.T) {
	const typed = "a.example http://b.nowheretld/x https://203.0.113.7/ c.nowheretld d.com mailto:me@e.nowheretld"
	with := func(change func(*Choices)) Options {
		c := UsualChoices()
		change(&c)
		o := testOptions()
		o.Rules = NewRules(c)
		return o
	}
	const (
		page   = `<a href="http://b.nowheretld/x" rel="ugc">http://b.nowheretld/x</a>`
		number = `<a href="https://203.0.113.7/" rel="ugc">https://203.0.113.7/</a>`
		known  = `<a href="http://d.com" rel="ugc">d.com</a>`
		mail   = `<a href="mailto:me@e.nowheretld" rel="ugc">mailto:me@e.nowheretld</a>`
	)
	for name, c := range map[string]struct {
		change func(*Choices)
		want   string
	}{
		"usual": {func(*Choices) {}, "a.example " + page + " " + number + " c.nowheretld " + known + " " + mail},
		"every": {func(c *Choices) { c.KnownTLD = EveryAddress }, "a.example http://b.nowheretld/x " + number + " c.nowheretld " + known + " " + mail},
		"none": {func(c *Choices) { c.KnownTLD = NoAddress }, link("http://a.example", "a.example") + " " + page + " " + number + " " +
			link("http://c.nowheretld", "c.nowheretld") + " " + known + " " + mail},
	} {
		if got := Format(typed, "text/plain", with(c.change)).HTML; got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
	styled := with(func(c *Choices) { c.Class, c.NewWindow, c.Rel = `auto "><x> link-1`, true, "" })
	if got := Format("see d.com #tag", "text/plain", styled).HTML; got !=
		`see <a class="auto link-1" href="http://d.com" target="_blank">d.com</a> <a class="hashtag" data-tag="tag" href="https://svc.example/tag/tag" rel="tag ugc">#tag</a>` {
		t.Error(got)
	}
	if got := Format("version 1.2.3, a..b, x_y.zz, end.", "text/plain", with(func(c *Choices) { c.KnownTLD = NoAddress })).HTML; got != "version 1.2.3, a..b, x_y.zz, end." {
		t.Error(got)
	}
}
