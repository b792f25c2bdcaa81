package ingest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/federation/mrf"
	"svc/server/platform/config"
	"svc/server/rules/social"
)

// judged is an activity before and after the policies of some settings. If they
// reject it, after is the reason.
type judged struct {
	name   string
	chain  string
	set    func(*config.Policies)
	before string
	after  string
}

const (
	note = `{"id":"https://far.example/notes/1","type":"Note","content":"<p>hello</p>","contentMap":{"en":"<p>hello</p>","eo":"<p>saluton</p>"},
		"to":["https://www.w3.org/ns/activitystreams#Public"],"cc":["https://far.example/users/eve/followers"],
		"attachment":[{"type":"Image","url":"https://far.example/a.png"}],"tag":[{"type":"Hashtag","name":"#cats"}],"published":"2026-03-01T10:00:00Z"}`
	// narrow has the same addresses but on the activity, as some servers lose
	// them.
	narrow = `{"type":"Create","to":["https://svc.example/users/ann"],"cc":[],"object":` + note + `}`
	wide   = `{"type":"Create","to":["https://www.w3.org/ns/activitystreams#Public"],"cc":["https://far.example/users/eve/followers"],"object":` + note + `}`
)

// with is note with some keys changed; null removes one.
func with(t *testing.T, doc, changes string) string {
	t.Helper()
	var d, c map[string]any
	for raw, into := range map[string]*map[string]any{doc: &d, changes: &c} {
		if err := json.Unmarshal([]byte(raw), into); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
	}
	for k, v := range c {
		if d[k] = v; v == nil {
			delete(d, k)
		}
	}
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestPoliciesChangeActivityAndObjectTogether(t *testing.T) {
	far := []string{"far.example"}
	simple := func(edit func(*config.SimplePolicy)) func(*config.Policies) {
		return func(p *config.Policies) { edit(&p.Simple) }
	}
	word := func(s string) config.Pattern {
		p, ok := config.PatternOf(s)
		if !ok {
			t.Fatalf("pattern %s", s)
		}
		return p
	}
	replace := func(p *config.Policies) {
		p.Keyword.Replace = []config.Replacement{{Pattern: word("hello"), With: "bye"}}
	}
	create := func(object string) string { return with(t, wide, `{"object":`+object+`}`) }
	const followers, public = `"https://far.example/users/eve/followers"`, `"https://www.w3.org/ns/activitystreams#Public"`
	// addressed is the Create of an object that had no addresses of its own.
	addressed := func(object string) string { return create(with(t, object, `{"to":[`+public+`],"cc":[`+followers+`]}`)) }
	unlisted := `{"to":[` + followers + `],"cc":[` + public + `]}`
	cases := []judged{
		{"nothing is set", "", nil, wide, wide},
		{"unlisted", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.FederatedTimelineRemoval = far }), wide,
			with(t, create(with(t, note, unlisted)), unlisted)},
		{"the object's addresses count", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.FederatedTimelineRemoval = far }), narrow,
			with(t, create(with(t, note, unlisted)), unlisted)},
		{"files", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.MediaRemoval = far }), wide, create(with(t, note, `{"attachment":null}`))},
		{"files of an edit", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.MediaRemoval = far }), with(t, wide, `{"type":"Update"}`),
			with(t, create(with(t, note, `{"attachment":null}`)), `{"type":"Update"}`)},
		{"a film is a file itself", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.MediaRemoval = far }),
			create(`{"type":"Video","name":"n","url":[{"type":"Link","mediaType":"video/mp4","href":"https://far.example/v.mp4"},{"type":"Link","mediaType":"text/html","href":"https://far.example/v"}],"image":{"type":"Image","url":"https://far.example/p.png"}}`),
			addressed(`{"type":"Video","name":"n","url":"https://far.example/v"}`)},
		{"sensitive, without files too", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.MediaNSFW = far }), create(with(t, note, `{"attachment":null}`)),
			create(with(t, note, `{"attachment":null,"sensitive":true,"tag":[{"type":"Hashtag","name":"#nsfw"},{"type":"Hashtag","name":"#cats"}]}`))},
		{"for followers alone", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.FollowersOnly = far }),
			create(with(t, note, `{"to":[`+public+`,"https://svc.example/users/ann","https://svc.example/users/bob"]}`)),
			with(t, create(with(t, note, `{"to":["https://svc.example/users/ann"]}`)), `{"to":["https://svc.example/users/ann"]}`)},
		{"words, in the languages that have them", "KeywordPolicy", replace, wide,
			create(with(t, note, `{"content":"<p>bye</p>","contentMap":{"en":"<p>bye</p>"}}`))},
		{"words of a text that is in languages alone", "KeywordPolicy", func(p *config.Policies) { p.Keyword.Reject = []config.Pattern{word("hello")} },
			create(with(t, note, `{"content":null}`)), "[KeywordPolicy] Matches with rejected keyword"},
		{"words as they were typed", "KeywordPolicy", replace, create(`{"type":"Note","content":"x","source":{"content":"hello","mediaType":"text/plain"}}`),
			addressed(`{"type":"Note","content":"x","source":{"content":"bye","mediaType":"text/plain"}}`)},
		{"words of files, but of no address and no option", "KeywordPolicy", replace,
			create(`{"type":"Question","content":"<a href=\"https://hello.example\">hello</a>","oneOf":[{"name":"hello"}],"attachment":[{"type":"Image","url":"https://far.example/hello.png","name":"a hello"},{"type":"Image","url":"x","name":"none","summary":"hello"}]}`),
			addressed(`{"type":"Question","content":"<a href=\"https://hello.example\">bye</a>","oneOf":[{"name":"hello"}],"attachment":[{"type":"Image","url":"https://far.example/hello.png","name":"a bye"},{"type":"Image","url":"x","name":"none","summary":"bye"}]}`)},
		{"a vote names an option", "KeywordPolicy", replace, create(`{"type":"Note","name":"hello","inReplyTo":"https://svc.example/objects/1"}`),
			create(`{"type":"Note","name":"hello","inReplyTo":"https://svc.example/objects/1"}`)},
		{"words of an option", "KeywordPolicy", func(p *config.Policies) { p.Keyword.Reject = []config.Pattern{word("hello")} },
			create(`{"type":"Question","content":"x","anyOf":[{"name":"a"},{"name":"hello"}]}`), "[KeywordPolicy] Matches with rejected keyword"},
		{"the activity's addresses count for an object without any", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.FederatedTimelineRemoval = far }),
			create(`{"type":"Note","content":"x"}`), with(t, create(with(t, `{"type":"Note","content":"x"}`, unlisted)), unlisted)},
		{"an old post", "ObjectAgePolicy", nil, create(with(t, note, `{"published":"2025-03-01T10:00:00Z"}`)),
			with(t, create(with(t, note, `{"published":"2025-03-01T10:00:00Z","to":[],"cc":[`+public+`]}`)), `{"to":[],"cc":[`+public+`]}`)},
		{"an edit of an old post", "ObjectAgePolicy", nil, with(t, create(with(t, note, `{"published":"2025-03-01T10:00:00Z"}`)), `{"type":"Update"}`),
			with(t, create(with(t, note, `{"published":"2025-03-01T10:00:00Z"}`)), `{"type":"Update"}`)},
		{"a boost", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.FederatedTimelineRemoval = far }),
			`{"type":"Announce","object":"https://else.example/1","to":[` + public + `],"cc":[]}`,
			`{"type":"Announce","object":"https://else.example/1","to":[` + followers + `],"cc":[` + public + `]}`},
		{"a report", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.ReportRemoval = far }),
			`{"type":"Flag","object":["https://svc.example/users/ann"]}`, "[SimplePolicy] host in report_removal list"},
		{"a deletion", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.Reject = far }), `{"type":"Delete","object":"https://far.example/notes/1"}`,
			`{"type":"Delete","object":"https://far.example/notes/1"}`},
		{"a deletion that is not followed", "SimplePolicy", simple(func(s *config.SimplePolicy) { s.RejectDeletes = far }),
			`{"type":"Delete","object":"https://far.example/notes/1"}`, "[SimplePolicy] host in reject_deletes list"},
		{"a profile is no post", "SimplePolicy KeywordPolicy", func(p *config.Policies) {
			p.Simple.MediaNSFW = far
			p.Keyword.Reject = []config.Pattern{word("hello")}
		},
			`{"type":"Update","object":{"type":"Person","summary":"hello"}}`, `{"type":"Update","object":{"type":"Person","summary":"hello"}}`},
		{"a follow of whom strangers do not follow", "TagPolicy", nil, `{"type":"Follow","object":"https://svc.example/users/bob"}`,
			"[TagPolicy] Follow from https://far.example/users/eve tagged with mrf_tag:disable-remote-subscription"},
		{"another follow", "TagPolicy AntiFollowbotPolicy", nil, `{"type":"Follow","object":"https://svc.example/users/ann"}`, `{"type":"Follow","object":"https://svc.example/users/ann"}`},
		{"a reply under the same subject", "EnsureRePrepended", nil, create(with(t, note, `{"summary":"news","inReplyTo":"https://svc.example/objects/1"}`)),
			create(with(t, note, `{"summary":"re: news","inReplyTo":"https://svc.example/objects/1"}`))},
		{"a reply under the subject of what its author may not see", "EnsureRePrepended", nil,
			create(with(t, note, `{"summary":"news","inReplyTo":"https://svc.example/objects/2"}`)),
			create(with(t, note, `{"summary":"news","inReplyTo":"https://svc.example/objects/2"}`))},
		{"few actors of a host", "UserAllowListPolicy", func(p *config.Policies) {
			p.UserAllowlist = []config.Allowed{{Host: "far.example", Actors: []string{"https://far.example/users/zoe"}}}
		}, wide, "[UserAllowListPolicy] https://far.example/users/eve not in the list"},
		{"policies for some", "SubchainPolicy", func(p *config.Policies) {
			p.Subchains = []config.Subchain{{Actor: word("~r/far/"), Policies: []string{"Svc.Web.ActivityPub.MRF.DropPolicy"}}}
		}, wide, "[DropPolicy] everything is rejected"},
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newJudge(t, d)
		for _, c := range cases {
			w.hold(t, c)
		}
	})
}

