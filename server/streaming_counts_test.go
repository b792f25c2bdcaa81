package server_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/server/platform/config"
	"svc/server/servertest"
)

// TestOpenStreamsAreMeasured opens streams by both transports, the chat room too, and closes
// them.
func TestOpenStreamsAreMeasured(t *testing.T) {
	s := servertest.Start(t, func(set *config.Settings) { set.Metrics.Enabled = true })
	token := s.Token("ann", servertest.AllScopes)
	expect := func(sse, sockets int) {
		t.Helper()
		servertest.Eventually(t, fmt.Sprintf("%d and %d streams", sse, sockets), func() bool {
			got := string(speak(t, s, false, "", "GET", s.Settings.Load().Metrics.Path, "", "").raw)
			return strings.Contains(got, fmt.Sprintf("svc_streams{transport=\"sse\"} %d\n", sse)) &&
				strings.Contains(got, fmt.Sprintf("svc_streams{transport=\"websocket\"} %d\n", sockets))
		})
	}
	expect(0, 0)
	socket, events := dial(t, s, token, "stream=user"), listen(t, s, token, "user", "")
	room, _ := enterRoom(t, s, must(s.Client("ann").Accounts.Verify(t.Context()))(t).Svc.ChatToken)
	expect(1, 2)
	_, _, _ = socket.conn.CloseNow(), events.body.Close(), room.conn.CloseNow()
	expect(0, 0)
}
