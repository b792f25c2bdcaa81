package e2e

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"svc/client"
	"svc/db/dbtest"
)

// before is what testdata/before says of a database in it. They are of commit 26c05b27,
// which had the migrations to 70 and River 0.31: a demo, two people who wrote, reported,
// chatted and subscribed, and work that failed because nobody answered.
type before struct {
	Base                                      string
	Olga, Otto                                string // tokens; olga is an admin
	Account, Status, Chat, Report, List, Poll string // made by olga, but for the poll
}

// TestAnOlderDatabaseIsUpgraded starts the service on databases of an older schema. Its
// people find what they had, with the tokens that they had, and failed work is still there
// to be tried again.
func TestAnOlderDatabaseIsUpgraded(t *testing.T) {
	t.Parallel()
	dbtest.EachDSN(t, func(t *testing.T, dsn string) {
		p := newProcess(t, shortDir(t), postgresOnly(dsn))
		kind := "sqlite"
		if p.dsn != "" {
			kind = "postgres"
		}
		var was before
		raw, err := os.ReadFile(filepath.Join("testdata", "before", kind+".json"))
		must(t, err)
		must(t, json.Unmarshal(raw, &was))
		p.env = []string{"SVC_BASE_URL=" + was.Base, "SVC_LOG=error"}
		if kind == "sqlite" {
			must(t, os.WriteFile(filepath.Join(p.dir, "svc.db"), unzipped(t, "sqlite.db.gz"), 0o600))
		} else {
			restoreDump(t, p.dsn, string(unzipped(t, "postgres.sql.gz")))
		}
		// The picture that otto had uploaded.
		dot := filepath.Join(p.dir, "uploads", "6b", "6b7fa434f92a8b80aab02d9bf1a12e49ffcae424e4013a1c4f68b67e3d2bbcd0.png")
		must(t, os.MkdirAll(filepath.Dir(dot), 0o700))
		must(t, os.WriteFile(dot, []byte(dotPNG), 0o600))
		p.start()

		ctx, olga, otto := t.Context(), p.client(was.Olga), p.client(was.Otto)
		if me := good(olga.Accounts.Verify(ctx))(t); me.ID != was.Account || me.DisplayName != "Olga" {
			t.Errorf("olga is %s %q", me.ID, me.DisplayName)
		}
		status := good(otto.Statuses.Get(ctx, was.Status))(t)
		if !strings.Contains(status.Content, "of before for") || status.SpoilerText != "cats" || len(status.MediaAttachments) != 1 || !status.Bookmarked || !status.Favourited || !status.Reblogged {
			t.Errorf("the post is %s", status.Raw)
		}
		for path, want := range map[string]string{
			"/api/v1/statuses/" + was.Status + "/context":     "an answer of before",
			"/api/v1/svc/chats/" + was.Chat + "/messages":     "hush, of before",
			"/api/svc/admin/reports/" + was.Report:            "seen before",
			"/api/v1/lists/" + was.List:                       "of before",
			"/api/v1/lists/" + was.List + "/accounts":         `"otto"`,
			"/api/v1/polls/" + was.Poll:                       `"own_votes":[1]`,
			"/api/v1/push/subscription":                       "https://push.example/olga",
			"/api/v1/scheduled_statuses":                      "later, of before",
			"/api/v1/conversations":                           "between us, before",
			"/api/v1/notifications":                           "a push",
			"/api/v2/search?type=statuses&q=cat":              was.Status,
			"/api/svc/admin/users?filters=local&page_size=50": `"otto"`,
			"/api/svc/admin/moderation_log":                   "added note 'seen before'",
		} {
			if got := p.text(t, olga, path); !strings.Contains(got, want) {
				t.Errorf("%s has no %s: %s", path, want, got)
			}
		}
		if got := p.text(t, otto, "/api/v1/filters"); !strings.Contains(got, "dogs before") {
			t.Errorf("otto's filters are %s", got)
		}
		waiting := int64(0)
		for _, q := range good(olga.Admin.Jobs.Queues(ctx))(t) {
			waiting += q.Retryable + q.Available + q.Running + q.Discarded
		}
		if waiting == 0 {
			t.Error("no work of before waits")
		}
		again := p.logIn("otto")
		must(t, err1(p.client(again).Accounts.Verify(ctx)))
		p.kill()
		out := p.run("check", "-o", "json")
		var report struct {
			Areas []struct {
				Findings []struct{ Check, Row, Fault string }
			}
		}
		must(t, json.Unmarshal([]byte(out), &report))
		for _, area := range report.Areas {
			for _, f := range area.Findings {
				t.Errorf("check finds %+v", f)
			}
		}
	})
}

// text is the answer to a request.
func (p *process) text(t *testing.T, c *client.Client, path string) string {
	t.Helper()
	var out json.RawMessage
	if _, err := c.Do(t.Context(), client.Request{Method: http.MethodGet, Path: path}, &out); err != nil {
		return err.Error()
	}
	return string(out)
}

func unzipped(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "before", name))
	must(t, err)
	defer func() { must(t, f.Close()) }()
	z, err := gzip.NewReader(f)
	must(t, err)
	raw, err := io.ReadAll(z)
	must(t, err)
	return raw
}

// restoreDump runs a dump on an empty database.
func restoreDump(t *testing.T, dsn, dump string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	must(t, err)
	defer func() { must(t, conn.Close(context.WithoutCancel(ctx))) }()
	_, err = conn.PgConn().Exec(ctx, dump).ReadAll()
	must(t, err)
}