type judge struct {
	*Service
	live *config.Live
	eve  *db.Account
}

// newJudge returns a service with ann and bob. ann follows eve of far.example,
// and bob accepts no remote followers.
func newJudge(t *testing.T, d *db.DB) *judge {
	t.Helper()
	ctx := t.Context()
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	ann, bob := db.NewAccount("https://svc.example", "ann"), db.NewAccount("https://svc.example", "bob")
	bob.Tags = db.Slice[string]{"mrf_tag:disable-remote-subscription"}
	eve := db.NewAccount("https://far.example", "eve@far.example")
	eve.URI, eve.FollowersURI = "https://far.example/users/eve", "https://far.example/users/eve/followers"
	eve.Local, eve.Domain = false, "far.example"
	for _, a := range []*db.Account{ann, bob, eve} {
		if err := d.CreateAccount(ctx, a); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.CreateFollow(ctx, &db.Follow{FollowerID: ann.ID, TargetID: eve.ID, Local: true}); err != nil {
		t.Fatal(err)
	}
	for uri, visibility := range map[string]string{"https://svc.example/objects/1": db.Public, "https://svc.example/objects/2": db.Private} {
		status := &db.Status{ID: d.NewID(), AccountID: ann.ID, URI: &uri, Local: true, Visibility: visibility, SpoilerText: "news", CreatedAt: d.Now()}
		if err := d.CreateStatus(ctx, status); err != nil {
			t.Fatal(err)
		}
	}
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	s := &Service{db: d, settings: live, social: social.New(social.Parts{DB: d, Settings: live, Site: config.NewSite(dbtest.Base, false), Now: now}), host: "svc.example", base: "https://svc.example", now: now}
	return &judge{s, live, eve}
}

func (w *judge) hold(t *testing.T, c judged) {
	t.Helper()
	settings := config.DefaultSettings()
	settings.Policies.Chain = nil
	for _, name := range strings.Fields(c.chain) {
		settings.Policies.Chain = append(settings.Policies.Chain, "Svc.Web.ActivityPub.MRF."+name)
	}
	if c.set != nil {
		c.set(&settings.Policies)
	}
	if err := w.live.Swap(settings); err != nil {
		t.Fatal(err)
	}
	before, err := activitypub.Decode([]byte(c.before))
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	got, err := w.judge(t.Context(), w.eve, before)
	var r *mrf.Rejection
	if errors.As(err, &r) {
		if r.Error() != c.after {
			t.Errorf("%s: refused: %s, want %s", c.name, r, c.after)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return
	}
	if diff := cmp.Diff(plain(t, c.after), plain(t, string(encoded(t, got)))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", c.name, diff)
	}
	if diff := cmp.Diff(plain(t, c.before), plain(t, string(encoded(t, before)))); diff != "" {
		t.Errorf("%s changed what it was given:\n%s", c.name, diff)
	}
}

func encoded(t *testing.T, o activitypub.Object) []byte {
	t.Helper()
	raw, err := activitypub.Encode(o)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// plain decodes JSON; other text stays a string.
func plain(t *testing.T, raw string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		return raw
	}
	return v
}
