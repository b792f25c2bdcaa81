package tui

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
	"svc/server/servertest/peer"
	"svc/tui/desk"
)

func TestInvitesAreMadeAndRevoked(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	c := s.Admin("root")
	d := beginOn(t, c, 80, 24, Options{})
	d.press("7nmany<enter>")
	d.shows("type the number of accounts", "accounts [days]: many_")
	for _, wrong := range []string{"5x", "5 x", "0", "5 7 9", "5 99999"} {
		d.press("<ctrl+u>" + wrong + "<enter>")
		d.shows("accounts [days]: " + wrong + "_")
	}
	d.press("<ctrl+u>5 7<enter>")
	made := d.m.Screen().(*desk.Page).Copies
	d.shows(" INVITES NEW", " "+made)
	d.press("<esc>")
	d.shows("INVITES 1", "open", "0/5", "reusable_date_limited")
	d.press("d")
	d.shows("revoke", "y yes")
	d.press("y")
	d.pass(5 * time.Second)
	d.shows("revoked")
	all, err := c.Admin.Invites.List(t.Context())
	if err != nil || len(all) != 1 || !all[0].Used {
		t.Errorf("%+v, %v", all, err)
	}
	d.press("d")
	d.shows("nothing here to revoke")
}

func TestStatusesAreChangedDeletedAndTakenBack(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	posted, err := s.Client("kim").Statuses.Post(t.Context(), api.NewStatus{Status: "win big"})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Admin("root")
	now := func() *api.AdminStatus {
		t.Helper()
		got, err := c.Admin.Statuses.Get(t.Context(), posted.ID)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	d := beginOn(t, c, 80, 24, Options{})
	d.press("6")
	d.shows("STATUSES 1", "public", "kim", "win big")
	d.press("s")
	d.pass(5 * time.Second)
	d.shows("public (s)")
	if !now().Sensitive {
		t.Error("it is not sensitive")
	}
	d.press("u")
	if now().Sensitive {
		t.Error("it is still sensitive")
	}
	d.press("v3")
	d.pass(5 * time.Second)
	if got := now().Visibility; got != "private" {
		t.Errorf("it is %s", got)
	}
	d.press("/state:all<enter>")
	d.pass(time.Second)
	d.shows("private")
	d.press("D")
	d.pass(7 * time.Second)
	now() // still there
	d.pass(2 * time.Second)
	d.shows("STATUSES 0")
	d.press("u")
	d.shows("cannot be undone")
}

func TestFilesAreBannedAndFreed(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	d.press(":bans<enter>bhttps://bad.example/1.png<enter>")
	d.pass(5 * time.Second)
	d.shows("BANS 1", "https://bad.example/1.png")
	d.press("d")
	d.pass(5 * time.Second)
	d.shows("BANS 0", "no file is banned")
}

func TestAppsAndWorkAreShownAndChanged(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	s.FailedJob()
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	d.press(":apps<enter>t")
	d.shows("trust the app", "y yes")
	d.press("y")
	d.shows("trusted")
	d.press("9/fail<enter><esc>")
	d.shows("QUEUES")
	d.press(":jobs<enter>")
	d.shows("JOBS 1")
	d.press("R")
	d.shows("is done again")
}

func TestAFileIsPurgedWithoutABan(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	// Both in one flush: one is banned, the other only dropped.
	d.press(":bans<enter>bhttps://bad.example/1.png<enter>phttps://bad.example/2.png<enter>")
	d.pass(5 * time.Second)
	d.shows("BANS 1", "https://bad.example/1.png")
	d.hides("https://bad.example/2.png")
}

func TestChatsAreReadAndAMessageDeleted(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	kim := s.Client("kim")
	chat, err := kim.Chats.Open(t.Context(), s.User("zoe").ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"hello there", "win <b>big</b>"} {
		if _, err := kim.Chats.Send(t.Context(), chat.ID, api.NewChatMessage{Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	root := s.Admin("root")
	d := beginOn(t, root, 80, 24, Options{})
	d.press(":chats<enter>")
	d.shows("name a local user", "chats NICK")
	d.press(":chats kim<enter>")
	d.shows("CHATS kim 1", "zoe", "win")
	d.press("<enter>")
	d.shows("MESSAGES", "hello there", "win")
	d.press("D")
	d.shows("delete the message on both sides", "y yes")
	d.press("y")
	d.pass(time.Second)
	d.hides(" win ")
	left, err := root.Admin.Chats.Messages(chat.ID, api.PageQuery{}).Page(t.Context())
	if err != nil || len(left.Items) != 1 {
		t.Errorf("%d messages are left, %v", len(left.Items), err)
	}
	d.press("<esc>")
	d.shows("CHATS kim 1")
}

func TestDocumentsAndNumbersAreShown(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	root := s.Admin("root")
	if _, err := root.Admin.Documents.Set(t.Context(), client.InstancePanel, client.File{Name: "p", Content: strings.NewReader("mine")}); err != nil {
		t.Fatal(err)
	}
	own, err := root.Admin.Documents.Get(t.Context(), client.InstancePanel)
	if err != nil {
		t.Fatal(err)
	}
	d := beginOn(t, root, 120, 40, Options{})
	d.press(":documents<enter>")
	d.shows("DOCUMENTS 4", "instance-panel", "terms-of-service", "privacy-policy", "extended-description")
	d.press("d")
	d.shows("go back to the document", "y yes")
	d.press("y")
	d.shows("the built-in one stands again")
	resp, err := http.Get(own.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || string(text) == "mine" {
		t.Errorf("the panel is %q still, %v", text, err)
	}

	bob := s.User("bob")
	for range 2 {
		if _, err := s.Client("bob").Statuses.Post(t.Context(), api.NewStatus{Status: "hi"}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Client("ann").Reports.Create(t.Context(), api.NewReport{AccountID: bob.ID, Comment: "spam"}); err != nil {
			t.Fatal(err)
		}
	}
	d.press(":stats<enter>")
	d.shows("STATS 8", "2            public posts", "2            open reports", "day of the oldest open report", "0            people who wait for approval")
}

func TestAChangeOfSettingsIsTakenBack(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	root := s.Admin("root")
	for _, limit := range []int{3000, 4000} {
		if _, err := root.Admin.Config.Set(t.Context(), ":svc", ":instance", []any{map[string]any{"tuple": []any{":limit", limit}}}); err != nil {
			t.Fatal(err)
		}
	}
	saved := func() string {
		t.Helper()
		all, err := root.Admin.Config.List(t.Context(), api.ConfigQuery{OnlyDB: true})
		if err != nil || len(all.Configs) != 1 {
			t.Fatalf("%v, %v", all, err)
		}
		return string(all.Configs[0].Value)
	}
	d := beginOn(t, root, 120, 40, Options{})
	d.press(":changes<enter>")
	d.shows("CHANGES", "root", ":svc :instance", "limit: 3000 to 4000")
	d.press("jB")
	d.shows("changed meanwhile")
	d.press("kB")
	d.shows("take change", "4000 to 3000", "POST /api/svc/admin/config")
	d.press("y")
	d.pass(time.Second)
	d.shows("limit: 4000 to 3000")
	if now := saved(); !strings.Contains(now, "3000") {
		t.Errorf("saved is %s", now)
	}
}

func TestThePaletteFindsCommands(t *testing.T) {
	d := begin(t, newWorld(t), 80, 24)
	d.press(":rel<enter>")
	d.shows("RELAYS 3")
	d.press(":unfollow<enter>")
	d.shows("y yes")
	d.press("<esc>:fly<enter>")
	d.shows(":fly: no such command here")
	d.press(":re<enter>")
	d.shows("which? refresh, relays")
}

// TestAServerIsLimitedFromAReport goes from a report about an account of another server to what is known
// of its server, limits it in two ways with a reason, and takes that back.
func TestAServerIsLimitedFromAReport(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	p := peer.Start(t, "127.0.0.4")
	lou := p.Actor("lou")
	root := s.Admin("root")
	host := p.Host()
	found, err := s.Client("ann").Search.Find(t.Context(), api.SearchQuery{Q: lou.ID, Resolve: true})
	if err != nil || len(found.Accounts) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if _, err := s.Client("ann").Reports.Create(t.Context(), api.NewReport{AccountID: found.Accounts[0].ID, Comment: "spam"}); err != nil {
		t.Fatal(err)
	}
	limits := func() api.KnownHost {
		t.Helper()
		known, err := root.Admin.Federation.Known(t.Context(), host)
		if err != nil {
			t.Fatal(err)
		}
		return *known
	}
	d := beginOn(t, root, 120, 40, Options{})
	d.press("I")
	d.shows("HOST "+host, "accounts known", "reports open             1", "deliveries", "limit reject             off", "nothing is accepted from it")
	d.press("L")
	d.shows("nothing here to limit")
	d.press("/limit<enter>j j L")
	d.press("spam wave<enter>")
	d.shows("limit "+host, "its posts come without their files", "y yes")
	d.press("y")
	d.shows("OUTBOX 1  limit " + host)
	d.pass(10 * time.Second)
	d.shows("limit media              on")
	if got := limits().Limits; len(got) != 1 || len(got[0].Limits) != 2 || got[0].Reason != "spam wave" {
		t.Errorf("the limits are %+v", got)
	}
	// The policy that they need is off until somebody says so.
	d.press("k")
	d.shows("nothing, until the policy SimplePolicy is in mrf.policies; E puts it there")
	d.press("E")
	d.shows("switch on the policy SimplePolicy", "for all limits that are kept")
	d.press("y")
	d.shows("the policy SimplePolicy is on")
	if got := limits().Idle; len(got) != 0 {
		t.Errorf("still off are %q", got)
	}
	d.press("<ctrl+r>")
	d.hides("nothing, until the policy")
	d.press("u")
	d.pass(time.Second)
	if got := limits().Idle; len(got) != 1 {
		t.Errorf("off again are %q", got)
	}
	d.press("u")
	d.pass(10 * time.Second)
	if got := limits().Limits; len(got) != 0 {
		t.Errorf("the limits are still %+v", got)
	}
	d.hides("limit media              on")
	d.press("1<enter>I")
	d.shows("HOST " + host)
	d.press("2/ann<enter>")
	d.pass(time.Second)
	d.press("I")
	d.shows("about no other server")
}
