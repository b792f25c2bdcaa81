package sshd_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"svc/client/api"
	"svc/server/servertest"
)

// TestEveryDoorShowsTheSameReport asks the terminal UI, plain mode and svcctl for one
// report, over SSH and svcctl from this machine too, and looks for the same facts in each:
// who, what was said, the posts as they were and are, the profile as it was, earlier
// reports, and the notes.
func TestEveryDoorShowsTheSameReport(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		w := serve(t, s)
		ctx, root := t.Context(), w.Admin("root")
		bob := w.User("bob")
		me := w.Client("bob")
		named := func(name, note string) {
			_, err := me.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{DisplayName: &name, Note: &note})
			w.must(err)
		}
		named("Bad Bob", "bio of before")
		post := func(form api.NewStatus) string {
			made, err := me.Statuses.Post(ctx, form)
			w.must(err)
			return made.ID
		}
		hour := api.Int(3600)
		edited := post(api.NewStatus{Status: "first words"})
		deleted := post(api.NewStatus{Status: "words that go", Poll: &api.NewPoll{Options: []string{"this one", "that one"}, ExpiresIn: &hour}})
		// An earlier report, which was decided on.
		earlier := w.file(bob, "earlier")
		w.must(root.Admin.Reports.Update(ctx, api.ReportUpdate{ID: earlier, State: api.ReportResolved}))
		_, err := w.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: bob.ID, StatusIDs: []string{edited, deleted}, Comment: "look at this"})
		w.must(err)
		page, err := root.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen}).Page(ctx)
		w.must(err)
		id := page.Items[0].ID
		_, err = me.Statuses.Edit(ctx, edited, api.StatusForm{Status: "other words"})
		w.must(err)
		w.must(root.Admin.Statuses.Delete(ctx, deleted))
		named("Good Bob", "bio of today")
		w.must(root.Admin.Reports.AddNote(ctx, id, "seen before"))

		facts := []string{
			"bob", "ann", "look at this", "1 open", "1 resolved", "Bad Bob", "bio of before", "first words", "other words",
			"words that go", "this one | that one", "moderator root", "root", "seen before",
		}
		key, _ := w.key(w.AdminUser("root"))
		c := w.connect(key)

		screen := w.tui(c, 200, 60)
		frame := screen.sees(200, 60, facts...).frame()
		screen.types("q")
		screen.ends()

		lines := w.session(c)
		w.must(lines.Shell())
		lines.waits("Command?")
		lines.types("quit\n")
		lines.ends()
		plain, _ := lines.written()

		code, far, errOut := w.runs(c, "report get "+id+" -o table", "")
		if code != 0 {
			t.Fatalf("exit %d, %q", code, errOut)
		}
		local := exec.Command(filepath.Join(servertest.Programs(t), "svcctl"), "report", "get", id)
		local.Env = []string{"HOME=" + t.TempDir(), "SVCCTL_NO_KEYRING=1", "SVCCTL_URL=" + s.URL, "SVCCTL_TOKEN=" + s.Token("root", servertest.AdminScopes)}
		near, err := local.CombinedOutput()
		w.must(err)
		for door, text := range map[string]string{"the terminal UI": frame, "plain mode": plain, "svcctl over SSH": far, "svcctl": string(near)} {
			for _, fact := range facts {
				if !strings.Contains(text, fact) {
					t.Errorf("%s does not show %q:\n%s", door, fact, text)
				}
			}
		}
	})
}
