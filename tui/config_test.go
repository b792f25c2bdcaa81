package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/server/servertest"
)

// savedSetting is a saved value as the server gives it, "" for none.
func savedSetting(t *testing.T, s *servertest.Server, group, key string) string {
	t.Helper()
	all, err := s.Admin("root").Admin.Config.List(t.Context(), api.ConfigQuery{OnlyDB: true, WithSecrets: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Configs {
		if c.Group == group && c.Key == key {
			return string(c.Value)
		}
	}
	return ""
}

func TestASettingIsTypedComparedSavedAndForgotten(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	d.press("5/chat_limit<enter>")
	d.shows("CONFIG 1/", ":svc :instance")
	d.press("<enter>/:limit <enter>")
	d.shows("SETTINGS :svc :instance", ">         :limit", "in force: 5000", "saved: -")
	// A refusal by the type appears at the field, and the text stays there.
	d.press("e")
	d.shows("value: 5000_")
	d.press("x<enter>")
	d.shows(`"5000x" is no integer`, "value: 5000x_")
	d.press("<ctrl+u>3000<enter>")
	d.shows("built in: 5000", "saved: nothing", "in force: 5000", "typed: 3000", `"value":[{"tuple":`, "y yes, send it")
	if got := savedSetting(t, s, ":svc", ":instance"); got != "" {
		t.Fatalf("saved early: %s", got)
	}
	d.press("<enter>")
	d.shows("y yes, send it")
	d.press("y")
	d.shows(">   *     :limit", "3000")
	if got, want := savedSetting(t, s, ":svc", ":instance"), `[{"tuple":[":limit",3000]}]`; got != want {
		t.Fatalf("saved is %s, want %s", got, want)
	}
	d.press("X")
	d.shows("saved: 3000", "typed: the built-in value", `"delete":true`)
	d.press("y")
	d.shows("in force: 5000")
	if got := savedSetting(t, s, ":svc", ":instance"); got != "" && got != "[]" {
		t.Errorf("saved is %s", got)
	}
	d.press("X")
	d.shows("nothing here to unset")
}

func TestTheServersRefusalStandsAtTheField(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	d.press("5/chat_limit<enter><enter>/:limit <enter>e<ctrl+u>-5<enter>y")
	d.shows("(400)", "value: -5_")
	if got := savedSetting(t, s, ":svc", ":instance"); got != "" {
		t.Errorf("saved is %s", got)
	}
}

func TestASwitchIsChosenAndARestartAnnounced(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	d.press("5/registrations_open<enter><enter>/registrations_open<enter>e")
	d.shows("1 true", "2 false", "t type it")
	d.press("2")
	d.shows("typed: false")
	d.press("y")
	d.shows("in force: false")
	d.press("/<ctrl+u>:upload_limit<enter>")
	d.shows("a change needs a restart")
	d.press("e<ctrl+u>1000000<enter>")
	d.shows("needs a restart")
	d.press("y")
	d.shows("(!) a change waits for a restart: R restarts the server")
	d.press("R")
	d.shows("restart the server, which goes on answering?", "y yes")
	d.press("y")
	d.shows("the server sets itself up anew")
	servertest.Eventually(t, "the server restarts", func() bool {
		needs, err := s.Admin("root").Admin.Config.NeedReboot(t.Context())
		return err == nil && !needs
	})
	d.press("<ctrl+r>")
	d.hides("(!)")
}

func TestAListOfHostsIsCheckedAndAPolicyThatIsOffIsNamed(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	d := beginOn(t, s.Admin("root"), 160, 24, Options{})
	d.press("5/mrf_simple<enter><enter>/:reject <enter>e<ctrl+u>@user@bad.example<enter>y")
	d.shows("(400)", "is none", "value: @user@bad.example_")
	d.press("<ctrl+u>bad.example<enter>y")
	d.shows("saved; :mrf_simple has no effect while Svc.Web.ActivityPub.MRF.SimplePolicy is not in :mrf :policies")
}

func TestASecretIsNeverShown(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	d := beginOn(t, s.Admin("root"), 120, 40, Options{})
	never := func() {
		t.Helper()
		d.hides("hunter2")
	}
	d.press("5/admin_token<enter><enter>/admin_token<enter>ehunter2")
	d.shows("value: *******_")
	never()
	d.press("<enter>")
	d.shows("typed: ********", `"value":"********"`)
	never()
	d.press("y")
	d.shows("********")
	never()
	if got := savedSetting(t, s, ":svc", ":admin_token"); !strings.Contains(got, "hunter2") {
		t.Errorf("saved is %s", got)
	}
	d.press("<enter>")
	never()
	d.press("<esc>e")
	d.shows("value: _")
	d.press("<esc>@")
	never()
}

// Somebody's change since the plan was shown is not overwritten.
func TestSomebodyElsesSettingIsNotOverwritten(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	d.press("5/chat_limit<enter><enter>/:limit <enter>e<ctrl+u>3000<enter>")
	if _, err := s.Admin("tess").Admin.Config.Change(t.Context(), api.ConfigChange{Group: ":svc", Key: ":instance", Value: []byte(`[{"tuple":[":limit",777]}]`)}); err != nil {
		t.Fatal(err)
	}
	d.press("y")
	d.shows("changed meanwhile")
	if got, want := savedSetting(t, s, ":svc", ":instance"), `[{"tuple":[":limit",777]}]`; got != want {
		t.Errorf("saved is %s, want %s", got, want)
	}
}

// TestASavedSettingIsUndone takes an edit back with u, and another by the journal, as
// svcctl undo does.
func TestASavedSettingIsUndone(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	d.press("5/chat_limit<enter><enter>/:limit <enter>e<ctrl+u>3000<enter>y")
	if got, want := savedSetting(t, s, ":svc", ":instance"), `[{"tuple":[":limit",3000]}]`; got != want {
		t.Fatalf("saved is %s, want %s\n%s", got, want, d.frame())
	}
	entries, _, err := d.m.Journal.Entries()
	if err != nil || len(entries) != 1 || entries[0].Undo == nil {
		t.Fatalf("the journal has %+v, %v", entries, err)
	}
	d.press("u")
	d.shows("undone: edit", "in force: 5000")
	if got := savedSetting(t, s, ":svc", ":instance"); got != "" && got != "[]" {
		t.Errorf("saved is %s\n%s", got, d.frame())
	}
	if entries, _, err = d.m.Journal.Entries(); err != nil || !entries[len(entries)-1].Undone {
		t.Errorf("the journal has %+v, %v", entries, err)
	}
}

// TestWhatIsDoneAtOnceIsInTheJournal makes an invitation, trusts an app and has a job
// done again. u says why the job stays so, and takes the others back; then it says that
// nothing is left.
func TestWhatIsDoneAtOnceIsInTheJournal(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t)
	s.FailedJob()
	d := beginOn(t, s.Admin("root"), 80, 24, Options{})
	d.press("u")
	d.shows("nothing to undo: nothing was changed since the start; @ has what was before")
	d.press("7n5 7<enter><esc>")
	d.shows("INVITES 1")
	d.press(":apps<enter>ty")
	d.shows("trusted")
	d.press(":jobs<enter>R")
	d.shows("is done again")
	entries, _, err := d.m.Journal.Entries()
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, e := range entries {
		kinds = append(kinds, fmt.Sprint(e.Action.Kind, " ", e.Undo != nil))
	}
	if diff := cmp.Diff([]string{"jobs.retry false", "app.update true", "invite.create true"}, kinds); diff != "" {
		t.Error(diff)
	}
	d.press("u")
	d.shows("cannot be undone (it was done again): retry")
	d.press("u")
	d.shows("undone: trust")
	apps, err := s.Admin("root").Admin.Apps.List(api.AppQuery{}).Page(t.Context())
	if err != nil || apps.Items[0].Trusted {
		t.Errorf("%+v, %v", apps.Items, err)
	}
	d.press("u")
	d.shows("undone: new")
	d.press("u")
	d.shows("nothing to undo: the last change cannot be (it was done again): retry")
}
