package clientapi_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// village is a service in which ann and bob talk while an admin changes the
// policies.
type village struct {
	*servertest.Server
	t         *testing.T
	ann, bob  *client.Client
	root      *client.Admin
	annID     string
	bobID     string
	sentFiles int
}

func eachVillage(t *testing.T, fn func(t *testing.T, v *village)) {
	t.Helper()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		v := &village{Server: s, t: t, ann: s.Client("ann"), bob: s.Client("bob"), root: s.Admin("root").Admin}
		v.annID, v.bobID = s.User("ann").ID, s.User("bob").ID
		fn(t, v)
	})
}

func (v *village) must(err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
}

// set saves a setting like an admin.
func (v *village) set(key string, value any) {
	v.t.Helper()
	_, err := v.root.Config.Set(v.t.Context(), ":svc", key, value)
	v.must(err)
}

// chain sets the policies, by their short names.
func (v *village) chain(names ...string) {
	v.t.Helper()
	modules := make([]string, len(names))
	for i, name := range names {
		modules[i] = "Svc.Web.ActivityPub.MRF." + name
	}
	v.set(":mrf", client.Keyword(":policies", modules))
}

// tag sets the tags of ann.
func (v *village) tag(tags ...string) {
	v.t.Helper()
	ctx, ann := v.t.Context(), []string{"ann"}
	all := strings.Fields("mrf_tag:media-force-nsfw mrf_tag:media-strip mrf_tag:force-unlisted mrf_tag:sandbox mrf_tag:disable-any-subscription mrf_tag:disable-remote-subscription")
	v.must(v.root.Users.Untag(ctx, ann, all))
	if len(tags) > 0 {
		v.must(v.root.Users.Tag(ctx, ann, tags))
	}
}

func (v *village) file() string {
	v.t.Helper()
	v.sentFiles++
	m, err := v.ann.Media.Upload(v.t.Context(), client.File{Name: "x.png", Content: bytes.NewReader(pngOf(v.t, byte(v.sentFiles)))}, api.MediaForm{})
	v.must(err)
	return m.ID
}

// post posts as ann and returns the resulting status in words. A refusal is its
// HTTP status and text, and leaves no row.
func (v *village) post(form api.NewStatus) string {
	v.t.Helper()
	before := v.count()
	s, err := v.ann.Statuses.Post(v.t.Context(), form)
	if err != nil {
		if after := v.count(); after != before {
			v.t.Errorf("a refused post was kept: %d, %d before", after, before)
		}
		return refused(err)
	}
	if got, err := v.ann.Statuses.Get(v.t.Context(), s.ID); err != nil || cmp.Diff(string(s.Raw), string(got.Raw)) != "" {
		v.t.Errorf("answered %s\nread %s, %v", s.Raw, got.Raw, err)
	}
	return worded(s)
}

func worded(s *api.Status) string {
	out := s.Visibility + " " + s.Content
	if s.SpoilerText != "" {
		out += " cw:" + s.SpoilerText
	}
	if len(s.MediaAttachments) > 0 {
		out += " files"
	}
	if s.Sensitive {
		out += " sensitive"
	}
	for _, tag := range s.Tags {
		out += " #" + tag.Name
	}
	return out
}

func refused(err error) string {
	if err == nil {
		return ""
	}
	var e *client.Error
	if !asError(err, &e) {
		return "error " + err.Error()
	}
	return fmt.Sprint(e.Status, " ", e.Message)
}

func (v *village) count() (n int) {
	v.t.Helper()
	v.must(v.DB.Writer().QueryRowContext(v.t.Context(), "SELECT (SELECT COUNT(*) FROM statuses) + (SELECT COUNT(*) FROM chat_messages) + (SELECT COUNT(*) FROM scheduled_statuses)").Scan(&n))
	return n
}

func (v *village) want(what, got, want string) {
	v.t.Helper()
	if got != want {
		v.t.Errorf("%s: %s, want %s", what, got, want)
	}
}

