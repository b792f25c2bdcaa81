package clientapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/servertest"
)

// TestWhatIsAnsweredToAPostIsWhatIsRead posts statuses of every kind. The
// answer is rendered from the new rows, and equals that of a process that reads
// them, byte for byte.
func TestWhatIsAnsweredToAPostIsWhatIsRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, ben := s.Client("ann"), s.Client("ben")
		parent, err := ben.Statuses.Post(ctx, api.NewStatus{Status: "to be answered"})
		if err != nil {
			t.Fatal(err)
		}
		muted, err := ann.Statuses.Post(ctx, api.NewStatus{Status: "a thread"})
		if err == nil {
			_, err = ann.Statuses.MuteThread(ctx, muted.ID, api.ThreadMute{})
		}
		if err != nil {
			t.Fatal(err)
		}
		day := api.Int(86400)
		sensitive := api.Bool(true)
		other := s.Second(t).With(s.Token("ann", servertest.AllScopes))
		for name, in := range map[string]api.NewStatus{
			"plain":           {Status: "hello"},
			"unlisted":        {Status: "hello", Visibility: "unlisted", Language: "de"},
			"private":         {Status: "hello", Visibility: "private"},
			"local":           {Status: "hello", Visibility: "local"},
			"direct":          {Status: "hello @ben", Visibility: "direct"},
			"a subject":       {Status: "hello", SpoilerText: "a <b>", Sensitive: &sensitive},
			"named":           {Status: "hello @ben #Tag https://svc.example/ :nothing:"},
			"markdown":        {Status: "*hello*\n\n> you", ContentType: "text/markdown"},
			"an answer":       {Status: "@ben yes", InReplyToID: parent.ID},
			"a muted thread":  {Status: "on", InReplyToID: muted.ID},
			"a poll":          {Status: "what?", Poll: &api.NewPoll{Options: []string{"a", "b"}, ExpiresIn: &day}},
			"a file":          {Status: "look", MediaIDs: []string{upload(t, s, "a.png", pngOf(t, 1)).ID}},
			"one that ends":   {Status: "soon", ExpiresIn: &day},
			"a direct answer": {Status: "@ben yes", InReplyToID: parent.ID, Visibility: "direct"},
		} {
			posted, err := ann.Statuses.Post(ctx, in)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			read, err := other.Statuses.Get(ctx, posted.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(read.Raw), string(posted.Raw)); diff != "" {
				t.Errorf("%s (-read +answered):\n%s", name, diff)
			}
		}
	})
}

// TestAPostIsNotReadBack counts the statements after the insertion of the
// status.
func TestAPostIsNotReadBack(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		token := s.Token("ann", servertest.AllScopes)
		s.Get(t.Context(), "/api/v1/accounts/verify_credentials", token)
		ctx, sent := db.RecordStatements(t.Context())
		req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/statuses", strings.NewReader(`{"status": "hello"}`))
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		out := httptest.NewRecorder()
		s.Handler().ServeHTTP(out, req)
		if out.Code != http.StatusOK || len(*sent) == 0 {
			t.Fatal(out.Code, out.Body, *sent)
		}
		for _, sql := range *sent {
			if strings.HasPrefix(sql, "SELECT") && strings.Contains(sql, "FROM statuses s") || strings.Contains(sql, "FROM `accounts`") || strings.Contains(sql, `FROM "accounts"`) {
				t.Errorf("it reads back: %s", sql)
			}
		}
	})
}
