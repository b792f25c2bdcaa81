package clientapi_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// backup asks for one and waits for it.
func backup(t *testing.T, c *client.Client) api.Backup {
	t.Helper()
	rows, err := c.Backups.Start(t.Context())
	if err != nil || len(rows) != 1 {
		t.Fatalf("%+v %v", rows, err)
	}
	for deadline := time.Now().Add(30 * time.Second); !rows[0].Processed; {
		if time.Now().After(deadline) {
			t.Fatal("it is never made")
		}
		if rows, err = c.Backups.List(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return rows[0]
}

func TestABackupHoldsWhatSomebodyMade(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.Client("ann"), s.Client("bob")
		theirs, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "bob's"})
		if err != nil {
			t.Fatal(err)
		}
		upload, err := ann.Media.Upload(ctx, file("pixel.png", pngOf(t, 1)), api.MediaForm{})
		if err != nil {
			t.Fatal(err)
		}
		for i, in := range []api.NewStatus{
			{Status: "first #tag", SpoilerText: "cw"}, {Status: "a reply", InReplyToID: theirs.ID, Visibility: "private"},
			{Status: "a picture", MediaIDs: []string{upload.ID}},
		} {
			if _, err := ann.Statuses.Post(ctx, in); err != nil {
				t.Fatalf("%d: %v", i, err)
			}
		}
		if _, err := ann.Statuses.Reblog(ctx, theirs.ID, api.NewReblog{}); err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Statuses.Favourite(ctx, theirs.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := ann.Statuses.Bookmark(ctx, theirs.ID); err != nil {
			t.Fatal(err)
		}
		got := backup(t, ann)
		if _, err := ann.Backups.Start(ctx); client.Status(err) != 400 || !strings.Contains(err.Error(), "Last export was less than 7 days ago") {
			t.Errorf("another: %v", err)
		}
		resp, text := fetch(t, http.MethodGet, got.URL)
		h, content := resp.Header, []byte(text)
		if h.Get("Cache-Control") != "private, no-store" {
			t.Errorf("others may keep it: %q", h.Get("Cache-Control"))
		}
		if resp.StatusCode != 200 || int64(len(content)) != got.FileSize || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") {
			t.Fatalf("%d %v, %d bytes of %d", resp.StatusCode, h, len(content), got.FileSize)
		}
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		parts := map[string][]byte{}
		var names []string
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if parts[f.Name], err = io.ReadAll(r); err != nil {
				t.Fatal(err)
			}
			names = append(names, f.Name)
		}
		picture := upload.URL[strings.LastIndexByte(upload.URL, '/')+1:]
		if diff := cmp.Diff([]string{"actor.json", "bookmarks.json", "likes.json", "media/" + picture, "outbox.json"}, sorted(names)); diff != "" {
			t.Error(diff)
		}
		read := func(name string) (out struct {
			ID    string
			Type  string
			Items []json.RawMessage `json:"orderedItems"`
			Total int               `json:"totalItems"`
		}) {
			if err := json.Unmarshal(parts[name], &out); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, parts[name])
			}
			return out
		}
		for _, name := range []string{"likes.json", "bookmarks.json"} {
			if c := read(name); c.Type != "OrderedCollection" || c.Total != 1 || string(bytes.TrimSpace(c.Items[0])) != fmt.Sprintf("%q", theirs.URI) {
				t.Errorf("%s", parts[name])
			}
		}
		outbox := read("outbox.json")
		var lines []string
		for _, raw := range outbox.Items {
			var a struct {
				Type   string
				To     []string
				Object json.RawMessage
			}
			if err := json.Unmarshal(raw, &a); err != nil {
				t.Fatal(err)
			}
			var note struct {
				Type, Content, Summary string
				InReplyTo              string
				Attachment             []struct{ URL string }
			}
			if json.Unmarshal(a.Object, &note) != nil {
				lines = append(lines, a.Type+" "+string(a.Object))
				continue
			}
			line := a.Type + " " + note.Type + " " + note.Summary + " " + note.InReplyTo
			for _, f := range note.Attachment {
				line += f.URL
			}
			lines = append(lines, line)
		}
		want := []string{"Create Note cw ", "Create Note  " + theirs.URI, "Create Note  media/" + picture, "Announce " + fmt.Sprintf("%q", theirs.URI)}
		if diff := cmp.Diff(want, lines); diff != "" || outbox.Total != 4 {
			t.Errorf("%d: %s", outbox.Total, diff)
		}
		var actor struct {
			ID, Type, PreferredUsername, Outbox string
		}
		if err := json.Unmarshal(parts["actor.json"], &actor); err != nil || actor.ID != s.User("ann").URI || actor.Type != "Person" || actor.PreferredUsername != "ann" || actor.Outbox != "outbox.json" {
			t.Errorf("%+v %v", actor, err)
		}
		if others, err := bob.Backups.List(ctx); err != nil || len(others) != 0 {
			t.Errorf("bob has %v %v", others, err)
		}
	}, servertest.WithMail)
}