// TestTagsActOnWhatIsPostedFromThenOn: the tag policy is on by default.
func TestTagsActOnWhatIsPostedFromThenOn(t *testing.T) {
	eachVillage(t, func(t *testing.T, v *village) {
		hello := api.NewStatus{Status: "hello"}
		unlisted, direct, local := api.NewStatus{Status: "u", Visibility: "unlisted"}, api.NewStatus{Status: "d", Visibility: "direct"}, api.NewStatus{Status: "l", Visibility: "local"}
		withFile := func() api.NewStatus { return api.NewStatus{Status: "see", MediaIDs: []string{v.file()}} }
		v.want("without tags", v.post(hello), "public hello")
		v.tag("mrf_tag:Force-Unlisted")
		v.want("force-unlisted", v.post(hello), "unlisted hello")
		v.want("force-unlisted, direct", v.post(direct), "direct d")
		v.tag("mrf_tag:sandbox")
		v.want("sandbox", v.post(hello), "private hello")
		v.want("sandbox, unlisted", v.post(unlisted), "private u")
		v.want("sandbox, direct", v.post(direct), "direct d")
		v.want("sandbox, local", v.post(local), "local l")
		v.tag("mrf_tag:media-force-nsfw")
		v.want("media-force-nsfw", v.post(withFile()), "public see files sensitive #nsfw")
		v.want("media-force-nsfw without files", v.post(hello), "public hello")
		v.tag("mrf_tag:media-strip")
		v.want("media-strip", v.post(withFile()), "public see")
		public, err := v.bob.Timelines.Public(api.TimelineQuery{}).Page(t.Context())
		v.must(err)
		var seen []string
		for _, s := range public.Items {
			seen = append(seen, worded(&s))
		}
		if diff := cmp.Diff([]string{"public see", "public hello", "public see files sensitive #nsfw", "public hello"}, seen); diff != "" {
			t.Errorf("the public timeline (-want +got):\n%s", diff)
		}
		v.chain("ObjectAgePolicy")
		v.tag("mrf_tag:sandbox")
		v.want("sandbox, without the policy", v.post(hello), "public hello")
	})
}

func TestTagsKeepFollowersAway(t *testing.T) {
	eachVillage(t, func(t *testing.T, v *village) {
		ctx := t.Context()
		follow := func() string {
			t.Helper()
			r, err := v.bob.Accounts.Follow(ctx, v.annID, api.Follow{})
			if err != nil {
				return refused(err)
			}
			return fmt.Sprint(r.Following)
		}
		v.tag("mrf_tag:disable-any-subscription")
		v.want("disable-any-subscription", follow(), "403 rejected")
		v.tag("mrf_tag:disable-remote-subscription")
		v.want("disable-remote-subscription", follow(), "true")
		v.tag("mrf_tag:disable-any-subscription")
		v.want("one who follows already", follow(), "true")
		if _, err := v.bob.Accounts.Unfollow(ctx, v.annID); err != nil {
			t.Errorf("ending a follow: %v", err)
		}
		v.want("after that", follow(), "403 rejected")
		v.must(v.root.Users.Follow(ctx, "bob", "ann"))
		r, err := v.bob.Accounts.Relationships(ctx, v.annID)
		if err != nil || !r[0].Following {
			t.Errorf("an admin's wish: %+v, %v", r, err)
		}
	})
}

