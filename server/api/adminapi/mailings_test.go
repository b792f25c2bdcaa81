package adminapi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

// set saves settings through the API.
func (w *world) set(key string, pairs ...any) {
	w.t.Helper()
	_, err := w.Admin("root").Admin.Config.Set(w.t.Context(), ":svc", key, client.Keyword(pairs...))
	w.must(err)
}

// TestMailGoesWhereTheSettingsSay: a program, a relay, or nowhere.
func TestMailGoesWhereTheSettingsSay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		admin := w.Admin("root").Admin.Users
		dir := t.TempDir()
		path := filepath.Join(dir, "sendmail")
		w.must(os.WriteFile(path, []byte("#!/bin/sh\necho \"$@\" > '"+dir+"/args'\ncat > '"+dir+"/input'\nmv '"+dir+"/input' '"+dir+"/mail'\n"), 0o700))
		w.set("Svc.Emails.Mailer", ":adapter", "Swoosh.Adapters.Sendmail", ":cmd_path", path, ":cmd_args", "-v")
		_, err := admin.ResendConfirmation(ctx, "ann")
		w.must(err)
		var mailed string
		w.until("a program is given the mail", func() bool {
			raw, err := os.ReadFile(filepath.Join(dir, "mail"))
			mailed = string(raw)
			return err == nil
		})
		args, err := os.ReadFile(filepath.Join(dir, "args"))
		if err != nil || !strings.HasPrefix(string(args), "-v -oi -f ") || !strings.Contains(mailed, "\nSubject: svc account confirmation\n") || len(w.Mailbox.All()) != 0 {
			t.Errorf("arguments %s, %v; mail\n%s", args, err, mailed)
		}

		w.set("Svc.Emails.Mailer", ":adapter", "Swoosh.Adapters.SMTP")
		w.set("Svc.Emails.UserEmail", ":logo", "/images/mascot.png", ":styling", map[string]string{":link_color": "#123456", ":text_color": "teal"})
		_, err = admin.ResendConfirmation(ctx, "bob")
		w.must(err)
		html := w.Mailbox.Wait("bob@example.org", 1).HTML
		for _, want := range []string{`<img src="` + w.Base() + `/images/mascot.png"`, "background:#123456;", "color:teal;", "background:#2C3645;"} {
			if !strings.Contains(html, want) {
				t.Errorf("no %s in\n%s", want, html)
			}
		}
		status, text := w.admin("POST", "/config", `{"configs":[{"group":":svc","key":"Svc.Emails.UserEmail","value":[{"tuple":[":styling",{":link_color":"red;background:url(x)"}]}]}]}`)
		if status != 400 || !strings.Contains(text, "Svc.Emails.UserEmail :styling :link_color takes a colour such as #2C3645") {
			t.Errorf("no colour: %d %s", status, text)
		}

		w.set("Svc.Emails.Mailer", ":enabled", false)
		w.want("POST", "/backups", `{"nickname":"ann"}`, 400, `{"error":"Backups require enabled email"}`)
	}, servertest.WithMail)
}

// TestAdminsAreToldWhoIsNewOnceADay: the mails begin when the setting is on.
func TestAdminsAreToldWhoIsNewOnceADay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		w.must(w.Signup.DigestNewUsers(ctx))
		w.set("Svc.Emails.NewUsersDigestEmail", ":enabled", true)
		w.must(w.Signup.DigestNewUsers(ctx))
		m := w.Mailbox.Wait("root@example.org", 1)
		if m.Subject != "New accounts at svc" || !strings.Contains(m.Text, "\n1. @root\n2. @ann\n3. @bob\n") {
			t.Errorf("%s\n%s", m.Subject, m.Text)
		}
		// A second run on the same day sends nothing.
		w.must(w.Signup.DigestNewUsers(ctx))
		_, err := w.Admin("root").Admin.Users.ResendConfirmation(ctx, "root")
		w.must(err)
		if m := w.Mailbox.Wait("root@example.org", 2); m.Subject != "svc account confirmation" {
			t.Errorf("once more: %s", m.Subject)
		}
		if got := len(w.Mailbox.To("bob@example.org")); got != 0 {
			t.Errorf("bob got %d", got)
		}
	}, servertest.WithMail)
}

// TestTextsLinkToFilesWhereTheSettingsSay: the links are for readers without
// attachments.
func TestTextsLinkToFilesWhereTheSettingsSay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		ann := w.Client("ann")
		post := func(text, description string) *api.Status {
			w.t.Helper()
			file, err := ann.Media.Upload(ctx, client.File{Name: "x.txt", Content: strings.NewReader("a file of " + description)}, api.MediaForm{Description: &description})
			w.must(err)
			s, err := ann.Statuses.Post(ctx, api.NewStatus{Status: text, MediaIDs: []string{file.ID}})
			w.must(err)
			return s
		}
		if s := post("off", "x"); s.Content != "off" {
			t.Errorf("off: %s", s.Content)
		}
		w.set(":instance", ":attachment_links", true)
		s := post("on", `a <b> & "c" of some length, cut`)
		if want := `on<br><a href="` + s.MediaAttachments[0].URL + `">a &lt;b&gt; &amp; &#34;c&#34; of some length, cu…</a>`; s.Content != want {
			t.Errorf("on: %s\nwant %s", s.Content, want)
		}
		w.set("Svc.Upload", ":filename_display_max_length", 3)
		if s := post("", "wxyz"); s.Content != `<a href="`+s.MediaAttachments[0].URL+`">wxy…</a>` {
			t.Errorf("short: %s", s.Content)
		}
	})
}