// TestAnArchiveIsServedWhileItsAccountIs fetches archives by their addresses: those of
// accounts that are deactivated or deleted, and those whose row is gone, are nobody's
// any more. An upload with such a name is an upload.
func TestAnArchiveIsServedWhileItsAccountIs(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, root := t.Context(), s.Admin("root").Admin.Users
		status := func(url string) string {
			t.Helper()
			resp, _ := fetch(t, http.MethodGet, url)
			return fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Cache-Control"))
		}
		is := func(what, url, want string) {
			t.Helper()
			if got := status(url); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		const served, gone = "200 private, no-store", "404 "
		ann, bob, cat := s.Client("ann"), s.Client("bob"), s.Client("cat")
		hers, his, third := backup(t, ann).URL, backup(t, bob).URL, backup(t, cat).URL
		var zipped bytes.Buffer
		z := zip.NewWriter(&zipped)
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		upload, err := ann.Media.Upload(ctx, file("songs.zip", zipped.Bytes()), api.MediaForm{})
		if err != nil {
			t.Fatal(err)
		}
		is("of an active account", hers, served)
		if _, err := root.Deactivate(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
		is("of a deactivated account", hers, gone)
		if _, err := root.Activate(ctx, "ann"); err != nil {
			t.Fatal(err)
		}
		is("of an account that is active again", hers, served)
		if _, err := root.Delete(ctx, "bob"); err != nil {
			t.Fatal(err)
		}
		is("of a deleted account", his, gone)
		servertest.Eventually(t, "the row of the archive is gone", func() bool {
			var rows int
			return s.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM backups WHERE account_id = '"+s.User("bob").ID+"'").Scan(&rows) == nil && rows == 0
		})
		is("of a deleted account, without a row", his, gone)
		if err := dbtest.Exec(t, s.DB, "DELETE FROM backups WHERE account_id = ?", s.User("cat").ID); err != nil {
			t.Fatal(err)
		}
		is("one without a row", third, gone)
		is("an upload", upload.URL, "200 public, max-age=31536000, immutable")
	}, servertest.WithMail)
}

// TestAnArchiveNeedsTheWholeOfRead: an archive holds direct statuses.
func TestAnArchiveNeedsTheWholeOfRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		for scopes, may := range map[string]bool{
			"read:accounts": false, "read:statuses read:accounts read:bookmarks read:favourites": false, "write": false, "read": true,
		} {
			backups := s.With(s.Token("ann", scopes)).Backups
			if _, err := backups.List(t.Context()); (err == nil) != may || !may && client.Status(err) != 403 {
				t.Errorf("list with %q: %v", scopes, err)
			}
			if _, err := backups.Start(t.Context()); (err == nil) != may || !may && client.Status(err) != 403 {
				t.Errorf("start with %q: %v", scopes, err)
			}
		}
	}, servertest.WithMail)
}

func TestWhoCannotHaveABackup(t *testing.T) {
	s := servertest.Start(t)
	if _, err := s.Client("ann").Backups.Start(t.Context()); client.Status(err) != 400 || !strings.Contains(err.Error(), "Backups require enabled email") {
		t.Errorf("without mail: %v", err)
	}
	s = servertest.Start(t, servertest.WithMail)
	ann := s.Client("ann")
	if _, err := s.DB.Writer().ExecContext(t.Context(), "UPDATE users SET email = '', email_key = NULL"); err != nil {
		t.Fatal(err)
	}
	if _, err := ann.Backups.Start(t.Context()); client.Status(err) != 400 || !strings.Contains(err.Error(), "Email is required") {
		t.Errorf("without an address: %v", err)
	}
}

func TestABackupIsKeptForItsTime(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.Client("ann")
		backup(t, ann)
		age := func(days int) {
			t.Helper()
			past := time.Now().Add(-time.Duration(days) * 24 * time.Hour).UnixMicro()
			if _, err := s.DB.Writer().ExecContext(ctx, fmt.Sprintf("UPDATE backups SET created_at = %d", past)); err != nil {
				t.Fatal(err)
			}
			if err := s.Archive.Sweep(ctx); err != nil {
				t.Fatal(err)
			}
		}
		for _, tt := range []struct{ days, left int }{{29, 1}, {31, 0}} {
			age(tt.days)
			if rows, err := ann.Backups.List(ctx); err != nil || len(rows) != tt.left {
				t.Errorf("after %d days: %v %v", tt.days, rows, err)
			}
		}
		var loose int
		if err := s.DB.Writer().QueryRowContext(ctx, "SELECT COUNT(*) FROM loose_files WHERE name LIKE '%.zip'").Scan(&loose); err != nil || loose != 1 {
			t.Errorf("%d files to be swept, %v", loose, err)
		}
	}, servertest.WithMail, func(c *config.Settings) { c.Backup.LimitDays = 0 })
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}