func TestWordsAreRefusedHiddenOrReplaced(t *testing.T) {
	eachVillage(t, func(t *testing.T, v *village) {
		ctx := t.Context()
		v.set(":mrf_keyword", client.Keyword(":reject", []any{"~r/cheap watches/i", "spamword"}, ":federated_timeline_removal", []any{"quiet"},
			":replace", []any{client.Tuple("foo", "bar & <b>baz</b>"), client.Tuple(`~r/#(\d+)/`, `no. \1`)}))
		v.want("while the policy is off", v.post(api.NewStatus{Status: "a spamword"}), "public a spamword")
		v.chain("KeywordPolicy")
		const refusal = "422 [KeywordPolicy] Matches with rejected keyword"
		for _, form := range []api.NewStatus{
			{Status: "a spamword", Visibility: "direct"}, {Status: "CHEAP Watches"}, {Status: "x", SpoilerText: "my spamword"},
			{Status: "**cheap** watches, cheap watches", ContentType: "text/markdown"},
			{Status: "spamword", ScheduledAt: time.Now().Add(time.Hour).Format(time.RFC3339)},
			{Status: "spamword", Preview: true},
		} {
			v.want(form.Status, v.post(form), refusal)
		}
		v.want("other words", v.post(api.NewStatus{Status: "watches"}), "public watches")
		v.want("quiet", v.post(api.NewStatus{Status: "be quiet"}), "unlisted be quiet")
		v.want("replaced", v.post(api.NewStatus{Status: "foo #12", SpoilerText: "foo"}), "public bar &amp; &lt;b&gt;baz&lt;/b&gt; no. 12 cw:bar & <b>baz</b>")
		found, err := v.ann.Statuses.Post(ctx, api.NewStatus{Status: "a foo"})
		v.must(err)
		gone, err := v.ann.Statuses.Delete(ctx, found.ID)
		if err != nil || *gone.Text != "a bar & <b>baz</b>" {
			t.Errorf("as it was typed: %v, %v", gone.Text, err)
		}

		chat, err := v.ann.Chats.Open(ctx, v.bobID)
		v.must(err)
		before := v.count()
		_, err = v.ann.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "spamword"})
		v.want("a chat message", refused(err), refusal)
		if v.count() != before {
			t.Error("a refused message was kept")
		}
		m, err := v.ann.Chats.Send(ctx, chat.ID, api.NewChatMessage{Content: "foo"})
		if err != nil || *m.Content != "bar &amp; &lt;b&gt;baz&lt;/b&gt;" {
			t.Errorf("a message: %+v, %v", m, err)
		}
		_, err = v.root.Config.Delete(ctx, ":svc", ":mrf_keyword", ":reject")
		v.must(err)
		v.want("once it is allowed", v.post(api.NewStatus{Status: "a spamword"}), "public a spamword")
	})
}

func TestOtherPoliciesActOnLocalPosts(t *testing.T) {
	eachVillage(t, func(t *testing.T, v *village) {
		ctx := t.Context()
		hello := api.NewStatus{Status: "hello"}
		v.chain("HellthreadPolicy")
		v.set(":mrf_hellthread", client.Keyword(":delist_threshold", 1, ":reject_threshold", 2))
		for _, name := range []string{"cid", "dan"} {
			v.User(name)
		}
		v.want("one recipient", v.post(api.NewStatus{Status: "@bob"})[:7], "public ")
		v.want("two", v.post(api.NewStatus{Status: "@bob @cid"})[:9], "unlisted ")
		v.want("three", v.post(api.NewStatus{Status: "@bob @cid @dan"}), "422 [HellthreadPolicy] 3 recipients is over the limit of 2")
		v.set(":mrf_hellthread", client.Keyword(":delist_threshold", 0, ":reject_threshold", 0))
		v.want("any number", v.post(api.NewStatus{Status: "@bob @cid @dan"})[:7], "public ")

		v.chain("MentionPolicy")
		v.set(":mrf_mention", client.Keyword(":actors", []string{v.Base() + "/users/bob"}))
		v.want("mention", v.post(api.NewStatus{Status: "@cid @bob"}), "422 [MentionPolicy] Rejected for mention of "+v.Base()+"/users/bob")
		v.want("no mention", v.post(api.NewStatus{Status: "@cid"})[:7], "public ")

		v.chain("RejectNonPublic")
		v.want("public", v.post(hello), "public hello")
		v.want("for this server", v.post(api.NewStatus{Status: "l", Visibility: "local"}), "local l")
		v.want("private", v.post(api.NewStatus{Status: "p", Visibility: "private"}), "422 [RejectNonPublic] visibility: private")
		v.want("direct", v.post(api.NewStatus{Status: "d", Visibility: "direct"}), "422 [RejectNonPublic] visibility: direct")
		v.set(":mrf_rejectnonpublic", client.Keyword(":allow_followersonly", true, ":allow_direct", true))
		v.want("private, allowed", v.post(api.NewStatus{Status: "p", Visibility: "private"}), "private p")
		v.want("direct, allowed", v.post(api.NewStatus{Status: "d", Visibility: "direct"}), "direct d")

		bold := api.NewStatus{Status: "<b>x</b>", ContentType: "text/html"}
		v.chain("NormalizeMarkup")
		v.want("the usual markup", v.post(bold), "public <b>x</b>")
		v.set(":mrf_normalize_markup", client.Keyword(":scrub_policy", "Svc.HTML.Scrubber.TwitterText"))
		v.want("little markup", v.post(bold), "public x")

		v.chain("ActivityExpirationPolicy")
		v.set(":mrf_activity_expiration", client.Keyword(":days", 2))
		before := time.Now()
		s, err := v.ann.Statuses.Post(ctx, hello)
		v.must(err)
		if at := s.Svc.ExpiresAt; at == nil || at.Before(before.Add(48*time.Hour-time.Second)) || at.After(time.Now().Add(48*time.Hour+time.Second)) {
			t.Errorf("expires %v", at)
		}
		s, err = v.ann.Statuses.Post(ctx, api.NewStatus{Status: "soon", ExpiresIn: new(api.Int(2 * 3600))})
		if err != nil || s.Svc.ExpiresAt == nil || s.Svc.ExpiresAt.After(time.Now().Add(3*time.Hour)) {
			t.Errorf("expires %v, %v", s, err)
		}

		v.chain("SubchainPolicy")
		v.set(":mrf_subchain", client.Keyword(":match_actor", map[string]any{"~r/users.ann$/": []string{"Svc.Web.ActivityPub.MRF.DropPolicy"}}))
		v.want("a chain for ann", v.post(hello), "422 [DropPolicy] everything is rejected")
		if _, err := v.bob.Statuses.Post(ctx, hello); err != nil {
			t.Errorf("another's: %v", err)
		}

		v.chain("UserAllowListPolicy")
		v.set(":mrf_user_allowlist", map[string]any{strings.TrimPrefix(v.Base(), "http://"): []string{v.Base() + "/users/bob"}})
		v.want("an allow list", v.post(hello), "422 [UserAllowListPolicy] "+v.Base()+"/users/ann not in the list")
	})
}

