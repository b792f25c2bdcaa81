package tui

import (
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest"
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
	d.shows("INVITES 1", "open", "0/5", "reusable_date_limited")
	d.press("d")
	d.shows("revoke", "y yes")
	d.press("y")
	d.pass(5 * time.Second)
	d.shows("used")
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
