package server_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"svc/server/servertest"
)

// TestHealthNamesWhatCannotBeWritten makes a part unusable before it is needed.
// Readable content is served all the same.
func TestHealthNamesWhatCannotBeWritten(t *testing.T) {
	for part, take := range map[string]func(t *testing.T, s *servertest.Server) error{
		"": func(*testing.T, *servertest.Server) error { return nil },
		"database writes": func(t *testing.T, s *servertest.Server) error {
			_, err := s.DB.Writer().ExecContext(t.Context(), "ALTER TABLE meta RENAME TO meta_away")
			t.Cleanup(func() { _, _ = s.DB.Writer().Exec("ALTER TABLE meta_away RENAME TO meta") })
			return err
		},
		"data folder": func(_ *testing.T, s *servertest.Server) error {
			// A file replaces the folder, since jobs would create the folder
			// again, perhaps between these two steps.
			for n := 0; ; n++ {
				if err := os.Rename(s.DataDir, fmt.Sprint(s.DataDir, "-away", n)); err != nil {
					return err
				}
				if err := os.WriteFile(s.DataDir, nil, 0o600); err == nil || n == 10 {
					return err
				}
			}
		},
	} {
		servertest.Each(t, func(t *testing.T, s *servertest.Server) {
			// An answer says that the service has started, which takes all parts.
			exchange(t, newRequest(t, http.MethodGet, s.URL+"/api/v1/instance", "", ""))
			if err := take(t, s); err != nil {
				t.Fatal(err)
			}
			status, want := http.StatusOK, `{"status":"ok"}`
			if part != "" {
				status, want = http.StatusServiceUnavailable, `{"failing":"`+part+`","status":"failing"}`
			}
			for range 2 { // the second answer is remembered
				if got, body := exchange(t, newRequest(t, http.MethodGet, s.URL+"/healthz", "", "")); got != status || body != want {
					t.Errorf("%q: %d %s", part, got, body)
				}
			}
			if got, body := exchange(t, newRequest(t, http.MethodGet, s.URL+"/readyz", "", "")); got != http.StatusOK {
				t.Errorf("%q: /readyz answers %d %s", part, got, body)
			}
		})
	}
}