// TestPoliciesJudgeWhatElsePeopleDo: policies reject other activities too, but
// never their undoing.
func TestPoliciesJudgeWhatElsePeopleDo(t *testing.T) {
	eachVillage(t, func(t *testing.T, v *village) {
		ctx := t.Context()
		s, err := v.ann.Statuses.Post(ctx, api.NewStatus{Status: "hello"})
		v.must(err)
		acts := map[string]func() error{
			"Like":       func() error { return err1(v.bob.Statuses.Favourite(ctx, s.ID)) },
			"Announce":   func() error { return err1(v.bob.Statuses.Reblog(ctx, s.ID, api.NewReblog{})) },
			"EmojiReact": func() error { return err1(v.bob.Statuses.React(ctx, s.ID, "🐱")) },
			"Flag":       func() error { return err1(v.bob.Reports.Create(ctx, api.NewReport{AccountID: v.annID})) },
			"Note":       func() error { return err1(v.bob.Statuses.Post(ctx, api.NewStatus{Status: "x"})) },
		}
		v.chain("VocabularyPolicy")
		for kind := range acts {
			v.set(":mrf_vocabulary", client.Keyword(":reject", []string{kind}))
			for other, another := range acts {
				err := another()
				if other == kind {
					v.want(other, refused(err), "422 [VocabularyPolicy] "+kind+" in reject list")
				} else if err != nil {
					t.Errorf("%s while %s is refused: %v", other, kind, err)
				}
			}
		}
		v.set(":mrf_vocabulary", client.Keyword(":reject", []string{"Follow"}))
		v.want("Follow", refused(err1(v.bob.Accounts.Follow(ctx, v.annID, api.Follow{}))), "403 rejected")

		v.chain("DropPolicy")
		const refusal = "422 [DropPolicy] everything is rejected"
		for kind, act := range acts {
			v.want(kind, refused(act()), refusal)
		}
		for kind, undo := range map[string]func() error{
			"Like":       func() error { return err1(v.bob.Statuses.Unfavourite(ctx, s.ID)) },
			"Announce":   func() error { return err1(v.bob.Statuses.Unreblog(ctx, s.ID)) },
			"EmojiReact": func() error { return err1(v.bob.Statuses.Unreact(ctx, s.ID, "🐱")) },
		} {
			if err := undo(); err != nil {
				t.Errorf("%s taken back: %v", kind, err)
			}
		}
		v.must(err1(v.ann.Statuses.Delete(ctx, s.ID)))
	})
}
