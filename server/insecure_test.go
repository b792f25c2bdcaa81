package server_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"svc/db/dbtest"
	"svc/server"
	"svc/server/platform/config"
)

// A server that may call any address warns at every start.
func TestInsecureFederationIsLoggedLoudly(t *testing.T) {
	for _, insecure := range []bool{true, false} {
		var log bytes.Buffer
		cfg := config.Defaults()
		cfg.BaseURL, cfg.DataDir, cfg.FederationInsecure = "http://127.0.0.1:1", t.TempDir(), insecure
		s, err := server.New(t.Context(), cfg, dbtest.New(t), server.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if warned := strings.Contains(log.String(), "level=WARN") && strings.Contains(log.String(), "SVC_FEDERATION_INSECURE"); warned != insecure {
			t.Errorf("insecure %v: %s", insecure, log.String())
		}
		if s.Outgoing.Insecure() != insecure {
			t.Errorf("the client is insecure %v, want %v", s.Outgoing.Insecure(), insecure)
		}
	}
}
