package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// TestReportsKeepWhatWasReported deletes and edits reported posts in every way, and reads
// the reports about them as a moderator and as those who may not.
func TestReportsKeepWhatWasReported(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		c := &caseRun{t: t, s: s, values: map[string]string{"base": s.Base()}, actors: map[string]*peer.Actor{}}
		do := c.do
		c.values["file"] = c.upload("ann", picture())
		do(`[
			{"as": "ann", "call": "POST /api/v1/statuses", "json": {"status": "which of us", "spoiler_text": "a poll", "poll": {"options": ["you", "me"], "expires_in": 3600}}, "save": {"poll": "body.id"}},
			{"as": "ann", "call": "POST /api/v1/statuses", "json": {"status": "a picture", "media_ids": ["{file}"]}, "save": {"picture": "body.id", "shown": "body.media_attachments.0.url"}},
			{"as": "bob", "call": "POST /api/v1/reports", "json": {"account_id": "{ann.id}", "status_ids": ["{poll}", "{picture}"]}, "save": {"report": "body.id"}},
			{"as": "ann", "call": "DELETE /api/v1/statuses/{poll}", "expect": [{"at": "status", "is": 200}]},
			{"as": "root1", "call": "DELETE /api/svc/admin/statuses/{picture}", "expect": [{"at": "status", "is": 200}]},
			{"as": "root1", "call": "GET /api/svc/admin/reports/{report}", "save": {"kept": "body.statuses.1.media_attachments.0.url"}, "expect": [
				{"at": "body.statuses", "count": 2},
				{"at": "body.statuses.0.id", "is": "{poll}"},
				{"at": "body.statuses.0.spoiler_text", "is": "a poll"},
				{"at": "body.statuses.0.poll.options.1.title", "is": "me"},
				{"at": "body.statuses.0.account.acct", "is": "ann"},
				{"at": "body.statuses.0.svc.deleted.by", "is": "author"},
				{"at": "body.statuses.0.svc.deleted.at", "has": "Z"},
				{"at": "body.statuses.1.svc.deleted.by", "is": "moderator"},
				{"at": "body.statuses.1.svc.deleted.nickname", "is": "root1"},
				{"at": "body.statuses.1.media_attachments.0.type", "is": "image"}]},
			{"as": "root1", "call": "GET /api/svc/admin/grouped_reports", "expect": [
				{"at": "body.reports", "count": 2},
				{"at": "body.reports.0.status.deleted", "is": true},
				{"at": "body.reports", "has": "which of us"},
				{"at": "body.reports.0.reports.0.statuses", "count": 2}]},
			{"svcctl": ["report", "get", "{report}"], "expect": [
				{"at": "out", "has": "deleted by the author"}, {"at": "out", "has": "deleted by the moderator root1"}, {"at": "out", "has": "which of us"}]},
			{"as": "bob", "call": "GET /api/svc/admin/reports/{report}", "expect": [{"at": "status", "is": 403}, {"at": "body", "hasnt": "which"}]},
			{"as": "bob", "call": "GET /api/v1/statuses/{poll}", "expect": [{"at": "status", "is": 404}]},
			{"as": "root1", "call": "PATCH /api/svc/admin/reports", "json": {"reports": [{"id": "{report}", "state": "resolved"}]}, "expect": [{"at": "status", "is": 204}]},
			{"as": "root1", "call": "GET /api/svc/admin/reports/{report}", "expect": [{"at": "body.state", "is": "resolved"}, {"at": "body.statuses", "count": 2}]}
		]`)
		for address, want := range map[string]int{
			c.values["kept"]: 200, c.values["shown"]: 404, c.values["shown"] + "?report=x": 404, strings.Replace(c.values["kept"], "?report=", "?report=A", 1): 404,
			strings.Replace(c.values["shown"], "/media/", "/proxy/preview/x/", 1): 404,
		} {
			resp, err := http.Get(strings.Replace(address, s.Base(), s.URL, 1))
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != want || want == 200 && resp.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("%s answers %d, %q, want %d", address, resp.StatusCode, resp.Header.Get("Cache-Control"), want)
			}
		}

		// Another server edits, then deletes.
		do(`[
			{"peer": "pat", "note": {"content": "<p>first words</p>", "summary": "mild", "sensitive": true}, "to": "bob", "save": {"uri": "id"}},
			{"as": "bob", "call": "GET /api/v2/search", "query": {"q": "{uri}"}, "wait": 8, "save": {"note": "body.statuses.0.id"}},
			{"as": "bob", "call": "GET /api/v1/statuses/{note}", "save": {"pat": "body.account.id"}},
			{"as": "bob", "call": "POST /api/v1/reports", "json": {"account_id": "{pat}", "status_ids": ["{note}"]}, "save": {"report": "body.id"}},
			{"as": "bob", "call": "POST /api/v1/statuses/{note}/favourite", "expect": [{"at": "status", "is": 200}]},
			{"as": "root1", "call": "GET /api/svc/admin/reports/{report}", "expect": [
				{"at": "body.statuses.0.content", "has": "first words"}, {"at": "body.statuses.0.svc.reported", "is": null}, {"at": "body.statuses.0.svc.deleted", "is": null}]},
			{"peer": "pat", "activity": {"type": "Update", "object": {"id": "{uri}", "type": "Note", "attributedTo": "{pat.id}", "to": ["https://www.w3.org/ns/activitystreams#Public"], "content": "<p>second words</p>", "updated": "2037-01-01T00:00:00Z"}}, "to": "bob"},
			{"as": "root1", "call": "GET /api/svc/admin/reports/{report}", "wait": 8, "expect": [
				{"at": "body.statuses.0.content", "has": "second words"},
				{"at": "body.statuses.0.svc.reported.content", "has": "first words"},
				{"at": "body.statuses.0.svc.reported.spoiler_text", "is": "mild"},
				{"at": "body.statuses.0.svc.deleted", "is": null}]},
			{"svcctl": ["report", "get", "{report}"], "expect": [{"at": "out", "has": "first words"}, {"at": "out", "has": "second words"}]},
			{"peer": "pat", "activity": {"type": "Delete", "object": "{uri}"}, "to": "bob"},
			{"as": "root1", "call": "GET /api/svc/admin/reports/{report}", "wait": 8, "expect": [
				{"at": "body.statuses.0.content", "has": "first words"},
				{"at": "body.statuses.0.svc.deleted.by", "is": "server"},
				{"at": "body.statuses.0.account.acct", "has": "pat@"}]}
		]`)

		// The account goes, and a repeat with what it showed.
		do(`[
			{"as": "eve", "call": "POST /api/v1/statuses", "json": {"status": "goes with me"}, "save": {"own": "body.id"}},
			{"as": "ann", "call": "POST /api/v1/statuses", "json": {"status": "repeated words"}, "save": {"of": "body.id"}},
			{"as": "eve", "call": "POST /api/v1/statuses/{of}/reblog", "save": {"repeat": "body.id"}},
			{"as": "bob", "call": "POST /api/v1/reports", "json": {"account_id": "{eve.id}", "status_ids": ["{own}", "{repeat}"]}, "save": {"report": "body.id"}},
			{"as": "root1", "call": "DELETE /api/svc/admin/users", "json": {"nicknames": ["eve"]}, "expect": [{"at": "status", "is": 200}]},
			{"as": "root1", "call": "GET /api/svc/admin/reports/{report}", "wait": 8, "expect": [
				{"at": "body.statuses", "count": 2},
				{"at": "body.statuses.0.content", "has": "goes with me"},
				{"at": "body.statuses.0.svc.deleted.by", "is": "account"},
				{"at": "body.statuses.1.svc.deleted.by", "is": "account"},
				{"at": "body.statuses.1.reblog.content", "has": "repeated words"}]}
		]`)
	})
}

// do carries out the steps of a script.
func (c *caseRun) do(script string) {
	c.t.Helper()
	var steps []caseStep
	if err := strictJSON([]byte(script), &steps); err != nil {
		c.t.Fatal(err)
	}
	for i, step := range steps {
		if !c.step(step) {
			c.t.Fatalf("step %d is wrong", i+1)
		}
	}
}

// upload uploads a picture for somebody and returns its id.
func (c *caseRun) upload(as string, png []byte) string {
	c.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", "a.png")
	if err == nil {
		_, err = part.Write(png)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	_ = w.Close()
	req, err := http.NewRequestWithContext(c.t.Context(), "POST", c.s.URL+"/api/v1/media", &form)
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Authorization", "Bearer "+c.token(as))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, _ := io.ReadAll(resp.Body)
	var out struct{ ID string }
	if err := json.Unmarshal(raw, &out); err != nil || out.ID == "" {
		c.t.Fatalf("%d %s", resp.StatusCode, raw)
	}
	return out.ID
}
