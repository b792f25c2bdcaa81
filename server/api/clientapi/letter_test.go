package clientapi_test

import (
	"strings"
	"testing"

	"svc/client/api"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// TestStubsAndNamesAnswerAsSpecified: endpoints that this server does not have answer
// with an empty list or with 404, to everybody, so that apps go on without them.
func TestStubsAndNamesAnswerAsSpecified(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.User("ann")
		everybody := map[string]string{
			"a stranger": "", "an app": s.AppToken(), "a narrow token": s.Token("ann", "read:search"), "ann": s.Token("ann", servertest.AllScopes),
		}
		for who, token := range everybody {
			for _, path := range []string{"suggestions", "endorsements", "trends", "identity_proofs", "accounts/" + ann.ID + "/identity_proofs"} {
				if a := call(t, s, token, "GET", "/api/v1/"+path, "", ""); a.text() != "200 []" {
					t.Errorf("%s to %s: %s", path, who, a.text())
				}
			}
			for _, path := range []string{"directory", "featured_tags", "accounts/lookup", "accounts/no-id"} {
				if a := call(t, s, token, "GET", "/api/v1/"+path, "", ""); a.status != 404 {
					t.Errorf("%s to %s: %s", path, who, a.text())
				}
			}
		}
		for _, c := range [][2]string{
			{"GET", "notifications/policy"}, {"GET", "notifications/requests"}, {"GET", "notifications/1x"},
			{"POST", "notifications/requests/dismiss"}, {"POST", "accounts/no-id/follow"}, {"POST", "accounts/no-id/block"}, {"GET", "accounts/no-id/lists"},
			{"GET", "accounts/no-id/followers"}, {"GET", "accounts/no-id/statuses"},
		} {
			if a := call(t, s, everybody["ann"], c[0], "/api/v1/"+c[1], "", ""); a.status != 404 {
				t.Errorf("%s %s: %s", c[0], c[1], a.text())
			}
		}
		if a := call(t, s, everybody["ann"], "GET", "/api/v1/notifications/999999", "", ""); a.text() != `403 {"error":"Cannot get notification"}` {
			t.Errorf("an unknown number: %s", a.text())
		}
	})
}

// TestFilesOfOtherServersAreNotDescribed: whatever their documents say.
func TestFilesOfOtherServersAreNotDescribed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		posted, err := s.Client("ann").Statuses.Post(ctx, api.NewStatus{Status: "a picture"})
		if err != nil {
			t.Fatal(err)
		}
		if err := dbtest.Exec(t, s.DB, `INSERT INTO media_attachments (account_id, status_id, type, url, preview_url, remote_url, mime_type, description, blurhash, created_at)
			VALUES (?, ?, 'image', 'https://far.example/x.png', '', 'https://far.example/x.png', 'image/png', 'x', 'UBL_:rOpGG-oBUNG', 1)`, s.User("ann").ID, posted.ID); err != nil {
			t.Fatal(err)
		}
		if err := dbtest.Exec(t, s.DB, "UPDATE statuses SET has_media = TRUE WHERE id = ?", posted.ID); err != nil {
			t.Fatal(err)
		}
		shown, err := s.Client("bob").Statuses.Get(ctx, posted.ID)
		if err != nil || len(shown.MediaAttachments) != 1 {
			t.Fatalf("%+v %v", shown, err)
		}
		if a := shown.MediaAttachments[0]; a.Blurhash != nil || a.Meta != nil {
			t.Errorf("%s", shown.Raw)
		}
	})
}

// TestTextsWithoutAValueAreEmpty: where a text is not said to be nullable, none is "".
func TestTextsWithoutAValueAreEmpty(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, root := t.Context(), s.Token("root", servertest.AdminScopes)
		filed, err := s.Client("ann").Reports.Create(ctx, api.NewReport{AccountID: s.User("bob").ID})
		if err != nil {
			t.Fatal(err)
		}
		if err := dbtest.Exec(t, s.DB, "UPDATE users SET email = '', email_key = NULL WHERE account_id = ?", s.User("bob").ID); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string][]string{
			"/api/svc/admin/users/bob":             {`"registration_reason":""`},
			"/api/svc/admin/users/bob/credentials": {`"background":""`, `"email":""`},
			"/api/svc/admin/reports/" + filed.ID:   {`"content":""`, `"registration_reason":""`},
			"/api/svc/admin/reports":               {`"content":""`},
			"/api/svc/admin/oauth_app":             {`"website":""`},
		} {
			a := call(t, s, root, "GET", path, "", "")
			for _, text := range want {
				if a.status != 200 || !strings.Contains(a.body, text) {
					t.Errorf("%s has no %s: %s", path, text, a.text())
				}
			}
		}
		if a := call(t, s, root, "DELETE", "/api/svc/admin/oauth_app/x", "", ""); a.text() != `400 "Invalid parameters"` {
			t.Errorf("an app that is no number: %s", a.text())
		}
	})
}
